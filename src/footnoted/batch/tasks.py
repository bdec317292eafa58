"""Reads tasks from a file of JSON lines: a question to answer, or an answer to check."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from footnoted.contract import MAX_QUERY
from footnoted.errors import SourceError
from footnoted.evaluation.reading import json_lines, sources_of


@dataclass(frozen=True, slots=True)
class Task:
    """One line. ``answer`` is checked when there is one, else ``question`` is answered.

    ``sources`` are pairs of title and text; without any, the folder's index is searched.
    """

    place: int
    id: str
    question: str
    answer: str = ""
    sources: tuple[tuple[str, str], ...] = ()


def read_tasks(path: Path) -> Iterator[Task | SourceError]:
    """The tasks of a file, one at a time; a line that is none is an error of its own, and the rest goes on.

    Raises `SourceError` when the file cannot be read at all.
    """
    seen: set[str] = set()
    for place, value in json_lines(path):
        try:
            task = _task(value, place)
            if task.id in seen:
                raise SourceError(f"the id {task.id!r} came before")
            seen.add(task.id)
            yield task
        except SourceError as error:
            yield SourceError(f"{path}, line {place}: {error}")


def _task(data: object, place: int) -> Task:
    if isinstance(data, SourceError):
        raise data
    if not isinstance(data, dict):
        raise SourceError('write {"id": …, "question": …}, or {"id": …, "answer": …, "sources": [{"text": …}]}')
    question, answer = (_string(data, key) for key in ("question", "answer"))
    if not question.strip() and not answer.strip():
        raise SourceError("it has neither a question nor an answer")
    if len(question) > MAX_QUERY:
        raise SourceError(f"the question is longer than {MAX_QUERY:,} characters")
    identity = data.get("id", place)
    if not isinstance(identity, str | int):
        raise SourceError("the id is neither text nor a number")
    return Task(place, str(identity), question, answer, tuple(sources_of(data) or ()))


def _string(data: dict[str, Any], key: str) -> str:
    value = data.get(key) or ""
    if not isinstance(value, str):
        raise SourceError(f"{key} is not text")
    return value
