"""Labelled claims in; the risk–coverage curve of the check out (``grounding/fitted/risk.json``).

    python training/fit_risk.py ../shared/data [--write]

Only the fifth of the documents that `fit_classifier.py` keeps aside is used. A point says: of the claims whose
score is at least this, what share is not carried by its sources (risk), and what share of all claims they are
(coverage); cf. El-Yaniv & Wiener, JMLR 11 (2010). Run it again whenever the classifier changes.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from claims_data import records

from footnoted.grounding.check import Checker
from footnoted.grounding.reading import FITTED

STEPS = 50


def scored(data: Path) -> list[tuple[float, int]]:
    """``(score, label)`` of every claim that is one sentence of a document kept aside."""
    checker = Checker()
    kept = [record for record in records(data) if record.fold == 0 and len(record.sentences) == 1]
    found = []
    for number, record in enumerate(kept):
        verdict = checker.check(record.claim, record.sources)
        score = verdict.score if verdict.ruling in ("supported", "partial") and verdict.score is not None else 0.0
        found.append((score, record.label))
        if number % 200 == 199:
            print(f"{number + 1} of {len(kept)}", flush=True)
    return found


def curve(found: list[tuple[float, int]]) -> list[tuple[float, float, float]]:
    """Points ``(score, risk, coverage)``, scores rising; risk never rises with the score."""
    scores = sorted({round(score, 3) for score, _ in found if score > 0})
    chosen = sorted({scores[min(len(scores) - 1, i * len(scores) // STEPS)] for i in range(STEPS + 1)})
    points = []
    least = 1.0
    for at in chosen:
        labels = [label for score, label in found if score >= at]
        least = min(least, labels.count(0) / len(labels))
        points.append((at, round(least, 4), round(len(labels) / len(found), 4)))
    return points


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--write", action="store_true", help="replace the curve that ships")
    options = parser.parse_args()
    found = scored(options.data)
    points = curve(found)
    for score, risk, coverage in points:
        print(f"score >= {score:.3f}   risk {100 * risk:5.1f} %   coverage {100 * coverage:5.1f} %")
    if options.write:
        told = {"claims": len(found), "curve": points}
        (FITTED / "risk.json").write_text(json.dumps(told) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
