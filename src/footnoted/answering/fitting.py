"""Asks for an instance of a pydantic model, and makes one of the reply or names what is wrong with it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from footnoted.errors import StructuredOutputError
from footnoted.prompting import build_prompt
from footnoted.types import Prompt, Schema, Turn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic import ValidationError

    from footnoted.answering.answer import Answering
    from footnoted.contract import GenerationRequest, Output
    from footnoted.prompting.budget import Fitted

_MOST_ERRORS = 5
_MOST_OPENINGS = 8  # braces tried as the beginning of the object


def schema_prompt(request: GenerationRequest, output_schema: type[Output], how: Answering) -> tuple[Prompt, Fitted]:
    """The prompt for an instance of ``output_schema``. Raises `StructuredOutputError` where sources are needed."""
    schema = Schema(name=output_schema.__name__, json=output_schema.model_json_schema())
    sources = [chunk.as_source() for chunk in request.context]
    prompt, fitted = build_prompt(request, sources, schema=schema, templates=how.templates)
    if not prompt.sources and request.config.require_grounding:
        raise StructuredOutputError(
            "there are no sources to fill the fields from; give some, or set config.require_grounding=False"
        )
    return prompt, fitted


def fit(reply: str, output_schema: type[Output], *, shown: Sequence[int]) -> Output:
    """The reply as an instance; raises pydantic's `ValidationError`.

    Validators find in their context how many ``sources`` the model saw, and which of those given (``shown``) they are.
    """
    return output_schema.model_validate_json(object_in(reply), context={"sources": len(shown), "shown": shown})


def object_in(reply: str) -> str:
    """The JSON object in a reply that may wrap it in a code fence or in words."""
    text = reply.strip()
    before, _, behind = text.partition("```")
    code, fence, _ = behind.partition("```")
    fenced = bool(fence) and not text.startswith("{")
    begin, example = 0, ""
    for _ in range(_MOST_OPENINGS):
        begin = text.find("{", begin)
        if begin < 0:
            break
        try:
            _, end = json.JSONDecoder().raw_decode(text, begin)
        except (ValueError, RecursionError):
            begin += 1
            continue
        if not fenced or end > len(before):
            return text[begin:end]
        example = example or text[begin:end]  # words before the fence may show an object, too
        begin = end
    if example:
        return example
    inner = (code.removeprefix("json") if fenced else text).strip()
    start, end = inner.find("{"), inner.rfind("}")
    return inner[start : end + 1] if 0 <= start < end else inner


def repair(prompt: Prompt, reply: str, faults: str) -> Prompt:
    """The prompt that sends a reply back with what was wrong with it."""
    ask = (
        f"{prompt.ask}\n\nYour last reply did not fit the schema: {faults}. Reply with the corrected JSON object alone."
    )
    return replace(prompt, history=(*prompt.history, Turn(prompt.ask, reply or "{}")), ask=ask)


def misfit(error: ValidationError, output_schema: type[Output], reply: str) -> StructuredOutputError:
    """The error for a reply whose repair does not fit either."""
    name = output_schema.__name__
    return StructuredOutputError(f"the reply does not fit {name}, nor did its repair: {in_words(error)}", reply=reply)


def in_words(error: ValidationError) -> str:
    """The first few faults of a reply, each with the field it is in."""
    faults = error.errors(include_url=False, include_context=False, include_input=False)[:_MOST_ERRORS]
    return "; ".join(f"{'.'.join(map(str, fault['loc'])) or 'object'}: {fault['msg']}" for fault in faults)
