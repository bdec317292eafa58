"""Holds what an answer may take ahead from its tenant's day and month, or raises 429.

An answer that does not fit beside those under way is not begun. When it has ended, what was held becomes what it took.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from footnoted.contract import TokenUsage
from footnoted.service.faults import Fault
from footnoted.service.observe.metrics import METRICS
from footnoted.service.prices import price_of
from footnoted.service.store.usage import Taken
from footnoted.service.told import iso
from footnoted.text import estimate_tokens

if TYPE_CHECKING:
    from footnoted.contract import GenerationRequest, GenerationResponse
    from footnoted.service.asking import Asked
    from footnoted.service.settings import Policy, Settings
    from footnoted.service.store.usage import Ledger

BILLIONTHS = 1_000_000_000
_FRAME = 700  # tokens of a prompt besides what the client sent
_FRAME_OF_SOURCE = 12
_DAY = 24 * 60 * 60  # seconds
_SOON = 2.0  # seconds after which to ask again when only answers under way stand in the way


@dataclass(frozen=True, slots=True)
class Period:
    """A day or a month (UTC), by the name of its first day."""

    kind: str
    name: str
    renews: datetime

    @property
    def first(self) -> str:
        """Its first day."""
        return self.name if self.kind == "day" else f"{self.name}-01"

    @property
    def renews_at(self) -> str:
        """When the next begins, as ISO 8601."""
        return iso(self.renews.timestamp())


@dataclass(frozen=True, slots=True)
class Cost:
    """Tokens, and money in billionths of the currency."""

    tokens: int = 0
    money: int = 0


@dataclass(frozen=True, slots=True)
class Cap:
    """The most that may be taken in a period; nothing is no limit. ``spent`` is what the ledger knows of it."""

    period: Period
    tokens: int | None
    money: int | None
    spent: Cost | None = None


@dataclass(frozen=True, slots=True)
class Count:
    """What was taken in a period, and how much of that is held for answers under way."""

    used: Cost
    held: Cost = Cost()


@dataclass(frozen=True, slots=True)
class Full:
    """The cap an answer does not fit in, and what is counted there."""

    cap: int  # index
    money: bool
    count: Count


class Unknown(Exception):
    """A period that nothing was counted in yet, here: what the ledger knows must be told along."""


class Counters(Protocol):
    """The counts of all tenants that have limits."""

    async def hold(self, tenant: str, what: str, cost: Cost, caps: Sequence[Cap]) -> Full | None:
        """Count ``cost`` in every period, or in none and say which is full. Raises `Unknown`."""
        ...

    def settle(self, tenant: str, what: str, held: Cost, took: Cost, caps: Sequence[Cap]) -> None:
        """Count what it took instead of what was held; nobody waits for it."""
        ...

    async def counted(self, tenant: str, caps: Sequence[Cap]) -> list[Count | None]:
        """What is counted in each period; nothing where nothing was counted yet."""
        ...

    async def aclose(self) -> None:
        """Settle what is left."""
        ...


class MemoryCounters:
    """The counts of one process."""

    def __init__(self) -> None:
        self._used: dict[tuple[str, str], Cost] = {}
        self._held: dict[str, dict[str, Cost]] = {}

    async def hold(self, tenant: str, what: str, cost: Cost, caps: Sequence[Cap]) -> Full | None:
        """Count it, or say what is full."""
        self._forget(caps)
        for cap in caps:
            if (tenant, cap.period.name) not in self._used:
                if cap.spent is None:
                    raise Unknown
                self._used[tenant, cap.period.name] = cap.spent
        held = self._held_of(tenant)
        for index, cap in enumerate(caps):
            used = self._used[tenant, cap.period.name]
            for money, most, there, more in (
                (False, cap.tokens, used.tokens, cost.tokens),
                (True, cap.money, used.money, cost.money),
            ):
                if most is not None and there + more > most:
                    return Full(index, money, Count(used, held))
        self._held.setdefault(tenant, {})[what] = cost
        self._add(tenant, cost, caps)
        return None

    def settle(self, tenant: str, what: str, held: Cost, took: Cost, caps: Sequence[Cap]) -> None:
        """Once."""
        if self._held.get(tenant, {}).pop(what, None) is None:
            return
        if not self._held[tenant]:
            del self._held[tenant]
        self._add(tenant, Cost(took.tokens - held.tokens, took.money - held.money), caps)

    async def counted(self, tenant: str, caps: Sequence[Cap]) -> list[Count | None]:
        """What is counted here."""
        held = self._held_of(tenant)
        found = [self._used.get((tenant, cap.period.name)) for cap in caps]
        return [None if used is None else Count(used, held) for used in found]

    async def aclose(self) -> None:
        """Nothing is left."""

    def _held_of(self, tenant: str) -> Cost:
        held = self._held.get(tenant, {}).values()
        return Cost(sum(each.tokens for each in held), sum(each.money for each in held))

    def _add(self, tenant: str, more: Cost, caps: Sequence[Cap]) -> None:
        for cap in caps:
            used = self._used.get((tenant, cap.period.name))
            if used is not None:
                self._used[tenant, cap.period.name] = Cost(used.tokens + more.tokens, used.money + more.money)

    def _forget(self, caps: Sequence[Cap]) -> None:
        """Days and months before these; an answer that began in one and ended in the next was counted ahead."""
        if len(self._used) > 10_000:
            now = {cap.period.name for cap in caps}
            self._used = {name: used for name, used in self._used.items() if name[1] in now}


class Bill:
    """What one answer may take, until it is known what it took."""

    def __init__(self, spending: Spending, asked: Asked, held: Cost, caps: Sequence[Cap]) -> None:
        self._spending = spending
        self._asked = asked
        self.held = held
        self.caps = caps
        self._open = True

    def settle(self, response: GenerationResponse) -> None:
        """It took this."""
        self._close(response.usage, response.model)

    def cut(self, text: str) -> None:
        """It ended before its end: what had been said is known, what it read is estimated."""
        said = TokenUsage(input=_read(self._asked.request), output=estimate_tokens(text)) if text else TokenUsage()
        self._close(said, None, answers=1 if text else 0)

    def drop(self) -> None:
        """It was not begun after all; nothing changes where it is settled."""
        self._close(TokenUsage(), None, answers=0)

    def _close(self, usage: TokenUsage, model: str | None, *, answers: int = 1) -> None:
        if self._open:
            self._open = False
            self._spending.closed(self._asked, self, usage, model, answers)


class Spending:
    """What tenants may take and have taken, by the settings' limits and prices."""

    def __init__(self, settings: Settings, counters: Counters, ledger: Ledger) -> None:
        self._settings = settings
        self._counters = counters
        self.ledger = ledger

    async def hold(self, asked: Asked) -> Asked:
        """The question with its bill. Raises `Fault` 429 when its answer does not fit in what is left."""
        caps = caps_of(self._settings.policy_of(asked.tenant), periods_of(time.time()))
        held = self._most(asked.request, money=any(cap.money is not None for cap in caps)) if caps else Cost()
        if caps:
            try:
                full = await self._counters.hold(asked.tenant, asked.answer_id, held, caps)
            except Unknown:
                known = [await self._known(asked.tenant, cap) for cap in caps]
                full = await self._counters.hold(asked.tenant, asked.answer_id, held, known)
            if full is not None:
                raise self._refused(full, held, caps)
        return replace(asked, bill=Bill(self, asked, held, caps))

    async def counted(self, tenant: str) -> list[tuple[Cap, Count]]:
        """What a tenant has taken this day and this month, and the most it may."""
        periods = periods_of(time.time())
        limits = {cap.period.kind: cap for cap in caps_of(self._settings.policy_of(tenant), periods)}
        caps = [limits.get(period.kind, Cap(period, None, None)) for period in periods]
        found = await self._counters.counted(tenant, caps) if limits else [None] * len(caps)
        counts = []
        for cap, count in zip(caps, found, strict=True):
            if count is None:
                spent = (await self._known(tenant, cap)).spent or Cost()
                counts.append((cap, Count(spent)))
            else:
                counts.append((cap, count))
        return counts

    def closed(self, asked: Asked, bill: Bill, usage: TokenUsage, model: str | None, answers: int) -> None:
        """An answer has ended, and took this."""
        tokens = usage.input + usage.output + usage.judge.input + usage.judge.output
        took = Cost(tokens, self._money(usage, model, asked.request.config.model))
        if bill.caps:
            self._counters.settle(asked.tenant, asked.answer_id, bill.held, took, bill.caps)
        if not answers:
            return
        today = periods_of(time.time())[-1].name
        self.ledger.add(asked.tenant, today, Taken(answers, took.tokens, took.money))
        tenant = asked.tenant if self._settings.metrics_tenants else "all"
        METRICS.spent_tokens.labels(tenant).inc(took.tokens)
        METRICS.spent_money.labels(tenant).inc(took.money / BILLIONTHS)

    def _money(self, usage: TokenUsage, *models: str | None) -> int:
        settings = self._settings
        price = price_of(settings.prices, *models, settings.model)
        return 0 if price is None or settings.provider == "extractive" else price.of(usage)

    def _most(self, request: GenerationRequest, *, money: bool) -> Cost:
        """What an answer may take: the prompt as it is estimated, and the longest answer."""
        config, settings = request.config, self._settings
        most = TokenUsage(input=_read(request), output=config.max_tokens)
        if money and config.model and price_of(settings.prices, config.model) is None:
            raise Fault(403, "not_allowed", "config.model: this model has no price here, and money is limited")
        return Cost(most.input + most.output, self._money(most, config.model))

    async def _known(self, tenant: str, cap: Cap) -> Cap:
        taken = await self.ledger.since(tenant, cap.period.first)
        return replace(cap, spent=Cost(taken.tokens, taken.money))

    def _refused(self, full: Full, held: Cost, caps: Sequence[Cap]) -> Fault:
        METRICS.limited.labels("spend_limit").inc()
        cap, count = caps[full.cap], full.count
        what = "money" if full.money else "tokens"
        most, used, under_way, needs = (getattr(each, what) for each in (cap, count.used, count.held, held))
        said = [f"{each:,}" for each in (used, most, needs)]
        if full.money:
            said = [f"{each / BILLIONTHS:,.4f} {self._settings.currency}" for each in (used, most, needs)]
        soon = used - under_way + needs <= most
        words = f"the {what} of this {cap.period.kind} do not suffice: {said[0]} of {said[1]} are taken"
        words += " or held for answers under way" if soon else ""
        words += f", and this answer may take {said[2]}; they renew at {cap.period.renews_at}"
        wait = _SOON if soon else math.ceil((cap.period.renews - datetime.now(UTC)).total_seconds())
        return Fault(429, "spend_limit", words, retry_after=max(1.0, wait), renews_at=cap.period.renews_at)


def caps_of(policy: Policy, periods: Sequence[Period]) -> list[Cap]:
    """A policy's limits of these periods; what renews last stands first."""
    limits = {
        "month": (policy.tokens_per_month, policy.money_per_month),
        "day": (policy.tokens_per_day, policy.money_per_day),
    }
    found = []
    for period in periods:
        tokens, money = limits[period.kind]
        if tokens is not None or money is not None:
            found.append(Cap(period, tokens, None if money is None else round(money * BILLIONTHS)))
    return found


def periods_of(now: float) -> tuple[Period, Period]:
    """The month and the day of a time in seconds since 1970.

    >>> [(each.name, each.renews_at) for each in periods_of(0)]
    [('1970-01', '1970-02-01T00:00:00.000Z'), ('1970-01-01', '1970-01-02T00:00:00.000Z')]
    """
    return _periods_of_day(int(now // _DAY))


@lru_cache(maxsize=4)
def _periods_of_day(day: int) -> tuple[Period, Period]:
    """Of a day since 1970: every answer asks, and all of a day get the same."""
    today = datetime.fromtimestamp(day * _DAY, UTC)
    first = today.replace(day=1)
    return (
        Period("month", f"{first:%Y-%m}", (first + timedelta(days=32)).replace(day=1)),
        Period("day", f"{today:%Y-%m-%d}", today + timedelta(days=1)),
    )


def _read(request: GenerationRequest) -> int:
    """About how many tokens a model reads for a request."""
    said = [part for turn in request.conversation_history for part in turn]
    read = _FRAME + sum(map(estimate_tokens, (request.query, request.system_instructions or "", *said)))
    sources = 0
    for source in request.context:
        sources += _FRAME_OF_SOURCE + estimate_tokens(source.title) + estimate_tokens(source.content)
        if sources >= request.config.context_tokens:
            return read + request.config.context_tokens
    return read + sources
