"""What a question means where its words alone say less: parts, sides, kinds, absent tags, and what is told of them."""

from dataclasses import replace

import pytest

from footnoted.assistants.security.query.finding_query import FindingQuery, Where
from footnoted.assistants.security.query.running import run
from footnoted.assistants.security.query.tokens import spelt_out
from footnoted.assistants.security.query.vocabulary import _names, vocabulary_of
from footnoted.assistants.security.query.wording import words_of
from tests.assistants.security.conftest import advisor_on
from tests.assistants.security.estate import TODAY, rows, take_in


@pytest.fixture
async def estate(database):
    """Two scans of two accounts."""
    await take_in(database)
    return database


@pytest.fixture
async def vocabulary(estate):
    """The names of the estate."""
    return await vocabulary_of(estate, "clinic")


async def told(database, *questions):
    """The answer to the last of these questions, asked one after the other."""
    service, history = advisor_on(database), []
    for question in questions:
        advice = await service.answer(question, None, "clinic", history)
        history = [*history, (question, advice.response.response)]
    return advice.response.response


@pytest.mark.parametrize(
    "question", ["high or above share of S3 findings", "percentage of S3 findings that are critical or high"]
)
async def test_a_share_is_of_the_part_asked_for_and_drops_nothing(estate, asked, question):
    """What stands before "share of" or behind "are" is the part, what stands between is the whole."""
    reading = asked(question)
    assert (reading.query.where.service, reading.unused) == (["s3"], [])
    assert [one.severity for one in reading.query.sides] == [["critical", "high"]]
    whole = rows(service="s3")
    part = [one for one in whole if one["severity"] in ("critical", "high")]
    assert f"**{100 * len(part) / len(whole):.1f} %**: {len(part)} of {len(whole)}" in await told(estate, question)


@pytest.mark.parametrize(
    "question",
    ["What's the worst thing in the eu-west-1 region?", "worst finding in region eu-west-1",
     "most severe finding in the eu-west-1 region"],
)  # fmt: skip
async def test_a_place_that_is_named_is_not_what_is_ranked(asked, question):
    """Its kind beside its name only says what the name is of."""
    query = asked(question).query
    assert (query.select, query.group_by, query.where.region) == ("list", "", ["eu-west-1"])
    assert asked("which region is worst").query.group_by == "region"


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        ("highs in eu-west-1 or us-east-1", 0), ("How many highs in eu-west-1 or us-east-1?", 0),
        ("Does eu-west-1 or us-east-1 have more highs?", 2), ("highs in eu-west-1 and us-east-1, each", 2),
        ("How many highs in eu-west-1 and how many in us-east-1?", 2), ("How many highs in eu-west-1, in total?", 0),
    ],
)  # fmt: skip
async def test_alternatives_are_compared_where_one_number_each_is_asked(asked, vocabulary, question, sides):
    """Of "this or that" it is a list over both; the names set side by side are told with the query."""
    reading = asked(question)
    assert (len(reading.query.sides), reading.unused) == (sides, [])
    if sides:
        assert "region eu-west-1 against region us-east-1" in words_of(reading.query, vocabulary)


async def test_two_grades_or_two_scans_are_told_one_by_one(asked):
    """How many of the one and how many of the other; more now than on a day of which there is a scan."""
    reading = asked("How many criticals and how many highs do we have?")
    assert (reading.query.group_by, reading.unused) == ("severity", [])
    sides = asked("Are there more highs now than on 9 November?").query.sides
    assert [one.scan for one in sides] == ["previous", "latest"]
    assert "9 november and now" in asked("which checks failed on 9 november and pass now").unfit


async def test_how_a_kind_of_thing_is_beats_a_tag_of_that_name(asked, vocabulary):
    """Of "public buckets" checks tell; only where a tag is spoken of it is the tag's value."""
    vocabulary.tags.add("data:public")
    vocabulary.names = dict(_names(vocabulary))
    assert asked("Which public S3 buckets have highs?").query.where.tag == []
    assert asked("Which findings are tagged public?").query.where.tag == ["data:public"]


async def test_a_service_and_a_kind_name_the_types_of_every_cloud(asked, vocabulary):
    """Of "RDS instances" the one of that service, of "KMS keys" those of each cloud that has it."""
    assert asked("How many RDS instances have highs?").query.where.resource_type == ["AwsRdsDbInstance"]
    vocabulary.resource_types |= {"AwsKmsKey": {"kms"}, "cloudkms.googleapis.com/CryptoKey": {"kms"}}
    vocabulary.names = dict(_names(vocabulary))
    assert len(asked("KMS keys with highs").query.where.resource_type) == 2


@pytest.mark.parametrize("question", ["How many findings have no team tag?", "How many findings without a team?"])
async def test_what_lacks_one_tag_can_be_asked(asked, question):
    """The key alone, denied, with or without the word tag."""
    reading = asked(question)
    assert (reading.query.where.narrowed(), reading.unused) == ({"without_tag": ["team"]}, [])


async def test_what_lacks_a_tag_is_counted(either):
    """The same in both databases, and told as it was asked."""
    await take_in(either)
    bare = [one for one in rows() if not any(tag.startswith("team:") for tag in one["tags"])]
    query = FindingQuery(where=Where(without_tag=["team"]))
    assert (await run(either, "clinic", query, TODAY)).findings == len(bare) > 0
    assert "with no team tag" in await told(either, "How many findings have no team tag?")


async def test_the_group_without_a_tag_is_not_the_one_with_the_most(estate):
    """It is told last, and speaks of Security Hub only where that was imported."""
    query = FindingQuery(select="group", group_by="tag:team", order_by="most")
    assert [key for key, _, _ in (await run(estate, "clinic", query, TODAY)).groups] == ["web", "(none)"]
    text = await told(estate, "Which team has the most findings?")
    assert "(none), with no team tag: " in text


async def test_words_clipped_short_are_what_they_were_clipped_from(asked):
    """A plural of the grammar cut short; a word of any language is none."""
    for word in ("vulns", "probs", "misconfigs"):
        reading = asked(f"Any {word} in eu-west-1?")
        assert reading.can_be_asked
        assert not reading.unused
    assert spelt_out("keys w/out rotation") == spelt_out("keys w/o rotation") == "keys without rotation"


@pytest.mark.parametrize(
    "question",
    [
        "How many resources, not findings, have at least one critical?", "How many highs sit on resources tagged team:web?",
        "Which findings disappeared without being fixed?", "Are we getting better or worse?", "anything unmuted lately?",
        "How many findings break HIPAA?", "how many highs pls",
    ],
)  # fmt: skip
async def test_words_that_were_used_are_not_told_as_unused(asked, question):
    """Bounds of one, where findings are, what is gone and not fixed, and small words of the language."""
    assert asked(question).unused == []


@pytest.mark.parametrize(
    ("then", "group", "region"),
    [("same but for accounts", "account", []), ("same but for eu-west-1", "service", ["eu-west-1"])],
)
async def test_the_same_for_another_replaces_one_thing(asked, then, group, region):
    """What it is told by, or where."""
    query = asked(then, asked("Which service has the most findings?")).query
    assert (query.group_by, query.order_by, query.where.region) == (group, "most", region)


async def test_what_is_put_right_is_shown_where_it_is_open(estate):
    """Its rows are what the echo says; where it passes everywhere, that is said instead."""
    name = "box-0-eu-west-1"
    text = await told(estate, f"list the findings of {name}", "how do I fix the first one")
    assert f"resource {name}" in text
    assert "pass)" not in text
    text = await told(estate, "How do I fix s3_bucket_default_encryption?")
    assert "whatever the status" in text
    assert "✅ [s3_bucket_default_encryption]" in text


async def test_nothing_found_of_less_than_was_asked_is_no_answer(estate):
    """A count of none beside a word that was not used would only calm."""
    text = await told(estate, "How many critical RDS findings were harmful?")
    assert "**0 " not in text
    assert "cannot" in text
    assert "**0 open findings**" in await told(estate, "How many critical RDS findings are open?")


async def test_only_what_got_worse_is_told(estate):
    """The groups that grew, and no word of the whole being better."""
    text = await told(estate, "Which regions got worse since the last scan?")
    assert "That is" not in text
    assert "fewer" not in text.partition("By region")[2]
    assert "no change" not in text


async def test_the_scan_asked_of_is_told_once(estate):
    """An earlier scan's day stands where the newest one's would."""
    text = await told(estate, "How many highs were open on 9 November?")
    assert "Asked of the scan of 2026-11-09: high · open." in text
    text = await told(estate, "What is the oldest high finding?")
    assert "the oldest first" in text
    assert "not shown here" not in text
    assert (await told(estate, "How many highs on 3 November?")).count("“3 November”") == 1


async def test_a_state_that_is_asked_of_one_thing_is_told_by_its_check(asked, vocabulary):
    """Of "does it have encryption turned on" the check that says so, and not its category."""
    vocabulary.categories.add("encryption")
    vocabulary.names = dict(_names(vocabulary))
    query = asked("Does box-3-eu-west-1 have encryption turned on?").query
    assert (query.where.category, query.where.status) == ([], [])
    assert query.where.check == ["s3_bucket_default_encryption"]


async def test_of_several_checks_only_those_as_near_are_put_right(asked, vocabulary):
    """By the category that is named and by what is plainly meant; the reading is told."""
    one = vocabulary.checks["s3_bucket_secure_transport_policy"]
    vocabulary.checks[one.id] = replace(one, categories=frozenset({"transit"}))
    vocabulary.categories.add("transit")
    vocabulary.names = dict(_names(vocabulary))
    reading = asked("How do I fix the transit one of buckets without TLS?")
    assert reading.query.where.check == [one.id]
    assert any(one.id in note for note in reading.notes)
