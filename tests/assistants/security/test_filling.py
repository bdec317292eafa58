"""A model over loopback fills the query, well and badly; a bad one never gives a wrong number without a word of it."""

import json

import pytest

from footnoted.assistants.security.query.accounting import Held
from footnoted.assistants.security.query.filling import filled, known_names
from footnoted.assistants.security.query.finding_query import FindingQuery, Where
from footnoted.assistants.security.query.reading import read
from footnoted.assistants.security.query.vocabulary import vocabulary_of
from footnoted.providers import build
from footnoted.testing import ScriptedLLM
from tests.assistants.security.conftest import advisor_on

# "grievous" is a word the grammar does not know; "S3" and "eu-west-1" are literals that it holds every query to.
QUESTION = "How many grievous S3 findings in eu-west-1?"
WELL = {"select": "count", "where": {"service": ["s3"], "region": ["eu-west-1"], "severity": ["critical"]}}
WRONG = {
    "a region left out": {"select": "count", "where": {"service": ["s3"]}},
    "another region": {"select": "count", "where": {"service": ["s3"], "region": ["us-east-1"]}},
    "an invented account": {"where": {"service": ["s3"], "region": ["eu-west-1"], "account": ["999988887777"]}},
    "a value in the wrong field": {"where": {"service": ["eu-west-1"], "region": ["s3"]}},
    "an unknown field": {"where": {"service": ["s3"], "place": ["eu-west-1"]}},
    "an unknown framework": {"where": {"service": ["s3"], "region": ["eu-west-1"], "framework": "ISO27001"}},
    "a requirement it has not": {"where": {**WELL["where"], "framework": "HIPAA", "requirement": "999.9"}},
    "a version of nothing": {"where": {**WELL["where"], "version": "5.0"}},
    "a comparison of nothing": {"select": "compare", "where": WELL["where"]},
    "a bound of no groups": {"where": WELL["where"], "having": {"at_least": 5}},
    "a group of nothing": {"select": "group", "group_by": "mood", "where": WELL["where"]},
}


@pytest.fixture
async def vocabulary(clinic):
    """The names of the clinic's findings."""
    return await vocabulary_of(clinic, "clinic")


async def reading_by(vocabulary, question, *replies, **options):
    """The reading a scripted model gives, and what it was asked."""
    async with ScriptedLLM(*[one if isinstance(one, str) else json.dumps(one) for one in replies]) as llm:
        model = build("compatible", base_url=llm.url("openai"), model="scripted")
        try:
            found = await filled(read(question, vocabulary), vocabulary, model, within=60, **options)
        finally:
            await model.aclose()
        return found, llm.requests


@pytest.mark.parametrize(
    ("having", "by_model"), [({"at_least": 3}, True), ({"at_least": 2}, False), ({"at_most": 7}, False), ({}, False)]
)
async def test_a_model_s_bound_is_that_of_the_question(vocabulary, having, by_model):
    """More than two is at least three; another number, and none, drop what was asked."""
    query = {"select": "group", "group_by": "region", "having": having, "where": {"severity": ["critical"]}}
    found, _ = await reading_by(vocabulary, "Which regions have more than 2 grievous findings?", query, query)
    assert found.by_model is by_model
    assert not by_model or found.query.having.at_least == 3


async def test_what_the_grammar_leaves_over_a_model_fills(vocabulary):
    """The query is the model's; it was shown the schema and the tenant's own names, and the word it read stays told."""
    found, asked = await reading_by(vocabulary, QUESTION, WELL)
    assert found.by_model
    assert found.query.where.narrowed() == WELL["where"]
    assert found.unused == ["grievous"]
    assert any("severity critical" in note for note in found.notes)
    (request,) = asked
    assert "FindingQuery" in json.dumps(request.json)
    assert "eu-west-1" in request.prompt_text
    assert "111122223333" in request.prompt_text


async def test_what_the_grammar_reads_whole_asks_no_model(vocabulary):
    """Names, numbers and times that all have their field need no second opinion."""
    found, asked = await reading_by(vocabulary, "How many high findings in eu-west-1?", WELL)
    assert not asked
    assert found.query.where.narrowed() == {"severity": ["high"], "region": ["eu-west-1"]}


@pytest.mark.parametrize("wrong", list(WRONG.values()), ids=list(WRONG))
async def test_a_bad_query_is_sent_back_once_and_may_be_set_right(vocabulary, wrong):
    """The second reply stands, and the first was told what is wrong with it."""
    found, asked = await reading_by(vocabulary, QUESTION, wrong, WELL)
    assert found.query.where.narrowed() == WELL["where"]
    assert len(asked) == 2
    assert "did not fit" in asked[1].prompt_text or "did not fit" in json.dumps(asked[1].json)


@pytest.mark.parametrize(
    "wrong", [*WRONG.values(), "{broken", "", "[]", '{"where": ' * 500], ids=[*WRONG, "cut", "empty", "list", "deep"]
)
async def test_a_query_that_stays_bad_is_not_run(clinic, vocabulary, wrong):
    """The grammar's own reading answers, and says which word it did not use."""
    found, asked = await reading_by(vocabulary, QUESTION, wrong)
    assert not found.by_model
    assert 1 <= len(asked) <= 2  # an empty reply is the provider's fault, and not asked to be mended
    assert found.query.where.narrowed() == {"service": ["s3"], "region": ["eu-west-1"]}
    assert found.unused == ["grievous"]


async def test_what_a_model_says_cannot_be_asked_is_told(clinic):
    """A part of the question that no field holds is answered by that, and by no number."""
    told = json.dumps({**WELL, "cannot": ["grievous"]})
    async with ScriptedLLM(told) as llm:
        service = advisor_on(clinic, "compatible", base_url=llm.url("openai"), model="scripted")
        advice = await service.answer(QUESTION, None, "clinic")
        await service.aclose()
    assert advice.response.finish_reason.value == "refused"
    assert "I cannot filter by “grievous”" in advice.response.response


async def test_an_answer_names_what_only_the_model_set(clinic):
    """A severity nobody asked for stands in the answer as the model's."""

    def said(request):
        return json.dumps(WELL) if "FindingQuery" in json.dumps(request.json) else "NO_ANSWER"

    async with ScriptedLLM(said) as llm:
        service = advisor_on(clinic, "compatible", base_url=llm.url("openai"), model="scripted")
        advice = await service.answer(QUESTION, None, "clinic")
        await service.aclose()
    assert "nothing in the question says severity critical" in advice.response.response
    assert advice.as_json()["query"]["where"]["severity"] == ["critical"]


async def test_names_are_taken_as_people_write_them(vocabulary):
    """A framework in small letters and an account with its id become the findings' own."""
    query, wrong = known_names(
        FindingQuery(where=Where(service=["S3"], account=["clinic-prod (111122223333)"], framework="hipaa")), vocabulary
    )
    found = query.where
    assert (found.service, found.account, found.framework, wrong) == (["s3"], ["111122223333"], "HIPAA", [])


@pytest.mark.parametrize(
    ("question", "where", "dropped"),
    [
        ("High S3 findings in eu-west-1", {"severity": ["high"], "service": ["s3"], "region": ["eu-west-1"]}, []),
        ("High S3 findings in eu-west-1", {"service": ["s3"], "region": ["eu-west-1"]}, ["High"]),
        ("High S3 findings in eu-west-1", {"severity": ["high"], "service": ["s3"]}, ["eu-west-1"]),
        ("S3 findings open for more than 30 days", {"service": ["s3"], "open_for_more_than": 30}, []),
        ("S3 findings open for more than 30 days", {"service": ["s3"], "open_for_more_than": 31}, ["30"]),
        ("S3 findings of account 999988887777", {"service": ["s3"]}, ["999988887777"]),
        ("Muted S3 findings", {"service": ["s3"]}, ["Muted"]),
    ],
)
async def test_the_account_of_a_question(vocabulary, question, where, dropped):
    """Each literal of a question is held by the query, or named."""
    held = Held(FindingQuery(where=Where(**where)), vocabulary, read(question, vocabulary).mentions)
    assert held.dropped() == dropped


@pytest.mark.parametrize(
    ("question", "unused"),
    [
        ("How old are S3 findings by region?", ["by", "region"]),
        ("How many S3 findings without high ones?", []),
        ("How many S3 findings are not there per account?", ["not"]),
        ("Why are S3 findings older than usual?", ["older than", "usual"]),
    ],
)
async def test_a_word_of_the_grammar_that_nothing_says_is_told(vocabulary, question, unused):
    """Words of counting, grouping and denying count as used only where the query says so."""
    assert [one for one in read(question, vocabulary).unused if one in unused] == unused
