"""Wraps a provider so that it writes down what it said, or says again what was written down."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import asdict
from pathlib import Path
from typing import Any

from footnoted.errors import BadProviderReply, ConfigurationError, SourceError
from footnoted.types import Delta, FinishReason, Pointer, Prompt, Provider, Usage


class Recording:
    """A provider over a file of replies, one JSON line each, found again by everything that was asked.

    With a ``provider``, what the file does not hold is asked of it and written down; without one, it is an error.
    Only replies that ended are kept: a broken one is asked again.
    """

    def __init__(self, path: Path, provider: Provider | None = None) -> None:
        self._path = path
        self._provider = provider
        self.name = f"recording of {getattr(provider, 'name', '') or path.name}"
        self.model: str | None = getattr(provider, "model", None)
        self._replies = _read(path) if path.exists() else {}
        if provider is None and not path.exists():
            raise SourceError(f"{path} does not exist; record a run first, with --record {path}")

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta]:
        """The reply written down for this prompt; else the provider's own, written down as it ends."""
        key = key_of(prompt)
        if key in self._replies:
            for delta in self._replies[key]:
                yield delta
            return
        if self._provider is None:
            raise BadProviderReply(
                f"the recording has no reply to {prompt.question[:80]!r} as it is asked now: the question, a source, "
                "the template, the sampling or the model changed; record it again",
                provider=self.name,
            )
        said: list[Delta] = []
        async with aclosing(self._provider.stream(prompt)) as deltas:  # type: ignore[type-var]  # a generator closes
            async for delta in deltas:
                said.append(delta)
                if delta.finish_reason in (FinishReason.COMPLETE, FinishReason.REFUSED):
                    # Before it is passed on: who reads an answer may leave at its last word.
                    self._keep(key, prompt.question, said)
                yield delta

    def _keep(self, key: str, question: str, deltas: list[Delta]) -> None:
        self._replies[key] = deltas
        line = json.dumps({"key": key, "question": question, "deltas": [_as_json(delta) for delta in deltas]})
        try:
            with self._path.open("a", encoding="utf-8") as lines:
                lines.write(line + "\n")
        except OSError as error:
            raise ConfigurationError(f"{self._path} cannot be written: {error.strerror}") from error


def key_of(prompt: Prompt) -> str:
    """What makes two askings the same: every part of the prompt, less the fence's key, new in each process."""
    parts = json.dumps(asdict(prompt), sort_keys=True, default=str)
    if prompt.context.startswith("== "):
        parts = parts.replace(prompt.context.split(" ", 2)[1], "")
    return hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()


def _as_json(delta: Delta) -> dict[str, Any]:
    fields = {
        **delta._asdict(),
        "pointers": [asdict(pointer) for pointer in delta.pointers],
        "usage": delta.usage and asdict(delta.usage),
    }
    return {name: value for name, value in fields.items() if value}


def _read(path: Path) -> dict[str, list[Delta]]:
    found: dict[str, list[Delta]] = {}
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                reply = json.loads(line)
                found[reply["key"]] = [_delta(fields) for fields in reply["deltas"]]
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                # A run that was killed leaves half a line at the end, which is asked again.
                if line.endswith("\n"):
                    raise SourceError(f"{path}, line {number}: not a recorded reply: {error}") from error
    return found


def _delta(fields: dict[str, Any]) -> Delta:
    return Delta(
        text=fields.get("text", ""),
        pointers=tuple(Pointer(**pointer) for pointer in fields.get("pointers", ())),
        usage=Usage(**fields["usage"]) if fields.get("usage") else None,
        finish_reason=FinishReason(fields["finish_reason"]) if fields.get("finish_reason") else None,
        detail=fields.get("detail", ""),
    )
