"""A question after another: what its pronouns stand for, what it takes away or adds, and what was refused before it."""

import pytest

from tests.assistants.security.conftest import advisor_on
from tests.assistants.security.estate import rows, take_in


@pytest.fixture
async def talk(database):
    """The estate's advisor, asked several questions one after the other; the advice on the last."""
    await take_in(database)
    service = advisor_on(database)

    async def ask(*questions):
        history = []
        for question in questions:
            advice = await service.answer(question, None, "clinic", history)
            history = [*history, (question, advice.response.response)]
        return advice

    return ask


@pytest.mark.parametrize(
    "then", ["how many medium findings does it have?", "count its mediums", "how many mediums are open there"]
)
async def test_a_pronoun_stands_for_what_a_ranking_put_first(talk, then):
    """Its name is read off the answer before, and the count is of it alone."""
    advice = await talk("Which account has the fewest open findings?", then)
    assert advice.asked.query.where.account == ["111122223333"]
    assert advice.response.response.startswith(f"**{len(rows(account='clinic-prod', severity='medium'))} open finding")


async def test_a_pronoun_of_several_stands_for_as_many_as_were_asked_for(talk):
    """Of the top two services, both."""
    two = await talk("top 2 services by open findings")
    names = [one.removeprefix("- ").partition(":")[0] for one in two.response.response.splitlines()[2:4]]
    advice = await talk("top 2 services by open findings", "how many of their findings are high?")
    assert sorted(advice.asked.query.where.service) == sorted(names)


@pytest.mark.parametrize(
    ("before", "then", "left"),
    [
        ("open findings by account", "list its highs", "its"),
        ("How many findings are open?", "how many of its findings are high?", "its"),
        ("which account has the most findings", "how many does it have in clinic-labs and clinic-prod", "it"),
    ],
)
async def test_a_pronoun_that_stands_for_nothing_is_not_asked(talk, before, then, left):
    """Nothing was put first, or the question itself says another."""
    advice = await talk(before, then)
    assert advice.response.finish_reason.value == "refused"
    assert left in advice.asked.reading.unfit


async def test_a_pronoun_of_a_first_question_is_not_passed_over(talk):
    """There is nothing before that it could be of."""
    assert (await talk("how many of its findings are high?")).response.finish_reason.value == "refused"


async def test_that_there_is_something_points_nowhere(talk):
    """What follows "are there any" is asked as it says, whatever was asked before."""
    advice = await talk("Which account has the most findings?", "are there any muted findings in clinic-prod?")
    assert advice.asked.query.where.account == ["111122223333"]
    assert not advice.asked.reading.unfit


@pytest.mark.parametrize(
    ("before", "then"),
    [
        ("who muted the S3 findings?", "how many were high?"),
        ("list the findings in Ruritania", "only the mediums"),
        ("How did S3 change since October?", "and what about IAM?"),
    ],
)
async def test_what_could_not_be_asked_stays_so_in_what_follows(talk, before, then):
    """A follow-up edits a question that has no answer, so it has none either."""
    first = await talk(before)
    advice = await talk(before, then)
    assert (first.response.finish_reason.value, advice.response.finish_reason.value) == ("refused", "refused")
    assert advice.asked.reading.never is first.asked.reading.never


@pytest.mark.parametrize(
    ("before", "then"),
    [
        ("How many findings in Ruritania?", "and in clinic-prod?"),
        ("How many findings in Ruritania?", "count the mediums"),
        ("How did S3 change since October?", "and since 9 November?"),
    ],
)
async def test_what_is_put_in_the_place_of_what_could_not_be_asked_can(talk, before, then):
    """Another name behind the same word, another day, or a question of its own."""
    advice = await talk(before, then)
    assert (advice.asked.reading.unfit, advice.response.finish_reason.value) == ([], "complete")
    assert advice.asked.query.select == ("diff" if "change" in before else "count")


async def test_a_verb_says_what_becomes_of_what_was_asked_before(talk):
    """It takes away, adds, or leaves only what is named."""
    first = "List the medium findings in clinic-prod"
    for then, severity, exclude in (
        ("leave out the S3 ones", ["medium"], {"service": ["s3"]}),
        ("ditch all of the S3 ones", ["medium"], {"service": ["s3"]}),
        ("please bring in the highs", ["medium", "high"], {}),
        ("limit it to the highs", ["high"], {}),
    ):
        advice = await talk(first, then)
        query = advice.asked.query
        assert advice.response.finish_reason.value == "complete", then
        assert (query.where.account, query.where.severity, query.without()) == (["111122223333"], severity, exclude)
    both = (await talk(first, "remove the S3 ones", "and delete the IAM ones")).asked.query
    assert both.without() == {"service": ["s3", "iam"]}


@pytest.mark.parametrize("then", ["encrypt the S3 ones", "include the S3 ones"])
async def test_a_verb_that_does_neither_is_not_passed_over(talk, then):
    """What is to be done to them is not known, or cannot stand beside what was asked for."""
    advice = await talk("List the medium findings in clinic-prod", then)
    assert advice.response.finish_reason.value == "refused"
    assert then.partition(" ")[0] in advice.asked.reading.unfit
