"""Holds what an answer may take ahead from its tenant's day and month, or raises 429.

An answer that does not fit beside those under way is not begun. When it has ended, what was held becomes what it took.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Any

from footnoted.contract import GenerationRequest, GenerationResponse, TokenUsage
from footnoted.service.asking import Asked
from footnoted.service.counting import Cap, Cost, Count, Counters, Full, Period, Unknown, periods_of
from footnoted.service.faults import Fault
from footnoted.service.observe.metrics import METRICS
from footnoted.service.prices import price_of
from footnoted.service.settings import Policy, Settings
from footnoted.service.store.usage import Ledger, Taken
from footnoted.text import estimate_tokens

BILLIONTHS = 1_000_000_000
_FRAME = 700  # tokens of a prompt besides what the client sent
_FRAME_OF_SOURCE = 12
_SOON = 2.0  # seconds after which to ask again when only answers under way stand in the way


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
                known = [replace(cap, spent=await self._spent(asked.tenant, cap)) for cap in caps]
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
        return [(cap, count or Count(await self._spent(tenant, cap))) for cap, count in zip(caps, found, strict=True)]

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

    async def _spent(self, tenant: str, cap: Cap) -> Cost:
        taken = await self.ledger.since(tenant, cap.period.first)
        return Cost(taken.tokens, taken.money)

    def _refused(self, full: Full, held: Cost, caps: Sequence[Cap]) -> Fault:
        METRICS.limited.labels("spend_limit").inc()
        cap, count = caps[full.cap], full.count
        what = "money" if full.money else "tokens"
        most, used, under_way, needs = (getattr(amount, what) for amount in (cap, count.used, count.held, held))

        def said(amount: int) -> str:
            return f"{amount / BILLIONTHS:,.4f} {self._settings.currency}" if full.money else f"{amount:,}"

        soon = used - under_way + needs <= most
        words = (
            f"the {what} of this {cap.period.kind} do not suffice: {said(used)} of {said(most)} are taken"
            f"{' or held for answers under way' if soon else ''}, and this answer may take {said(needs)}; "
            f"they renew at {cap.period.renews_at}"
        )
        wait = _SOON if soon else math.ceil((cap.period.renews - datetime.now(UTC)).total_seconds())
        return Fault(429, "spend_limit", words, retry_after=max(1.0, wait), renews_at=cap.period.renews_at)


def in_currency(taken: Taken) -> dict[str, Any]:
    """What answers took, as clients are told it: money in the currency, not in billionths of it."""
    return {**asdict(taken), "money": taken.money / BILLIONTHS}


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
