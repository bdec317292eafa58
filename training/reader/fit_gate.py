"""Fits the gate's weights and thresholds on claims that the reader was not taught with, through the package itself.

    PYTHONPATH=../../src:.. python fit_gate.py DATA [--written FOLDER] [--write]

Every twin of the part "tried" is weighed as a user's claim would be: evidence found, window read. A logistic regression over
the reading, and over the share of the claim's words that its sources have, gives the score. Twins are near misses all; what models say
goes astray in other ways too, so half of the labelled sets' kept documents (`Record.weighed`) are read beside them, and
weigh as much together. Thresholds are chosen on the twins alone, on scores of folds that were left out (by passage), each with a
bound that holds for any sample: of false claims at most `SHARE` get a tick, of those called contradicted or unsupported nine
in ten are false.
"""

from __future__ import annotations

import argparse
import sys
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parent.parent))
from claims_data import SETS, balance, records
from parts import part, twins, twins_written
from sklearn.linear_model import LogisticRegression

from footnoted.grounding.agreement import objection
from footnoted.grounding.evidence import window, window_by_meaning
from footnoted.grounding.gate import FITTED, NEVER, Gate, Promise, _logit, fitted_to, mean_logits
from footnoted.grounding.reading import read
from footnoted.grounding.shelf import Shelf
from footnoted.models import EVERY_LANGUAGE, Embedder, Reader
from footnoted.text import sentences
from footnoted.types import Source

# Of a tick: share, how surely. Of claims by writers whom the reader was
# not taught by, up to twice as many pass: to keep 5 % of those, 3 % are promised of these.
SHARE, CONFIDENCE = 0.03, 0.99
SAID = (
    0.95  # how surely the other two verdicts are right in nine and in nineteen of ten and twenty; they are no promise
)
FOLDS = 10


def read_all(claims: list[tuple[str, list[Source]]], reader: Reader, embedder: Embedder | None = None) -> np.ndarray:
    """(n, 5): mean logits of carried and of contradicted, the overlap, the least probability of contradicted, of the
    worst of a claim's sentences; and whether a rule forbids the tick of one of them. With an ``embedder`` evidence that
    shares too few words is found by meaning, as the check does for what is in another language."""
    shelf, made = Shelf(), []
    for claim, sources in claims:
        passages = [shelf.take(source) for source in sources]
        each, forbidden = [], False
        for span in sentences(claim):
            text = claim[span.start : span.end]
            found = window(read(text), passages)
            if embedder is not None and (found is None or found.cover <= Gate.load().near):
                found = window_by_meaning(read(text), passages, embedder)
            if found is None:
                each.append((_logit(0.0), _logit(0.0), 0.0, 0.0))
                continue
            readings = [reader.read(text, evidence) for evidence in found.texts]
            readings = [one for one in readings if one.whole] or readings
            each.append((*mean_logits(readings), found.overlap, min(one.contradicted for one in readings)))
            forbidden |= bool(objection(text, found, passages))
        made.append((*min(each), float(forbidden)))
    return np.array(made)


def covers(rows: list[dict]) -> list[float]:
    """The share of each claim's weight whose words stand in its window: what hardly any true claim is below."""
    shelf = Shelf()
    found = [window(read(row["claim"]), [shelf.take(Source("1", row["passage"]))]) for row in rows]
    return [one.cover if one else 0.0 for one in found]


def bounded(scores: np.ndarray, false: np.ndarray, *, right: float, floor: float, ceiling: float, step: float) -> float:
    """The least strict threshold from ``floor`` on at which the exact bound still says that ``right`` of those said so are
    false; ``NEVER`` where none does. ``step`` < 0 for scores that mean it by being low."""
    best, limit = NEVER if step > 0 else -1.0, floor
    while (limit >= ceiling) if step > 0 else (limit <= ceiling):
        said = scores >= limit if step > 0 else scores <= limit
        n, wrong = int(said.sum()), int((said & ~false).sum())
        if n:
            from math import exp, lgamma, log, log1p

            share = 1 - right
            tail = sum(
                exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(share) + (n - k) * log1p(-share))
                for k in range(wrong + 1)
            )
            if tail <= 1 - SAID:
                best = limit
            elif n > 40 and wrong / n > 2 * share:
                break
        limit -= step
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--written", type=Path, default=Path(__file__).parent.parent / "twins")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    rows = [*twins(options.data), *twins_written(options.written, options.data)]
    english = [r.get("lang", "en") == r.get("source_lang", "en") == "en" for r in rows]
    foreign = [r for r, own in zip(rows, english, strict=True) if not own and part(r["passage"]) == "tried"]
    rows = [r for r, own in zip(rows, english, strict=True) if own]
    every = [r for r in rows if part(r["passage"]) != "exam" and r["label"]]
    rows = [r for r in rows if part(r["passage"]) == "tried"]
    told = read_all([(r["claim"], [Source("1", r["passage"])]) for r in rows], Reader.load())
    labels, features = np.array([r["label"] for r in rows]), told[:, :3]
    beside = [record for record in records(options.data) if record.weighed and record.set in SETS]
    others = read_all([(record.claim, list(record.sources)) for record in beside], Reader.load())[:, :3]
    other_labels = np.array([record.label for record in beside])
    heavy = balance(np.array([record.set for record in beside]), other_labels)

    def regression(chosen: np.ndarray) -> LogisticRegression:
        """The order of both sorts of claims, with the probabilities of twins."""
        weights = np.concatenate([np.full(len(chosen), len(heavy) / len(chosen)), heavy])
        both = np.concatenate([features[chosen], others]), np.concatenate([labels[chosen], other_labels])
        made = LogisticRegression(C=100.0).fit(*both, sample_weight=weights)
        level = LogisticRegression(C=100.0).fit(made.decision_function(features[chosen])[:, None], labels[chosen])
        made.coef_ = made.coef_ * level.coef_[0, 0]
        made.intercept_ = made.intercept_ * level.coef_[0, 0] + level.intercept_
        return made

    fold = np.array([zlib.crc32(r["passage"].encode()) % FOLDS for r in rows])
    scores = np.zeros(len(rows))
    for one in range(FOLDS):
        fitted = regression(np.flatnonzero(fold != one))
        scores[fold == one] = fitted.predict_proba(features[fold == one])[:, 1]
    ticked = np.where(told[:, 4] > 0, 0.0, scores)  # what a rule forbids passes at no threshold
    final = regression(np.arange(len(rows)))
    (carried, contradicted, overlap), shift = final.coef_[0], final.intercept_[0]
    false = labels == 0
    near = float(np.quantile(covers(every), 0.005))
    claims = [(r["claim"], [Source("1", r["passage"])]) for r in foreign]
    away = read_all(claims, Reader.load(EVERY_LANGUAGE), Embedder.load())
    abroad = LogisticRegression(C=10.0).fit(away[:, :3], np.array([r["label"] for r in foreign]))
    gate = Gate(
        carried=round(float(carried), 4),
        contradicted_weight=round(float(contradicted), 4),
        overlap=round(float(overlap), 4),
        shift=round(float(shift), 4),
        supported=NEVER,
        unsupported=round(bounded(scores, false, right=0.95, floor=0.02, ceiling=0.45, step=-0.01), 4),
        contradicted=round(bounded(told[:, 3], false, right=0.9, floor=0.99, ceiling=0.5, step=0.01), 4),
        near=round(near, 4),
        elsewhere=tuple(round(float(weight), 4) for weight in (*abroad.coef_[0], *abroad.intercept_)),
        disagree=NEVER,  # sentences of two matters exclude each other to the reader: 13 days for one, 3 for the other
        promise=Promise(SHARE, CONFIDENCE, int(false.sum())),
    )
    curve = [
        (
            round(float(limit), 4),
            round(float(false[scores >= limit].mean()), 4),
            round(float((scores >= limit).mean()), 4),
        )
        for limit in np.quantile(scores, np.linspace(0, 0.95, 20))
    ]
    gate = replace(gate, curve=tuple(curve))
    gate = fitted_to(gate, list(ticked[~false]), list(ticked[false]), share=SHARE, confidence=CONFIDENCE)
    order = np.argsort(np.argsort(scores)) + 1
    true = int((~false).sum())
    area = (order[~false].sum() - true * (true + 1) / 2) / (true * int(false.sum()))
    bins = np.quantile(scores, np.linspace(0, 1, 11))
    place = np.clip(np.searchsorted(bins, scores, side="right") - 1, 0, 9)
    error = sum(
        abs(scores[place == b].mean() - labels[place == b].mean()) * (place == b).mean()
        for b in range(10)
        if (place == b).any()
    )
    print(f"{true} true and {false.sum()} false claims: AUROC {100 * area:.1f}, calibration error {error:.3f}")
    print(
        f"a rule forbids the tick of {told[~false, 4].mean():.1%} of the true and of {told[false, 4].mean():.1%} of the false"
    )
    print(gate.as_json())
    if options.write:
        (FITTED / "gate.json").write_text(gate.as_json())


if __name__ == "__main__":
    main()
