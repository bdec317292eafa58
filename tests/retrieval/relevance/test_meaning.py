"""Which network reads a question with its texts, and that what was read once is not read again."""

from __future__ import annotations

import pytest

from footnoted.models import EVERY_LANGUAGE, Reader
from footnoted.retrieval.relevance import ShippedMeaning
from footnoted.retrieval.relevance.meaning import in_english

ENGLISH = "The windscreen excess is £75 for each claim that you make."
GERMAN = "Die Selbstbeteiligung bei Glasschäden beträgt 75 Euro je Schadenfall."


@pytest.mark.parametrize(
    ("question", "texts", "english"),
    [
        ("How high is the windscreen excess?", [ENGLISH], True),
        ("windscreen?", [ENGLISH], True),  # too short to tell its language
        ("Wie hoch ist die Selbstbeteiligung bei Glasschäden?", [ENGLISH], False),
        ("How high is the windscreen excess?", [ENGLISH, GERMAN], False),
        ("玻璃险的自付额是多少?", [ENGLISH], False),
        ("How high is the windscreen excess?", [], True),
    ],
)
def test_only_what_is_all_in_english_is_read_as_english(question, texts, english):
    """One text in another language is enough for the network of all languages."""
    assert in_english(question, texts) is english


@pytest.mark.parametrize(("text", "folder"), [(ENGLISH, None), (GERMAN, EVERY_LANGUAGE)])
def test_texts_are_read_by_the_network_for_their_language(text, folder):
    """The chances are that network's own, in the order of the texts, each text read once."""
    question = "How high is the excess for glass?"
    again = [text, "Nothing of it.", text]
    first, _, last = ShippedMeaning().answers(question, again)
    assert first == last == Reader.load(folder).answers(question, text)
