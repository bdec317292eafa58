"""The operators' routes: whether the service lives, whether it can serve, and its figures."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response

from footnoted.service.bodies import Route
from footnoted.service.faults import Fault
from footnoted.service.observe.metrics import METRICS
from footnoted.service.routes._shared import TheService
from footnoted.service.told import Alive, Ready, tells

router = APIRouter(route_class=Route, tags=["health"])


@router.get("/healthz")
async def healthz() -> Alive:
    """The process lives."""
    return Alive(status="ok")


@router.get(
    "/readyz", responses={**tells(Ready), **tells(Ready, "something is away, or this replica is leaving", status=503)}
)
async def readyz(service: TheService) -> Response:
    """It can serve."""
    checks: dict[str, Any] = {}
    for name, check in (("database", service.store.check), ("replay", service.streams.replay.check)):
        try:
            await check()
            checks[name] = "ok"
        except Fault as fault:
            checks[name] = fault.message
    if service.streams.draining:
        checks["replica"] = "leaving"
    ready = all(found == "ok" for found in checks.values())
    return JSONResponse({"status": "ready" if ready else "not ready", "checks": checks}, 200 if ready else 503)


@router.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
async def metrics() -> Response:
    """Prometheus text."""
    return Response(METRICS.render(), media_type="text/plain; version=0.0.4; charset=utf-8")
