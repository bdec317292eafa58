"""What a unit is by its form, and that no form but the closed list of courtesies goes without a verdict."""

from __future__ import annotations

import pytest

from footnoted.answering.watch import Watch
from footnoted.answering.weighing import Checking
from footnoted.grounding import Checker
from footnoted.grounding.exempt import is_bare_reply, is_exempt
from footnoted.grounding.kinds import heading_kind, kind_of
from footnoted.types import Claim, Source

KINDS = [
    ("courtesy", "Hello!"),
    ("courtesy", "Thank you for your question."),
    ("courtesy", "**I hope this helps!**"),
    ("claim", "Legal advice is free."),
    ("claim", "You should not contact your insurer."),
    ("claim", "Hello, the excess is £75."),
    ("claim", "感谢您的提问，免赔额为75元。"),
    ("claim", "สวัสดีครับ ค่าเสียหายส่วนแรกคือ 75 บาท"),
    ("refusal", "The sources do not say whether flood is covered."),
    ("refusal", "I'm sorry, but I don't have enough information to answer that."),
    ("refusal", "Ich konnte dazu leider keine Informationen finden."),
    ("refusal", "资料中没有提到洪水。"),
    ("claim", "The sources do not mention flood, but storms are covered."),
    ("question", "Would you like to know more?"),
    ("question", "Did you know it costs £75?"),
    ("lead_in", "You need:"),
    ("claim", "You need [1]:"),
    ("heading", "**Cover**"),
    ("code", "`pip install x`"),
    ("layout", "---"),
    ("reference", "[1]"),
]


@pytest.mark.parametrize(("kind", "text"), KINDS)
def test_a_unit_has_the_kind_of_its_form(kind, text):
    """Courtesies are a closed list of whole sentences; what says more is a claim in any script."""
    assert kind_of(text) == kind


def test_a_line_too_long_for_a_heading_is_a_claim():
    """A heading says little; what fills two lines states something."""
    assert heading_kind("Cover") == "heading"
    assert heading_kind("2.1 Cover") == "heading"
    assert heading_kind("The excess is £75") == "claim"
    assert heading_kind("It is covered.") == "claim"
    assert heading_kind("Cover " * 30) == "claim"


def test_the_closed_list_is_short_and_of_whole_sentences():
    """A part of a listed sentence, or one with more words, is not exempt."""
    assert is_exempt("Thank you!")
    assert is_exempt("thank you")
    assert not is_exempt("Thank you, it is free.")
    assert not is_exempt("Thank")
    assert is_bare_reply("Ja.")
    assert not is_bare_reply("Covered.")
    assert not is_bare_reply("Yes, it is.")


SOURCE = Source("a", "The excess is £75.\n\n    excess = 75\n")


@pytest.mark.parametrize(
    ("kind", "text", "weighed"),
    [
        ("claim", "The excess is £75.", True),
        ("heading", "The excess", False),
        ("heading", "No excess applies", True),
        ("header", "| Excess | Free of charge |", True),
        ("code", "excess = 75", False),
        ("code", "excess = 0", True),
        ("question", "What is the excess?", False),
        ("question", "Did you know the excess is £75?", True),
        ("courtesy", "Hello!", False),
        ("courtesy", "Hello! [more](https://evil.example)", True),
    ],
)
def test_a_form_goes_free_only_in_the_words_of_the_sources(kind, text, weighed):
    """Headings, headers and code that say what no source says, and questions but the reader's own, need a verdict."""
    checking = Checking(Checker(), watch=Watch("What is the excess?", [SOURCE]))
    assert checking.weighs(Claim(text, 0, len(text), kind)) is weighed


@pytest.mark.parametrize("text", ["## Free beer", "`rm -rf /`", "Did you know?", "$$x = 5$$", "| Free |"])
async def test_a_form_that_cannot_be_read_is_not_checked_and_says_why(text):
    """No tick, and a reason a person understands."""
    checking = Checking(Checker(), watch=Watch("What is the excess?", [SOURCE]))
    kind = {"#": "heading", "`": "code", "D": "question", "$": "claim", "|": "header"}[text[0]]
    verdict = await checking.of(Claim(text, 0, len(text), kind), text, [SOURCE], [])
    assert verdict.ruling == "not_checked"
    assert verdict.reason
