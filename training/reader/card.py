"""Writes a reader's model card, `docs/reader.md`, from its measurements.

    python card.py KEPT [--out docs/reader.md]

``KEPT/truth.json`` is what `benchmarks/truth.py --json` wrote, on the part to choose by or, better, on the exam; the gate's
promise and the weights' sizes are the package's own. Every figure of the card comes from these files.
"""

from __future__ import annotations

import argparse
import json
import math
from collections import Counter
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
WEIGHTS = ROOT / "src" / "footnoted" / "models" / "weights" / "english"
GATE = ROOT / "src" / "footnoted" / "grounding" / "fitted" / "gate.json"
TWINS = ROOT / "training" / "twins"
FEW = 12  # pairs under which a group is counted and not judged
WEAK = 60  # % of pairs won under which a group is named as what the reader cannot tell

HEAD = """# The reader's card

<!-- Written by training/reader/card.py; `python training/make_all.py DATA KEPT` makes it anew. -->

What reads a sentence beside its evidence when no language model is asked: a network of {layers} layers, {width} wide, in which every
piece of the claim attends to every piece of the evidence. It says how probable it is that the evidence carries the claim, contradicts it
or does neither, and doubts single words. [What the check knows](checking.md) tells what
becomes of that.

| | |
|---|---|
| backbone | the first {layers} layers of all-mpnet-base-v2 (Apache-2.0), which is MPNet (MIT; Song et al. 2020, arXiv:2004.09297); {pieces:,} pieces, English, upper case read as lower |
| size | {size:.1f} MB of int8 (half of that in the wheel), and {shared:.1f} MB of words and tokenizer |
| read at once | 256 pieces; a longer claim is not checked, evidence is found and cut to about 110 words |
| data | at hand now: {pairs:,} pairs of natural twins written for it in {languages} languages (`training/twins`), {shared_pairs:,} shared ones, {asked:,} questions with near misses, the public sets of `training/reader/material.py`; [which of them it has read](checking.md) |
| made by | `python training/make_all.py DATA KEPT --device cuda`; seeds fixed, but taught for minutes: another GPU gives a like network, not the same |
| licence | Apache-2.0, with the backbone's notice beside the weights |
"""


def table(heads: list[str], rows: list[list[str]]) -> str:
    """Markdown."""
    lines = [" | ".join(heads), "|".join(["---", *["---:"] * (len(heads) - 1)]), *(" | ".join(row) for row in rows)]
    return "\n".join(f"| {line} |" if not line.startswith("---") else f"|{line}|" for line in lines)


def figure(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.0f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kept", type=Path)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "reader.md")
    options = parser.parse_args()
    truth = json.loads((options.kept / "truth.json").read_text(encoding="utf-8"))
    gate = json.loads(GATE.read_text(encoding="utf-8"))
    written = [json.loads(line) for file in sorted(TWINS.glob("[em]*.jsonl")) for line in file.open(encoding="utf-8")]
    asked = sum(1 for file in TWINS.glob("asked*.jsonl") for _ in file.open(encoding="utf-8"))
    sizes = {file.name: file.stat().st_size / 1e6 for file in WEIGHTS.iterdir()}
    shape = json.loads(str(np.load(options.kept / "backbone.npz")["shape"]))
    out = [
        HEAD.format(
            layers=shape["layers"], width=shape["width"], pieces=shape["vocabulary"],
            size=sizes["reader.onnx"], shared=sizes["words.q4"] + sizes["tokenizer.json"], pairs=len(written),
            languages=len({row.get("lang", "en") for row in written}), shared_pairs=truth["shared"], asked=asked,
        )
    ]  # fmt: skip
    names = {"tried": "the part to choose by", "exam": "the exam, on which nothing is fitted", "all": "all of them"}
    out.append(
        f"## Measured\n\n{truth['claims']} natural claims of {names[truth['part']]}: true and false sentences about the same passages, written as assistants\n"
        f"write. `python benchmarks/truth.py --part {truth['part']}`; in per cent, with 95 % intervals by passage.\n"
    )
    read = truth["figures"]["English"]  # of the others nothing is weighed, so there is nothing to show
    out.append(table(["", "English"], [[name, f"{a:.1f} [{b:.1f}, {c:.1f}]"] for name, (a, b, c) in read.items()]))
    promise = gate["promise"]
    out.append(
        f"\nThe gate's promise: of false claims like these at most {promise['share']:.1%} get a tick, with {promise['confidence']:.1%} confidence, on {promise['n']} false claims"
        f"\nkept aside for it ({promise['seen']} of them got one). Languages that are ticked without a quote: {', '.join(gate['languages'])}.\n"
    )
    out.append("## By what it is asked\n")
    weak: list[str] = []
    for name, those in truth["apart"].items():
        if name == "language":
            continue
        rows = [
            [group, str(pairs), *(figure(value) if pairs >= FEW else "too few" for value in values)]
            for group, (pairs, *values) in those.items()
        ]
        out.append(table([name, "pairs", "won", "AUROC", "true ticked", "false ticked"], rows) + "\n")
        weak += [
            f"{group} ({name}, {values[0]:.0f} %)"
            for group, (pairs, *values) in those.items()
            if pairs >= FEW and values[0] < WEAK
        ]
    out.append("## What it cannot\n")
    out.append(
        f"- Of a true and a false sentence about the same matter it tells which is which little better than a coin for: {'; '.join(weak)}.\n"
        if weak
        else f"- No group of {FEW} pairs or more is under {WEAK} % of pairs won.\n"
    )
    out.append(
        "- It reads, it does not reckon: sums, differences and dates put in order are for the exact rules beside it or for a judge.\n"
        "- Languages other than those named above are read and never ticked; a sentence quoted letter by letter is, in any of them.\n"
        "- What stands further apart than its window is not seen together: a condition two pages on, a definition elsewhere.\n"
        "- It knows nothing but its evidence, and takes the evidence's word for everything.\n"
    )
    kinds = Counter(row["false_kind"] for row in written)
    out.append("## What was written for it\n")
    out.append(
        table(["kind of the false sentence", "pairs"], [[kind, str(n)] for kind, n in kinds.most_common()]) + "\n"
    )
    options.out.write_text("\n".join(out), encoding="utf-8")
    print(f"{options.out.name}: {len(out)} parts, {len(weak)} groups named as weak")


if __name__ == "__main__":
    main()
