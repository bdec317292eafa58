"""A question becomes a typed query: what is read, what cannot be asked, what it counts, and what a follow-up edits."""

import json
from datetime import date

import pytest

from footnoted.assistants.security import StreamingHandler
from footnoted.assistants.security.query.finding_query import FindingQuery, Where
from footnoted.assistants.security.query.reading import read
from footnoted.assistants.security.query.running import run
from footnoted.assistants.security.query.vocabulary import vocabulary_of
from tests.assistants.security.conftest import EXAMPLES, advisor_on


@pytest.fixture
async def vocabulary(clinic):
    """The names of the clinic's findings."""
    return await vocabulary_of(clinic, "clinic")


def raw():
    """Each finding of both files as the files have it: severity, region, service, whether it is open."""
    prowler = json.loads((EXAMPLES / "prowler.ocsf.json").read_text())
    for one in prowler:
        resource = one["resources"][0]
        yield one["severity"].lower(), resource["region"], resource["group"]["name"], one["status_code"] == "FAIL"
    for one in json.loads((EXAMPLES / "security-hub.json").read_text())["Findings"]:
        failing = one["Compliance"]["Status"] == "FAILED" and one.get("Workflow", {}).get("Status") != "SUPPRESSED"
        yield one["Severity"]["Label"].lower(), one.get("Region") or one["Resources"][0]["Region"], None, failing


READ = [
    ("How many high findings in eu-west-1?", "count", {"severity": ["high"], "region": ["eu-west-1"]}),
    ("Which critical findings have been open for longer than 30 days?", "list",
     {"severity": ["critical"], "open_for_more_than": 30}),
    ("List our S3 findings", "list", {"service": ["s3"]}),
    ("How many S3 findings of medium severity passed?", "count",
     {"severity": ["medium"], "service": ["s3"], "status": ["pass"]}),
    ("Which of our S3 findings break HIPAA?", "list", {"service": ["s3"], "framework": "HIPAA"}),
    ("What do we fix first?", "list", {}),
]  # fmt: skip


@pytest.mark.parametrize(("question", "select", "where"), READ)
async def test_words_find_their_fields(vocabulary, question, select, where):
    """Region, severity, status, service, framework and time stand in the query, and nothing else does."""
    reading = read(question, vocabulary)
    assert reading.can_be_asked
    assert (reading.query.select, reading.query.where.narrowed()) == (select, where)


OCTOBER = {"first_seen_from": "2026-10-01", "first_seen_before": "2026-11-01"}


@pytest.mark.parametrize(
    ("question", "where", "exclude"),
    [
        ("I am asking how many findings are open", {}, {}),
        ("How many open findings do we have in Ireland?", {"region": ["eu-west-1"]}, {}),
        ("How many findings are open outside Europe?", {}, {"region": ["eu-west-1"]}),
        ("How many findings first seen from 01/10/2026 to 31.10.2026?", OCTOBER, {}),
        ("How many findings first seen between 10/1/2026 and 10/31/2026?", OCTOBER, {}),
        ("How many findings first seen between 1 and 31 October 2026?", OCTOBER, {}),
        ("How many findings are older than two months?", {"open_for_more_than": 61}, {}),
        ("Everything but low and informational: how many are open?", {}, {"severity": ["low", "informational"]}),
        ("How many findings have no tags?", {"untagged": True}, {}),
        ("On the Security Hub side, how many findings are open?", {"scanner": ["security-hub"]}, {}),
        ("Leave S3 out: how many findings are open?", {}, {"service": ["s3"]}),
        ("How many criticals haven't been fixed yet?", {"severity": ["critical"]}, {}),
        ("How many findings did we mute between the two scans?", {"status": [], "change": "muted"}, {}),
    ],
)
async def test_people_say_it_otherwise(vocabulary, question, where, exclude):
    """Places, dates in figures, verbs with their particle apart, and words that only look like a service."""
    query = read(question, vocabulary).query
    assert {name: told for name, told in query.where.narrowed().items() if name != "scan"} == {
        name: told for name, told in where.items() if told
    }
    assert query.without() == exclude


async def test_what_became_since_a_day_is_what_the_question_says(vocabulary):
    """Since the day of the scan before, what was fixed is not what is new."""
    vocabulary.scans, vocabulary.previous = (date(2026, 11, 20), date(2026, 11, 13)), date(2026, 11, 13)
    for words, change in {"fixed": "fixed", "muted": "muted", "new": "new", "gone": "gone"}.items():
        query = read(f"How many findings are {words} since 2026-11-13?", vocabulary).query
        assert query.where.change == change, words
    assert not read("Did we zorble any findings since 2026-11-13?", vocabulary).can_be_asked


@pytest.mark.parametrize(
    ("question", "group", "where"),
    [
        ("What share of the open findings in eu-west-1 is critical?", "severity", {"region": ["eu-west-1"]}),
        ("What percentage of findings are high or critical in eu-west-1?", "severity", {"region": ["eu-west-1"]}),
        ("Which proportion of all open findings come from Security Hub?", "scanner", {}),
    ],
)
async def test_a_share_is_told_beside_the_others(clinic, vocabulary, question, group, where):
    """Shares of what is open are no pass rate: each part is told with its number and its share of the whole."""
    reading = read(question, vocabulary)
    assert reading.can_be_asked
    query = reading.query
    assert (query.select, query.measure, query.group_by, query.where.narrowed()) == ("group", "share", group, where)
    result = await run(clinic, "clinic", query, vocabulary.today)
    assert sum(n for _, _, n in result.groups) == result.findings
    told = (await advisor_on(clinic).answer(question, None, "clinic")).response.response
    for _, _, n in result.groups:
        assert f": {n} ({100 * n / result.findings:.1f} %)" in told


@pytest.mark.parametrize("question", ["How many findings has Prowler that Security Hub has not?", "Not S3, is it?"])
async def test_what_is_denied_is_never_told_as_if_it_were_asked_for(vocabulary, question):
    reading = read(question, vocabulary)
    assert not reading.can_be_asked or reading.query.without()


async def test_a_named_thing_s_kind_says_nothing_more(vocabulary):
    """Of "the clinic-scans bucket" is asked that bucket with all its findings, not those of checks that say "bucket"."""
    reading = read("What is open on the clinic-scans bucket?", vocabulary)
    assert reading.query.where.resource == ["clinic-scans"]
    assert reading.query.where.check == []


@pytest.mark.parametrize(
    "question",
    ["How many findings were muted before 1 November 2026?", "Which accounts passed everything?"],
)
async def test_what_the_fields_cannot_say_is_told(vocabulary, question):
    """Since when a finding is muted is not known, and that all a thing has is in one state holds no field."""
    assert not read(question, vocabulary).can_be_asked


async def test_a_list_of_everything_is_no_answer_to_a_word_nobody_knows(vocabulary):
    assert not read("Which findings hibernated?", vocabulary).can_be_asked


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("How many findings in account 999988887777?", "999988887777"),
        ("How many high findings in Frankfurt?", "Frankfurt"),
        ("Which findings do we have in Azure?", "Azure"),
        ("Are we ISO 27001 compliant?", "27001"),
    ],
)
async def test_what_no_finding_bears_is_told(advisor, question, named):
    """A number, place or name that is unknown is not dropped: the answer says that it cannot be filtered by."""
    advice = await advisor.answer(question, None, "clinic")
    assert "annot filter by" in advice.response.response
    assert named in advice.response.response
    assert any(named in one for one in advice.as_json()["cannot"])


@pytest.mark.parametrize("severity", ["critical", "high", "medium", "low"])
@pytest.mark.parametrize("region", [None, "eu-west-1", "us-east-1"])
async def test_counts_are_the_files(clinic, vocabulary, severity, region):
    """A query counts what a few lines count in the raw files."""
    query = FindingQuery(where=Where(severity=[severity], region=[region] if region else []))
    result = await run(clinic, "clinic", query, vocabulary.today)
    assert result.findings == sum(
        one == severity and is_open and region in (None, where) for one, where, _, is_open in raw()
    )


@pytest.mark.parametrize(
    ("first", "then", "where"),
    [
        ("How many high findings in eu-west-1?", "and critical?", {"severity": ["critical"], "region": ["eu-west-1"]}),
        ("List our high findings", "only S3", {"severity": ["high"], "service": ["s3"]}),
        ("List our S3 findings", "And which passed?", {"service": ["s3"], "status": ["pass"]}),
    ],
)
async def test_a_follow_up_edits_the_query_before(vocabulary, first, then, where):
    """What it names replaces that field; the others stay."""
    assert read(then, vocabulary, base=read(first, vocabulary)).query.where.narrowed() == where


async def test_the_query_is_told_before_the_first_word(advisor):
    """As JSON, in words, and as chips."""
    events = StreamingHandler(advisor).stream_answer("How many high findings in eu-west-1?", None, "clinic")
    event = await anext(events)
    await events.aclose()
    start = event.data
    assert (event.event, start["type"]) == ("start", "start")
    assert start["query"] == {"select": "count", "where": {"severity": ["high"], "region": ["eu-west-1"]}}
    assert start["query_words"] == "high · open · region eu-west-1"
    assert [one["field"] for one in start["chips"]] == ["severity", "status", "region"]
