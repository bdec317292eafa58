"""What groups hold: bounds, none, each of several, averages and rates, counted in real rows and told in words."""

from collections import Counter

import pytest

from footnoted.assistants.security.query.finding_query import FindingQuery, Having, Where
from footnoted.assistants.security.query.running import run
from footnoted.assistants.security.query.vocabulary import vocabulary_of
from footnoted.assistants.security.query.wording import chips_of, words_of
from tests.assistants.security.conftest import advisor_on
from tests.assistants.security.estate import ACCOUNTS, DAYS, REGIONS, TODAY, rows, take_in

BY = {"account": "account", "region": "region", "service": "service", "check": "check"}


@pytest.fixture
async def estate(database):
    """Two scans of two accounts."""
    await take_in(database)
    return database


@pytest.fixture
async def vocabulary(estate):
    """The names of the estate."""
    return await vocabulary_of(estate, "clinic")


def counted(by, **where):
    """How many open findings each group has, in the records; what has none is there, too."""
    names = {one[by] for one in rows(status="")}
    found = Counter(one[by] for one in rows(**where))
    return {name: found[name] for name in names}


@pytest.mark.parametrize("by", [*BY, "resource"])
@pytest.mark.parametrize(
    ("bound", "holds"),
    [
        (Having(at_least=2), lambda n: n >= 2), (Having(at_most=0), lambda n: n == 0), (Having(at_most=1), lambda n: n < 2),
        (Having(at_least=1, at_most=2), lambda n: 0 < n < 3), (Having(at_least=0), lambda n: True),
    ],
)  # fmt: skip
async def test_groups_that_hold_so_many_are_those_of_the_records(estate, by, bound, holds):
    """Counted in SQL as a few lines count it; where no least is asked for, groups that hold none are among them."""
    query = FindingQuery(select="group", group_by=by, where=Where(severity=["high"]), having=bound)
    result = await run(estate, "clinic", query, TODAY)
    wanted = sorted(n for n in counted(by, severity="high").values() if holds(n))
    if by != "resource":  # a resource of one id is one in each account
        assert sorted(n for _, _, n in result.groups) == wanted
        assert result.kinds == len(counted(by))
    assert all(holds(n) for _, _, n in result.groups)


@pytest.mark.parametrize("by", ["tag:team", "category", "requirement", "provider", "scanner", "resource_type"])
async def test_every_kind_of_group_has_bounds(estate, by):
    """Also those whose keys are parted when they are read, and those that checks are mapped to."""
    where = Where(framework="HIPAA") if by == "requirement" else Where()
    plain = await run(estate, "clinic", FindingQuery(select="group", group_by=by, where=where), TODAY)
    most = max(n for _, _, n in plain.groups)
    bounded = FindingQuery(select="group", group_by=by, where=where, having=Having(at_least=most))
    result = await run(estate, "clinic", bounded, TODAY)
    assert result.groups == tuple(one for one in plain.groups if one[2] >= most)


async def test_what_has_none_of_what_changed_is_told(estate):
    """Of a change, the groups of the scan it is seen from."""
    query = FindingQuery(select="group", group_by="region", where=Where(change="fixed"), having=Having(at_most=0))
    result = await run(estate, "clinic", query, TODAY)
    assert [key for key, _, _ in result.groups] == ["us-east-1"]


@pytest.mark.parametrize(
    ("question", "by", "having"),
    [
        ("Which services have more than 3 open findings?", "service", {"at_least": 4}),
        ("accounts with at least 3 high findings", "account", {"at_least": 3}),
        ("regions that have seven or more highs", "region", {"at_least": 7}),
        ("How many checks have fewer than 5 findings?", "check", {"at_most": 4}),
        ("services with at most 2 criticals", "service", {"at_most": 2}),
        ("regions with exactly 3 highs", "region", {"at_least": 3, "at_most": 3}),
        ("accounts with 3 highs", "account", {"at_least": 3, "at_most": 3}),
        ("accounts with ≥ 3 highs", "account", {"at_least": 3}),
        ("Which regions have no highs?", "region", {"at_most": 0}),
        ("any account without criticals?", "account", {"at_most": 0}),
        ("Which accounts don't have any criticals?", "account", {"at_most": 0}),
        ("which regions dont have highs", "region", {"at_most": 0}),
        ("accounts without findings", "account", {"at_most": 0}),
        ("Which resources have no findings?", "resource", {"at_most": 0}),
        ("regions with nothing open", "region", {"at_most": 0}),
        ("Which services are free of problems?", "service", {"at_most": 0}),
        ("every account, any cloud, with zero criticals", "account", {"at_most": 0}),
        ("Which resources have both a critical and a high finding?", "resource", {"every": "severity"}),
        ("resources with a critical and a high at the same time", "resource", {"every": "severity"}),
        ("Which checks fail in every account?", "check", {"every": "account"}),
        ("Which checks fail in all two accounts?", "check", {"every": "account"}),
        ("HIPAA requirements with more than 3 open findings", "requirement", {"at_least": 4}),
    ],
)
async def test_bounds_are_read(asked, vocabulary, question, by, having):
    """A bound behind what is grouped, by a number, a word that denies, or one that joins; shown as a chip."""
    reading = asked(question)
    query = reading.query
    assert (query.select, query.group_by, query.as_json()["having"]) == ("group", by, having)
    assert (reading.unfit, reading.reason, query.without()) == ([], "", {})
    assert any(chip["field"] == "having" and chip["value"] == having for chip in chips_of(query, vocabulary))
    assert " · with " in words_of(query, vocabulary)


@pytest.mark.parametrize(
    "question",
    [
        "Which accounts have more than 3 sprints?", "findings in accounts with more than 3 highs",
        "Which checks fail in all 7 accounts?", "Which accounts passed everything?", "Which checks never failed?",
        "How many findings are in both eu-west-1 and HIPAA at the same time as in us-east-1?",
    ],
)  # fmt: skip
async def test_a_bound_of_something_else_is_told(asked, question):
    """A bound of what no field counts, of what must first be looked for, and a number that is not true."""
    reading = asked(question)
    assert reading.unfit or reading.unused or reading.reason


async def test_each_of_two_is_met_by_one_resource(estate, asked, vocabulary):
    """A critical and a high of one resource are not a critical or a high."""
    query = asked("Which accounts have both a critical and a high finding?").query
    result = await run(estate, "clinic", query, TODAY)
    either = [{one["account"] for one in rows(severity=severity)} for severity in ("critical", "high")]
    assert {vocabulary.accounts[key] for key, _, _ in result.groups} == either[0] & either[1]
    every = await run(estate, "clinic", asked("Which checks fail in every account?").query, TODAY)
    told = {key for key, _, _ in every.groups}
    assert told == {
        check for check in {one["check"] for one in rows()}
        if len({one["account"] for one in rows(check=check)}) == len(ACCOUNTS)
    }  # fmt: skip


async def test_an_average_is_of_all_there_are(estate, asked):
    """How many one has on average, with those that have none; days only where days are asked for."""
    total = len(rows())
    for question in ("average number of open findings per region", "How many findings does a region have on average?"):
        text = (await advisor_on(estate).answer(question, None, "clinic")).response.response
        assert f"On average {total / len(REGIONS):.1f} per region" in text
        assert "median" not in text
    assert asked("What is the average age of highs?").query.select == "age"
    assert asked("median number of findings per account").unfit
    assert asked("How many findings on average?").unfit


async def test_pass_rates_are_told_by_group(estate):
    """Each with what it is made of, the first as the question has it: the worst by failures is the worst by passes."""
    rates = {}
    for region in REGIONS:
        passed, failed = (len(rows(status=status, region=region)) for status in ("pass", "fail"))
        passing = 100 * passed / (passed + failed)
        rates[region] = f"{region}: {passing:.1f} % pass, {100 - passing:.1f} % fail ({passed} passed, {failed} open)"
    lowest, highest = sorted(REGIONS, key=lambda region: float(rates[region].split()[1]))
    for question, first in (
        ("Which region has the worst pass rate?", lowest),
        ("Which region has the lowest pass rate?", lowest),
        ("Which region has the highest failure rate?", lowest),
        ("Which region has the best pass rate?", highest),
        ("Which region has the lowest share of failed checks?", highest),
    ):
        text = (await advisor_on(estate).answer(question, None, "clinic")).response.response
        assert all(each in text for each in rates.values())
        assert text.index(rates[first]) == min(map(text.index, rates.values())), question


async def test_a_share_of_what_is_grave_is_told(asked):
    """Of the open criticals, what percent: the whole is a severity."""
    query = asked("of the open highs, what percent is S3?").query
    assert (query.group_by, query.measure, query.where.severity) == ("service", "share", ["high"])


async def test_two_scans_are_set_side_by_side(estate):
    """Each named by its day, each counted as it stood."""
    question = f"highs on {DAYS[0]} versus highs on {DAYS[1]}"
    text = (await advisor_on(estate).answer(question, None, "clinic")).response.response
    for day in DAYS:
        assert f"the scan of {day}: {len(rows(day, severity='high'))} open findings" in text


@pytest.mark.parametrize(
    ("words", "days"),
    [("half a year", 184), ("a year and a half", 549), ("a quarter", 92), ("two quarters", 184), ("half a month", 15)],
)
async def test_parts_of_a_period_are_counted_by_the_calendar(asked, words, days):
    """Half a year is six months, a quarter three."""
    reading = asked(f"findings open for more than {words}")
    assert (reading.query.where.open_for_more_than, reading.unfit, reading.unused) == (days, [], [])


@pytest.mark.parametrize(
    "then", ["just the high ones", "only high ones", "and the high ones?", "just the highs", "only the highs please"]
)
async def test_the_ones_are_those_asked_for_before(asked, then):
    """What it narrows to replaces that field; other fields, groups and bounds stay."""
    base = asked("open S3 findings by account")
    query = asked(then, base).query
    assert (query.select, query.group_by, query.where.service) == ("group", "account", base.query.where.service)
    assert query.where.severity == ["high"]
    bounded = asked(then, asked("accounts with more than 2 findings")).query
    assert (bounded.having.at_least, bounded.where.severity) == (3, ["high"])


@pytest.mark.parametrize("then", ["and the three after that?", "the next three"])
async def test_the_next_of_a_ranking_are_told(estate, asked, then):
    """A ranking has pages as a list has."""
    base = asked("top 3 checks by open findings")
    query = asked(then, base).query
    assert (query.select, query.group_by, query.offset, query.limit) == ("group", "check", 3, 3)
    told = (await run(estate, "clinic", base.query, TODAY)).groups
    text = (await advisor_on(estate).answer(then, None, "clinic", [("top 3 checks by open findings", "…")])).response
    assert told[3][0] in text.response
    assert f"- {told[0][0]}: " not in text.response


@pytest.mark.parametrize(
    ("words", "severities"),
    [
        ("medium and up", "critical high medium"),
        ("high severity and above", "critical high"),
        ("medium findings or worse", "critical high medium"),
        ("from high up", "critical high"),
        ("high and everything below", "high medium low informational"),
        ("low to high", "high medium low"),
        ("between low and high", "high medium low"),
        ("high and medium", "high medium"),
    ],
)
async def test_a_range_of_severity_is_whole(asked, words, severities):
    """Wherever the bound stands; what bounds nothing is told."""
    query = asked(f"How many {words} are open?").query
    assert sorted(query.where.severity) == sorted(severities.split())
    assert "up" in asked("highs up in eu-west-1").unused


async def test_a_part_of_a_name_beside_the_whole_is_that_account(asked, vocabulary):
    """One account named in full is no other, whatever else of its words is a part of others."""
    (prod,) = [key for key, name in vocabulary.accounts.items() if name == "clinic-prod"]
    for question in ("clinic account only (clinic-prod): how many highs?", "prod clinic account: how many highs?"):
        reading = asked(question)
        assert (reading.query.where.account, reading.choices) == ([prod], [])


async def test_who_owns_is_the_tag_and_may_be_denied(asked):
    """Of "teamed by", where a tag's key is "team": neither that account nor that tag."""
    query = asked("highs that are neither in clinic-prod nor teamed by web").query
    assert query.exclude.tag == ["team:web"]
    assert len(query.exclude.account) == 1


@pytest.mark.parametrize("then", ["what about {}?", "How about {}?", "and for {}?", "ok and for {}?", "great, only {}"])
@pytest.mark.parametrize("name", ["eu-west-1", "clinic-labs"])
async def test_a_follow_up_keeps_how_the_answer_is_grouped(asked, then, name):
    """It asks the same of something else; another answer, a list of all, would be silent of what it left out."""
    before = asked("pass rate per service")
    query = asked(then.format(name), before).query
    shape = ("select", "group_by", "measure", "order_by")
    assert [getattr(query, one) for one in shape] == [getattr(before.query, one) for one in shape]
    assert name in query.where.region or query.where.account


async def test_a_follow_up_turns_the_order_round(asked):
    """Asked for the fewest behind the most, the groups are the same."""
    query = asked("and the fewest?", asked("which service has the most open findings?")).query
    assert (query.select, query.group_by, query.order_by) == ("group", "service", "fewest")


async def test_what_has_none_is_named_where_the_fewest_are_asked_for(estate):
    """Groups are of what was found: what has nothing at all has the fewest, and is none of them."""
    services = {one["service"] for one in rows(status="")}
    critical = {one["service"] for one in rows(severity="critical")}
    for question in ("Which service has the fewest critical findings?", "which service is doing best on criticals?"):
        text = (await advisor_on(estate).answer(question, None, "clinic")).response.response
        (told,) = [line for line in text.splitlines() if "None at all" in line]
        assert all(one in told for one in services - critical)
        assert not any(one in told for one in critical)


@pytest.mark.parametrize("question", ["what is the best way to fix S3 findings", "S3 best practices"])
async def test_the_best_way_ranks_no_findings(asked, question):
    """Of another noun, a superlative is none of the grammar's."""
    assert asked(question).query.order_by == "severity"


async def test_a_follow_up_about_another_framework_keeps_the_shape(asked):
    """Its version is no second condition."""
    before = asked("HIPAA pass rate per account")
    query = asked("and for PCI 4.0?", before).query
    assert (query.select, query.group_by, query.measure) == ("group", "account", "rate")


async def test_scans_have_no_number(asked):
    """Between the first and the second scan: which these are is not known, and told."""
    base = asked("how many findings were fixed since the last scan")
    told = asked("and between the first and the second scan?", base)
    assert {"first", "second"} <= {*told.unused, *told.unfit}


@pytest.mark.parametrize(
    "question", ["accounts without a single critical?", "regions that have not a single high one?"]
)
async def test_a_single_one_is_any(asked, question):
    """No check is meant by "single"."""
    told = asked(question)
    assert "check" not in told.query.where.narrowed()
    assert told.query.having == Having(at_most=0) or told.unfit or told.unused


@pytest.mark.parametrize("word", ["teams", "teamed"])
async def test_a_form_of_a_tag_s_key_tells_of_no_check(asked, word):
    """Who owns something is in its tags; a check that has the word is about something else."""
    assert "check" not in asked(f"how many {word} findings are there").query.where.narrowed()
