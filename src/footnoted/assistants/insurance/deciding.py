"""Which clauses decide a question, and how sure that is: what speaks for each, weighed by fitted numbers.

The hard thing is that a wording says nearly the same in many places: a cover, its limit, the exclusion beside it and
the same benefit of another section are all as near. So the nearest are read together with the question, each is held
against the others, and the chance is that of the few that are quoted, not of one. ``fitted.json`` is written by
``training/fit_clauses.py``; what is not in English, another network reads, with weights of its own.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from footnoted.assistants.insurance.linked import joined, rows_of, turned_by
from footnoted.assistants.insurance.passages import said_of
from footnoted.assistants.insurance.rows import figures
from footnoted.models import ModelUnavailable
from footnoted.retrieval.relevance import ShippedMeaning, logistic
from footnoted.retrieval.relevance.logistic import log_odds, odds_of
from footnoted.retrieval.relevance.meaning import in_english

if TYPE_CHECKING:
    from footnoted.assistants.insurance.clauses import Clause
    from footnoted.assistants.insurance.passages import Clauses, Passage

MOST = 3  # clauses that are quoted
READ = 32  # of the nearest clauses, each is read with the question
_BEHIND = 4.0  # log-odds by which a clause may seem less likely than the first and be quoted beside it
_AS_GOOD = 0.5  # log-odds by which a whole clause may seem likelier than one item of it
LONGEST = 900  # code points of a clause that can be quoted whole
_ROWS = 2  # of tables that a quoted clause names, told with it
_TURNING = 1  # clauses that delete or narrow a quoted exclusion, told with it
_NAMED_BEHIND = 5.0  # log-odds by which what the first clause names may be behind it and be told with it
_KINDS = ("limit", "definition", "exclusion", "exception", "procedure")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A clause that may decide, and what speaks for it; ``place`` is that of its passage.

    ``english``: whether the question and all its candidates are.
    """

    place: int
    clause: Clause
    features: Mapping[str, float]
    score: float = 0.0
    english: bool = True


def candidates(question: str, shelf: Clauses, odds: Sequence[float], *, before: str = "") -> list[Candidate]:
    """The nearest clauses, those that decide likeliest first. ``odds``: of each passage's relevance, in logarithms.

    ``before``: the question before this one, whose numbers count where this one has none.
    """
    numbers = figures(question) or figures(before)
    question = f"{before} {question}".strip()
    scores, words = shelf.scores(question), shelf.words(question)
    fitting = _fitting(numbers, [clause for _, clause in shelf.read])
    order = sorted((n for n, fits in enumerate(fitting) if fits), key=lambda place: -scores[place])[:READ]
    if not order:
        return []
    said = [said_of(shelf.read[place][1]) for place in order]
    english, reads = in_english(question, said), answers(question, said)
    near = [scores[place] for place in order]
    relevant = [odds[shelf.read[place][0]] for place in order]
    mean, worded, read, leading = sum(near) / len(near), max(words), max(reads), max(relevant)
    found = []
    for n, place in enumerate(order):
        passage, clause = shelf.read[place]
        others = [shelf.read[other][1] for other in order[:4] if other != place]
        told = {
            "near": 50 * (near[n] - near[0]),
            "over": 30 * (near[n] - mean),
            "words": words[place],
            "words_lead": words[place] - worded,
            "reads": reads[n],
            "reads_lead": reads[n] - read,
            "relevant": relevant[n] - leading,
            "length": math.log(len(said[n]) / 200),
            "row": float(clause.row is not None),
            "item": float(bool(clause.parent) and clause.row is None),
            "within": float(any(_holds(other, clause) for other in others)),
            "around": float(any(_holds(clause, other) for other in others)),
            **{kind: float(clause.kind == kind and clause.row is None) for kind in _KINDS},
        }
        found.append(Candidate(passage, clause, told, log_odds(told, _weights("order", english)), english))
    return sorted(found, key=lambda one: -one.score)


def answers(question: str, texts: Sequence[str]) -> list[float]:
    """How likely it is of each text that it answers, in log-odds; 0 of all where no network can be opened."""
    try:
        return [odds_of(chance) for chance in ShippedMeaning().answers(question, texts)]
    except ModelUnavailable:
        return [0.0] * len(texts)


def quoted(found: Sequence[Candidate], most: int = MOST) -> list[Candidate]:
    """The first few that come near the first; none is a part of another, a part as good as the whole stands for it.

    Of a clause too long to be quoted whole its likeliest part is, however good.
    """
    chosen: list[Candidate] = []
    for whole in found:
        if len(chosen) == most or found[0].score - whole.score > _BEHIND:
            break
        within = math.inf if len(whole.clause.cited) > LONGEST else _AS_GOOD
        parts = (each for each in found if _holds(whole.clause, each.clause) and whole.score - each.score < within)
        one = next(parts, whole)
        if not any(_repeats(one.clause, other.clause) for other in chosen):
            chosen.append(one)
    return chosen


def beside(chosen: Candidate, question: str, passages: Sequence[Passage]) -> list[tuple[int, Clause]]:
    """What is to be told with a chosen clause, and its passages' places: rows of tables it names, what turns it."""
    every = [(int(one.source.id), clause) for one in passages for clause in one.clauses]
    numbers = figures(question)
    others = [clause for _, clause in every]
    found = [*rows_of(chosen.clause, others, numbers)[:_ROWS], *turned_by(chosen.clause, others)[:_TURNING]]
    told = set(map(id, found))
    return [(place, clause) for place, clause in every if id(clause) in told]


def named_beside(told: Sequence[Clause], found: Sequence[Candidate]) -> list[Candidate]:
    """The likeliest clause that the first of those told names, or that names it, if it is not far behind; else none."""
    score = next(one.score for one in found if one.clause is told[0])
    near = [one for one in found if score - one.score <= _NAMED_BEHIND]
    others = [one for one in near if not any(_repeats(one.clause, clause) for clause in told)]
    named = {id(clause) for clause, _ in joined(told[0], [one.clause for one in others])}
    return [one for one in others if id(one.clause) in named][:1]


def _repeats(one: Clause, other: Clause) -> bool:
    """Whether two say the same, or one is a part of the other."""
    if one.document == other.document and one.cited == other.cited:
        return True
    return _holds(one, other) or _holds(other, one)


def _fitting(numbers: Sequence[float], clauses: Sequence[Clause]) -> list[bool]:
    """Whether each clause may decide: no row for other numbers, where a row of its table is for one that was named.

    "I am 23" is no question about "Driver aged 17 to 20".
    """
    held = [
        clause.row is not None and clause.row.span is not None and any(map(clause.row.holds, numbers))
        for clause in clauses
    ]
    tables = {_table(clause) for clause, holds in zip(clauses, held, strict=True) if holds}
    return [
        holds or clause.row is None or clause.row.span is None or _table(clause) not in tables
        for clause, holds in zip(clauses, held, strict=True)
    ]


def _table(clause: Clause) -> tuple[str, str, str]:
    row = clause.row
    return clause.document, row.table if row else "", row.title if row else ""


def chance_features(found: Sequence[Candidate]) -> dict[str, float]:
    """What speaks for a deciding clause being among those that are quoted."""
    first = found[0]
    scores = [one.score for one in found] + [found[-1].score] * 4
    second = found[1] if len(found) > 1 else first
    return {
        "score": scores[0],
        "lead": scores[0] - scores[1],
        "lead_far": scores[0] - scores[3],
        "mean": sum(scores[:3]) / 3,
        "best_reads": max(one.features["reads"] for one in found),
        "reads": first.features["reads"],
        "words": first.features["words"],
        "over": first.features["over"],
        "row": first.features["row"],
        "same_passage": float(first.place == second.place),
        "same_document": float(first.clause.document == second.clause.document),
    }


def chance_of(found: Sequence[Candidate]) -> float:
    """The chance (0–1) that a clause which decides is among those that are quoted."""
    if not found:
        return 0.0
    return logistic.chance_of(log_odds(chance_features(found), _weights("chance", found[0].english)))


def _holds(outer: Clause, inner: Clause) -> bool:
    """Whether a clause stands in another: 4.2(b) in 4.2; definitions without a number share their section's."""
    return (
        bool(outer.number)
        and outer.document == inner.document
        and inner.number.startswith(f"{outer.number}(")
        and inner.text in outer.text
    )


def _weights(name: str, english: bool) -> Mapping[str, float]:
    return _fitted()[name if english else f"{name}_foreign"]


@cache
def _fitted() -> dict[str, dict[str, float]]:
    text = files("footnoted.assistants.insurance").joinpath("fitted.json").read_text(encoding="utf-8")
    fitted: dict[str, dict[str, float]] = json.loads(text)
    return fitted
