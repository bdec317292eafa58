"""A structured answer told as any other: its JSON as the text, the verdicts of its fields as the claims'."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from footnoted import __version__
from footnoted.answering.generator import GroundedGenerator
from footnoted.answering.schemas import model_of
from footnoted.answering.structured import StructuredGenerator
from footnoted.contract import CheckedOutput, ClaimResult, GenerationRequest, GenerationResponse, Refusal
from footnoted.errors import ConfigurationError, StructuredOutputError
from footnoted.events import AnswerFinished, Event, OutputFinished, TextDelta
from footnoted.service.faults import Fault
from footnoted.service.openai.bodies import SchemaFormat
from footnoted.types import FinishReason

UNGROUNDED = "ungrounded"


class StructuredWriter:
    """Writes one answer as an object of a client's schema; every field is weighed before it is told."""

    def __init__(self, generator: GroundedGenerator, wanted: SchemaFormat, param: str) -> None:
        """Raises `Fault` 400 for what is no schema of an object. ``param`` is what the client calls it."""
        self._generator = generator
        self._param = param
        try:
            self._schema = model_of(wanted.schema_, wanted.name)
        except ConfigurationError as error:
            raise Fault(400, "invalid_request", f"{param}: {error}", param=param) from None

    async def stream(self, request: GenerationRequest) -> AsyncGenerator[Event]:
        """The object as one text, then the ending.

        With ``require_grounding`` a value that no source carries is null where the schema allows it; where it does
        not, there is a refusal instead of an object.
        """
        began = time.perf_counter()
        hold = request.config.require_grounding and not self._generator.unchecked
        generator = StructuredGenerator(generator=self._generator)
        events = generator.stream_checked(request, self._schema, unsupported="null" if hold else "flag")
        output = None
        try:
            async with aclosing(events):
                async for event in events:
                    if isinstance(event, OutputFinished):
                        output = event.output
        except ConfigurationError as error:
            raise Fault(400, "invalid_request", f"{self._param}: {error}", param=self._param) from None
        except StructuredOutputError as error:
            raise Fault(502, "unfit_reply", f"{self._param}: the model's reply does not fit the schema") from error
        assert output is not None  # noqa: S101 - it comes last, exactly once
        left = [path for path in output.flagged if path not in output.nulled] if hold else []
        response = _response(request, output, left, milliseconds=(time.perf_counter() - began) * 1000)
        if not left:
            yield TextDelta(response.response, 0)
        yield AnswerFinished(response)


def _response(
    request: GenerationRequest, output: CheckedOutput[Any], left: list[str], *, milliseconds: float
) -> GenerationResponse:
    claims = [
        ClaimResult(
            text=path,
            start_pos=None,
            end_pos=None,
            shown=path not in output.nulled and not left,
            kind="field",
            verdict=found.verdict,
            score=found.score,
            tier=found.tier,
            reason=found.reason,
            evidence=found.evidence,
            flagged=[],
        )
        for path, found in output.evidence.items()
    ]
    weighed = [claim for claim in claims if claim.verdict != "not_checked"]
    stand = [claim for claim in weighed if claim.verdict == "supported"]
    scores = [1.0 if claim.score is None else claim.score for claim in stand]
    said = f"The sources do not carry {', '.join(left)}, and the schema does not let it be null."
    return GenerationResponse(
        query=request.query,
        response=said if left else output.value.model_dump_json(),
        sources_provided=len(request.context),
        grounding_score=len(stand) / len(weighed) if weighed else 0.0,
        confidence=min(scores, default=0.0),
        tokens_used=output.usage.input + output.usage.output,
        latency_ms=milliseconds,
        claims=claims,
        finish_reason=FinishReason.REFUSED if left else FinishReason.COMPLETE,
        refusal=Refusal(reason=UNGROUNDED, message=said) if left else None,
        usage=output.usage,
        footnoted_version=__version__,
    )
