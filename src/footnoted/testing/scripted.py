"""A provider with no wire, which gives the pieces it was made with as deltas."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from footnoted.types import Delta, FinishReason, Prompt, Usage

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

Piece = str | Delta | Exception


class ScriptedProvider:
    """Says its pieces, ``delay`` seconds apart, to every prompt; with ``finish=None`` it just ends.

    ``prompts`` are those it got, ``closed`` counts streams that ended.
    """

    def __init__(
        self,
        *pieces: Piece,
        finish: FinishReason | None = FinishReason.COMPLETE,
        usage: Usage | None = None,
        delay: float = 0.0,
    ) -> None:
        self.prompts: list[Prompt] = []
        self.closed = 0
        self._pieces = pieces
        self._finish = finish
        self._usage = usage
        self._delay = delay

    async def stream(self, prompt: Prompt) -> AsyncIterator[Delta]:
        """The pieces, one delta each; an exception among them is raised in its place."""
        self.prompts.append(prompt)
        try:
            for piece in self._pieces:
                if self._delay:
                    await asyncio.sleep(self._delay)
                if isinstance(piece, Exception):
                    raise piece
                yield Delta(text=piece) if isinstance(piece, str) else piece
            if self._finish or self._usage:
                yield Delta(finish_reason=self._finish, usage=self._usage)
        finally:
            self.closed += 1


scripted_provider = ScriptedProvider
