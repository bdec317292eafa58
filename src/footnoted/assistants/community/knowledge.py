"""A community's documents: the index text a model chooses from, sources by id, and the passages near a question."""

from __future__ import annotations

import asyncio
import hashlib
import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from footnoted.assistants.community.artifact import Entry, open_entries
from footnoted.assistants.community.matching import Found, Match, Meanings, Terms, matches, measured, read_closely
from footnoted.errors import SourceError
from footnoted.retrieval.relevance import ShippedMeaning

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from footnoted.retrieval.index import Index
    from footnoted.types import Source

LIMIT = 10_000_000  # bytes of one source
_LONGEST_INDEX = 120_000  # code points of the index a model is shown
_NEAR = 24  # passages in words, and as many in meaning, that are weighed for a question
_UNREAD = 8  # of them whose meaning is read for a question that comes before the reading ahead is done
_AT_ONCE = 64  # passages read ahead before what was read is kept
_SUMMARY = 600  # code points of a summary a model is shown
_Stamp = tuple[int, int, int]  # which file it is, how long, when last written: another one must be read again
KINDS = {"html": ".html", "markdown": ".md", "pdf": ".pdf", "text": ".txt", "docx": ".docx"}


@dataclass(frozen=True, slots=True)
class LoadedSource:
    """A source as it is now: its entry, and its text cut into passages."""

    entry: Entry
    passages: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class _Opened:
    """All passages, searchable, and for each the id of its source; ``places`` are theirs by their own ids."""

    index: Index
    terms: Terms
    meanings: Meanings
    passages: tuple[Source, ...]
    pages: tuple[str, ...]
    places: dict[str, int]


class KnowledgeBase:
    """The sources named in an index artifact. Nothing but them is ever read.

    ``holds`` says which ids are in scope. ``problems`` names the sources that could not be read for searching.
    """

    def __init__(self, entries: Iterable[Entry], folder: Path, *, holds: Callable[[str], bool] | None = None) -> None:
        self.entries = {entry.id: entry for entry in entries if holds is None or holds(entry.id)}
        self.folder = folder
        self.problems: list[str] = []
        self._opened: _Opened | None = None
        self._opening = threading.Lock()
        self._kept: dict[str, tuple[_Stamp, LoadedSource]] = {}  # by the source's id

    @classmethod
    def open(cls, path: str | Path, *, holds: Callable[[str], bool] | None = None) -> KnowledgeBase:
        """The knowledge base of an artifact on disk. Raises `SourceError`."""
        place = Path(path)
        return cls(open_entries(place), place.parent, holds=holds)

    @cached_property
    def index_text(self) -> str:
        """The index for a model to choose from: an id and a summary a source, as many as fit."""
        lines: list[str] = []
        room = _LONGEST_INDEX
        for entry in self.entries.values():
            summary = " ".join(entry.summary.split())
            lines.append(f"- id: {entry.id}\n  title: {entry.title}\n  about: {summary[:_SUMMARY]}")
            room -= len(lines[-1]) + 1
            if room < 0:
                return "\n".join(lines[:-1])
        return "\n".join(lines)

    @cached_property
    def titles(self) -> str:
        """What the sources are called, for a model that only has to know what there is."""
        return "\n".join(f"- {entry.title}" for entry in self.entries.values())[: _LONGEST_INDEX // 8]

    async def load(self, id_: str) -> LoadedSource:
        """A source as it is now; one that did not change since it was read is not read again.

        Raises `SourceError` for an unknown id and for what cannot be read.
        """
        entry = self.entries.get(id_)
        if entry is None:
            raise SourceError(f"{id_!r} is not in the index")
        return await asyncio.to_thread(self._read, entry)

    async def prepare(self) -> None:
        """Read every source for searching ahead, off the event loop."""
        await asyncio.to_thread(self._searched)

    async def read_ahead(self) -> int:
        """Read what passages mean before a question needs it, and keep it beside the index; how many were read."""
        opened = await asyncio.to_thread(self._searched)
        unread = opened.meanings.unread()
        for start in range(0, len(unread), _AT_ONCE):
            await asyncio.to_thread(opened.meanings.read, unread[start : start + _AT_ONCE])
            await asyncio.to_thread(opened.meanings.keep)
        return len(unread)

    def answers(self, question: str, weights: Mapping[str, float], *, within: Collection[str] | None = None) -> Found:
        """The passages near a question, the nearest of them read together with it, best first; blocks."""
        return read_closely(question, self.matches(question, weights, within=within), ShippedMeaning())

    def matches(
        self, question: str, weights: Mapping[str, float], *, within: Collection[str] | None = None
    ) -> list[Match]:
        """The passages near a question with the chance by likeness that each answers it, best first; blocks.

        ``within``: only of these sources, and then all that they hold.
        """
        from footnoted.models import Embedder

        opened = self._searched()
        vector = Embedder.load().queries([question])[0]
        found = opened.index.search(question, 2 * _NEAR)
        scores = {opened.places[passage.id]: passage.score or 0.0 for passage in found}
        if within is None:
            places = self._near(opened, scores, vector)
        else:
            places = [place for place, page in enumerate(opened.pages) if page in within]
            opened.meanings.read(places)
        features = measured(question, vector, places, scores, opened.pages, opened.terms, opened.meanings)
        return matches(question, weights, [opened.passages[place] for place in places], features)

    @staticmethod
    def _near(opened: _Opened, scores: Mapping[int, float], vector: NDArray[np.float32]) -> list[int]:
        """The places of the nearest passages, in words and in meaning as far as that is known."""
        from footnoted.native import numpy as np

        worded = list(scores)[:_NEAR]
        opened.meanings.read([place for place in worded if not opened.meanings.known[place]][:_UNREAD])
        known = np.flatnonzero(opened.meanings.known)
        meant = known[np.argsort(-(opened.meanings.vectors[known] @ vector))[:_NEAR]]
        worded = [place for place in worded if opened.meanings.known[place]]
        return list(dict.fromkeys([*worded, *map(int, meant)]))

    def _searched(self) -> _Opened:
        """The passages of every source, searchable; read once, at the first question."""
        with self._opening:
            if self._opened is None:
                from footnoted.retrieval.index import Index

                passages: list[Source] = []
                for entry in self.entries.values():
                    try:
                        passages.extend(self._read(entry).passages)
                    except SourceError as error:
                        self.problems.append(f"{entry.id}: {error}")
                self._opened = _Opened(
                    Index.of(passages),
                    Terms(passages),
                    Meanings(passages, self.folder / "index.meanings.npz" if self.entries else None),
                    tuple(passages),
                    tuple(str(passage.metadata["source_id"]) for passage in passages),
                    {passage.id: place for place, passage in enumerate(passages)},
                )
            return self._opened

    def _read(self, entry: Entry) -> LoadedSource:
        from footnoted.retrieval.load import chunks, parse

        place = kept_page(self.folder, entry.location) if entry.remote else self.folder / entry.location
        if place is None:
            raise SourceError("the page is not kept here; run footnoted index again")
        try:
            found = place.stat()
            stamp: _Stamp | None = (found.st_ino, found.st_size, found.st_mtime_ns)
        except OSError:
            stamp = None  # reading it says why
        if stamp is not None and (kept := self._kept.get(entry.id)) is not None and kept[0] == stamp:
            return kept[1]
        name = place.name if entry.remote else entry.id
        document = replace(parse(read_bounded(place), name, limit_bytes=LIMIT), path=entry.id, title=entry.title)
        ours = {"source_id": entry.id, "title": entry.title}
        passages = (replace(passage, metadata={**passage.metadata, **ours}) for passage in chunks(document))
        source = LoadedSource(entry, tuple(passages))
        if stamp is not None:
            self._kept[entry.id] = (stamp, source)
        return source


def read_bounded(place: Path) -> bytes:
    """A file's bytes. Raises `SourceError`."""
    try:
        with place.open("rb") as file:
            data = file.read(LIMIT + 1)
    except OSError as error:
        raise SourceError(f"cannot be read ({(error.strerror or str(error)).lower()})") from None
    if len(data) > LIMIT:
        raise SourceError(f"is larger than {LIMIT:,} bytes")
    return data


def page_stem(folder: Path, url: str) -> Path:
    """Where the text of a fetched page is kept, its ending aside."""
    return folder / "index.pages" / hashlib.sha256(url.encode()).hexdigest()[:24]


def kept_page(folder: Path, url: str) -> Path | None:
    """The kept copy of a page, if there is one."""
    stem = page_stem(folder, url)
    return next((stem.with_suffix(end) for end in KINDS.values() if stem.with_suffix(end).is_file()), None)
