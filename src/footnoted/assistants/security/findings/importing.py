"""A scanner's file kept: each of its findings once, and a report of what came of every record."""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import ARRAY, Text, any_, literal, select

from footnoted.assistants.security.findings.records import BadRecord
from footnoted.assistants.security.findings.scans import Scans
from footnoted.assistants.security.findings.taking import Batch, Row, batches
from footnoted.assistants.security.names import requirement_key
from footnoted.assistants.security.rooms import transaction
from footnoted.assistants.security.severity import of_rank
from footnoted.assistants.security.tables import FindingRow, MappingRow, RuleFrameworkRow, RuleRow, StateRow
from footnoted.store.bulk import Upsert

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

    from footnoted.assistants.security.findings.finding import Finding
    from footnoted.store import Database

MOST_PROBLEMS = 200  # told one by one; the rest is counted
_SAID = ("check_id", "title", "description", "risk", "remediation", "remediation_cli")  # of a rule


@dataclass(slots=True)
class ImportReport:
    """What came of a file: how many records were kept and how, and each one that was not, with its line."""

    format: str = ""
    read: int = 0
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    duplicates: int = 0
    skipped: int = 0
    severities: dict[str, int] = field(default_factory=dict)
    accounts: dict[str, int] = field(default_factory=dict)
    partial: tuple[str, ...] = ()  # accounts of which the file is no whole scan: what it does not name stands as before
    problems: list[BadRecord] = field(default_factory=list)

    @property
    def kept(self) -> int:
        """Findings of this file that are in the store now."""
        return self.added + self.updated + self.unchanged

    def take(self, batch: Batch) -> None:
        """Note what a batch of the file holds, before it is kept."""
        self.format = self.format or batch.format
        self.read += batch.read
        self.duplicates += batch.duplicates
        self.skipped += len(batch.left_out)
        self.problems.extend(batch.left_out[: MOST_PROBLEMS - len(self.problems)])

    def as_json(self) -> dict[str, Any]:
        """The report as JSON."""
        return {**asdict(self), "partial": list(self.partial)}


async def import_findings(
    database: Database,
    tenant: str,
    pieces: Iterable[bytes],
    *,
    accounts: frozenset[str] = frozenset(),
    complete: bool | None = None,
) -> ImportReport:
    """Keep every finding of a file given in pieces. ``accounts``: if any are named, others' findings are left out.

    ``complete`` says whether the file holds whole scans, which tell what is gone, or parts of them; without a word
    on it that is found out (`Scans`). A file imported again changes nothing; a later scan updates what it sees again,
    an older one does not. Memory stays bounded however large the file is. Each batch is one transaction.
    """
    report = ImportReport()
    keeping = _Keeping(database, tenant, report, Scans(database, tenant, complete=complete))
    try:
        await _keep_all(batches(pieces, tenant, accounts), keeping)
    finally:
        report.partial = await keeping.scans.finish()
    return report


async def _keep_all(found: Generator[Batch], keeping: _Keeping) -> None:
    """Write each batch while the next one is read."""

    def read() -> asyncio.Future[Batch | None]:
        return asyncio.ensure_future(asyncio.to_thread(next, found, None))

    coming = read()
    writing: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    writing.set_result(None)
    try:
        while batch := await coming:
            coming = read()  # while this one and the one before are written
            keeping.report.take(batch)
            await writing
            writing = asyncio.ensure_future(keeping.write(batch))
        await writing
    finally:
        await asyncio.gather(coming, writing, return_exceptions=True)
        await asyncio.to_thread(found.close)  # whoever gave the file may close it now


class _Keeping:
    """The findings of one import on their way into the store, a batch at a time."""

    def __init__(self, database: Database, tenant: str, report: ImportReport, scans: Scans) -> None:
        self._database, self._tenant = database, tenant
        self.report, self.scans = report, scans
        self._rules_in = Upsert(RuleRow.__table__, ("id", "tenant", "links", "frameworks", *_SAID), by=("id",))
        served = ("tenant", "framework", "rule_id")
        self._serving_in = Upsert(RuleFrameworkRow.__table__, served, by=served)
        mapped = ("rule_id", "name", "requirement")
        self._mapped_in = Upsert(MappingRow.__table__, (*mapped, "tenant", "key"), by=mapped)
        columns = (*Row._fields, "tenant", "seen_in", "current")
        self._findings_in = Upsert(FindingRow.__table__, columns, by=("id",), kept=("tenant",))
        seen = ("scan_id", "finding_id")
        of_state = (*seen, "status", "severity", "first_seen", "carried")
        self._states_in = Upsert(StateRow.__table__, of_state, by=seen, kept=())

    async def write(self, batch: Batch) -> None:
        """Write it, in one transaction."""
        if not batch.rows:
            return
        async with transaction(self._database) as session:
            await self._write_rules(session, sorted(batch.rules.items()))
            await self._write_findings(session, [row for _, row in sorted(batch.rows.items())])

    async def _write_rules(self, session: AsyncSession, new: Sequence[tuple[str, Finding]]) -> None:
        tenant = self._tenant
        rules = [
            (
                rule,
                tenant,
                list(finding.references),
                {key: list(ids) for key, ids in finding.frameworks.items()},
                *(getattr(finding, name) for name in _SAID),
            )
            for rule, finding in new
        ]
        await self._rules_in.write(session, rules)
        serving = [(tenant, framework, rule) for rule, finding in new for framework in finding.frameworks]
        await self._serving_in.write(session, serving)
        mapped = [
            (rule, name, requirement, tenant, requirement_key(requirement))
            for rule, finding in new
            for name, requirements in finding.mappings.items()
            for requirement in requirements or ("",)
        ]
        await self._mapped_in.write(session, mapped)

    async def _write_findings(self, session: AsyncSession, found: Sequence[Row]) -> None:
        ids = [row.id for row in found]
        # Hundreds of values of their own are compared one by one with every row where PostgreSQL scans the table.
        among = FindingRow.id.in_(ids) if self._database.is_sqlite else FindingRow.id == any_(literal(ids, ARRAY(Text)))
        rows = await session.execute(
            select(FindingRow.id, FindingRow.digest, FindingRow.rule_id, FindingRow.observed_at).where(among)
        )
        kept = {row.id: (row.digest, row.rule_id, row.observed_at) for row in rows}
        fresh, states = [], []
        report = self.report
        for row in found:
            before = kept.get(row.id)
            later = before is None or _is_later(row.observed_at, before[2])
            if before is None:
                report.added += 1
            elif before[:2] == (row.digest, row.rule_id) or not later:
                report.unchanged += 1
            else:
                report.updated += 1
            severity = of_rank(row.severity).value
            report.severities[severity] = report.severities.get(severity, 0) + 1
            report.accounts[row.account] = report.accounts.get(row.account, 0) + 1
            scope = (row.scanner, row.provider, row.account)
            scan = self.scans.of(scope, row.observed_at, feed=report.format == "asff")
            if later:
                fresh.append((*row, self._tenant, scan, True))
            states.append((scan, row.id, row.status, row.severity, row.first_seen, False))
        await self._findings_in.write(session, fresh)
        await self._states_in.write(session, states)


def _is_later(new: datetime | None, old: datetime | None) -> bool:
    """Whether what was seen at ``new`` may replace what was seen at ``old``; without a time, the last file wins."""
    if new is None or old is None:
        return True
    # SQLite keeps no zone; all times here are UTC.
    return (new if new.tzinfo else new.replace(tzinfo=UTC)) >= (old if old.tzinfo else old.replace(tzinfo=UTC))
