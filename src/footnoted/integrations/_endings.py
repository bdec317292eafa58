"""Maps a library's word for why a model stopped to our own ending; without a word it is never ``complete``."""

from __future__ import annotations

from footnoted.providers import anthropic, gemini, openai
from footnoted.types import Delta, FinishReason, Usage

# Each vendor's own words, as its protocol has them, and those of the libraries between.
ENDINGS = {
    **{word.lower(): ending for vendor in (openai, anthropic, gemini) for word, ending in vendor.ENDINGS.items()},
    "completed": FinishReason.COMPLETE,  # OpenAI's Responses
    "complete": FinishReason.COMPLETE,
    "eos_token": FinishReason.COMPLETE,
    "max_output_tokens": FinishReason.LENGTH,
    "content_filtered": FinishReason.FILTERED,  # Bedrock
    "guardrail_intervened": FinishReason.FILTERED,
}
SILENT = (
    "the stream ended and its library gave no finish reason, so it may be cut; "
    "for a model that never gives one, set ends_silently=True"
)


def ending(word: object, *, ends_silently: bool = False, usage: Usage | None = None) -> Delta:
    """The last delta. No word is ``truncated``, unless the model is known to give none; so is an unknown one."""
    if word in (None, ""):
        if ends_silently:
            return Delta(usage=usage, finish_reason=FinishReason.COMPLETE)
        return Delta(usage=usage, finish_reason=FinishReason.TRUNCATED, detail=SILENT)
    said = str(word).rpartition(".")[2]  # an enumeration's name, FinishReason.STOP
    reason = ENDINGS.get(said.lower(), FinishReason.TRUNCATED)
    detail = "" if reason is FinishReason.COMPLETE else f"the model stopped: {said}"
    return Delta(usage=usage, finish_reason=reason, detail=detail)
