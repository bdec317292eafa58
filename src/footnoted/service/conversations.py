"""A tenant's conversations: listed, searched, renamed, read, shared by a link, and deleted for good.

Deleting has to win against everything that is still being written: the conversation's name stays behind as a mark
that nothing may be kept under it any more, and whoever keeps an answer looks for that mark in the same transaction.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import secrets
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import ColumnElement, and_, delete, func, or_, select, tuple_, update
from sqlalchemy.ext.asyncio import AsyncSession

from footnoted.service.asking import Asked
from footnoted.service.documents import DocumentService
from footnoted.service.faults import not_found
from footnoted.service.store.room import Store, owned
from footnoted.service.store.tables import AnswerRow, ConversationRow, FeedbackRow, SentRow, TurnRow
from footnoted.service.streams import Streams
from footnoted.service.told import SentText, ToldConversation
from footnoted.store.bulk import insert_of

LONGEST_TITLE = 200
_MOST_TURNS = 500  # of one conversation that are told at once, the newest
_NO_SUCH = "there is no such conversation"


@dataclass(frozen=True, slots=True)
class Turn:
    """A question and, once there is one, its answer: ``response`` is none while it is written, or was lost."""

    answer_id: str
    question: str
    kind: str
    stream_id: str | None
    document_ids: list[str] | None
    replaces: str | None
    sources: list[dict[str, Any]]
    created_at: float
    response: dict[str, Any] | None = None
    extras: dict[str, Any] = field(default_factory=dict)
    rating: str | None = None
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class Deleted:
    """What there was of conversations that were deleted, for those who keep something of it elsewhere."""

    tenant: str
    answer_ids: list[str]
    chunk_ids: list[str]  # sources they were answered from, and no other answer of the tenant was


class Conversations:
    """Conversations by tenant. ``when_deleted`` are told what else to let go of."""

    def __init__(self, store: Store, streams: Streams, documents: DocumentService) -> None:
        self._store = store
        self._streams = streams
        self._documents = documents
        self.when_deleted: list[Callable[[Deleted], Awaitable[None]]] = []

    async def begin(self, asked: Asked, stream_id: str | None = None) -> None:
        """Keep that this was asked. Raises `Fault` 404 where the conversation was deleted."""
        if asked.conversation_id is None:
            return
        now = time.time()
        question = asked.request.query
        title = " ".join(question.split())[:80]
        sent: dict[str, str] = {}  # texts by their hash
        sources = [place.told(index) for index, place in enumerate(asked.places)]
        if asked.kind == "answer":
            for source, context in zip(sources, asked.request.context, strict=True):
                source["sha256"] = _hash(context.content)
                sent[source["sha256"]] = context.content
        insert = insert_of(self._store.database.engine.dialect)
        named = {"tenant": asked.tenant, "id": asked.conversation_id}
        times = {"created_at": now, "updated_at": now}
        async with self._store.session() as session:
            going_on = await session.execute(
                insert(ConversationRow)
                .values(**named, title=title, words=searched(title), **times)
                .on_conflict_do_update(
                    index_elements=["tenant", "id"],
                    set_={"updated_at": now},
                    where=ConversationRow.deleted_at.is_(None),
                )
                .returning(ConversationRow.id)
            )
            if going_on.first() is None:
                raise not_found("this conversation was deleted; begin another")
            session.add(
                TurnRow(
                    id=asked.answer_id,
                    tenant=asked.tenant,
                    conversation_id=asked.conversation_id,
                    stream_id=stream_id,
                    kind=asked.kind,
                    question=question,
                    words=searched(question),
                    sources=json.dumps(sources, ensure_ascii=False),
                    document_ids=json.dumps(asked.document_ids),
                    replaces=asked.replaces,
                    created_at=now,
                )
            )
            rows = [
                {"tenant": asked.tenant, "conversation_id": asked.conversation_id, "sha256": sha256, "text": text}
                for sha256, text in sent.items()
            ]
            if rows:
                await session.execute(insert(SentRow).values(rows).on_conflict_do_nothing())

    async def undo(self, asked: Asked) -> None:
        """It was not asked after all."""
        async with self._store.session() as session:
            await session.execute(delete(TurnRow).where(TurnRow.id == asked.answer_id))

    async def recent(self, tenant: str, *, query: str, limit: int, after: str | None) -> list[ToldConversation]:
        """Conversations, the last used first; with ``query`` those whose title, questions or answers hold its words."""
        wanted: list[ColumnElement[bool]] = [ConversationRow.tenant == tenant, ConversationRow.deleted_at.is_(None)]
        wanted += [_holds(word) for word in searched(query).split()[:20]]
        async with self._store.session() as session:
            if after is not None:
                last = await _row(session, tenant, after)
                wanted.append(tuple_(ConversationRow.updated_at, ConversationRow.id) < tuple_(last.updated_at, last.id))
            rows = await session.execute(
                select(ConversationRow, _questions())
                .where(*wanted)
                .order_by(ConversationRow.updated_at.desc(), ConversationRow.id.desc())
                .limit(limit)
            )
            return [_listed(row, count) for row, count in rows]

    async def get(self, tenant: str, conversation_id: str) -> tuple[ToldConversation, list[Turn]]:
        """One conversation with its turns, the oldest first. Raises `Fault` 404."""
        async with self._store.session() as session:
            row = await _row(session, tenant, conversation_id)
            found = await session.execute(
                select(TurnRow, AnswerRow, FeedbackRow)
                .outerjoin(AnswerRow, AnswerRow.id == TurnRow.id)
                .outerjoin(FeedbackRow, FeedbackRow.answer_id == TurnRow.id)
                .where(TurnRow.tenant == tenant, TurnRow.conversation_id == conversation_id)
                .order_by(TurnRow.created_at.desc(), TurnRow.id.desc())
                .limit(_MOST_TURNS)
            )
            turns = [_turn(*row) for row in found][::-1]
        return _listed(row, len(turns)), turns

    async def rename(self, tenant: str, conversation_id: str, title: str) -> ToldConversation:
        """Give it another title. Raises `Fault` 404."""
        async with self._store.session() as session:
            row = await _row(session, tenant, conversation_id)
            row.title, row.words = title, searched(title)
            count = await session.scalar(select(_questions()).where(*_named(tenant, conversation_id)))
            return _listed(row, count or 0)

    async def sent(self, tenant: str, answer_id: str, index: int) -> SentText:
        """A source that was sent along with a question. Raises `Fault` 404."""
        async with self._store.session() as session:
            turn = await owned(session, TurnRow, answer_id, of=tenant, what="source")
            sources = json.loads(turn.sources)
            sha256 = sources[index].get("sha256") if 0 <= index < len(sources) else None
            row = await session.get(SentRow, (tenant, turn.conversation_id, sha256)) if sha256 else None
        if row is None:
            raise not_found("there is no such source")
        return SentText(title=sources[index]["title"], text=row.text)

    async def share(self, tenant: str, conversation_id: str) -> str:
        """A new secret that opens it to be read; the one before opens nothing any more. Raises `Fault` 404."""
        secret = secrets.token_urlsafe(24)
        async with self._store.session() as session:
            row = await _row(session, tenant, conversation_id)
            row.share = _hash(secret)
        return secret

    async def withdraw(self, tenant: str, conversation_id: str) -> None:
        """Let its link open nothing any more. Raises `Fault` 404."""
        async with self._store.session() as session:
            row = await _row(session, tenant, conversation_id)
            row.share = None

    async def shared(self, secret: str) -> tuple[str, str]:
        """Tenant and name of the conversation that a secret opens. Raises `Fault` 404."""
        async with self._store.session() as session:
            row = await session.scalar(select(ConversationRow).where(ConversationRow.share == _hash(secret)))
        if row is None or row.deleted_at is not None:
            raise not_found("this link opens nothing; it may have been withdrawn")
        return row.tenant, row.id

    async def delete(self, tenant: str, conversation_id: str | None = None) -> int:
        """Delete one, or all of a tenant; how many. Raises `Fault` 404 where the one is not there.

        When this returns, nothing of them is found any more: streams, answers, feedback, sources.
        """
        async with self._store.session() as session:
            wanted = [ConversationRow.tenant == tenant, ConversationRow.deleted_at.is_(None)]
            if conversation_id is not None:
                wanted.append(ConversationRow.id == conversation_id)
            marked = await session.scalars(
                update(ConversationRow)
                .where(*wanted)
                .values(title="", words="", share=None, deleted_at=time.time())
                .returning(ConversationRow.id)
            )
            names = list(marked)
            if conversation_id is not None and not names:
                raise not_found(_NO_SUCH)
            gone, streams = await _let_go(session, tenant, names)
        await asyncio.gather(*(self._streams.forget(tenant, stream_id) for stream_id in streams))
        for name in names:
            await self._documents.delete_of(tenant, name)
        for tell in self.when_deleted:
            await tell(gone)
        return len(names)

    async def forget(self, oldest: float, *, only: str | None = None, but: frozenset[str] = frozenset()) -> None:
        """Let go of what was asked before ``oldest``: of one tenant, or of all but some."""

        def old(table: Any, when: Any) -> list[ColumnElement[bool]]:
            return [when < oldest, table.tenant == only if only is not None else table.tenant.not_in(but)]

        empty = ~select(TurnRow.id).where(_belongs(TurnRow)).exists()
        orphaned = ~select(ConversationRow.id).where(_belongs(SentRow)).exists()
        async with self._store.session() as session:
            for table in (AnswerRow, FeedbackRow, TurnRow):
                await session.execute(delete(table).where(*old(table, table.created_at)))
            await session.execute(
                delete(ConversationRow).where(*old(ConversationRow, ConversationRow.updated_at), empty)
            )
            await session.execute(delete(SentRow).where(orphaned))


def searched(text: str) -> str:
    """A text as it is searched: without regard to case in any script, its white space single.

    >>> searched("Straße  ÉTÉ")
    'strasse été'
    """
    return " ".join(text.casefold().split())


async def _let_go(session: AsyncSession, tenant: str, names: list[str]) -> tuple[Deleted, list[str]]:
    """Delete the rows of these conversations; what there was, and the ids of their streams."""
    turns = (
        await session.execute(
            select(TurnRow.id, TurnRow.stream_id, TurnRow.sources).where(
                TurnRow.tenant == tenant, TurnRow.conversation_id.in_(names)
            )
        )
    ).all()
    answers = await session.scalars(
        select(AnswerRow.id).where(AnswerRow.tenant == tenant, AnswerRow.conversation_id.in_(names))
    )
    ids = list({*answers, *(turn.id for turn in turns)})
    await session.execute(delete(FeedbackRow).where(FeedbackRow.tenant == tenant, FeedbackRow.answer_id.in_(ids)))
    for table in (AnswerRow, TurnRow, SentRow):
        await session.execute(delete(table).where(table.tenant == tenant, table.conversation_id.in_(names)))
    chunks = {source["chunk_id"] for turn in turns for source in json.loads(turn.sources)}
    for kept in await session.scalars(select(AnswerRow.sources).where(AnswerRow.tenant == tenant)) if chunks else ():
        chunks -= {source["chunk_id"] for source in json.loads(kept)}
    return Deleted(tenant, ids, sorted(chunks)), [turn.stream_id for turn in turns if turn.stream_id]


def _belongs(table: Any) -> ColumnElement[bool]:
    """Whether a row of another table is of the conversation that is looked at."""
    return and_(table.tenant == ConversationRow.tenant, table.conversation_id == ConversationRow.id)


def _holds(word: str) -> ColumnElement[bool]:
    def within(table: Any) -> ColumnElement[bool]:
        return select(table.id).where(_belongs(table), table.words.contains(word, autoescape=True)).exists()

    return or_(ConversationRow.words.contains(word, autoescape=True), within(TurnRow), within(AnswerRow))


def _questions() -> Any:
    counted = select(func.count()).select_from(TurnRow).where(_belongs(TurnRow))
    return counted.correlate(ConversationRow).scalar_subquery()


def _named(tenant: str, conversation_id: str) -> tuple[ColumnElement[bool], ...]:
    return (
        ConversationRow.tenant == tenant,
        ConversationRow.id == conversation_id,
        ConversationRow.deleted_at.is_(None),
    )


async def _row(session: AsyncSession, tenant: str, conversation_id: str) -> ConversationRow:
    row = await session.scalar(select(ConversationRow).where(*_named(tenant, conversation_id)))
    if row is None:
        raise not_found(_NO_SUCH)
    return row


def _listed(row: ConversationRow, questions: int) -> ToldConversation:
    return ToldConversation(
        id=row.id,
        title=row.title,
        questions=questions,
        shared=row.share is not None,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def _turn(turn: TurnRow, answer: AnswerRow | None, feedback: FeedbackRow | None) -> Turn:
    return Turn(
        answer_id=turn.id,
        question=turn.question,
        kind=turn.kind,
        stream_id=turn.stream_id,
        document_ids=json.loads(turn.document_ids),
        replaces=turn.replaces,
        sources=json.loads(turn.sources) or (json.loads(answer.sources) if answer else []),
        created_at=turn.created_at,
        response=json.loads(answer.response) if answer else None,
        extras=json.loads(answer.extras) if answer else {},
        rating=feedback.rating if feedback else None,
        comment=feedback.comment if feedback else None,
    )


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
