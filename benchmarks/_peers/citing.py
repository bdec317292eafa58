"""Shows what each peer's seat for citations lets its reader see of an answer with five planted sentences."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from _texts import SOURCES

from _peers.registry import CLIENTS
from _peers.running import command, lines, surroundings
from footnoted.testing import Pin, Reply, ScriptedLLM
from footnoted.testing.script import Request


@dataclass(frozen=True, slots=True)
class Planted:
    """A sentence of the model's answer: its number as the model cites it, the source that holds it (0: none)."""

    name: str
    text: str
    key: str
    cited: int
    true: int


SENTENCES = (
    Planted("a true sentence, rightly cited", "The windscreen excess is £75 for a replacement", "£75", 1, 1),
    Planted("the wrong source", "A windscreen claim does not reduce your no-claims discount", "no-claims", 5, 3),
    Planted("a source there is none of, [9]", "Claims must reach us within 30 days of the damage", "30 days", 9, 4),
    Planted("a sentence no source holds", "A courtesy bicycle is lent to you free for a week", "bicycle", 1, 0),
    Planted("an invented amount", "Sunroofs are covered up to £900 for each claim", "£900", 1, 0),
)
WORDS = {
    "kept": "shown, rightly cited",
    "corrected": "moved to the right source",
    "unmarked": "shown, the marker taken out",
    "withheld": "withheld",
    "flagged": "shown, flagged in the result",
    "logged": "shown; a warning in the log",
    "shown": "shown as the model wrote it",
}
GOOD = {"kept", "corrected", "withheld", "flagged"}


def answer(request: Request) -> Reply:
    """The planted answer, in whichever form the request asks for: text, native citations, or JSON for a schema."""
    if request.json.get("response_format") or request.json.get("tools"):
        sentences = [
            {"text": f"{one.text}.", "citations": [{"source_id": one.cited, "quote": one.text}]} for one in SENTENCES
        ]
        return Reply(json={"sentences": sentences})
    if request.protocol == "anthropic" and "'citations': {'enabled': True}" in str(request.json):
        pieces = [f"{one.text}. " for one in SENTENCES]
        pins = [_pin(number, one) for number, one in enumerate(SENTENCES)]
        return Reply(pieces=pieces, citations=pins)
    return Reply(" ".join(f"{one.text} [{one.cited}]." for one in SENTENCES))


def _pin(number: int, one: Planted) -> Pin:
    source = SOURCES[one.cited - 1][1] if one.cited <= len(SOURCES) else ""
    end = source.find(".") + 1
    return Pin(number, one.cited - 1, 0, end, source[:end] or one.text)


def fate(one: Planted, found: dict[str, Any]) -> str:
    """What became of a planted sentence, read off the text, the citations, the flags and the log of a peer's result."""
    text = found["text"]
    place = text.find(one.key)
    if place < 0:
        return "withheld"
    if any(one.key in flag for flag in found["flags"]):
        return "flagged"
    end = _end(text, place)
    attached = {cite["source"] for cite in found["cites"] if place <= cite["at"] <= end}
    if one.true and attached == {one.true}:
        return "kept" if one.cited == one.true else "corrected"
    if one.cited > len(SOURCES):
        if any(re.search(rf"\b(?:{one.cited}|{one.cited - 1})\b", said) for said in found.get("logged", [])):
            return "logged"
        if not attached and f"[{one.cited}]" not in text:
            return "unmarked"
    return "shown"


def _end(text: str, place: int) -> int:
    """Where the sentence at ``place`` ends: before the next planted one, or the text's end."""
    later = [text.find(one.text[:20]) for one in SENTENCES]
    return min((start for start in later if start > place), default=len(text))


async def cited(pythons: dict[str, Path], client: str, variant: str) -> dict[str, Any]:
    """The fates of all planted sentences through one client's seat."""
    import asyncio

    async with ScriptedLLM(answer) as llm:
        asked = {"part": "cited", "address": llm.url(CLIENTS[client].protocol), "variant": variant}  # type: ignore[arg-type]
        process = await asyncio.create_subprocess_exec(
            *command(pythons, client, **asked),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=Path(__file__).parent.parent,
            env=surroundings(),
        )
        out, errors = await process.communicate()
    found = lines(out.decode())
    if not found or found[-1].get("error"):
        why = found[-1]["error"] if found else errors.decode()[-400:]
        print(f"{client}: {why}", file=sys.stderr)
        return {"failed": why}
    return {"fates": {one.name: fate(one, found[-1]) for one in SENTENCES}, "text": found[-1]["text"]}
