"""Files and what is kept of them in; a whole index out, in which only the changed files were read anew."""

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
    files: tuple[Record, ...]
    problems: tuple[Problem, ...]
    skipped: dict[str, int]
    reused: bool
    read: int
    location: Path | None


def build(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    folder: Path | None,
    progress: Progress | None,
    limit_bytes: int,
) -> Built:
    """The index of ``paths``, kept under ``folder`` if it can be; see `Index.open`."""
    scanned = time.time_ns()
    given = as_paths(paths)
    reading = _Reading(find(given), scanned, progress, limit_bytes)
    if folder is None:
        return _built(reading, reading.index(None), None)
    shelf = Shelf(folder, given)
    kept: tantivy.Index | None = None
    for generation, manifest in shelf.current():
        kept = store.open_kept(generation)
        if kept is None:
            continue
        reading.compare(manifest)
        if reading.changed or reading.fewer:
            break
        if reading.doubted:
            shelf.confirm(generation, reading.manifest())
        return replace(_built(reading, kept, generation), reused=True)
    try:
        with shelf.building() as place:
            index = reading.index(place, kept)
            final = shelf.publish(place, reading.manifest())
    except (OSError, ValueError):
        # Nowhere to write, a full disk: the answer matters more than keeping the index.
        return _built(reading, reading.index(None, kept), None)
    return _built(reading, store.open_kept(final) or index, final)


def _built(reading: _Reading, index: tantivy.Index, location: Path | None) -> Built:
    manifest = reading.manifest()
    records = tuple(manifest.records.values())
    problems = [*reading.findings.problems]
    problems += [Problem(record.path, record.reason) for record in records if record.reason]
    files = tuple(record for record in records if record.passages)
    if not files:
        raise nothing_readable(reading.findings, problems)
    skipped = dict(reading.findings.skipped)
    return Built(index, files, tuple(problems), skipped, reused=False, read=len(reading.changed), location=location)


class _Reading:
    """One pass over the files found: which changed, and what came of each."""

    def __init__(self, findings: Findings, scanned_ns: int, progress: Progress | None, limit_bytes: int) -> None:
        self.findings = findings
        self.changed: list[Found] = list(findings.files)
        self.fewer = False
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
        self.fewer = any(path not in self._records for path in manifest.records)

    def manifest(self) -> Manifest:
        """The state of the files as of this pass."""
        known = {found.path: self._records[found.path] for found in self.findings.files if found.path in self._records}
        return Manifest(self._scanned_ns, self._limit, known)

    def index(self, place: Path | None, kept: tantivy.Index | None = None) -> tantivy.Index:
        """A new index of all the files, in the order of their names."""
        index = store.create(place)
        store.write(index, self._entries(kept))
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

    def _entries(self, kept: tantivy.Index | None) -> Iterator[store.Entry]:
        changed = {found.path for found in self.changed}
        searcher = kept.searcher() if kept is not None else None
        done = 0
        for found in self.findings.files:
            if found.path not in changed:
                if kept is not None and searcher is not None:
                    yield from store.every(kept, searcher, "file", found.path)
                continue
            record, passages = self._read(found)
            self._records[found.path] = record
            yield from map(store.Entry.of, passages)
            done += 1
            if self._progress is not None:
                self._progress(done, len(changed), found.path)

    def _read(self, found: Found) -> tuple[Record, list[Source]]:
        sha256, title, reason = "", "", ""
        passages: list[Source] = []
        try:
            data = read_bytes(found, limit_bytes=self._limit)
            sha256 = hashlib.sha256(data).hexdigest()
            document = parse(data, found.path, kind=found.format, limit_bytes=self._limit)
            title, passages = document.title, chunks(document)
            if not passages:
                reason = "holds headings only and no text under them"
        except SourceError as error:
            reason = str(error)
        record = Record(
            found.path, found.size, found.mtime_ns, found.ctime_ns, sha256, title, found.format, len(passages), reason
        )
        return record, passages
