"""The routes of a tenant's documents, their texts and passages."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, File, Form, Path, Query, Response, UploadFile
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import Field

from footnoted.retrieval.load.found import FORMATS, READABLE, ending_of
from footnoted.service.asking import CONVERSATION, Body, Conversation, Id, Words
from footnoted.service.bodies import Route
from footnoted.service.documents import Text
from footnoted.service.faults import Fault, too_large
from footnoted.service.overview import opening_of, topics_of
from footnoted.service.routes._shared import ERRORS, TheService, paged
from footnoted.service.tenants import Adding, Asking
from footnoted.service.told import (
    DocumentText,
    Outline,
    Outlined,
    ToldDocument,
    ToldDocuments,
    ToldPassage,
    ToldPlaces,
    tells,
)

router = APIRouter(route_class=Route, prefix="/api/v1", tags=["documents"], responses=ERRORS)

_FAR = 2**53  # offsets beyond which JavaScript counts no more
_PIECE = 32 * 1024  # characters; others have a turn between two
_PICTURE = {"image/png": {"schema": {"type": "string", "format": "binary"}}}


_THERE_ALREADY = tells(ToldDocument, "it was there already")


@router.post("/documents", status_code=201, responses=_THERE_ALREADY)
async def upload(
    service: TheService,
    response: Response,
    who: Adding,
    file: Annotated[UploadFile, File(description="a file of any kind that is read")],
    title: Annotated[str | None, Form(max_length=300)] = None,
    conversation_id: Annotated[str | None, Form(pattern=CONVERSATION)] = None,
) -> ToldDocument:
    """Read a file and keep it."""
    name = _name(file.filename)
    data = await file.read(service.settings.file_bytes + 1)
    if len(data) > service.settings.file_bytes:
        raise too_large(f"{name} is larger than {service.settings.file_bytes} bytes")
    title = _printable(title or "").strip() or None
    stored, new = await service.documents.add(who.tenant, data, name, title=title, conversation_id=conversation_id)
    if not new:
        response.status_code = 200
    return stored


class UrlBody(Body):
    """Where a document is to be had."""

    url: Annotated[Words, Field(max_length=2_000)]
    conversation_id: Conversation | None = None


@router.post("/documents/url", status_code=201, responses=_THERE_ALREADY)
async def add_by_url(service: TheService, response: Response, body: UrlBody, who: Adding) -> ToldDocument:
    """Fetch a web address among the hosts that are allowed here (``url_hosts``), read what is there, and keep it."""
    ports = service.settings.policy_of(who.tenant).url_ports
    found = await service.fetcher.fetch(body.url.strip(), tenant=who.tenant, ports=ports)
    name = _name(found.name)
    stored, new = await service.documents.add(who.tenant, found.data, name, conversation_id=body.conversation_id)
    if not new:
        response.status_code = 200
    return stored


@router.get("/documents", response_model=ToldDocuments)
async def documents(
    service: TheService,
    who: Asking,
    conversation_id: Annotated[str | None, Query(pattern=CONVERSATION)] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
    after: Id | None = None,
) -> dict[str, Any]:
    """The tenant's documents, the newest first."""
    found = await service.documents.recent(who.tenant, conversation_id=conversation_id, limit=limit + 1, after=after)
    return paged("documents", found, limit)


@router.get("/overview")
async def overview(service: TheService, who: Asking, limit: Annotated[int, Query(ge=1, le=20)] = 8) -> Outline:
    """The newest documents: how each begins, at its place, and what its sections are on."""
    texts = await service.documents.latest_texts(who.tenant, limit=limit)
    return Outline(documents=await asyncio.to_thread(lambda: [_outlined(text) for text in texts]))


@router.get("/documents/{document_id}")
async def document(service: TheService, document_id: Id, who: Asking) -> ToldDocument:
    """One document."""
    return await service.documents.get(who.tenant, document_id)


@router.get("/documents/{document_id}/text", response_class=JSONResponse, responses=tells(DocumentText))
async def text(service: TheService, document_id: Id, who: Asking) -> Response:
    """The text all offsets of this document count in."""
    found = await service.documents.text(who.tenant, document_id)
    return StreamingResponse(_pieces(found), media_type="application/json")


@router.get("/documents/{document_id}/places", response_model_exclude_unset=True)
async def places(
    service: TheService,
    document_id: Id,
    who: Asking,
    start: Annotated[int, Query(ge=0, le=_FAR)],
    end: Annotated[int, Query(ge=0, le=_FAR)],
) -> ToldPlaces:
    """Where code points ``[start, end)`` of the document's text stand in its file: rectangles on pages, or cells."""
    return await service.documents.places(who.tenant, document_id, start, end)


@router.get(
    "/documents/{document_id}/pages/{page}",
    response_class=Response,
    responses={200: {"description": "the page; its header says where on it points lie", "content": _PICTURE}},
)
async def page(
    service: TheService,
    document_id: Id,
    page: Annotated[int, Path(ge=1, le=100_000)],
    who: Asking,
    width: Annotated[int, Query(ge=100, le=2_000)] = 1_240,
) -> Response:
    """A page of a PDF as it looks, ``width`` pixels wide.

    ``Page-Matrix`` holds six numbers a to f: a point x, y of the page (1/72 inch from its lower left corner) lies at
    ``a x + c y + e`` of the picture's width and ``b x + d y + f`` of its height.
    """
    drawn = await service.documents.drawn(who.tenant, document_id, page, width=width)
    matrix = " ".join(f"{number:.9g}" for number in drawn.matrix)
    return Response(drawn.png, media_type="image/png", headers={"Page-Matrix": matrix, "Cache-Control": "no-store"})


@router.delete("/documents/{document_id}", status_code=204)
async def delete(service: TheService, document_id: Id, who: Adding) -> None:
    """Forget it and its passages."""
    await service.documents.delete(who.tenant, document_id)


@router.get("/sources/{chunk_id}")
async def source(service: TheService, chunk_id: Id, who: Asking) -> ToldPassage:
    """One passage, as it was shown to the model."""
    found = await service.documents.passage(who.tenant, chunk_id)
    data = dict(found.metadata)
    return ToldPassage(
        chunk_id=found.id,
        title=found.title,
        text=found.text,
        document_id=data.pop("document_id"),
        document_start=data.pop("start"),
        document_end=data.pop("end"),
        lead=data.pop("lead"),
        metadata=data,
    )


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


def _outlined(found: Text) -> Outlined:
    about = found.document
    return Outlined(
        id=about.id,
        title=about.title,
        characters=about.characters,
        opening=opening_of(found.text, found.sections),
        topics=topics_of(about.title, found.text, found.sections),
    )


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
