"""The routes that tell a caller who they are here, whom they may ask, and what their answers took and may take."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request

from footnoted import __version__
from footnoted.retrieval.load.found import FORMATS
from footnoted.service.app import Service
from footnoted.service.bodies import Route
from footnoted.service.counting import Cap, Count
from footnoted.service.routes._shared import ERRORS, TheService
from footnoted.service.spending import BILLIONTHS, in_currency
from footnoted.service.tenants import Asking, may_add
from footnoted.service.told import Assistant, Assistants, ToldPeriod, ToldSession, ToldUsage, UsageDay, tells

router = APIRouter(route_class=Route, prefix="/api/v1", tags=["session"], responses=ERRORS)
_LIMITS = (
    "question_characters",
    "sources",
    "source_characters",
    "body_bytes",
    "file_bytes",
    "requests_per_minute",
    "concurrent_streams",
    "stream_seconds",
    "documents",
)
_ASSISTANTS = (
    Assistant(
        id="documents",
        name="My documents",
        description="Answers from the documents you uploaded, and from nothing else.",
        hint="Ask your documents…",
        stream="/api/v1/chat/stream",
    ),
    Assistant(
        id="insurance",
        name="Insurance",
        description="Answers a customer's question from your policy documents, each product apart.",
        hint="Ask about your policies…",
        stream="/api/v1/insurance/stream",
    ),
    Assistant(
        id="security",
        name="Cloud security",
        description="An expert on your cloud's findings and what HIPAA, SOC 2, PCI-DSS, GDPR and CIS ask.",
        hint="Ask about your findings…",
        stream="/api/v1/advice/stream",
    ),
)


@router.get("/session", responses=tells(ToldSession))
async def session(service: TheService, who: Asking) -> dict[str, Any]:
    """The tenant, the limits, and who writes the answers."""
    settings = service.settings
    return {
        "tenant": who.tenant,
        "needs_key": not who.open,
        "admin": who.admin,
        "version": __version__,
        "provider": settings.provider,
        "model": settings.model,
        "checking": settings.checking or "hold",
        "limits": {name: getattr(settings, name) for name in _LIMITS},
        "formats": sorted(FORMATS),
        "urls": bool(settings.url_hosts),
        "may_add": may_add(settings, who),
    }


@router.get("/assistants")
async def assistants(request: Request, who: Asking) -> Assistants:  # noqa: ARG001 (proves the caller)
    """Those whose extra is installed here; all take ``message`` and ``conversation_id``."""
    paths = request.app.openapi()["paths"]
    return Assistants(assistants=[assistant for assistant in _ASSISTANTS if assistant.stream in paths])


@router.get("/usage")
async def usage(service: TheService, who: Asking, days: Annotated[int, Query(ge=1, le=400)] = 31) -> ToldUsage:
    """What was taken, the newest day first; ``held`` is for answers under way, and part of what is taken."""
    return await usage_of(service, who.tenant, days)


async def usage_of(service: Service, tenant: str, days: int) -> ToldUsage:
    """A tenant's counters as they stand, and so many days up to this one."""
    first = f"{datetime.now(UTC) - timedelta(days=days - 1):%Y-%m-%d}"
    spent = await service.spending.ledger.days(first, tenant=tenant)
    return ToldUsage(
        tenant=tenant,
        currency=currency_of(service),
        periods=[_period(cap, count) for cap, count in await service.spending.counted(tenant)],
        days=[UsageDay(day=day.day, **in_currency(day.taken)) for day in spent],
    )


def currency_of(service: Service) -> str | None:
    """The currency of the prices; nothing where none are set."""
    return service.settings.currency if service.settings.prices else None


def _period(cap: Cap, count: Count) -> ToldPeriod:
    return ToldPeriod(
        period=cap.period.kind,
        name=cap.period.name,
        tokens=count.used.tokens,
        tokens_held=count.held.tokens,
        most_tokens=cap.tokens,
        money=count.used.money / BILLIONTHS,
        money_held=count.held.money / BILLIONTHS,
        most_money=None if cap.money is None else cap.money / BILLIONTHS,
        renews_at=cap.period.renews_at,
    )
