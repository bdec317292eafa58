"""What an agent may have done in this turn: its declared tools, the calls since the user last spoke, and their results.

A sentence that speaks of a tool's business ("I have sent the email", with a tool ``send_email``) is weighed by what the
tools of this turn gave back. The arguments of a call are the model's own words, and no source.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from footnoted.answering.field_claims import in_words
from footnoted.answering.weighing import Checking
from footnoted.text import content_stems
from footnoted.types import Claim, Pointer, Source, Verdict

_MOST = 4000  # code points of one result in words
_OPEN = ("unsupported", "unsure", "not_checked")


@dataclass
class Acts:
    """Tools declared by the request, by name, and what this turn's calls gave back."""

    tools: dict[str, str] = field(default_factory=dict)  # descriptions
    names: dict[str, str] = field(default_factory=dict)  # of all calls so far, by the call's id
    called: dict[str, str] = field(default_factory=dict)  # the same of this turn's
    results: list[tuple[str, str, bool]] = field(default_factory=list)  # name, result, whether it failed

    def begin_turn(self) -> None:
        """The user speaks: what was done before is no act of this turn."""
        self.called, self.results = {}, []

    def call(self, names: Mapping[str, str]) -> None:
        """Tools are called, named by the calls' ids."""
        self.names |= names
        self.called |= names

    def give_back(self, call: str, result: str, *, failed: bool = False) -> None:
        """A call gives something back."""
        self.results.append((self.called.get(call, ""), result, failed))

    @property
    def any(self) -> bool:
        """Whether an agent is at work at all."""
        return bool(self.tools or self.called)

    @cached_property
    def _business(self) -> frozenset[str]:
        names = " ".join(map(in_words, (*self.tools, *self.called.values())))
        return frozenset(content_stems(f"{names} {' '.join(self.tools.values())}"))

    def concern(self, text: str) -> bool:
        """Whether a sentence shares a word with what the tools are declared to do."""
        return not self._business.isdisjoint(content_stems(text))

    def log(self) -> str:
        """The results that are JSON objects, a line each, as words; empty where there is none."""
        lines = []
        for name, result, failed in self.results:
            if shown := _in_words(result):
                lines.append(f"{in_words(name) or 'tool'}{' failed' if failed else ''}: {shown}.")
        return "\n".join(lines)

    def why(self) -> str:
        """What this turn has instead of a result that shows it."""
        if not self.called:
            return "no tool was called in this turn"
        failed = sorted({name for name, _, bad in self.results if bad})
        done = ", ".join(dict.fromkeys(self.called.values()))
        return f"no result of this turn shows it; called: {done}" + (f"; failed: {', '.join(failed)}" if failed else "")


@dataclass(frozen=True, slots=True)
class ActingChecking(Checking):
    """Checking of an agent's reply. Without sources only what concerns its tools is weighed, and never withheld."""

    acts: Acts = field(default_factory=Acts)
    sourced: bool = True

    def weighs(self, claim: Claim) -> bool:
        """Whether this needs a verdict."""
        return Checking.weighs(self, claim) and (self.sourced or self.acts.concern(claim.text))

    async def of(
        self,
        claim: Claim,
        bare: str,
        sources: Sequence[Source],
        cited: Sequence[int],
        quoted: Sequence[Pointer] = (),
    ) -> Verdict:
        """The verdict; where a sentence about a tool's business is not carried, why this turn does not show it."""
        verdict = await Checking.of(self, claim, bare, sources, cited, quoted)
        if verdict.ruling not in _OPEN or claim.kind != "claim" or not self.acts.concern(bare):
            return verdict
        ruling = verdict.ruling if self.sourced else "unsure"
        return replace(verdict, ruling=ruling, reason=self.acts.why())


def tools_of(body: Mapping[str, Any]) -> dict[str, str]:
    """The tools that a request of any protocol declares, by name, with what is said of them."""
    declared = (*dicts(body.get("tools")), *dicts(body.get("functions")))
    described = (tool["function"] if isinstance(tool.get("function"), dict) else tool for tool in declared)
    return {tool["name"]: str(tool.get("description") or "") for tool in described if isinstance(tool.get("name"), str)}


def _in_words(result: str) -> str:
    """A JSON object as words: ``{"status": "sent"}`` -> ``status: sent``; nothing for anything else."""
    try:
        value = json.loads(result)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(value, dict):
        return ""
    plain = {name: inner for name, inner in value.items() if isinstance(inner, str | int | float | bool)}
    return "; ".join(f"{in_words(name)}: {inner}" for name, inner in plain.items())[:_MOST]


def calls_of(message: Mapping[str, Any]) -> dict[str, str]:
    """What the tools are named that an assistant's message calls, in OpenAI's or Anthropic's way, by the calls' ids."""
    calls = [(call.get("id"), call.get("function")) for call in dicts(message.get("tool_calls"))]
    calls += [(block.get("id"), block) for block in dicts(message.get("content")) if block.get("type") == "tool_use"]
    return {str(id_): str(call.get("name") or "") if isinstance(call, Mapping) else "" for id_, call in calls}


def words_of(content: Any) -> str:
    """All words of a content; what is no text and no part of one, as JSON."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        texts = (part.get("text") if isinstance(part, dict) else part for part in content)
        return "\n".join(text for text in texts if isinstance(text, str))
    return "" if content is None else json.dumps(content, ensure_ascii=False)


def dicts(value: Any) -> list[dict[str, Any]]:
    """The objects of a list; none of anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
