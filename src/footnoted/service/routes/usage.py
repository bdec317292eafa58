"""The route that tells a tenant what its answers took, what they may take, and its days before."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request

from footnoted.service.bodies import Route
from footnoted.service.routes._shared import ERRORS, service_of
from footnoted.service.spending import BILLIONTHS, Cap, Count
from footnoted.service.store.usage import Day
from footnoted.service.tenants import Asking
from footnoted.service.told import ToldUsage, tells

router = APIRouter(route_class=Route, prefix="/api/v1", tags=["session"], responses=ERRORS)


@router.get("/usage", responses=tells(ToldUsage))
async def usage(request: Request, who: Asking, days: Annotated[int, Query(ge=1, le=400)] = 31) -> dict[str, Any]:
    """What was taken, the newest day first; ``held`` is for answers under way, and part of what is taken."""
    service = service_of(request)
    counted = await service.spending.counted(who.tenant)
    before = await service.spending.ledger.days(first_of(days), tenant=who.tenant)
    return {
        "tenant": who.tenant,
        "currency": service.settings.currency if service.settings.prices else None,
        "periods": [told_period(cap, count) for cap, count in counted],
        "days": [told_day(each) for each in before],
    }


def first_of(days: int) -> str:
    """The first of so many days (UTC) up to this one."""
    return f"{datetime.now(UTC) - timedelta(days=days - 1):%Y-%m-%d}"


def told_period(cap: Cap, count: Count) -> dict[str, Any]:
    """A day or month with its limits."""
    return {
        "period": cap.period.kind,
        "name": cap.period.name,
        "tokens": count.used.tokens,
        "tokens_held": count.held.tokens,
        "most_tokens": cap.tokens,
        "money": count.used.money / BILLIONTHS,
        "money_held": count.held.money / BILLIONTHS,
        "most_money": None if cap.money is None else cap.money / BILLIONTHS,
        "renews_at": cap.period.renews_at,
    }


def told_day(day: Day) -> dict[str, Any]:
    """A tenant's day."""
    taken = day.taken
    return {"day": day.day, "answers": taken.answers, "tokens": taken.tokens, "money": taken.money / BILLIONTHS}
