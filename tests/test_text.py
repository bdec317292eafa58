"""Sentences of sources and answers: where they end, and that they cover the text with exact offsets."""

from __future__ import annotations

import doctest
import importlib
import json
import pkgutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import footnoted.text
from footnoted.text import asks, sentences
from footnoted.text.markdown import cells, is_separator, list_mark, without_links
from footnoted.text.phrases import whole
from tests.laws import tried
from tests.tables import every

CASES = json.loads((Path(__file__).parent / "grounding" / "segmentation_cases.json").read_text(encoding="utf-8"))

# Sentences are parted by " | ".
PARTED = """
It costs £75. | Repairs are free.
Dr. Lee said so. | Mrs. Patel agreed.
He lived c. 450 BC in Rome. | Nobody knows why.
The U.S. Department of Labor sets the rule. | States may add to it.
The company moved to the U.S. | The move took two years.
The tractor line in the U.S. | The 14,000 pound No. 3 is the oldest.
Saxena et al. (2009) disagree. | So do Jones et al. 2011 and others.
J. R. R. Tolkien wrote it. | C. S. Lewis did not.
The rate was 3.14 percent at 5 p.m. on Monday. | It fell.
See Sec. 3, Fig. 2 and p. 45. | They differ.
He told the court, "I am here. I submit." | Then he left.
The term (see sec. 2. It defines all terms) matters. | Read it.
(It was adapted as a restaurant. | The house is old.)
Visit example.com/a.b?c=d. | Then upload config.yaml.
it costs £75 . | The fee , however , is waived .
Wait... there is more. | Really?! | Yes!
Cover ends. [1] [2] | It may be renewed.
他说可以。 | 然后走了！ | 真的吗？
「はい。」と答えた。 | 終わり。
कीमत 75 है। | मरम्मत मुफ़्त है।
هل هو مجاني؟ | نعم. | إنه كذلك.
Der 2. Weltkrieg endete am 8. Mai 1945. | Danach begann der Wiederaufbau.
La prime est d'env. 120 € par an. | Elle est payable en janvier.
""".strip().splitlines()


def test_a_list_may_be_marked_by_dashes_and_squares():
    """Whatever bullet a text uses, its items are sentences of their own, and their words stand without it."""
    assert sentence_texts("We pay for:\n– rust\n▪ theft") == ["We pay for:", "– rust", "▪ theft"]
    assert [list_mark(item) for item in ("– rust", "▪ theft", "–rust")] == [
        ("–", "rust"),
        ("▪", "theft"),
        ("", "–rust"),
    ]


def sentence_texts(text):
    return [text[span.start : span.end] for span in sentences(text)]


@every("parted", PARTED)
def test_a_text_is_parted_where_its_sentences_end(parted):
    """Abbreviations, numbers, quotations, brackets and addresses hold together; ends in any script part."""
    text = parted.replace(" | ", "" if "。" in parted else " ")
    assert " | ".join(text[span.start : span.end] for span in sentences(text)) == parted


def test_headings_list_items_and_table_rows_stand_alone():
    """Blocks of Markdown part a text even where no mark does."""
    text = "# Cover\nFire and\ntheft\n- Flood\n- Storm. Hail\n| Fire. Theft | £5 |\n1. First\n2. Second"
    assert [text[span.start : span.end] for span in sentences(text)] == [
        *("# Cover", "Fire and\ntheft", "- Flood", "- Storm.", "Hail", "| Fire. Theft | £5 |", "1. First", "2. Second")
    ]


def test_a_wrapped_line_does_not_end_a_sentence():
    """Text out of PDF files is broken anywhere, before names and numbers too."""
    text = "The award went to Dr.\nLee in\n2019. She\nshared it."
    assert [text[span.start : span.end] for span in sentences(text)] == [
        "The award went to Dr.\nLee in\n2019.",
        "She\nshared it.",
    ]


def test_thai_is_parted_at_spaces_after_a_whole_clause():
    """Thai has no full stop; a space before a new subject ends a long enough clause."""
    text = "กรมธรรม์คุ้มครองการโจรกรรมและอัคคีภัยตลอดระยะเวลาประกัน นอกจากนี้ ยังคุ้มครองพายุ"
    assert [text[span.start : span.end] for span in sentences(text)][1].startswith("นอกจากนี้")


def covers(text):
    last = 0
    for span in sentences(text):
        assert text[last : span.start].strip() == ""
        assert text[span.start : span.end] == text[span.start : span.end].strip() != ""
        last = span.end
    assert text[last:].strip() == ""


def test_the_sentences_of_the_corpus_cover_it_in_order():
    """No word is lost and none stands in two sentences."""
    for case in CASES:
        covers(case["text"])


@tried(200)
@given(st.text(st.sampled_from('aA1 .!?…。。।؟กข\n\r\t"“”()[]*`-#|😊¹\u2028'), max_size=60))
def test_the_sentences_of_any_text_cover_it_in_order(text):
    """The same for texts nobody wrote."""
    covers(text)


@pytest.mark.parametrize("unit", ["e.g. ", ". ", "😊 ", "ก ข ", '"a. B" ', "(", "中文。", "1. ", "[1] "])
def test_a_long_text_of_marks_alone_takes_no_time(unit):
    """The work grows with the text and no faster, whatever it is made of: no look ahead or back is unbounded."""
    covers(unit * (60_000 // len(unit)))


@pytest.mark.parametrize("name", ["", *(f".{each.name}" for each in pkgutil.iter_modules(footnoted.text.__path__))])
def test_the_examples_of_the_room_hold(name):
    """What the docstrings show is what comes out."""
    assert doctest.testmod(importlib.import_module(f"footnoted.text{name}")).failed == 0


def test_phrases_are_found_whole_in_any_case_and_script():
    """Spaces and hyphens are alike, an apostrophe may be curled, and scripts without capitals have no word ends."""
    found = whole("won't pay", "third party, fire", "exclu*", "保险", "d***")
    assert [
        one.group() for one in found.finditer("We WON’T  pay. Third-party fire: Excluded. 我的保险单 d*** includes")
    ] == [
        "WON’T  pay",
        "Third-party fire",
        "Excluded",
        "保险",
        "d***",
    ]
    assert whole("", " ").search("anything") is None
    assert whole("---").search("a --- b") is not None


def test_marks_of_markdown_are_read_alike_everywhere():
    """Links in angle brackets, items by number, letter or bullet, bars that are escaped, and what is none of these."""
    assert without_links("![a](<b c.png>) [d](e(f).md) [sic](not a link)") == "a d [sic](not a link)"
    assert [list_mark(text)[0] for text in ("* a", " (12) b", "c) d", "1.5 e", "-f")] == ["*", "12", "c", "", ""]
    assert cells(r"a \| b | c") == [r"a \| b", "c"]
    assert [is_separator(row) for row in ("|:--|--:|", "> |-|", "| a |", "||", "")] == [True, True, False, False, False]


def test_a_question_ends_in_its_mark():
    """Whatever closes after it; a mark inside is none."""
    assert all(map(asks, ("Why?", "“Why?”)", "何ですか？")))
    assert not any(map(asks, ("Why? So.", "", "?)_")))
