"""The security advisor's routes: a tenant's findings, knowledge and expert answers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

from fastapi import APIRouter, File, Form, Query, Request, UploadFile
from fastapi.responses import Response

from footnoted.assistants.security import FindingFilters, Pagination
from footnoted.assistants.security.advice.answer import finding_as_json
from footnoted.assistants.security.names import framework_key, service_key
from footnoted.assistants.security.severity import read_severity
from footnoted.service.advising import Advising
from footnoted.service.asking import ChatBody
from footnoted.service.bodies import Route
from footnoted.service.faults import Fault, not_found
from footnoted.service.routes._shared import ERRORS, STREAMED, service_of, stream_response, whole_response
from footnoted.service.tenants import Adding, Asking
from footnoted.service.told import (
    CitedSource,
    DeletedCount,
    FindingsPage,
    FindingsReport,
    Knowledge,
    KnowledgeReport,
    WholeAnswer,
    tells,
)

if TYPE_CHECKING:
    from footnoted.service.app import Service

router = APIRouter(route_class=Route, prefix="/api/v1", tags=["security"], responses=ERRORS)
Words = Annotated[str, Query(max_length=100)]


@asynccontextmanager
async def room(service: Service) -> AsyncIterator[None]:
    """The advisor's tables brought up to date, and chat messages on security led to it."""
    advising = Advising(service)
    await advising.open()
    service.chat.assistant = advising
    service.when_forgetting.append(advising.shelf.forget)
    service.conversations.when_deleted.append(lambda gone: advising.shelf.delete(gone.tenant, gone.chunk_ids))
    try:
        yield
    finally:
        await advising.aclose()


@router.post("/findings", responses=tells(FindingsReport))
async def import_findings(
    request: Request,
    who: Adding,
    file: Annotated[UploadFile, File(description="Prowler OCSF JSON or CSV, AWS Security Hub ASFF")],
    account: Annotated[list[str] | None, Form(max_length=50)] = None,
) -> dict[str, Any]:
    """Keep every finding of a scanner's file; the same file twice changes nothing."""
    from footnoted.assistants.security.findings.reading import pieces_of

    kept, accounts = _advising(request).findings, frozenset(account or ())
    return _kept(await kept.import_file(who.tenant, pieces_of(file.file), accounts=accounts), "no findings")


@router.get("/findings", responses=tells(FindingsPage))
async def findings(
    request: Request,
    who: Asking,
    service: Annotated[list[Words] | None, Query(max_length=50)] = None,
    framework: Annotated[list[Words] | None, Query(max_length=50)] = None,
    severity: Annotated[list[Words] | None, Query(max_length=10)] = None,
    status: Annotated[list[Words] | None, Query(max_length=10)] = None,
    page: Annotated[int, Query(ge=1, le=1_000_000)] = 1,
    per_page: Annotated[int, Query(ge=1, le=200)] = 10,
) -> dict[str, Any]:
    """One page of the tenant's findings, gravest first; failing ones unless ``status`` says otherwise (or ``all``)."""
    for one in severity or ():
        if read_severity(one) is None:
            raise Fault(422, "invalid_request", "severity: critical, high, medium, low or informational")
    filters = FindingFilters(
        services=tuple(service_key(_plain(one)) for one in service or ()),
        frameworks=tuple(framework_key(_plain(one)) for one in framework or ()),
        severities=tuple(_plain(one) for one in severity or ()),
        statuses=() if "all" in (status or ()) else tuple(_plain(one) for one in status or ("fail",)),
    )
    found = await _advising(request).findings.get_findings(who.tenant, filters, Pagination(page, per_page))
    return {
        "total": found.total,
        "counts": dict(found.counts),
        "page": found.page,
        "per_page": found.page_size,
        "findings": [finding_as_json(one) for one in found],
    }


@router.delete("/findings", responses=tells(DeletedCount))
async def forget_findings(request: Request, who: Adding) -> dict[str, Any]:
    """Forget every finding of the tenant, and what answers cited of them."""
    advising = _advising(request)
    await advising.shelf.delete_all(who.tenant)
    return {"deleted": await advising.findings.delete_all(who.tenant)}


@router.post("/kb", responses=tells(KnowledgeReport))
async def import_knowledge(
    request: Request,
    who: Adding,
    file: Annotated[UploadFile, File(description="NIST OSCAL, Prowler compliance or check metadata")],
) -> dict[str, Any]:
    """Keep what the file holds beside the shipped controls, for this tenant."""
    limit = service_of(request).settings.file_bytes
    return _kept(await _advising(request).knowledge.import_file(who.tenant, await file.read(limit)), "no entries")


@router.get("/kb", responses=tells(Knowledge))
async def knowledge(
    request: Request, who: Asking, framework: Words | None = None, service: Words | None = None
) -> dict[str, Any]:
    """The entries for a framework or a service, gravest first; without either, how many there are."""
    kept = _advising(request).knowledge
    if framework:
        found = await kept.get_for_framework(_plain(framework), tenant_id=who.tenant)
    elif service:
        found = await kept.get_for_service(_plain(service), tenant_id=who.tenant)
    else:
        return {"counts": await kept.count(who.tenant), "entries": []}
    return {"entries": [entry.as_json() for entry in found]}


@router.post("/advice/message", responses=tells(WholeAnswer))
async def message(request: Request, body: ChatBody, who: Asking) -> dict[str, Any]:
    """An expert's whole answer."""
    service = service_of(request)
    asked = await _advising(request).ask(body, who.tenant)
    return await whole_response(service, asked)


@router.get("/advice/sources/{source_id}", responses=tells(CitedSource))
async def cited_source(request: Request, source_id: UUID, who: Asking) -> dict[str, Any]:
    """A finding, a control, a document's words or the counts, as an answer cites it: the text its offsets count in."""
    found = await _advising(request).shelf.get(who.tenant, str(source_id))
    if found is None:
        raise not_found("there is no such source")
    if found.kind == "document":
        await service_of(request).documents.passage(who.tenant, str(UUID(hex=found.item)))  # gone with its document
    return asdict(found)


@router.post("/advice/stream", response_class=Response, responses=STREAMED)
async def stream(request: Request, body: ChatBody, who: Asking) -> Response:
    """An expert's answer as server-sent events."""
    service = service_of(request)
    asked = await _advising(request).ask(body, who.tenant)
    return await stream_response(service, asked, reader=body.reader)


def _advising(request: Request) -> Advising:
    context = service_of(request).chat.assistant
    if not isinstance(context, Advising):
        raise Fault(503, "unavailable", "the advisor is not open here", retry_after=5)
    return context


def _kept(report: Any, nothing: str) -> dict[str, Any]:
    """What became of a file. Raises `Fault` 422 where nothing of it could be read."""
    if not report.read:
        problem = report.problems[0] if report.problems else None
        raise Fault(422, "unreadable_document", f"line {problem.line}: {problem.reason}" if problem else nothing)
    told: dict[str, Any] = report.as_json()
    return told


def _plain(text: str) -> str:
    return text.replace("\x00", "").encode("utf-8", "replace").decode()
