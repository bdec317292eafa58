"""Finished answers in; conversations, saved answers and what people thought of them out."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from dataclasses import dataclass
from typing import Any, cast
from uuid import uuid4

import structlog
from sqlalchemy import Table, delete, insert, select, tuple_

from footnoted.contract import GenerationResponse
from footnoted.service.asking import Asked
from footnoted.service.faults import Fault, not_found
from footnoted.service.store.room import Store
from footnoted.service.store.tables import AnswerRow, FeedbackRow
from footnoted.types import FinishReason

log = structlog.get_logger("footnoted.answers")
# Rows go in as they are, without the unit of work.
_ANSWERS = cast("Table", AnswerRow.__table__)
_PATIENCE = 2.0  # seconds an answer's reader waits for it to be kept
_WAITS = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0)  # seconds between tries to keep answers while the database is away
_TOGETHER = 100
_GATHERED = 0.02  # seconds in which answers that finish go into one transaction


@dataclass(frozen=True, slots=True)
class Saved:
    """An answer as it was given."""

    answer_id: str
    conversation_id: str | None
    question: str
    response: dict[str, Any]
    sources: list[dict[str, Any]]
    created_at: float


@dataclass(frozen=True, slots=True)
class Feedback:
    """What a person thought of an answer."""

    feedback_id: str
    answer_id: str
    rating: str
    comment: str | None
    created_at: float


class Answers:
    """A store's answers and feedback, by tenant."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._finished: list[tuple[dict[str, Any], asyncio.Future[None]]] = []
        self._keeping: asyncio.Task[None] | None = None

    async def keep(self, asked: Asked, response: GenerationResponse, sources: list[dict[str, Any]]) -> None:
        """Keep an answer. While the database is away the reader is not kept waiting: it is tried again later."""
        row = {
            "id": asked.answer_id,
            "tenant": asked.tenant,
            "conversation_id": asked.conversation_id,
            "kind": asked.kind,
            "question": asked.request.query,
            "response": response.model_dump_json(),
            "sources": json.dumps(sources),
            "created_at": time.time(),
        }
        kept: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._finished.append((row, kept))
        if self._keeping is None or self._keeping.done():
            self._keeping = asyncio.create_task(self._keep_all(), name="footnoted-keep-answers")
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                await asyncio.shield(kept)

    async def aclose(self) -> None:
        """Keep what is left, within a moment."""
        if self._keeping is not None and not self._keeping.done():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_PATIENCE):
                    await asyncio.shield(self._keeping)
            self._keeping.cancel()
            await asyncio.gather(self._keeping, return_exceptions=True)

    async def get(self, tenant: str, answer_id: str) -> Saved:
        """One answer. Raises `Fault` 404."""
        async with self._store.session() as session:
            row = await session.get(AnswerRow, answer_id)
        if row is None or row.tenant != tenant:
            raise not_found("there is no such answer")
        return Saved(
            row.id, row.conversation_id, row.question, json.loads(row.response), json.loads(row.sources), row.created_at
        )

    async def turns(self, tenant: str, conversation_id: str, *, last: int) -> list[tuple[str, str]]:
        """The last questions of a conversation and their answers, the oldest first; refusals and failures aside."""
        if last < 1:
            return []
        async with self._store.session() as session:
            rows = (
                await session.execute(
                    select(AnswerRow.question, AnswerRow.response)
                    .where(AnswerRow.tenant == tenant, AnswerRow.conversation_id == conversation_id)
                    .order_by(AnswerRow.created_at.desc())
                    .limit(last)
                )
            ).all()
        turns = []
        for question, kept in reversed(rows):
            response = json.loads(kept)
            if response["finish_reason"] in (FinishReason.COMPLETE, FinishReason.LENGTH):
                turns.append((question, response["response"]))
        return turns

    async def rate(self, tenant: str, answer_id: str, *, rating: str, comment: str | None) -> Feedback:
        """Keep what a person thought; it replaces what was thought before. Raises `Fault` 404."""
        async with self._store.session() as session:
            answer = await session.get(AnswerRow, answer_id)
            if answer is None or answer.tenant != tenant:
                raise not_found("there is no such answer")
            await session.execute(delete(FeedbackRow).where(FeedbackRow.answer_id == answer_id))
            row = FeedbackRow(
                id=str(uuid4()),
                tenant=tenant,
                answer_id=answer_id,
                rating=rating,
                comment=comment,
                created_at=time.time(),
            )
            session.add(row)
        return _feedback(row)

    async def ratings(self, tenant: str, *, limit: int, after: str | None) -> list[Feedback]:
        """The tenant's feedback, the newest first."""
        async with self._store.session() as session:
            wanted = [FeedbackRow.tenant == tenant]
            if after is not None:
                last = await session.get(FeedbackRow, after)
                if last is None or last.tenant != tenant:
                    raise not_found("there is no such feedback to go on after")
                wanted.append(tuple_(FeedbackRow.created_at, FeedbackRow.id) < tuple_(last.created_at, last.id))
            rows = await session.scalars(
                select(FeedbackRow)
                .where(*wanted)
                .order_by(FeedbackRow.created_at.desc(), FeedbackRow.id.desc())
                .limit(limit)
            )
            return [_feedback(row) for row in rows]

    async def forget(self, oldest: float) -> None:
        """Let go of answers given before ``oldest`` (seconds since 1970), and of what was thought of them."""
        async with self._store.session() as session:
            await session.execute(delete(AnswerRow).where(AnswerRow.created_at < oldest))
            await session.execute(delete(FeedbackRow).where(FeedbackRow.created_at < oldest))

    async def _keep_all(self) -> None:
        """Answers that finished while others were written go together in one transaction."""
        misses = 0
        while self._finished:
            if len(self._finished) < _TOGETHER:
                await asyncio.sleep(_GATHERED)
            batch = self._finished[:_TOGETHER]
            try:
                async with self._store.session() as session:
                    await session.execute(insert(_ANSWERS), [row for row, _ in batch])
            except Fault:
                if misses >= len(_WAITS):
                    log.warning("answers not kept", count=len(self._finished))
                    self._finished.clear()
                    return
                await asyncio.sleep(_WAITS[misses])
                misses += 1
                continue
            except Exception:  # one that cannot be kept must not keep the others from it
                log.exception("answers not kept", count=len(batch))
            misses = 0
            del self._finished[: len(batch)]
            for _, kept in batch:
                if not kept.done():
                    kept.set_result(None)


def _feedback(row: FeedbackRow) -> Feedback:
    return Feedback(row.id, row.answer_id, row.rating, row.comment, row.created_at)
