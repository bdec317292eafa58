"""The index: what a question finds, in which order, and with which scores."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from footnoted.retrieval import Index
from footnoted.retrieval.terms import index_terms, query_terms
from footnoted.types import Source
from tests.laws import tried

WORDS = {
    "car": "The windscreen excess is £75 with our approved repairer.",
    "van": "The windscreen excess is £95 with our approved repairer.",
    "home": "Escape of water from a washing machine is covered up to £5,000.",
    "negated": "The windscreen excess is not £75 with our approved repairer.",
    "thai": "บริษัทจะจ่ายค่าสินไหมทดแทนภายในสิบห้าวัน",
    "chinese": "保险公司应当在三十日内赔付。免赔额为五百元。",
    "accents": "Les dégâts des eaux à l'hôtel sont couverts.",
}


@pytest.fixture(scope="module")
def index() -> Index:
    """An index over a few passages at hand."""
    return Index.of(Source(id=name, text=text, title=name.title()) for name, text in WORDS.items())


def found(index: Index, question: str, k: int = 8) -> list[str]:
    return [source.id for source in index.search(question, k)]


def test_the_passage_with_the_questions_words_comes_first(index):
    """Word forms and case do not matter."""
    assert found(index, "Does the policy COVER escaping water from washing machines?")[0] == "home"


def test_scores_fall_from_first_to_last_and_stay_between_0_and_1(index):
    """The order is that of the scores; the raw BM25 score rides along."""
    hits = index.search("windscreen excess £75 repairer water")
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score < 1 for score in scores)
    assert [hit.metadata["bm25"] for hit in hits] == sorted((hit.metadata["bm25"] for hit in hits), reverse=True)


def test_a_word_that_nothing_holds_lowers_the_score(index):
    """A question only half of whose words are known scores lower than one that is wholly known."""
    known, half = (index.search(question)[0].score for question in ("washing machine", "washing zeppelin"))
    assert half < known * 0.75


def test_a_passage_that_holds_each_word_once_scores_as_documented():
    """In passages of one length, each of the question's words once scores 1 - 1/e."""
    index = Index.of(
        Source(id=str(number), text=f"{word} filler text here")
        for number, word in enumerate(["alpha", "beta", "gamma"])
    )
    (hit,) = index.search("alpha")
    assert hit.score == pytest.approx(0.632, abs=0.005)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("ค่าสินไหมทดแทน", "thai"),
        ("免赔额是多少？", "chinese"),
        ("元", "chinese"),
        ("degats a l'hotel", "accents"),
        ("5000", "home"),
    ],
)
def test_other_scripts_accents_and_numbers_are_found(index, question, name):
    """Thai and Chinese without spaces, words without their accents, numbers without their commas."""
    assert found(index, question)[0] == name


def test_at_most_k_are_given(index):
    """``k`` bounds the passages; none or fewer asks for nothing."""
    assert len(found(index, "windscreen excess", 2)) == 2
    assert found(index, "windscreen excess", 0) == []


@pytest.mark.parametrize("question", ["", "   ", "?!", "zeppelin", "\x00"])
def test_nothing_to_find_gives_nothing(index, question):
    """A question without words, or with words nothing holds, finds no passage."""
    assert found(index, question) == []


def test_a_question_of_stop_words_is_still_searched(index):
    """Where no telling word is left, the small ones count."""
    assert found(index, "up to from of")[0] == "home"


def test_copies_come_once_and_tell_where_else_they_stand(tmp_path):
    """The same words in two files are one passage; ``also_in`` names the other file."""
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text("# Same\n\nThe excess is £75, **always**.")
    (hit,) = Index.open(tmp_path, cache="off").search("excess")
    assert (hit.metadata["file"], hit.metadata["also_in"]) == ("a.md", ["b.md"])


def test_near_copies_that_say_something_else_are_all_kept(index):
    """One number or one "not" apart is another statement, never a copy."""
    assert {"car", "van", "negated"} <= set(found(index, "windscreen excess approved repairer"))


def test_headings_and_titles_are_searched(tmp_path):
    """A passage is found by the words above it, and its own words are what is given."""
    (tmp_path / "a.md").write_text("# Boat Policy\n\n## Stranding\n\nWe pay £40.\n\n## Sinking\n\nWe pay £90.")
    index = Index.open(tmp_path, cache="off")
    assert index.search("stranding of a boat")[0].text == "We pay £40."
    assert index.search("sinking")[0].text == "We pay £90."


def test_sources_come_back_whole(index):
    """Passages are given as they went in, hash and all, by id or all in order."""
    original = [Source(id=name, text=text, title=name.title()) for name, text in WORDS.items()]
    assert index.sources() == original
    assert index.source("thai") == original[4]
    assert index.source("nobody") is None


def test_an_index_of_nothing_finds_nothing():
    """No passages is no error here: `Index.open` is where that is said."""
    assert Index.of([]).search("anything") == []
    assert Index.of([]).sources() == []


def test_a_question_of_thousands_of_words_is_answered(index):
    """Pasted pages are searched like any question."""
    assert found(index, "windscreen " + " ".join(f"w{n}" for n in range(5000)))


SYNTAX = st.text(alphabet='+-&|!(){}[]^"~*?:\\/<> abçßİΐ้保0.,', max_size=60)


@tried(200)
@given(st.one_of(st.text(max_size=200), SYNTAX))
@example('title:"unclosed')
@example("a AND (b OR")
@example("windscreen^^^*~2")
@example("\ud800 lone surrogate")
@example("ͺ ΄ ΅ ẞ ﷺ")
def test_no_string_breaks_the_search(index, question):
    """Query syntax, control characters, lone surrogates: all are words or nothing."""
    assert all(0 < hit.score < 1 for hit in index.search(question, 3))


@tried(100)
@given(st.text(max_size=80))
def test_what_is_asked_in_a_texts_own_words_is_found_in_it(text):
    """The same folding on both sides: every term of a question occurs among its text's terms."""
    assert set(query_terms(text)) <= set(index_terms(text))


def test_an_addition_is_found_whole_or_not_at_all():
    """What is put in in parts is found when it is committed; what is undone leaves nothing, and no lock."""
    index = Index.of(Source(id=name, text=text) for name, text in WORDS.items())
    addition = index.begin()
    addition.add([Source(id="boat", text="A boat may be hired for a day.")])
    assert found(index, "boat hired") == []
    addition.undo()
    with pytest.raises(ZeroDivisionError):
        index.add(Source(id=str(1 / n), text="A boat may be hired for a day.") for n in (2, 1, 0))
    assert (found(index, "boat hired"), index.count) == ([], len(WORDS))
    addition = index.begin()
    for day in ("Monday", "Sunday"):
        addition.add([Source(id=day, text=f"A boat may be hired on {day}.")])
    addition.commit()
    assert set(found(index, "boat hired")) == {"Monday", "Sunday"}
    assert [source.id for source in index.sources()][-2:] == ["Monday", "Sunday"]


def test_vectors_of_another_encoder_are_not_used(tmp_path, monkeypatch):
    """What is kept beside an index was said by one encoder; a question's vector of another cannot be held against it."""
    folder, kept = tmp_path / "docs", tmp_path / "kept"
    folder.mkdir()
    (folder / "a.md").write_text("# Leave\n\nStaff have 25 days of leave a year.\n")
    first = Index.open(folder, cache=kept)
    first.understand()
    assert len(first._vectors) > 0
    assert len(Index.open(folder, cache=kept)._vectors) == len(first._vectors)
    monkeypatch.setattr("footnoted.retrieval.index.encoder_mark", lambda: "another")
    assert len(Index.open(folder, cache=kept)._vectors) == 0
