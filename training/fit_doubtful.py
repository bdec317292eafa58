"""Claims with labelled tokens in; how words that the evidence does not carry are told (``fitted/doubtful.json``) out.

    python training/fit_doubtful.py DATA [--write]

WiCE's spans, without the documents kept aside. The threshold is the one with the best F1 over claims whose documents
were left out of the fit; only tokens of claims the check does not call supported can be pointed at, so only theirs
are counted as pointed at. Needs scikit-learn. About three minutes.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from claims_data import Record, records
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from footnoted.encoder import Encoder
from footnoted.grounding.check import Checker
from footnoted.grounding.doubtful import NAMES, measures
from footnoted.grounding.reading import FITTED
from footnoted.grounding.scales import weigh
from footnoted.grounding.shelf import Shelf

THRESHOLDS = np.arange(0.2, 0.61, 0.02)


def words(found: list[Record]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Of every word: its measures, whether it is unsupported, its claim, whether the claim may be pointed at."""
    encoder, shelf = Encoder.load(), Shelf()
    checker = Checker(shelf=shelf)
    rows, truth, claims, open_ = [], [], [], []
    for number, record in enumerate(found):
        weighed = weigh(record.claim, record.sources, range(len(record.sources)), shelf=shelf, encoder=encoder)
        told = checker.check(record.claim, record.sources).ruling != "supported"
        rows += measures(weighed.claim, weighed.alignment)
        for word in weighed.claim.words:
            truth.append(any(start < word.end and word.start < end for start, end in record.wrong[0] or []))
            claims.append(number)
            open_.append(told)
        if number % 50 == 0:
            print("reading", number, "of", len(found), flush=True)
    return np.array(rows), np.array(truth), np.array(claims), np.array(open_)


def f1(truth: np.ndarray, said: np.ndarray) -> float:
    return float(200 * (truth & said).sum() / max(1, truth.sum() + said.sum()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    labelled = [r for r in records(options.data) if r.set == "wice_spans" and len(r.sentences) == 1]
    found = [r for r in labelled if r.wrong[0] is not None and r.fold]
    rows, truth, claims, open_ = words(found)
    docs = np.array([found[number].doc for number in claims])
    chances = np.zeros(len(rows))
    for seen, left in GroupKFold(5).split(rows, groups=docs):
        chances[left] = fitted(rows[seen], truth[seen]).predict_proba(rows[left])[:, 1]
    scores = {float(t): f1(truth, (chances >= t) & open_) for t in THRESHOLDS}
    threshold = max(scores, key=scores.__getitem__)
    plain = rows[:, NAMES.index("uncovered")] > 0
    print(f"{len(found)} claims, cross-fitted: F1 of words {scores[threshold]:.1f} at {threshold:.2f}", end="; ")
    print(f"of words that stand nowhere in the evidence {f1(truth, plain & open_):.1f}")
    if options.write:
        model = fitted(rows, truth)
        weights = {name: round(float(w), 4) for name, w in zip(NAMES, model.coef_[0], strict=True)}
        told = {"weights": weights, "bias": round(float(model.intercept_[0]), 4), "threshold": round(threshold, 2)}
        (FITTED / "doubtful.json").write_text(json.dumps(told, indent=1) + "\n")


def fitted(rows: np.ndarray, truth: np.ndarray) -> LogisticRegression:
    return LogisticRegression(C=10, max_iter=2000).fit(rows, truth)


if __name__ == "__main__":
    main()
