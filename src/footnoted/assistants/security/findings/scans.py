"""Which look of a scanner a finding was seen in, and what became of findings that a newer look lacks.

A scan is everything one import holds of one scanner and account; its time is the latest time in it. A file of the same
time is part of the same scan. Only a scan that covers the earlier one again says that what it lacks is gone: it has
nine tenths of its findings and of its checks, and something of every region and service. Whatever is less, and every
file of a feed (ASFF, single events), speaks of its own findings alone; of all others the earlier word is carried on,
and what comes in parts within one day is one look.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from uuid import uuid4

from sqlalchemy import select, text, update

from footnoted.assistants.security.rooms import transaction
from footnoted.assistants.security.tables import ScanRow

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

    from footnoted.store import Database

_UNTIMED = datetime(1970, 1, 1, tzinfo=UTC)
_AGAIN = 0.9  # of the earlier findings, and of their checks, a scan that covers the earlier one has again
_TELLING = 5  # earlier findings of a region or service of which a scan that looked there has at least one
Scope = tuple[str, str, str]  # scanner, provider, account


@dataclass(slots=True)
class _Scan:
    id: str
    taken_at: datetime = _UNTIMED
    partial: bool = False


class Scans:
    """The scans of one import, one a scanner and account; `finish` sets them in order among the earlier ones.

    ``complete`` is the word of whoever imports on whether the file holds whole scans; without it that is found out.
    """

    def __init__(self, database: Database, tenant: str, *, complete: bool | None = None) -> None:
        self._database, self._tenant, self._complete = database, tenant, complete
        self._scans: dict[Scope, _Scan] = {}
        self._feeds: set[Scope] = set()

    def of(self, scope: Scope, observed_at: datetime | None, *, feed: bool = False) -> str:
        """The id of the scan in which something was seen; ``feed``: it came alone, not as part of a scan."""
        scan = self._scans.get(scope)
        if scan is None:
            scan = self._scans[scope] = _Scan(uuid4().hex)
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
                if await _Finishing(session, self._tenant, scope, complete).finish(scan):
                    partial[scope[2]] = None
        return tuple(partial)


class _Finishing:
    """One scope's scans, brought in order within one transaction."""

    def __init__(self, session: AsyncSession, tenant: str, scope: Scope, complete: bool | None) -> None:
        self._session, self._complete = session, complete
        self._scope = dict(zip(("tenant", "scanner", "provider", "account"), (tenant, *scope), strict=True))

    async def finish(self, scan: _Scan) -> bool:
        """Keep the scan, or make it part of another; whether it spoke of a part of its scope only."""
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
            await self._add(scan)
        elif await self._merge(scan, same) and same.id == kept[0].id:
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

    async def _kept(self) -> list[_Scan]:
        """The scope's scans, the newest first."""
        wanted = [getattr(ScanRow, name) == value for name, value in self._scope.items()]
        columns = select(ScanRow.id, ScanRow.taken_at, ScanRow.partial)
        rows = await self._session.execute(columns.where(*wanted).order_by(ScanRow.taken_at.desc()))
        return [
            _Scan(row.id, row.taken_at if row.taken_at.tzinfo else row.taken_at.replace(tzinfo=UTC), row.partial)
            for row in rows
        ]

    async def _add(self, scan: _Scan) -> None:
        row = ScanRow(
            id=scan.id, **self._scope, taken_at=scan.taken_at, place=0, earlier="", later="", partial=scan.partial,
            imports=1,
        )  # fmt: skip
        self._session.add(row)
        await self._session.flush()

    async def _merge(self, scan: _Scan, into: _Scan) -> bool:
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
        values = {"taken_at": into.taken_at, "imports": ScanRow.imports + 1}
        await self._session.execute(update(ScanRow).where(ScanRow.id == into.id).values(**values))
        if into.partial and is_one_scan:  # together the files of one scan may cover what none of them does alone
            into.partial = not await self._covers(into, _newest_before(before, await self._kept()))
        return into.partial

    async def _date(self, scan: _Scan, earlier: _Scan | None) -> None:
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

    async def _covers(self, scan: _Scan, earlier: _Scan | None) -> bool:
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

    async def _settle(self, changed: _Scan) -> None:
        """Carry on, from the changed scan to the newest, what partial ones do not speak of."""
        scans = list(reversed(await self._kept()))
        first = next(place for place, scan in enumerate(scans) if scan.id == changed.id)
        scans[first].partial = changed.partial
        for place, scan in enumerate(scans[first:], first):
            earlier = scans[place - 1] if place else None
            if place == first + 1 and not scan.partial:
                scan.partial = not await self._covers(scan, earlier)
            await self._run(
                "UPDATE security_scans SET partial = :partial WHERE id = :id", partial=scan.partial, id=scan.id
            )
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
        ids = ["", *(scan.id for scan in await self._kept()), ""]
        for place, (later, identity, earlier) in enumerate(zip(ids, ids[1:], ids[2:], strict=False)):
            await self._run(
                "UPDATE security_scans SET place = :place, earlier = :earlier, later = :later WHERE id = :id",
                id=identity,
                place=place,
                earlier=earlier,
                later=later,
            )
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


def _newest_before(moment: datetime, newest_first: list[_Scan]) -> _Scan | None:
    return next((scan for scan in newest_first if scan.taken_at < moment), None)
