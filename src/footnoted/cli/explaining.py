"""`footnoted ask --explain`: what was found, what was read in it, and why that was enough for an answer, or not."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING

from footnoted.cli.show import MARKER, out, words
from footnoted.inert import on_one_line
from footnoted.types import Turn

if TYPE_CHECKING:
    from rich.console import Console

    from footnoted.contract import GenerationRequest, GenerationResponse
    from footnoted.providers.extractive import Explanation

_SHOWN = 160  # characters of a sentence
_STYLES = {"supported": "green", "contradicted": "red", "unsupported": "red"}


def print_reasons(response: GenerationResponse, request: GenerationRequest, *, on: Console = out) -> None:
    """The reasons, after an answer."""
    why = _why(request)
    on.print("\n[bold]Why[/bold]")
    enough = why.chance >= why.threshold
    on.print(words(f"  the passages answer with a chance of {why.chance:.2f}; ", ""), end="")
    on.print(words(f"without a model {why.threshold:.2f} is {'reached' if enough else 'needed'}", "dim"))
    if why.understood_with:
        on.print(words(f"  understood with “{on_one_line(why.understood_with)}”", "dim"))
    if why.missing:
        on.print(words(f"  no passage has {', '.join(f'“{word}”' for word in why.missing)}", "yellow"))
    if why.considered:
        figures = "how well it fits, and the chance that its passage answers, read with the question"
        on.print(words(f"  what came nearest: {figures}", "dim"))
    for sentence in why.considered:
        line = words(f"  {sentence.score:5.2f} · {_share(sentence.answers)}  ", MARKER)
        on.print(line.append(words(f"“{_short(sentence.text)}”", "italic")))
        on.print(words(f"               {on_one_line(request.context[sentence.source_index].title)}", "dim"))
    for claim in response.claims:
        score = "" if claim.score is None else f" {claim.score:.2f}"
        line = words(f"  {claim.verdict}{score}  ", _STYLES.get(claim.verdict, "yellow"))
        on.print(line.append(words(_short(claim.text))))
        if claim.reason:
            on.print(words(f"               {claim.reason}", "dim"))


def with_reasons(response: GenerationResponse, request: GenerationRequest) -> str:
    """The response as JSON, with the reasons under ``explanation``."""
    return json.dumps(json.loads(response.to_json()) | {"explanation": asdict(_why(request))}, ensure_ascii=False)


def _why(request: GenerationRequest) -> Explanation:
    from footnoted.providers.extractive import Extractive

    turns = [Turn(*turn) for turn in request.conversation_history]
    return Extractive(likeness="shipped").explain(
        request.query, [passage.as_source() for passage in request.context], history=turns
    )


def _share(chance: float | None) -> str:
    return " –  " if chance is None else f"{chance:.2f}"


def _short(text: str) -> str:
    whole = " ".join(text.split())
    return whole if len(whole) <= _SHOWN else f"{whole[:_SHOWN].rsplit(' ', 1)[0]} …"
