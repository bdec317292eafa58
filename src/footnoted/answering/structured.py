"""Answers a request with an instance of a pydantic model, its fields checked if asked.

Replies come on the provider's own schema mechanism where it has one.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Collection
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator

from footnoted.answering.checked import Unsupported, Wanted, stream_checked
from footnoted.answering.fitting import fit, in_words, misfit, repair, schema_prompt
from footnoted.answering.generator import GroundedGenerator
from footnoted.answering.whole import whole_reply
from footnoted.closing import Closing
from footnoted.errors import BadProviderReply, ConfigurationError, StructuredOutputError
from footnoted.events import FieldEvent, OutputFinished

if TYPE_CHECKING:
    from footnoted.contract import CheckedOutput, GenerationRequest, Output

_ANSWERS_CONTROLS = frozenset({"confidence", "sources_used", "limitations"})


class AnswerWithSources(BaseModel):
    """An answer as fields. ``sources_used`` are the numbers of the sources given, from 1."""

    model_config = ConfigDict(extra="forbid")

    answer: str = Field(description="the answer, in full sentences, from the sources alone")
    confidence: float = Field(ge=0, le=1, description="how fully the sources carry the answer, 0 to 1")
    sources_used: list[int] = Field(description="numbers of the sources the answer rests on")
    key_facts: list[str] = Field(description="the facts the answer rests on, one each")
    limitations: str | None = Field(default=None, description="what the sources leave open, or null")

    @field_validator("sources_used")
    @classmethod
    def _names_sources(cls, numbers: list[int], info: ValidationInfo) -> list[int]:
        """The model counts the sources it was shown. A number that names none goes, as an unknown marker does."""
        shown = (info.context or {}).get("shown")
        known = numbers if shown is None else [shown[n - 1] + 1 for n in numbers if 1 <= n <= len(shown)]
        return list(dict.fromkeys(known))


class ComparisonResult(BaseModel):
    """What sources say alike, differently and against one another."""

    model_config = ConfigDict(extra="forbid")

    similarities: list[str] = Field(description="points on which they agree")
    differences: list[str] = Field(description="points on which they differ, each side named")
    contradictions: list[str] = Field(description="statements that cannot both be true")
    conclusion: str = Field(description="what follows, in one or two sentences")


class StructuredGenerator(Closing):
    """Grounded answers as pydantic models. Takes `GroundedGenerator`'s arguments, or one as ``generator``."""

    def __init__(
        self, provider: Any = "extractive", *, generator: GroundedGenerator | None = None, **options: Any
    ) -> None:
        self._generator = generator or GroundedGenerator(provider, **options)

    async def generate_structured(
        self, request: GenerationRequest, output_schema: type[Output], *, controls: Collection[str] = ()
    ) -> Output:
        """The answer as ``output_schema``; a reply that does not fit is sent back for repair once.

        With ``config.require_grounding``, the default, every field is checked as by `generate_checked`: a value that
        no source carries is null where the schema allows it. ``controls`` names fields that are no claims about the
        sources. With ``checking="off"`` nothing is checked.

        Raises `StructuredOutputError` without sources, when the repair does not fit either, when the reply was cut at
        ``max_tokens``, and when a value that no source carries cannot be null (``fields`` has their paths);
        `ProviderError` when the provider failed.
        """
        _expect_model(output_schema)
        if request.config.require_grounding and not self._generator.unchecked:
            return _grounded(await self.generate_checked(request, output_schema, unsupported="null", controls=controls))
        how = self._generator.answering
        prompt, fitted = schema_prompt(request, output_schema, how)
        reply = await whole_reply(prompt, how)
        try:
            return fit(reply, output_schema, shown=fitted.kept)
        except ValidationError as error:
            faults = in_words(error)
        repaired = await whole_reply(repair(prompt, reply, faults), how)
        try:
            return fit(repaired, output_schema, shown=fitted.kept)
        except ValidationError as error:
            raise misfit(error, output_schema, repaired) from error

    async def generate_checked(
        self,
        request: GenerationRequest,
        output_schema: type[Output],
        *,
        unsupported: Unsupported = "flag",
        controls: Collection[str] = (),
    ) -> CheckedOutput[Output]:
        """The answer as ``output_schema``, and for each of its fields the verdict and the words it rests on.

        ``unsupported``: what becomes of a value no source carries, or that could not be checked: ``keep`` it,
        ``flag`` its path, or ``flag`` and ``null`` it where the schema allows. ``controls`` names fields
        that are no claims about the sources. Raises `StructuredOutputError` and `ProviderError`, for no verdict.
        """
        events = self.stream_checked(request, output_schema, unsupported=unsupported, controls=controls)
        async with aclosing(events):
            async for event in events:
                if isinstance(event, OutputFinished):
                    return event.output
        raise BadProviderReply("the answer ended without an ending; this is a defect of footnoted")

    def stream_checked(
        self,
        request: GenerationRequest,
        output_schema: type[Output],
        *,
        unsupported: Unsupported = "flag",
        controls: Collection[str] = (),
    ) -> AsyncGenerator[FieldEvent]:
        """The same as it happens: `FieldCompleted`, `FieldChecked`, at the end `OutputFinished`.

        `FieldsReset` takes back what was told of a reply that did not fit. With ``unsupported="null"`` a value is
        told only once its verdict lets it stand.
        """
        if unsupported not in ("keep", "null", "flag"):
            raise ConfigurationError(f"unsupported is one of keep, null, flag; got {unsupported!r}")
        _expect_model(output_schema)
        own = _ANSWERS_CONTROLS if issubclass(output_schema, AnswerWithSources) else frozenset[str]()
        wanted = Wanted(output_schema, unsupported, own.union(controls))
        return stream_checked(request, wanted, self._generator.answering, self._generator.checking_fields())

    async def aclose(self) -> None:
        """Close the provider's connections."""
        await self._generator.aclose()


def _expect_model(schema: Any) -> None:
    if not (isinstance(schema, type) and issubclass(schema, BaseModel)):
        raise ConfigurationError(f"output_schema is a class made of pydantic's BaseModel; got {schema!r}")


def _grounded(checked: CheckedOutput[Output]) -> Output:
    """The object, if all that stands in it is carried by the sources."""
    left = tuple(path for path in checked.flagged if path not in checked.nulled)
    if left:
        told = "; ".join(f"{path} ({checked.evidence[path].reason or checked.evidence[path].verdict})" for path in left)
        raise StructuredOutputError(
            f"the sources do not carry these fields, and the schema does not let them be null: {told}. "
            "generate_checked gives the object with its verdicts; config.require_grounding=False checks nothing",
            reply=checked.value.model_dump_json(),
            fields=left,
        )
    return checked.value
