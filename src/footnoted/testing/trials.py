"""The fault table: each way a wire goes wrong, and the one right ending, for a provider of any protocol.

A `Trial` is scripted replies and what must come of them; `undergo` plays it and `Outcome.wrong` says what was
not right. Our own providers are held to it; so can yours be.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from footnoted.errors import (
    BadProviderReply,
    ProviderError,
    ProviderRejected,
    ProviderTimeout,
    ProviderUnavailable,
    RateLimited,
)
from footnoted.testing import faults
from footnoted.testing.script import ProtocolName, Reply
from footnoted.testing.server import ScriptedLLM, closed_port
from footnoted.types import Attempt, Deadlines, FinishReason, Retry, Usage

PIECES = ("Grün ", "ist das ", "漢字 ", "🌱 [1].")
WHOLE = "".join(PIECES)
CUT = "".join(PIECES[:2])
USAGE = (120, 80, 9)
DEADLINES = Deadlines(first_token=0.5, between_tokens=0.4, total=1.6)  # where the clock must run out
PATIENT = Deadlines(first_token=15.0, between_tokens=15.0, total=30.0)  # where it must not, on a busy machine either
RETRY = Retry(attempts=2, base=0.01, cap=0.02)
_SLACK = 0.5  # seconds a busy machine may add to a deadline
_CLOSING = 0.1  # seconds in which upstream must see the reader leave
_NEVER = 5.0  # seconds after which it counts as never


@dataclass(frozen=True, slots=True)
class Trial:
    """Replies, and the right outcome: the text, and either how it ended or which error was raised.

    ``text`` is the beginning of what must have come when ``part`` is set, else all of it. ``tries`` counts the
    requests that must reach the server. ``timed``: it ends by the clock, and is tried under `DEADLINES`.
    """

    name: str
    replies: tuple[Reply, ...]
    finish: FinishReason | None = None
    error: type[ProviderError] | None = None
    text: str = ""
    part: bool = False
    tries: int = 1
    refused: bool = False
    timed: bool = False

    @property
    def deadlines(self) -> Deadlines:
        """What the provider is asked under."""
        return DEADLINES if self.timed else PATIENT


@dataclass(slots=True)
class Told:
    """What a reader was told: filled in while the reply streams, so that it outlives an error."""

    deadlines: Deadlines = DEADLINES
    text: str = ""
    finish: FinishReason | None = None
    usage: Usage | None = None
    attempts: list[Attempt] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a trial: what was told, what was raised, and how long things took (seconds)."""

    trial: Trial
    told: Told
    error: BaseException | None
    seconds: float
    closing: float | None
    requests: int

    @property
    def wrong(self) -> list[str]:
        """What is not as it must be, in words; empty when all is right."""
        return self.amiss + self.late

    @property
    def slow(self) -> bool:
        """Whether all that is wrong may be a busy machine's: lateness, or a clock on trial that was missed."""
        return bool(self.wrong) and (self.trial.timed or not self.amiss)

    @property
    def late(self) -> list[str]:
        """What came too late, in words: a busy machine may be why."""
        found = []
        if self.seconds > (self.trial.deadlines.total or 0) + _SLACK:
            found.append(f"took {self.seconds:.2f} s")
        if self.trial.finish is FinishReason.COMPLETE and self.told.usage is None:
            found.append("no usage: the wait for what comes after the ending is short")
        if self.closing is not None and self.closing > _CLOSING:
            found.append(f"upstream still open {_CLOSING} s later")
        return found

    @property
    def amiss(self) -> list[str]:
        """What is wrong on a machine of any speed, in words."""
        trial, told = self.trial, self.told
        found = []
        right_text = told.text.startswith(trial.text) if trial.part else told.text == trial.text
        if not right_text or (trial.part and told.text == WHOLE):
            found.append(f"text {told.text!r}, not {trial.text!r}")
        if trial.error is None and self.error is not None:
            found.append(f"raised {self.error!r}")
        if trial.error is not None and type(self.error) is not trial.error:
            found.append(f"raised {self.error!r}, not {trial.error.__name__}")
        if trial.finish is not None and told.finish is not trial.finish:
            found.append(f"ended {told.finish}, not {trial.finish}")
        if self.requests != trial.tries and not trial.refused:
            found.append(f"asked {self.requests} times, not {trial.tries}")
        if trial.finish is FinishReason.COMPLETE and told.usage not in (None, Usage(*USAGE)):
            found.append(f"usage {told.usage}")
        if self.closing is None:
            found.append(f"upstream still open {_NEVER} s later")
        return found


Tell = Callable[[ProtocolName, str, Told], Awaitable[None]]


async def undergo(trial: Trial, protocol: ProtocolName, tell: Tell) -> Outcome:
    """Play one trial. ``tell(protocol, base_url, told)`` asks the provider under ``told.deadlines`` and `RETRY`."""
    async with ScriptedLLM(*trial.replies) as llm:
        base_url = llm.url(protocol)
        if trial.refused:
            base_url = closed_port() + ("/v1" if protocol in {"openai", "responses"} else "")
        told, error, closing = Told(trial.deadlines), None, None
        began = time.perf_counter()
        try:
            await asyncio.wait_for(tell(protocol, base_url, told), 10 * (trial.deadlines.total or 0))
        except Exception as raised:  # noqa: BLE001 - whatever comes out is what the trial is about
            error = raised
        seconds = time.perf_counter() - began
        try:
            closing = await llm.closed_within(_NEVER)
        except AssertionError:
            closing = None
        return Outcome(trial, told, error, seconds, closing, len(llm.requests))


def _reply(**changes: object) -> Reply:
    return Reply(**{"pieces": PIECES, "usage": USAGE, **changes})  # type: ignore[arg-type]


def _status(status: int, retry_after: str | None = None) -> Reply:
    return Reply(status=status, headers={"Retry-After": retry_after} if retry_after else {})


def _fine(name: str, *replies: Reply, tries: int = 1, timed: bool = False) -> Trial:
    return Trial(name, replies, finish=FinishReason.COMPLETE, text=WHOLE, tries=tries, timed=timed)


def _fails(name: str, error: type[ProviderError], *replies: Reply, tries: int = 1) -> Trial:
    return Trial(name, replies, error=error, tries=tries, timed=error is ProviderTimeout)


def _ends(
    name: str, finish: FinishReason, reply: Reply, *, text: str = CUT, part: bool = False, timed: bool = False
) -> Trial:
    return Trial(name, (reply,), finish=finish, text=text, part=part, timed=timed)


def trials() -> list[Trial]:
    """All of them, by what goes wrong: statuses, the connection, the stream's end, events, bodies, endings."""
    good = _reply()
    long = Reply(pieces=["word "] * 400, delay=0.02)
    truncated, error, filtered = FinishReason.TRUNCATED, FinishReason.ERROR, FinishReason.FILTERED
    return [
        _fine("nothing wrong", good),
        _fine("429 once", _status(429), good, tries=2),
        _fine("429 once, Retry-After", _status(429, "0.05"), good, tries=2),
        _fails("429 always", RateLimited, _status(429), tries=2),
        _fails("429, Retry-After past the deadline", RateLimited, _status(429, "60")),
        _fine("500 once", _status(500), good, tries=2),
        _fine("503 once, Retry-After", _status(503, "0.05"), good, tries=2),
        _fine("529 once", _status(529), good, tries=2),
        _fails("500 always", ProviderUnavailable, _status(500), tries=2),
        _fails("400", ProviderRejected, _status(400)),
        _fails("401", ProviderRejected, _status(401)),
        _fails("404", ProviderRejected, _status(404)),
        Trial("refused connection", (good,), error=ProviderUnavailable, refused=True),
        _fails("hang before the first byte", ProviderTimeout, _reply(fault=faults.hang_before_headers()), tries=2),
        _fails("hang after the headers", ProviderTimeout, _reply(fault=faults.hang_after_headers()), tries=2),
        _fails("keep-alives only", ProviderTimeout, _reply(fault=faults.chatter_without_text()), tries=2),
        _fails("one byte every 50 ms", ProviderTimeout, _reply(fault=faults.trickle(seconds=0.05)), tries=2),
        _fine("hang once", _reply(fault=faults.hang_before_headers()), good, tries=2, timed=True),
        _ends("silence mid-stream", truncated, _reply(fault=faults.silence()), timed=True),
        _ends("silence with keep-alives", truncated, _reply(fault=faults.silence(keep_alive=0.02)), timed=True),
        _ends("longer than the total deadline", truncated, long, text="word word ", part=True, timed=True),
        _ends("disconnect mid-event", truncated, _reply(fault=faults.disconnect())),
        _ends("reset mid-event", truncated, _reply(fault=faults.reset())),
        _fine("disconnect once before any text", _reply(fault=faults.disconnect(after=0)), good, tries=2),
        _fine("reset once before any text", _reply(fault=faults.reset(after=0)), good, tries=2),
        _fails("disconnect always", ProviderUnavailable, _reply(fault=faults.disconnect(after=0)), tries=2),
        _ends("clean cut, no terminal signal", truncated, _reply(fault=faults.clean_cut())),
        _ends("all text, no terminal signal", truncated, _reply(fault=faults.no_terminal()), text=WHOLE),
        _ends("finish reason missing", truncated, _reply(fault=faults.missing_finish()), text=WHOLE),
        _fine("end event missing", _reply(fault=faults.missing_end())),
        _ends("garbage event", error, _reply(fault=faults.garbage_event())),
        _fails("garbage event first", BadProviderReply, _reply(fault=faults.garbage_event(after=0))),
        _ends("error event", error, _reply(fault=faults.error_event())),
        _fails("error event first", ProviderUnavailable, _reply(fault=faults.error_event(after=0)), tries=2),
        _fails("HTML with status 200", BadProviderReply, _reply(fault=faults.html())),
        _fails("broken JSON with status 200", BadProviderReply, _reply(fault=faults.broken_json())),
        _fails("empty body", BadProviderReply, _reply(fault=faults.empty_body())),
        _fails("empty reply", BadProviderReply, Reply("")),
        _ends("length", FinishReason.LENGTH, _reply(finish="length"), text=WHOLE),
        _ends("content filter", filtered, _reply(finish="filter"), text=WHOLE),
        _ends("content filter, no text", filtered, Reply("", finish="filter"), text=""),
        _fine("duplicated events", _reply(fault=faults.duplicated())),
        _fine("unknown events", _reply(fault=faults.unknown_events())),
        _fine("characters cut anywhere", _reply(fault=faults.cut_anywhere(size=3))),
        _fine("CRLF with comments", _reply(fault=faults.crlf_with_comments())),
        _fine("whole reply to a streamed request", _reply(fault=faults.not_streamed())),
    ]
