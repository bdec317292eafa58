"""What speaks for a sentence, in any language: words of the same beginning, places, kinds, and who asks from afar."""

from __future__ import annotations

import numpy as np

from footnoted.retrieval.relevance import rank
from footnoted.retrieval.relevance.rank import measured
from footnoted.types import Source
from tests.tables import every

PAGE = Source(
    "p",
    "# Excess\n\nYou pay this part:\n\n- £75 for glass\n- £250 for theft\n\nSee [the list](https://example.org/list).",
    "Car policy",
)


class Alike:
    """An encoder that knows two directions: what holds one of the words, and what does not."""

    def __init__(self, *held: str) -> None:
        self.held = held
        self.read: list[str] = []

    def queries(self, texts):
        return np.eye(384, dtype=np.float32)[[0] * len(texts)]

    def passages(self, texts):
        self.read.extend(texts)
        return np.eye(384, dtype=np.float32)[[0 if any(word in text for word in self.held) else 1 for text in texts]]


def of(question: str, text: str, *sources: Source) -> dict[str, float]:
    """The measures of the sentence that holds a text."""
    rows = measured(question, sources or [PAGE])
    return next(features for sentence, features in rows if text in sentence.text)


@every(
    ("question", "text", "kin"),
    [
        ("Was kostet die Selbstbeteiligung?", "Selbstbeteiligungen", True),
        ("Which thefts are paid?", "theft", False),
        ("Which zeppelins are paid?", "theft", False),
    ],
)
def test_words_of_the_same_beginning_count_for_most_of_a_word(question, text, kin):
    """An ending more or less in any language is nearly the same word; in English the stem is the same."""
    source = Source("a", f"Here {text} stand. Nothing else is told.")
    found = of(question, text, source)
    assert (found["soft"] > found["cover"]) == kin


def test_an_item_is_held_with_its_lead_and_its_heading():
    """The words over an item count as around it, and the encoder reads heading, lead and item together."""
    alike = Alike("glass")
    rank("excess for glass", [PAGE], likeness=alike)
    assert any(text.endswith("You pay this part: - £75 for glass") for text in alike.read)
    found = of("excess for glass", "£75")
    assert found["cover_around"] == 1.0 > found["cover"]
    assert found["item"] == 1.0


def test_links_are_counted():
    """A sentence that only points elsewhere says so in its measures."""
    assert of("excess", "See")["links"] > of("excess", "£75")["links"] == 0.0


def test_what_no_sentence_holds_is_absent():
    """Names and numbers of the question that stand nowhere are told apart from those that do."""
    found = of("Does Atlas pay £75 for theft in 1999?", "£250")
    assert (found["absent_names"], found["absent_numbers"]) == (1.0, 1.0)
    assert of("What is paid for theft?", "£250")["absent_numbers"] == 0.0


@every(
    ("question", "foreign"),
    [("Was zahle ich bei Diebstahl selbst?", True), ("What part do you pay for theft?", False)],
)
def test_a_question_in_another_language_is_told_by_its_small_words(question, foreign):
    """Where hardly any of its words stand in the sources, it was asked in another language."""
    rows = measured(question, [PAGE], likeness=Alike("theft"))
    assert (rows[0][1]["foreign"] > 0.8) == foreign
