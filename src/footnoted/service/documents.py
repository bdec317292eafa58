"""Keeps a tenant's files, their texts and passages, and finds the passages nearest to a question."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast
from uuid import uuid4

from sqlalchemy import ColumnElement, CursorResult, Row, Select, Table, and_, delete, func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from footnoted.retrieval.places import place_name, places_of
from footnoted.service.drawing import Drawn, Pages
from footnoted.service.faults import Fault, not_found
from footnoted.service.reading import Passage, ReadDocument, read_document
from footnoted.service.settings import Settings
from footnoted.service.shelf import Shelves
from footnoted.service.store.room import Store, newest, owned
from footnoted.service.store.tables import DocumentRow, FileRow, PassageRow, ShelfRow
from footnoted.service.told import ToldDocument, ToldPlace, ToldPlaces
from footnoted.service.turns import Turns
from footnoted.store.bulk import insert_of
from footnoted.types import Source

if TYPE_CHECKING:
    from footnoted.retrieval.index import Index
    from footnoted.retrieval.retriever import Filters

# Passages go in as they are and some hundred at a time, without the unit of work: others have turns in between.
_PASSAGES = cast("Table", PassageRow.__table__)
_NO_SUCH = "there is no such document"
_TOGETHER = 200
_KEPT_TOGETHER = 1_000  # passages of one transaction: SQLite has one writer, and others want to write as well
_UNSEEN = " "  # no tenant's name: whose a document is until all of it is kept, and from when it begins to go
_TORN = 3_600  # seconds after which a document that is not all kept was left by a process that died
_MOST_PLACED = 50  # passages that words reach over, of which the places are told
_DRAWN = frozenset({"pdf"})  # formats whose files are kept, to draw their pages
_SEARCHES = 3  # at once, of several tenants
_SKIMMED = 200_000  # characters of a document, and of its sections, that an overview reads


@dataclass(frozen=True, slots=True)
class Text:
    """A document's text and, as JSON, its sections: headings, start, end. Of `latest_texts` both may be cut."""

    document: ToldDocument
    text: str
    told: str

    @property
    def sections(self) -> Iterator[dict[str, Any]]:
        """Its sections, one read after another: a document may have a hundred thousand."""
        return items_of(self.told)


def items_of(listed: str) -> Iterator[Any]:
    """The items of a JSON list, each read when it is wanted; of one that is cut, those that are whole.

    >>> list(items_of('[1, {"a": 2}, {"a":'))
    [1, {'a': 2}]
    """
    read, at = json.JSONDecoder().raw_decode, 1
    while at < len(listed):
        try:
            item, at = read(listed, at)
        except ValueError:
            return
        yield item
        while at < len(listed) and listed[at] in ", ]":
            at += 1


class DocumentService:
    """Documents by tenant. Those without a conversation are open to all of the tenant's conversations."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._settings = settings
        self._shelves = Shelves(store, _source)
        self._searching = Turns(_SEARCHES)
        self._pages = Pages(seconds=settings.reading_seconds)

    async def add(
        self, tenant: str, data: bytes, name: str, *, title: str | None = None, conversation_id: str | None = None
    ) -> tuple[ToldDocument, bool]:
        """Read and keep a file; the document, and whether it is new. Raises `SourceError` when it cannot be read."""
        sha256 = (await asyncio.to_thread(hashlib.sha256, data)).hexdigest()
        same = and_(
            DocumentRow.tenant == tenant,
            DocumentRow.sha256 == sha256,
            DocumentRow.name == name,
            DocumentRow.conversation_id == (conversation_id or None),
        )
        async with self._store.session() as session:
            known = await session.scalar(select(DocumentRow).where(same).limit(1))
            if known is not None:
                if known.format in _DRAWN and await session.get(FileRow, known.id) is None:
                    session.add(FileRow(document_id=known.id, data=data))  # it was read before files were kept
                return ToldDocument.model_validate(known), False
            count = await session.scalar(
                select(func.count()).select_from(DocumentRow).where(DocumentRow.tenant == tenant)
            )
        if (count or 0) >= self._settings.documents:
            raise Fault(413, "too_large", f"{self._settings.documents} documents are kept already; delete some first")
        read = await read_document(data, name, seconds=self._settings.reading_seconds, tenant=tenant)
        row = DocumentRow(
            id=str(uuid4()),
            tenant=_UNSEEN,
            conversation_id=conversation_id,
            name=name,
            title=title or read.title,
            format=read.format,
            bytes=len(data),
            characters=len(read.text),
            passages=read.count,
            sha256=sha256,
            text=read.text,
            sections=read.sections,
            created_at=time.time(),
        )
        try:
            await self._keep(tenant, row, read, data if row.format in _DRAWN else None)
        except BaseException:
            with contextlib.suppress(Exception):  # what it died of is told; what is left goes later
                await self._erase(row.id)
            raise
        return ToldDocument.model_validate(row), True

    async def _keep(self, tenant: str, row: DocumentRow, read: ReadDocument, data: bytes | None) -> None:
        """A document with its passages, seen by nobody until all of it is there."""
        async with self._store.session() as session:
            session.add(row)
            await session.flush()
            if data is not None:
                session.add(FileRow(document_id=row.id, data=data))
        for first in range(0, read.count, _KEPT_TOGETHER):
            async with self._store.session() as session:
                for at in range(first, min(first + _KEPT_TOGETHER, read.count), _TOGETHER):
                    batch = enumerate(read.take(_TOGETHER), at)
                    rows = [_passage_row(tenant, row, position, passage) for position, passage in batch]
                    await session.execute(insert(_PASSAGES), rows)
        async with self._store.session() as session:
            await session.execute(update(DocumentRow).where(DocumentRow.id == row.id).values(tenant=tenant))
            await _changed(session, tenant)

    async def _erase(self, document_id: str) -> None:
        """Take away a document that nobody sees, some passages at a time."""
        some = select(PassageRow.id).where(PassageRow.document_id == document_id).limit(_KEPT_TOGETHER)
        gone = 1
        while gone:
            async with self._store.session() as session:
                taken = await session.execute(delete(PassageRow).where(PassageRow.id.in_(some)))
                gone = cast("CursorResult[Any]", taken).rowcount
        async with self._store.session() as session:
            await session.execute(delete(FileRow).where(FileRow.document_id == document_id))
            await session.execute(delete(DocumentRow).where(DocumentRow.id == document_id))

    async def forget_torn(self, now: float) -> None:
        """Take away what a process left that died while it kept or deleted a document."""
        torn = select(DocumentRow.id).where(DocumentRow.tenant == _UNSEEN, DocumentRow.created_at < now - _TORN)
        async with self._store.session() as session:
            ids = list(await session.scalars(torn))
        for document_id in ids:
            await self._erase(document_id)

    async def recent(
        self, tenant: str, *, conversation_id: str | None = None, limit: int = 100, after: str | None = None
    ) -> list[ToldDocument]:
        """Documents, the newest first, from the one after ``after`` on; those of one conversation if it is given."""
        wanted = select(DocumentRow).where(DocumentRow.tenant == tenant)
        if conversation_id is not None:
            wanted = wanted.where(DocumentRow.conversation_id == conversation_id)
        async with self._store.session() as session:
            rows = await newest(session, wanted, DocumentRow, after=after, limit=limit, of=tenant)
            return [ToldDocument.model_validate(row) for row in rows.scalars()]

    async def latest_texts(self, tenant: str, *, limit: int) -> list[Text]:
        """The newest documents that belong to no conversation, with the beginnings of their texts and sections."""
        begins = (func.substr(DocumentRow.text, 1, _SKIMMED), func.substr(DocumentRow.sections, 1, _SKIMMED))
        wanted = select(DocumentRow, *begins).where(DocumentRow.conversation_id.is_(None))
        return await self._texts(tenant, wanted, limit)

    async def _texts(self, tenant: str, wanted: Select[*tuple[Any, ...]], limit: int) -> list[Text]:
        order = (DocumentRow.created_at.desc(), DocumentRow.id.desc())
        async with self._store.session() as session:
            rows = await session.execute(wanted.where(DocumentRow.tenant == tenant).order_by(*order).limit(limit))
            return [Text(ToldDocument.model_validate(row), text, sections) for row, text, sections in rows]

    async def get(self, tenant: str, document_id: str) -> ToldDocument:
        """One document. Raises `Fault` 404."""
        async with self._store.session() as session:
            return ToldDocument.model_validate(await _owned(session, tenant, document_id))

    async def text(self, tenant: str, document_id: str) -> Text:
        """One document's text. Raises `Fault` 404."""
        whole = select(DocumentRow, DocumentRow.text, DocumentRow.sections)
        found = await self._texts(tenant, whole.where(DocumentRow.id == document_id), 1)
        if not found:
            raise not_found(_NO_SUCH)
        return found[0]

    async def places(self, tenant: str, document_id: str, start: int, end: int) -> ToldPlaces:
        """Where code points ``[start, end)`` of a document's text stand in its file. Raises `Fault` 404."""
        async with self._store.session() as session:
            await _owned(session, tenant, document_id)
            first = (
                select(PassageRow.id)
                .where(PassageRow.document_id == document_id, PassageRow.start < end, PassageRow.end > start)
                .order_by(PassageRow.position)
                .limit(_MOST_PLACED)
            )
            rows = await session.scalars(
                select(PassageRow).where(PassageRow.id.in_(first.scalar_subquery())).order_by(PassageRow.position)
            )
            kept = await session.scalar(select(FileRow.document_id).where(FileRow.document_id == document_id))
        names: dict[str, None] = {}
        found: dict[str, ToldPlace] = {}
        for row in rows:
            details = json.loads(row.details)
            shift = row.start - row.lead
            stretch = max(start, row.start) - shift, min(end, row.end) - shift
            names[place_name(details, *stretch)] = None
            for place in places_of(details, *stretch):
                told = ToldPlace(**{**place, "start": place["start"] + shift, "end": place["end"] + shift})
                where = json.dumps([place.get(name) for name in ("page", "box", "sheet", "cell")])
                found.setdefault(where, told)
        return ToldPlaces(name=", ".join(filter(None, names)), places=list(found.values()), drawn=kept is not None)

    async def drawn(self, tenant: str, document_id: str, page: int, *, width: int) -> Drawn:
        """A page of a document as it looks. Raises `Fault` 404."""
        async with self._store.session() as session:
            await _owned(session, tenant, document_id)

        async def file() -> bytes:
            async with self._store.session() as session:
                data = await session.scalar(select(FileRow.data).where(FileRow.document_id == document_id))
            if data is None:
                raise not_found("this document has no pages that are drawn")
            return data

        return await self._pages.draw(tenant, document_id, page, width=width, file=file)

    async def passage(self, tenant: str, chunk_id: str) -> Source:
        """One passage. Raises `Fault` 404."""
        async with self._store.session() as session:
            return _source(await owned(session, PassageRow, chunk_id, of=tenant, what="source"))

    async def delete(self, tenant: str, document_id: str) -> None:
        """Forget a document and its passages. Raises `Fault` 404."""
        async with self._store.session() as session:
            gone = await session.execute(
                update(DocumentRow)
                .where(DocumentRow.tenant == tenant, DocumentRow.id == document_id)
                .values(tenant=_UNSEEN)
                .returning(DocumentRow.id)
            )
            if gone.first() is None:
                raise not_found(_NO_SUCH)
            await _changed(session, tenant)
        await self._erase(document_id)

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
        async with self._searching.take(tenant):
            return await asyncio.to_thread(_search, index, questions, k, filters)

    async def version(self, tenant: str) -> int | None:
        """How often the tenant's documents have changed; nothing where it never had any."""
        return await self._shelves.version(tenant)

    async def index(
        self, tenant: str, conversation_id: str | None = None, document_ids: list[str] | None = None
    ) -> Index:
        """A new index over what a tenant may be answered from."""
        from footnoted.retrieval.index import Index

        async with self._store.session() as session:
            found = await session.execute(
                select(_PASSAGES)
                .join(DocumentRow, _PASSAGES.c.document_id == DocumentRow.id)
                .where(_scope(tenant, conversation_id, document_ids))
                .order_by(DocumentRow.created_at, DocumentRow.id, _PASSAGES.c.position)
            )
            rows = found.all()
        return await asyncio.to_thread(lambda: Index.of(map(_source, rows)))


async def _owned(session: AsyncSession, tenant: str, document_id: str) -> DocumentRow:
    return await owned(session, DocumentRow, document_id, of=tenant, what="document")


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
    """Raise the version of a tenant's shelf, so that every process sees that its index is old."""
    insert_shelf = insert_of(session.get_bind().dialect)(ShelfRow).values(tenant=tenant, version=1)
    await session.execute(
        insert_shelf.on_conflict_do_update(index_elements=["tenant"], set_={"version": ShelfRow.version + 1})
    )


def _passage_row(tenant: str, document: DocumentRow, position: int, passage: Passage) -> dict[str, Any]:
    details = {**passage.details, "file": document.name, "title": document.title}
    return {
        "id": str(uuid4()),
        "document_id": document.id,
        "tenant": tenant,
        "position": position,
        "title": " › ".join([document.title, *passage.headings]),
        "text": passage.text,
        "start": passage.start,
        "end": passage.end,
        "lead": passage.lead,
        "details": json.dumps(details, ensure_ascii=False),
    }


def _source(row: PassageRow | Row[Any]) -> Source:
    details: dict[str, Any] = json.loads(row.details)
    details |= {"document_id": row.document_id, "start": row.start, "end": row.end, "lead": row.lead}
    return Source(id=row.id, text=row.text, title=row.title, metadata=details)
