"""The route that tells a tenant what its answers took, what they may take, and its days before."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query, Request

from footnoted.service.bodies import Route
from footnoted.service.routes._shared import ERRORS, service_of
from footnoted.service.spending import BILLIONTHS, Cap, Count
from footnoted.service.store.usage import Taken
from footnoted.service.tenants import Asking
from footnoted.service.told import ToldUsage, tells

if TYPE_CHECKING:
    from footnoted.service.app import Service

router = APIRouter(route_class=Route, prefix="/api/v1", tags=["session"], responses=ERRORS)


@router.get("/usage", responses=tells(ToldUsage))
async def usage(request: Request, who: Asking, days: Annotated[int, Query(ge=1, le=400)] = 31) -> dict[str, Any]:
    """What was taken, the newest day first; ``held`` is for answers under way, and part of what is taken."""
    return await usage_of(service_of(request), who.tenant, days)


async def usage_of(service: Service, tenant: str, days: int) -> dict[str, Any]:
    """A tenant's counters as they stand, and so many days up to this one."""
    first = f"{datetime.now(UTC) - timedelta(days=days - 1):%Y-%m-%d}"
    return {
        "tenant": tenant,
        "currency": currency_of(service),
        "periods": [_period(cap, count) for cap, count in await service.spending.counted(tenant)],
        "days": [
            {"day": each.day, **taken_told(each.taken)}
            for each in await service.spending.ledger.days(first, tenant=tenant)
        ],
    }


def currency_of(service: Service) -> str | None:
    """The currency of the prices; nothing where none are set."""
    return service.settings.currency if service.settings.prices else None


def taken_told(taken: Taken) -> dict[str, Any]:
    """What answers took, as clients see it."""
    return {**asdict(taken), "money": taken.money / BILLIONTHS}


def _period(cap: Cap, count: Count) -> dict[str, Any]:
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
