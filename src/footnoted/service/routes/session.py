"""The route that tells a caller who they are here and what they may do."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request

from footnoted import __version__
from footnoted.retrieval.load.found import FORMATS
from footnoted.service.bodies import Route
from footnoted.service.routes._shared import ERRORS, service_of
from footnoted.service.tenants import Asking, may_add
from footnoted.service.told import ToldSession, tells

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


@router.get("/session", responses=tells(ToldSession))
async def session(request: Request, who: Asking) -> dict[str, Any]:
    """The tenant, the limits, and who writes the answers."""
    settings = service_of(request).settings
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
        "may_add": may_add(request, who),
    }
