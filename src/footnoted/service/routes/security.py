"""The security advisor's routes: a tenant's findings, knowledge and expert answers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends, File, Form, Query, UploadFile
from fastapi.responses import Response

from footnoted.assistants.security import FindingFilters, Pagination
from footnoted.assistants.security.advice.answer import finding_as_json
from footnoted.assistants.security.names import framework_key, service_key
from footnoted.assistants.security.severity import read_severity
from footnoted.service.advising import Advising
from footnoted.service.app import Service
from footnoted.service.asking import Asked, ChatBody, Id
from footnoted.service.bodies import Route
from footnoted.service.faults import Fault, not_found
from footnoted.service.routes._shared import ERRORS, STREAMED, TheService, stream_response, whole_response
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

router = APIRouter(route_class=Route, prefix="/api/v1", tags=["security"], responses=ERRORS)
Words = Annotated[str, Query(max_length=100)]


@asynccontextmanager
async def room(service: Service) -> AsyncIterator[Advising]:
    """The advisor's tables brought up to date, and chat messages on security led to it."""
    advising = Advising(service)
    await advising.open()
    service.chat.assistant = advising
    service.when_forgetting.append(advising.shelf.forget)
    service.conversations.when_deleted.append(lambda gone: advising.shelf.delete(gone.tenant, gone.chunk_ids))
    try:
        yield advising
    finally:
        await advising.aclose()


async def _advising(service: TheService) -> Advising:
    advising: Advising = service.rooms["security"]
    return advising


Advisor = Annotated[Advising, Depends(_advising)]


async def _asked(advising: Advisor, body: ChatBody, who: Asking) -> Asked:
    return await advising.ask(body, who.tenant)


Question = Annotated[Asked, Depends(_asked)]


@router.post("/findings", responses=tells(FindingsReport))
async def import_findings(
    advising: Advisor,
    who: Adding,
    file: Annotated[UploadFile, File(description="Prowler OCSF JSON or CSV, AWS Security Hub ASFF")],
    account: Annotated[list[str] | None, Form(max_length=50)] = None,
) -> dict[str, Any]:
    """Keep every finding of a scanner's file; the same file twice changes nothing."""
    from footnoted.assistants.security.findings.reading import pieces_of

    pieces, accounts = pieces_of(file.file), frozenset(account or ())
    return _kept(await advising.findings.import_file(who.tenant, pieces, accounts=accounts), "no findings")


@router.get("/findings", responses=tells(FindingsPage))
async def findings(
    advising: Advisor,
    who: Asking,
    service: Annotated[list[Words] | None, Query(max_length=50)] = None,
    framework: Annotated[list[Words] | None, Query(max_length=50)] = None,
    severity: Annotated[list[Words] | None, Query(max_length=10)] = None,
    status: Annotated[list[Words] | None, Query(max_length=10)] = None,
    page: Annotated[int, Query(ge=1, le=1_000_000)] = 1,
    per_page: Annotated[int, Query(ge=1, le=200)] = 10,
) -> dict[str, Any]:
    """One page of the tenant's findings, gravest first; failing ones unless ``status`` says otherwise (or ``all``)."""
    if any(read_severity(name) is None for name in severity or ()):
        raise Fault(422, "invalid_request", "severity: critical, high, medium, low or informational")
    filters = FindingFilters(
        services=tuple(service_key(_plain(name)) for name in service or ()),
        frameworks=tuple(framework_key(_plain(name)) for name in framework or ()),
        severities=tuple(_plain(name) for name in severity or ()),
        statuses=() if "all" in (status or ()) else tuple(_plain(name) for name in status or ("fail",)),
    )
    found = await advising.findings.get_findings(who.tenant, filters, Pagination(page, per_page))
    return {
        "total": found.total,
        "counts": dict(found.counts),
        "page": found.page,
        "per_page": found.page_size,
        "findings": [finding_as_json(finding) for finding in found],
    }


@router.delete("/findings")
async def forget_findings(advising: Advisor, who: Adding) -> DeletedCount:
    """Forget every finding of the tenant, and what answers cited of them."""
    await advising.shelf.delete_all(who.tenant)
    return DeletedCount(deleted=await advising.findings.delete_all(who.tenant))


@router.post("/kb", responses=tells(KnowledgeReport))
async def import_knowledge(
    service: TheService,
    advising: Advisor,
    who: Adding,
    file: Annotated[UploadFile, File(description="NIST OSCAL, Prowler compliance or check metadata")],
) -> dict[str, Any]:
    """Keep what the file holds beside the shipped controls, for this tenant."""
    data = await file.read(service.settings.file_bytes)
    return _kept(await advising.knowledge.import_file(who.tenant, data), "no entries")


@router.get("/kb", responses=tells(Knowledge))
async def knowledge(
    advising: Advisor, who: Asking, framework: Words | None = None, service: Words | None = None
) -> dict[str, Any]:
    """The entries for a framework or a service, gravest first; without either, how many there are."""
    kept = advising.knowledge
    if framework:
        found = await kept.get_for_framework(_plain(framework), tenant_id=who.tenant)
    elif service:
        found = await kept.get_for_service(_plain(service), tenant_id=who.tenant)
    else:
        return {"counts": await kept.count(who.tenant), "entries": []}
    return {"entries": [entry.as_json() for entry in found]}


@router.post("/advice/message", responses=tells(WholeAnswer))
async def message(service: TheService, asked: Question) -> dict[str, Any]:
    """An expert's whole answer."""
    return await whole_response(service, asked)


@router.get("/advice/sources/{source_id}")
async def cited_source(service: TheService, advising: Advisor, source_id: Id, who: Asking) -> CitedSource:
    """A finding, a control, a document's words or the counts, as an answer cites it: the text its offsets count in."""
    found = await advising.shelf.get(who.tenant, source_id)
    if found is None:
        raise not_found("there is no such source")
    if found.kind == "document":
        await service.documents.passage(who.tenant, str(UUID(hex=found.item)))  # gone with its document
    return CitedSource.model_validate(found)


@router.post("/advice/stream", response_class=Response, responses=STREAMED)
async def stream(service: TheService, asked: Question) -> Response:
    """An expert's answer as server-sent events."""
    return await stream_response(service, asked)


def _kept(report: Any, nothing: str) -> dict[str, Any]:
    """What became of a file. Raises `Fault` 422 where nothing of it could be read."""
    if not report.read:
        problem = report.problems[0] if report.problems else None
        raise Fault(422, "unreadable_document", f"line {problem.line}: {problem.reason}" if problem else nothing)
    told: dict[str, Any] = report.as_json()
    return told


def _plain(text: str) -> str:
    return text.replace("\x00", "").encode("utf-8", "replace").decode()
