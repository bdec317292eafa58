"""What reading sentences and passages together with the question adds to the measures: two small fits.

The order: of the best sentences each is read (`rank.closely`), and a weight says how much of that counts beside the measures. The chance
of an answer: the odds so far, and those of the best sentence and of its passage, read. Both once for what is in English and
once for what is not, which other networks read. `fit_relevance.py` calls it, with ``--read`` after a new reader and no more
than that.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.linear_model import LogisticRegression

from footnoted.providers.extractive import THRESHOLD
from footnoted.retrieval.relevance import Scored, ShippedMeaning, passage_of
from footnoted.retrieval.relevance.logistic import odds_of
from footnoted.retrieval.relevance.meaning import in_english
from footnoted.retrieval.relevance.rank import _CLOSELY, alone, answer_features, closely, read_features

READ = {"people": 3.0, "asked": 2.0, "xquad": 1.5, "across": 1.0}  # the sets, and how much each weighs
READ_C = 0.1
FEWEST = 100  # questions that something is fitted on
REFUSED = 0.08  # of people's questions with an answer, the share that may be refused; of near misses as many are told
STEPS = np.linspace(0.0, 3.0, 61)


def reading(
    seen: list, ranked: Callable[[list], list[Scored]], answer: dict[str, float], reads: ShippedMeaning
) -> dict[str, dict[str, float]]:
    """The weights ``order_read`` and ``read``, and ``…_foreign``, fitted on questions as `fit_relevance` holds them."""
    used = [(one, ranked(found), found, gold) for one, found, gold in seen if one.set in READ]
    weights = {}
    for english, suffix in ((True, ""), (False, "_foreign")):
        some = [row for row in used if _is_english(row[0].question, row[1], row[0].sources) == english]
        if len(some) < FEWEST:  # what was fitted before stays
            continue
        weights |= {name + suffix: told for name, told in _read(some, answer, reads).items()}
    return weights


def _is_english(question: str, best: list[Scored], sources: list) -> bool:
    return in_english(question, [alone(each.sentence, sources) for each in best[:_CLOSELY]])


def _read(used: list, answer: dict[str, float], reads: ShippedMeaning) -> dict[str, dict[str, float]]:
    held = []
    for one, best, found, gold in used:
        flags = {(s.source_index, s.start): bool(g) for (s, _), g in zip(found, gold, strict=True)}
        question = one.question  # alone: with the one before it, what answered that answers both
        said = reads.answers(question, closely(question, best, one.sources))
        held.append((one, best, [odds_of(each) for each in said], [flags[b.source_index, b.start] for b in best]))
    order = in_order(held)
    return {"order_read": order, "read": answered(held, order["read"] / order["score"], answer, reads)}


def in_order(held: list) -> dict[str, float]:
    """What a measure's score and a reading's odds count: their proportion puts gold first most often, their size is likeliest."""
    rows = [
        (one.set, np.array([b.score for b in best[: len(said)]]), np.array(said), np.array(gold[: len(said)]))
        for one, best, said, gold in held
        if any(gold[: len(said)]) and not all(gold[: len(said)])
    ]
    asked = {name: sum(one.set == name and any(gold) for one, _, _, gold in held) for name in READ}
    asked = {name: count for name, count in asked.items() if count}

    def likelihood(size: float, weight: float) -> float:
        found: dict[str, list[float]] = {name: [] for name in asked}
        for name, score, said, gold in rows:
            total = size * (score + weight * said)
            shares = np.exp(total - total.max())
            found[name].append(float(np.log(shares[gold].sum() / shares.sum() + 1e-9)))
        return sum(READ[name] * float(np.mean(each)) for name, each in found.items() if each)

    best = (-1.0, 0.0)
    for weight in STEPS:
        first = dict.fromkeys(asked, 0)
        for name, score, said, gold in rows:
            first[name] += bool(gold[int((score + weight * said).argmax())])
        shares = {name: first[name] / count for name, count in asked.items()}
        best = max(best, (sum(READ[name] * share for name, share in shares.items()), float(weight)))
        if round(weight * 20) % 10 == 0:
            shown = ", ".join(f"{name} {share:.1%}" for name, share in shares.items())
            print(f"reading counts {weight:.1f} times as much: gold first {shown}", flush=True)
    size = max(STEPS[1:], key=lambda each: likelihood(float(each), best[1]))
    return {"score": float(size), "read": float(size) * best[1]}


def answered(held: list, weight: float, answer: dict[str, float], reads: ShippedMeaning) -> dict[str, float]:
    """What both readings add to the odds that the best sentence answers; the constant refuses `REFUSED` of people's questions."""
    rows, truth, sets = [], [], []
    for one, best, said, _ in held:
        order = sorted(range(len(said)), key=lambda i: -best[i].score - weight * said[i])
        first = best[order[0]]
        again = [best[i] for i in order] + best[len(said) :]
        odds = answer[""] + sum(answer.get(name, 0.0) * value for name, value in answer_features(again).items())
        question = one.question
        texts = [passage_of(first.sentence, one.sources), alone(first.sentence, one.sources)]
        rows.append(read_features(first, odds, *reads.answers(question, texts)))
        truth.append(one.answerable)
        sets.append(one.set)
    names, label, of = list(rows[0]), np.array(truth), np.array(sets)
    weights = np.zeros(len(rows))
    for name, share in READ.items():
        for side in (True, False):
            mask = (of == name) & (label == side)
            weights[mask] = 100 * share / max(1, mask.sum())
    matrix = np.array([list(row.values()) for row in rows])
    model = LogisticRegression(C=READ_C, max_iter=1000).fit(matrix, label, weights)
    odds = model.decision_function(matrix)
    for name in READ:
        for what, values in (("before", matrix[:, 0]), ("read", odds)):
            yes, no = values[(of == name) & label], values[(of == name) & ~label]
            if len(yes) and len(no):
                area = np.mean([(a > b) + 0.5 * (a == b) for a in yes for b in no])
                print(f"{name} {what}: AUROC {100 * area:.1f} of {len(yes)} and {len(no)}")
    people = of == next(name for name in READ if ((of == name) & label).sum() > 20)
    for share in (0.1, 0.15, 0.2, 0.25):
        level = np.quantile(odds[people & label], share)
        told = {name: f"{np.mean(odds[(of == name) & ~label] >= level):.0%}" for name in dict.fromkeys(sets)}
        print(f"where {share:.0%} of people's questions with an answer are refused, of the others are told {told}")
    moved = float(np.log(THRESHOLD / (1 - THRESHOLD)) - np.quantile(odds[people & label], REFUSED))
    return {"": float(model.intercept_[0]) + moved, **dict(zip(names, model.coef_[0].tolist(), strict=True))}
