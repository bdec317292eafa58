"""The administrator's routes: all tenants' keys, usage and feedback. Anybody else gets 403 from each."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Path, Query
from pydantic import Field

from footnoted.service.administering import all_feedback, all_tenants
from footnoted.service.asking import Body, Id, Words
from footnoted.service.bodies import Route
from footnoted.service.faults import not_found
from footnoted.service.routes._shared import ERRORS, TheService, paged
from footnoted.service.routes.session import currency_of, usage_of
from footnoted.service.settings import TenantName
from footnoted.service.store.keys import Keys, Role
from footnoted.service.tenants import administrator
from footnoted.service.told import (
    MadeKey,
    RevokedKey,
    TenantUsage,
    ToldKey,
    ToldKeys,
    ToldTenants,
    ToldThoughts,
)

router = APIRouter(
    route_class=Route,
    prefix="/api/v1/admin",
    tags=["admin"],
    responses=ERRORS,
    dependencies=[Depends(administrator)],
)


class KeyBody(Body):
    """A key to be made."""

    tenant: TenantName
    label: Annotated[Words, Field(max_length=200)] = ""
    role: Role = "member"


@router.get("/keys")
async def keys(service: TheService) -> ToldKeys:
    """Every key without its secret, the oldest first."""
    return ToldKeys(keys=[ToldKey.model_validate(key) for key in await Keys(service.store).all()])


@router.post("/keys", status_code=201)
async def make_key(service: TheService, body: KeyBody) -> MadeKey:
    """A new key; ``key`` is told this once."""
    kept = Keys(service.store)
    secret = await kept.add(body.tenant, label=body.label, role=body.role)
    made = ToldKey.model_validate(await kept.find(secret))
    return MadeKey(**made.model_dump(), key=secret)


@router.delete("/keys/{key_id}")
async def revoke_key(service: TheService, key_id: Annotated[str, Path(max_length=64)]) -> RevokedKey:
    """End a key: here at once, on other replicas within half a minute."""
    if not await Keys(service.store).revoke(key_id):
        raise not_found("there is no live key of this id")
    service.tenants.forget()
    return RevokedKey(id=key_id, revoked=True)


@router.get("/tenants")
async def tenants(service: TheService) -> ToldTenants:
    """Every tenant with what there is of it, what its answers took, and the most they may."""
    tenants = await all_tenants(service.store, service.spending.ledger, service.settings)
    return ToldTenants(tenants=tenants, currency=currency_of(service))


@router.get("/tenants/{tenant}/usage")
async def tenant_usage(
    service: TheService, tenant: TenantName, days: Annotated[int, Query(ge=1, le=400)] = 31
) -> TenantUsage:
    """A tenant's counters as they stand, its days, and its policy."""
    policy = service.settings.policy_of(tenant).model_dump(mode="json")
    usage = await usage_of(service, tenant, days)
    return TenantUsage(**usage.model_dump(), policy=policy)


@router.get("/feedback", response_model=ToldThoughts)
async def feedback(
    service: TheService,
    tenant: TenantName | None = None,
    rating: Literal["up", "down"] | None = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    after: Id | None = None,
) -> dict[str, Any]:
    """What people thought of answers, with question and answer, the newest first."""
    found = await all_feedback(service.store, tenant=tenant, rating=rating, limit=limit + 1, after=after)
    return paged("feedback", found, limit, by="feedback_id")
