"""Writes the index artifact of folders and URLs; only what changed since the last time is done again."""

from __future__ import annotations

import asyncio
import hashlib
import os
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

from footnoted.assistants.community.artifact import Entry, open_entries, written
from footnoted.assistants.community.knowledge import KINDS, LIMIT, kept_page, page_stem, read_bounded
from footnoted.errors import FootnotedError, SourceError
from footnoted.fetching import Fetcher, is_public

Summarise = Callable[[str, str], Awaitable[str]]
Advance = Callable[[int, int, str], None]
_AT_ONCE = 4
_AGENT = "footnoted-index (reads pages for a community's knowledge base)"
_CONTENT_TYPES = {
    "text/html": "html",
    "application/xhtml+xml": "html",
    "text/markdown": "markdown",
    "text/x-markdown": "markdown",
    "application/pdf": "pdf",
    "text/plain": "text",
}


@dataclass(frozen=True, slots=True)
class Manners:
    """How pages are fetched: limits, and what is allowed beyond public https addresses."""

    most_bytes: int = 5_000_000
    seconds: float = 20.0  # for a page, its redirects included
    pause: float = 1.0  # between two pages of one host
    http: bool = False
    private: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """What a URL gave: its bytes, its kind, and where it was found after redirects."""

    url: str
    kind: str
    data: bytes


async def fetch(url: str, manners: Manners) -> Page:
    """The page at ``url``. Raises `SourceError` with the reason."""
    found = await Fetcher(
        manners.most_bytes,
        manners.seconds,
        schemes=("http", "https") if manners.http else ("https",),
        agent=_AGENT,
        reaches=(lambda _: True) if manners.private else is_public,
    ).fetch(url)
    kind = _CONTENT_TYPES.get(found.content_type)
    if kind is None:
        raise SourceError(f"is {found.content_type}; pages are read as HTML, Markdown, PDF or plain text")
    if kind == "text" and urlsplit(found.url).path.lower().endswith((".md", ".markdown")):
        kind = "markdown"
    return Page(found.url, kind, found.data)


@dataclass(slots=True)
class Indexed:
    """What became of each source, by id: ``done`` anew, ``kept`` as it was, ``failed`` with a reason, ``gone``.

    ``passed_over``: files of a kind that is not read, by name, with the reason.
    """

    entries: list[Entry] = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    passed_over: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Source:
    id: str
    location: str
    place: Path | None  # of a file; a URL has none


async def build_index(
    paths: Sequence[Path],
    urls: Sequence[str],
    out: Path,
    *,
    summarise: Summarise,
    manners: Manners | None = None,
    advance: Advance | None = None,
    again: bool = False,
) -> Indexed:
    """Write the artifact at ``out`` and say what was done. ``again`` summarises everything anew.

    A source that fails keeps the entry it had, if any. Raises `SourceError` when no source could be read.
    """
    before = await asyncio.to_thread(_before, out)
    indexed = Indexed()
    sources = _sources(paths, urls, before, out, indexed)
    gate, pages = asyncio.Semaphore(_AT_ONCE), _Pages(out.parent, manners or Manners())
    finished = 0

    async def refreshed(source: _Source) -> Entry | None:
        nonlocal finished
        old = before.get(source.id)
        try:
            async with gate:
                entry: Entry | None = await _entry(source, None if again else old, pages, summarise)
            (indexed.kept if entry is old else indexed.done).append(source.id)
        except FootnotedError as error:
            indexed.failed[source.id] = str(error)
            entry = old
        finished += 1
        if advance is not None:
            advance(finished, len(sources), source.id)
        return entry

    entries = await asyncio.gather(*map(refreshed, sources))
    indexed.entries = [entry for entry in entries if entry is not None]
    indexed.gone = sorted(set(before) - {source.id for source in sources})
    if not indexed.entries:
        why = "; ".join(f"{id_}: {reason}" for id_, reason in list(indexed.failed.items())[:5])
        raise SourceError(f"no source could be read{': ' + why if why else '; name a folder or a URL'}")
    await asyncio.to_thread(_write, out, written(indexed.entries))
    return indexed


def _before(out: Path) -> dict[str, Entry]:
    return {entry.id: entry for entry in open_entries(out)} if out.exists() else {}


def _sources(
    paths: Sequence[Path], urls: Sequence[str], before: dict[str, Entry], out: Path, indexed: Indexed
) -> list[_Source]:
    """The sources there are: the files under ``paths``, the URLs, and entries of before that still have a source."""
    from footnoted.retrieval.load.found import as_paths, find

    folder = out.parent
    pages = page_stem(folder.resolve(), "").parent
    sources: dict[str, _Source] = {}
    known = {entry.location: entry.id for entry in before.values()}
    if paths:
        findings = find(as_paths(list(paths)))
        indexed.failed |= {problem.path: problem.reason for problem in findings.problems}
        indexed.passed_over |= {problem.path: problem.reason for problem in findings.passed_over}
        for file in findings.files:
            place = Path(file.where)
            if place == out.resolve() or pages in place.parents:
                continue  # our own
            location = os.path.relpath(place, folder.resolve()).replace(os.sep, "/")
            id_ = known.get(location, file.path)
            sources[id_] = _Source(id_, location, place)
    for url in urls:
        id_ = known.get(url, url)
        sources[id_] = _Source(id_, url, None)
    for entry in before.values():
        file_of_before = None if entry.remote else folder / entry.location
        if entry.id not in sources and (file_of_before is None or file_of_before.is_file()):
            sources[entry.id] = _Source(entry.id, entry.location, file_of_before)
    return list(sources.values())


async def _entry(source: _Source, old: Entry | None, pages: _Pages, summarise: Summarise) -> Entry:
    from footnoted.retrieval.load import parse

    if source.place is None:
        data, kind, name = await pages.get(source.location)
    else:
        data, kind, name = await asyncio.to_thread(read_bounded, source.place), None, source.place.name
    digest = hashlib.sha256(data).hexdigest()
    if old is not None and old.summary and old.sha256 == digest:
        return old
    document = await asyncio.to_thread(parse, data, name, kind=kind, limit_bytes=LIMIT)
    title = document.title
    if source.place is None and title.strip() in {"", page_stem(Path(), source.location).name}:
        title = source.location
    summary = await summarise(source.id, document.text)
    entry = Entry(source.id, title, source.location, digest, summary, old.link if old else "")
    if old is not None and not old.sha256 and old.summary:
        # Written by hand: its words stay, and are watched from now on.
        return replace(entry, summary=old.summary, title=old.title)
    return entry


class _Pages:
    """Pages fetched politely, one at a time from a host, each kept beside the artifact."""

    def __init__(self, folder: Path, manners: Manners) -> None:
        self._folder = folder
        self._manners = manners
        self._hosts: dict[str, asyncio.Lock] = {}

    async def get(self, url: str) -> tuple[bytes, str, str]:
        """The page's bytes, its kind, and a name to parse it by."""
        host = urlsplit(url).netloc
        lock = self._hosts.setdefault(host, asyncio.Lock())
        waited = lock.locked()
        async with lock:
            if waited:
                await asyncio.sleep(self._manners.pause)
            page = await fetch(url, self._manners)
        place = page_stem(self._folder, url).with_suffix(KINDS[page.kind])
        await asyncio.to_thread(self._keep, place, page.data, kept_page(self._folder, url))
        return page.data, page.kind, place.name

    @staticmethod
    def _keep(place: Path, data: bytes, old: Path | None) -> None:
        if old is not None and old != place:
            old.unlink(missing_ok=True)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)


def _write(out: Path, text: str) -> None:
    """Whole or not at all: a reader never sees half an index."""
    out.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=out.parent, prefix=f".{out.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(name).chmod(0o644)
        Path(name).replace(out)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
