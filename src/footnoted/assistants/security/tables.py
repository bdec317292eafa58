"""The advisor's database and its tables: checks, findings, knowledge, documents. Each row is of one tenant.

The migrations make them, and their indexes, which stand nowhere else.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from sqlalchemy import JSON, Boolean, DateTime, Dialect, Float, ForeignKey, Integer, String, Text, TypeDecorator
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from footnoted.store import Database

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncSession

MIGRATIONS = Path(__file__).parent / "migrations"
_PREPARED: WeakSet[Database] = WeakSet()
ID = String(40)
NAME = String(200)


def opened(database: Database | str) -> Database:
    """The database of a URL; one that is open already stays itself."""
    return Database(database) if isinstance(database, str) else database


async def prepare(database: Database) -> None:
    """Bring the advisor's tables up to date, once for each open database."""
    if database not in _PREPARED:
        await database.migrate(MIGRATIONS, name="security")
        _PREPARED.add(database)


@asynccontextmanager
async def transaction(database: Database) -> AsyncIterator[AsyncSession]:
    """One transaction on a database whose tables are there; whoever forgot to prepare it need not have."""
    await prepare(database)
    async with database.session() as session:
        yield session


@asynccontextmanager
async def reading(database: Database) -> AsyncIterator[AsyncConnection]:
    """A connection to read from, without what a session keeps of objects; nothing is written through it."""
    await prepare(database)
    async with database.engine.connect() as connection:
        yield connection


class Moment(TypeDecorator[datetime]):
    """A point in time, in UTC also where SQLite, which keeps no zone, gives it back."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """The time with its zone."""
        return value.replace(tzinfo=UTC) if value is not None and value.tzinfo is None else value


class Base(DeclarativeBase):
    """The room's tables."""


class RuleRow(Base):
    """What a check says, once however many resources it was run on. Its id is made from its words."""

    __tablename__ = "security_rules"
    id: Mapped[str] = mapped_column(ID, primary_key=True)
    tenant: Mapped[str] = mapped_column(NAME)
    check_id: Mapped[str] = mapped_column(Text)
    title: Mapped[str] = mapped_column(Text)
    description: Mapped[str] = mapped_column(Text)
    risk: Mapped[str] = mapped_column(Text)
    remediation: Mapped[str] = mapped_column(Text)
    remediation_cli: Mapped[str] = mapped_column(Text)
    references: Mapped[list[str]] = mapped_column("links", JSON)
    frameworks: Mapped[dict[str, Any]] = mapped_column(JSON)


class RuleFrameworkRow(Base):
    """That a rule serves a framework, by its scanner's word."""

    __tablename__ = "security_rule_frameworks"
    tenant: Mapped[str] = mapped_column(NAME, primary_key=True)
    framework: Mapped[str] = mapped_column(String(60), primary_key=True)
    rule_id: Mapped[str] = mapped_column(ID, ForeignKey("security_rules.id"), primary_key=True)


class FindingRow(Base):
    """What a check found on one resource; unique by tenant and identity."""

    __tablename__ = "security_findings"
    id: Mapped[str] = mapped_column(ID, primary_key=True)
    tenant: Mapped[str] = mapped_column(NAME)
    rule_id: Mapped[str] = mapped_column(ID, ForeignKey("security_rules.id"))
    digest: Mapped[str] = mapped_column(ID)
    uid: Mapped[str] = mapped_column(Text)
    check_id: Mapped[str] = mapped_column(Text)
    control_id: Mapped[str] = mapped_column(Text)
    service: Mapped[str] = mapped_column(NAME)
    severity: Mapped[int] = mapped_column(Integer)
    status: Mapped[str] = mapped_column(String(20))
    scanner: Mapped[str] = mapped_column(Text)
    provider: Mapped[str] = mapped_column(Text)
    account: Mapped[str] = mapped_column(Text)
    region: Mapped[str] = mapped_column(Text)
    resource_id: Mapped[str] = mapped_column(Text)
    resource_name: Mapped[str] = mapped_column(Text)
    resource_type: Mapped[str] = mapped_column(Text)
    detail: Mapped[str] = mapped_column(Text)
    observed_at: Mapped[datetime | None] = mapped_column(Moment)
    account_name: Mapped[str] = mapped_column(Text)
    family: Mapped[str] = mapped_column(Text)  # the service as the scanner writes it
    tags: Mapped[str] = mapped_column(Text)  # each between line breaks, so that one is found whole
    categories: Mapped[str] = mapped_column(Text)
    first_seen: Mapped[str] = mapped_column(String(19))  # 2026-11-16T02:15:00
    seen_in: Mapped[str] = mapped_column(ID)  # the scan that spoke of it last
    current: Mapped[bool] = mapped_column(Boolean)  # whether the newest scan of its scope has it


class ScanRow(Base):
    """One look of a scanner at an account. ``place`` counts from the newest of its scope, which is 0."""

    __tablename__ = "security_scans"
    id: Mapped[str] = mapped_column(ID, primary_key=True)
    tenant: Mapped[str] = mapped_column(NAME)
    scanner: Mapped[str] = mapped_column(Text)
    provider: Mapped[str] = mapped_column(Text)
    account: Mapped[str] = mapped_column(Text)
    taken_at: Mapped[datetime] = mapped_column(Moment)
    place: Mapped[int] = mapped_column(Integer)
    earlier: Mapped[str] = mapped_column(ID)
    later: Mapped[str] = mapped_column(ID)
    partial: Mapped[bool] = mapped_column(Boolean)  # of what it does not speak of, the earlier word is carried on
    imports: Mapped[int] = mapped_column(Integer)  # files it is made of


class StateRow(Base):
    """How a finding stood in a scan."""

    __tablename__ = "security_states"
    scan_id: Mapped[str] = mapped_column(ID, primary_key=True)
    finding_id: Mapped[str] = mapped_column(ID, primary_key=True)
    status: Mapped[str] = mapped_column(String(20))
    severity: Mapped[int] = mapped_column(Integer)
    first_seen: Mapped[str] = mapped_column(String(19))
    carried: Mapped[bool] = mapped_column(Boolean)  # the earlier scan's word, of which this one says nothing


class MappingRow(Base):
    """That a check's rule serves a requirement of one version of a framework, by its scanner's own word."""

    __tablename__ = "security_mappings"
    rule_id: Mapped[str] = mapped_column(ID, primary_key=True)
    name: Mapped[str] = mapped_column(NAME, primary_key=True)  # "CIS-5.0", as the scanner writes it
    requirement: Mapped[str] = mapped_column(String(120), primary_key=True)
    tenant: Mapped[str] = mapped_column(NAME)
    key: Mapped[str] = mapped_column(String(160))  # the requirement's parts, joined by full stops


class RequirementRow(Base):
    """What a requirement says, from an imported map or catalogue, and the checks it names."""

    __tablename__ = "security_requirements"
    tenant: Mapped[str] = mapped_column(NAME, primary_key=True)
    name: Mapped[str] = mapped_column(NAME, primary_key=True)
    provider: Mapped[str] = mapped_column(String(60), primary_key=True)
    requirement: Mapped[str] = mapped_column(String(120), primary_key=True)
    key: Mapped[str] = mapped_column(String(160))
    title: Mapped[str] = mapped_column(Text)
    text: Mapped[str] = mapped_column(Text)
    checks: Mapped[list[str]] = mapped_column(JSON)


class EntryRow(Base):
    """One imported entry of the knowledge base; its fields as JSON, what it is looked up by in columns."""

    __tablename__ = "security_kb_entries"
    tenant: Mapped[str] = mapped_column(NAME, primary_key=True)
    id: Mapped[str] = mapped_column(NAME, primary_key=True)
    origin: Mapped[str] = mapped_column(String(60))
    service: Mapped[str] = mapped_column(NAME)
    severity: Mapped[int] = mapped_column(Integer)
    body: Mapped[dict[str, Any]] = mapped_column(JSON)


class EntryFrameworkRow(Base):
    """That an imported entry belongs to a framework."""

    __tablename__ = "security_kb_frameworks"
    tenant: Mapped[str] = mapped_column(NAME, primary_key=True)
    framework: Mapped[str] = mapped_column(String(60), primary_key=True)
    entry_id: Mapped[str] = mapped_column(NAME, primary_key=True)


class EntryCheckRow(Base):
    """That an imported entry speaks of a check, and for which framework, if it maps one."""

    __tablename__ = "security_kb_checks"
    tenant: Mapped[str] = mapped_column(NAME, primary_key=True)
    check_id: Mapped[str] = mapped_column(NAME, primary_key=True)
    entry_id: Mapped[str] = mapped_column(NAME, primary_key=True)
    framework: Mapped[str] = mapped_column(String(60), primary_key=True)


class DocumentRow(Base):
    """A document of a conversation, as text."""

    __tablename__ = "security_documents"
    id: Mapped[str] = mapped_column(ID, primary_key=True)
    tenant: Mapped[str] = mapped_column(NAME)
    conversation: Mapped[str] = mapped_column(NAME)
    title: Mapped[str] = mapped_column(Text)
    text: Mapped[str] = mapped_column(Text)
    added_at: Mapped[datetime] = mapped_column(Moment)


class SourceRow(Base):
    """A source as an answer was cited from it; its id is made from its words."""

    __tablename__ = "security_sources"
    tenant: Mapped[str] = mapped_column(NAME, primary_key=True)
    id: Mapped[str] = mapped_column(ID, primary_key=True)
    kind: Mapped[str] = mapped_column(String(60))
    item: Mapped[str] = mapped_column(Text)
    title: Mapped[str] = mapped_column(Text)
    text: Mapped[str] = mapped_column(Text)
    kept_at: Mapped[float] = mapped_column(Float)
