"""Gathers what only a judge can settle in a paragraph and puts it to one in one call, beside the running stream.

The hard thing is when to ask: claims come one by one, and their own checks end in any order. A paragraph counts the
checks still under way; once it is over and none is, the claims to be judged go out together.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Coroutine, Sequence
from dataclasses import dataclass, field

from footnoted.grounding.judge import Judge, Statement, settled, wants_judge
from footnoted.types import Source, Usage, Verdict

MOST = 8  # claims of one call; a longer paragraph is asked about in several


@dataclass(slots=True)
class Spent:
    """What the judge of one answer has cost: calls, and tokens as far as the wire told."""

    calls: int = 0
    usage: Usage = field(default_factory=Usage)

    def add(self, usage: Usage | None) -> None:
        """Count one call."""
        self.calls += 1
        if usage is not None:
            mine = self.usage
            self.usage = Usage(mine.input + usage.input, mine.cached + usage.cached, mine.output + usage.output)


class Paragraphs:
    """The claims of an answer that want a judge, paragraph by paragraph; `cancel` it when the answer is left."""

    def __init__(
        self, judge: Judge, sources: Sequence[Source], *, until: float | None, final: Collection[str] = ()
    ) -> None:
        """``final`` are reasons for which a claim is left unchecked and no judge is asked."""
        self._judge = judge
        self._sources = sources
        self._until = until
        self._final = final
        self._now = _Paragraph()
        self._calls: set[asyncio.Task[None]] = set()

    def end(self) -> None:
        """The paragraph is over: what wants a judge in it is asked about as soon as its checks have ended."""
        ended, self._now = self._now, _Paragraph()
        ended.over = True
        self._go(ended)

    def weigh(
        self, check: Coroutine[None, None, Verdict], text: str, cited: Sequence[int]
    ) -> Coroutine[None, None, Verdict]:
        """The verdict of a claim's own check, settled with the judge's where one is wanted."""
        if self._now.claims >= MOST:
            self.end()
        here = self._now
        here.claims += 1
        here.pending += 1
        return self._weighed(here, check, Statement(text, tuple(cited)))

    def cancel(self) -> None:
        """Ask no more."""
        for call in self._calls:
            call.cancel()

    async def _weighed(self, here: _Paragraph, check: Coroutine[None, None, Verdict], statement: Statement) -> Verdict:
        asked: asyncio.Future[Verdict] | None = None
        try:
            first = await check
            if wants_judge(first) and first.reason not in self._final:
                asked = asyncio.get_running_loop().create_future()
                here.open.append((statement, asked))
        finally:
            here.pending -= 1
            self._go(here)
        return first if asked is None else settled(first, await asked)

    def _go(self, paragraph: _Paragraph) -> None:
        if paragraph.over and not paragraph.pending and paragraph.open:
            call = asyncio.create_task(self._ask(paragraph.open))
            paragraph.open = []
            self._calls.add(call)
            call.add_done_callback(self._calls.discard)

    async def _ask(self, asked: list[tuple[Statement, asyncio.Future[Verdict]]]) -> None:
        verdicts = [Verdict("not_checked", tier="judge", reason="the judge took too long")] * len(asked)
        try:
            async with asyncio.timeout_at(self._until):
                verdicts = await self._judge.judge([statement for statement, _ in asked], self._sources)
        except TimeoutError:
            pass
        finally:
            for (_, future), verdict in zip(asked, verdicts, strict=True):
                if not future.done():
                    future.set_result(verdict)


@dataclass(slots=True)
class _Paragraph:
    claims: int = 0
    pending: int = 0  # checks of its claims that have not ended
    over: bool = False
    open: list[tuple[Statement, asyncio.Future[Verdict]]] = field(default_factory=list)
