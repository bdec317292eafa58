"""What a later file does to findings it does not name: a whole scan resolves them, a part of one and a feed never do."""

import copy
import json
import random

import pytest

from footnoted.assistants.security import FindingFilters, FindingsService, Pagination
from footnoted.assistants.security.query.finding_query import FindingQuery, Where
from footnoted.assistants.security.query.running import run
from footnoted.assistants.security.query.vocabulary import vocabulary_of
from tests.assistants.security.conftest import EXAMPLES

PROWLER = json.loads((EXAMPLES / "prowler.ocsf.json").read_text())
HUB = json.loads((EXAMPLES / "security-hub.json").read_text())["Findings"]
EVERYTHING = FindingFilters(statuses=())


def scan(day, *, places=range(4), but=(), **statuses):
    """Ten checks in four places, as Prowler writes them on a day; ``but`` names what is left out."""
    found = []
    for place in places:
        for number, record in enumerate(PROWLER):
            name = f"{number}-{place}"
            if name in but:
                continue
            one = copy.deepcopy(record)
            one["finding_info"]["uid"] = f"uid-{name}"
            one["resources"][0] |= {"uid": f"arn:{name}", "name": f"r{name}", "region": f"eu-west-{place}"}
            one["time_dt"] = f"2026-11-{day:02}T06:00:00"
            one["status_code"] = statuses.get(f"s{number}_{place}", "FAIL")
            found.append(one)
    return found


def event(day, number, status="FAILED", **changes):
    """One finding of Security Hub, alone."""
    updated = {"UpdatedAt": f"2026-11-{day:02}T06:00:00Z", "Compliance": {"Status": status}}
    return {**HUB[0], "Id": f"arn:finding/{number}", "Title": f"Finding {number}", **updated, **changes}


async def take(database, records, **options):
    return await FindingsService(database).import_file("t", [json.dumps(records).encode()], **options)


async def open_now(database):
    page = await FindingsService(database).get_findings("t", FindingFilters(), Pagination(page_size=200))
    return {one.uid.removeprefix("uid-") for one in page}


async def changed(database, change):
    vocabulary = await vocabulary_of(database, "t")
    query = FindingQuery(select="list", where=Where(change=change), limit=200)
    return {one.resource for one in (await run(database, "t", query, vocabulary.today)).rows}


async def stood(database, day_or_place):
    vocabulary = await vocabulary_of(database, "t")
    query = FindingQuery(where=Where(scan=day_or_place))
    return (await run(database, "t", query, vocabulary.today)).findings


async def test_a_whole_scan_tells_what_is_gone_and_what_it_brought(either):
    """One of forty lacking, one passing, one new: each is told as what it is."""
    await take(either, scan(9, but=("9-3",)))
    report = await take(either, scan(16, but=("0-0",), s1_1="PASS"))
    assert report.partial == ()
    assert await open_now(either) == {f"{n}-{p}" for n in range(10) for p in range(4)} - {"0-0", "1-1"}
    assert await changed(either, "gone") == {"r0-0"}
    assert await changed(either, "fixed") == {"r1-1"}
    assert await changed(either, "new") == {"r9-3"}
    assert (await stood(either, "previous"), await stood(either, "latest")) == (39, 38)


@pytest.mark.parametrize(
    "part",
    [
        {"places": (0, 1, 2)},  # three of four regions
        {"but": {f"{n}-{p}" for n in range(7, 10) for p in range(4)}},  # seven of ten checks
        {"but": {f"{n}-{p}" for n in range(10) for p in (2, 3) if n}},  # every check again, most findings not
    ],
)
async def test_a_part_of_a_scan_resolves_nothing(database, part):
    """Findings of what it did not look at stay open, and what it says of its own counts."""
    await take(database, scan(9))
    report = await take(database, scan(16, s0_0="PASS", **part))
    assert report.partial == ("111122223333",)
    assert await open_now(database) == {f"{n}-{p}" for n in range(10) for p in range(4)} - {"0-0"}
    assert await changed(database, "gone") == set()
    assert await changed(database, "fixed") == {"r0-0"}
    assert (await stood(database, "previous"), await stood(database, "latest")) == (40, 39)


async def test_a_whole_scan_after_a_part_resolves_what_only_the_part_carried_on(database):
    """What was carried on is what the next whole scan is measured by."""
    await take(database, scan(9))
    await take(database, scan(12, places=(0,)))
    assert (await take(database, scan(16, but=("3-3",)))).partial == ()
    assert await changed(database, "gone") == {"r3-3"}


async def test_whoever_imports_may_say_that_a_file_is_whole_or_is_not(database):
    """Their word is taken: a small whole scan resolves, a nearly whole part does not."""
    await take(database, scan(9))
    assert (await take(database, scan(16, but=("0-0",)), complete=False)).partial
    assert len(await open_now(database)) == 40
    assert (await take(database, scan(20, places=(0,)), complete=True)).partial == ()
    assert len(await open_now(database)) == 10


async def test_a_scan_in_several_files_is_one_scan(database):
    """Each file alone is a part; together they cover the earlier scan, and what all of them lack is gone."""
    await take(database, scan(9))
    for place in range(4):
        report = await take(database, scan(16, places=(place,), but=("5-2",)))
    assert report.partial == ()
    assert await changed(database, "gone") == {"r5-2"}
    assert len(await open_now(database)) == 39


async def test_single_findings_of_a_feed_hide_no_others(either):
    """Twelve files of one finding each, in any order, over three days: all are open, each as its latest event says."""
    events = [event(9 + number % 3, number) for number in range(12)] + [event(12, 3, "PASSED")]
    random.Random(4).shuffle(events)
    for one in events:
        assert (await take(either, [one])).partial
    assert await open_now(either) == {f"arn:finding/{number}" for number in range(12)} - {"arn:finding/3"}
    assert await stood(either, "previous") == 12
    assert await stood(either, "latest") == 11


async def test_a_late_event_does_not_undo_a_later_one(database):
    """An older word that comes in late stands in its own day and not in the days after a newer word."""
    await take(database, [event(9, 1)])
    await take(database, [event(11, 1, "PASSED")])
    await take(database, [event(10, 1), event(10, 2)])
    assert await open_now(database) == {"arn:finding/2"}
    assert await stood(database, "previous") == 2


async def test_single_ocsf_findings_hide_no_others(database):
    """The same for Prowler's and others' OCSF records that come one by one."""
    for record in scan(9, places=(0,)):
        await take(database, record)
    for record in scan(10, places=(1,)):
        await take(database, record)
    assert len(await open_now(database)) == 20


async def test_a_scan_imported_late_takes_its_place_in_time(database):
    """The older file changes nothing of now, and is what the newer is compared with."""
    await take(database, scan(16, but=("0-0",)))
    await take(database, scan(9))
    assert len(await open_now(database)) == 39
    assert await changed(database, "gone") == {"r0-0"}


async def test_the_names_of_a_later_file_of_one_scan_are_known(database):
    """A question may name what the second file of a scan brought."""
    await take(database, scan(9, places=(0,)))
    assert "eu-west-1" not in (await vocabulary_of(database, "t")).regions
    await take(database, scan(9, places=(1,)))
    assert "eu-west-1" in (await vocabulary_of(database, "t")).regions


async def test_a_warning_kept_as_manual_is_one_after_the_migration(database):
    """A database of before counts what Security Hub warned of as checks by hand; those of others stay."""
    from sqlalchemy import text, update

    from footnoted.assistants.security.tables import MIGRATIONS, FindingRow, StateRow

    products = enumerate(("Security Hub", "Other"))
    await take(database, [event(1, number, "WARNING", ProductName=name) for number, name in products])
    async with database.session() as session:
        for table in (FindingRow, StateRow):
            await session.execute(update(table).values(status="manual"))
        await session.execute(text("UPDATE security_migrations SET version_num = '0005'"))
    await database.migrate(MIGRATIONS, name="security")
    vocabulary = await vocabulary_of(database, "t")
    for scanner, status in (("security-hub", "warning"), ("other", "manual")):
        query = FindingQuery(where=Where(scanner=[scanner], status=[]))
        assert (await run(database, "t", query, vocabulary.today)).statuses == {status: 1}
