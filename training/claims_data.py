"""Reads the shared sets into records of one shape: sources, a claim's sentences, which of them are known to be wrong.

A wrong summary is wrong somewhere: for edited claims (SummEdits, BUMP) the sentences that differ from the nearest
true claim about the same document are the wrong ones, and the differing words are what a reader should doubt.
"""

from __future__ import annotations

import difflib
import json
import re
import zlib
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from footnoted.grounding.claims import segment
from footnoted.text import sentences
from footnoted.types import Source

ASIDE = 5  # one document in this many is kept aside: nothing is ever fitted on it
SHARE = {"begin_wow": 0.7, "wice_spans": 0.7}  # of a set in a fit; the others count 1
SETS = ("summedits", "bump", "wice", "fool_me_twice", "begin_wow", "mtrag")


@dataclass
class Record:
    """One claim against its sources. ``label`` 1 supported, 0 not; ``labels`` the same a sentence, None unknown.

    ``wrong`` are the character spans of each sentence that are known to be wrong (None: not known).
    """

    set: str
    id: str
    doc: str
    kind: str
    sources: list[Source]
    claim: str
    label: int
    gold: frozenset[int] = frozenset()
    sentences: list[str] = field(default_factory=list)
    labels: list[int | None] = field(default_factory=list)
    wrong: list[list[tuple[int, int]] | None] = field(default_factory=list)

    @property
    def fold(self) -> int:
        """A number from 0 to 4 that only the document decides; 0 is kept aside."""
        return zlib.crc32(self.doc.encode()) % ASIDE

    @property
    def weighed(self) -> bool:
        """Whether the gate's few weights may see it: half of the documents kept aside from all training."""
        return self.fold == 0 and zlib.crc32(f"gate {self.doc}".encode()) % 2 == 0


def records(data: Path) -> list[Record]:
    """Every record of the sets, its sentences labelled as far as they can be."""
    found = [record for name in _READERS for record in _READERS[name](_lines(data / "grounding" / f"{name}.jsonl"))]
    originals: dict[str, list[Record]] = defaultdict(list)
    for record in found:
        if record.label and record.set in ("summedits", "bump"):
            originals[record.doc].append(record)
    for record in found:
        _label(record, originals.get(record.doc, []))
    return found


def balance(names: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Weights (n,) under which every set, and in it either label, weighs the same; unknown labels weigh nothing."""
    weights = np.zeros(len(names))
    for name in set(names):
        for label in (0, 1):
            chosen = (names == name) & (labels == label)
            if chosen.any():
                weights[chosen] = SHARE.get(name, 1.0) / chosen.sum()
    return weights / weights[weights > 0].mean()


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _sources(texts: list[str]) -> list[Source]:
    return [Source(id=str(n), text=text) for n, text in enumerate(texts) if text.strip()]


def _summedits(rows: list[dict[str, Any]]) -> list[Record]:
    return [
        Record("summedits", r["id"], "se-" + r["doc"], "+".join(r["edit_types"]) or "true", _sources(r["source"]),
               r["claim"], r["label"]) for r in rows
    ]  # fmt: skip


def _bump(rows: list[dict[str, Any]]) -> list[Record]:
    return [
        Record("bump", r["id"], "b-" + r["doc"], (r.get("error_type") or "true").removesuffix(" Error"),
               _sources(r["source"]), r["claim"], r["label"]) for r in rows
    ]  # fmt: skip


def _fool_me_twice(rows: list[dict[str, Any]]) -> list[Record]:
    return [
        Record("fool_me_twice", r["id"], "f-" + min(r["gold"])[:80], "", _sources(r["source"]), r["claim"],
               r["label"]) for r in rows
    ]  # fmt: skip


def _wice(rows: list[dict[str, Any]]) -> list[Record]:
    return [
        Record("wice", r["id"], "w-" + r["title"], r["label_raw"], _sources(r["source"]), r["claim"], r["label"],
               frozenset(n for group in r["supporting"] for n in group)) for r in rows
    ]  # fmt: skip


def _wice_spans(rows: list[dict[str, Any]]) -> list[Record]:
    found = []
    for r in rows:
        record = Record("wice_spans", r["id"], "ws-" + r["id"].split("-")[0], "", _sources(r["source"]), r["claim"],
                        int(not any(r["unsupported"])))  # fmt: skip
        place, spans = 0, []
        for token, wrong in zip(r["tokens"], r["unsupported"], strict=True):
            start = r["claim"].find(token, place)
            if start >= 0:
                place = start + len(token)
                if wrong:
                    spans.append((start, place))
        record.wrong = [spans]
        found.append(record)
    return found


def _mtrag(rows: list[dict[str, Any]]) -> list[Record]:
    return [
        Record("mtrag", r["id"], "m-" + r["conversation"], r["model"], _sources(r["source"]), r["claim"], r["label"])
        for r in rows
    ]


def _begin_wow(rows: list[dict[str, Any]]) -> list[Record]:
    return [
        Record("begin_wow", r["id"], "wow-" + r["source"][0][:60], r["label_raw"], _sources(r["source"]), r["claim"],
               r["label"]) for r in rows[::3]
    ]  # fmt: skip


_READERS = {
    "summedits": _summedits,
    "bump": _bump,
    "fool_me_twice": _fool_me_twice,
    "wice_claims": _wice,
    "wice_spans": _wice_spans,
    "mtrag_answers": _mtrag,
    "begin_wow": _begin_wow,
}


def _label(record: Record, originals: list[Record]) -> None:
    spans = record.wrong[0] if record.wrong else None
    record.sentences = units(record.claim)
    count = len(record.sentences)
    if record.label:
        record.labels, record.wrong = [1] * count, [[] for _ in range(count)]
        return
    record.labels, record.wrong = [0] if count == 1 else [None] * count, [spans if count == 1 else None] * count
    if record.set in ("summedits", "bump") and originals:
        _mark_edits(record, max(originals, key=lambda one: alike(record.claim, one.claim)))


def units(claim: str) -> list[str]:
    """The sentences a checker weighs: those of the claims of an answer; of a text without claims, all."""
    claims = [one.text for one in segment(claim) if one.kind == "claim"] or [claim]
    return [text[span.start : span.end] for text in claims for span in sentences(text)]


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def alike(one: str, other: str) -> float:
    """The share (0–1) of the words of two texts that stand in both in the same order."""
    return difflib.SequenceMatcher(None, _words(one), _words(other), autojunk=False).ratio()


def _mark_edits(record: Record, original: Record) -> None:
    """Where the claim differs from a true one: its wrong sentences, and their wrong words."""
    mine = [word for sentence in record.sentences for word in _words(sentence)]
    theirs = _words(original.claim)
    matcher = difflib.SequenceMatcher(None, mine, theirs, autojunk=False)
    if matcher.ratio() < 0.5:
        return
    wrong = [False] * (len(mine) + 1)
    for tag, start, end, _, _ in matcher.get_opcodes():
        if tag != "equal":
            for place in range(start, max(end, start + 1)):
                wrong[place] = True
    labels: list[int | None] = []
    spans: list[list[tuple[int, int]] | None] = []
    place = 0
    for sentence in record.sentences:
        found = [match.span() for match in re.finditer(r"\w+", sentence.casefold())]
        bad = [span for span, is_wrong in zip(found, wrong[place:], strict=False) if is_wrong]
        labels.append(0 if bad else 1)
        spans.append(bad)
        place += len(found)
    if 0 in labels:
        record.labels, record.wrong = labels, spans
