"""What a reading is worth: the one place where a number becomes a verdict, with bounds measured on natural claims.

The hard thing is to promise something. ``fitted/gate.json`` holds the thresholds and how they were found: on claims
that neither the reader nor the weights were fitted on, the share of false ones that get a tick is bounded for any
sample (Learn then Test, Angelopoulos et al. 2021, arXiv:2110.01052, by an exact binomial tail).
"""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from footnoted.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footnoted.models import Reading
    from footnoted.types import Ruling, Verdict

FITTED = Path(__file__).parent / "fitted"
NEVER = 2.0  # a threshold that no score reaches
_LEAST = 1e-4
_WORST_FIRST = ("contradicted", "unsupported", "not_checked", "unsure", "supported")
_SUREST = 0.95  # a score above it says no more about an answer


@dataclass(frozen=True, slots=True)
class Promise:
    """At most ``share`` of what must not get a verdict gets it, said with ``confidence``, after ``n`` such claims."""

    share: float
    confidence: float
    n: int
    seen: int = 0


@dataclass(frozen=True, slots=True)
class Gate:
    """Weights that turn a reading into a probability, and the scores from which a verdict is said.

    A claim is ``supported`` from ``supported`` on, ``unsupported`` up to ``unsupported``; ``contradicted`` where the
    reader says so from ``contradicted`` on; in between it is ``unsure``. ``near`` is the share of its words above which
    the sources speak of a claim at all; two sources disagree from ``disagree`` on. ``curve`` has for rising scores the
    share of claims from there on that are not carried, and the share of all claims that are there. Only what is in
    one of the ``languages`` gets a verdict by its score; ``elsewhere`` are the four weights that score the rest.
    """

    carried: float
    contradicted_weight: float
    overlap: float
    shift: float
    supported: float
    unsupported: float
    contradicted: float
    near: float
    disagree: float
    promise: Promise
    languages: tuple[str, ...] = ("en",)
    elsewhere: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
    curve: tuple[tuple[float, float, float], ...] = ()
    extra: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def load(cls, file: Path | None = None) -> Gate:
        """That of a file `footnoted calibrate` wrote; the shipped one without. Raises `ConfigurationError`."""
        return _shipped() if file is None else _read(file)

    def score(self, readings: Sequence[Reading], overlap: float, *, elsewhere: bool = False) -> float:
        """The probability (0–1) that the evidence carries the claim.

        ``readings`` are of the same claim beside wider and narrower evidence; the mean of what they say counts.
        ``overlap`` is the share of the claim's words, by what they tell, that stand in the sources of its evidence: an
        answer that goes astray has words no source has, which the reader, taught on near misses, tells less well.
        ``elsewhere``: the network for every language has read it.
        """
        own = self.carried, self.contradicted_weight, self.overlap, self.shift
        by_carried, by_contradicted, by_overlap, shift = self.elsewhere if elsewhere else own
        carried, contradicted = mean_logits(readings)
        total = by_carried * carried + by_contradicted * contradicted + by_overlap * overlap + shift
        return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total))))

    def ruling(self, score: float, contradicted: float) -> Ruling:
        """The verdict a score allows; ``contradicted`` is the reader's probability of that."""
        if score >= self.supported:
            return "supported"
        if contradicted >= self.contradicted:
            return "contradicted"
        return "unsupported" if score <= self.unsupported else "unsure"

    def as_json(self) -> str:
        """The file's text."""
        return json.dumps(asdict(self), indent=1) + "\n"


def fitted_to(
    gate: Gate, carried: Sequence[float], others: Sequence[float], *, share: float, confidence: float
) -> Gate:
    """The gate with the lowest threshold for a tick that keeps the promise on these scores of labelled claims.

    ``carried`` are scores of claims their sources carry, ``others`` of claims they do not. Raises `ConfigurationError`
    where there are too few to promise anything.
    """
    found = lowest(others, share=share, confidence=confidence)
    if found is None:
        needed = math.ceil(math.log(1 - confidence) / math.log(1 - share))
        raise ConfigurationError(
            f"{len(others)} claims that are not carried are too few to promise {share:.0%} with {confidence:.0%} "
            f"confidence: at least {needed} are needed"
        )
    threshold, passed = found
    ticked = sum(score >= threshold for score in carried) / len(carried) if carried else 0.0
    promise = Promise(share, confidence, len(others), passed)
    return replace(gate, supported=threshold, promise=promise, extra={**gate.extra, "true_ticked": round(ticked, 4)})


def lowest(others: Sequence[float], *, share: float, confidence: float) -> tuple[float, int] | None:
    """The lowest threshold at which so few of these scores pass that more than ``share`` is ruled out.

    Returned with how many pass. Fixed sequence from the strictest threshold on, so that the one chosen needs no
    correction for those tried before it. ``None`` where even none passing proves nothing.
    """
    ranked = sorted(others, reverse=True)
    best: tuple[float, int] | None = None
    for passed in range(len(ranked) + 1):
        if _tail(passed, len(ranked), share) > 1 - confidence:
            break
        limit = ranked[passed] if passed < len(ranked) else 0.0
        best = (math.nextafter(limit, NEVER), passed)
    return best


def _tail(passed: int, n: int, share: float) -> float:
    """The probability of so few or fewer of ``n`` passing, if ``share`` of all did."""
    return sum(
        math.exp(
            math.lgamma(n + 1)
            - math.lgamma(k + 1)
            - math.lgamma(n - k + 1)
            + k * math.log(share)
            + (n - k) * math.log1p(-share)
        )
        for k in range(passed + 1)
    )


@dataclass(frozen=True, slots=True)
class Sureness:
    """How sure it is that all claims of an answer stand, fitted on answers of natural claims and of language models.

    It looks at the least sure of them, by its score's log-odds times ``score``, at all of them, by their mean times
    ``mean``, and at how many there are, by the logarithm times ``claims_told``: the least of many is low by chance. A
    claim that is certain (1) is looked past.
    """

    score: float
    mean: float
    claims_told: float
    shift: float
    claims: int = 0  # that it was fitted on
    passages: int = 0

    @staticmethod
    @cache
    def shipped() -> Sureness:
        """That of ``fitted/confidence.json``."""
        return Sureness(**json.loads((FITTED / "confidence.json").read_text(encoding="utf-8")))

    @staticmethod
    def told_by(scores: Sequence[float | None]) -> tuple[float, float, float] | None:
        """What is looked at; None where nothing is to be weighed: a claim has no score, or none of them is in doubt."""
        open_scores = [score for score in scores if score is not None and 0 < score < 1]
        if not open_scores or any(not score for score in scores):
            return None
        odds = [_logit(min(_SUREST, max(1 - _SUREST, score))) for score in open_scores]
        return min(odds), sum(odds) / len(odds), math.log(len(odds))

    def of(self, scores: Sequence[float | None]) -> float:
        """The probability (0–1) that all stand: nothing where one was not checked or nothing carries it."""
        told = self.told_by(scores)
        if told is None:
            return 0.0 if any(not score for score in scores) else 1.0
        least, mean, count = told
        return 1 / (1 + math.exp(-(self.score * least + self.mean * mean + self.claims_told * count + self.shift)))


def sureness(scores: Sequence[float | None]) -> float:
    """How sure it is (0–1) that all claims of an answer stand; an unchecked claim counts as none.

    >>> sureness([]), sureness([1.0]), sureness([0.9, None]), sureness([0.9, 0.4]) < sureness([0.9, 0.6])
    (1.0, 1.0, 0.0, True)
    """
    return Sureness.shipped().of(scores)


def worst(verdicts: Sequence[Verdict]) -> Verdict:
    """The worst of several verdicts, the one with the lowest score first; the evidence and flagged words of all stay.

    It has the lowest score of all, if each has one.
    """
    scores = [verdict.score for verdict in verdicts if verdict.score is not None]
    return replace(
        min(verdicts, key=lambda verdict: (_WORST_FIRST.index(verdict.ruling), verdict.score or 0.0)),
        score=min(scores) if len(scores) == len(verdicts) else None,
        evidence=tuple(dict.fromkeys(found for verdict in verdicts for found in verdict.evidence)),
        flagged=tuple(span for verdict in verdicts for span in verdict.flagged),
    )


def mean_logits(readings: Sequence[Reading]) -> tuple[float, float]:
    """The mean logits of carried and of contradicted."""
    carried = sum(_logit(one.carried) for one in readings)
    contradicted = sum(_logit(one.contradicted) for one in readings)
    return carried / len(readings), contradicted / len(readings)


def _logit(probability: float) -> float:
    inside = min(1 - _LEAST, max(_LEAST, probability))
    return math.log(inside / (1 - inside))


@cache
def _shipped() -> Gate:
    return _read(FITTED / "gate.json")


def _read(file: Path) -> Gate:
    try:
        told = json.loads(file.read_text(encoding="utf-8"))
        told["promise"] = Promise(**told["promise"])
        told["languages"] = tuple(told["languages"])
        told["elsewhere"] = tuple(told.get("elsewhere", (0.0,) * 4))
        told["curve"] = tuple((score, risk, coverage) for score, risk, coverage in told["curve"])
        return Gate(**told)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise ConfigurationError(f"{file.name} is no gate that `footnoted calibrate` wrote: {error}") from error
