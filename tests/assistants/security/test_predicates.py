"""What a question says was done: a verb the scans know in another form, one they do not, and one that adds nothing."""

import pytest

from footnoted.assistants.security.query.finding_query import Where
from footnoted.assistants.security.query.linking import Linker
from footnoted.assistants.security.query.meaning import shipped_meanings
from footnoted.assistants.security.query.vocabulary import _names, vocabulary_of
from tests.assistants.security.conftest import advisor_on
from tests.assistants.security.estate import DAYS, rows, take_in


@pytest.fixture
async def estate(database):
    """Two scans of two accounts."""
    await take_in(database)
    return database


@pytest.fixture
async def vocabulary(estate):
    """The names of the estate."""
    return await vocabulary_of(estate, "clinic")


@pytest.mark.parametrize(
    ("question", "field", "value"),
    [
        ("how many findings did someone suppress?", "status", ["muted"]),
        ("how many highs has anybody silenced in clinic-prod", "status", ["muted"]),
        ("did someone mute findings in eu-west-1", "status", ["muted"]),
        ("how many S3 findings did we close?", "change", "fixed"),
        ("what did we solve in clinic-prod", "change", "fixed"),
    ],
)
async def test_a_verb_in_another_form_is_the_state_it_leads_to(asked, question, field, value):
    """Who suppresses something leaves it suppressed."""
    reading = asked(question)
    assert (getattr(reading.query.where, field), reading.unused, reading.can_be_asked) == (value, [], True)


@pytest.mark.parametrize(
    "question",
    [
        "how many findings were snoozed in clinic-prod?", "how many findings have been escalated", "how many reappeared?",
        "how many high findings did clinic-prod export", "which findings of S3 were postponed", "how many are disputed?",
    ],
)  # fmt: skip
async def test_what_was_done_and_no_scan_holds_is_refused(estate, asked, question):
    """The number of all findings would answer another question."""
    assert asked(question).unfit or asked(question).reason
    advice = await advisor_on(estate).answer(question, None, "clinic")
    assert advice.response.finish_reason.value == "refused"


@pytest.mark.parametrize(
    "question",
    [
        "how many findings are sitting in clinic-prod?", "how many findings does clinic-prod have",
        "how many findings are reported for S3", "how many findings do we see in eu-west-1", "how many findings touch HIPAA",
        "how many criticals have been sitting there for more than 30 days", "anything open on S3? it holds customer claims",
    ],
)  # fmt: skip
async def test_a_verb_that_adds_nothing_leaves_the_question(asked, question):
    """Findings that sit somewhere are those that are there; what is said beside the question asks nothing."""
    assert asked(question).can_be_asked


@pytest.mark.parametrize(
    "question", ["is anything wrong with clinic-prod?", "what is wrong in eu-west-1", "which S3 findings are pending"]
)
async def test_how_something_is_may_be_told_by_what_is_open(asked, question):
    """A list of what is open answers it in part, and says which word it did not use; a number would not."""
    reading = asked(question)
    assert reading.can_be_asked
    assert reading.unused


@pytest.mark.parametrize(
    "question", ["did we fix more than we broke since the last scan?", "did more get fixed than got muted in S3"]
)
async def test_two_numbers_that_are_not_set_side_by_side_are_refused(asked, question):
    """One of them alone says nothing of which is more."""
    assert asked(question).unfit
    assert asked("more criticals than in the last scan?").can_be_asked


async def test_whether_all_is_passed_is_told_by_all_there_is(estate, asked):
    """What passes alone would say so of everything."""
    query = asked("does box-1-eu-west-1 pass everything?").query
    assert (query.where.status, query.where.resource) == ([], ["box-1-eu-west-1"])
    text = (await advisor_on(estate).answer("does box-1-eu-west-1 pass all checks?", None, "clinic")).response.response
    assert "1 passing" in text
    assert "1 open" in text


async def test_a_grade_beside_its_noun_is_not_what_is_ranked(asked):
    """Of the most high severity findings, severity only says what high is of."""
    assert asked("who has the most high severity findings").query.group_by == "tag:team"
    assert asked("which severity has the most findings").query.group_by == "severity"


async def test_what_is_to_be_closed_was_not(asked):
    """What there is to do has not been done."""
    assert asked("how many findings do we have to close").query.where.change is None


def test_the_encoder_tells_what_adds_nothing():
    """Verbs no threshold was fitted on."""
    meanings = shipped_meanings()
    assert all(meanings.adds_nothing(verb, active=False) for verb in ("discovered", "observed", "placed"))
    assert not any(meanings.adds_nothing(verb, active=False) for verb in ("forgotten", "buried", "rejected"))
    assert not any(meanings.adds_nothing(verb, active=True) for verb in ("bury", "reject", "publish"))


async def test_what_is_denied_by_its_first_letters_is_denied(vocabulary):
    """Where checks speak of what is encrypted, what is unencrypted is not; a word that checks know stays whole."""
    words = [one.text for one in Linker(vocabulary).link("which volumes are unencrypted")]
    assert words[-2:] == ["not", "encrypted"]
    assert Linker(vocabulary).link("which volumes are unheard")[-1].text == "unheard"


async def test_what_has_something_passes(estate, vocabulary, asked):
    """Buckets that have what a check wants are not those that lack it."""
    vocabulary.categories.add("encryption")
    vocabulary.names = _names(vocabulary)
    has, lacks = asked("which buckets have encryption").query, asked("buckets without encryption").query
    assert has.where.check == lacks.where.check != []
    assert (has.where.status, lacks.where.status) == (["pass"], ["fail"])


@pytest.mark.parametrize(
    ("question", "key"),
    [("who has the most open findings?", "team"), ("who is doing worst", "team"), ("who owns the most highs", "team")],
)
async def test_who_has_something_is_in_the_tag_that_says_whose_it_is(asked, question, key):
    """Nobody did anything: it is asked whose something is."""
    reading = asked(question)
    assert (reading.query.group_by, reading.query.order_by, reading.can_be_asked) == (f"tag:{key}", "most", True)


@pytest.mark.parametrize(
    "question", ["who opened the most findings", "who has muted the most findings", "who fixed S3?"]
)
async def test_who_did_something_is_not_known(asked, question):
    """No scan holds it."""
    assert asked(question).reason


def test_which_key_says_whose_something_is():
    """The plainest one, and none where none does."""
    meanings = shipped_meanings()
    assert meanings.owning(["env", "owner", "tier"]) == "owner"
    assert meanings.owning(["backup", "team", "version"]) == "team"
    assert meanings.owning(["env", "cost-center", "tier"]) == ""


async def test_parts_are_told_by_group(estate, asked):
    """Of the highs in each account, and which account has the highest share of them."""
    highs = {account: len(rows(severity="high", account=account)) for account in ("clinic-prod", "clinic-labs")}
    for question in ("what share of the highs is in each account?", "which account has the largest share of the highs"):
        text = (await advisor_on(estate).answer(question, None, "clinic")).response.response
        for account, count in highs.items():
            assert f"{count} ({100 * count / sum(highs.values()):.1f} %)" in text, account


async def test_a_number_stands_before_what_is_ranked(asked):
    """Top three of a kind, by how many findings each has."""
    query = asked("top 3 buckets by number of open findings").query
    assert (query.select, query.group_by, query.limit, query.order_by) == ("group", "resource", 3, "most")


async def test_so_long_ago_is_the_scan_taken_then(estate, asked):
    """A week ago there was one; two months ago there was none."""
    assert asked("how many findings were open a week ago?").query.where == Where(scan="previous")
    assert asked("how many findings were open 8 days ago?").query.where == Where(scan="previous")
    assert asked("how many findings were open two months ago?").unfit
    assert asked("how many findings were open for more than a week").query.where.scan == "latest"
    text = (await advisor_on(estate).answer("how many open findings in each scan?", None, "clinic")).response.response
    assert all(f"{day}: {len(rows(day))} open" in text for day in DAYS)
