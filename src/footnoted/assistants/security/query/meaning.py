"""What the multilingual encoder knows of a question, and the checks that its plain words tell of.

A check is told of ("publicly writable", "RDP open to the internet") by the words of its id and title, rare ones more
than common ones; one word alone must be near what the check means too. Words that no check knows are left over.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rapidfuzz.distance import Prefix

from footnoted.assistants.security.query.vocabulary import parts_of
from footnoted.assistants.security.query.words import ENDINGS
from footnoted.text import content_stems

if TYPE_CHECKING:
    from footnoted.assistants.security.query.vocabulary import Check

_NEAREST = 3  # examples a question is compared by
_FORM, _APART = 0.935, 0.025  # fitted: how near a form of a word is to it, and how much nearer than another's
_EXTREMES = (("worst", "riskiest", "most vulnerable", "most dangerous"), ("best", "safest", "most secure", "cleanest"))
_EDITS = {  # what a verb may do to what was asked before, as the grammar calls it
    "negate": ("remove", "exclude", "leave out"), "widen": ("add", "include", "bring in", "restore"),
    "only": ("keep", "limit it to"), "": ("filter", "fix", "sort", "close", "send", "explain"),
}  # fmt: skip
_BORNE = (
    ("findings that they {}", "findings that they have"),
    ("How many findings does the team {}?", "How many findings does the team have?"),
)
_FOUND = (
    ("findings {} there", "findings there"), ("findings {} in production", "findings in production"),
    ("How many findings are {} in the account?", "How many findings are in the account?"),
)  # fmt: skip
_BORNE_LIKE, _FOUND_LIKE = 0.972, 0.958  # fitted: how near it must be to what says no more than that there are some
_OWNERS, _OWNING = ("the owner of a resource", "the team responsible for it"), 0.85  # fitted: how near a tag's key is
_DECIDED = 0.01  # fitted: how much nearer a verb must be to one of them than to any other
_BAD, _GOOD = 0.015, 0.04  # fitted: how much nearer one extreme is than the other where a word leans
_LEAST = 0.5  # share of the words' weight that a check must hold
_SHORTEST = 3  # letters that two forms of a word begin with alike
_ROOT = 4  # letters two words must begin with alike
_DENIED = 3  # words a title's "not" reaches over
_DENYING = re.compile(r"not?|without|never|only|most|(block|restrict|prohibit|den[iy]|prevent|disa|limit|avoid|unus).*")
_CONJUGATED = frozenset(("", "d", "ed", "s", "es", "e", "ing"))
_SURE = 2  # words of a question in a check's own make it likely
_SAMPLE = 24  # other checks that those of a topic must be nearer than
_PLAINLY = 0.02  # of twenty words: how much nearer a word's checks, the best and the middle one, are than others
_AS_NEAR = 0.025  # fitted: how much farther another check may be than the nearest, to be meant as well
_CHOSEN = 3  # checks of which one alone is asked, where it is not plain which
_WORDS_COUNT = 0.08  # what holding all words is worth beside a cosine, whose range is narrow
_WEIGHED = 32  # checks whose meaning is compared with a question's


class Meanings:
    """The encoder as questions are read with it. Texts are encoded once and remembered."""

    def __init__(self, embedder: Any) -> None:
        self._passage = lru_cache(maxsize=8192)(lambda text: embedder.passages([text])[0])
        self._query = lru_cache(maxsize=1024)(lambda text: embedder.queries([text])[0])

    def near(self, question: str, texts: Sequence[str]) -> list[float]:
        """How near each text is to the question: cosines, of use only beside one another."""
        asked = self._query(question)
        return [float(self._passage(text) @ asked) for text in texts]

    def said(self, word: str) -> str:
        """The word of the grammar that another is a form of: "categorised" is "category"; nothing where it is none."""
        from footnoted.assistants.security.query.words import ROLES

        asked = self._query(word)
        near = sorted(((float(self._query(one) @ asked), one) for one in ROLES), reverse=True)
        best, role = near[0][0], ROLES[near[0][1]]
        second = next(likeness for likeness, one in near if ROLES[one] != role)
        formed = best >= _FORM and best - second >= _APART
        return near[0][1] if formed and role[0].partition(":")[0] in ("noun", "select") else ""

    def leaning(self, superlative: str) -> str:
        """Whether "the riskiest one" is the one with the most findings or with the fewest, where that is plain."""
        asked = self._query(f"the {superlative} one")
        bad, good = (max(float(self._query(f"the {one} one") @ asked) for one in those) for those in _EXTREMES)
        return "most" if bad - good > _BAD else "fewest" if good - bad > _GOOD else ""

    def edit(self, verb: str) -> str:
        """Whether "drop the red ones" takes away, adds or leaves only these, where that is plain."""
        asked = self._query(f"{verb} the red ones")
        near = {does: max(float(self._query(f"{one} the red ones") @ asked) for one in those)
                for does, those in _EDITS.items()}  # fmt: skip
        first, second = sorted(near, key=near.__getitem__, reverse=True)[:2]
        return first if near[first] - near[second] >= _DECIDED else ""

    def adds_nothing(self, verb: str, *, active: bool) -> bool:
        """Whether "findings that they carry" are those they have, and "findings seen there" those that are there."""
        pairs, least = (_BORNE, _BORNE_LIKE) if active else (_FOUND, _FOUND_LIKE)
        near = [float(self._query(said.format(verb)) @ self._query(plain)) for said, plain in pairs]
        return sum(near) / len(near) >= least

    def owning(self, keys: Sequence[str]) -> str:
        """The key of tags that says whose something is: "owner", or "squad" where there is no owner."""
        near = {
            key: max(float(self._query(key.replace("-", " ")) @ self._query(one)) for one in _OWNERS) for key in keys
        }
        first = max(near, key=near.__getitem__, default="")
        return first if first and near[first] >= _OWNING else ""

    def beyond(self, question: str) -> float:
        """How much nearer a question is to those no scan can answer than to those it can; above 0 it is one of them."""
        near = self._kinds(question)
        return near["beyond"] - near["within"]

    def overall(self, question: str) -> float:
        """How much nearer a question is to those that ask how things are than to any other."""
        near = self._kinds(question)
        return near["overall"] - max(near["within"], near["beyond"])

    def _kinds(self, question: str) -> dict[str, float]:
        asked = self._query(question)
        near = {kind: sorted(float(self._query(one) @ asked) for one in texts) for kind, texts in examples().items()}
        return {kind: sum(those[-_NEAREST:]) / _NEAREST for kind, those in near.items()}


@lru_cache(maxsize=1)
def examples() -> dict[str, list[str]]:
    """Questions that findings can answer (``within``) and that they cannot (``beyond``)."""
    return tomllib.loads(Path(__file__).with_name("examples.toml").read_text(encoding="utf-8"))


@lru_cache(maxsize=1)
def shipped_meanings() -> Meanings | None:
    """The shipped encoder; nothing where it cannot be opened."""
    from footnoted.models import Embedder, ModelUnavailable

    try:
        return Meanings(Embedder.load())
    except ModelUnavailable:
        return None


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


def _forms(one: str, other: str, endings: frozenset[str], least: int = _ROOT) -> bool:
    """Whether two words begin with so many letters alike, and each ends in one of these endings."""
    length = Prefix.similarity(one, other)
    return length >= least and {one[length:], other[length:]} <= endings


def alike(one: str, other: str) -> bool:
    """Whether two words are forms of one: "owned" and "owner"."""
    return _forms(one, other, ENDINGS | {"", "d", "r"}, _SHORTEST)


def is_form(verb: str, other: str) -> bool:
    """Whether two words are forms of one verb: "suppress" and "suppressed", "close" and "closing"."""
    return _forms(verb, other, _CONJUGATED)


def _same(one: str, other: str) -> bool:
    """Whether two stems are alike but for their endings: "writabl" and "write", not "internet" and "internal"."""
    return one == other or _forms(one, other, ENDINGS | {""})


def _is_written(word: str, check: Check) -> bool:
    """Whether a check's id or title has a word in a form of its own: "related" is no form of "relational"."""
    plain = word.casefold()
    for one in parts_of(f"{check.id} {check.title}"):
        length = Prefix.similarity(plain, one)
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
            whole = best >= 1 - 1e-9 and held <= set(weights.known)
            if not whole or meanings is None or not any(_is_written(word, chosen[0]) for word in words):
                return None
            if not _is_meant(" ".join(words), chosen, others, meanings):
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
