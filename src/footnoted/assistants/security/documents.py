"""Keeps a tenant's uploads as the documents of a conversation, each with a summary that fits a question."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from typing import TYPE_CHECKING

from sqlalchemy import select

from footnoted.assistants.security.tables import DocumentRow, opened, prepare, transaction
from footnoted.inert import on_one_line

if TYPE_CHECKING:
    from footnoted.store import Database

MOST = 20  # documents of one conversation that an answer looks at
SUMMARY = 500  # code points
LONGEST = 2_000_000


@dataclass(frozen=True, slots=True)
class ConversationDocument:
    """A document a tenant gave to a conversation."""

    id: str
    title: str
    text: str

    def summary(self, question: str = "", *, most: int = SUMMARY) -> str:
        """At most ``most`` characters: the sentences nearest to the question, in their order, else the beginning.

        >>> document = ConversationDocument("1", "", "Logs are kept. Keys rotate yearly. Doors lock.")
        >>> document.summary("How often do keys rotate?", most=22)
        'Keys rotate yearly.'
        """
        if len(self.text) <= most:
            return self.text.strip()
        from footnoted.retrieval.relevance import rank
        from footnoted.types import Source

        chosen: list[tuple[int, int]] = []
        room = most
        for scored in rank(question, [Source("document", self.text, self.title)]) if question else []:
            if scored.end - scored.start + 1 <= room:
                chosen.append((scored.start, scored.end))
                room -= scored.end - scored.start + 1
            elif chosen:
                break
        if not chosen:
            return cut(self.text, most)
        return " ".join(self.text[start:end].strip() for start, end in sorted(chosen))


class DocumentService:
    """The documents of every tenant's conversations, and of each only its own."""

    def __init__(self, database: Database | str) -> None:
        self.database = opened(database)

    async def prepare(self) -> None:
        """Bring the tables up to date."""
        await prepare(self.database)

    async def add(self, tenant_id: str, conversation_id: str, name: str, data: bytes) -> ConversationDocument:
        """Keep a PDF, DOCX, Markdown, HTML or text file. Raises `SourceError` for what cannot be read."""
        from footnoted.retrieval.load import parse

        document = await asyncio.to_thread(parse, data, name)
        title, text = on_one_line(name)[:200], document.text[:LONGEST].replace("\x00", " ")
        digest = blake2b(digest_size=16)
        for part in (tenant_id, conversation_id, title, text):
            digest.update(len(part).to_bytes(8, "big") + part.encode("utf-8", "replace"))
        row = DocumentRow(
            id=digest.hexdigest(),
            tenant=tenant_id,
            conversation=conversation_id,
            title=title,
            text=text.encode("utf-8", "replace").decode(),
            added_at=datetime.now(UTC),
        )
        async with transaction(self.database) as session:
            await session.merge(row)
        return ConversationDocument(row.id, title, row.text)

    async def get_for_conversation(
        self,
        tenant_id: str,
        conversation_id: str,
        question: str = "",  # noqa: ARG002 - a summary is made for the question later
    ) -> list[ConversationDocument]:
        """The documents of a conversation, the newest first; none without a conversation."""
        if not conversation_id:
            return []
        query = (
            select(DocumentRow)
            .where(DocumentRow.tenant == tenant_id, DocumentRow.conversation == conversation_id)
            .order_by(DocumentRow.added_at.desc(), DocumentRow.id)
            .limit(MOST)
        )
        async with transaction(self.database) as session:
            return [ConversationDocument(row.id, row.title, row.text) for row in await session.scalars(query)]


def cut(text: str, most: int) -> str:
    """The beginning of a text, cut on a word, with an ellipsis where something is missing; ``most`` in all.

    >>> cut("Block public access everywhere", 22)
    'Block public access…'
    """
    text = " ".join(text.split())
    if len(text) <= most:
        return text
    head = text[: most - 1]
    whole = head if text[most - 1] == " " else head.rpartition(" ")[0]
    return (whole or head).rstrip(" ,;:.-–") + "…"
