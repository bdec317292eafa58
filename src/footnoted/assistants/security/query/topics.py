"""Plain words of a question and the checks they tell of: "publicly writable", "RDP open to the internet".

A check is told of by the words of its id and title, rare ones more than common ones; one word alone must be near what
the check means too. Words that no check knows are left over.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from footnoted.assistants.security.query.vocabulary import parts_of
from footnoted.assistants.security.query.words import ENDINGS
from footnoted.text import content_stems

if TYPE_CHECKING:
    from footnoted.assistants.security.query.meaning import Meanings
    from footnoted.assistants.security.query.vocabulary import Check

_LEAST = 0.5  # share of the words' weight that a check must hold
_SHORTEST = 3  # letters that two forms of a word begin with alike
_ROOT = 4  # letters two words must begin with alike
_DENIED = 3  # words a title's "not" reaches over
_DENYING = re.compile(r"not?|without|never|only|most|(block|restrict|prohibit|den[iy]|prevent|disa|limit|avoid|unus).*")
_CONJUGATED = frozenset(("", "d", "ed", "s", "es", "e", "ing"))
_SURE = 2  # words of a question in a check's own make it likely
_SAMPLE = 24  # other checks that those of a topic must be nearer than
_PLAINLY = (
    0.02  # of twenty words: how much nearer the best and the middle one of a word's checks are than those of others
)
_AS_NEAR = 0.025  # fitted: how much farther another check may be than the nearest, to be meant as well
_CHOSEN = 3  # checks of which one alone is asked, where it is not plain which
_WEIGHED = 32  # checks whose meaning is compared with a question's


@dataclass(frozen=True, slots=True)
class Topic:
    """The words that tell of checks, and the checks, the nearest first."""

    words: frozenset[str]
    checks: tuple[str, ...]


@lru_cache(maxsize=65_536)
def stems_of(check: Check) -> frozenset[str]:
    """The stems of a check's id and title."""
    return frozenset(content_stems(f"{' '.join(parts_of(check.id))} {check.title}"))


class _Weights:
    """How much each word of a question tells of checks; one no check knows tells most and is held by none."""

    def __init__(self, words: Sequence[str], checks: Sequence[Check]) -> None:
        self.known = Counter(stem for check in checks for stem in stems_of(check))
        self.forms = {stem: self._forms(stem) for word in words for stem in content_stems(word)}
        self.weights = {stem: self._weight(forms, len(checks)) for stem, forms in self.forms.items()}
        self.whole = sum(self.weights.values())

    def _forms(self, stem: str) -> frozenset[str]:
        """The stems it may be known by: itself, else those of the same beginning ("writabl", "write")."""
        if stem in self.known:
            return frozenset((stem,))
        return frozenset(one for one in self.known if _same(one, stem))

    def _weight(self, forms: frozenset[str], count: int) -> float:
        weight = math.log((1 + count) / max(1, sum(self.known[one] for one in forms)))
        return weight if forms else weight / 2

    def held(self, check: Check) -> float:
        """The share of the weight that a check holds."""
        stems = stems_of(check)
        return sum(self.weights[stem] for stem, forms in self.forms.items() if forms & stems) / (self.whole or 1)


def _alike(one: str, other: str) -> int:
    """How many letters two words begin with alike."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def alike(one: str, other: str) -> bool:
    """Whether two words are forms of one: "owned" and "owner"."""
    length = _alike(one, other)
    return length >= _SHORTEST and {one[length:], other[length:]} <= {*ENDINGS, "", "d", "r"}


def is_form(verb: str, other: str) -> bool:
    """Whether two words are forms of one verb: "suppress" and "suppressed", "close" and "closing"."""
    length = _alike(verb, other)
    return length >= _ROOT and {verb[length:], other[length:]} <= {*_CONJUGATED}


def _same(one: str, other: str) -> bool:
    """Whether two stems are alike but for their endings: "writabl" and "write", not "internet" and "internal"."""
    length = _alike(one, other)
    return one == other or (length >= _ROOT and {one[length:], other[length:]} <= {*ENDINGS, ""})


def _is_written(word: str, check: Check) -> bool:
    """Whether a check's id or title has a word in a form of its own: "related" is no form of "relational"."""
    plain = word.casefold()
    for one in parts_of(f"{check.id} {check.title}"):
        length = _alike(plain, one)
        ends = {each[length:].removeprefix(plain[length - 1 : length]) for each in (plain, one)}  # "logs", "logging"
        if length >= _SHORTEST and ends <= {*ENDINGS, ""}:
            return True
    return False


def tells(text: str, check: Check) -> bool:
    """Whether a check's id and title hold every word of a text."""
    stems = content_stems(text)
    return bool(stems) and all(any(_same(one, stem) for one in stems_of(check)) for stem in stems)


def denies(text: str, check: Check) -> bool:
    """Whether what a check wants is that something is not so: of "is not publicly accessible", "public"."""
    words = check.title.split()
    stems = [set(content_stems(word)) for word in words]
    return any(
        {"not", "no", "without"} & {word.casefold() for word in words[max(0, at - _DENIED) : at]}
        and any(_same(one, stem) for one in those for stem in content_stems(text))
        for at, those in enumerate(stems)
    )


def affirms(words: Iterable[str], check: Check) -> bool:
    """Whether what a check wants is that these words are so: of "has versioning enabled", "versioning", "enabled"."""
    title = re.findall(r"\w+", check.title.casefold())
    stems = [stem for word in words for stem in content_stems(word)]
    found = [{stem for stem in stems for each in content_stems(one) if _same(stem, each)} for one in title]
    near = (any(found[max(0, at - _DENIED) : at + _DENIED + 1]) and not said for at, said in enumerate(found))
    contrary = any(close and _DENYING.fullmatch(one) for close, one in zip(near, title, strict=True))
    return not contrary and set(stems) <= set().union(*found)


def has_number(check: Check, number: int) -> bool:
    """Whether a check's id or title has a number: of keys older than 90 days, 90."""
    return re.search(rf"(?<!\d){number}(?!\d)", f"{check.id} {check.title}") is not None


def topic_of(
    question: str,
    words: Sequence[str],
    checks: Sequence[Check],
    meanings: Meanings | None,
    *,
    single: bool = False,
    plainly: bool = False,
) -> Topic | None:
    """The checks that these words tell of; ``single``: at most three that fit best, by meaning more than by words.

    ``plainly``: of these only those that are as near as the nearest.
    """
    if not checks or not words:
        return None
    weights = _Weights(words, checks)
    scored = sorted(((weights.held(check), check) for check in checks), key=lambda one: (-one[0], one[1].id))
    best = scored[0][0]
    if single and not best and len(checks) > _CHOSEN:
        return None
    if single:
        chosen = _by_meaning(question, scored[:_WEIGHED], meanings, plainly=plainly)
    else:
        rarest = max(
            (stem for stem, forms in weights.forms.items() if forms), key=lambda one: weights.weights[one], default=None
        )
        if best < _LEAST or rarest is None or not weights.forms[rarest] & stems_of(scored[0][1]):
            return None
        chosen = [check for score, check in scored if score >= best - 1e-9]
        held = {stem for stem, forms in weights.forms.items() if forms & stems_of(chosen[0])}
        if len(held) < _SURE:  # one word alone may be there by chance: then the meaning must tell too
            others = [check for score, check in scored if not score]
            if (
                not held <= set(weights.known)
                or not any(_is_written(word, chosen[0]) for word in words)
                or best < 1 - 1e-9
                or meanings is None
                or not _is_meant(" ".join(words), chosen, others, meanings)
            ):
                return None
    every = any if single else all
    used = frozenset(word.casefold() for word in words if every(tells(word, check) for check in chosen))
    return Topic(used, tuple(check.id for check in chosen)) if used or single else None


def _is_meant(words: str, chosen: Sequence[Check], others: Sequence[Check], meanings: Meanings) -> bool:
    """Whether one check is nearer to these words than any of so many others, and so is the middle one.

    Checks that only share a word ("assigned": an address, a role, a policy) are not what it is about.
    """
    step = max(1, len(others) // _SAMPLE)
    sample = sorted(meanings.near(words, [check.title for check in others[::step][:_SAMPLE]])) or [0.0]
    near = sorted(meanings.near(words, [check.title for check in chosen]))
    best, middle = near[-1] - sample[-1], near[len(near) // 2] - sample[len(sample) // 2]
    return min(best, middle) > _PLAINLY


def _by_meaning(
    question: str, scored: Sequence[tuple[float, Check]], meanings: Meanings | None, *, plainly: bool
) -> list[Check]:
    if meanings is None:
        return [check for _, check in scored[:1]]
    near = meanings.near(question, [check.title for _, check in scored])
    ranked = sorted(
        ((likeness + _WORDS_COUNT * held, check) for likeness, (held, check) in zip(near, scored, strict=True)),
        key=lambda one: -one[0],
    )
    if not plainly:
        return [check for _, check in ranked[:_CHOSEN]]
    nearest, holds = ranked[0][0] - _AS_NEAR, {check.id: held for held, check in scored}
    least = holds[ranked[0][1].id]
    return [check for near, check in ranked[:_CHOSEN] if near >= nearest and holds[check.id] >= least]


_WORDS_COUNT = 0.08  # what holding all words is worth beside a cosine, whose range is narrow
