"""Other libraries' passages become sources: ids that stay, metadata that is kept, titles a reader knows."""

from uuid import UUID, uuid4

import pytest

from footnoted.errors import ConfigurationError
from footnoted.integrations._answering import SILENT, ending
from footnoted.integrations._documents import context_of, question_of, turns
from footnoted.types import FinishReason
from tests.tables import every


def test_ids_are_the_same_every_time_and_differ_where_passages_do():
    """From a UUID itself, from any other id, or from the words and where they stand."""
    own = uuid4()
    assert context_of("a", id_=str(own)).chunk_id == own
    assert context_of("a", id_="doc-1").chunk_id == context_of("b", id_="doc-1").chunk_id
    page = [context_of("Same words.", metadata={"source": "a.pdf", "page": n}) for n in (1, 2, 1)]
    assert page[0].chunk_id == page[2].chunk_id != page[1].chunk_id
    assert {one.document_id for one in page} == {page[0].document_id}
    assert isinstance(context_of(None).chunk_id, UUID)


@pytest.mark.parametrize(
    ("metadata", "title"),
    [
        ({"source": "car.pdf", "page": 1, "page_label": "ii"}, "car.pdf › page ii"),
        ({"title": "Car policy", "url": "https://e.example/p"}, "Car policy"),
        ({"url": "https://e.example/p"}, "https://e.example/p"),
        ({"file_path": "docs/car.md", "section": "Glass"}, "docs/car.md › Glass"),
        ({"file_name": "car.md", "page_number": 0}, "car.md › page 0"),
        ({"title": "two\nlines\x1b[31m"}, "two lines"),
        ({}, ""),
    ],
)
def test_a_reader_sees_a_title_and_page(metadata, title):
    """Whichever of the usual names a library uses; on one line, and harmless."""
    found = context_of("words", metadata=metadata)
    assert found.title.startswith(title)
    assert "\n" not in found.title
    assert metadata.items() <= found.metadata.items()


def test_half_a_character_keeps_its_place():
    """A lone surrogate, as some readers of PDF leave it, breaks neither the text nor the places in it."""
    found = context_of("a \ud800 b ค", id_="\ud800", metadata={"source": "\udfff.pdf"})
    assert found.content == "a \ufffd b ค"
    assert question_of("What\ud800?") == "What\ufffd?"


@pytest.mark.parametrize("score", [None, "high", float("nan"), float("inf")])
def test_a_score_that_is_none_counts_nothing(score):
    """No score, a word, not a number: relevance 0, never an error."""
    assert context_of("words", score=score).relevance_score == 0.0


def test_what_was_asked_twice_before_an_answer_is_one_question():
    """And what has no answer yet is no finished exchange."""
    told = [("system", "Be kind."), ("user", "A?"), ("user", "B?"), ("assistant", "C."), ("user", "D?")]
    assert turns(told) == [("A?\n\nB?", "C.")]


@pytest.mark.parametrize("given", [None, "", " \n", 7, ["What?"]])
def test_a_question_is_words(given):
    """Anything else is said to be none."""
    with pytest.raises(ConfigurationError, match="question"):
        question_of(given)


@every(
    ("word", "reason"),
    [
        ("stop", "complete"),
        ("end_turn", "complete"),
        ("STOP", "complete"),
        ("FinishReason.STOP", "complete"),
        ("completed", "complete"),
        ("length", "length"),
        ("MAX_TOKENS", "length"),
        ("max_output_tokens", "length"),
        ("content_filter", "filtered"),
        ("SAFETY", "filtered"),
        ("guardrail_intervened", "filtered"),
        ("something_new", "truncated"),
        ("incomplete", "truncated"),
        (None, "truncated"),
        ("", "truncated"),
    ],
)
def test_an_ending_is_complete_only_on_a_known_word(word, reason):
    """Every vendor's words for it; no word, and a word nobody knows, is a cut stream."""
    assert ending(word).finish_reason == reason


def test_only_a_model_known_to_be_silent_may_end_silently():
    """And a word it gives all the same is believed."""
    assert ending(None).detail == SILENT
    assert ending(None, ends_silently=True).finish_reason is FinishReason.COMPLETE
    assert ending("length", ends_silently=True).finish_reason is FinishReason.LENGTH
