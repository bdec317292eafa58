"""A tenant's files in; their texts, their passages, and the passages nearest to a question out."""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast
from uuid import uuid4

from sqlalchemy import ColumnElement, Table, and_, delete, func, insert, or_, select, tuple_, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import undefer

from footnoted.retrieval.places import place_name, places_of
from footnoted.service.drawing import Drawn, Pages
from footnoted.service.faults import Fault, not_found
from footnoted.service.reading import Passage, read_document
from footnoted.service.settings import Settings
from footnoted.service.shelf import Shelves
from footnoted.service.store.room import Store
from footnoted.service.store.tables import DocumentRow, FileRow, PassageRow, ShelfRow
from footnoted.types import Source

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

    from footnoted.retrieval.index import Index
    from footnoted.retrieval.retriever import Filters

# Passages go in as they are and some hundred at a time, without the unit of work: others have turns in between.
_PASSAGES = cast("Table", PassageRow.__table__)
_TOGETHER = 200
_MOST_PLACED = 50  # passages that words reach over, of which the places are told
_DRAWN = frozenset({"pdf"})  # formats whose files are kept, to draw their pages
_KEPT_PASSAGES = 200_000  # passages in the indexes a process holds; the least used goes first


@dataclass(frozen=True, slots=True)
class Stored:
    """A document without its text."""

    id: str
    name: str
    title: str
    format: str
    bytes: int
    characters: int
    passages: int
    sha256: str
    conversation_id: str | None
    created_at: float


@dataclass(frozen=True, slots=True)
class Text:
    """A document's text and its sections: headings, start, end."""

    document: Stored
    text: str
    sections: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Placed:
    """Where words of a document stand in its file: what people call it, the places, and whether pages can be drawn."""

    name: str
    places: list[dict[str, Any]]
    drawn: bool


class DocumentService:
    """Documents by tenant. Those without a conversation are open to all of the tenant's conversations."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._settings = settings
        self._shelves = Shelves(store, _source)
        self._pages = Pages(seconds=settings.reading_seconds)
        self._indexes: OrderedDict[tuple[str, ...], tuple[int, Index, int]] = OrderedDict()

    async def add(
        self, tenant: str, data: bytes, name: str, *, title: str | None = None, conversation_id: str | None = None
    ) -> tuple[Stored, bool]:
        """Read and keep a file; the document, and whether it is new. Raises `SourceError` when it cannot be read."""
        sha256 = (await asyncio.to_thread(hashlib.sha256, data)).hexdigest()
        same = and_(
            DocumentRow.tenant == tenant,
            DocumentRow.sha256 == sha256,
            DocumentRow.name == name,
            DocumentRow.conversation_id == conversation_id
            if conversation_id
            else DocumentRow.conversation_id.is_(None),
        )
        async with self._store.session() as session:
            known = await session.scalar(select(DocumentRow).where(same).limit(1))
            if known is not None:
                if known.format in _DRAWN and await session.get(FileRow, known.id) is None:
                    session.add(FileRow(document_id=known.id, data=data))  # it was read before files were kept
                return _stored(known), False
            count = await session.scalar(
                select(func.count()).select_from(DocumentRow).where(DocumentRow.tenant == tenant)
            )
        if (count or 0) >= self._settings.documents:
            raise Fault(413, "too_large", f"{self._settings.documents} documents are kept already; delete some first")
        read = await read_document(data, name, seconds=self._settings.reading_seconds, tenant=tenant)
        row = DocumentRow(
            id=str(uuid4()),
            tenant=tenant,
            conversation_id=conversation_id,
            name=name,
            title=title or read.title,
            format=read.format,
            bytes=len(data),
            characters=len(read.text),
            passages=len(read.passages),
            sha256=sha256,
            text=read.text,
            sections=await asyncio.to_thread(json.dumps, read.sections, ensure_ascii=False),
            created_at=time.time(),
        )
        async with self._store.session() as session:
            session.add(row)
            await session.flush()
            if row.format in _DRAWN:
                session.add(FileRow(document_id=row.id, data=data))
            for first in range(0, len(read.passages), _TOGETHER):
                batch = enumerate(read.passages[first : first + _TOGETHER], first)
                await session.execute(insert(_PASSAGES), [_passage_row(row, *each) for each in batch])
            await _changed(session, tenant)
        return _stored(row), True

    async def recent(
        self, tenant: str, *, conversation_id: str | None = None, limit: int = 100, after: str | None = None
    ) -> list[Stored]:
        """Documents, the newest first, from the one after ``after`` on; those of one conversation if it is given."""
        wanted = [DocumentRow.tenant == tenant]
        if conversation_id is not None:
            wanted.append(DocumentRow.conversation_id == conversation_id)
        async with self._store.session() as session:
            if after is not None:
                last = await session.scalar(
                    select(DocumentRow).where(DocumentRow.tenant == tenant, DocumentRow.id == after)
                )
                if last is None:
                    raise not_found("there is no such document to go on after")
                wanted.append(tuple_(DocumentRow.created_at, DocumentRow.id) < tuple_(last.created_at, last.id))
            rows = await session.scalars(
                select(DocumentRow)
                .where(*wanted)
                .order_by(DocumentRow.created_at.desc(), DocumentRow.id.desc())
                .limit(limit)
            )
            return [_stored(row) for row in rows]

    async def latest_texts(self, tenant: str, *, limit: int) -> list[Text]:
        """The newest documents that belong to no conversation, with their texts."""
        async with self._store.session() as session:
            rows = await session.scalars(
                select(DocumentRow)
                .options(undefer(DocumentRow.text), undefer(DocumentRow.sections))
                .where(DocumentRow.tenant == tenant, DocumentRow.conversation_id.is_(None))
                .order_by(DocumentRow.created_at.desc(), DocumentRow.id.desc())
                .limit(limit)
            )
            return [Text(_stored(row), row.text, json.loads(row.sections)) for row in rows]

    async def get_for_conversation(self, tenant: str, conversation_id: str, *, limit: int = 20) -> list[Text]:
        """The documents uploaded for one conversation, the newest first, with their texts."""
        async with self._store.session() as session:
            rows = await session.scalars(
                select(DocumentRow)
                .options(undefer(DocumentRow.text), undefer(DocumentRow.sections))
                .where(DocumentRow.tenant == tenant, DocumentRow.conversation_id == conversation_id)
                .order_by(DocumentRow.created_at.desc(), DocumentRow.id.desc())
                .limit(limit)
            )
            return [Text(_stored(row), row.text, json.loads(row.sections)) for row in rows]

    async def get(self, tenant: str, document_id: str) -> Stored:
        """One document. Raises `Fault` 404."""
        async with self._store.session() as session:
            return _stored(await self._owned(session, tenant, document_id))

    async def text(self, tenant: str, document_id: str) -> Text:
        """One document's text. Raises `Fault` 404."""
        async with self._store.session() as session:
            row = await session.scalar(
                select(DocumentRow)
                .options(undefer(DocumentRow.text), undefer(DocumentRow.sections))
                .where(DocumentRow.tenant == tenant, DocumentRow.id == document_id)
            )
        if row is None:
            raise not_found("there is no such document")
        return Text(_stored(row), row.text, json.loads(row.sections))

    async def places(self, tenant: str, document_id: str, start: int, end: int) -> Placed:
        """Where code points ``[start, end)`` of a document's text stand in its file. Raises `Fault` 404."""
        async with self._store.session() as session:
            await self._owned(session, tenant, document_id)
            rows = await session.scalars(
                select(PassageRow)
                .where(PassageRow.document_id == document_id, PassageRow.start < end, PassageRow.end > start)
                .order_by(PassageRow.position)
                .limit(_MOST_PLACED)
            )
            kept = await session.scalar(select(FileRow.document_id).where(FileRow.document_id == document_id))
        names: dict[str, None] = {}
        found: dict[str, dict[str, Any]] = {}
        for row in rows:
            details = json.loads(row.details)
            shift = row.start - row.lead
            stretch = max(start, row.start) - shift, min(end, row.end) - shift
            names[place_name(details, *stretch)] = None
            for place in places_of(details, *stretch):
                told = {**place, "start": place["start"] + shift, "end": place["end"] + shift}
                where = json.dumps([place.get(name) for name in ("page", "box", "sheet", "cell")])
                found.setdefault(where, told)
        return Placed(", ".join(filter(None, names)), list(found.values()), kept is not None)

    async def drawn(self, tenant: str, document_id: str, page: int, *, width: int) -> Drawn:
        """A page of a document as it looks. Raises `Fault` 404."""
        async with self._store.session() as session:
            await self._owned(session, tenant, document_id)

        async def file() -> bytes:
            async with self._store.session() as session:
                data = await session.scalar(select(FileRow.data).where(FileRow.document_id == document_id))
            if data is None:
                raise not_found("this document has no pages that are drawn")
            return data

        return await self._pages.draw(tenant, document_id, page, width=width, file=file)

    async def _owned(self, session: AsyncSession, tenant: str, document_id: str) -> DocumentRow:
        row = await session.get(DocumentRow, document_id)
        if row is None or row.tenant != tenant:
            raise not_found("there is no such document")
        return row

    async def passage(self, tenant: str, chunk_id: str) -> Source:
        """One passage. Raises `Fault` 404."""
        async with self._store.session() as session:
            row = await session.get(PassageRow, chunk_id)
        if row is None or row.tenant != tenant:
            raise not_found("there is no such source")
        return _source(row)

    async def delete(self, tenant: str, document_id: str) -> None:
        """Forget a document and its passages. Raises `Fault` 404."""
        async with self._store.session() as session:
            gone = await session.execute(
                delete(DocumentRow)
                .where(DocumentRow.tenant == tenant, DocumentRow.id == document_id)
                .returning(DocumentRow.id)
            )
            if gone.first() is None:
                raise not_found("there is no such document")
            await session.execute(delete(PassageRow).where(PassageRow.document_id == document_id))
            await session.execute(delete(FileRow).where(FileRow.document_id == document_id))
            await _changed(session, tenant)

    async def delete_of(self, tenant: str, conversation_id: str) -> None:
        """Forget the documents of one conversation."""
        for document in await self.recent(tenant, conversation_id=conversation_id, limit=self._settings.documents):
            await self.delete(tenant, document.id)

    async def holds_any(self, tenant: str, conversation_id: str | None = None) -> bool:
        """Whether there is a document that a question of this conversation may be answered from."""
        async with self._store.session() as session:
            found = await session.scalar(select(DocumentRow.id).where(_scope(tenant, conversation_id, None)).limit(1))
        return found is not None

    async def search(
        self,
        tenant: str,
        questions: list[str],
        *,
        k: int,
        conversation_id: str | None = None,
        document_ids: list[str] | None = None,
    ) -> list[Source]:
        """The passages nearest to the first question, filled up with those of the others, best first."""
        index = await self._shelves.index(tenant)
        if index is None:
            return []
        filters = {"document_id": document_ids} if document_ids is not None else None
        if filters is None:
            filters = {"conversation_id": ["", conversation_id] if conversation_id else [""]}
        return await asyncio.to_thread(_search, index, questions, k, filters)

    async def index(
        self, tenant: str, conversation_id: str | None = None, document_ids: list[str] | None = None
    ) -> Index | None:
        """The index over what a tenant may be answered from, the same object until that changes; none if nothing."""
        return await self._index(tenant, conversation_id, document_ids)

    async def _index(self, tenant: str, conversation_id: str | None, document_ids: list[str] | None) -> Index | None:
        name = (tenant, conversation_id or "", *sorted(document_ids or ()))
        async with self._store.session() as session:
            version = await session.scalar(select(ShelfRow.version).where(ShelfRow.tenant == tenant))
            if version is None:
                return None
            known = self._indexes.get(name)
            if known is not None and known[0] == version:
                self._indexes.move_to_end(name)
                return known[1]
            rows = await session.scalars(
                select(PassageRow)
                .join(DocumentRow, PassageRow.document_id == DocumentRow.id)
                .where(_scope(tenant, conversation_id, document_ids))
                .order_by(DocumentRow.created_at, DocumentRow.id, PassageRow.position)
            )
            sources = [_source(row) for row in rows]
        from footnoted.retrieval.index import Index

        index = await asyncio.to_thread(Index.of, sources)
        self._indexes[name] = (version, index, len(sources))
        self._indexes.move_to_end(name)
        while len(self._indexes) > 1 and sum(each[2] for each in self._indexes.values()) > _KEPT_PASSAGES:
            self._indexes.popitem(last=False)
        while len(self._indexes) > 1_000:
            self._indexes.popitem(last=False)
        return index


def _search(index: Index, questions: list[str], k: int, filters: Filters) -> list[Source]:
    found: dict[str, Source] = {}
    for number, question in enumerate(questions):
        room = k if number == 0 else k + k // 2
        for source in index.find(question, k=k, filters=filters):
            if len(found) < room:
                told = {name: value for name, value in source.metadata.items() if name != "conversation_id"}
                found.setdefault(source.id, replace(source, metadata=told))
    return list(found.values())


def _scope(tenant: str, conversation_id: str | None, document_ids: list[str] | None) -> ColumnElement[bool]:
    if document_ids is not None:
        return and_(DocumentRow.tenant == tenant, DocumentRow.id.in_(document_ids))
    everywhere = DocumentRow.conversation_id.is_(None)
    here = or_(everywhere, DocumentRow.conversation_id == conversation_id) if conversation_id else everywhere
    return and_(DocumentRow.tenant == tenant, here)


async def _changed(session: AsyncSession, tenant: str) -> None:
    raised = await session.execute(
        update(ShelfRow)
        .where(ShelfRow.tenant == tenant)
        .values(version=ShelfRow.version + 1)
        .returning(ShelfRow.version)
    )
    if raised.first() is None:
        try:
            async with session.begin_nested():
                session.add(ShelfRow(tenant=tenant, version=1))
        except IntegrityError:  # another upload of this tenant was the first
            await session.execute(
                update(ShelfRow).where(ShelfRow.tenant == tenant).values(version=ShelfRow.version + 1)
            )


def _passage_row(document: DocumentRow, position: int, passage: Passage) -> dict[str, Any]:
    details = {**passage.details, "file": document.name, "title": document.title}
    return {
        "id": str(uuid4()),
        "document_id": document.id,
        "tenant": document.tenant,
        "position": position,
        "title": " › ".join([document.title, *passage.headings]),
        "text": passage.text,
        "start": passage.start,
        "end": passage.end,
        "lead": passage.lead,
        "details": json.dumps(details, ensure_ascii=False),
    }


def _stored(row: DocumentRow) -> Stored:
    return Stored(
        id=row.id,
        name=row.name,
        title=row.title,
        format=row.format,
        bytes=row.bytes,
        characters=row.characters,
        passages=row.passages,
        sha256=row.sha256,
        conversation_id=row.conversation_id,
        created_at=row.created_at,
    )


def _source(row: PassageRow) -> Source:
    details: dict[str, Any] = json.loads(row.details)
    details |= {"document_id": row.document_id, "start": row.start, "end": row.end, "lead": row.lead}
    return Source(id=row.id, text=row.text, title=row.title, metadata=details)
