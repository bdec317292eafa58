"""Labelled claims beside their evidence in; the frozen classifier of the check and an answer's confidence out.

    python training/fit_classifier.py DATA KEPT [--write]

Reads what `weigh_claims.py` and `tune_network.py` left. Fold 0 of the documents is kept aside from everything and is
what the last line of figures is of. Needs scikit-learn.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from claims_data import SETS, Record, balance, records
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from weigh_claims import Row, kept

from footnoted.grounding.calibration import _SURE
from footnoted.grounding.features import LEXICAL, READ, SEMANTIC
from footnoted.grounding.reading import FITTED

TREES = {
    "max_iter": 250,
    "learning_rate": 0.03,
    "max_leaf_nodes": 6,
    "min_samples_leaf": 40,
    "l2_regularization": 20.0,
    "max_features": 0.3,
}
PLATEAU = 0.4
RULED = {"supported": 0.97, "contradicted": 0.03, "unsupported": 0.03}  # the scores of the exact tier


def readings(folder: Path, count: int) -> np.ndarray:
    """What networks that never saw a row's document read of it (n, 4)."""
    found = np.zeros((count, len(READ)))
    for fold in range(5):
        told = np.load(folder / f"read-{fold}.npz")
        found[told["places"]] = told["read"]
    return found


class Fit:
    """The two halves fitted together, and their joint raw score."""

    def __init__(self, values: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> None:
        self.scaler = StandardScaler().fit(values)
        self.linear = LogisticRegression(C=0.1, max_iter=3000)
        self.linear.fit(self.scaler.transform(values), labels, sample_weight=weights)
        self.trees = HistGradientBoostingClassifier(**TREES, random_state=0)
        self.trees.fit(values, labels, sample_weight=weights)

    def raw(self, values: np.ndarray) -> np.ndarray:
        linear = self.linear.decision_function(self.scaler.transform(values))
        return 0.5 * (linear + self.trees.decision_function(values))

    def frozen(self) -> dict:
        feature, threshold, left, right, value, roots, depth = [], [], [], [], [], [], 0
        for (tree,) in self.trees._predictors:
            base = len(feature)
            roots.append(base)
            depth = max(depth, int(tree.nodes["depth"].max()))
            for place, node in enumerate(tree.nodes):
                leaf = bool(node["is_leaf"])
                feature.append(0 if leaf else int(node["feature_idx"]))
                threshold.append(0.0 if leaf else _short(node["num_threshold"]))
                left.append(base + (place if leaf else int(node["left"])))
                right.append(base + (place if leaf else int(node["right"])))
                value.append(_short(node["value"]) if leaf else 0.0)
        return {
            "names": [*LEXICAL, *SEMANTIC, *READ],
            "mean": [_short(x) for x in self.scaler.mean_],
            "scale": [_short(x) for x in self.scaler.scale_],
            "weights": [_short(x) for x in self.linear.coef_[0]],
            "bias": _short(self.linear.intercept_[0]),
            "trees": {
                "feature": feature,
                "threshold": threshold,
                "left": left,
                "right": right,
                "value": value,
                "roots": roots,
                "depth": depth,
                "bias": _short(np.ravel(self.trees._baseline_prediction)[0]),
            },
        }


def _short(number: float) -> float:
    return float(f"{number:.7g}")


def worst(found: list[Record], made: list[Row], scores: np.ndarray) -> np.ndarray:
    """A record's score: that of its worst sentence, read without passages about something else."""
    lowest = np.full(len(found), np.inf)
    plain = [place for place, row in enumerate(made) if row.twin < 0]
    np.minimum.at(lowest, [made[place].record for place in plain], scores[plain])
    return np.where(np.isfinite(lowest), lowest, 0.0)


def cross_fitted(found: list[Record], made: list[Row], values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Raw scores of every sentence by a fit without its fold; unknown labels of wrong records are found on the way.

    A record that is wrong somewhere unknown is taken to be wrong in its lowest sentence.
    """
    labels = np.array([row.label for row in made])
    names = np.array([found[row.record].set for row in made])
    folds = np.array([found[row.record].fold for row in made])
    raw = np.zeros(len(made))
    for _ in range(2):
        weights = balance(names, labels)
        for fold in range(5):
            seen = (folds != fold) & (folds != 0) & (labels >= 0)
            fit = Fit(values[seen], labels[seen], weights[seen])
            raw[folds == fold] = fit.raw(values[folds == fold])
        lowest = worst(found, made, raw)
        for place, row in enumerate(made):
            if row.label < 0:
                mine = place if row.twin < 0 else row.twin
                labels[place] = 0 if raw[mine] == lowest[row.record] else -1
    return raw, labels


def balanced(labels: np.ndarray, scores: np.ndarray, threshold: float) -> float:
    return 0.5 * ((scores[labels == 1] >= threshold).mean() + (scores[labels == 0] < threshold).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("kept", type=Path)
    parser.add_argument("--write", action="store_true", help="replace what ships in the package")
    options = parser.parse_args()
    found, made = records(options.data), kept(options.kept)
    values = np.hstack([[row.values for row in made], readings(options.kept, len(made))])
    raw, labels = cross_fitted(found, made, values)
    truth = np.array([record.label for record in found])
    aside = np.array([record.fold == 0 for record in found])
    folds = np.array([found[row.record].fold for row in made])
    weights = balance(np.array([found[row.record].set for row in made]), labels)
    fitted = (labels >= 0) & (folds != 0)
    platt = LogisticRegression(C=1e6).fit(raw[fitted][:, None], labels[fitted], sample_weight=weights[fitted])
    slope, shift = float(platt.coef_[0, 0]), float(platt.intercept_[0])
    scores = 1 / (1 + np.exp(-(slope * raw + shift)))
    scores = np.array([RULED.get(row.exact, score) for row, score in zip(made, scores, strict=True)])
    threshold = told(found, truth, worst(found, made, scores), aside)
    turned = [
        (scores[place] >= threshold) != (scores[row.twin] >= threshold)
        for place, row in enumerate(made)
        if row.twin >= 0
    ]
    print(f"passages about something else turn {100 * np.mean(turned):.1f} % of {len(turned)} sentences")
    confidence = calibrated(found, made, scores, truth, aside)
    if options.write:
        final = Fit(values[fitted], labels[fitted], weights[fitted]).frozen()
        final |= {"slope": slope, "shift": shift, "threshold": threshold}
        (FITTED / "classifier.json").write_text(json.dumps(final, separators=(",", ":")) + "\n")
        (FITTED / "confidence.json").write_text(json.dumps(confidence) + "\n")


def told(found: list[Record], truth: np.ndarray, scores: np.ndarray, aside: np.ndarray) -> float:
    """The threshold, found without fold 0; prints what it gives.

    The mean of the sets is nearly the same over a wide stretch of thresholds; of those within ``PLATEAU`` points of
    the best, the highest lets the least through.
    """
    names = np.array([record.set for record in found])

    def by_set(threshold: float, chosen: np.ndarray) -> dict[str, float]:
        parts = {name: chosen & (names == name) for name in SETS}
        return {name: 100 * balanced(truth[part], scores[part], threshold) for name, part in parts.items()}

    means = {float(t): float(np.mean(list(by_set(t, ~aside).values()))) for t in np.linspace(0.1, 0.8, 141)}
    threshold = max(t for t, mean in means.items() if mean >= max(means.values()) - PLATEAU)
    for title, chosen in (("cross-fitted", ~aside), ("kept aside", aside)):
        figures = by_set(threshold, chosen)
        print(f"{title}: threshold {threshold:.3f} mean {np.mean(list(figures.values())):.1f}", end="  ")
        print("  ".join(f"{name} {figure:.1f}" for name, figure in figures.items()))
    return threshold


def calibrated(
    found: list[Record], made: list[Row], scores: np.ndarray, truth: np.ndarray, aside: np.ndarray
) -> dict[str, float]:
    """How an answer's claims' scores become one probability; every labelled answer counts the same."""
    inside = np.clip(scores, 1 - _SURE, _SURE)
    logits = np.log(inside / (1 - inside))
    own: list[list[float]] = [[] for _ in found]
    for place, row in enumerate(made):
        if row.twin < 0:
            own[row.record].append(logits[place])
    given = np.array([[min(x), np.mean(x), np.log(len(x))] if x else [0.0, 0.0, 0.0] for x in own])
    counted = np.array([record.set in SETS for record in found])
    seen = counted & ~aside
    fit = LogisticRegression(C=10).fit(given[seen], truth[seen])
    for title, chosen in (("cross-fitted", seen), ("kept aside", counted & aside)):
        sure = fit.predict_proba(given[chosen])[:, 1]
        bins = np.array_split(np.argsort(sure, kind="stable"), 10)
        error = sum(abs(sure[b].sum() - truth[chosen][b].sum()) for b in bins) / chosen.sum()
        print(f"calibration error of an answer's confidence, {title}: {error:.3f}")
    least, mean, count = (_short(x) for x in fit.coef_[0])
    return {"least": least, "mean": mean, "count": count, "shift": _short(fit.intercept_[0])}


if __name__ == "__main__":
    main()
