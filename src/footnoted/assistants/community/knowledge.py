"""An index artifact in; its text for a model, its sources by id, and the passages nearest to a question out."""

from __future__ import annotations

import asyncio
import hashlib
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from footnoted.assistants.community.artifact import Entry, open_entries
from footnoted.assistants.community.matching import Match, Vectors, Vocabulary, match, meant
from footnoted.errors import SourceError

if TYPE_CHECKING:
    from footnoted.retrieval.index import Index
    from footnoted.types import Source

LIMIT = 10_000_000  # bytes of one source
_LONGEST_INDEX = 120_000  # code points of the index a model is shown
_NEAR = 12  # passages that are weighed for a question
_FOREIGN = 0.5  # share of known words up to which a question is in another language
_AHEAD, _AT_ONCE = 6_000, 32  # headings and sentences whose meaning is read ahead, so many before others have a turn
_SUMMARY = 600  # code points of a summary a model is shown
KINDS = {"html": ".html", "markdown": ".md", "pdf": ".pdf", "text": ".txt", "docx": ".docx"}


@dataclass(frozen=True, slots=True)
class LoadedSource:
    """A source as it is now: its entry, and its text cut into passages."""

    entry: Entry
    passages: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class _Stamp:
    """Which file it is, how long, and when it was last written: another one says that it must be read again."""

    inode: int
    size: int
    written: int


@dataclass(frozen=True, slots=True)
class _Opened:
    index: Index
    vocabulary: Vocabulary
    passages: tuple[Source, ...]


class KnowledgeBase:
    """The sources named in an index artifact. Nothing but them is ever read.

    ``holds`` says which ids are in scope. ``problems`` names the sources that could not be read for searching.
    """

    def __init__(self, entries: Iterable[Entry], folder: Path, *, holds: Callable[[str], bool] | None = None) -> None:
        self.entries = {entry.id: entry for entry in entries if holds is None or holds(entry.id)}
        self.folder = folder
        self.problems: list[str] = []
        self._vectors = Vectors()
        self._opened: _Opened | None = None
        self._opening = threading.Lock()
        self._kept: dict[str, tuple[_Stamp, LoadedSource]] = {}

    @classmethod
    def open(cls, path: str | Path, *, holds: Callable[[str], bool] | None = None) -> KnowledgeBase:
        """The knowledge base of an artifact on disk. Raises `SourceError`."""
        place = Path(path)
        return cls(open_entries(place), place.parent, holds=holds)

    @cached_property
    def index_text(self) -> str:
        """The index for a model to choose from: an id and a summary a source, as many as fit."""
        told: list[str] = []
        room = _LONGEST_INDEX
        for entry in self.entries.values():
            summary = " ".join(entry.summary.split())
            line = f"- id: {entry.id}\n  title: {entry.title}\n  about: {summary[:_SUMMARY]}"
            room -= len(line) + 1
            if room < 0:
                break
            told.append(line)
        return "\n".join(told)

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
        """Read what headings and sentences mean before a question needs it; gives how many were read.

        Questions asked meanwhile are answered, and read for themselves what is not yet read.
        """
        opened = await asyncio.to_thread(self._searched)
        texts = (await asyncio.to_thread(meant, opened.passages))[:_AHEAD]
        for start in range(0, len(texts), _AT_ONCE):
            if await asyncio.to_thread(self._vectors.of, texts[start : start + _AT_ONCE]) is None:
                return 0
        return len(texts)

    def matches(self, question: str, *, within: Sequence[Source] | None = None) -> list[Match]:
        """The passages nearest to a question with the chance that each answers it, best first; blocks.

        ``within``: of these passages only, in words as near as they are.
        """
        opened = self._searched()
        near = opened.index.search(question, _NEAR)
        if within is not None:
            score = {one.id: one.score or 0.0 for one in near}
            near = [replace(one, score=score.get(one.id, 0.0)) for one in within]
        return match(question, near, opened.vocabulary, self._vectors)

    def speaks(self, question: str) -> bool:
        """Whether a question is in the language of the sources, by how many of its words they know; blocks."""
        return self._searched().vocabulary.share_known(question) > _FOREIGN

    def _searched(self) -> _Opened:
        """The passages of every source, searchable; read once, at the first question."""
        with self._opening:
            if self._opened is None:
                from footnoted.retrieval.index import Index

                read: list[Source] = []
                for entry in self.entries.values():
                    try:
                        read.extend(self._read(entry).passages)
                    except SourceError as error:
                        self.problems.append(f"{entry.id}: {error}")
                self._opened = _Opened(Index.of(read), Vocabulary(read), tuple(read))
            return self._opened

    def _read(self, entry: Entry) -> LoadedSource:
        from footnoted.retrieval.load import chunks, parse

        place = kept_page(self.folder, entry.location) if entry.remote else self.folder / entry.location
        if place is None:
            raise SourceError("the page is not kept here; run footnoted index again")
        stamp = _stamp(place)
        kept = self._kept.get(entry.id)
        if kept is not None and stamp is not None and kept[0] == stamp:
            return kept[1]
        data = read_bounded(place)
        document = parse(data, entry.id if not entry.remote else place.name, limit_bytes=LIMIT)
        passages = (
            replace(one, metadata={**one.metadata, "source_id": entry.id, "title": entry.title})
            for one in chunks(replace(document, path=entry.id, title=entry.title))
        )
        loaded = LoadedSource(entry, tuple(passages))
        if stamp is not None:
            self._kept[entry.id] = (stamp, loaded)
        return loaded


def _stamp(place: Path) -> _Stamp | None:
    try:
        found = place.stat()
    except OSError:
        return None  # reading it says why
    return _Stamp(found.st_ino, found.st_size, found.st_mtime_ns)


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
