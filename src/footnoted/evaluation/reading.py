"""Reads other systems' files one JSON line at a time, and the sources an object of theirs brings."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from pydantic import ValidationError

from footnoted.contract import MAX_SOURCE, MAX_SOURCES, SourceContext
from footnoted.errors import SourceError
from footnoted.types import Source

MAX_LINE = 50_000_000  # characters
# What other systems call an answer's sources and a source's text, footnoted's own names first.
_SOURCES = "sources", "passages", "context", "contexts", "retrieved_contexts", "documents", "source_documents"
_TEXT = "text", "content", "page_content"


def json_lines(path: Path) -> Iterator[tuple[int, Any]]:
    """Each line's number, from 1, and its value; a line that is not JSON gives a `SourceError` as its value.

    Empty lines are nothing. Raises `SourceError` when the file cannot be read at all.
    """
    try:
        with path.open(encoding="utf-8-sig") as lines:
            number = 0
            while line := lines.readline(MAX_LINE + 1):
                number += 1
                if len(line) > MAX_LINE:
                    yield number, SourceError(f"longer than {MAX_LINE // 1_000_000} MB")
                    return  # where the next line begins is not known
                if line.strip():
                    yield number, _value(line)
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"{path} cannot be read: {error}") from error


def first_fault(error: ValidationError, whole: str = "") -> str:
    """The first thing that is wrong, and with what field, or the ``whole``."""
    fault = error.errors()[0]
    return f"{'.'.join(map(str, fault['loc'])) or whole}: {fault['msg']}"


def _value(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        return SourceError(f"not JSON: {error}")


def sources_of(data: dict[str, Any]) -> list[tuple[str, str]] | None:
    """Title and text of each source an object brings, strings or objects; ``None`` when it has no list of them.

    Raises `SourceError` for a source without text, and for more or longer ones than are read.
    """
    given = next((data[key] for key in _SOURCES if isinstance(data.get(key), list)), None)
    if given is None:
        return None
    if len(given) > MAX_SOURCES:
        raise SourceError(f"{len(given)} sources; at most {MAX_SOURCES} are read")
    return [_source(source, number) for number, source in enumerate(given, start=1)]


def context_of(place: int, source: Source) -> SourceContext:
    """A source as a generator takes it; the same passage has the same id in every run and on every worker."""
    return SourceContext(
        chunk_id=uuid5(NAMESPACE_URL, f"{place}\n{source.title}\n{source.text}"),
        document_id=uuid5(NAMESPACE_URL, source.title),
        content=source.text,
        metadata={**source.metadata, "title": source.title},
        relevance_score=source.score or 0.0,
    )


def _source(given: object, number: int) -> tuple[str, str]:
    fields = {"text": given} if isinstance(given, str) else given if isinstance(given, dict) else {}
    text = next((fields[key] for key in _TEXT if isinstance(fields.get(key), str)), None)
    if text is None:
        raise SourceError(f'source {number} has no text; write a string or {{"title": …, "text": …}}')
    if len(text) > MAX_SOURCE:
        raise SourceError(f"source {number} is longer than {MAX_SOURCE:,} characters")
    return str(fields.get("title") or fields.get("name") or fields.get("id") or f"source {number}"), text
