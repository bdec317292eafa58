"""A source's sentence becomes one that reads well; its words stay."""

from __future__ import annotations

import pytest

from footnoted.providers import _wording
from tests.tables import every


@every(
    ("words", "read"),
    [
        ("- your **excess** is £75;", "Your excess is £75."),
        ("3) the roof, and", "The roof, and."),
        ("## Windscreen cover", "Windscreen cover."),
        ("> quoted words", "Quoted words."),
        ("It rains [3] often [4, 5].", "It rains often."),
        ("See [the terms](https://a.example/x_(y)) first.", "See the terms first."),
        ("a line\n  that wraps", "A line that wraps."),
        ("iPhones are covered", "iPhones are covered."),
        ("Is it covered?", "Is it covered?"),
        ("挡风玻璃免赔额为75英镑", "挡风玻璃免赔额为75英镑。"),
        ("คุ้มครอง 90 วัน", "คุ้มครอง 90 วัน"),
        ("use snake_case_names here", "Use snake_case_names here."),
        ("2 * 3 * 4 is 24", "2 * 3 * 4 is 24."),
        ("the price – a low one - is £5", "The price – a low one - is £5."),
        ("***", ""),
        ("", ""),
    ],
)
def test_a_sentence_reads_well(words, read):
    """Marks of lists, headings, emphasis and citations go; a capital and an end mark come."""
    assert _wording.sentence(words) == read


@pytest.mark.parametrize(
    ("row", "header", "read"),
    [
        ("| Theft | £250 | |", "| Cover | Excess | Note |", "Cover: Theft; Excess: £250."),
        ("| Theft | £250 |", "", "Theft; £250."),
        ("| a \\| b | 1 |", "| Key | Value |", "Key: a | b; Value: 1."),
        ("| one | two | three |", "| A |", "A: one; two; three."),
        ("|||", "| A |", ""),
    ],
)
def test_a_row_reads_as_a_sentence(row, header, read):
    """Values after their columns' names; empty cells are left out."""
    assert _wording.row(row, header) == read


def test_a_list_reads_as_a_sentence():
    """The lead, then its items, parted by semicolons."""
    told = _wording.listing("We pay for theft only if:", ["- the car was locked;", "- no key was left in it."])
    assert told == "We pay for theft only if: the car was locked; no key was left in it."


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("* rust;", "- rust"),
        ("3) Close the **lid**.", "3. Close the lid."),
        ("(12) wait,", "12. wait"),
        ("b) war", "- war"),
    ],
)
def test_an_item_keeps_its_number_and_no_other_mark(words, told):
    assert _wording.item(words) == told


def test_what_introduces_a_list_stands_without_marks():
    assert _wording.opening("## **you** need:") == "You need:"
