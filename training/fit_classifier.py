"""Labelled claims in; the frozen classifier of the check and the calibration of an answer's confidence out.

    python training/fit_classifier.py DATA [--rows rows.pickle] [--write]

Fold 0 of the documents is kept aside from everything and is what the last line of figures is of. Every third record
is weighed a second time among passages about something else, because that is how sources come. What was read and
weighed is kept in the two pickles, so that a run that was stopped goes on. Needs scikit-learn.
"""

from __future__ import annotations

import argparse
import json
import pickle
import random
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from claims_data import SETS, Record, records
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from footnoted.encoder import Encoder
from footnoted.encoder.entailment import Comparing
from footnoted.grounding.calibration import _SURE
from footnoted.grounding.exact import decide
from footnoted.grounding.features import LEXICAL, READ, SEMANTIC, features
from footnoted.grounding.reading import FITTED, read
from footnoted.grounding.scales import weigh
from footnoted.grounding.shelf import Shelf, gather
from footnoted.types import Source

TREES = {"max_iter": 150, "learning_rate": 0.05, "max_leaf_nodes": 8, "min_samples_leaf": 30, "l2_regularization": 5.0}
AMID, CROWDS = 3, (2, 6, 12, 24, 40)  # one record in so many; how many passages stand around it
PLATEAU = 0.4
RULED = {"supported": 0.97, "contradicted": 0.03, "unsupported": 0.03}  # the scores of the exact tier
SHARE = {"begin_wow": 0.7, "wice_spans": 0.7, "mtrag": 1.0}  # of a set in the fit; the others count 1


@dataclass
class Row:
    """One sentence: features, label (-1 unknown), whose record it is, what the exact tier says.

    ``twin`` is -1, or which row is the same sentence without the passages about something else.
    """

    record: int
    values: list[float]
    label: int
    exact: str
    twin: int = -1


def warm(found: list[Record], cache: Path) -> tuple[Encoder, Shelf]:
    """An encoder and a shelf that have read every source; the reading is kept in ``cache``."""
    encoder, shelf = Encoder(threads=1, kept_bytes=3 << 30), Shelf(400_000_000)
    if cache.exists():
        encoder._kept, shelf._kept = pickle.loads(cache.read_bytes())
        return encoder, shelf
    for number, record in enumerate(found):
        for source in record.sources:
            shelf.prepare(source, encoder)
            encoder._kept.clear()
            encoder._kept_bytes = 0
        if number % 500 == 0:
            print("reading", number, "of", len(found), flush=True)
    for record in found:
        vectors = encoder.sentences(record.sentences)
        for sentence, vector in zip(record.sentences, vectors, strict=True):
            shelved = [shelf.prepare(source, encoder) for source in record.sources]
            chosen = gather(read(sentence), shelved, vector, encoder)
            encoder.encode([one.reading.text for one in chosen])
    cache.write_bytes(pickle.dumps((encoder._kept, shelf._kept)))
    return encoder, shelf


def rows(found: list[Record], cache: Path) -> list[Row]:
    """Weigh every sentence; of every third record also among passages of other documents."""
    encoder, shelf = warm(found, cache)
    comparing = Comparing.load()
    dice = random.Random(1)
    strange = [s.text[:1200] for record in found if record.set in ("bump", "summedits") for s in record.sources]
    strange = list(dict.fromkeys(strange))
    made: list[Row] = []
    for number, record in enumerate(found):
        passages = [record.sources]
        if number % AMID == 0 and record.set in SETS:
            drawn = [Source(id=f"n{i}", text=t) for i, t in enumerate(dice.sample(strange, dice.choice(CROWDS)))]
            others = [one for one in drawn if all(one.text[:60] not in s.text for s in record.sources)]
            passages.append([*others, *record.sources])
        for sentence, label in zip(record.sentences, record.labels, strict=True):
            twin = -1
            for sources in passages:
                weighed = weigh(sentence, sources, range(len(sources)), shelf=shelf, encoder=encoder)
                verdict = decide(weighed)
                ruling = verdict.ruling if verdict else ""
                made.append(
                    Row(
                        number,
                        features(weighed, weighed.entailment(comparing)),
                        -1 if label is None else label,
                        ruling,
                        twin,
                    )
                )
                twin = len(made) - 1
        if number % 500 == 0:
            print(number, "of", len(found), flush=True)
    return made


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


def balance(found: list[Record], made: list[Row], labels: np.ndarray) -> np.ndarray:
    """Every set, and in it either label, weighs the same."""
    names = np.array([found[row.record].set for row in made])
    weights = np.zeros(len(made))
    for name in set(names):
        for label in (0, 1):
            chosen = (names == name) & (labels == label)
            if chosen.any():
                weights[chosen] = SHARE.get(name, 1.0) / chosen.sum()
    return weights / weights[weights > 0].mean()


def worst(found: list[Record], made: list[Row], scores: np.ndarray) -> np.ndarray:
    """A record's score: that of its worst sentence, read without passages about something else."""
    lowest = np.full(len(found), np.inf)
    plain = [place for place, row in enumerate(made) if row.twin < 0]
    np.minimum.at(lowest, [made[place].record for place in plain], scores[plain])
    return np.where(np.isfinite(lowest), lowest, 0.0)


def cross_fitted(found: list[Record], made: list[Row]) -> tuple[np.ndarray, np.ndarray]:
    """Raw scores of every sentence by a fit without its fold; unknown labels of wrong records are found on the way.

    A record that is wrong somewhere unknown is taken to be wrong in its lowest sentence.
    """
    values = np.array([row.values for row in made])
    labels = np.array([row.label for row in made])
    folds = np.array([found[row.record].fold for row in made])
    raw = np.zeros(len(made))
    for _ in range(2):
        weights = balance(found, made, labels)
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
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("--cache", type=Path, default=Path("sources.pickle"))
    parser.add_argument("--rows", type=Path, default=Path("rows.pickle"))
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    found = records(options.data)
    if options.rows.exists():
        made = pickle.loads(options.rows.read_bytes())
    else:
        made = rows(found, options.cache)
        options.rows.write_bytes(pickle.dumps(made))
    raw, labels = cross_fitted(found, made)
    truth = np.array([record.label for record in found])
    aside = np.array([record.fold == 0 for record in found])
    folds = np.array([found[row.record].fold for row in made])
    weights = balance(found, made, labels)
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
        values = np.array([row.values for row in made])
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
