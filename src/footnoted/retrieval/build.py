"""The index of some files, in which only the changed files are read and written anew.

The hard thing is that others may be reading the kept index meanwhile: a new generation therefore shares the old one's
files, which never change, and adds to them.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from footnoted.errors import SourceError
from footnoted.retrieval import store
from footnoted.retrieval.cache import Manifest, Record, Shelf
from footnoted.retrieval.load import Problem, chunks, nothing_readable, parse, read_bytes
from footnoted.retrieval.load.found import Findings, Found, as_paths, find

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    import tantivy

    from footnoted.retrieval.load import Progress
    from footnoted.types import Source


@dataclass(frozen=True, slots=True)
class Built:
    """An index and how it came about."""

    index: tantivy.Index
    files: tuple[Record, ...] = ()
    problems: tuple[Problem, ...] = ()
    passed_over: tuple[Problem, ...] = ()
    reused: bool = False
    read: int = 0
    location: Path | None = None


def build(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    folder: Path | None,
    progress: Progress | None,
    limit_bytes: int,
) -> Built:
    """The index of ``paths``, kept under ``folder`` if it can be; see `Index.open`."""
    scanned = time.time_ns()
    absolute = as_paths(paths)
    reading = _Reading(find(absolute), scanned, progress, limit_bytes)
    if folder is None:
        return _built(reading, reading.index(None), None)
    shelf = Shelf(folder, absolute)
    kept: tantivy.Index | None = None
    generation: Path | None = None
    for generation, manifest in shelf.current():
        kept = store.open_kept(generation)
        if kept is None:
            continue
        reading.compare(manifest)
        if reading.changed or reading.gone:
            break
        if reading.doubted:
            shelf.confirm(generation, reading.manifest())
        return replace(_built(reading, kept, generation), reused=True)
    try:
        with shelf.building(generation if kept is not None else None) as place:
            index = reading.added_to(place) if kept is not None else reading.index(place)
            final = shelf.publish(place, reading.manifest())
    except (OSError, ValueError):
        # Nowhere to write, a full disk: the answer matters more than keeping the index.
        reading.changed = list(reading.findings.files)
        return _built(reading, reading.index(None), None)
    return _built(reading, store.open_kept(final) or index, final)


def _built(reading: _Reading, index: tantivy.Index, location: Path | None) -> Built:
    manifest = reading.manifest()
    records = tuple(manifest.records.values())
    problems = [*reading.findings.problems]
    problems += [Problem(record.path, record.reason) for record in records if record.reason]
    files = tuple(record for record in records if record.passages)
    if not files:
        raise nothing_readable(reading.findings, problems)
    passed_over = tuple(reading.findings.passed_over)
    return Built(index, files, tuple(problems), passed_over, read=len(reading.changed), location=location)


class _Reading:
    """One pass over the files found: which changed, and what came of each."""

    def __init__(self, findings: Findings, scanned_ns: int, progress: Progress | None, limit_bytes: int) -> None:
        self.findings = findings
        self.changed: list[Found] = list(findings.files)
        self.gone: list[str] = []
        self.doubted = False
        self._scanned_ns = scanned_ns
        self._progress = progress
        self._limit = limit_bytes
        self._records: dict[str, Record] = {}

    def compare(self, manifest: Manifest) -> None:
        """Take over what the manifest knows of the files that did not change."""
        self._records, self.changed = {}, []
        for found in self.findings.files:
            record = self._unchanged(found, manifest)
            if record is None:
                self.changed.append(found)
            else:
                self._records[found.path] = record
        there = {found.path for found in self.findings.files}
        self.gone = [path for path in manifest.records if path not in there]

    def manifest(self) -> Manifest:
        """The state of the files as of this pass."""
        known = {found.path: self._records[found.path] for found in self.findings.files if found.path in self._records}
        return Manifest(self._scanned_ns, self._limit, known)

    def index(self, place: Path | None) -> tantivy.Index:
        """A new index of all the files."""
        index = store.create(place)
        store.write(index, self._entries())
        return index

    def added_to(self, place: Path) -> tantivy.Index:
        """The index in a folder with the changed files in their new state, and without those that are gone."""
        index = store.open_kept(place)
        if index is None:
            raise ValueError("the copy of the kept index cannot be opened")
        entries = list(self._entries())
        gone = [("file", path) for path in (*self.gone, *(found.path for found in self.changed))]
        store.write(index, entries, without=gone)
        return index

    def _unchanged(self, found: Found, manifest: Manifest) -> Record | None:
        record = manifest.records.get(found.path)
        if record is None or record.format != found.format:
            return None
        if manifest.surely_same(record, found.size, found.mtime_ns, found.ctime_ns):
            # What failed under another limit may do better under this one, and the reverse.
            judged_alike = manifest.limit_bytes == self._limit
            return record if judged_alike or found.size <= min(self._limit, manifest.limit_bytes) else None
        self.doubted = True
        if record.size != found.size or record.reason:
            return None
        try:
            data = read_bytes(found, limit_bytes=self._limit)
        except SourceError:
            return None
        if hashlib.sha256(data).hexdigest() != record.sha256:
            return None
        return replace(record, mtime_ns=found.mtime_ns, ctime_ns=found.ctime_ns)

    def _entries(self) -> Iterator[store.Entry]:
        for done, found in enumerate(self.changed, 1):
            record, passages = self._read(found)
            self._records[found.path] = record
            yield from (store.Entry.of(passage, place) for place, passage in enumerate(passages))
            if self._progress is not None:
                self._progress(done, len(self.changed), found.path)

    def _read(self, found: Found) -> tuple[Record, list[Source]]:
        sha256, title, reason = "", "", ""
        passages: list[Source] = []
        try:
            data = read_bytes(found, limit_bytes=self._limit)
            sha256 = hashlib.sha256(data).hexdigest()
            document = parse(data, found.path, kind=found.format, limit_bytes=self._limit)
            title, passages, reason = document.title, chunks(document), document.unread
            if not passages:
                reason = "holds headings only and no text under them"
        except SourceError as error:
            reason = str(error)
        record = Record(
            found.path, found.size, found.mtime_ns, found.ctime_ns, sha256, title, found.format, len(passages), reason
        )
        return record, passages
