"""A request in; a Prompt out: instructions, fenced sources, history and the question, ready for any provider."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from typing import TYPE_CHECKING

from footnoted.contract import OutputFormat
from footnoted.prompting.budget import Fitted, fit
from footnoted.prompting.templates import choose, instructions
from footnoted.types import Prompt, Sampling, Schema, Source, Turn

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from footnoted.contract import GenerationRequest

# One secret a process: the fence around sources cannot be guessed from outside, yet is the same for the
# same sources, so that a provider's prompt cache still recognises them in the next turn.
_SECRET = secrets.token_bytes(16)

# The bracket stands before the look behind it: a search for a fixed first character is 13 times as fast.
_OWN_MARKER = re.compile(r"\[(?<![\w\])]\[)(\^?\d{1,3}(?:\s*[,–-]\s*\d{1,3})*)\](?![(\w:])")
_PAST_MARKER = re.compile(r"\s?(?:(?<![A-Za-z_)\]])\[(?:Source )?\d{1,3}\]|(?<![A-Za-z0-9])[⁰¹²³⁴-⁹]+)(?![(\w])")


def build_prompt(
    request: GenerationRequest,
    sources: Sequence[Source],
    *,
    schema: Schema | None = None,
    templates: Path | None = None,
) -> tuple[Prompt, Fitted]:
    """The prompt for a request, and which of ``sources`` it shows (``prompt.sources[n-1]`` is marker ``[n]``)."""
    config = request.config
    fitted = fit(request.query, sources, tokens=config.context_tokens)
    shown = tuple(sources[i] for i in fitted.kept)
    name = config.template or choose(request.query, config.mode, has_sources=bool(shown))
    system = instructions(name, output_format=config.output_format, structured=schema is not None, directory=templates)
    if request.system_instructions:
        system = f"{system}\n{request.system_instructions.strip()}"
    prompt = Prompt(
        question=request.query,
        system=system,
        history=tuple(Turn(user, _PAST_MARKER.sub("", assistant)) for user, assistant in request.conversation_history),
        context=fence(shown, fitted.texts),
        ask=request.query,
        sources=shown,
        sampling=Sampling(config.max_tokens, config.temperature, config.top_p, config.top_k),
        schema=schema,
        model=config.model,
        bullets=config.output_format is OutputFormat.BULLETS,
    )
    return prompt, fitted


def fence(sources: Sequence[Source], texts: Sequence[str]) -> str:
    """The sources, numbered, between lines no source can forge; their own ``[n]`` markers are set in ``(n)``.

    Each opens with ``== <key> n: title``; the key is a keyed hash of the texts (HMAC-SHA-256, 24 bits shown).
    """
    if not sources:
        return ""
    digest = hmac.new(_SECRET, "".join(source.sha256 for source in sources).encode(), hashlib.sha256)
    key = digest.hexdigest()[:6]
    lines = []
    for number, (source, text) in enumerate(zip(sources, texts, strict=True), start=1):
        title = " ".join(source.title.split())[:200]
        lines.append(f"== {key} {number}{': ' + title if title else ''}")
        lines.append(_OWN_MARKER.sub(r"(\1)", text.strip()))
    lines.append(f"== {key} end")
    return "\n".join(lines)
