"""The route that lists the assistants this service offers, each with the stream that asks it."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request

from footnoted.service.bodies import Route
from footnoted.service.routes._shared import ERRORS
from footnoted.service.tenants import Asking
from footnoted.service.told import Assistants, tells

router = APIRouter(route_class=Route, prefix="/api/v1", tags=["session"], responses=ERRORS)

_ASSISTANTS = (
    {
        "id": "documents",
        "name": "My documents",
        "description": "Answers from the documents you uploaded, and from nothing else.",
        "hint": "Ask your documents…",
        "stream": "/api/v1/chat/stream",
    },
    {
        "id": "insurance",
        "name": "Insurance",
        "description": "Answers a customer's question from your policy documents, each product apart.",
        "hint": "Ask about your policies…",
        "stream": "/api/v1/insurance/stream",
    },
    {
        "id": "security",
        "name": "Cloud security",
        "description": "An expert on your cloud's findings and what HIPAA, SOC 2, PCI-DSS, GDPR and CIS ask.",
        "hint": "Ask about your findings…",
        "stream": "/api/v1/advice/stream",
    },
)


@router.get("/assistants", responses=tells(Assistants))
async def assistants(request: Request, who: Asking) -> dict[str, Any]:  # noqa: ARG001 (proves the caller)
    """Those whose extra is installed here; all take ``message`` and ``conversation_id``."""
    paths = request.app.openapi()["paths"]
    return {"assistants": [each for each in _ASSISTANTS if each["stream"] in paths]}
