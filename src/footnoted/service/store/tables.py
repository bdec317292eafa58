"""The tables of the service, as SQLAlchemy sees them; `migrations` makes them. Times are seconds since 1970."""

from __future__ import annotations

from typing import Literal

from sqlalchemy import BigInteger, Double, ForeignKey, Index, Integer, LargeBinary, String, Text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

Rating = Literal["up", "down"]


class Base(DeclarativeBase):
    """All tables of this room."""


class KeyRow(Base):
    """An API key. ``hash`` is SHA-256 of its secret, which is long and random and never stored."""

    __tablename__ = "service_keys"

    id: Mapped[str] = mapped_column(String(16), primary_key=True)
    tenant: Mapped[str] = mapped_column(String(64), index=True)
    label: Mapped[str] = mapped_column(Text)
    hash: Mapped[str] = mapped_column(String(64))
    role: Mapped[str] = mapped_column(String(16))
    created_at: Mapped[float] = mapped_column(Double)
    revoked_at: Mapped[float | None] = mapped_column(Double)


class DocumentRow(Base):
    """An uploaded document as text. Without ``conversation_id`` it belongs to all of the tenant's conversations."""

    __tablename__ = "service_documents"
    called = "document"

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    tenant: Mapped[str] = mapped_column(String(64), index=True)
    conversation_id: Mapped[str | None] = mapped_column(String(64))
    name: Mapped[str] = mapped_column(Text)
    title: Mapped[str] = mapped_column(Text)
    format: Mapped[str] = mapped_column(String(32))
    bytes: Mapped[int] = mapped_column(BigInteger)
    characters: Mapped[int] = mapped_column(BigInteger)
    passages: Mapped[int] = mapped_column(Integer)
    sha256: Mapped[str] = mapped_column(String(64))
    text: Mapped[str] = mapped_column(Text, deferred=True)
    sections: Mapped[str] = mapped_column(Text, deferred=True)
    created_at: Mapped[float] = mapped_column(Double)


class FileRow(Base):
    """The file a document was read from, where its pages can be drawn."""

    __tablename__ = "service_files"

    document_id: Mapped[str] = mapped_column(ForeignKey("service_documents.id", ondelete="CASCADE"), primary_key=True)
    data: Mapped[bytes] = mapped_column(LargeBinary)


class PassageRow(Base):
    """A passage of a document: ``document.text[start:end]``, after ``lead`` code points of a repeated head."""

    __tablename__ = "service_passages"

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    document_id: Mapped[str] = mapped_column(ForeignKey("service_documents.id", ondelete="CASCADE"), index=True)
    tenant: Mapped[str] = mapped_column(String(64))
    position: Mapped[int] = mapped_column(Integer)
    title: Mapped[str] = mapped_column(Text)
    text: Mapped[str] = mapped_column(Text)
    start: Mapped[int] = mapped_column(BigInteger)
    end: Mapped[int] = mapped_column(BigInteger)
    lead: Mapped[int] = mapped_column(Integer)
    details: Mapped[str] = mapped_column(Text)


class ShelfRow(Base):
    """How often a tenant's documents changed: whoever has an index of them sees that it is old."""

    __tablename__ = "service_shelves"

    tenant: Mapped[str] = mapped_column(String(64), primary_key=True)
    version: Mapped[int] = mapped_column(BigInteger)


class ConversationRow(Base):
    """A conversation by the name its client gave it. Of a deleted one only the name stays, so that nothing revives it.

    ``words`` is the title as it is searched; ``share`` is SHA-256 of the secret in its read-only link.
    """

    __tablename__ = "service_conversations"

    tenant: Mapped[str] = mapped_column(String(64), primary_key=True)
    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    title: Mapped[str] = mapped_column(Text)
    words: Mapped[str] = mapped_column(Text)
    share: Mapped[str | None] = mapped_column(String(64), unique=True)
    created_at: Mapped[float] = mapped_column(Double)
    updated_at: Mapped[float] = mapped_column(Double)
    deleted_at: Mapped[float | None] = mapped_column(Double)


class TurnRow(Base):
    """A question of a conversation, from the moment it was asked. Its ``id`` is its answer's.

    ``sources`` and ``document_ids`` are JSON; ``replaces`` is the first turn of those that ask the same again.
    """

    __tablename__ = "service_turns"
    __table_args__ = (Index("service_turns_talk", "tenant", "conversation_id", "created_at"),)

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    tenant: Mapped[str] = mapped_column(String(64))
    conversation_id: Mapped[str] = mapped_column(String(64))
    stream_id: Mapped[str | None] = mapped_column(String(64))
    kind: Mapped[str] = mapped_column(String(32))
    question: Mapped[str] = mapped_column(Text)
    words: Mapped[str] = mapped_column(Text)
    sources: Mapped[str] = mapped_column(Text)
    document_ids: Mapped[str] = mapped_column(Text)
    replaces: Mapped[str | None] = mapped_column(String(36))
    created_at: Mapped[float] = mapped_column(Double, index=True)


class SentRow(Base):
    """A text that was sent along with questions of a conversation, once however often it was sent."""

    __tablename__ = "service_sent"

    tenant: Mapped[str] = mapped_column(String(64), primary_key=True)
    conversation_id: Mapped[str] = mapped_column(String(64), primary_key=True)
    sha256: Mapped[str] = mapped_column(String(64), primary_key=True)
    text: Mapped[str] = mapped_column(Text)


class AnswerRow(Base):
    """An answer as it was given; ``response``, ``sources`` and ``extras`` are JSON, ``words`` is what is searched."""

    __tablename__ = "service_answers"

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    tenant: Mapped[str] = mapped_column(String(64))
    conversation_id: Mapped[str | None] = mapped_column(String(64))
    kind: Mapped[str] = mapped_column(String(32))
    question: Mapped[str] = mapped_column(Text)
    response: Mapped[str] = mapped_column(Text)
    sources: Mapped[str] = mapped_column(Text)
    extras: Mapped[str] = mapped_column(Text, default="{}")
    words: Mapped[str] = mapped_column(Text, default="")
    created_at: Mapped[float] = mapped_column(Double, index=True)


class UsageRow(Base):
    """What a tenant's answers of a day (UTC, ``2026-11-22``) took; ``money`` in billionths of the currency."""

    __tablename__ = "service_usage"

    tenant: Mapped[str] = mapped_column(String(64), primary_key=True)
    day: Mapped[str] = mapped_column(String(10), primary_key=True, index=True)
    answers: Mapped[int] = mapped_column(BigInteger)
    tokens: Mapped[int] = mapped_column(BigInteger)
    money: Mapped[int] = mapped_column(BigInteger)


class FeedbackRow(Base):
    """What a person thought of an answer; one for each."""

    __tablename__ = "service_feedback"
    called = "feedback"

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    tenant: Mapped[str] = mapped_column(String(64), index=True)
    answer_id: Mapped[str] = mapped_column(String(36), unique=True)
    rating: Mapped[Rating] = mapped_column(String(8))
    comment: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[float] = mapped_column(Double)
