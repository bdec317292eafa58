"""Builds the prompt of a request: instructions, fenced sources, history and question, for any provider."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from footnoted.contract import GenerationRequest, OutputFormat
from footnoted.inert import on_one_line, readable, without_tokens
from footnoted.prompting.budget import Fitted, fit
from footnoted.prompting.described import described
from footnoted.prompting.templates import choose, instructions
from footnoted.types import Prompt, Sampling, Schema, Source, Turn

# One secret a process: the fence around sources cannot be guessed from outside, yet is the same for the
# same sources, so that a provider's prompt cache still recognises them in the next turn.
_SECRET = secrets.token_bytes(16)

# Marks a text may use for its own footnotes, in every dialect that is read as one of ours when a model copies it.
# The bracket stands before the look behind it: a search for a fixed first character is 13 times as fast.
_NUMBERS = r"\d{1,3}(?:\s{0,3}[,;–-]\s{0,3}\d{1,3}){0,40}"
_OWN_MARKER = re.compile(
    rf"[\[［](?<![\w\])][\[［])(?:[Ss]ources? ?|\^)?{_NUMBERS}[\]］](?:[\[［]\^?{_NUMBERS}[\]］]){{0,40}}(?!\w)"
    rf"|[(（][Ss]ources? {_NUMBERS}[)）]"
)
_SET_APART = str.maketrans("[]［］()（）", "{}{}{}{}")
_LENTICULAR = re.compile(r"[【〔]((?:[^\W\d_]{1,12}\s?)?\d{1,3}(?:†[^\n【】〔〕]{0,40}|[,，、:\d\s–-]{0,20}))[】〕]")
_RAISED = re.compile(r"(?:(?<=[.,;:!?)”\"'])|(?<=[^\W\d_]{4}))[⁰¹²³⁴-⁹]{1,3}(?![\w⁰¹²³⁴-⁹])")  # not m², not 10⁶
_LOWERED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_PASSAGE = 8_000  # code points; what is longer is read anew each time
_PAST_MARKER = re.compile(r"\s?(?:(?<![A-Za-z_)\]])\[(?:Source )?\d{1,3}\]|(?<![A-Za-z0-9])[⁰¹²³⁴-⁹]+)(?![(\w])")


def build_prompt(
    request: GenerationRequest,
    sources: Sequence[Source],
    *,
    schema: Schema | None = None,
    templates: Path | None = None,
    quoted: bool = False,
) -> tuple[Prompt, Fitted]:
    """The prompt for a request, and which of ``sources`` it shows (``prompt.sources[n-1]`` is marker ``[n]``).

    ``quoted`` asks for each marker with the words it points at.
    """
    config = request.config
    names = [name_of(source) for source in sources]
    fitted = fit(request.query, sources, names=names, tokens=config.context_tokens)
    shown = tuple(sources[i] for i in fitted.kept)
    named = [names[i] for i in fitted.kept]
    name = config.template or choose(request.query, config.mode, has_sources=bool(shown))
    system = instructions(
        name,
        output_format=config.output_format,
        structured=schema is not None,
        quoted=quoted,
        directory=templates,
    )
    if request.system_instructions:
        system = f"{system}\n{request.system_instructions.strip()}"
    key = key_of(shown, named)
    prompt = Prompt(
        question=request.query,
        system=system,
        history=tuple(
            Turn(said(user, without=key), _PAST_MARKER.sub("", said(assistant, without=key)))
            for user, assistant in request.conversation_history
        ),
        context=fence(shown, fitted.texts, key=key, names=named),
        ask=said(request.query, without=key),
        sources=shown,
        sampling=Sampling(config.max_tokens, config.temperature, config.top_p, config.top_k),
        schema=schema,
        model=config.model,
        bullets=config.output_format is OutputFormat.BULLETS,
    )
    return prompt, fitted


def said(text: str, *, without: str) -> str:
    """Words of a caller as a model gets them: no chat tokens, nothing unreadable, and not the sources' own key."""
    text = without_tokens(readable(text))
    return text.replace(without, "") if without else text


def key_of(sources: Sequence[Source], names: Sequence[str] | None = None) -> str:
    """The fence's key: a keyed hash of what is shown (HMAC-SHA-256, 24 bits told); empty without sources."""
    if not sources:
        return ""
    names = [name_of(source) for source in sources] if names is None else names
    parts = "\0".join(f"{source.sha256}{name}" for source, name in zip(sources, names, strict=True))
    return hmac.new(_SECRET, parts.encode(), hashlib.sha256).hexdigest()[:6]


def fence(sources: Sequence[Source], texts: Sequence[str], *, key: str = "", names: Sequence[str] | None = None) -> str:
    """The sources, numbered, between lines no source can forge: each opens with ``== <key> n: title (date: …)``.

    What a text holds that could be taken for ours is set otherwise: its own ``[n]`` becomes ``{n}``, which no
    model writes for a marker; the tokens
    of chat templates and the word of refusal lose their form, characters that cannot be read go.
    """
    if not sources:
        return ""
    names = [name_of(source) for source in sources] if names is None else names
    key = key or key_of(sources, names)
    lines = []
    for number, (name, text) in enumerate(zip(names, texts, strict=True), start=1):
        lines.append(f"== {key} {number}{': ' + name if name else ''}")
        lines.append(_passage(text) if len(text) <= _PASSAGE else _as_data(text.strip()))
    lines.append(f"== {key} end")
    return "\n".join(lines)


@lru_cache(maxsize=128)
def _passage(text: str) -> str:
    """A source's text as data, kept while it is shown often: answers from the same passages ask for it again."""
    return _as_data(text.strip())


def name_of(source: Source) -> str:
    """A source's title, and in brackets what else it tells of itself."""
    title = _as_data(on_one_line(source.title[:1000]))[:200]
    told = _as_data(described(source))
    return f"{title} ({told})".lstrip() if told else title


def _as_data(text: str) -> str:
    # Each search below looks at every character; whether a text holds what it looks for is told much faster.
    text = without_tokens(readable(text))
    if "NO_ANSWER" in text:
        text = text.replace("NO_ANSWER", "NO-ANSWER")
    if "[" in text or "［" in text or "ource" in text:
        text = _OWN_MARKER.sub(lambda mark: mark.group().translate(_SET_APART), text)
    if text.isascii():
        return text
    if "【" in text or "〔" in text:
        text = _LENTICULAR.sub(r"{\1}", text)
    if any(digit in text for digit in "⁰¹²³⁴⁵⁶⁷⁸⁹"):
        text = _RAISED.sub(lambda mark: f"{{{mark.group().translate(_LOWERED)}}}", text)
    return text
