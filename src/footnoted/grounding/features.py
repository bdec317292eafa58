"""A claim, its evidence and what was found between them in; the numbers the classifier weighs out."""

from __future__ import annotations

import math
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from footnoted.grounding.conflicts import KINDS
from footnoted.grounding.quantities import same

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footnoted.encoder.entailment import Entailment
    from footnoted.grounding.alignment import Alignment
    from footnoted.grounding.conflicts import Conflict
    from footnoted.grounding.evidence import Found
    from footnoted.grounding.reading import Reading
    from footnoted.grounding.scales import Weighed


LEXICAL = (
    "length",
    "evidence_length",
    "evidence_count",
    "cover_best",
    "cover",
    "cover_count",
    "uncovered_weight",
    "uncovered_most",
    "uncovered_count",
    "uncovered_names",
    "uncovered_numbers",
    "names",
    "numbers",
    "negations",
    "negations_evidence",
    "pairs",
    "triples",
    "longest",
    "in_order",
    *(f"{kind}_sure" for kind in KINDS),
    *(f"{kind}_hint" for kind in KINDS),
)
SEMANTIC = (
    "like_best",
    "like_second",
    "like_mean",
    "meant",
    "meant_least",
    "meant_second_least",
    "meant_weighted",
    "meant_uncovered",
    "meant_uncovered_least",
)
READ = ("carried", "contradicted", "doubted_most", "doubted")


def features(weighed: Weighed, entailment: Entailment) -> list[float]:
    """All features of a claim beside its evidence, in the order of ``LEXICAL``, ``SEMANTIC``, ``READ``."""
    values = lexical(weighed.claim, weighed.found, weighed.alignment, weighed.clashes)
    values += semantic(weighed.claim, [one.like for one in weighed.found], weighed.alignment)
    return values + as_read(entailment)


def lexical(claim: Reading, found: Sequence[Found], alignment: Alignment, clashes: Sequence[Conflict]) -> list[float]:
    """The features that need no model, in the order of ``LEXICAL``."""
    carrying = [(i, w) for i, w in enumerate(claim.words) if w.carries]
    bare = alignment.uncovered(claim)
    missing = [claim.words[i] for i in bare]
    total = sum(w.weight for _, w in carrying) or 1.0
    lost = sum(w.weight for w in missing)
    readings = [one.reading for one in found]
    values = [
        math.log1p(len(claim.words)),
        math.log1p(sum(len(r.words) for r in readings)),
        float(len(found)),
        max((one.cover for one in found), default=0.0),
        1.0 - lost / total,
        1.0 - len(missing) / max(1, len(carrying)),
        lost / 10.0,
        max((w.weight for w in missing), default=0.0) / 10.0,
        float(min(6, len(missing))),
        float(min(4, sum(w.name for w in missing))),
        float(min(4, _numbers_missing(claim, readings))),
        float(min(6, sum(w.name for _, w in carrying))),
        float(min(6, len(claim.quantities))),
        float(sum(w.negated for w in claim.words) > 0),
        float(any(w.negated for r in readings[:1] for w in r.words)),
        *_runs(claim, readings),
    ]
    for sure in (True, False):
        values += [float(min(2, sum(c.kind == kind and c.sure == sure for c in clashes))) for kind in KINDS]
    return values


def _numbers_missing(claim: Reading, readings: Sequence[Reading]) -> int:
    return sum(not any(same(q, other) for r in readings for other in r.quantities) for q in claim.quantities)


def _runs(claim: Reading, readings: Sequence[Reading]) -> list[float]:
    """Shares of the claim's word pairs and triples that the evidence has, and of its longest run in one sentence."""
    mine = [w.stem for w in claim.words]
    texts = [[w.stem for w in r.words] for r in readings]
    shares = []
    for size in (2, 3):
        grams = [mine[i : i + size] for i in range(len(mine) - size + 1)]
        known = sum(
            any(
                text[at : at + size] == gram
                for r, text in zip(readings, texts, strict=True)
                for at in r.places.get(gram[0], ())
            )
            for gram in grams
        )
        shares.append(known / len(grams) if grams else 1.0)
    longest = in_order = 0.0
    for text in texts[:2]:
        matcher = SequenceMatcher(None, mine, text, autojunk=False)
        blocks = matcher.get_matching_blocks()
        longest = max(longest, max((b.size for b in blocks), default=0) / max(1, len(mine)))
        in_order = max(in_order, sum(b.size for b in blocks) / max(1, len(mine)))
    return [*shares, longest, in_order]


def semantic(claim: Reading, likeness: Sequence[float], alignment: Alignment) -> list[float]:
    """The features from the encoder's vectors, in the order of ``SEMANTIC``; ``likeness`` of each sentence found."""
    carrying = [(i, w) for i, w in enumerate(claim.words) if w.carries]
    meant = sorted(alignment.meant[i] for i, _ in carrying) or [0.0]
    total = sum(w.weight for _, w in carrying) or 1.0
    bare = sorted(alignment.meant[i] for i in alignment.uncovered(claim)) or [1.0]
    ranked = sorted(likeness, reverse=True) or [0.0]
    return [
        ranked[0],
        ranked[min(1, len(ranked) - 1)],
        sum(ranked) / len(ranked),
        sum(meant) / len(meant),
        meant[0],
        meant[min(1, len(meant) - 1)],
        sum(w.weight * alignment.meant[i] for i, w in carrying) / total,
        sum(bare) / len(bare),
        bare[0],
    ]


def as_read(entailment: Entailment) -> list[float]:
    """What the network read, in the order of ``READ``: each verdict against the two others, and its doubts."""
    carried, contradicted, neither = entailment.carried, entailment.contradicted, entailment.neither
    doubts = [float(doubt) for doubt in entailment.doubts] or [0.0]
    return [
        carried - _either(contradicted, neither),
        contradicted - _either(carried, neither),
        max(doubts),
        sum(doubts) / len(doubts),
    ]


def _either(one: float, other: float) -> float:
    high = max(one, other)
    return high + math.log(math.exp(one - high) + math.exp(other - high))
