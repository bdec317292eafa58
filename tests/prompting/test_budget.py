"""What fits, and what is said to be left out."""

from footnoted.prompting.budget import excerpt, fit
from footnoted.text import estimate_tokens
from footnoted.types import Source


def source(name, text, score=0.0):
    return Source(id=name, text=text, score=score)


def test_the_best_sources_are_kept_in_their_own_order():
    """Scores decide who stays; the order given decides who is [1]."""
    sources = [source("a", "x " * 400, 0.1), source("b", "y " * 400, 0.9), source("c", "z " * 400, 0.8)]
    fitted = fit("q", sources, tokens=450)
    assert fitted.kept == (1, 2)
    assert fitted.omitted == (0,)
    assert fitted.excerpted == ()


def test_a_small_source_may_still_fit_after_a_big_one_did_not():
    """A source too large is passed over, not the end of the list."""
    sources = [source("a", "x " * 200, 0.9), source("b", "y " * 4000, 0.8), source("c", "z", 0.7)]
    assert fit("q", sources, tokens=400).kept == (0, 2)


def test_empty_and_repeated_texts_are_left_out():
    """White space answers nothing, and saying a thing twice costs twice."""
    sources = [source("a", "same"), source("b", "  \n"), source("c", "same")]
    assert fit("q", sources, tokens=1000).kept == (0,)


def test_one_source_over_the_budget_shows_its_nearest_part():
    """Rather an excerpt around the question's words than nothing."""
    text = "Nothing of note here. " * 2000 + "The windscreen excess is £75. " + "Still nothing. " * 2000
    fitted = fit("windscreen excess", [source("a", text)], tokens=500)
    assert fitted.excerpted == (0,)
    assert "windscreen excess is £75" in fitted.texts[0]
    assert estimate_tokens(fitted.texts[0]) <= 500


def test_an_excerpt_is_verbatim():
    """Spans are later looked up in the source, so its words must be the source's."""
    text = "Ünïcode 文字 " * 500
    assert excerpt("文字", text, tokens=100) in text
