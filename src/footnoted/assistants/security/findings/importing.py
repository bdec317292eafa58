"""A scanner's file and a tenant in; its findings kept, once each, and a report of what came of every record, out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

from footnoted.assistants.security.findings.finding import Finding
from footnoted.assistants.security.findings.identity import digest_of, identity_of, is_told_apart, rule_of
from footnoted.assistants.security.findings.reading import Read, findings_in
from footnoted.assistants.security.findings.records import BadRecord
from footnoted.assistants.security.findings.scans import Scans
from footnoted.assistants.security.names import requirement_key
from footnoted.assistants.security.rooms import transaction
from footnoted.assistants.security.tables import FindingRow, MappingRow, RuleFrameworkRow, RuleRow, StateRow
from footnoted.store.bulk import Upsert

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

    from footnoted.store import Database

BATCH = 500
MOST_PROBLEMS = 200  # told one by one; the rest is counted
_KNOWN_RULES = 20_000


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
    problems: list[BadRecord] = field(default_factory=list)
    severities: dict[str, int] = field(default_factory=dict)
    accounts: dict[str, int] = field(default_factory=dict)
    partial: tuple[str, ...] = ()  # accounts of which the file is no whole scan: what it does not name stands as before

    @property
    def kept(self) -> int:
        """Findings of this file that are in the store now."""
        return self.added + self.updated + self.unchanged

    def skip(self, line: int, reason: str) -> None:
        """Note a record that was left out."""
        self.skipped += 1
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(BadRecord(line, reason))

    def as_json(self) -> dict[str, Any]:
        """The report as JSON."""
        return {
            "format": self.format,
            **{
                name: getattr(self, name) for name in ("read", "added", "updated", "unchanged", "duplicates", "skipped")
            },
            "severities": self.severities,
            "accounts": self.accounts,
            "partial": list(self.partial),
            "problems": [{"line": one.line, "reason": one.reason} for one in self.problems],
        }


async def import_findings(
    database: Database,
    tenant: str,
    pieces: Iterable[bytes],
    *,
    accounts: frozenset[str] = frozenset(),
    complete: bool | None = None,
    progress: Callable[[ImportReport], None] | None = None,
) -> ImportReport:
    """Keep every finding of a file given in pieces. ``accounts``: if any are named, others' findings are left out.

    ``complete`` says whether the file holds whole scans, which tell what is gone, or parts of them; without a word
    on it that is found out (`Scans`). A file imported again changes nothing; a later scan updates what it sees again,
    an older one does not. Memory stays bounded however large the file is. Each batch is one transaction.
    """
    report = ImportReport()
    keeping = _Keeping(database, tenant, report, Scans(database, tenant, complete=complete))
    found = findings_in(pieces)
    try:
        await _keep_all(found, keeping, report, accounts, progress)
    finally:
        report.partial = await keeping.scans.finish()
    return report


async def _keep_all(
    found: Iterator[Read | BadRecord],
    keeping: _Keeping,
    report: ImportReport,
    accounts: frozenset[str],
    progress: Callable[[ImportReport], None] | None,
) -> None:
    def read() -> asyncio.Future[list[Read | BadRecord]]:
        return asyncio.ensure_future(asyncio.to_thread(lambda: list(islice(found, BATCH))))

    coming = read()
    writing: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    writing.set_result(None)
    try:
        while batch := await coming:
            coming = read()  # while this one is taken, and the one before is written
            for one in batch:
                if isinstance(one, BadRecord):
                    report.skip(one.line, one.reason)
                    continue
                report.read += 1
                report.format = report.format or one.format
                if accounts and one.finding.account not in accounts:
                    report.skip(one.line, f"is of account {one.finding.account or '(none)'}, which is not one of yours")
                    continue
                keeping.take(one)
            await writing
            writing = asyncio.ensure_future(keeping.write(keeping.taken()))
            if progress is not None:
                progress(report)
        await writing
        if progress is not None:
            progress(report)
    finally:
        await asyncio.gather(coming, writing, return_exceptions=True)  # whoever gave the file may close it now


@dataclass(frozen=True, slots=True)
class _Batch:
    """Findings to be written together, by their ids, with the rules that were not known before."""

    rules: dict[str, Finding] = field(default_factory=dict)
    findings: dict[str, tuple[str, str, Finding]] = field(default_factory=dict)  # id -> digest, rule, finding


class _Keeping:
    """The findings of one import on their way into the store, a batch at a time."""

    def __init__(self, database: Database, tenant: str, report: ImportReport, scans: Scans) -> None:
        self._database, self._tenant, self._report = database, tenant, report
        self._known_rules: set[str] = set()
        self.scans = scans
        self._batch = _Batch()
        self._seen: dict[str, tuple[str, float]] = {}  # id -> digest and time, of this file
        self._rules_in = Upsert(RuleRow.__table__, by=("id",))
        self._serving_in = Upsert(RuleFrameworkRow.__table__, by=("tenant", "framework", "rule_id"))
        self._mapped_in = Upsert(MappingRow.__table__, by=("rule_id", "name", "requirement"))
        self._findings_in = Upsert(FindingRow.__table__, by=("id",), kept=("tenant",))
        self._states_in = Upsert(StateRow.__table__, by=("scan_id", "finding_id"), kept=())

    def take(self, read: Read) -> None:
        """Take one finding into the batch; what the file already said is a duplicate."""
        finding = read.finding
        digest, rule = digest_of(finding), rule_of(self._tenant, finding)
        told = digest + rule
        seen_at = finding.observed_at.timestamp() if finding.observed_at else 0.0
        again, apart = 0, is_told_apart(finding)
        while True:
            identity = identity_of(self._tenant, finding, again=again)
            before = self._seen.get(identity)
            if before is None:
                break
            if not apart:
                again += 1
                continue
            if before[0] == told or seen_at < before[1]:
                self._report.duplicates += 1
                return
            if seen_at > before[1]:
                self._report.duplicates += 1  # a later word on the same finding takes its place
                break
            again += 1
        self._seen[identity] = told, seen_at
        if rule not in self._known_rules:
            self._batch.rules[rule] = finding
            if len(self._known_rules) < _KNOWN_RULES:
                self._known_rules.add(rule)
        self._batch.findings[identity] = digest, rule, finding

    def taken(self) -> _Batch:
        """What was taken since this was last asked for."""
        batch, self._batch = self._batch, _Batch()
        return batch

    async def write(self, batch: _Batch) -> None:
        """Write it, in one transaction."""
        if not batch.findings:
            return
        async with transaction(self._database) as session:
            await self._write_rules(session, batch.rules)
            await self._write_findings(session, batch.findings)

    async def _write_rules(self, session: AsyncSession, new: Mapping[str, Finding]) -> None:
        if not new:
            return
        rules = [
            {
                "id": identity,
                "tenant": self._tenant,
                "links": list(one.references),
                "frameworks": {key: list(ids) for key, ids in one.frameworks.items()},
                **{
                    name: getattr(one, name)
                    for name in ("check_id", "title", "description", "risk", "remediation", "remediation_cli")
                },
            }
            for identity, one in sorted(new.items())
        ]
        await self._rules_in.write(session, rules)
        serving = [
            {"tenant": self._tenant, "framework": framework, "rule_id": identity}
            for identity, one in sorted(new.items())
            for framework in one.frameworks
        ]
        await self._serving_in.write(session, serving)
        mapped = [
            {
                "tenant": self._tenant,
                "rule_id": identity,
                "name": name,
                "requirement": each,
                "key": requirement_key(each),
            }
            for identity, one in sorted(new.items())
            for name, ids in one.mappings.items()
            for each in ids or ("",)
        ]
        await self._mapped_in.write(session, mapped)

    async def _write_findings(self, session: AsyncSession, found: Mapping[str, tuple[str, str, Finding]]) -> None:
        from sqlalchemy import ARRAY, Text, any_, literal, select

        ids = list(found)
        # Hundreds of values of their own are compared one by one with every row where PostgreSQL scans the table.
        among = FindingRow.id.in_(ids) if self._database.is_sqlite else FindingRow.id == any_(literal(ids, ARRAY(Text)))
        rows = await session.execute(
            select(FindingRow.id, FindingRow.digest, FindingRow.rule_id, FindingRow.observed_at).where(among)
        )
        kept = {row.id: (row.digest, row.rule_id, row.observed_at) for row in rows}
        fresh = []
        report = self._report
        for identity, (digest, rule, finding) in sorted(found.items()):
            before = kept.get(identity)
            if before is None:
                report.added += 1
            elif before[:2] == (digest, rule) or not _is_later(finding.observed_at, before[2]):
                report.unchanged += 1
            else:
                report.updated += 1
            report.severities[finding.severity.value] = report.severities.get(finding.severity.value, 0) + 1
            report.accounts[finding.account] = report.accounts.get(finding.account, 0) + 1
            if before is None or _is_later(finding.observed_at, before[2]):
                fresh.append(self._row(identity, digest, rule, finding))
        await self._findings_in.write(session, fresh)
        states = [
            {
                "scan_id": self.scans.of(finding, feed=report.format == "asff"),
                "finding_id": identity,
                "status": finding.status,
                "severity": finding.severity.rank,
                "first_seen": _second(finding.first_seen),
                "carried": False,
            }
            for identity, (_, _, finding) in sorted(found.items())
        ]
        await self._states_in.write(session, states)

    def _row(self, identity: str, digest: str, rule: str, finding: Finding) -> dict[str, Any]:
        copied = (
            "uid", "check_id", "control_id", "service", "status", "scanner", "provider", "account", "region",
            "resource_id", "resource_name", "resource_type", "detail", "observed_at",
        )  # fmt: skip
        return {
            "id": identity,
            "tenant": self._tenant,
            "rule_id": rule,
            "digest": digest,
            "severity": finding.severity.rank,
            "account_name": finding.account_name or finding.account,
            "family": finding.group or finding.service,
            "tags": enclosed(finding.tags),
            "categories": enclosed(finding.categories),
            "first_seen": _second(finding.first_seen),
            "seen_in": self.scans.of(finding),
            "current": True,
            **{name: getattr(finding, name) for name in copied},
        }


def _second(value: datetime | None) -> str:
    return value.strftime("%Y-%m-%dT%H:%M:%S") if value is not None else ""


def enclosed(words: Sequence[str]) -> str:
    r"""Words as one text in which each is found whole.

    >>> enclosed(("env:prod", "team:web"))
    '\nenv:prod\nteam:web\n'
    """
    return "\n" + "\n".join(words) + "\n" if words else ""


def _is_later(new: datetime | None, old: datetime | None) -> bool:
    """Whether what was seen at ``new`` may replace what was seen at ``old``; without a time, the last file wins."""
    if new is None or old is None:
        return True
    # SQLite keeps no zone; all times here are UTC.
    return (new if new.tzinfo else new.replace(tzinfo=UTC)) >= (old if old.tzinfo else old.replace(tzinfo=UTC))
