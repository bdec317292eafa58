"""Which sentence answers, and whether any does."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnoted.retrieval.relevance import ShippedMeaning, answerability, rank, read, reread, tells_changes
from footnoted.retrieval.relevance.narrow import narrow
from footnoted.retrieval.relevance.question import understand
from footnoted.retrieval.relevance.rank import after_another, alone, kind_of
from footnoted.types import Source
from tests.laws import tried
from tests.retrieval.relevance.test_measures import Alike

BRIDGE = Source(
    "b",
    "The Severn Bridge was opened in September 1966 by the Queen. It carries a motorway. "
    "Its engineer was Gilbert Roberts. The towers are 136 metres high and hollow. Tolls were abolished in 2018.",
    "Severn Bridge",
)


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("what is in here?", "collection"),
        ("what goes in /usr/local?", "matter"),
        ("what is in proxy_settings?", "matter"),
        ("summarise the page on /usr/local", "page"),
    ],
)
def test_what_names_a_path_or_an_identifier_is_not_asked_of_the_whole_collection(question, kind):
    """However much it sounds like "what is in here?"."""
    assert kind_of(question, ShippedMeaning()) == kind


@pytest.mark.parametrize(
    ("question", "holds"),
    [
        ("When was the bridge opened?", "September 1966"),
        ("Who was the engineer of the bridge?", "Gilbert Roberts"),
        ("How high are the towers of the Severn Bridge?", "136 metres"),
        ("In what year were tolls abolished?", "2018"),
    ],
)
def test_the_sentence_that_answers_comes_first(question, holds):
    """By its words and its meaning."""
    best = rank(question, [BRIDGE], likeness=ShippedMeaning())[0]
    assert holds in BRIDGE.text[best.start : best.end]


def test_what_is_answered_is_likelier_than_what_is_not():
    """An answered question stands above the line, a near miss and a stranger below it."""
    chances = [
        answerability(question, rank(question, [BRIDGE], likeness=ShippedMeaning()))
        for question in (
            "When was the Severn Bridge opened?",
            "When was the Humber tunnel dug?",
            "Which enzyme digests lactose?",
        )
    ]
    assert chances[0] > 0.5 > max(chances[1:])


@pytest.mark.parametrize("sources", [[], [Source("a", "")], [Source("a", "# Only a heading\n")]])
def test_nothing_to_rank(sources):
    """No sentence, no ranking, no chance."""
    ranked = rank("When was it opened?", sources)
    assert ranked == []
    assert answerability("When was it opened?", ranked) == 0.0


def test_headings_lend_their_words():
    """What stands under a heading answers for it; the heading itself is no answer."""
    text = "## Windscreen excess\n\nYou pay £75.\n\n## Theft excess\n\nYou pay £250.\n"
    best = rank("What is the excess for theft?", [Source("a", text)])[0]
    assert best.sentence.text == "You pay £250."


def test_adding_irrelevant_sources_keeps_the_best():
    """Twenty passages about something else change neither the sentence nor its place."""
    question = "How high are the towers of the Severn Bridge?"
    others = [Source(str(i), f"The committee number {i} met on a Tuesday. It spoke of budgets.") for i in range(20)]
    alone = rank(question, [BRIDGE])[0]
    among = rank(question, [*others[:10], BRIDGE, *others[10:]])[0]
    assert (among.source_index, among.start, among.end) == (10, alone.start, alone.end)


@pytest.mark.parametrize(
    ("heading", "is_of_changes"),
    [
        ("Release notes", True),
        ("Toolkit › 0.65.2 (2021-06-09) › Fixes", True),
        ("Toolkit › [1.2.0] - 2024-01-01", True),
        ("Toolkit › 2.0.0rc1", True),
        ("Home policy › 4.2", False),
        ("Home policy › 4.2 Theft", False),
        ("Guide › Since version 2.0 of the server", False),
    ],
)
def test_a_page_of_changes_is_told_by_its_headings(heading, is_of_changes):
    """In any language: a version or a day alone. A clause has a number too."""
    assert tells_changes(Source("a", "Text.", heading)) is is_of_changes


def test_a_guide_is_before_the_notes_of_a_release_unless_a_change_is_asked_for():
    """What changed names everything once; it answers where a version or a change is asked for."""
    said = "The towers of the Severn Bridge are 136 metres high and hollow."
    notes, guide = Source("n", said, "Bridge › 1.2.0 (2021-06-09)"), Source("g", said, "Bridge › Towers")
    assert rank("How high are the towers?", [notes, guide])[0].source_index == 1
    assert rank("How high are the towers in 1.2.0?", [notes, guide])[0].source_index == 0


def test_meaning_turns_the_order():
    """Where no word of the question stands in the answer, the encoder finds it, and the chance is a chance."""
    ranked = rank("What does the roadway stand on?", [BRIDGE], likeness=Alike("hollow"))
    assert "hollow" in ranked[0].sentence.text
    assert 0 <= answerability("What does the roadway stand on?", ranked) <= 1


@pytest.mark.parametrize(
    ("question", "source", "holds"),
    [
        ("Wie hoch sind die Türme?", BRIDGE, "136 metres"),
        ("¿Cuándo se abrió el puente?", BRIDGE, "September 1966"),
        ("工程师是谁?", BRIDGE, "Gilbert Roberts"),
        ("Wann wurde die Maut abgeschafft?", BRIDGE, "2018"),
    ],
)
def test_a_question_in_another_language_finds_its_sentence(question, source, holds):
    """The shipped encoder reads both."""
    best = rank(question, [source], likeness=ShippedMeaning())[0]
    assert holds in source.text[best.start : best.end]


@tried(60)
@given(st.text(max_size=60), st.lists(st.text(max_size=80), max_size=3))
def test_any_question_over_any_text(question, texts):
    """Scores are numbers, places are exact, and the chance is a chance."""
    sources = [Source(str(i), text) for i, text in enumerate(texts)]
    ranked = rank(question, sources)
    assert all(math.isfinite(one.score) for one in ranked)
    assert all(sources[one.source_index].text[one.start : one.end] == one.sentence.text for one in ranked)
    assert [one.score for one in ranked] == sorted((one.score for one in ranked), reverse=True)
    assert 0 <= answerability(question, ranked) <= 1


def test_large_sources_are_narrowed_to_where_the_words_stand():
    """The needle's stretch is read, with the heading above it; the rest of a megabyte is not."""
    hay = "The committee met on Tuesday and spoke of the weather.\n\n" * 9_000
    text = f"{hay}## Glass\n\nThe windscreen excess is £75.\n\n{hay}"
    parts = narrow(understand("What is the windscreen excess?"), [Source("a", text)])
    assert sum(part.end - part.start for part in parts) < 300_000
    needle = text.index("The windscreen")
    assert any(part.start <= needle < part.end for part in parts)
    assert rank("What is the windscreen excess?", [Source("a", text)])[0].start == needle


def test_small_sources_are_read_whole():
    """Under the limit every source is one part."""
    parts = narrow(understand("anything"), [BRIDGE, Source("e", "")])
    assert [(part.source_index, part.start, part.end) for part in parts] == [(0, 0, len(BRIDGE.text)), (1, 0, 0)]


class Reader:
    """Reads by heart: the chance of each text is that of the first of ``sure`` it holds; what was read is kept."""

    def __init__(self, sure):
        self.sure, self.read = sure, []

    def answers(self, question, texts):
        """The chances."""
        self.read += texts
        return [next((chance for words, chance in self.sure.items() if words in text), 0.01) for text in texts]


def test_what_is_read_as_the_answer_comes_first():
    """Words alone put the opening first; the sentence that reads as the answer overtakes it, and none is lost."""
    ranked = rank("When was the bridge opened?", [BRIDGE])
    assert "1966" in ranked[0].sentence.text
    again = reread("When was the bridge opened?", ranked, [BRIDGE], Reader({"Tolls": 0.999}))
    assert "Tolls" in again[0].sentence.text
    assert sorted(one.start for one in again) == sorted(one.start for one in ranked)
    assert [one.score for one in again] == sorted((one.score for one in again), reverse=True)


def test_only_the_best_sixteen_are_read_and_what_was_not_stays_behind():
    """A long text costs sixteen readings; whatever they say, what was not read does not overtake what was."""
    text = "".join(f"The gate number {n} of the bridge was painted green. " for n in range(30))
    ranked = rank("Which gate of the bridge was painted?", [Source("g", text, "Gates")])
    reader = Reader({"number": 0.02})
    again = reread("Which gate of the bridge was painted?", ranked, [Source("g", text, "Gates")], reader)
    assert len(reader.read) == 16
    assert {one.start for one in again[:16]} == {one.start for one in ranked[:16]}


def test_a_sentence_alone_is_read_under_its_heading_and_after_its_lead():
    """An item says nothing without the words that open its list; prose needs its heading only."""
    text = "# Baggage\n\nWe pay for lost bags.\n\nWe will not pay for:\n\n- cameras\n- cash\n"
    source = Source("p", text, "Policy › Baggage")
    read = {alone(one.sentence, [source]) for one in rank("Is cash paid for?", [source])}
    assert "Baggage\nWe will not pay for: - cash" in read
    assert "Baggage\nWe pay for lost bags." in read


def test_to_be_ordered_a_sentence_is_read_behind_the_one_before_it_a_row_under_its_header():
    """An "Otherwise" says nothing alone, an item keeps what opens its list, and no row reads another's figure."""
    text = (
        "Name the fixed route first. Otherwise the open one takes it.\n\nWe will not pay for:\n\n- cameras\n- cash\n\n"
        "| Gate | Toll |\n|---|---|\n| East | £4 |\n| West | £7 |\n"
    )
    source = Source("p", text, "Guide › Routes")
    said = {sentence.text: after_another(sentence, [source]) for sentence in read(source)}
    assert said["Otherwise the open one takes it."] == (
        "Routes\nName the fixed route first. Otherwise the open one takes it."
    )
    assert said["- cash"] == "Routes\nWe will not pay for: - cameras - cash"
    assert "Gate" in said["| West | £7 |"]
    assert "£4" not in said["| West | £7 |"]
