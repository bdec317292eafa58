"""Reads an electronic book (EPUB 2 and 3): its chapters in the order of the book, each as the web page it is."""

from __future__ import annotations

import posixpath
import zipfile
from typing import Any
from urllib.parse import unquote

from footnoted.errors import SourceError
from footnoted.retrieval.load.archive import open_archive, part_of, tree_of
from footnoted.retrieval.load.document import Document, Draft
from footnoted.retrieval.load.html import decoded_page, write_page

_MOST_CHAPTERS = 2_000


def read_epub(path: str, data: bytes, *, limit_bytes: int) -> Document:
    """The document of a book. Raises `SourceError` when it is damaged, or its chapters are locked."""
    with open_archive(data, "EPUB", limit_bytes=limit_bytes) as archive:
        if part_of(archive, "META-INF/rights.xml"):
            raise SourceError("is locked by its seller (DRM); its text cannot be read")
        place = _package(archive)
        package = tree_of(part_of(archive, place), "the book's list of chapters")
        title = next((" ".join((element.text or "").split()) for element in package.iter("{*}title")), "")
        draft = Draft()
        for name in _chapters(package, posixpath.dirname(place))[:_MOST_CHAPTERS]:
            if page := part_of(archive, name):
                write_page(draft, decoded_page(page))
    return draft.document(path, title=title, kind="epub")


def _package(archive: zipfile.ZipFile) -> str:
    container = part_of(archive, "META-INF/container.xml")
    if not container:
        raise SourceError("is a zip archive, but not a book: it names no package")
    named = [file.get("full-path") for file in tree_of(container, "the book's container").iter("{*}rootfile")]
    if not named or not named[0]:
        raise SourceError("is damaged: the book names no package")
    return str(named[0])


def _chapters(package: Any, folder: str) -> list[str]:
    """The parts of the book in reading order, without its table of contents."""
    places: dict[str, str] = {}
    for item in package.iter("{*}item"):
        if "html" in (item.get("media-type") or "") and "nav" not in (item.get("properties") or "").split():
            places[item.get("id") or ""] = posixpath.normpath(posixpath.join(folder, unquote(item.get("href") or "")))
    order = [chapter.get("idref") or "" for chapter in package.iter("{*}itemref")]
    return list(dict.fromkeys(places[id_] for id_ in order if id_ in places))
