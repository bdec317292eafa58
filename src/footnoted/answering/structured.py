"""A request and a pydantic model in; an instance of that model out, on the provider's own schema mechanism."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from footnoted.answering.generator import GroundedGenerator
from footnoted.answering.whole import whole_reply
from footnoted.errors import StructuredOutputError
from footnoted.prompting import build_prompt
from footnoted.types import Prompt, Schema, Turn

if TYPE_CHECKING:
    from footnoted.contract import GenerationRequest

Output = TypeVar("Output", bound=BaseModel)

_FENCED = re.compile(r"```(?:json)?(.*?)```", re.DOTALL)
_MOST_ERRORS = 5


class AnswerWithSources(BaseModel):
    """An answer as fields. ``sources_used`` are the numbers of the sources as prompted, from 1."""

    model_config = ConfigDict(extra="forbid")

    answer: str = Field(description="the answer, in full sentences, from the sources alone")
    confidence: float = Field(ge=0, le=1, description="how fully the sources carry the answer, 0 to 1")
    sources_used: list[int] = Field(description="numbers of the sources the answer rests on")
    key_facts: list[str] = Field(description="the facts the answer rests on, one each")
    limitations: str | None = Field(default=None, description="what the sources leave open, or null")


class ComparisonResult(BaseModel):
    """What sources say alike, differently and against one another."""

    model_config = ConfigDict(extra="forbid")

    similarities: list[str] = Field(description="points on which they agree")
    differences: list[str] = Field(description="points on which they differ, each side named")
    contradictions: list[str] = Field(description="statements that cannot both be true")
    conclusion: str = Field(description="what follows, in one or two sentences")


class StructuredGenerator:
    """Grounded answers as pydantic models. Takes `GroundedGenerator`'s arguments, or one as ``generator``."""

    def __init__(
        self, provider: Any = "extractive", *, generator: GroundedGenerator | None = None, **options: Any
    ) -> None:
        self._generator = generator or GroundedGenerator(provider, **options)

    async def generate_structured(self, request: GenerationRequest, output_schema: type[Output]) -> Output:
        """The answer as ``output_schema``; a reply that does not fit is sent back for repair once.

        Raises `StructuredOutputError` when the repair does not fit either or the reply was cut at
        ``max_tokens``, `ProviderError` when the provider failed.
        """
        how = self._generator.answering
        schema = Schema(name=output_schema.__name__, json=output_schema.model_json_schema())
        sources = [chunk.as_source() for chunk in request.context]
        prompt, _ = build_prompt(request, sources, schema=schema, templates=how.templates)
        if not prompt.sources and request.config.require_grounding:
            raise StructuredOutputError(
                "there are no sources to fill the fields from; give some, or set config.require_grounding=False"
            )
        reply = await whole_reply(prompt, how)
        try:
            return _fit(reply, output_schema, sources=len(prompt.sources))
        except ValidationError as error:
            faults = _in_words(error)
        repaired = await whole_reply(_repair(prompt, reply, faults), how)
        try:
            return _fit(repaired, output_schema, sources=len(prompt.sources))
        except ValidationError as error:
            raise StructuredOutputError(
                f"the reply does not fit {output_schema.__name__}, nor did its repair: {_in_words(error)}",
                reply=repaired,
            ) from error

    async def aclose(self) -> None:
        """Close the provider's connections."""
        await self._generator.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


def _fit(reply: str, output_schema: type[Output], *, sources: int) -> Output:
    fitted = output_schema.model_validate_json(_object_in(reply))
    if isinstance(fitted, AnswerWithSources):
        # A number that names no source points nowhere; it goes, as an unknown marker does.
        fitted.sources_used = [number for number in dict.fromkeys(fitted.sources_used) if 1 <= number <= sources]
    return fitted


def _object_in(reply: str) -> str:
    """The JSON object in a reply that may wrap it in a code fence or in words."""
    fenced = _FENCED.search(reply)
    text = (fenced.group(1) if fenced else reply).strip()
    start, end = text.find("{"), text.rfind("}")
    return text[start : end + 1] if 0 <= start < end else text


def _repair(prompt: Prompt, reply: str, faults: str) -> Prompt:
    ask = (
        f"{prompt.ask}\n\nYour last reply did not fit the schema: {faults}. Reply with the corrected JSON object alone."
    )
    return Prompt(
        question=prompt.question,
        system=prompt.system,
        history=(*prompt.history, Turn(prompt.ask, reply or "{}")),
        context=prompt.context,
        ask=ask,
        sources=prompt.sources,
        sampling=prompt.sampling,
        schema=prompt.schema,
        model=prompt.model,
    )


def _in_words(error: ValidationError) -> str:
    faults = error.errors(include_url=False, include_context=False, include_input=False)[:_MOST_ERRORS]
    return "; ".join(f"{'.'.join(map(str, fault['loc'])) or 'object'}: {fault['msg']}" for fault in faults)
