"""Classes of wordings: bounds, what is denied, forms of words, groups, comparisons, risks, and names of several kinds."""

from dataclasses import replace
from datetime import date, timedelta

import pytest

from footnoted.assistants.security.query.finding_query import FindingQuery, Where
from footnoted.assistants.security.query.meaning import affirms, denies, shipped_meanings, tells
from footnoted.assistants.security.query.reading import read
from footnoted.assistants.security.query.running import run
from footnoted.assistants.security.query.tokens import spelt_out
from footnoted.assistants.security.query.vocabulary import vocabulary_of

RANKS = ["critical", "high", "medium", "low", "informational"]


@pytest.fixture
async def vocabulary(clinic):
    """The names of the clinic's findings."""
    return await vocabulary_of(clinic, "clinic")


@pytest.fixture
def made(vocabulary):
    """Two accounts that are called as two tags are."""
    from footnoted.assistants.security.query.vocabulary import _names

    made = type(vocabulary)(
        accounts={"1": "acme-prod", "2": "acme-test", "3": "acme-labs"},
        account_providers=dict.fromkeys("123", "aws"), providers={"aws"}, regions={"us-east-1", "eu-west-1"},
        tags={"env:prod", "env:test", "team:web"}, scans=vocabulary.scans, previous=vocabulary.previous,
        resources={"box-1": {"box-1"}, "box-2": {"box-2"}}, services={"s3": {"aws"}},
        scanners={"prowler", "security-hub"},
    )  # fmt: skip
    made.names = dict(_names(made))
    return made


@pytest.mark.parametrize("severity", ["critical", "high", "medium", "low"])
@pytest.mark.parametrize(
    ("words", "first", "behind"),
    [
        ("at least {}", 0, 1), ("{} or worse", 0, 1), ("worse than {}", 0, 0), ("above {}", 0, 0),
        ("at most {}", None, 5), ("below {}", None, 5),
    ],
)  # fmt: skip
async def test_a_bound_of_severity_is_counted_as_it_is_meant(asked, severity, words, first, behind):
    """Inclusive words take the bound in, strict ones leave it out."""
    edge = RANKS.index(severity)
    start = first if first is not None else edge + ("below" in words)
    wanted = RANKS[start : edge + behind]
    reading = asked(f"How many findings are {words.format(severity)} severity?")
    assert sorted(reading.query.where.severity, key=RANKS.index) == wanted
    assert not reading.unused if wanted else reading.unfit  # nothing is worse than critical


@pytest.mark.parametrize(
    ("question", "days"),
    [
        ("findings open for more than 40 days", 40), ("findings open for at least 40 days", 39),
        ("findings open for 40 days or more", 39), ("findings open for 40+ days", 39), ("findings >40d old", 40),
        ("findings older than a month", 31), ("findings open for over 3 weeks", 21),
    ],
)  # fmt: skip
async def test_a_bound_of_age_is_counted_as_it_is_meant(asked, question, days):
    """At least forty is more than thirty-nine; signs and short units are spelt out."""
    reading = asked(question)
    assert (reading.query.where.open_for_more_than, reading.unused, reading.unfit) == (days, [], [])


def test_signs_are_spelt_out_where_they_are_words():
    """A hash before a name, a sign within an identifier and a version are left as they are."""
    assert spelt_out("# of highs ≥ 30d") == "number of highs at least 30 days"
    for written in ("C#-service", "arn:aws:s3:::a+b", "CIS 5.0 2.1.1", "eu-west-1", "x>y"):
        assert spelt_out(written) == written


async def test_the_age_of_a_thing_is_not_that_of_its_finding(asked):
    """Of "keys older than": when the key was made stands in no finding."""
    assert asked("Which buckets older than 90 days do we have?").unfit


@pytest.mark.parametrize(
    "question",
    ["findings by region, S3 excluded", "findings by region except S3", "S3 aside, findings by region"],
)
async def test_what_is_denied_may_stand_before_or_behind(asked, question):
    """A word that denies takes away what it stands beside."""
    query = asked(question).query
    assert (query.exclude.service, query.where.service, query.group_by) == (["s3"], [], "region")


async def test_two_things_denied_are_both_taken_away(clinic, vocabulary):
    """Without one and without the other is neither, and not only what is both."""

    async def counted(**fields):
        query = FindingQuery(exclude=Where(status=[], **fields))
        return (await run(clinic, "clinic", query, vocabulary.today)).findings

    both = await counted(service=["s3"], severity=["high"])
    assert both < await counted(service=["s3"])
    assert both < await counted(severity=["high"])


@pytest.mark.parametrize("question", ["findings except the highs in eu-west-1", "findings without S3 and highs"])
async def test_how_far_a_denial_reaches_is_told(asked, question):
    """What may be read in two ways is not counted in one of them."""
    assert asked(question).unfit


@pytest.mark.parametrize(
    ("question", "by", "order"),
    [
        ("severity breakdown of S3", "severity", "severity"),
        ("highs across regions", "region", "severity"),
        ("How are the highs spread over the services?", "service", "severity"),
        ("categorised by service, what is failing", "service", "severity"),
        ("In how many regions do we have highs?", "region", "severity"),
        ("Where are most of the highs?", "account", "most"),
        ("Which is the riskiest service?", "service", "most"),
        ("the safest region", "region", "fewest"),
        ("Name the resource type with the largest number of highs", "resource_type", "most"),
        ("How did the highs develop over the past months?", "first_seen_month", "key"),
        ("When were the highs first seen?", "first_seen_month", "key"),
    ],
)
async def test_groups_are_heard_in_other_words(asked, question, by, order):
    """By a preposition, a word of parting, a superlative or a question of where and when."""
    query = asked(question).query
    assert (query.select, query.group_by, query.order_by) == ("group", by, order)


@pytest.mark.parametrize(
    "question",
    ["eu-west-1 against us-east-1 in highs", "Does eu-west-1 exceed us-east-1 in highs?",
     "Does eu-west-1 have more highs than us-east-1?"],
)  # fmt: skip
async def test_two_names_set_against_each_other_are_compared(asked, question):
    """Two names of one kind with no "and" between them."""
    query = asked(question).query
    assert [one.region for one in query.sides] == [["eu-west-1"], ["us-east-1"]]
    assert query.where.severity == ["high"]


@pytest.mark.parametrize(
    ("question", "select"),
    [
        ("Are we secure?", "group"), ("How secure are we?", "group"), ("Give me an overview", "group"),
        ("What are our biggest risks?", "list"), ("any high risks?", "list"),
        ("What is the risk of public buckets?", "explain"), ("What do we fix first?", "list"),
        ("Are the highs going down?", "diff"), ("Has the number of highs gone up?", "diff"),
    ],
)  # fmt: skip
async def test_broad_questions_are_answered(asked, question, select):
    """How things are is told by severity; a risk is what stands open, unless it is asked why something is one."""
    reading = asked(question)
    assert (reading.query.select, reading.can_be_asked, reading.unused) == (select, True, [])


@pytest.mark.parametrize(
    ("question", "change"),
    [
        ("Which findings were newly muted?", "muted"), ("Which findings appeared in the newest scan?", "new"),
        ("What is no longer failing?", "fixed"), ("What is no longer muted?", "unmuted"),
        ("Which unresolved highs do we have?", None), ("Which high has gone unfixed?", None),
    ],
)  # fmt: skip
async def test_states_with_an_adverb_are_changes(asked, question, change):
    """Newly and no longer are of two scans; what has gone unfixed is open."""
    reading = asked(question)
    assert reading.query.where.change == change
    assert change or reading.query.where.status == ["fail"]


async def test_a_name_of_two_kinds_is_answered_for_each(made):
    """An account and a tag of one name are each read whole: sides of a comparison too, and what follows."""
    reading = read("prod against test in criticals", made)
    by = {one.field: one.query for one in reading.choices}
    assert [one.account for one in by["account"].sides] == [["1"], ["2"]]
    first = read("How many criticals in prod?", made)
    again = {one.field: one.query for one in read("and highs?", made, base=first).choices}
    assert (again["account"].where.account, again["tag"].where.tag) == (["1"], ["env:prod"])
    assert {tuple(one.where.severity) for one in again.values()} == {("high",)}
    other = {one.field: one.query for one in read("same for test", made, base=first).choices}
    assert (other["account"].where.account, other["tag"].where.tag) == (["2"], ["env:test"])


async def test_a_topic_is_of_the_kind_that_is_named(asked, vocabulary):
    """Of users without a second factor: the checks that speak of users, and not the one of the root."""
    checks = [vocabulary.checks[one] for one in asked("Which IAM users have no MFA?").query.where.check]
    users = [one for one in checks if "user" in f"{one.id} {one.title}".casefold()]
    assert not users or users == checks


@pytest.mark.parametrize(
    "question",
    [
        "ok fix it please",  # nothing was asked before it
        "how many things did the gardener leave for us to verify by hand",
        "is somebody attacking our buckets at this very moment of the night",
        "of everything that is open what percentage is critical",
    ],
)
async def test_what_is_mostly_not_understood_is_not_counted(asked, question):
    """A number of the few words that were understood would be another question's."""
    assert not asked(question).can_be_asked


async def test_an_account_of_a_cloud_is_no_kind_of_resource(asked):
    query = asked("highs by aws account").query
    assert (query.group_by, query.where.provider, query.where.resource_type) == ("account", ["aws"], [])


@pytest.mark.parametrize(
    ("question", "scan"),
    [
        ("How many highs in the last scan?", "latest"), ("In the last scan, how many S3 findings passed?", "latest"),
        ("How many highs in the previous scan?", "previous"),
        ("Were there more highs in the last scan than now?", "previous"),
    ],
)  # fmt: skip
async def test_the_last_scan_is_the_newest_unless_set_against_it(asked, question, scan):
    """In the last scan is how things are; more than in the last scan is of the one before."""
    assert asked(question).query.where.scan == scan


@pytest.mark.parametrize(
    "question",
    [
        "How many resources have only low findings?", "accounts with only medium findings",  # of each, and not of all
        "How many of the new findings are muted?", "How many open highs are muted in eu-west-1?",  # two states at once
        "Which checks never failed?", "criticals first seen in the last 6 hours", "highs per 100 resources",
        "findings first seen between 20 October and 5 October",
    ],
)  # fmt: skip
async def test_what_flat_fields_would_say_wrongly_is_not_asked(asked, question):
    """Fields that hold all at once, of findings alone and by days, can say none of these."""
    assert asked(question).unfit


@pytest.mark.parametrize(
    "question", ["eu-west-1 against us-east-1 by account", "Which folk has the most findings?", "findings in summer"]
)
async def test_what_a_comparison_or_a_list_does_not_show_is_told(asked, question):
    """A comparison is not grouped, a list ranks nothing, and where something is, is no check's word."""
    reading = asked(question)
    assert reading.unused or reading.unfit


async def test_a_month_is_the_calendars(asked, vocabulary):
    """This month begins on its first; last month ends before it; the last month is as long, up to now."""
    first = vocabulary.today.replace(day=1)
    assert asked("highs first seen this month").query.where.first_seen_from == first
    last = asked("highs first seen last month").query.where
    assert (last.first_seen_from.day, last.first_seen_before) == (1, first)
    assert asked("highs first seen in the last month").query.where.first_seen_before is None


async def test_days_of_one_month_share_its_name(asked):
    """Of "the 1st and the 15th of October" both are in October."""
    where = asked("highs first seen between the 1st and the 15th of October").query.where
    assert (where.first_seen_from.month, where.first_seen_from.day, where.first_seen_before.day) == (10, 1, 16)


async def test_a_denied_name_of_two_kinds_is_taken_away_in_each(made):
    """Except in prod: without the account of that name, and without the tag."""
    reading = read("How many criticals, except in prod?", made)
    by = {one.field: one for one in reading.choices}
    assert reading.can_be_asked
    assert (by["account"].query.exclude.account, by["tag"].query.exclude.tag) == (["1"], ["env:prod"])
    assert all(one.label.startswith("without ") for one in by.values())
    assert read("prod findings without test", made).unfit  # one is asked for, and one denied


async def test_resources_that_are_counted_are_those_with_findings(asked):
    """How many there are in all, no scan says; where findings are asked for, nothing need be added."""
    assert any("with open findings" in note for note in asked("How many buckets do we have?").notes)
    assert not asked("How many buckets have high findings?").notes


async def test_what_a_check_wants_not_to_be_is_not_found_by_denying_it(vocabulary):
    """What is not public passes the check that wants it so, and is not among what fails it."""
    checks = list(vocabulary.checks.values())
    public = next(one for one in checks if "public" in one.title.casefold())
    forbids = replace(public, title="S3 bucket is not publicly accessible")
    wants = replace(public, title="S3 bucket has default encryption")
    assert (tells("public", forbids), denies("public", forbids)) == (True, True)
    assert (tells("encrypted", wants), denies("encrypted", wants)) == (True, False)


async def test_hours_are_days_where_they_make_some():
    """A scan dates by the day."""
    assert spelt_out("in the last 48 hours") == "in the last 2 days"
    assert spelt_out("the last 24h") == "the last 1 days"
    assert spelt_out("the last 6 hours") == "the last 6 hours"


@pytest.mark.parametrize(
    ("words", "first", "before"),
    [
        ("since 5 May 2026", (5, 5), None), ("after 5 May 2026", (5, 6), None), ("later than 5 May 2026", (5, 6), None),
        ("on or after 5 May 2026", (5, 5), None), ("before 5 May 2026", None, (5, 5)), ("prior to 5 May", None, (5, 5)),
        ("by 5 May 2026", None, (5, 6)), ("until 5 May 2026", None, (5, 6)), ("on or before 5 May", None, (5, 6)),
        ("no later than the 5th of May", None, (5, 6)), ("from 1 May through 5 May", (5, 1), (5, 6)),
        ("after April 2026", (5, 1), None), ("by the end of April", None, (5, 1)), ("through April", None, (5, 1)),
        ("until April 2026", None, (4, 1)),
    ],
)  # fmt: skip
async def test_a_day_is_within_its_bound_where_the_word_says_so(asked, words, first, before):
    """After the fifth begins with the sixth; by the fifth ends with the fifth."""
    reading = asked(f"How many high findings were first seen {words}?")
    days = [one and date(2026, *one) for one in (first, before)]
    assert [reading.query.where.first_seen_from, reading.query.where.first_seen_before] == days
    assert (reading.unused, reading.unfit) == ([], [])


async def test_a_day_of_the_week_is_the_last_one(asked, vocabulary):
    """Of the week up to the newest scan; one that is to come is told."""
    today = vocabulary.today
    since = asked(f"findings first seen since {today - timedelta(days=3):%A}").query.where
    on = asked(f"findings first seen last {today:%A}").query.where
    assert since.first_seen_from == today - timedelta(days=3)
    assert on.first_seen_from == today - timedelta(days=7)
    assert "friday" in " ".join(asked("how many high findings are due by next Friday").unused)


async def test_ages_have_an_upper_bound_too(asked, vocabulary):
    """Less than seven days is six at most; both ends of a span count."""
    aged = [
        asked(f"high findings open {one}") for one in ("less than a week", "at most 7 days", "between 2 and 4 days")
    ]
    days = [(vocabulary.today - one.query.where.first_seen_from).days for one in aged]
    assert days == [6, 7, 4]
    assert aged[2].query.where.first_seen_before == vocabulary.today - timedelta(days=1)
    assert all((one.unused, one.unfit) == ([], []) for one in aged)


@pytest.mark.parametrize(
    ("question", "field", "value"),
    [
        ("How many highs are in any region but us-east-1?", "region", "us-east-1"),
        ("all criticals but the ones in S3", "service", "s3"), ("high findings, except issues in S3", "service", "s3"),
        ("criticals that are not in the region us-east-1", "region", "us-east-1"),
    ],
)  # fmt: skip
async def test_what_is_taken_away_is_not_asked_for(asked, question, field, value):
    """However many words lie between what takes away and what is taken."""
    query = asked(question).query
    assert query.without() == {field: [value]}
    assert not getattr(query.where, field)


async def test_a_state_that_a_check_wants_is_of_what_passes_it(asked, vocabulary):
    """What is encrypted passes, what is public fails; a word that the title does not say decides nothing."""
    check = next(iter(vocabulary.checks.values()))
    titles = ["RDS instance has deletion protection enabled", "S3 bucket blocks public access",
              "IAM user console access is disabled", "Snapshot is not public"]  # fmt: skip
    said = [("protection", "enabled"), ("public", "access"), ("console", "access"), ("public",)]
    wants = [affirms(words, replace(check, title=title)) for words, title in zip(said, titles, strict=True)]
    assert wants == [True, False, False, False]
    assert affirms(("blocks", "public", "access"), replace(check, title=titles[1]))
    assert not affirms(("protection", "disabled"), replace(check, title=titles[0]))
    assert asked("Which buckets are encrypted?").query.where.status == ["pass"]
    assert asked("Which buckets are not encrypted?").query.where.status == ["fail"]
    assert asked("Which buckets are publicly writable?").query.where.status == ["fail"]


async def test_each_choice_is_held_to_the_whole_question(made):
    """A choice that cannot be asked is said to be none; what one does not use is told."""
    reading = read("How many fewer findings does prod have than labs?", made)
    assert [one.field for one in reading.choices] == ["account"]
    assert any("env:prod" in note and "cannot be asked" in note for note in reading.notes)
    assert reading.choices[0].query.sides
    assert "zorbling" in read("How many zorbling criticals are there in prod?", made).unused
    assert read("How many resources fail in both prod and test?", made).unfit


async def test_what_stands_behind_than_is_a_side(made):
    """Against a name of another field nothing is compared; it does not narrow either."""
    assert read("Are there more findings in acme-labs than in env:prod?", made).unfit
    assert len(read("Are there more findings in acme-labs than in acme-prod?", made).query.sides) == 2
    assert len(read("Which is worse, box-1 or box-2?", made).query.sides) == 2
    assert not read("List the findings of box-1 or box-2", made).query.sides
    assert "acme-labs" not in read("Are there more criticals than before in acme-labs?", made).unfit


async def test_a_share_is_of_the_part_behind_the_verb(made):
    """How much of the open findings of a service is in one place is no pass rate."""
    query = read("What % of the open S3 findings are in acme-labs?", made).query
    assert (query.measure, query.group_by, query.where.service) == ("share", "account", ["s3"])
    by = {one.field: one.query for one in read("What % of the open S3 findings are in prod?", made).choices}
    assert {name: one.group_by for name, one in by.items()} == {"account": "account", "tag": "tag:env"}
    assert read("What % of the open S3 findings are zorbling?", made).unfit


async def test_what_is_added_is_not_narrowed_to(made):
    """Including the muted ones is both; including what is of another field cannot be said."""
    query = read("How many criticals, including muted ones?", made).query
    assert query.where.status == ["fail", "muted"]
    assert read("How many criticals in acme-labs including us-east-1?", made).unfit
    assert read("How many criticals not including S3?", made).query.exclude.service == ["s3"]


async def test_a_tag_is_taken_from_what_bears_another(made):
    """A finding may have several tags, so one without the other is nothing that is not used."""
    reading = read("How many criticals tagged env:prod but not team:web?", made)
    assert (reading.query.exclude.tag, reading.unused, reading.unfit) == (["team:web"], [], [])


async def test_signs_and_places_are_read(made):
    """A plus behind a severity is "or above"; of "us regions" the first is the country."""
    assert read("How many high+ findings?", made).query.where.severity == ["critical", "high"]
    assert read("us regions, how many criticals?", made).query.where.region == ["us-east-1"]


@pytest.mark.parametrize(
    "question",
    [
        "How many criticals in zqorblex?", "How many findings are left if we fix the criticals?",
        "What will our count of criticals be?",
    ],
)  # fmt: skip
async def test_the_verb_and_what_is_not_yet_are_not_answered_with_a_count(asked, question):
    """A name of nobody behind a preposition, what would and what will be."""
    assert not asked(question).can_be_asked


async def test_a_topic_is_of_the_scanner_that_is_named(vocabulary):
    """What another scanner checks is no topic of this one's findings; nor is what "who" does."""
    check = next(one for one in vocabulary.checks.values() if one.scanners)
    other = "security-hub" if check.scanners == {"prowler"} else "prowler"
    vocabulary.scanners.add(other)
    for words, found in (("", True), (f" of {other}", False)):
        where = read(
            f"How many findings{words} with {check.title}?", vocabulary, meanings=shipped_meanings()
        ).query.where
        assert (check.id in where.check) is found


async def test_what_is_in_a_state_is_a_finding_whatever_it_is_called(asked):
    """Of "muted records", where a check says "record", the word is told, and no check is looked for."""
    reading = asked("How many muted records are there?")
    assert (reading.query.where.check, reading.query.where.status) == ([], ["muted"])


@pytest.mark.parametrize(
    ("question", "by"),
    [
        ("Which account improved the most since the last scan?", "account"), ("Changes by service", "service"),
        ("Which regions have more findings than in the last scan?", "region"),
        ("findings by region compared to the previous scan", "region"),
        ("Did eu-west-1 or us-east-1 get worse since the last scan?", "region"),
    ],
)  # fmt: skip
async def test_what_changed_is_told_by_group(asked, question, by):
    """Both scans are counted, group by group, and not one of them alone."""
    reading = asked(question)
    query = reading.query
    assert (query.select, query.group_by, query.where.scan) == ("diff", by, "latest")
    assert (reading.can_be_asked, reading.unused) == (True, [])


async def test_each_group_is_counted_in_both_scans(clinic, vocabulary):
    """Together they are what was open, before and now."""
    query = FindingQuery(select="diff", group_by="region")
    before, now, *_ = (await run(clinic, "clinic", query, vocabulary.today)).sides
    assert [sum(n for _, _, n in one.groups) for one in (before, now)] == [before.findings, now.findings]


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        ("Is HIPAA or SOC 2 worse for us?", ["HIPAA", "SOC2"]), ("Compare SOC 2 with HIPAA", ["SOC2", "HIPAA"]),
        ("Does HIPAA have more high findings than SOC 2?", ["HIPAA", "SOC2"]),
    ],
)  # fmt: skip
async def test_frameworks_are_compared(asked, question, sides):
    """Each is a side of its own; where nothing is compared, the second is told."""
    reading = asked(question)
    assert [one.edition.partition(" ")[0] for one in reading.query.sides] == sides
    assert (reading.can_be_asked, reading.unused, reading.query.where.framework) == (True, [], "")
    assert asked("How many findings are mapped to HIPAA and SOC 2?").unfit
