"""Weighs twins so that the claim alone says nothing about its label.

A bag of words over the claims, fitted on other passages, tells a true sentence from its twin more often than not: writers
of false sentences say "because", "which" and "every" more often. A reader would learn that too. Pairs that give
themselves away weigh less, and those that mislead weigh more, until the bag is at AUROC 50 (cf. Clark et al. 2019).
"""

from __future__ import annotations

import zlib
from collections import defaultdict

import numpy as np


def style(rows: list[dict]) -> np.ndarray:
    """How true each claim sounds (log-odds), by a bag of words fitted on the passages of four other fifths."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    fold = np.array([zlib.crc32(f"style {r['passage']}".encode()) % 5 for r in rows])
    labels, scores = np.array([r["label"] for r in rows]), np.zeros(len(rows))
    for one in range(5):
        bag = TfidfVectorizer(ngram_range=(1, 2), min_df=2, sublinear_tf=True)
        known = bag.fit_transform([r["claim"] for r, f in zip(rows, fold, strict=True) if f != one])
        fitted = LogisticRegression(max_iter=300).fit(known, labels[fold != one])
        asked = bag.transform([r["claim"] for r, f in zip(rows, fold, strict=True) if f == one])
        scores[fold == one] = fitted.decision_function(asked)
    return scores


def weights(rows: list[dict]) -> dict[str, float]:
    """A weight by pair, mean 1."""
    scores, both = style(rows), defaultdict(dict)
    for row, score in zip(rows, scores, strict=True):
        both[row["pair"]][row["label"]] = score
    both = {pair: scored for pair, scored in both.items() if len(scored) == 2}
    gap = np.array([scored[1] - scored[0] for scored in both.values()])
    true, false = (np.array([scored[label] for scored in both.values()]) for label in (1, 0))
    low, high = 0.0, 3.0
    for _ in range(20):  # how strongly: until the weighted bag is a coin
        much = (low + high) / 2
        heavy = np.exp(-much * gap / gap.std())
        low, high = (much, high) if _auroc(true, false, heavy) > 0.5 else (low, much)
    heavy /= heavy.mean()
    print(
        f"claims alone: AUROC {100 * _auroc(true, false, np.ones(len(gap))):.1f}, weighted {100 * _auroc(true, false, heavy):.1f}"
    )
    return dict(zip(both, map(float, heavy), strict=True))


def _auroc(true, false, heavy) -> float:
    order = np.argsort(false)
    below = np.concatenate([[0.0], np.cumsum(heavy[order])])
    return float((heavy * below[np.searchsorted(false[order], true)]).sum() / heavy.sum() ** 2)
