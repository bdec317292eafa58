"""Streams a structured answer as events and weighs every field against the sources.

request + schema → prompt → deltas → fields → verdicts → events, and the object with its evidence last.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import pydantic_core
from pydantic import BaseModel, ValidationError

from footnoted.answering.blueprint import Blueprint
from footnoted.answering.field_checks import FieldChecks
from footnoted.answering.fields import FieldReader, fields_of
from footnoted.answering.fitting import fit, in_words, misfit, repair, schema_prompt
from footnoted.answering.given import Given
from footnoted.answering.watch import Watch
from footnoted.answering.whole import Said, pieces_of
from footnoted.contract import CheckedOutput, FieldEvidence, TokenUsage
from footnoted.events import FieldChecked, FieldCompleted, FieldEvent, FieldsReset, OutputFinished
from footnoted.text import estimate_tokens

if TYPE_CHECKING:
    from footnoted.answering.answer import Answering
    from footnoted.answering.field_checks import Checked
    from footnoted.answering.fields import Field
    from footnoted.answering.weighing import Checking
    from footnoted.contract import GenerationRequest, Output
    from footnoted.types import Prompt, Verdict

Unsupported = Literal["keep", "null", "flag"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked for: an object of this schema, and what becomes of values that nothing carries."""

    output_schema: type[BaseModel]
    unsupported: Unsupported = "flag"
    controls: Collection[str] = ()


async def stream_checked(
    request: GenerationRequest, wanted: Wanted, how: Answering, checking: Checking
) -> AsyncGenerator[FieldEvent]:
    """Each field as it completes and its verdict as it is reached; `OutputFinished` comes last, exactly once.

    A reply that does not fit is repaired once: `FieldsReset` takes back what was told of it. Raises as
    `StructuredGenerator.generate_structured` does, whatever was told before. Closing this generator closes the
    provider's connection and stops the checks.
    """
    prompt, fitted = schema_prompt(request, wanted.output_schema, how)
    assert prompt.schema is not None  # noqa: S101 - it was just asked for
    blueprint = Blueprint(prompt.schema.json)
    checking = replace(checking, watch=checking.watch or Watch(prompt.question, prompt.sources))
    asked, usages = prompt, list[TokenUsage]()
    for last in (False, True):
        timed = checking.within(how.deadlines)
        checks = FieldChecks(blueprint, prompt.sources, timed, controls=wanted.controls)
        telling = _Telling(checks, Given(request.context, fitted.kept), hold=wanted.unsupported == "null")
        said = Said()
        try:
            async with aclosing(pieces_of(asked, how, said)) as pieces:
                async for event in telling.listen(pieces):
                    yield event
            usages.append(_usage(asked, said))
            try:
                value = fit(said.text, wanted.output_schema, shown=fitted.kept)
            except ValidationError as error:
                if last:
                    raise misfit(error, wanted.output_schema, said.text) from error
                faults = in_words(error)
                if telling.told:
                    yield FieldsReset(f"the reply does not fit the schema and is written anew: {faults}")
                asked = repair(prompt, said.text, faults)
                continue
            async for event in telling.finish(_fields_in(value)):
                yield event
            yield OutputFinished(_settled(value, wanted, blueprint, telling, usages))
            return
        finally:
            checks.cancel()


class _Telling:
    """What the reader knows of one reply's fields. ``hold``: a value is told only once its verdict lets it stand."""

    def __init__(self, checks: FieldChecks, given: Given, *, hold: bool) -> None:
        self.told: dict[str, Field] = {}
        self.checked: dict[str, Checked] = {}
        self._checks = checks
        self._given = given
        self._hold = hold

    async def listen(self, pieces: AsyncGenerator[str]) -> AsyncGenerator[FieldEvent]:
        """The events of a reply as it comes."""
        reader = FieldReader()
        async for piece in pieces:
            for field in filter(self._checks.knows, reader.decode(piece)):
                for event in self._take(field):
                    yield event
            for event in self._heard(self._checks.reached()):
                yield event

    async def finish(self, fields: Sequence[Field]) -> AsyncGenerator[FieldEvent]:
        """The rest of the events, once it is known which fields the object really has."""
        given = set(self.told)
        gone = given - {field.path for field in fields}
        if gone:
            yield FieldsReset(f"the object has no {', '.join(sorted(gone))}")
            self.told.clear()
            self.checked.clear()
        for field in fields:
            before = self.told.get(field.path)
            if before is None or not _same(before, field):
                for event in self._take(field, told=field.path in given):
                    yield event
        self._checks.close()
        while heard := await self._checks.next():
            for event in self._heard(heard):
                yield event

    def evidence(self, path: str) -> FieldEvidence:
        """What was found about a field."""
        return self._evidence(self.checked[path].verdict)

    def _take(self, field: Field, *, told: bool = True) -> list[FieldEvent]:
        self.told[field.path] = field
        self._checks.take(field, told=told)
        return [] if self._hold else [FieldCompleted(field.path, field.value)]

    def _heard(self, reached: Sequence[Checked]) -> list[FieldEvent]:
        events: list[FieldEvent] = []
        for checked in reached:
            path = checked.field.path
            if self.told.get(path) is not checked.field:
                continue  # the verdict is on a value that another has replaced
            self.checked[path] = checked
            if self._hold and checked.stands:
                events.append(FieldCompleted(path, checked.field.value))
            shown = checked.stands or not self._hold
            events.append(FieldChecked(path, self._evidence(checked.verdict), shown=shown))
        return events

    def _evidence(self, verdict: Verdict) -> FieldEvidence:
        return FieldEvidence(**self._given.told(verdict))


def _settled(
    value: Output, wanted: Wanted, blueprint: Blueprint, telling: _Telling, usages: Sequence[TokenUsage]
) -> CheckedOutput[Any]:
    """The object as asked: what nothing carries kept, or flagged, and nulled where that leaves a valid object."""
    fields = _fields_in(value)
    failed = [field for field in fields if not telling.checked[field.path].stands]
    nulled: list[Field] = []
    settled: BaseModel = value
    if wanted.unsupported == "null":
        able = [field for field in failed if (asked := blueprint.field(field.steps)) and asked.nullable]
        settled, nulled = _nulled(value, able)
    return CheckedOutput(
        value=settled,
        evidence={field.path: telling.evidence(field.path) for field in fields},
        flagged=[] if wanted.unsupported == "keep" else [field.path for field in failed],
        nulled=[field.path for field in nulled],
        usage=_sum(usages),
    )


def _nulled(value: BaseModel, fields: Sequence[Field]) -> tuple[BaseModel, list[Field]]:
    """The object without these fields' values, as many of them as its validators let go."""
    less = _without(value, fields) if fields else None
    if less is not None:
        return less, list(fields)
    if len(fields) < 2:
        return value, []
    value, first = _nulled(value, fields[: len(fields) // 2])
    value, second = _nulled(value, fields[len(fields) // 2 :])
    return value, first + second


def _without(value: BaseModel, fields: Sequence[Field]) -> BaseModel | None:
    """The object with null for these fields; ``None`` where that is no valid object, or changes anything else."""
    given = _dumped(value)
    for field in fields:
        inside = given
        for step in field.steps[:-1]:
            inside = inside[step]
        inside[field.steps[-1]] = None
    try:
        less = type(value).model_validate_json(pydantic_core.to_json(given))
    except ValidationError:
        return None
    return less if list(fields_of(given)) == _fields_in(less) else None


def _dumped(value: BaseModel) -> Any:
    return value.model_dump(mode="json", by_alias=True, round_trip=True, warnings=False)


def _fields_in(value: BaseModel) -> list[Field]:
    return list(fields_of(_dumped(value)))


def _same(one: Field, other: Field) -> bool:
    """Whether two values of a field are the same: 75 and 75.0 are, 1 and true are not."""
    return isinstance(one.value, bool) == isinstance(other.value, bool) and one.value == other.value


def _usage(prompt: Prompt, said: Said) -> TokenUsage:
    usage = said.usage
    if usage is not None:
        return TokenUsage(input=usage.input, cached=usage.cached, output=usage.output)
    read, written = estimate_tokens(prompt.words), estimate_tokens(said.text)
    return TokenUsage(input=read, output=written, estimated=True)


def _sum(usages: Sequence[TokenUsage]) -> TokenUsage:
    return TokenUsage(
        input=sum(usage.input for usage in usages),
        cached=sum(usage.cached for usage in usages),
        output=sum(usage.output for usage in usages),
        estimated=any(usage.estimated for usage in usages),
    )
