from __future__ import annotations

import pytest

from footnoted.citations.trail import Trail, Words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("War is excluded. It pays for baggage", Words("It pays for baggage", "It pays for baggage")),
        ("- It pays for baggage", Words("It pays for baggage", "It pays for baggage")),
        ("1. It pays for baggage", Words("It pays for baggage", "It pays for baggage")),
        ("- [x] It pays for baggage", Words("It pays for baggage", "It pays for baggage")),
        ("Dr. Lee pays for baggage", Words("Dr. Lee pays for baggage", "Dr. Lee pays for baggage")),
        ("| Baggage | £1,500", Words("| Baggage | £1,500", "Baggage ")),
    ],
)
def test_a_marker_stands_for_its_sentence_without_the_list_s_own_mark(text: str, words: Words):
    """A list mark is cut off at the line's beginning only; a short word's full stop is none."""
    trail = Trail()
    trail.write(text)
    assert trail.mark() == words


def test_a_second_marker_of_a_sentence_knows_all_of_it():
    """The claim is what stands between the markers, the setting the whole sentence."""
    trail = Trail()
    trail.write("War is excluded. It pays £50 for delays")
    trail.mark()
    trail.write(" and £1,500 for baggage")
    assert trail.mark() == Words("and £1,500 for baggage", "It pays £50 for delays and £1,500 for baggage")


def test_a_marker_before_its_sentence_waits_for_it_however_much_comes_with_it():
    """A whole reply in one piece is no other than the same in many."""
    text = " The windscreen excess is £75." + " Koalas sleep all day long in trees." * 200
    for size in (len(text), 10):
        trail = Trail()
        assert trail.mark() is None
        words = None
        for start in range(0, len(text), size):
            trail.write(text[start : start + size])
            words = words or trail.words_after()
        assert words == Words("The windscreen excess is £75.", "")
