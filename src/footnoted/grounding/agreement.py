"""Finds why the reader's tick may not stand, by exact rules of form. They only lower a verdict.

The hard thing is that words which differ say little: of natural paraphrases half add or leave out a "may", an "all", an
"if". So words are compared only where nearly everything else of the claim stands in one sentence, in its order.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from footnoted.grounding.evidence import Passage, Window, cover
from footnoted.grounding.exact import is_denied, is_in_quotation
from footnoted.grounding.quantities import quantities, same
from footnoted.grounding.reading import read, weight_of
from footnoted.grounding.tables import Misplaced, misplaced
from footnoted.retrieval.relevance.rarity import rarity
from footnoted.text import content_stems, fold, stem, words
from footnoted.text.language import language
from footnoted.text.phrases import whole
from footnoted.types import Span

# Share of the claim's weight that one sentence must have before the two are compared word by word, and share of its
# words, small ones too, that must stand there in the same order. Chosen on natural claims that are not kept aside.
_NEAR = {"negation": (0.7, 0.45), "comparison": (0.7, 0.45), "condition": (0.8, 0.6)}
_NEARLY_EQUAL = (0.9, 0.75)
_UNMEASURED = (0.4, 0.25)  # in other languages than English, whose endings no stemmer here takes off
_BOUND = 0.75  # share of its weight from which it is compared what a figure belongs to
_ORDERED = 0.95  # and the order of words: from 0.75 on it took the tick of 42 true claims and of 1 false
_WHOLE = ("negation", "condition", "only", "stance", "reported")  # these turn it from outside the stretch
_NAME = re.compile(r"(?<=[a-z,;)] )[A-Z](?=\w*[a-z])[^\W\d_]{2,}(?![\w*`])")
_RARE = 9.0  # rarity of a word that only names
_LONGEST_TABLE = 500  # rows
_UNSPACED = ("ja", "th", "zh")


def objection(claim: str, window: Window, passages: Sequence[Passage]) -> str:
    """Why this claim gets no tick over this evidence, in words; empty where nothing speaks against one."""
    if (cell := wrong_cell(claim, window, passages, alone=True)) is not None:
        return f'"{claim[cell.figure.start : cell.figure.end]}" stands in another row than "{cell.row.key}"'
    if figure := _unsaid(claim, window.texts[0], passages):
        return f'"{figure}" stands in none of its evidence'
    best = max(window.evidence, key=lambda one: one.support)
    one = passages[best.source]
    place = one.index_of(best.start)
    sentence = one.read(place)
    if place + 1 < len(one.spans) and is_denied(one.words(place + 1)):
        return "the source takes it back in its next sentence"
    if one.words(place).rstrip('"”»*_ ').endswith(("?", "？", "؟")):
        return "the source only asks it"
    if is_in_quotation(one.source.text, best.start) and not _turning(claim, "en")["stance"]:
        return "the source quotes somebody who says it"
    if word := turned(claim, sentence):
        return f'"{word}" stands in only one of the two, the sentence and its evidence'
    if figure := passed_over(claim, sentence):
        return f'"{figure}" stands between what the sentence says together'
    return "its words stand in another order than in its evidence" if reordered(claim, sentence) else ""


def reckoned(claim: str, evidence: str) -> str:
    """A figure of the claim that the evidence has in another unit: to a reader of words it is another figure.

    >>> reckoned("Report it within two weeks.", "Report a claim within 14 days.")
    'two weeks'
    """
    theirs = quantities(evidence)
    for one in quantities(claim):
        equal = [other for other in theirs if same(one, other)]
        if equal and all(other.word != one.word for other in equal):
            return claim[one.start : one.end]
    return ""


def passed_over(claim: str, sentence: str) -> str:
    """A figure that stands, in the sentence, between a figure of the claim and the word the claim has right after it.

    "9 a.m. on weekdays and 10 a.m. on Saturday" binds in order: a claim that says 9 of Saturday passes over the 10.
    Only figures of the same sort count, and only those that the claim does not name itself.
    """
    mine, theirs = quantities(claim), quantities(sentence)
    if not mine or len(theirs) < 2 or cover(read(claim), read(sentence).stems) < _BOUND:
        return ""
    ours = [word for word in read(claim).words if word.carries and not any(q.start <= word.start < q.end for q in mine)]
    others = [word for word in read(sentence).words if word.carries]
    for one in mine:
        at = next((other for other in theirs if same(one, other)), None)
        between = [q for q in theirs if at is not None and q.unit == at.unit and not any(same(q, m) for m in mine)]
        if at is None or not between:
            continue
        near = next((word.stem for word in ours if word.start >= one.end), "")
        places = [word.start for word in others if word.stem == near]
        if len(places) == 1 and (figure := next((q for q in between if at.start < q.start < places[0]), None)):
            return sentence[figure.start : figure.end]
    return ""


def turned(claim: str, sentence: str) -> str:
    """A word (negation, quantifier, modal, condition, reporting) that turns only one of two nearly equal sentences.

    >>> turned("Die Police deckt Schäden an Zäunen.", "Die Police deckt keine Schäden an Zäunen.")
    'keine'
    >>> turned("Guests may use the pool.", "Guests must use the pool.")
    'may'
    """
    code = language(claim) or language(sentence)
    said, whole = _turning(claim, code), _turning(sentence, code)
    turning = {stem(word) for words in said.values() for word in words}
    mine, theirs = [w for w in read(claim).words if w.stem not in turning], read(sentence).words
    weights = {w.stem: w.weight for w in mine if w.carries}
    total = sum(weights.values())
    share = sum(weights[stem] for stem in weights.keys() & read(sentence).stems) / total if total else 1.0
    matcher = SequenceMatcher(None, [w.stem for w in mine], [w.stem for w in theirs], autojunk=False)
    blocks = [block for block in matcher.get_matching_blocks() if block.size]
    if not blocks:
        return ""
    in_order = sum(block.size for block in blocks) / len(mine)
    first, last = theirs[blocks[0].b], theirs[blocks[-1].b + blocks[-1].size - 1]
    stretch = _turning(sentence[first.start : last.end], code)
    for kind in said:
        least, least_in_order = _NEAR.get(kind, _NEARLY_EQUAL) if code in ("en", "") else _UNMEASURED
        if share < least or in_order < least_in_order:
            continue
        there = whole[kind] if kind in _WHOLE else stretch[kind]
        if kind == "comparison":
            if said[kind] and whole[kind] and not set(said[kind]) <= set(whole[kind]):
                return said[kind][0]
            continue
        if len(said[kind]) > len(whole[kind]) and kind != "reported":  # a claim may always name its source
            return next(iter(Counter(said[kind]) - Counter(whole[kind])))
        if len(said[kind]) < len(there):
            return next(iter(Counter(there) - Counter(said[kind])))
    return ""


def reordered(claim: str, sentence: str) -> bool:
    """Whether things changed places around what stands between them: "B pays A" for "A pays B".

    A part that moved to the front or the end leaves the rest in order; two that changed places leave three words in
    the reverse one. A "by" that only one of the two has may be a passive's, and excuses it.
    """
    mine, theirs = read(claim), read(sentence)
    weight = sum(weight_of(stem) for stem in mine.stems & theirs.stems)
    if weight < _ORDERED * sum(weight_of(stem) for stem in mine.stems):
        return False
    if [*claim.casefold().split(), *sentence.casefold().split()].count("by") == 1:
        return False
    ours = [w.stem for w in mine.words if w.carries or w.text.casefold() in _PIVOTS]
    others = [w.stem for w in theirs.words if w.carries or w.text.casefold() in _PIVOTS]
    once, there = Counter(ours), Counter(others)
    places = [others.index(stem) for stem in ours if once[stem] == 1 and there[stem] == 1]
    return _longest_fall(places) >= 3


_PIVOTS = frozenset("not no never neither nor without cannot but than".split())


def _longest_fall(places: Sequence[int]) -> int:
    """How many of the numbers fall, at most, from left to right."""
    ends: list[int] = []
    for place in places:
        at = bisect_left(ends, -place)
        ends[at : at + 1] = [-place]
    return len(ends)


def _unsaid(claim: str, evidence: str, passages: Sequence[Passage]) -> str:
    """The first figure of a claim that its evidence does not have, written otherwise or not, or no source at all."""
    there = quantities(evidence)
    known: set[str] = set()
    for one in quantities(claim):
        written = claim[one.start : one.end]
        if any(same(one, other) for other in there):
            known.update(_figures(written))
        elif one.unit or written[:1].isdigit():
            return written
    for figure in _figures(claim):
        if figure not in known and not any(figure in one.source.text for one in passages):
            return figure
    return ""


def _figures(text: str) -> list[str]:
    return [word for word, _, _ in words(text) if word[0].isdecimal()]


def unknown_name(claim: str, passages: Sequence[Passage]) -> Span | None:
    """Where a name stands inside a claim of which no word of a source, title or metadata has the first four letters.

    A word that half a million English sentences know well is no such name: "Your" of a policy is capitalised too, and
    who reads of the Broncos may say Denver. Of 24,462 natural claims that are not kept aside 42 have one; 37 are false.
    """
    names = (one for one in _NAME.finditer(claim) if not _is_acronym(one.group()))
    found = [one for one in names if rarity(stem(one.group())) >= _RARE]
    if not found:
        return None
    told = fold(" ".join(f"{one.source.title} {' '.join(map(str, one.source.metadata.values()))}" for one in passages))
    for match in found:
        begins = stem(match.group())[:4]
        if begins not in told and not any(begins in stem for one in passages for stem in one.places):
            return Span(*match.span())
    return None


def _is_acronym(name: str) -> bool:
    return name.isascii() and name.removesuffix("s").isupper()


def wrong_cell(claim: str, window: Window, passages: Sequence[Passage], *, alone: bool = False) -> Misplaced | None:
    """Where the evidence is a table, and a figure of the claim stands in another of its cells than the one it names.

    A sentence beside the table that has the figure speaks against it; with ``alone`` only one that names the row too.
    """
    beside = [evidence.quote for evidence in window.evidence if not evidence.quote.startswith("|")]
    for evidence in window.evidence:
        passage = passages[evidence.source]
        row = passage.rows.get(passage.index_of(evidence.start))
        if row is None:
            continue
        table = [other for other in passage.rows.values() if other.headers == row.headers]
        found = misplaced(claim, table) if len(table) <= _LONGEST_TABLE else None
        if found is None:
            return None
        key = content_stems(found.row.key)
        prose = [quote for quote in beside if not alone or set(key) <= set(content_stems(quote))]
        return None if any(same(found.figure, other) for other in quantities(" ".join(prose))) else found
    return None


@lru_cache(maxsize=4096)
def _turning(text: str, code: str) -> dict[str, list[str]]:
    """The words that turn a text, by kind; of a language that is not known, every known one's negations count."""
    words = [word.text.casefold().replace("’", "'") for word in read(text).words]
    found: dict[str, list[str]] = {}
    negation, kinds = _words()
    codes = [code] if code in negation else list(negation)
    if code in _UNSPACED:
        found["negation"] = negation[code].findall(text)
    else:
        found["negation"] = [word for word in words if any(negation[code].fullmatch(word) for code in codes)]
    if code in ("en", ""):
        for kind, listed in kinds.items():
            found[kind] = [word for word in words if word in listed]
        found["comparison"] = [before for before, than in pairwise(words) if than == "than"]
    return found


@cache
def _words() -> tuple[dict[str, re.Pattern[str]], dict[str, frozenset[str]]]:
    told: dict[str, Any] = tomllib.loads(Path(__file__).with_name("turning.toml").read_text(encoding="utf-8"))
    negation = {code: _read(code, line.split()) for code, line in told["negation"].items()}
    return negation, {kind: frozenset(line.split()) for kind, line in told["english"].items()}


def _read(code: str, entries: Sequence[str]) -> re.Pattern[str]:
    """What finds words, and parts of words: ``*x`` an ending, ``x*`` a beginning, ``*x*`` anywhere."""
    return whole(*(entry.strip("*") if code in _UNSPACED else entry for entry in entries))
