"""A chat completion as OpenAI's clients ask for it in; a cited answer in the same protocol, streamed or whole, out."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from footnoted.contract import GenerationConfig
from footnoted.service.asking import AnswerBody, Asked, ChatBody, Conversation, SentSource, Words, from_sources
from footnoted.service.faults import Fault, fault_of
from footnoted.service.limits import Release
from footnoted.service.observe.metrics import METRICS
from footnoted.service.routes._shared import service_of
from footnoted.service.tenants import Asking

router = APIRouter(prefix="/v1", tags=["openai"])
NAME = "footnoted"
_FINISH = {"complete": "stop", "length": "length", "filtered": "content_filter", "refused": "stop"}


class _Open(BaseModel):
    # What such clients send besides is let be: they send a lot.
    model_config = ConfigDict(extra="ignore")


class Part(_Open):
    """A part of a message; parts that are no text are passed over."""

    type: str = "text"
    text: Words = ""


class ChatMessage(_Open):
    """One message."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: Words | list[Part] | None = None

    @property
    def words(self) -> str:
        """Its text."""
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content if part.type == "text")
        return self.content or ""


class StreamOptions(_Open):
    """Whether the last chunk counts tokens."""

    include_usage: bool = False


class Own(BaseModel):
    """What this service takes besides, under ``footnoted``."""

    model_config = ConfigDict(extra="forbid")

    sources: list[SentSource] | None = None
    conversation_id: Conversation | None = None
    config: GenerationConfig | None = None


class Completion(_Open):
    """The body of a chat completion."""

    messages: Annotated[list[ChatMessage], Field(min_length=1, max_length=500)]
    model: Annotated[Words, Field(max_length=200)] = NAME
    stream: bool = False
    stream_options: StreamOptions | None = None
    max_tokens: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    max_completion_tokens: Annotated[int, Field(ge=1, le=1_000_000)] | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: Annotated[float, Field(ge=0, le=1)] | None = None
    footnoted: Own = Field(default_factory=Own)


@router.get("/models")
async def models(request: Request, who: Asking) -> dict[str, Any]:  # noqa: ARG001 — only callers may look
    """The names a client may ask for."""
    own = service_of(request).settings.model
    names = [NAME, *([own] if own else [])]
    return {
        "object": "list",
        "data": [{"id": name, "object": "model", "created": 0, "owned_by": NAME} for name in names],
    }


@router.post("/chat/completions")
async def complete(request: Request, body: Completion, who: Asking) -> Response:
    """The answer to the last user message, from the sources sent or the tenant's documents."""
    service = service_of(request)
    asked = await _asked(service, body, who.tenant)
    release = await service.limits.enter(who.tenant, asked.answer_id)
    if body.stream:
        include = body.stream_options is not None and body.stream_options.include_usage
        told = _Chunks(asked, body.model, include_usage=include)
        first_wait = service.settings.stream_seconds
        pieces = _released(_told(told, service.desk.events(asked), first_wait), release)
        return StreamingResponse(pieces, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})
    try:
        done = await service.desk.whole(asked)
    finally:
        await release()
    return JSONResponse(_whole(asked, body.model, done))


async def _asked(service: Any, body: Completion, tenant: str) -> Asked:
    question, history, instructions = _conversation(body.messages)
    given: dict[str, Any] = {
        "max_tokens": body.max_completion_tokens or body.max_tokens,
        "temperature": body.temperature,
        "top_p": body.top_p or None,
        "model": body.model if body.model not in (NAME, service.settings.model) else None,
    }
    config = (body.footnoted.config or GenerationConfig()).model_copy(
        update={name: value for name, value in given.items() if value is not None}
    )
    if service.settings.provider == "extractive":
        config = config.model_copy(update={"model": None})
    if body.footnoted.sources is not None:
        sent = AnswerBody(
            question=question,
            sources=body.footnoted.sources,
            config=config,
            history=history,
            instructions=instructions or None,
        )
        return from_sources(sent, tenant, service.settings, kind="completion")
    message = ChatBody(
        message=question,
        config=config,
        history=history,
        instructions=instructions or None,
        conversation_id=body.footnoted.conversation_id,
    )
    asked: Asked = await service.chat.ask(message, tenant, kind="completion")
    return asked


def _conversation(messages: list[ChatMessage]) -> tuple[str, list[tuple[str, str]], str]:
    """The question, the finished exchanges before it, the instructions."""
    instructions = "\n\n".join(each.words for each in messages if each.role in ("system", "developer"))
    talk = [each for each in messages if each.role in ("user", "assistant")]
    if not talk or talk[-1].role != "user" or not talk[-1].words.strip():
        raise Fault(422, "invalid_request", "messages: the last one must be a user's, with a question in words")
    history: list[tuple[str, str]] = []
    asked = ""
    for each in talk[:-1]:
        if each.role == "user":
            asked = f"{asked}\n{each.words}".strip()
        elif asked and each.words:
            history.append((asked, each.words))
            asked = ""
    return talk[-1].words, history[-50:], instructions


def _whole(asked: Asked, model: str, done: dict[str, Any]) -> dict[str, Any]:
    response = done["response"]
    message = {
        "role": "assistant",
        "content": response["response"],
        "refusal": None,
        "annotations": [_annotation(each, done["sources"]) for each in response["citations"]],
    }
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": _finish(response)}
    return {
        "id": f"chatcmpl-{asked.answer_id}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": model,
        "choices": [choice],
        "usage": _usage(response),
        "footnoted": _own(done),
    }


class _Chunks:
    """Events of an answer in; chunks of the protocol out."""

    def __init__(self, asked: Asked, model: str, *, include_usage: bool) -> None:
        self._shared = {
            "id": f"chatcmpl-{asked.answer_id}",
            "object": "chat.completion.chunk",
            "created": int(time.time()),
            "model": model,
        }
        self._usage = include_usage
        self._sources: list[dict[str, Any]] = []

    def of(self, name: str, data: dict[str, Any]) -> list[bytes]:
        """The chunks one event becomes."""
        if name == "start":
            self._sources = data["sources"]
            return [self._chunk({"role": "assistant", "content": ""})]
        if name == "chunk":
            return [self._chunk({"content": data["content"]})]
        if name == "citation":
            return [self._chunk({"annotations": [_annotation(data, self._sources)]})]
        if name == "done":
            response = data["response"]
            chunks = [self._chunk({}, finish=_finish(response), footnoted=_own(data))]
            if self._usage:
                chunks.append(_line({**self._shared, "choices": [], "usage": _usage(response)}))
            return [*chunks, b"data: [DONE]\n\n"]
        return []

    def _chunk(self, delta: dict[str, Any], *, finish: str | None = None, **more: Any) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        chunk = {**self._shared, "choices": [choice], **more}
        return _line({**chunk, "usage": None} if self._usage else chunk)


async def _told(
    chunks: _Chunks, events: AsyncGenerator[tuple[str, dict[str, Any]]], seconds: float
) -> AsyncGenerator[bytes]:
    import asyncio

    began = time.perf_counter()
    waiting = True
    try:
        async with asyncio.timeout(seconds), aclosing(events):
            async for name, data in events:
                if waiting and name == "chunk":
                    waiting = False
                    METRICS.first_chunk.labels("completion").observe(time.perf_counter() - began)
                for piece in chunks.of(name, data):
                    yield piece
    except Exception as error:  # noqa: BLE001 — the status has been sent; what is left is to say it
        fault = fault_of(error)
        yield _line({"error": {"message": fault.message, "type": "server_error", "code": fault.code, "param": None}})


async def _released(pieces: AsyncGenerator[bytes], release: Release) -> AsyncIterator[bytes]:
    try:
        async with aclosing(pieces):
            async for piece in pieces:
                yield piece
    finally:
        await release()


def _annotation(citation: dict[str, Any], sources: list[dict[str, Any]]) -> dict[str, Any]:
    source = sources[citation["source_index"]]
    cited = {
        "file_id": source["document_id"] or source["id"],
        "filename": citation["source_title"] or source["title"],
        "index": citation["start_pos"],
        "quote": citation["source_quote"],
    }
    return {"type": "file_citation", "file_citation": cited}


def _own(done: dict[str, Any]) -> dict[str, Any]:
    response = done["response"]
    names = ("finish_reason", "refusal", "citations", "claims", "grounding_score", "confidence")
    return {"answer_id": done["answer_id"], **{name: response[name] for name in names}, "sources": done["sources"]}


def _finish(response: dict[str, Any]) -> str:
    return _FINISH.get(response["finish_reason"], "length")


def _usage(response: dict[str, Any]) -> dict[str, Any]:
    used = response["usage"]
    return {
        "prompt_tokens": used["input"],
        "completion_tokens": used["output"],
        "total_tokens": used["input"] + used["output"],
        "prompt_tokens_details": {"cached_tokens": used["cached"]},
    }


def _line(data: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(data, ensure_ascii=False, separators=(',', ':'))}\n\n".encode("utf-8", "replace")
