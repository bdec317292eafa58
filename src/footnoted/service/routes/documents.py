"""Files in; the tenant's documents, their texts and passages out."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, File, Form, Query, Request, Response, UploadFile

from footnoted.service.asking import CONVERSATION
from footnoted.service.documents import Stored
from footnoted.service.faults import Fault, too_large
from footnoted.service.routes._shared import ERRORS, iso, service_of
from footnoted.service.tenants import Asking

router = APIRouter(prefix="/api/v1", tags=["documents"], responses=ERRORS)


@router.post("/documents", status_code=201, responses={200: {"description": "it was there already"}})
async def upload(
    request: Request,
    response: Response,
    who: Asking,
    file: Annotated[UploadFile, File(description="PDF, DOCX, Markdown, HTML or text")],
    title: Annotated[str | None, Form(max_length=300)] = None,
    conversation_id: Annotated[str | None, Form(pattern=CONVERSATION)] = None,
) -> dict[str, Any]:
    """Read a file and keep it."""
    service = service_of(request)
    name = _name(file.filename)
    if not _readable(name):
        raise Fault(422, "unreadable_document", f"{name} is of a kind that is not read here; {_kinds()} are")
    data = await file.read(service.settings.file_bytes + 1)
    if len(data) > service.settings.file_bytes:
        raise too_large(f"{name} is larger than {service.settings.file_bytes} bytes")
    stored, new = await service.documents.add(
        who.tenant,
        data,
        name,
        title=_printable(title).strip() or None if title else None,
        conversation_id=conversation_id,
    )
    if not new:
        response.status_code = 200
    return told(stored)


@router.get("/documents")
async def documents(
    request: Request,
    who: Asking,
    conversation_id: Annotated[str | None, Query(pattern=CONVERSATION)] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
    after: UUID | None = None,
) -> dict[str, Any]:
    """The tenant's documents, the newest first."""
    found = await service_of(request).documents.recent(
        who.tenant, conversation_id=conversation_id, limit=limit + 1, after=str(after) if after else None
    )
    shown = found[:limit]
    return {"documents": [told(each) for each in shown], "next": shown[-1].id if len(found) > limit else None}


@router.get("/documents/{document_id}")
async def document(request: Request, document_id: UUID, who: Asking) -> dict[str, Any]:
    """One document."""
    return told(await service_of(request).documents.get(who.tenant, str(document_id)))


@router.get("/documents/{document_id}/text")
async def text(request: Request, document_id: UUID, who: Asking) -> dict[str, Any]:
    """The text all offsets of this document count in."""
    found = await service_of(request).documents.text(who.tenant, str(document_id))
    about = found.document
    return {"id": about.id, "name": about.name, "title": about.title, "text": found.text, "sections": found.sections}


@router.delete("/documents/{document_id}", status_code=204)
async def delete(request: Request, document_id: UUID, who: Asking) -> None:
    """Forget it and its passages."""
    await service_of(request).documents.delete(who.tenant, str(document_id))


@router.get("/sources/{chunk_id}")
async def source(request: Request, chunk_id: UUID, who: Asking) -> dict[str, Any]:
    """One passage, as it was shown to the model."""
    found = await service_of(request).documents.passage(who.tenant, str(chunk_id))
    data = dict(found.metadata)
    places = {"document_id": data.pop("document_id"), "document_start": data.pop("start")}
    places |= {"document_end": data.pop("end"), "lead": data.pop("lead")}
    return {"chunk_id": found.id, "title": found.title, "text": found.text, **places, "metadata": data}


def told(stored: Stored) -> dict[str, Any]:
    """A document as clients see it."""
    return {**asdict(stored), "created_at": iso(stored.created_at)}


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else " " for char in text)


def _name(filename: str | None) -> str:
    """A file's name alone, on one line, of a length that can be shown."""
    name = _printable((filename or "").replace("\\", "/").rsplit("/", 1)[-1]).strip()
    if len(name) > 200:
        stem, dot, ending = name.rpartition(".")
        name = f"{stem[:190]}{dot}{ending[:9]}" if dot else name[:200]
    return name or "document.txt"


def _readable(name: str) -> bool:
    from footnoted.retrieval.load.found import FORMATS, ending_of

    ending = ending_of(name)
    return not ending or ending in FORMATS


def _kinds() -> str:
    from footnoted.retrieval.load.found import READABLE

    return READABLE
