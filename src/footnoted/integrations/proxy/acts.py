"""What an agent may have done in this turn: its declared tools, the calls since the user last spoke, and their results.

A sentence that speaks of a tool's business ("I have sent the email", with a tool ``send_email``) is weighed by what the
tools of this turn gave back. The arguments of a call are the model's own words, and no source.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
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
    called: dict[str, str] = field(default_factory=dict)  # names by the call's id
    results: list[tuple[str, str, bool]] = field(default_factory=list)  # name, result, whether it failed

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
            if told := _in_words(result):
                lines.append(f"{in_words(name) or 'tool'}{' failed' if failed else ''}: {told}.")
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


def acts_of(body: Mapping[str, Any]) -> Acts:
    """The acts of a request, of any of the three protocols."""
    acts = Acts()
    for tool in (*dicts(body.get("tools")), *dicts(body.get("functions"))):
        inner = tool.get("function")
        said = inner if isinstance(inner, dict) else tool
        if isinstance(said.get("name"), str):
            acts.tools[said["name"]] = str(said.get("description") or "")
    given = body.get("messages", body.get("input"))
    for message in dicts(given):
        kind, role = message.get("type", "message"), message.get("role")
        blocks = dicts(message.get("content"))
        answered = [block for block in blocks if block.get("type") == "tool_result"]
        if role == "user" and not answered:
            acts.called, acts.results = {}, []
        elif role == "assistant":
            acts.called |= calls_of(message)
        elif kind.endswith("_call") and isinstance(message.get("name"), str):
            acts.called[str(message.get("call_id") or message.get("id"))] = message["name"]
        for key, result, failed in _results(message, kind, role, answered):
            acts.results.append((acts.called.get(key, ""), result, failed))
    return acts


def _results(
    message: Mapping[str, Any], kind: str, role: Any, answered: list[dict[str, Any]]
) -> Iterator[tuple[str, str, bool]]:
    """Each result in a message: of which call, its text, and whether the protocol calls it failed."""
    if role in ("tool", "function"):
        yield str(message.get("tool_call_id")), words_of(message.get("content")), False
    elif kind.endswith("_call_output"):
        yield str(message.get("call_id")), words_of(message.get("output")), False
    for block in answered:
        yield str(block.get("tool_use_id")), words_of(block.get("content")), bool(block.get("is_error"))


def _in_words(result: str) -> str:
    """A JSON object as words: ``{"status": "sent"}`` -> ``status: sent``; nothing for anything else."""
    try:
        value = json.loads(result)
    except (ValueError, RecursionError):
        return ""
    if not isinstance(value, dict):
        return ""
    plain = {name: each for name, each in value.items() if isinstance(each, str | int | float | bool)}
    return "; ".join(f"{in_words(name)}: {each}" for name, each in plain.items())[:_MOST]


def calls_of(message: Mapping[str, Any]) -> dict[str, str]:
    """What the tools are named that an assistant's message calls, in OpenAI's or Anthropic's way, by the calls' ids."""
    calls = [(call.get("id"), call.get("function")) for call in dicts(message.get("tool_calls"))]
    calls += [(each.get("id"), each) for each in dicts(message.get("content")) if each.get("type") == "tool_use"]
    return {str(id_): str(call.get("name") or "") if isinstance(call, Mapping) else "" for id_, call in calls}


def words_of(content: Any) -> str:
    """All words of a content; what is no text and no part of one, as JSON."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        told = (each.get("text") if isinstance(each, dict) else each for each in content)
        return "\n".join(each for each in told if isinstance(each, str))
    return "" if content is None else json.dumps(content, ensure_ascii=False)


def dicts(value: Any) -> list[dict[str, Any]]:
    """The objects of a list; none of anything else."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
