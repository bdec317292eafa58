"""Reads evaluation cases from JSON lines; an error names the line."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from footnoted.contract import MAX_QUERY, MAX_SOURCE, MAX_SOURCES, GenerationConfig, GenerationRequest
from footnoted.errors import SourceError
from footnoted.evaluation.reading import context_of, first_fault, json_lines
from footnoted.types import Source


class Passage(BaseModel):
    """One source of a case."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    text: str = Field(max_length=MAX_SOURCE)
    title: str = ""


class Case(BaseModel):
    """A question, its passages, and what a right answer looks like.

    ``answerable``: whether the passages hold the answer, ``None`` when nobody knows. ``evidence``: sentences of the
    passages an answer should rest on; ``answers``: texts that would be right. Both may be empty. Further keys of a
    line are kept in ``extra``.
    """

    model_config = ConfigDict(extra="allow", frozen=True)

    id: str
    question: str = Field(max_length=MAX_QUERY)
    passages: tuple[Passage, ...] = Field(default=(), max_length=MAX_SOURCES)
    answerable: bool | None = None
    evidence: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()

    @field_validator("id", mode="before")
    @classmethod
    def _number_or_text(cls, value: object) -> object:
        return str(value) if isinstance(value, int) else value

    @field_validator("evidence", "answers", mode="before")
    @classmethod
    def _none_is_empty(cls, value: object) -> object:
        return () if value is None else value

    @field_validator("question")
    @classmethod
    def _asks_something(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("the question is empty")
        return value

    @property
    def extra(self) -> dict[str, object]:
        """What else stood on the line."""
        return dict(self.__pydantic_extra__ or {})

    def as_request(self, config: GenerationConfig | None = None) -> GenerationRequest:
        """The case as a question to a generator; a passage's id is that of its place and text, run after run."""
        return GenerationRequest(
            query=self.question,
            config=config or GenerationConfig(),
            context=[
                context_of(place, Source(str(place), passage.text, passage.title))
                for place, passage in enumerate(self.passages)
            ],
        )


def read_cases(path: Path, *, limit: int | None = None) -> list[Case]:
    """The cases of a JSON-lines file, in its order; empty lines are nothing.

    Raises `SourceError` for a file that cannot be read, a line that is no case, or an id that comes twice.
    """
    found: dict[str, Case] = {}
    for number, value in json_lines(path):
        case = _case(value, f"{path}, line {number}")
        if case.id in found:
            raise SourceError(f"{path}, line {number}: the id {case.id!r} came before; ids tell cases apart")
        found[case.id] = case
        if limit is not None and len(found) >= limit:
            break
    if not found:
        raise SourceError(f'{path} has no cases; a line is {{"id": …, "question": …, "passages": [{{"text": …}}]}}')
    return list(found.values())


def _case(value: object, place: str) -> Case:
    if isinstance(value, SourceError):
        raise SourceError(f"{place}: {value}")
    try:
        return Case.model_validate(value)
    except ValidationError as error:
        raise SourceError(f"{place}: {first_fault(error, 'the line')}") from error
