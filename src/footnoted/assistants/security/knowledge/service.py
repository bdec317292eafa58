"""The knowledge base: imports files of controls, maps and checks, and finds entries for a question, gravest first."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, func, select

from footnoted.assistants.security.catalogue import by_check, load_catalogue
from footnoted.assistants.security.findings.fields import NotAFinding
from footnoted.assistants.security.findings.records import BadRecord, records
from footnoted.assistants.security.knowledge.entry import KnowledgeEntry, from_json
from footnoted.assistants.security.knowledge.oscal import is_oscal, read_oscal
from footnoted.assistants.security.knowledge.prowler import is_check, is_compliance, read_check, read_compliance
from footnoted.assistants.security.names import framework_key, requirement_key, service_key
from footnoted.assistants.security.tables import (
    EntryCheckRow,
    EntryFrameworkRow,
    EntryRow,
    RequirementRow,
    opened,
    prepare,
    transaction,
)
from footnoted.errors import ConfigurationError
from footnoted.store.bulk import Upsert

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement
    from sqlalchemy.ext.asyncio import AsyncSession

    from footnoted.store import Database

BATCH = 200
LARGEST = 64 << 20  # bytes of one file; NIST's whole catalogue is 10 MB
KNOWN = "NIST OSCAL catalogues and profiles (JSON), Prowler compliance files and Prowler check metadata"
MOST = 200  # entries of one look-up


@dataclass(slots=True)
class KnowledgeReport:
    """What came of a file: its kind, what it calls itself, how many entries were kept, and what was not."""

    format: str = ""
    title: str = ""
    read: int = 0
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    skipped: int = 0
    frameworks: dict[str, int] = field(default_factory=dict)
    problems: list[BadRecord] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """The report as JSON."""
        return asdict(self)


async def import_knowledge(database: Database, tenant: str, data: bytes) -> KnowledgeReport:
    """Keep every entry of a file for this tenant; imported again it changes nothing."""
    report = KnowledgeReport()
    if len(data) > LARGEST:
        report.skipped = 1
        report.problems.append(BadRecord(1, f"the file is larger than {LARGEST >> 20} MB"))
        return report
    entries = await asyncio.to_thread(lambda: list(_entries(data, report)))
    report.read = len(entries)
    unique: dict[str, KnowledgeEntry] = {}
    for entry in entries:
        before = unique[entry.id].checks if entry.id in unique else ()
        unique[entry.id] = replace(entry, checks=tuple(dict.fromkeys((*before, *entry.checks))))
    kept = list(unique.values())
    for at in range(0, len(kept), BATCH):
        async with transaction(database) as session:
            await _write(session, tenant, kept[at : at + BATCH], report)
    return report


def _entries(data: bytes, report: KnowledgeReport) -> Iterator[KnowledgeEntry]:
    for record in records([data], largest=LARGEST):
        if isinstance(record, BadRecord):
            report.skipped += 1
            report.problems.append(record)
            continue
        try:
            yield from _read(record.value, report)
        except (NotAFinding, TypeError, ValueError, AttributeError, KeyError, RecursionError) as error:
            reason = str(error) if isinstance(error, NotAFinding) else "has a shape its format does not allow"
            report.skipped += 1
            report.problems.append(BadRecord(record.line, reason))


def _read(value: Any, report: KnowledgeReport) -> Iterator[KnowledgeEntry]:
    if not isinstance(value, Mapping):
        raise NotAFinding(f"is no record; known are {KNOWN}")
    if is_oscal(value):
        report.format, report.title, entries = read_oscal(value)
    elif is_compliance(value):
        report.format, report.title, entries = read_compliance(value)
    elif is_check(value):
        report.format, report.title, entries = "prowler-check", "Prowler checks", [read_check(value)]
    else:
        raise NotAFinding(f"is of no known format; known are {KNOWN}")
    yield from entries


async def _write(
    session: AsyncSession, tenant: str, entries: Sequence[KnowledgeEntry], report: KnowledgeReport
) -> None:
    ids = [entry.id for entry in entries]
    stored = select(EntryRow.id, EntryRow.body).where(EntryRow.tenant == tenant, EntryRow.id.in_(ids))
    before = {row.id: row.body for row in await session.execute(stored)}
    fresh = []
    for entry in entries:
        for framework in entry.frameworks:
            report.frameworks[framework] = report.frameworks.get(framework, 0) + 1
        merged = _merged(entry, before.get(entry.id))
        if entry.id not in before:
            report.added += 1
        elif merged.as_json() == before[entry.id]:
            report.unchanged += 1
            continue
        else:
            report.updated += 1
        fresh.append(merged)
    if not fresh:
        return
    gone = [entry.id for entry in fresh]
    named = (EntryRow.id, EntryFrameworkRow.entry_id, EntryCheckRow.entry_id)
    for column in named:
        await session.execute(delete(column.class_).where(column.class_.tenant == tenant, column.in_(gone)))
    session.add_all(
        EntryRow(
            tenant=tenant,
            id=entry.id,
            origin=entry.origin,
            service=entry.service,
            severity=entry.severity.rank if entry.severity else 9,
            body=entry.as_json(),
        )
        for entry in fresh
    )
    session.add_all(
        EntryFrameworkRow(tenant=tenant, framework=key, entry_id=entry.id)
        for entry in fresh
        for key in entry.frameworks
    )
    await _write_requirements(session, tenant, fresh)
    session.add_all(
        EntryCheckRow(tenant=tenant, check_id=check, entry_id=entry.id, framework=framework)
        for entry in fresh
        for check in dict.fromkeys(entry.checks)
        for framework in (entry.frameworks if entry.origin == "prowler-compliance" else ("",))
    )


async def _write_requirements(session: AsyncSession, tenant: str, entries: Sequence[KnowledgeEntry]) -> None:
    """The words of requirements, found by framework, version and id however it is written."""
    rows = {}
    for entry in entries:
        name = entry.edition or ("NIST-800-53" if entry.origin == "oscal" else "")
        identity = entry.id.partition(":")[2][:120]
        if name and identity and entry.description:
            told = (requirement_key(identity), entry.title, entry.description, list(entry.checks))
            rows[name, entry.provider, identity] = (tenant, name, entry.provider, identity, *told)
    by = ("tenant", "name", "provider", "requirement")
    keeping = Upsert(RequirementRow.__table__, (*by, "key", "title", "text", "checks"), by=by, kept=())
    await keeping.write(session, list(rows.values()))


def _merged(entry: KnowledgeEntry, before: Mapping[str, Any] | None) -> KnowledgeEntry:
    """A profile only says which controls it selects: what is known of them stays, its note is added."""
    if before is None or entry.origin != "oscal":
        return entry
    known = from_json(before)
    notes = tuple(dict.fromkeys((*known.notes, *entry.notes)))
    return replace(entry if entry.description else known, notes=notes)


class KnowledgeBaseService:
    """The shipped catalogue, and what a tenant imported beside it. Without a ``database``, the catalogue alone."""

    def __init__(self, database: Database | str | None = None) -> None:
        self.database = None if database is None else opened(database)

    async def prepare(self) -> None:
        """Bring the tables up to date."""
        if self.database is not None:
            await prepare(self.database)

    async def get_for_framework(
        self, framework: str, *, tenant_id: str = "", limit: int = MOST
    ) -> list[KnowledgeEntry]:
        """The entries that serve a framework, by any of its names ("PCI", "pci-dss")."""
        key = framework_key(framework)
        found = [entry for entry in load_catalogue() if key in entry.frameworks]
        linked = _linked(EntryFrameworkRow, tenant_id, EntryFrameworkRow.framework == key)
        return _gravest_first([*found, *await self._imported(tenant_id, linked)], limit)

    async def get_for_service(self, service: str, *, tenant_id: str = "", limit: int = MOST) -> list[KnowledgeEntry]:
        """The entries about a service, by any of its names ("S3", "awslambda")."""
        key = service_key(service)
        found = [entry for entry in load_catalogue() if entry.service == key]
        return _gravest_first([*found, *await self._imported(tenant_id, EntryRow.service == key)], limit)

    async def get_for_checks(
        self, checks: Sequence[str], *, tenant_id: str = "", limit: int = MOST
    ) -> list[KnowledgeEntry]:
        """The entries that speak of any of these checks or controls: how what a scanner found is put right."""
        wanted = list(dict.fromkeys(checks))
        index = by_check()
        found = [entry for check in wanted for entry in index.get(check, ())]
        linked = _linked(EntryCheckRow, tenant_id, EntryCheckRow.check_id.in_(wanted[:100]))
        return _gravest_first([*found, *await self._imported(tenant_id, linked)], limit)

    async def get_by_ids(self, ids: Sequence[str], *, tenant_id: str = "") -> list[KnowledgeEntry]:
        """The entries with these ids or labels ("s3-block-public-access", "AC-2")."""
        wanted = {identity.casefold() for identity in ids}
        found = [entry for entry in load_catalogue() if entry.id in wanted]
        forms = sorted(wanted | {f"nist-800-53:{identity}" for identity in wanted})
        return [*found, *await self._imported(tenant_id, EntryRow.id.in_(forms))]

    async def import_file(self, tenant_id: str, data: bytes) -> KnowledgeReport:
        """Keep what an OSCAL catalogue or profile, or a Prowler compliance or check file holds."""
        if self.database is None:
            raise ConfigurationError("this knowledge base has no database to import into; give it one")
        return await import_knowledge(self.database, tenant_id, data)

    async def count(self, tenant_id: str) -> dict[str, int]:
        """How many entries there are, by where they are from."""
        counts = {"shipped": len(load_catalogue())}
        if self.database is not None:
            of_tenant = select(EntryRow.origin, func.count()).where(EntryRow.tenant == tenant_id)
            async with transaction(self.database) as session:
                rows = await session.execute(of_tenant.group_by(EntryRow.origin))
                counts |= {origin: int(count) for origin, count in rows}
        return counts

    async def _imported(self, tenant: str, wanted: ColumnElement[bool]) -> list[KnowledgeEntry]:
        """What the tenant imported itself and is wanted; nothing of anybody else's."""
        if self.database is None or not tenant:
            return []
        query = select(EntryRow.body).where(EntryRow.tenant == tenant, wanted)
        async with transaction(self.database) as session:
            found = await session.scalars(query.order_by(EntryRow.severity, EntryRow.id).limit(MOST))
            return [from_json(body) for body in found]


def _linked(table: Any, tenant: str, wanted: ColumnElement[bool]) -> ColumnElement[bool]:
    """That an entry stands in a table which says what entries are for."""
    return EntryRow.id.in_(select(table.entry_id).where(table.tenant == tenant, wanted))


def _gravest_first(found: Iterable[KnowledgeEntry], limit: int) -> list[KnowledgeEntry]:
    """Gravest first, what names no severity last; the order given breaks ties. Each once."""
    unique = {(entry.origin, entry.id): entry for entry in found}
    return sorted(unique.values(), key=lambda entry: entry.severity.rank if entry.severity else 9)[:limit]
