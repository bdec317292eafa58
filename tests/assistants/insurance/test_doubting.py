"""What speaks against a sentence as the answer: what is done is not told, the wrong kind of thing, a meaning far off."""

import pytest

from footnoted.assistants.insurance.doubting import doubt
from footnoted.assistants.insurance.extracts import PolicyExtracts
from footnoted.assistants.insurance.ranking import rank
from footnoted.assistants.insurance.telling import Telling
from footnoted.assistants.insurance.vocabulary import Vocabulary
from footnoted.types import Prompt, Source

ALARM = Source("a", "Your schedule may require locks or a burglar alarm.", title="Acme Home › 7. Security")


def against(question, near, text=ALARM.text):
    """What speaks against a section's best sentence."""
    source = Source("a", text, title=ALARM.title)
    best = rank(question, [source])[0]
    return doubt(Telling(question, [source], Vocabulary.load()), best, best.sentence.text, source, near)


@pytest.mark.parametrize(
    ("question", "like"),
    [
        ("Will you install a burglar alarm for me?", "Will you require a burglar alarm of me?"),
        ("Who owns the burglar alarm?", "Who may require the burglar alarm?"),
        ("What does a burglar alarm earn?", "What does a burglar alarm require?"),
    ],
)
def test_what_is_done_must_be_told(question, like):
    """The same question with an act the section speaks of is doubted less."""
    assert against(question, None) > against(like, None)


def test_a_meaning_far_off_is_doubted():
    """The farther, the more; without an encoder nothing is known of it."""
    asked = "Is a burglar alarm required?"
    assert against(asked, 0.1) > against(asked, 0.3) > against(asked, 0.6)
    assert against(asked, 0.35) == pytest.approx(against(asked, None))


def test_another_kind_of_thing_than_is_asked_for_is_doubted():
    """A sum is asked for and none is told."""
    asked = "How much does the burglar alarm cost?"
    assert against(asked, None, "The burglar alarm has a cost.") > against(asked, None, "The burglar alarm costs £50.")


def test_a_product_that_cannot_tell_does_not_hand_its_chance_to_a_lesser_one():
    """The section that is nearest tells no share in hundred; one far below it that has one does not answer for it."""
    sections = (
        Source("a", "The no claims discount grows each year.", title="Acme Car", metadata={"product_name": "Acme Car"}),
        Source("b", "A second copy costs 5% more.", title="Acme Papers", metadata={"product_name": "Acme Papers"}),
    )
    question = "What is my no claims discount in percent?"
    assert PolicyExtracts().answer(Prompt(question=question, system="", ask=question, sources=sections)) == []
