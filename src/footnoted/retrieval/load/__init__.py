"""Reads files and folders into documents and passages, with a word on each file that could not be read."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Protocol

from footnoted.errors import SourceError
from footnoted.retrieval.load.chunks import chunks
from footnoted.retrieval.load.document import Block, Document, Section
from footnoted.retrieval.load.found import (
    FORMATS,
    READABLE,
    Findings,
    Found,
    Problem,
    as_paths,
    ending_of,
    endings_of,
    find,
)
from footnoted.types import Source

__all__ = [
    "FORMATS",
    "LIMIT",
    "READABLE",
    "Block",
    "Document",
    "Loaded",
    "Problem",
    "Progress",
    "Section",
    "chunks",
    "load",
    "parse",
    "read",
]

# Format → the module of its reader and the reader's name, by what the reader takes.
_OF_ARCHIVES = {
    "docx": ("docx", "read_docx"),
    "odt": ("odt", "read_odt"),
    "pptx": ("slides", "read_pptx"),
    "epub": ("epub", "read_epub"),
    "sheet": ("sheets", "read_workbook"),
}
_OF_BYTES = {"pdf": ("pdf", "read_pdf"), "html": ("html", "read_html"), "mail": ("mail", "read_mail")}
_OF_TEXT = {
    "text": ("plain", "read_plain"),
    "markdown": ("markdown", "read_markdown"),
    "rst": ("rst", "read_rst"),
    "asciidoc": ("asciidoc", "read_asciidoc"),
    "table": ("sheets", "read_table"),
    "notebook": ("notebook", "read_notebook"),
}
LIMIT = 50 * 1024 * 1024  # bytes a file may have, unless the caller says otherwise


class Progress(Protocol):
    """Called after each file with how many are done, of how many, and which one it was."""

    def __call__(self, done: int, total: int, path: str, /) -> None:
        """Take note."""
        ...


@dataclass(frozen=True, slots=True)
class Loaded:
    """What was read: passages and the documents they came from; what failed; and what is of a kind that is not read.

    ``unread`` names every file that was not read, with the reason; ``skipped`` counts those passed over by ending.
    """

    sources: list[Source]
    documents: list[Document]
    problems: list[Problem]
    passed_over: list[Problem] = field(default_factory=list)

    @property
    def unread(self) -> list[Problem]:
        """Each file that was not read, and why."""
        return [*self.problems, *self.passed_over]

    @property
    def skipped(self) -> Counter[str]:
        """How many files of each unknown ending were passed over."""
        return endings_of(self.passed_over)


def load(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    progress: Progress | None = None,
    limit_bytes: int = LIMIT,
) -> Loaded:
    """Read every file at or under ``paths``; one that cannot be read becomes a problem and stops nothing.

    Raises `SourceError` when a path does not exist, or when no file could be read at all.
    """
    findings = find(as_paths(paths))
    documents: list[Document] = []
    sources: list[Source] = []
    problems = list(findings.problems)
    for number, found in enumerate(findings.files, 1):
        try:
            document = read(found, limit_bytes=limit_bytes)
            passages = chunks(document)
            if not passages:
                raise SourceError("holds headings only and no text under them")
        except SourceError as error:
            problems.append(Problem(found.path, str(error)))
        else:
            documents.append(document)
            sources.extend(passages)
            if document.unread:
                problems.append(Problem(found.path, document.unread))
        if progress is not None:
            progress(number, len(findings.files), found.path)
    if not sources:
        raise nothing_readable(findings, problems)
    return Loaded(sources, documents, problems, findings.passed_over)


def read(found: Found, *, limit_bytes: int = LIMIT) -> Document:
    """Read one file. Raises `SourceError` with the reason alone; the caller knows the name."""
    return parse(read_bytes(found, limit_bytes=limit_bytes), found.path, kind=found.format, limit_bytes=limit_bytes)


def read_bytes(found: Found, *, limit_bytes: int = LIMIT) -> bytes:
    """The bytes of a file within the limit."""
    if found.size > limit_bytes:
        raise SourceError(_too_large(found.size, limit_bytes))
    try:
        with Path(found.where).open("rb") as file:
            data = file.read(limit_bytes + 1)
    except PermissionError:
        raise SourceError("cannot be read: you lack the permission") from None
    except OSError as error:
        raise SourceError(f"cannot be read ({(error.strerror or str(error)).lower()})") from None
    if len(data) > limit_bytes:
        raise SourceError(_too_large(len(data), limit_bytes))
    return data


def parse(data: bytes, path: str, *, kind: str | None = None, limit_bytes: int = LIMIT) -> Document:
    """The document in ``data``; its kind from the ending of ``path`` unless given.

    Raises `SourceError` with the reason: empty, binary, encrypted, damaged, images only, too large.
    """
    if len(data) > limit_bytes:
        raise SourceError(_too_large(len(data), limit_bytes))
    if not data.strip(b"\x00 \t\r\n"):
        raise SourceError("is empty")
    kind = kind or FORMATS.get(ending_of(path), "text")
    document = _parse(data, path, kind, limit_bytes)
    if not document.text.strip() or not any(char.isalnum() for char in document.text):
        raise SourceError("holds no words")
    return document


def _parse(data: bytes, path: str, kind: str, limit_bytes: int) -> Document:
    # Each parser is imported when its first file comes: reopening an index needs none of them.
    if kind in _OF_ARCHIVES:
        return _reader(*_OF_ARCHIVES[kind])(path, data, limit_bytes=limit_bytes)
    if kind in _OF_BYTES:
        return _reader(*_OF_BYTES[kind])(path, data)
    from footnoted.retrieval.load.decode import decode
    from footnoted.retrieval.load.rst import is_rst

    text = decode(data)
    if kind == "text" and is_rst(text):
        try:
            return _reader(*_OF_TEXT["rst"])(path, text)
        except SourceError:  # it is readable as it stands
            pass
    if kind == "mdx":
        return _reader(*_OF_TEXT["markdown"])(path, text, components=True)
    return _reader(*_OF_TEXT.get(kind, _OF_TEXT["text"]))(path, text)


def _reader(module: str, name: str) -> Callable[..., Document]:
    found: Callable[..., Document] = getattr(import_module(f"{__name__}.{module}"), name)
    return found


def nothing_readable(findings: Findings, problems: list[Problem]) -> SourceError:
    """The error for paths under which no file could be read: what was there, and what can be read."""
    reasons: list[str] = [f"{problem.path} {problem.reason}" for problem in problems[:5]]
    if len(problems) > 5:
        reasons.append(f"and {len(problems) - 5} more like these")
    if findings.passed_over:
        counts = endings_of(findings.passed_over).most_common(8)
        kinds = ", ".join(f"{count} × {ending}" for ending, count in counts)
        reasons.append(f"passed over: {kinds}")
    what = "; ".join(reasons) or "there are no files in it"
    return SourceError(f"nothing here can be read: {what}. Files that can be read: {READABLE}")


def _too_large(size: int, limit: int) -> str:
    return f"is too large: {size / 1_048_576:.1f} MB, and the limit is {limit / 1_048_576:.1f} MB a file"
