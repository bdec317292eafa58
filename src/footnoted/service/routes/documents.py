"""The routes of a tenant's documents, their texts and passages."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, File, Form, Path, Query, Request, Response, UploadFile
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import Field

from footnoted.retrieval.load.found import FORMATS, READABLE, ending_of
from footnoted.service.asking import CONVERSATION, Body, Conversation, Words
from footnoted.service.bodies import Route
from footnoted.service.documents import Text
from footnoted.service.faults import Fault, too_large
from footnoted.service.overview import opening_of, topics_of
from footnoted.service.routes._shared import ERRORS, paged, service_of
from footnoted.service.tenants import Adding, Asking
from footnoted.service.told import DocumentText, Outline, ToldDocument, ToldDocuments, ToldPassage, ToldPlaces, tells

router = APIRouter(route_class=Route, prefix="/api/v1", tags=["documents"], responses=ERRORS)

_FAR = 2**53  # offsets beyond which JavaScript counts no more
_PIECE = 32 * 1024  # characters; others have a turn between two
_PICTURE = {"image/png": {"schema": {"type": "string", "format": "binary"}}}


@router.post(
    "/documents",
    status_code=201,
    responses={**tells(ToldDocument, status=201), **tells(ToldDocument, "it was there already")},
)
async def upload(
    request: Request,
    response: Response,
    who: Adding,
    file: Annotated[UploadFile, File(description="a file of any kind that is read")],
    title: Annotated[str | None, Form(max_length=300)] = None,
    conversation_id: Annotated[str | None, Form(pattern=CONVERSATION)] = None,
) -> dict[str, Any]:
    """Read a file and keep it."""
    service = service_of(request)
    name = _name(file.filename)
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
    return stored.model_dump()


class UrlBody(Body):
    """Where a document is to be had."""

    url: Annotated[Words, Field(max_length=2_000)]
    conversation_id: Conversation | None = None


@router.post(
    "/documents/url",
    status_code=201,
    responses={**tells(ToldDocument, status=201), **tells(ToldDocument, "it was there already")},
)
async def add_by_url(request: Request, response: Response, body: UrlBody, who: Adding) -> dict[str, Any]:
    """Fetch a web address among the hosts that are allowed here (``url_hosts``), read what is there, and keep it."""
    service = service_of(request)
    ports = service.settings.policy_of(who.tenant).url_ports
    found = await service.fetcher.fetch(body.url.strip(), tenant=who.tenant, ports=ports)
    name = _name(found.name)
    stored, new = await service.documents.add(who.tenant, found.data, name, conversation_id=body.conversation_id)
    if not new:
        response.status_code = 200
    return stored.model_dump()


@router.get("/documents", responses=tells(ToldDocuments))
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
    return paged("documents", [each.model_dump() for each in found], limit)


@router.get("/overview", responses=tells(Outline))
async def overview(request: Request, who: Asking, limit: Annotated[int, Query(ge=1, le=20)] = 8) -> dict[str, Any]:
    """The newest documents: how each begins, at its place, and what its sections are on."""
    texts = await service_of(request).documents.latest_texts(who.tenant, limit=limit)
    return {"documents": await asyncio.to_thread(lambda: [_outlined(each) for each in texts])}


@router.get("/documents/{document_id}", responses=tells(ToldDocument))
async def document(request: Request, document_id: UUID, who: Asking) -> dict[str, Any]:
    """One document."""
    return (await service_of(request).documents.get(who.tenant, str(document_id))).model_dump()


@router.get("/documents/{document_id}/text", response_class=JSONResponse, responses=tells(DocumentText))
async def text(request: Request, document_id: UUID, who: Asking) -> Response:
    """The text all offsets of this document count in."""
    found = await service_of(request).documents.text(who.tenant, str(document_id))
    return StreamingResponse(_pieces(found), media_type="application/json")


@router.get("/documents/{document_id}/places", responses=tells(ToldPlaces))
async def places(
    request: Request,
    document_id: UUID,
    who: Asking,
    start: Annotated[int, Query(ge=0, le=_FAR)],
    end: Annotated[int, Query(ge=0, le=_FAR)],
) -> dict[str, Any]:
    """Where code points ``[start, end)`` of the document's text stand in its file: rectangles on pages, or cells."""
    found = await service_of(request).documents.places(who.tenant, str(document_id), start, end)
    return found.model_dump(exclude_unset=True)


@router.get(
    "/documents/{document_id}/pages/{page}",
    response_class=Response,
    responses={200: {"description": "the page; its header says where on it points lie", "content": _PICTURE}},
)
async def page(
    request: Request,
    document_id: UUID,
    page: Annotated[int, Path(ge=1, le=100_000)],
    who: Asking,
    width: Annotated[int, Query(ge=100, le=2_000)] = 1_240,
) -> Response:
    """A page of a PDF as it looks, ``width`` pixels wide.

    ``Page-Matrix`` holds six numbers a to f: a point x, y of the page (1/72 inch from its lower left corner) lies at
    ``a x + c y + e`` of the picture's width and ``b x + d y + f`` of its height.
    """
    drawn = await service_of(request).documents.drawn(who.tenant, str(document_id), page, width=width)
    matrix = " ".join(f"{each:.9g}" for each in drawn.matrix)
    return Response(drawn.png, media_type="image/png", headers={"Page-Matrix": matrix, "Cache-Control": "no-store"})


@router.delete("/documents/{document_id}", status_code=204)
async def delete(request: Request, document_id: UUID, who: Adding) -> None:
    """Forget it and its passages."""
    await service_of(request).documents.delete(who.tenant, str(document_id))


@router.get("/sources/{chunk_id}", responses=tells(ToldPassage))
async def source(request: Request, chunk_id: UUID, who: Asking) -> dict[str, Any]:
    """One passage, as it was shown to the model."""
    found = await service_of(request).documents.passage(who.tenant, str(chunk_id))
    data = dict(found.metadata)
    places = {"document_id": data.pop("document_id"), "document_start": data.pop("start")}
    places |= {"document_end": data.pop("end"), "lead": data.pop("lead")}
    return {"chunk_id": found.id, "title": found.title, "text": found.text, **places, "metadata": data}


async def _pieces(found: Text) -> AsyncIterator[bytes]:
    """The JSON of a text, which may be 50 MB long, so that nobody waits for more than one piece to be written."""
    about = {name: getattr(found.document, name) for name in ("id", "name", "title", "format")}
    yield json.dumps(about, ensure_ascii=False).removesuffix("}").encode() + b', "text": "'
    for at in range(0, len(found.text), _PIECE):
        yield json.dumps(found.text[at : at + _PIECE], ensure_ascii=False)[1:-1].encode()
    yield b'", "sections": '
    for at in range(0, len(found.told), _PIECE):
        yield found.told[at : at + _PIECE].encode()
    yield b"}"


def _outlined(found: Text) -> dict[str, Any]:
    about = found.document
    opening = opening_of(found.text, found.sections)
    return {
        "id": about.id,
        "title": about.title,
        "characters": about.characters,
        "opening": opening.model_dump() if opening else None,
        "topics": topics_of(about.title, found.text, found.sections),
    }


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else " " for char in text)


def _name(filename: str | None) -> str:
    """A file's name alone, on one line, of a length that can be shown. Raises `Fault` for a kind that is not read."""
    name = _printable((filename or "").replace("\\", "/").rsplit("/", 1)[-1]).strip()
    if len(name) > 200:
        stem, dot, ending = name.rpartition(".")
        name = f"{stem[:190]}{dot}{ending[:9]}" if dot else name[:200]
    name = name or "document.txt"
    ending = ending_of(name)
    if ending and ending not in FORMATS:
        raise Fault(422, "unreadable_document", f"{name} is of a kind that is not read here; {READABLE} are")
    return name
