"""Measures how often a claim outranks its edited twin, and how well unsupported words are pointed at."""

from __future__ import annotations

import difflib
import random
import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

from claims_data import Record

from footnoted.grounding import Checker
from footnoted.text import content_stems, stem, words

_LEAST_ALIKE = 0.5  # two claims less alike than this are not an original and its edit


@dataclass
class Twins:
    """An edited claim's score less its original's, by set; below 0 the original ranks higher."""

    set: str
    doc: str
    by: float

    @property
    def right(self) -> float:
        """1 when the original scores higher, 0.5 when both score the same."""
        return 1.0 if self.by < 0 else 0.5 if self.by == 0 else 0.0


def twins(records: list[Record], score: Callable[[Record], float]) -> list[Twins]:
    """Each edited claim of SummEdits and BUMP beside the likest true claim about the same document."""
    originals: dict[tuple[str, str], list[Record]] = defaultdict(list)
    for record in records:
        if record.label and record.set in ("summedits", "bump"):
            originals[record.set, record.doc].append(record)
    found = []
    for record in records:
        true = originals.get((record.set, record.doc))
        if record.label or not true:
            continue
        original = max(true, key=lambda one: _alike(record.claim, one.claim))
        if _alike(record.claim, original.claim) >= _LEAST_ALIKE:
            found.append(Twins(record.set, record.doc, score(record) - score(original)))
    return found


def _alike(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one.split(), other.split(), autojunk=False).ratio()


@dataclass
class Pointed:
    """Of one claim's tokens: pointed at rightly, pointed at in all, unsupported in all."""

    doc: str
    hits: int
    pointed: int
    wrong: int


def pointed_at(records: list[Record]) -> tuple[list[Pointed], list[Pointed]]:
    """For each claim with labelled tokens what the check flags, and what word overlap would: words no source has."""
    checker = Checker()
    ours, floor = [], []
    for record in records:
        wrong = record.wrong[0] if len(record.sentences) == 1 else None
        if wrong is None:
            continue
        tokens = [match.span() for match in re.finditer(r"\w+", record.claim)]
        truth = {token for token in tokens if any(start < token[1] and token[0] < end for start, end in wrong)}
        verdict = checker.check(record.claim, record.sources)
        flagged = [(span.start, span.end) for span in verdict.flagged]
        known = {one for source in record.sources for one in content_stems(source.text)}
        content = content_stems(record.claim)
        bare = [
            (start, end)
            for word, start, end in words(record.claim)
            if stem(word) in content and stem(word) not in known
        ]
        for spans, found in ((flagged, ours), (bare, floor)):
            said = {token for token in tokens if any(start < token[1] and token[0] < end for start, end in spans)}
            found.append(Pointed(record.doc, len(said & truth), len(said), len(truth)))
    return ours, floor


def f1(found: list[Pointed]) -> float:
    """F1 (%) of the tokens pointed at, over all claims together."""
    hits = sum(one.hits for one in found)
    return 200 * hits / max(1, sum(one.pointed + one.wrong for one in found))


def share(found: list[Twins]) -> float:
    """The share (%) of pairs whose original ranks higher."""
    return 100 * sum(one.right for one in found) / max(1, len(found))


def interval(found: list, figure: Callable[[list], float], rounds: int = 400) -> str:
    """95 % interval of a figure, by drawing whole documents."""
    dice = random.Random(0)
    by_doc: dict[str, list] = defaultdict(list)
    for one in found:
        by_doc[one.doc].append(one)
    docs = list(by_doc.values())
    drawn = sorted(figure([x for doc in dice.choices(docs, k=len(docs)) for x in doc]) for _ in range(rounds))
    return f"[{drawn[int(0.025 * rounds)]:.1f}, {drawn[int(0.975 * rounds)]:.1f}]"
