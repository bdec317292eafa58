"""Labelled cases in; the weights of footnoted.relevance, and their cross-validated figures, out. Needs scikit-learn."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
from extractive import FOLDS, Case, Outcome, bm25, table
from sklearn.linear_model import LogisticRegression

import footnoted.relevance
from footnoted.encoder import Encoder
from footnoted.relevance import EncoderLikeness, Scored, rank
from footnoted.relevance.rank import answer_features, answer_table

ORDER_WEIGHT = {
    "clapnq": 4.0,
    "squad2": 1.0,
    "xquad": 1.0,
    "covid": 1.5,
    "clapnq8": 2.0,
    "squad8": 1.0,
    "swapped8": 0.0,
}
ANSWER_WEIGHT = {
    "answer": {"clapnq": 0.6, "squad2": 1.0},
    "answer_many": {"clapnq8": 1.0, "squad8": 1.0, "swapped8": 1.5},
}
# The network knows what questions made to deceive take for granted; that real ones are not refused for it weighs more.
ANSWER_WEIGHT_READ = {**ANSWER_WEIGHT, "answer": {"clapnq": 1.0, "squad2": 1.0}}
# Where several sources were searched, telling what they do not say is worse than refusing what they do.
MISTAKE = {"answer_many": 1.25}
ORDER_C, ANSWER_C = 0.02, 0.01
# What says nothing of one sentence against another, or what a set's own habits could ride on (lengths).
NOT_ORDER = {"asked_not", "asked_words", "typed", "open"}
NOT_ANSWER = {"best_length", "best_bm25", "best_bm25_gap", "best_cover_rel", "best_rare", "best_early", "best_asks"}
HARDEST = 15


@dataclasses.dataclass
class Seen:
    """One case, its sentences with all features, which are gold, and BM25's figures."""

    case: Case
    ranked: list[Scored]
    gold: np.ndarray
    floor: tuple[list[bool], float]


def run(cases: list[Case], *, write: bool, validate: bool) -> None:
    where = Path(footnoted.relevance.__file__).with_name("weights.json")
    weights = json.loads(where.read_text(encoding="utf-8"))
    plain = [look(case, None) for case in cases]
    if write:
        weights = {**weights, **fit([one for one in plain if one.case.fold], "")}
        save(where, weights)
        rank.__globals__["_weights"].cache_clear()
    encoder = Encoder(threads=1, kept_bytes=2 << 30)
    liked = [look(case, EncoderLikeness(encoder, reading=False)) for case in cases]
    if write:
        weights = {**weights, **fit([one for one in liked if one.case.fold], "_likened")}
        save(where, weights)
        rank.__globals__["_weights"].cache_clear()
    held = [look(case, EncoderLikeness(encoder)) for case in cases]
    if write:
        weights = {**weights, **fit_read([one for one in held if one.case.fold])}
        save(where, weights)
        rank.__globals__["_weights"].cache_clear()
    if validate:
        table(validated(plain, ""), "cross-validated, five folds of articles")
        table(validated(liked, "_likened"), "cross-validated, with the encoder")
        table(validated(held, "_read"), "with the network's verdict: answers cross-validated, the order as shipped")


def look(case: Case, likeness: EncoderLikeness | None) -> Seen:
    ranked = rank(case.question, case.sources, likeness=likeness)
    gold = np.array([case.is_gold(one.source_index, one.start, one.end) for one in ranked], dtype=bool)
    return Seen(case, ranked, gold, bm25(case))


def save(where: Path, weights: dict) -> None:
    rounded = {name: {key: round(value, 4) for key, value in table.items()} for name, table in weights.items()}
    where.write_text(json.dumps(rounded, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def fit(seen: list[Seen], suffix: str) -> dict[str, dict[str, float]]:
    order = fit_order(seen)
    answers = {
        f"{name}{suffix}": fit_answer(seen, order, parts, MISTAKE.get(f"{name}{suffix}", 1.0))
        for name, parts in ANSWER_WEIGHT.items()
    }
    return {f"order{suffix}": order, **answers}


def fit_read(seen: list[Seen]) -> dict[str, dict[str, float]]:
    """Answers alone: the network reads the first sentence of the order that ships."""
    return {
        f"{name}_read": fit_answer(seen, None, parts, MISTAKE.get(name, 1.0))
        for name, parts in ANSWER_WEIGHT_READ.items()
    }


def fit_order(seen: list[Seen]) -> dict[str, float]:
    """Pairwise logistic regression: gold sentences against the hardest others of the same question."""
    names = [name for name in seen[0].ranked[0].features if name not in NOT_ORDER]
    rows, whole, weights = [], [], []
    for one in seen:
        if not ORDER_WEIGHT[one.case.set] or not one.gold.any() or one.gold.all():
            continue
        matrix = np.array([[each.features[name] for name in names] for each in one.ranked])
        whole.append(matrix)
        hard = np.argsort([-each.features["bm25"] for each in one.ranked])
        others = matrix[[i for i in hard if not one.gold[i]][:HARDEST]]
        best = matrix[[i for i in hard if one.gold[i]][:2]]
        rows.append((best[:, None] - others[None]).reshape(-1, len(names)))
        weights += [ORDER_WEIGHT[one.case.set] * 5 / len(rows[-1])] * len(rows[-1])
    differences = np.vstack(rows)
    scale = np.vstack(whole).std(axis=0) + 1e-6
    sign = np.where(np.arange(len(differences)) % 2, 1, -1)
    model = LogisticRegression(C=ORDER_C, fit_intercept=False, max_iter=2000)
    model.fit(differences / scale * sign[:, None], sign, np.array(weights))
    return dict(zip(names, (model.coef_[0] / scale).tolist(), strict=True))


def fit_answer(
    seen: list[Seen], order: dict[str, float] | None, parts: dict[str, float], mistake: float
) -> dict[str, float]:
    """Logistic regression over what the best sentences hold; each set and side weighs as agreed above."""
    used = [one for one in seen if one.case.set in parts and one.ranked]
    held = [answer_features(one.ranked if order is None else reordered(one.ranked, order)) for one in used]
    names = [name for name in held[0] if name not in NOT_ANSWER]
    matrix = np.array([[each[name] for name in names] for each in held])
    truth = np.array([one.case.answerable for one in used])
    sets = np.array([one.case.set for one in used])
    weights = np.zeros(len(used))
    for name, weight in parts.items():
        for side in (True, False):
            mask = (sets == name) & (truth == side)
            weights[mask] = 1000 * weight * (1.0 if side else mistake) / max(1, mask.sum())
    mean, scale = matrix.mean(axis=0), matrix.std(axis=0) + 1e-6
    model = LogisticRegression(C=ANSWER_C, max_iter=2000).fit((matrix - mean) / scale, truth, weights)
    slopes = model.coef_[0] / scale
    return {"": float(model.intercept_[0] - slopes @ mean), **dict(zip(names, slopes.tolist(), strict=True))}


def reordered(ranked: list[Scored], order: dict[str, float]) -> list[Scored]:
    again = [
        dataclasses.replace(one, score=sum(order.get(name, 0.0) * value for name, value in one.features.items()))
        for one in ranked
    ]
    return sorted(again, key=lambda one: -one.score)


def validated(seen: list[Seen], suffix: str) -> list[Outcome]:
    """Every case judged by weights fitted on the other folds."""
    outcomes = []
    for fold in range(FOLDS):
        others = [one for one in seen if one.case.fold != fold]
        weights = fit_read(others) if suffix == "_read" else fit(others, suffix)
        for one in seen:
            if one.case.fold == fold:
                answer = weights[f"{answer_table(one.ranked)}{suffix}"]
                outcomes.append(judged(one, weights.get(f"order{suffix}"), answer))
    return outcomes


def judged(one: Seen, order: dict[str, float] | None, answer: dict[str, float]) -> Outcome:
    ranked = one.ranked if order is None else reordered(one.ranked, order)
    gold = [one.case.is_gold(each.source_index, each.start, each.end) for each in ranked[:3]]
    held = answer_features(ranked) if ranked else {}
    log_odds = answer[""] + sum(answer.get(name, 0.0) * value for name, value in held.items())
    chance = 1 / (1 + np.exp(-log_odds)) if ranked else 0.0
    flags, score = one.floor
    return Outcome(one.case, any(gold[:1]), any(gold), float(chance), any(flags[:1]), any(flags), score)
