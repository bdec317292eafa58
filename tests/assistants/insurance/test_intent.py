"""The router: product, topic and kind out of words, a question back where they do not tell."""

import json
import re

import pytest

from footnoted.assistants.insurance import IntentRouter, Vocabulary
from footnoted.errors import ConfigurationError
from footnoted.testing import ScriptedLLM, scripted_provider
from tests.tables import every

PRODUCTS = (
    "Harbour Car Comprehensive",
    "Harbour Car Third Party, Fire and Theft",
    "Harbour Home Contents",
    "Harbour Home Contents Select",
    "Harbour Travel Annual Multi-Trip",
)
ROUTER = IntentRouter(products=PRODUCTS)


@every(
    ("message", "kind"),
    [
        ("How much is the windscreen excess?", "amount"),
        ("What is the excess for escape of water?", "amount"),
        ("How long may my home stand empty?", "amount"),
        ("Am I covered for a cracked windscreen?", "eligibility"),
        ("Do you pay for stolen keys?", "eligibility"),
        ("How do I make a claim for theft?", "claim_procedure"),
        ("What papers do I need for a baggage claim?", "claim_procedure"),
        ("Whom do I call after an accident?", "claim_procedure"),
        ("What is the difference between Contents and Contents Select?", "comparison"),
        ("Which policy is better for jewellery?", "comparison"),
        ("Tell me about courtesy cars.", "fact"),
        ("What is the capital of France?", "not_ours"),
        ("Write a poem about the sea.", "not_ours"),
        ("Berapakah ekses untuk cermin depan?", "amount"),
        ("挡风玻璃的自付额是多少？", "amount"),
    ],
)
def test_the_kind_of_question_is_told(message, kind):
    """Fact, amount, eligibility, claim procedure, comparison, not ours."""
    assert ROUTER.classify_intent(message).kind == kind


@pytest.mark.parametrize(
    ("message", "products"),
    [
        ("Is glass covered by Comprehensive?", ["Harbour Car Comprehensive"]),
        ("Is my ring covered by Contents Select?", ["Harbour Home Contents Select"]),
        ("Contents or Contents Select for a ring?", ["Harbour Home Contents", "Harbour Home Contents Select"]),
        ("With third party, fire and theft, is glass covered?", ["Harbour Car Third Party, Fire and Theft"]),
        ("How long is a trip on the annual policy?", ["Harbour Travel Annual Multi-Trip"]),
        ("Is glass covered?", []),
    ],
)
def test_products_are_known_by_their_short_names(message, products):
    """A longer name hides the shorter one within it."""
    assert sorted(ROUTER.classify_intent(message).products) == sorted(products)


@pytest.mark.parametrize(
    ("message", "product"),
    [
        ("What is the excess of Alder Caravan?", "Alder Caravan Insurance policy wording"),
        ("Is hail on the caravan policy?", "Alder Caravan Insurance policy wording"),
        ("Does Quill Drone pay for water?", "Quill Drone Cover - policy booklet"),
        ("Does my insurance policy pay for hail?", None),
    ],
)
def test_a_product_is_known_by_what_tells_its_title_from_others(message, product):
    """Nobody says "policy booklet", and "insurance" names none."""
    router = IntentRouter(products=["Alder Caravan Insurance policy wording", "Quill Drone Cover - policy booklet"])
    assert router.classify_intent(message).product == product


def test_a_products_name_is_no_topic():
    """The name "Third Party, Fire and Theft" asks neither about fire nor about theft."""
    found = ROUTER.classify_intent("Does Third Party, Fire and Theft cover my windscreen?")
    assert found.topic == "windscreen"
    assert "fire" not in found.topics


def test_a_follow_up_is_searched_with_the_question_before():
    """The words stay the customer's own: likeness in meaning finds the policies'."""
    found = ROUTER.classify_intent("And for theft?", [("What is the windscreen excess?", "£75.")])
    assert found.search == "What is the windscreen excess? And for theft?"


@pytest.mark.parametrize("message", ["", "   ", "?!", None, 7, [], {"a": 1}, b"bytes"])
def test_what_is_no_question_gets_a_question_back(message):
    """A polite request, never an exception."""
    found = ROUTER.classify_intent(message)
    assert found.needs_clarification
    assert "ask me a question" in found.clarification


def test_a_message_too_long_is_asked_to_be_shorter():
    """10,000 characters: one thing at a time, please."""
    found = ROUTER.classify_intent("Is my windscreen covered? " * 400)
    assert "one thing at a time" in found.clarification


def test_an_unclear_message_gets_the_products_to_choose_from():
    """The question "Am I covered?" could be about anything."""
    found = ROUTER.classify_intent("Am I covered?")
    assert "Comprehensive" in found.clarification


def test_a_follow_up_leans_on_the_question_before():
    """And only then: a new matter does not."""
    history = [("What is the windscreen excess?", "£75 [1].")]
    assert ROUTER.classify_intent("And with Comprehensive?", history).topic == "windscreen"
    assert ROUTER.classify_intent("How do I complain about a claim?", history).about == ""
    assert ROUTER.classify_intent("hello", history).about == ""


def test_products_may_be_any_text():
    """Regex characters in a name mean themselves."""
    router = IntentRouter(products=["A.*(b", "Plan [x]+", "C++ Gold", "C++ Silver"])
    assert router.classify_intent("Is glass covered by plan [x]+?").product == "Plan [x]+"
    assert router.classify_intent("Is glass covered by C++ Gold?").product == "C++ Gold"


def test_a_vocabulary_of_ones_own(tmp_path):
    """A JSON file replaces the sections it names; what is wrong with it is said in words."""
    path = tmp_path / "words.json"
    path.write_text(json.dumps({"topics": {"boats": ["boat", "yacht"]}, "products": {"Sail": ["boat policy"]}}))
    found = IntentRouter(path).classify_intent("Is a yacht covered by the boat policy?")
    assert (found.topic, found.product) == ("boats", "Sail")
    path.write_text('{"topcis": {}}')
    with pytest.raises(ConfigurationError, match="topcis"):
        IntentRouter(path)
    path.write_text("{")
    with pytest.raises(ConfigurationError, match="cannot be read"):
        IntentRouter(path)


def test_a_broken_pattern_is_told():
    """Kinds are regular expressions; one that is none is named."""
    router = IntentRouter(Vocabulary(kinds={"amount": ["("]}, topics={"glass": ["glass"]}))
    with pytest.raises(ConfigurationError, match=re.escape("'('")):
        router.classify_intent("Is glass covered?")


async def test_a_model_is_asked_only_where_words_leave_it_open():
    """A known question costs no call; an open one gets kind and topic from the model's JSON."""
    said = 'Here: {"kind": "eligibility", "topics": ["windscreen", "made up"]}'
    async with ScriptedLLM(said) as llm:
        from footnoted.providers import build

        provider = build("openai", api_key="k", base_url=llm.url(), model="m")
        router = IntentRouter(products=PRODUCTS, provider=provider)
        await router.aclassify_intent("How much is the windscreen excess?")
        assert llm.requests == []
        found = await router.aclassify_intent("There is a star in the pane in front of me")
        await provider.aclose()
    assert (found.kind, found.topics) == ("eligibility", ("windscreen",))


@pytest.mark.parametrize("said", ["no JSON", '{"kind": "rm -rf"}', RuntimeError("down"), '{"topics": 5}'])
async def test_a_model_that_talks_nonsense_changes_nothing(said):
    """The words decide."""
    router = IntentRouter(products=PRODUCTS, provider=scripted_provider(said))
    found = await router.aclassify_intent("There is a star in the pane in front of me")
    assert found.kind == "not_ours"
