"""Measures how often a trained reader is right on what it never saw, beside the controls.

    python measure.py DATA KEPT [--weights FILE] [--part tried|exam] [--written FOLDER]

On natural twins: AUROC, pairs in which the true one scores higher, true claims ticked where at most 5 % of the false ones
are, by kind, by language. Beside it two controls that must say nothing: a bag of words over the claim alone, and the
reader itself with no evidence. Then the labelled sets, of which the documents of fold 0 are kept aside. Each look at the
exam is written down in ``KEPT/looks.txt``.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import defaultdict
from pathlib import Path

import numpy as np
import torch
from evidence import Evidence, sentences
from network import batch, load, sequence
from parts import part, twins, twins_written
from tokenizers import Tokenizer


def auroc(labels, scores) -> float:
    """In percent; ties count half."""
    y, s = np.asarray(labels), np.asarray(scores, float)
    _, place, count = np.unique(s, return_inverse=True, return_counts=True)
    rank = (np.cumsum(count) - (count - 1) / 2)[place]
    right, wrong = int(y.sum()), int(len(y) - y.sum())
    return 100 * (rank[y == 1].sum() - right * (right + 1) / 2) / (right * wrong) if right and wrong else float("nan")


class Scorer:
    """(claim, evidence) pairs -> probabilities (n, 3) of contradicted, neither, carried, and of an answer (n,)."""

    def __init__(self, kept: Path, weights: Path, device: str = "cpu") -> None:
        self.tokenizer = Tokenizer.from_file(str(kept / "tokenizer.json"))
        self.reader = load(kept, weights).to(device).eval()
        self.device = device

    @torch.no_grad()
    def __call__(self, pairs, *, tokens=4096, longest=320):
        texts = [self.tokenizer.encode_batch([p[side] for p in pairs], add_special_tokens=False) for side in (0, 1)]
        rows = [sequence(c.ids, e.ids, longest) for c, e in zip(*texts, strict=True)]
        ways, answers = np.zeros((len(rows), 3), np.float32), np.zeros(len(rows), np.float32)
        now: list[int] = []

        def read():
            with torch.autocast(self.device.split(":")[0], torch.bfloat16):
                w, a, *_ = self.reader(*batch([rows[i] for i in now], self.device))
            ways[now], answers[now] = w.softmax(-1).cpu().numpy(), a.sigmoid().cpu().numpy()

        for i in sorted(range(len(rows)), key=lambda i: len(rows[i][0])):
            if now and (len(now) + 1) * len(rows[i][0]) > tokens:
                read()
                now = []
            now.append(i)
        if now:
            read()
        return ways, answers


def scores(scorer: Scorer, claims: list[tuple[str, Evidence | None]], budget: int = 110) -> np.ndarray:
    """How probably each claim is carried: the least of its sentences."""
    pairs, owner = [], []
    for n, (claim, evidence) in enumerate(claims):
        for sentence in [s for s in sentences(claim) if len(s) > 12] or [claim]:
            pairs.append((sentence, evidence.best(sentence, budget=budget) if evidence else ""))
            owner.append(n)
    carried, of = scorer(pairs)[0][:, 2], np.array(owner)
    return np.array([carried[of == n].min() for n in range(len(claims))])


def won(rows: list[dict], values: np.ndarray) -> dict[str, list[float]]:
    """By kind of the false twin: 1 where its true twin scores higher, a half where they are level."""
    pairs = defaultdict(dict)
    for row, value in zip(rows, values, strict=True):
        pairs[row["pair"]][row["label"]] = (value, row["kind"])
    found = defaultdict(list)
    for both in pairs.values():
        if len(both) == 2:
            found[both[0][1]].append(float(both[1][0] > both[0][0]) + 0.5 * float(both[1][0] == both[0][0]))
    return found


def ticked(labels: np.ndarray, values: np.ndarray, share: float = 0.05) -> float:
    """The share of true claims above what 5 % of the false ones exceed, in percent."""
    limit = np.quantile(values[labels == 0], 1 - share)
    return 100 * float((values[labels == 1] > limit).mean())


def told(name: str, rows: list[dict], values: np.ndarray, bare: np.ndarray) -> None:
    labels = np.array([r["label"] for r in rows])
    kinds = won(rows, values)
    pairs = [v for those in kinds.values() for v in those]
    print(
        f"{name:24} n {len(rows):5}  AUROC {auroc(labels, values):5.1f}  no evidence {auroc(labels, bare):5.1f}  won {100 * np.mean(pairs):5.1f} %  true ticked at 5 % false {ticked(labels, values):5.1f} %"
    )


def words_alone(taught: list[dict], asked: list[dict]) -> float:
    """AUROC of a bag of words and pairs of words over the claim alone."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    bag = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True)
    fitted = LogisticRegression(C=1.0, max_iter=500).fit(
        bag.fit_transform([r["claim"] for r in taught]), [r["label"] for r in taught]
    )
    return auroc([r["label"] for r in asked], fitted.decision_function(bag.transform([r["claim"] for r in asked])))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("kept", type=Path)
    parser.add_argument("--weights", type=Path)
    parser.add_argument("--part", choices=("tried", "exam"), default="tried")
    parser.add_argument("--written", type=Path, default=Path(__file__).parent.parent / "twins")
    parser.add_argument("--labelled", action="store_true", help="the labelled sets too")
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()
    torch.set_num_threads(1)
    weights = options.weights or options.kept / "reader" / "average.pt"
    if options.part == "exam":
        with (options.kept / "looks.txt").open("a") as looks:
            looks.write(f"{time.strftime('%Y-%m-%d %H:%M')} exam {weights} {' '.join(sys.argv[1:])}\n")
    scorer = Scorer(options.kept, weights, options.device)
    sets = {"shared twins": twins(options.data), "written twins": twins_written(options.written, options.data)}
    taught = [r for rows in sets.values() for r in rows if part(r["passage"]) == "taught"]
    kinds = defaultdict(list)
    for name, every in sets.items():
        rows = [r for r in every if part(r["passage"]) == options.part]
        kept = {r["passage"]: Evidence([r["passage"]]) for r in rows}
        values = scores(scorer, [(r["claim"], kept[r["passage"]]) for r in rows])
        bare = scores(scorer, [(r["claim"], None) for r in rows])
        english = np.array([r.get("lang", "en") == r.get("source_lang", "en") == "en" for r in rows])
        across = np.array([r.get("lang", "en") != r.get("source_lang", "en") for r in rows])
        for label, chosen in (
            (f"{name}, en", english),
            (f"{name}, other", ~english & ~across),
            (f"{name}, across", across),
        ):
            if chosen.any():
                those = [r for r, c in zip(rows, chosen, strict=True) if c]
                told(label, those, values[chosen], bare[chosen])
                print(f"{'':24} words of the claim alone: AUROC {words_alone(taught, those):.1f}")
        for kind, those in won([r for r, c in zip(rows, english, strict=True) if c], values[english]).items():
            kinds[kind] += those
    print(
        "won, English, by kind:",
        ", ".join(
            f"{k} {100 * np.mean(v):.0f} ({len(v)})" for k, v in sorted(kinds.items(), key=lambda kv: -len(kv[1]))
        ),
    )
    if options.labelled:
        from claims_data import records

        every = [r for r in records(options.data) if (r.fold == 0) == (options.part == "exam")]
        means = []
        for name in ("summedits", "bump", "wice", "fool_me_twice", "begin_wow", "mtrag"):
            those = [r for r in every if r.set == name][:600]
            read = {id(r.sources): Evidence([s.text for s in r.sources]) for r in those}
            values = scores(scorer, [(r.claim, read[id(r.sources)]) for r in those])
            means.append(auroc([r.label for r in those], values))
            print(f"{name:16} n {len(those):4} AUROC {means[-1]:.1f}")
        print(f"mean of six: {np.mean(means):.1f}")
    (options.kept / "measured.json").write_text(json.dumps({"part": options.part, "weights": str(weights)}))


if __name__ == "__main__":
    main()
