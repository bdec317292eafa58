"""What a model that quotes (``citations="quoted"``) costs and brings, as far as it can be told without a model.

    python benchmarks/quotes.py [--data ../shared/data] [--claims 400] [--part tried|exam]

**Ticks**: natural twins are weighed with and without a quote, at the same threshold. As the quote stands the sentence of the
passage that shares most of the claim's words: a stand-in, which a model may beat or miss. **Spans and tokens**: claims of
Wikipedia with the sentences that carry them (WiCE) are told by a scripted model, once with numbers alone and once with the
first dozen words of the longest such sentence; counted is how often the citation stands in one of them, and what is written more.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "training" / "reader"))
from parts import part, twins
from rich.console import Console
from rich.progress import track
from truth import sources

from footnoted import GenerationRequest, GroundedGenerator, OutputFormat, SourceContext
from footnoted.grounding import Checker
from footnoted.grounding.evidence import candidates, passage
from footnoted.grounding.reading import read
from footnoted.prompting.templates import instructions
from footnoted.testing import scripted_provider
from footnoted.text import estimate_tokens
from footnoted.types import Pointer

HERE = Path(__file__).parent.parent
WORDS = 12


def quote(claim: str, shown: list) -> list[Pointer]:
    """The sentence that shares most of the claim's words, as the words a model could have quoted."""
    cut = [passage(source) for source in shown]
    return [
        Pointer(best.source, cut[best.source].spans[best.index].start, cut[best.source].spans[best.index].end)
        for best in candidates(read(claim), cut, each=1)[:1]
    ]


def ticks(rows: list[dict]) -> str:
    """What verdicts true and false claims get with and without a quote."""
    checker, told = Checker(), Counter()
    for row in track(rows, "twins", console=Console(stderr=True)):
        shown = sources(row["passage"])
        for kind, quoted in (("numbered", []), ("quoted", quote(row["claim"], shown))):
            ruling = checker.check(row["claim"], shown, quoted=quoted).ruling
            told[kind, row["label"], ruling in ("supported", "contradicted", "unsupported")] += 1
            told[kind, row["label"], ruling == "supported", "ticked"] += 1
    lines = []
    for kind in ("numbered", "quoted"):
        of = {label: told[kind, label, True] + told[kind, label, False] for label in (0, 1)}
        lines.append(
            f"{kind}: {100 * told[kind, 1, True, 'ticked'] / of[1]:.1f} % of {of[1]} true and "
            f"{100 * told[kind, 0, True, 'ticked'] / of[0]:.1f} % of {of[0]} false claims ticked, "
            f"{100 * (told[kind, 0, True] + told[kind, 1, True]) / sum(of.values()):.1f} % decided"
        )
    return "\n".join(lines)


async def spans(rows: list[dict]) -> str:
    """How often the citation stands where the claim is carried, and the tokens that takes."""
    right, written = Counter(), Counter()
    for row in rows:
        text, places = "", []
        for sentence in row["source"]:
            places.append((len(text), len(text) + len(sentence)))
            text += sentence + "\n"
        gold = [places[index] for index in sorted({index for group in row["supporting"] for index in group})]
        words = " ".join(text[slice(*max(gold, key=lambda place: place[1] - place[0]))].split()[:WORDS])
        bare = row["claim"].rstrip(".")
        request = GenerationRequest(query="What is known?", context=[SourceContext(content=text)])
        request.config.context_tokens = 1_000_000
        for kind, marker in (("numbered", "[1]"), ("quoted", f'[1 "{words}"]')):
            model = scripted_provider(f"{bare} {marker}.")
            async with GroundedGenerator(model, citations=kind, checking="off") as door:
                response = await door.generate(request)
            found = response.citations[0] if response.citations else None
            right[kind] += found is not None and any(
                found.source_start < end and start < found.source_end for start, end in gold
            )
            written[kind] += estimate_tokens(f"{bare} {marker}.")
    asked = {
        kind: estimate_tokens(instructions("grounded", output_format=OutputFormat.MARKDOWN, quoted=kind == "quoted"))
        for kind in right
    }
    return "\n".join(
        f"{kind}: {100 * right[kind] / len(rows):.1f} % of {len(rows)} citations stand in a sentence that carries the claim, "
        f"{written[kind] / len(rows):.0f} tokens a sentence, {asked[kind]} tokens of instructions"
        for kind in ("numbered", "quoted")
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=HERE.parent / "shared" / "data")
    parser.add_argument("--claims", type=int, default=400)
    parser.add_argument("--part", choices=("tried", "exam"), default="tried")
    options = parser.parse_args()
    lines = (options.data / "grounding" / "wice_claims.jsonl").read_text(encoding="utf-8").splitlines()
    told = [row for row in map(json.loads, lines) if row["label"] == 1 and row["supporting"]]
    print(asyncio.run(spans(told)))
    rows = [r for r in twins(options.data) if r.get("lang", "en") == "en" and r.get("source_lang", "en") == "en"]
    rows = [r for r in rows if part(r["passage"]) == options.part]
    random.Random(0).shuffle(rows)
    if options.claims:
        print(ticks(rows[: options.claims]))


if __name__ == "__main__":
    main()
