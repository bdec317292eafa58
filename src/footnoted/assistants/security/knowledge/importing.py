"""Imports a file of controls, of a compliance map or of checks for a tenant, and reports what came of it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, select

from footnoted.assistants.security.findings.fields import NotAFinding
from footnoted.assistants.security.findings.records import BadRecord, records
from footnoted.assistants.security.knowledge.entry import KnowledgeEntry, from_json
from footnoted.assistants.security.knowledge.oscal import is_oscal, read_oscal
from footnoted.assistants.security.knowledge.prowler import is_check, is_compliance, read_check, read_compliance
from footnoted.assistants.security.names import requirement_key
from footnoted.assistants.security.rooms import transaction
from footnoted.assistants.security.tables import EntryCheckRow, EntryFrameworkRow, EntryRow, RequirementRow

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

    from footnoted.store import Database

BATCH = 200
LARGEST = 64 << 20  # bytes of one file; NIST's whole catalogue is 10 MB
KNOWN = "NIST OSCAL catalogues and profiles (JSON), Prowler compliance files and Prowler check metadata"


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
    for table, column in (
        (EntryRow, EntryRow.id),
        (EntryFrameworkRow, EntryFrameworkRow.entry_id),
        (EntryCheckRow, EntryCheckRow.entry_id),
    ):
        await session.execute(delete(table).where(table.tenant == tenant, column.in_(gone)))
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
            rows[name, entry.provider, identity] = RequirementRow(
                tenant=tenant,
                name=name,
                provider=entry.provider,
                requirement=identity,
                key=requirement_key(identity),
                title=entry.title,
                text=entry.description,
                checks=list(entry.checks),
            )
    for row in rows.values():
        await session.merge(row)


def _merged(entry: KnowledgeEntry, before: Mapping[str, Any] | None) -> KnowledgeEntry:
    """A profile only says which controls it selects: what is known of them stays, its note is added."""
    if before is None or entry.origin != "oscal":
        return entry
    known = from_json(before)
    notes = tuple(dict.fromkeys((*known.notes, *entry.notes)))
    return replace(entry if entry.description else known, notes=notes)
