"""What the doors of other programs share: their question as ours, and the answer told in their protocol."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Any

from fastapi.responses import JSONResponse, Response, StreamingResponse

from footnoted.contract import GenerationConfig
from footnoted.service.app import Service
from footnoted.service.asking import AnswerBody, Asked, ChatBody, from_sources
from footnoted.service.faults import fault_of
from footnoted.service.limits import Release
from footnoted.service.observe.metrics import METRICS
from footnoted.service.openai.bodies import Message, Own, conversation
from footnoted.service.openai.telling import Telling

STREAMED = {"X-Accel-Buffering": "no"}


async def question_of(
    service: Service, own: Own, said: Sequence[Message], tenant: str, wishes: Mapping[str, Any]
) -> Asked:
    """The last user message as a question, from the sources sent or the tenant's documents.

    ``wishes`` replace fields of the config, where they are not None. Raises `Fault`.
    """
    question, history, instructions = conversation(said)
    config = (own.config or GenerationConfig()).model_copy(
        update={name: value for name, value in wishes.items() if value is not None}
    )
    if service.settings.provider == "extractive":
        config = config.model_copy(update={"model": None})
    shared: dict[str, Any] = {"config": config, "history": history, "instructions": instructions or None}
    if own.sources is not None:
        sent = AnswerBody(question=question, sources=own.sources, **shared)
        return from_sources(sent, tenant, service.settings, kind="completion")
    message = ChatBody(message=question, conversation_id=own.conversation_id, **shared)
    return await service.chat.ask(message, tenant, kind="completion")


async def answer_in(
    service: Service, asked: Asked, telling: Telling, *, stream: bool, headers: Mapping[str, str] = STREAMED
) -> Response:
    """The answer, streamed or whole, in the words of one protocol. Raises `Fault` 429 when the tenant has no place."""
    release = await service.limits.enter(asked.tenant, asked.answer_id)
    try:
        asked = await service.desk.admit(asked)
    except BaseException:
        await release()
        raise
    if stream:
        events = service.desk.events(asked)
        pieces = _told(telling, events, service.settings.stream_seconds, release)
        return StreamingResponse(pieces, media_type="text/event-stream", headers=dict(headers))
    try:
        done = await service.desk.whole(asked)
    finally:
        asked.drop()
        await release()
    return JSONResponse(telling.whole(done))


async def _told(
    telling: Telling, events: AsyncGenerator[tuple[str, dict[str, Any]]], seconds: float, release: Release
) -> AsyncGenerator[bytes]:
    began = time.perf_counter()
    waiting = True
    try:
        async with asyncio.timeout(seconds), aclosing(events):
            async for name, data in events:
                if waiting and name == "chunk":
                    waiting = False
                    METRICS.first_chunk.labels("completion").observe(time.perf_counter() - began)
                for piece in telling.events(name, data):
                    yield piece
    except Exception as error:  # noqa: BLE001 — the status has been sent; what is left is to say it
        for piece in telling.fault(fault_of(error)):
            yield piece
    finally:
        await release()
