"""What is asked of the sources about a field: the sentence, what must stand exactly, or why nothing is asked."""

import pytest

from footnoted.answering.blueprint import MISSING, UNASKED, Asked
from footnoted.answering.field_claims import (
    can_stand_beside,
    is_statement,
    object_of,
    of_short,
    of_text,
    states_nothing,
)
from footnoted.answering.fields import Field
from footnoted.types import Span
from tests.tables import every


def weighs(claim):
    return claim.kind == "claim"


@every(
    ("steps", "value", "sentence"),
    [
        (("theft_limit_gbp",), 40000, "Theft limit: £40,000."),
        (("excessPounds",), 75.5, "Excess: £75.5."),
        (("report_within_days",), 30, "Report within: 30 days."),
        (("share_percent",), 12.0, "Share: 12%."),
        (("loss_usd",), -5, "Loss: -$5."),
        (("tax_year",), 2024, "Tax year: 2024."),
        (("limit",), 2024, "Limit: 2,024."),
        (("tiny",), 1e-7, "Tiny: 0.0000001."),
        (("amounts", 0, "pounds"), 75, "£75."),
        (("excesses", 2, "amount"), "£75", "Excesses: £75."),
        (("key_facts", 0), "repair £75", "repair £75."),
        (("insurer",), "Harbour\n Mutual", "Insurer: Harbour Mutual."),
        (("opened",), "2024-03-01T00:00:00Z", "Opened: 2024-03-01."),
        (("opened",), "2024-03-01T10:30:00", "Opened: 2024-03-01 10:30."),
    ],
)
def test_a_short_value_is_asked_by_its_name(steps, value, sentence):
    """The name in words, the unit in the name beside the number; names that only keep things are left out."""
    asked = of_short(Field(steps, value), UNASKED, ())
    assert asked.parts[0].text == asked.alone == sentence
    assert sentence.endswith(f"{asked.exact}.")


def test_a_unit_may_stand_in_the_description():
    """A number whose name has no unit takes the one it is described in."""
    described = Asked(nullable=False, choices=(), default=MISSING, description="the excess, in pounds")
    assert of_short(Field(("excess",), 75), described, ()).exact == "£75"


def test_neighbours_say_what_a_value_is_about():
    """They stand in the first question; the second is about the words found, and asks for the name alone."""
    beside = [Field(("fees", 0, "pounds"), "repair"), Field(("fees", 0, "for"), "glass repair")]
    asked = of_short(Field(("fees", 0, "pounds"), 75), UNASKED, beside)
    assert (asked.parts[0].text, asked.alone) == ("Fees, glass repair: £75.", "Fees: £75.")


@pytest.mark.parametrize(
    ("value", "can"),
    [
        ("glass repair", True),
        ("£75", False),
        ("https://a.example", False),
        ("It is so.", False),
        ("", False),
        (7, False),
    ],
)
def test_only_a_few_plain_words_are_neighbours(value, can):
    """Amounts, addresses and sentences say nothing about what stands beside them."""
    assert can_stand_beside(Field(("what",), value)) is can
    assert not can_stand_beside(Field(("what", 0), value))


@pytest.mark.parametrize(
    "text", ["Racing is excluded", "It is so.", "the cover of glass and of mirrors", "a\nb", "赛车不承保。"]
)
def test_statements(text):
    """A verb, a full stop, or many words."""
    assert is_statement(text)


@pytest.mark.parametrize("text", ["repair of glass", "£75", "No.", "Harbour Mutual", "赛车"])
def test_few_words_are_none(text):
    """A name, an amount, a phrase."""
    assert not is_statement(text)


def test_a_text_is_asked_sentence_by_sentence_without_its_markers():
    """Each points where its markers did; a flagged stretch is found again in the field's own text."""
    text = "Hello! The excess is £75 [1]. Racing is out [2, 1], they say. Why? [9] is none."
    asked = of_text(text, weighs, 2)
    assert [(part.text, part.cited) for part in asked.parts][:2] == [
        ("The excess is £75.", (0,)),
        ("Racing is out, they say.", (1, 0)),
    ]
    start = asked.parts[1].text.index("they")
    found = asked.parts[1].in_field(Span(start, start + 4))
    assert text[found.start : found.end] == "they"
    assert asked.exact == asked.alone == ""


def test_a_text_that_only_refuses_states_nothing():
    """That the sources do not say is no claim about what they say."""
    asked = of_text("The sources do not mention flood.", weighs, 1)
    assert asked.parts == ()
    assert asked.why_not


@pytest.mark.parametrize(
    ("steps", "value", "states"),
    [
        (("a",), None, False),
        (("a",), True, False),
        (("a",), " – ", False),
        (("a",), 0, True),
        (("confidence",), 0.9, False),
        (("confidence",), 9, True),
        (("confidence",), "The excess is £75.", True),
        (("sources_used", 1), 2, False),
    ],
)
def test_what_states_nothing(steps, value, states):
    """Nulls, yes and no, empty words, how sure one is, and the fields named as controls."""
    assert (states_nothing(Field(steps, value), UNASKED, told=True, controls={"sources_used"}) == "") is states


def test_a_default_is_the_schemas_word_only_if_the_model_did_not_say_it():
    """What the model said is its claim, whatever the schema would have filled in."""
    asked = Asked(nullable=False, choices=(), default="GBP", description="")
    assert states_nothing(Field(("currency",), "GBP"), asked, told=False, controls=())
    assert not states_nothing(Field(("currency",), "GBP"), asked, told=True, controls=())


def test_a_lists_items_belong_to_the_object_around_it():
    """So its short texts are their neighbours."""
    assert object_of(("fees", 0, "pounds")) == object_of(("fees", 0, "extras", 2)) == ("fees", 0)
    assert object_of(("fees",)) == object_of(("fees", 1)) == ()
