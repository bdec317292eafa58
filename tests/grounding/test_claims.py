"""Claims out of a stream: the law of any cut, the corpus of hard cases, and what a claim stands under."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnoted.grounding.claims import ClaimSegmenter, segment
from tests.laws import tried
from tests.tables import every

CASES = json.loads((Path(__file__).parent / "segmentation_cases.json").read_text(encoding="utf-8"))
LANGUAGES = sorted({case["language"] for case in CASES})


def cut(pieces):
    segmenter = ClaimSegmenter()
    claims = [claim for piece in pieces for claim in segmenter.decode(piece)]
    return claims + segmenter.flush()


def test_the_corpus_of_hard_cases_is_segmented_and_named_right():
    """At least 97 % of the authored answers come out exactly as annotated: every claim, every kind."""
    wrong = [
        case["id"] for case in CASES if [[claim.text, claim.kind] for claim in segment(case["text"])] != case["claims"]
    ]
    assert 1 - len(wrong) / len(CASES) >= 0.97, wrong


@pytest.mark.no_cover  # the same lines thousands of times
@every("language", LANGUAGES)
def test_any_single_cut_of_any_case_gives_the_same_claims(language):
    """Every case, cut in two at every position, gives the claims of the whole text."""
    for case in CASES:
        if case["language"] != language:
            continue
        text = case["text"]
        whole = segment(text)
        for position in range(len(text) + 1):
            assert cut([text[:position], text[position:]]) == whole, (case["id"], position)


@pytest.mark.no_cover  # the same lines thousands of times
def test_characters_one_by_one_give_the_same_claims_and_as_early_as_pieces_do():
    """What is out after any prefix depends on the prefix alone, not on how it came."""
    for case in CASES:
        text = case["text"]
        slow, out = ClaimSegmenter(), []
        for position, char in enumerate(text, start=1):
            out += slow.decode(char)
            if position % 7 == 0:
                assert ClaimSegmenter().decode(text[:position]) == out, (case["id"], position)
        assert out + slow.flush() == segment(text), case["id"]


FRAGMENTS = [
    *"abcAB 12 .?!…:;,()[]\"'“”*_`#|->\n\n\r\t。！「」¹।؟กข😊",
    *["[1]", "[Source 2]", "Dr. ", "e.g. ", "5 p.m. ", "\n- ", "\n1. ", "\n| a | b |\n|---|---|\n", "\n```\n"],
    *[
        "You need:",
        "Yes. ",
        "**Bold**\n",
        "# H\n",
        "ครับ ",
        " (Source: A - B > C)",
        "The end. ",
        "\n\n",
        "---\r\n",
        "$$\r\n",
    ],
]


@pytest.mark.no_cover  # the same lines thousands of times
@tried(400)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=30).map("".join), st.data())
def test_any_cut_of_any_text_gives_the_same_claims_with_exact_offsets(text, data):
    """The law for texts nobody wrote: same claims however cut, in order, not overlapping, offsets exact."""
    places = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    pieces = [text[start:end] for start, end in zip([0, *places], [*places, len(text)], strict=True)]
    claims = segment(text)
    assert cut(pieces) == claims
    last = 0
    for claim in claims:
        assert last <= claim.start < claim.end
        assert text[claim.start : claim.end] == claim.text == claim.text.strip()
        last = claim.end


@tried(200)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=30).map("".join))
def test_every_word_of_an_answer_stands_in_some_claim(text):
    """Nothing escapes checking: letters and digits outside the claims are list numbering only."""
    covered = set()
    for claim in segment(text):
        covered.update(range(claim.start, claim.end))
    left = "".join(char if at not in covered else " " for at, char in enumerate(text))
    assert all(len(word.strip("().[]-*+>#\t")) <= 3 for word in left.split())


def test_a_sentence_closes_at_the_first_character_that_cannot_belong_to_it():
    """Readers wait for no more than the next word's first letter."""
    segmenter = ClaimSegmenter()
    assert segmenter.decode("It costs £75. [1]") == []
    assert segmenter.decode(" ") == []
    assert [claim.text for claim in segmenter.decode("N")] == ["It costs £75. [1]"]


def test_a_sign_is_no_small_letter():
    """A marker before "ℹ" is that of the sentence before it; Unicode calls the sign a small letter."""
    claims = segment("It is sent as it is. [1] ℹ️ Note: strings are. [2]")
    assert [claim.text for claim in claims] == ["It is sent as it is. [1]", "ℹ️ Note: strings are. [2]"]


def test_a_sentence_closes_at_the_end_of_its_line():
    """A line break after an end mark needs no look at the next line."""
    segmenter = ClaimSegmenter()
    assert [claim.text for claim in segmenter.decode("It costs £75 [1].\n")] == ["It costs £75 [1]."]


def test_lines_of_code_leave_one_by_one():
    """A long code block does not hold up the stream until its fence closes."""
    segmenter = ClaimSegmenter()
    out = segmenter.decode("```python\nx = 1\n")
    assert [(claim.text, claim.kind) for claim in out] == [("```python", "code"), ("x = 1", "code")]


def test_a_list_item_knows_what_it_completes():
    """A lone "Wear and tear" is checked as something *not covered*."""
    claims = segment("Not covered:\n- Wear and tear\n- Flood\n\nThe excess is £75.")
    assert [claim.under for claim in claims] == ["", "Not covered:", "Not covered:", ""]


def test_nested_items_stand_under_every_lead_in_above_them():
    """The outer lead-in carries into the inner list, and ends with it."""
    claims = segment("We pay for:\n- Car:\n  - Fire\n- Home:\n  - Flood\n\nNothing else.")
    assert [(claim.text, claim.under) for claim in claims if claim.kind == "claim"] == [
        ("Fire", "We pay for: Car:"),
        ("Flood", "We pay for: Home:"),
        ("Nothing else.", ""),
    ]


def test_a_table_row_stands_under_its_header():
    """The cells of a row mean what the header says."""
    claims = segment("| Service | Excess |\n|---|---|\n| Repair | £75 |\n\nText.\n")
    assert [(claim.kind, claim.under) for claim in claims] == [
        ("header", ""),
        ("layout", ""),
        ("claim", "| Service | Excess |"),
        ("claim", ""),
    ]


def test_a_heading_that_heads_nothing_is_a_claim():
    """An answer that is one bold word cannot slip past the check as a title."""
    assert [claim.kind for claim in segment("**Paris**")] == ["claim"]
    assert [claim.kind for claim in segment("# Paris\n")] == ["claim"]
    assert [claim.kind for claim in segment("**Paris**\n\nIt lies on the Seine.")] == ["heading", "claim"]


def test_a_segmenter_begins_anew_after_flush():
    """One object serves one answer after another, offsets from 0."""
    segmenter = ClaimSegmenter()
    segmenter.decode("```\nopen")
    segmenter.flush()
    assert segmenter.decode("It is £5.\n")[0].start == 0


def test_nothing_gives_nothing():
    """Empty text and white space hold no claims."""
    assert segment("") == segment(" \n\n\t\r\n") == []
