"""The administrator's routes: all tenants' keys, usage and feedback. Anybody else gets 403 from each."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from fastapi import APIRouter, Path, Query, Request
from pydantic import Field

from footnoted.service.administering import Administering as Office
from footnoted.service.asking import Body, Words
from footnoted.service.bodies import Route
from footnoted.service.faults import not_found
from footnoted.service.routes._shared import ERRORS, paged, service_of
from footnoted.service.routes.usage import currency_of, taken_told, usage_of
from footnoted.service.settings import TenantName
from footnoted.service.spending import periods_of
from footnoted.service.store.keys import Key, Keys, Role
from footnoted.service.store.usage import Taken
from footnoted.service.tenants import Administering
from footnoted.service.told import (
    MadeKey,
    RevokedKey,
    TenantUsage,
    ToldKeys,
    ToldTenants,
    ToldThoughts,
    iso,
    tells,
)

router = APIRouter(route_class=Route, prefix="/api/v1/admin", tags=["admin"], responses=ERRORS)


class KeyBody(Body):
    """A key to be made."""

    tenant: TenantName
    label: Annotated[Words, Field(max_length=200)] = ""
    role: Role = "member"


@router.get("/keys", responses=tells(ToldKeys))
async def keys(request: Request, who: Administering) -> dict[str, Any]:  # noqa: ARG001 — only administrators may look
    """Every key without its secret, the oldest first."""
    found = await Keys(service_of(request).store).all()
    return {"keys": [_key(each) for each in found]}


@router.post("/keys", status_code=201, responses=tells(MadeKey, status=201))
async def make_key(request: Request, body: KeyBody, who: Administering) -> dict[str, Any]:  # noqa: ARG001
    """A new key; ``key`` is told this once."""
    service = service_of(request)
    found = Keys(service.store)
    secret = await found.add(body.tenant, label=body.label, role=body.role)
    made = await found.find(secret)
    assert made is not None  # noqa: S101 - it was just made
    return {**_key(made), "key": secret}


@router.delete("/keys/{key_id}", responses=tells(RevokedKey))
async def revoke_key(
    request: Request,
    key_id: Annotated[str, Path(max_length=64)],
    who: Administering,  # noqa: ARG001
) -> dict[str, Any]:
    """End a key: here at once, on other replicas within half a minute."""
    service = service_of(request)
    if not await Keys(service.store).revoke(key_id):
        raise not_found("there is no live key of this id")
    service.tenants.forget()
    return {"id": key_id, "revoked": True}


@router.get("/tenants", responses=tells(ToldTenants))
async def tenants(request: Request, who: Administering) -> dict[str, Any]:  # noqa: ARG001
    """Every tenant with what there is of it, what its answers took, and the most they may."""
    service = service_of(request)
    settings = service.settings
    month, day = periods_of(datetime.now(UTC).timestamp())
    office = Office(service.store, service.spending.ledger)
    found = await office.tenants(month=month.first, day=day.name, named=frozenset(settings.tenants))
    told = []
    for each in found:
        policy = settings.policy_of(each.name)
        told.append(
            {
                "tenant": each.name,
                "keys": each.keys,
                "documents": each.documents,
                "conversations": each.conversations,
                "month": _taken(each.month, policy.tokens_per_month, policy.money_per_month),
                "day": _taken(each.day, policy.tokens_per_day, policy.money_per_day),
            }
        )
    return {"tenants": told, "currency": currency_of(service)}


@router.get("/tenants/{tenant}/usage", responses=tells(TenantUsage))
async def tenant_usage(
    request: Request,
    tenant: TenantName,
    who: Administering,  # noqa: ARG001
    days: Annotated[int, Query(ge=1, le=400)] = 31,
) -> dict[str, Any]:
    """A tenant's counters as they stand, its days, and its policy."""
    service = service_of(request)
    policy = service.settings.policy_of(tenant).model_dump(mode="json")
    return {**await usage_of(service, tenant, days), "policy": policy}


@router.get("/feedback", responses=tells(ToldThoughts))
async def feedback(
    request: Request,
    who: Administering,  # noqa: ARG001
    tenant: TenantName | None = None,
    rating: Literal["up", "down"] | None = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    after: UUID | None = None,
) -> dict[str, Any]:
    """What people thought of answers, with question and answer, the newest first."""
    service = service_of(request)
    office = Office(service.store, service.spending.ledger)
    found = await office.feedback(
        tenant=tenant, rating=rating, limit=limit + 1, after=None if after is None else str(after)
    )
    return paged("feedback", [each.model_dump() for each in found], limit, by="feedback_id")


def _key(key: Key) -> dict[str, Any]:
    revoked = None if key.revoked_at is None else iso(key.revoked_at)
    return {**asdict(key), "created_at": iso(key.created_at), "revoked_at": revoked}


def _taken(taken: Taken, tokens: int | None, money: float | None) -> dict[str, Any]:
    return {**taken_told(taken), "most_tokens": tokens, "most_money": money}
