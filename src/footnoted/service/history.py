"""Keeps conversations, saved answers and what people thought of them."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from typing import Any, cast
from uuid import uuid4

import structlog
from sqlalchemy import Table, delete, insert, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession

from footnoted.contract import GenerationResponse
from footnoted.service.asking import Asked
from footnoted.service.conversations import searched
from footnoted.service.faults import Fault
from footnoted.service.store.room import Store, newest, owned
from footnoted.service.store.tables import AnswerRow, ConversationRow, FeedbackRow, Rating, TurnRow
from footnoted.service.tasks import AFTER_FAILURES, finished
from footnoted.service.told import ToldFeedback, iso
from footnoted.types import FinishReason

log = structlog.get_logger("footnoted.answers")
# Rows go in as they are, without the unit of work.
_ANSWERS = cast("Table", AnswerRow.__table__)
_PATIENCE = 2.0  # seconds an answer's reader waits for it to be kept
_ASKED_AGAIN = 20  # answers looked at beyond those wanted, since some may have been asked again
_TOGETHER = 100
_GATHERED = 0.02  # seconds in which answers that finish go into one transaction


class Answers:
    """A store's answers and feedback, by tenant."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._finished: list[tuple[dict[str, Any], asyncio.Future[None]]] = []
        self._keeping: asyncio.Task[None] | None = None

    async def keep(
        self,
        asked: Asked,
        response: GenerationResponse,
        sources: list[dict[str, Any]],
        extras: dict[str, Any] | None = None,
    ) -> None:
        """Keep an answer. While the database is away the reader is not kept waiting: it is tried again later."""
        kept = self._put(asked, response.model_dump_json(), response.response, sources, extras or {})
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE):
                await asyncio.shield(kept)

    def keep_cut(self, asked: Asked, response: dict[str, Any], sources: list[dict[str, Any]]) -> None:
        """Keep what there is of an answer that was stopped or broke; nobody waits for it."""
        self._put(asked, json.dumps(response), str(response["response"]), sources, {})

    def _put(
        self, asked: Asked, response: str, text: str, sources: list[dict[str, Any]], extras: dict[str, Any]
    ) -> asyncio.Future[None]:
        row = {
            "id": asked.answer_id,
            "tenant": asked.tenant,
            "conversation_id": asked.conversation_id,
            "kind": asked.kind,
            "question": asked.request.query,
            "response": response,
            "sources": json.dumps(sources),
            "extras": json.dumps(extras),
            "words": searched(text) if asked.conversation_id else "",
            "created_at": time.time(),
        }
        kept: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._finished.append((row, kept))
        if self._keeping is None or self._keeping.done():
            self._keeping = asyncio.create_task(self._keep_all(), name="footnoted-keep-answers")
        return kept

    async def aclose(self) -> None:
        """Keep what is left, within a moment."""
        await finished(self._keeping, patience=_PATIENCE)

    async def get(self, tenant: str, answer_id: str) -> dict[str, Any]:
        """One answer as it was given, in the fields of `SavedAnswer`. Raises `Fault` 404."""
        async with self._store.session() as session:
            row = await owned(session, AnswerRow, answer_id, of=tenant, what="answer")
        return {
            "answer_id": row.id,
            "conversation_id": row.conversation_id,
            "question": row.question,
            "response": json.loads(row.response),
            "sources": json.loads(row.sources),
            "created_at": iso(row.created_at),
        }

    async def turns(
        self, tenant: str, conversation_id: str, *, last: int, replaces: str | None = None
    ) -> list[tuple[str, str]]:
        """The last questions of a conversation and their answers, the oldest first; refusals and failures aside.

        Of those that ask the same again only the newest counts; of what ``replaces`` was asked after, nothing.
        """
        if last < 1:
            return []
        wanted = [AnswerRow.tenant == tenant, AnswerRow.conversation_id == conversation_id]
        if replaces is not None:
            first = select(TurnRow.created_at).where(TurnRow.tenant == tenant, TurnRow.id == replaces).scalar_subquery()
            wanted.append(TurnRow.created_at < first)
        async with self._store.session() as session:
            rows = (
                await session.execute(
                    select(AnswerRow.id, AnswerRow.question, AnswerRow.response, TurnRow.replaces)
                    .outerjoin(TurnRow, TurnRow.id == AnswerRow.id)
                    .where(*wanted)
                    .order_by(AnswerRow.created_at.desc())
                    .limit(2 * last + _ASKED_AGAIN)
                )
            ).all()
        turns: dict[str, tuple[str, str]] = {}
        for answer_id, question, kept, first_asked in rows:
            response = json.loads(kept)
            if len(turns) < last and response["finish_reason"] in (FinishReason.COMPLETE, FinishReason.LENGTH):
                turns.setdefault(first_asked or answer_id, (question, response["response"]))
        return [*turns.values()][::-1]

    async def rate(self, tenant: str, answer_id: str, *, rating: Rating, comment: str | None) -> ToldFeedback:
        """Keep what a person thought; it replaces what was thought before. Raises `Fault` 404."""
        async with self._store.session() as session:
            await owned(session, AnswerRow, answer_id, of=tenant, what="answer")
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
        return feedback_told(row)

    async def ratings(self, tenant: str, *, limit: int, after: str | None) -> list[ToldFeedback]:
        """The tenant's feedback, the newest first."""
        async with self._store.session() as session:
            wanted = select(FeedbackRow).where(FeedbackRow.tenant == tenant)
            rows = await newest(session, wanted, FeedbackRow, after=after, limit=limit, of=tenant)
            return [feedback_told(row) for row in rows.scalars()]

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
                    await _leave_deleted(session, [row for row, _ in batch])
            except Fault:
                if misses >= len(AFTER_FAILURES):
                    log.warning("answers not kept", count=len(self._finished))
                    self._finished.clear()
                    return
                await asyncio.sleep(AFTER_FAILURES[misses])
                misses += 1
                continue
            except Exception:  # one that cannot be kept must not keep the others from it
                log.exception("answers not kept", count=len(batch))
            misses = 0
            del self._finished[: len(batch)]
            for _, kept in batch:
                if not kept.done():
                    kept.set_result(None)


async def _leave_deleted(session: AsyncSession, rows: list[dict[str, Any]]) -> None:
    """Keep nothing under the name of a deleted conversation, and hold back whoever is just deleting one of these."""
    names = {(row["tenant"], row["conversation_id"]) for row in rows if row["conversation_id"]}
    if not names:
        return
    found = await session.execute(
        select(ConversationRow.tenant, ConversationRow.id, ConversationRow.deleted_at)
        .where(tuple_(ConversationRow.tenant, ConversationRow.id).in_(sorted(names)))
        .with_for_update(read=True)
    )
    gone = {(tenant, name) for tenant, name, deleted_at in found if deleted_at is not None}
    ids = [row["id"] for row in rows if (row["tenant"], row["conversation_id"]) in gone]
    if ids:
        await session.execute(delete(AnswerRow).where(AnswerRow.id.in_(ids)))


def feedback_told(row: FeedbackRow) -> ToldFeedback:
    """Feedback as clients see it."""
    return ToldFeedback(
        feedback_id=row.id,
        answer_id=row.answer_id,
        rating=row.rating,
        comment=row.comment,
        created_at=row.created_at,
    )
