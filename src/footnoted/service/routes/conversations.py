"""A tenant's conversations over HTTP: list, read, rename, export, share and delete; and what a shared link opens."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import HTMLResponse, Response
from pydantic import AfterValidator, Field

from footnoted.service.asking import CONVERSATION, Body, Id, Words
from footnoted.service.bodies import Route
from footnoted.service.conversations import LONGEST_TITLE
from footnoted.service.exporting import as_html, as_json, as_markdown
from footnoted.service.faults import Fault
from footnoted.service.routes._shared import ERRORS, TheService, paged
from footnoted.service.tenants import Asking
from footnoted.service.told import (
    DeletedCount,
    SentText,
    SharedPath,
    ToldConversation,
    ToldConversations,
    WholeConversation,
    iso,
    tells,
)

router = APIRouter(route_class=Route, tags=["conversations"], responses=ERRORS)
Named = Annotated[str, Path(pattern=CONVERSATION)]
_KINDS = {"markdown": "text/markdown", "json": "application/json", "html": "text/html"}
_FILES: dict[int | str, dict[str, Any]] = {
    200: {"description": "the file", "content": {kind: {"schema": {}} for kind in _KINDS.values()}}
}


def _on_one_line(text: str) -> str:
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    if not line:
        raise ValueError("a title needs words")
    return line


class TitleBody(Body):
    """Another title."""

    title: Annotated[Words, Field(max_length=LONGEST_TITLE), AfterValidator(_on_one_line)]


@router.get("/api/v1/conversations", response_model=ToldConversations)
async def conversations(
    service: TheService,
    who: Asking,
    query: Annotated[str, Query(max_length=500)] = "",
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    after: Annotated[str | None, Query(pattern=CONVERSATION)] = None,
) -> dict[str, Any]:
    """The tenant's conversations, the last used first; with ``query`` those that hold all its words."""
    query = query.replace("\x00", "")
    found = await service.conversations.recent(who.tenant, query=query, limit=limit + 1, after=after)
    return paged("conversations", found, limit)


@router.get("/api/v1/conversations/{conversation_id}", responses=tells(WholeConversation))
async def conversation(service: TheService, conversation_id: Named, who: Asking) -> dict[str, Any]:
    """One with its questions and answers; ``response`` is null while one is written."""
    listed, turns = await service.conversations.get(who.tenant, conversation_id)
    told = [{**asdict(turn), "created_at": iso(turn.created_at)} for turn in turns]
    return {**listed.model_dump(mode="json"), "turns": told}


@router.patch("/api/v1/conversations/{conversation_id}")
async def rename(service: TheService, conversation_id: Named, body: TitleBody, who: Asking) -> ToldConversation:
    """Give it another title."""
    return await service.conversations.rename(who.tenant, conversation_id, body.title)


@router.delete("/api/v1/conversations")
async def delete_all(service: TheService, who: Asking) -> DeletedCount:
    """Delete every conversation of the tenant, with everything that belongs to them."""
    return DeletedCount(deleted=await service.conversations.delete(who.tenant))


@router.delete("/api/v1/conversations/{conversation_id}", status_code=204)
async def delete(service: TheService, conversation_id: Named, who: Asking) -> None:
    """Delete it: its streams, answers, feedback, texts and documents are gone when this returns."""
    await service.conversations.delete(who.tenant, conversation_id)


@router.get("/api/v1/conversations/{conversation_id}/export", response_class=Response, responses=_FILES)
async def export(
    service: TheService,
    conversation_id: Named,
    who: Asking,
    format: Annotated[Literal["markdown", "json", "html"], Query()] = "markdown",  # noqa: A002 — the parameter's name
) -> Response:
    """The conversation as one file, its sources' words with it."""
    listed, turns = await service.conversations.get(who.tenant, conversation_id)
    text = {"markdown": as_markdown, "json": as_json, "html": as_html}[format](listed, turns)
    name = f"conversation.{ {'markdown': 'md'}.get(format, format) }"
    return Response(
        text,
        media_type=f"{_KINDS[format]}; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"},
    )


@router.put("/api/v1/conversations/{conversation_id}/share")
async def share(service: TheService, conversation_id: Named, who: Asking) -> SharedPath:
    """A link that anybody can read it by; one made before opens nothing any more."""
    secret = await service.conversations.share(who.tenant, conversation_id)
    return SharedPath(path=f"/shared/{secret}")


@router.delete("/api/v1/conversations/{conversation_id}/share", status_code=204)
async def withdraw(service: TheService, conversation_id: Named, who: Asking) -> None:
    """Withdraw the link."""
    await service.conversations.withdraw(who.tenant, conversation_id)


@router.get("/api/v1/answers/{answer_id}/sources/{index}")
async def sent_source(
    service: TheService, answer_id: Id, index: Annotated[int, Path(ge=0, le=100_000)], who: Asking
) -> SentText:
    """A text that was sent along with a question of a conversation: what the offsets of its answer count in."""
    return await service.conversations.sent(who.tenant, answer_id, index)


@router.get("/shared/{secret}", response_class=HTMLResponse, include_in_schema=False)
async def shared(request: Request, service: TheService, secret: str) -> Response:
    """What a shared link opens, as it is now; no key is asked for."""
    request.scope["footnoted.page"] = True
    headers = {"Cache-Control": "no-store", "X-Robots-Tag": "noindex, nofollow"}
    try:
        if len(secret) > 64:
            raise Fault(404, "not_found", "this link opens nothing")
        tenant, conversation_id = await service.conversations.shared(secret)
        await service.limits.request(f"shared:{conversation_id}@{tenant}")
        listed, turns = await service.conversations.get(tenant, conversation_id)
    except Fault as fault:
        if fault.status != 404:
            raise
        return HTMLResponse(as_html(None, [], stylesheet="/shared.css"), 404, headers)
    return HTMLResponse(as_html(listed, turns, stylesheet="/shared.css"), headers=headers)
