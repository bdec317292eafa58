"""Turns what happens during a call into progress a client can show, always rising as the protocol wants it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from footnoted.grounding.judge import Weigher
    from footnoted.types import Source, Verdict

_MOST_SAID = 200  # code points of a sentence that progress repeats


class Steps:
    """Counts what was said. ``report`` is the SDK's (progress, total, message)."""

    def __init__(self, report: Callable[[float, float | None, str | None], Awaitable[None]]) -> None:
        self._report = report
        self._count = 0
        self._said = ""

    async def say(self, message: str) -> None:
        """One step more, unless nothing has changed."""
        if message != self._said:
            self._said = message
            self._count += 1
            await self._report(self._count, None, message)

    async def verdict(self, claim: str, verdict: Verdict) -> None:
        """A sentence was weighed."""
        await self.say(f"{verdict.ruling}: {' '.join(claim.split())[:_MOST_SAID]}")


class TellingWeigher:
    """A weigher that says each verdict."""

    def __init__(self, weigher: Weigher, steps: Steps) -> None:
        self._weigher = weigher
        self._steps = steps

    async def acheck(self, claim: str, sources: Sequence[Source], *, cited: Sequence[int] = ()) -> Verdict:
        """The weigher's own verdict."""
        verdict = await self._weigher.acheck(claim, sources, cited=cited)
        await self._steps.verdict(claim, verdict)
        return verdict
