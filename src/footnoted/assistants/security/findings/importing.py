"""A scanner's file kept: each of its findings once, in which scan it was seen, and what a newer scan lacks.

A scan is everything one import holds of one scanner and account; its time is the latest time in it. A file of the same
time is part of the same scan. Only a scan that covers the earlier one again says that what it lacks is gone: it has
nine tenths of its findings and of its checks, and something of every region and service. Whatever is less, and every
file of a feed (ASFF, single events), speaks of its own findings alone; of all others the earlier word is carried on,
and what comes in parts within one day is one look.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from sqlalchemy import ARRAY, Text, any_, literal, select, text

from footnoted.assistants.security.findings.records import BadRecord
from footnoted.assistants.security.findings.taking import Batch, Row, batches
from footnoted.assistants.security.names import requirement_key
from footnoted.assistants.security.severity import of_rank
from footnoted.assistants.security.tables import (
    FindingRow,
    MappingRow,
    RuleFrameworkRow,
    RuleRow,
    ScanRow,
    StateRow,
    transaction,
)
from footnoted.store.bulk import Upsert

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

    from footnoted.assistants.security.findings.finding import Finding
    from footnoted.store import Database

MOST_PROBLEMS = 200  # told one by one; the rest is counted
_SAID = ("check_id", "title", "description", "risk", "remediation", "remediation_cli")  # of a rule
_UNTIMED = datetime(1970, 1, 1, tzinfo=UTC)
_AGAIN = 0.9  # of the earlier findings, and of their checks, a scan that covers the earlier one has again
_TELLING = 5  # earlier findings of a region or service of which a scan that looked there has at least one
Scope = tuple[str, str, str]  # scanner, provider, account


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
        rules = []
        for rule, finding in new:
            frameworks = {key: list(ids) for key, ids in finding.frameworks.items()}
            said = (getattr(finding, name) for name in _SAID)
            rules.append((rule, tenant, list(finding.references), frameworks, *said))
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
        columns = (FindingRow.id, FindingRow.digest, FindingRow.rule_id, FindingRow.observed_at)
        kept = {row.id: row for row in await session.execute(select(*columns).where(among))}
        fresh, states = [], []
        report = self.report
        for row in found:
            before = kept.get(row.id)
            seen, known = row.observed_at, None if before is None else before.observed_at
            later = seen is None or known is None or seen >= known  # without a time, the last file wins
            if before is None:
                report.added += 1
            elif (before.digest, before.rule_id) == (row.digest, row.rule_id) or not later:
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


class Scans:
    """The scans of one import, one a scanner and account; `finish` sets them in order among the earlier ones.

    ``complete`` is the word of whoever imports on whether the file holds whole scans; without it that is found out.
    """

    def __init__(self, database: Database, tenant: str, *, complete: bool | None = None) -> None:
        self._database, self._tenant, self._complete = database, tenant, complete
        self._scans: dict[Scope, ScanRow] = {}
        self._feeds: set[Scope] = set()

    def of(self, scope: Scope, observed_at: datetime | None, *, feed: bool = False) -> str:
        """The id of the scan in which something was seen; ``feed``: it came alone, not as part of a scan."""
        scan = self._scans.get(scope)
        if scan is None:
            names = dict(zip(("scanner", "provider", "account"), scope, strict=True))
            scan = ScanRow(
                id=uuid4().hex, tenant=self._tenant, **names, taken_at=_UNTIMED, place=0, earlier="", later="",
                partial=False, imports=1,
            )  # fmt: skip
            self._scans[scope] = scan
        if feed:
            self._feeds.add(scope)
        if observed_at is not None and observed_at > scan.taken_at:
            scan.taken_at = observed_at
        return scan.id

    async def finish(self) -> tuple[str, ...]:
        """Give every scan its time and place; the accounts of which this import spoke in part only."""
        partial: dict[str, None] = {}
        for scope, scan in self._scans.items():
            complete = False if scope in self._feeds and self._complete is None else self._complete
            async with transaction(self._database) as session:
                if await _Finishing(session, scan, complete).finish():
                    partial[scan.account] = None
        return tuple(partial)


class _Finishing:
    """One scope's scans, brought in order within one transaction."""

    def __init__(self, session: AsyncSession, scan: ScanRow, complete: bool | None) -> None:
        self._session, self._scan, self._complete = session, scan, complete
        self._scope = {name: getattr(scan, name) for name in ("tenant", "scanner", "provider", "account")}

    async def finish(self) -> bool:
        """Keep the scan, or make it part of another; whether it spoke of a part of its scope only."""
        scan = self._scan
        await self._alone()
        kept = await self._kept()
        earlier = _newest_before(scan.taken_at, kept)
        same = next((one for one in kept if one.taken_at == scan.taken_at), None)
        if same is None:
            scan.partial = self._complete is False or not await self._covers(scan, earlier)
            if scan.partial:  # in parts within one day
                same = next((one for one in kept if one.partial and one.taken_at.date() == scan.taken_at.date()), None)
        await self._date(scan, same or earlier)
        if same is None:
            self._session.add(scan)
        elif await self._merge(scan, same) and same is kept[0]:
            return True  # what is new in it is current already, and of the rest nothing changed
        await self._settle(same or scan)
        await self._order()
        return (same or scan).partial

    async def _alone(self) -> None:
        """Two imports of one scope bring its scans in order one after the other."""
        if self._session.get_bind().dialect.name == "postgresql":
            name = "footnoted:scans:" + "|".join(self._scope.values())
            await self._run("SELECT pg_advisory_xact_lock(hashtext(:name))", name=name)
        else:  # the first write takes the file's lock
            await self._run("UPDATE security_scans SET place = place WHERE id = :none", none="")

    async def _kept(self) -> Sequence[ScanRow]:
        """The scope's scans, the newest first."""
        scans = select(ScanRow).filter_by(**self._scope).order_by(ScanRow.taken_at.desc())
        return (await self._session.scalars(scans)).all()

    async def _merge(self, scan: ScanRow, into: ScanRow) -> bool:
        """Make a scan part of another; whether that was a partial one before, and stays one."""
        ids = {"new": scan.id, "kept": into.id}
        if scan.taken_at != into.taken_at:  # of what was said already the later word stands
            await self._run(
                "DELETE FROM security_states WHERE scan_id = :new"
                " AND finding_id IN (SELECT id FROM security_findings WHERE seen_in = :kept)",
                **ids,
            )
        await self._run(
            "DELETE FROM security_states WHERE scan_id = :kept"
            " AND finding_id IN (SELECT finding_id FROM security_states WHERE scan_id = :new)",
            **ids,
        )
        await self._run("UPDATE security_states SET scan_id = :kept WHERE scan_id = :new", **ids)
        await self._run("UPDATE security_findings SET seen_in = :kept WHERE seen_in = :new", **ids)
        is_one_scan = scan.taken_at == into.taken_at and self._complete is not False
        before, into.taken_at = into.taken_at, max(scan.taken_at, into.taken_at)
        into.imports += 1
        if into.partial and is_one_scan:  # together the files of one scan may cover what none of them does alone
            into.partial = not await self._covers(into, _newest_before(before, await self._kept()))
        return into.partial

    async def _date(self, scan: ScanRow, earlier: ScanRow | None) -> None:
        """Since when what the scanner gave no date for has stood so: since the first scan in a row that says so."""
        await self._run(
            "UPDATE security_states SET first_seen = coalesce((SELECT e.first_seen FROM security_states AS e"
            " WHERE e.scan_id = :earlier AND e.finding_id = security_states.finding_id"
            " AND e.status = security_states.status), :day) WHERE scan_id = :id AND first_seen = ''",
            id=scan.id,
            earlier=earlier.id if earlier else "",
            day=scan.taken_at.strftime("%Y-%m-%dT%H:%M:%S"),
        )
        await self._run(
            "UPDATE security_findings SET first_seen = (SELECT e.first_seen FROM security_states AS e"
            " WHERE e.scan_id = :id AND e.finding_id = security_findings.id)"
            " WHERE seen_in = :id AND first_seen = ''",
            id=scan.id,
        )

    async def _covers(self, scan: ScanRow, earlier: ScanRow | None) -> bool:
        """Whether a scan looked again at all the earlier one knew, so that what it lacks is gone."""
        if earlier is None or self._complete:
            return True
        # Each kind of name with how many earlier findings bear it, and how many of these are here again.
        counted = await self._session.execute(
            text(
                "SELECT f.check_id, f.region, f.family, count(*) AS had, count(n.finding_id) AS again"
                " FROM security_states AS e JOIN security_findings AS f ON f.id = e.finding_id"
                " LEFT JOIN security_states AS n ON n.scan_id = :new AND n.finding_id = e.finding_id AND NOT n.carried"
                " WHERE e.scan_id = :earlier GROUP BY f.check_id, f.region, f.family"
            ),
            {"new": scan.id, "earlier": earlier.id},
        )
        totals: dict[tuple[str, str], list[int]] = {}
        for check, region, family, had, again in counted:
            for kind, name in (("all", ""), ("check", check), ("region", region), ("service", family)):
                total = totals.setdefault((kind, name), [0, 0])
                total[0] += had
                total[1] += again
        checks = [again > 0 for (kind, _), (_, again) in totals.items() if kind == "check"]
        looked = all(again or had < _TELLING for (kind, _), (had, again) in totals.items() if kind != "check")
        had, again = totals.get(("all", ""), [0, 0])
        return looked and again >= _AGAIN * had and sum(checks) >= _AGAIN * len(checks)

    async def _settle(self, changed: ScanRow) -> None:
        """Carry on, from the changed scan to the newest, what partial ones do not speak of."""
        scans = [*reversed(await self._kept())]
        first = scans.index(changed)
        for place, scan in enumerate(scans[first:], first):
            earlier = scans[place - 1] if place else None
            if place == first + 1 and not scan.partial:
                scan.partial = not await self._covers(scan, earlier)
            if not scan.partial:
                await self._run("DELETE FROM security_states WHERE scan_id = :id AND carried", id=scan.id)
            elif earlier is not None:
                await self._run(
                    "INSERT INTO security_states (scan_id, finding_id, status, severity, first_seen, carried)"
                    " SELECT CAST(:into AS varchar), e.finding_id, e.status, e.severity, e.first_seen, :yes"
                    " FROM security_states AS e WHERE e.scan_id = :earlier"
                    " ON CONFLICT (scan_id, finding_id) DO UPDATE SET status = excluded.status,"
                    " severity = excluded.severity, first_seen = excluded.first_seen WHERE security_states.carried",
                    into=scan.id, earlier=earlier.id, yes=True,
                )  # fmt: skip

    async def _order(self) -> None:
        """Number the scans from the newest, and say of each finding whether the newest has it."""
        scans = await self._kept()
        ids = ["", *(scan.id for scan in scans), ""]
        for place, scan in enumerate(scans):
            scan.place, scan.later, scan.earlier = place, ids[place], ids[place + 2]
        of_scope = " AND ".join(f"{name} = :{name}" for name in self._scope)
        # What an import under way has written is of a scan that is not among these yet, and is left to that import.
        known = f"seen_in IN (SELECT id FROM security_scans WHERE {of_scope})"  # noqa: S608 — values are bound
        newest = "SELECT finding_id FROM security_states WHERE scan_id = :newest"
        for current, among in ((True, f"id IN ({newest})"), (False, f"id NOT IN ({newest}) AND {known}")):
            await self._run(
                f"UPDATE security_findings SET current = :current WHERE {of_scope} AND current <> :current AND {among}",  # noqa: S608
                current=current,
                newest=ids[1],
            )

    async def _run(self, statement: str, **values: object) -> None:
        await self._session.execute(text(statement), {**self._scope, **values})


def _newest_before(moment: datetime, newest_first: Sequence[ScanRow]) -> ScanRow | None:
    return next((scan for scan in newest_first if scan.taken_at < moment), None)
