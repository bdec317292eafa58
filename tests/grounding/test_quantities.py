"""Numbers as a reader means them: value, unit, bound; and when one carries another."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnoted.grounding.quantities import quantities, same
from tests.laws import tried
from tests.tables import every

READ = [
    ("within 14 days", [(336, "hour", "<=")]),
    ("two weeks", [(336, "hour", "")]),
    ("a fortnight", [(336, "hour", "")]),
    ("up to £1,000", [(1000, "£", "<=")]),
    ("£1.5m", [(1_500_000, "£", "")]),
    ("$2 million or more", [(2_000_000, "$", ">=")]),
    ("over 3 million people", [(3_000_000, "", ">")]),
    ("two hundred and fifty thousand dollars", [(250_000, "$", "")]),
    ("4.5 percent", [(4.5, "%", "")]),
    ("4.5%", [(4.5, "%", "")]),
    ("at least 25 years old", [(300, "month", ">=")]),
    ("40 working days", [(960, "working day", "")]),
    ("on March 3, 2024", [(20240303, "date", "")]),
    ("3rd of March 2024", [(20240303, "date", "")]),
    ("2024-03-03", [(20240303, "date", "")]),
    ("in May 2021", [(20210500, "date", "")]),
    ("in 1998", [(1998, "year", "")]),
    ("the 1980s and the late 2000's", [(1980, "decade", ""), (2000, "decade", "")]),
    ("after 10:30", [(630, "clock", ">")]),
    ("by 6 pm", [(1080, "clock", "")]),
    ("18 or over", [(18, "", ">=")]),
    ("the third claim", [(3, "nth", "")]),
    ("one day", [(24, "hour", "")]),
    ("one of the drivers", []),
    ("class B12 and x86", []),
    ("99,9 % of the time", [(99.9, "%", "")]),
    ("€8,50 or 8.50 €", [(8.5, "€", ""), (8.5, "€", "")]),
    ("1.300.000 people", [(1_300_000, "", "")]),
    ("pages 3,4", [(3, "", ""), (4, "", "")]),
]


@every(("text", "expected"), READ)
def test_a_quantity_is_read_as_meant(text, expected):
    """Spelt or in digits, with its scale, unit and bound."""
    assert [(q.value, q.unit, q.bound) for q in quantities(text)] == expected


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("14 days", "two weeks"),
        ("99.9 %", "99,9 %"),
        ("1935", "October 1, 1935"),
        ("five days before", "no later than five days prior"),
        ("12 months", "one year"),
        ("£1,000", "1000 pounds"),
        ("1.5 million", "1,500,000"),
        ("2 March 2024", "March 2, 2024"),
        ("March 2024", "2 March 2024"),
        ("2024", "2 March 2024"),
        ("about 300", "298"),
        ("298,000", "298,123"),
        ("over 250 languages", "300 languages"),
        ("under 300 people", "250 people"),
    ],
)
def test_a_number_is_carried_by_its_equal(claim, source):
    """Other words, other units, rounding and open bounds say the same."""
    assert same(quantities(claim)[0], quantities(source)[0])


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("14 days", "40 days"),
        ("14 days", "14 months"),
        ("100", "1,000"),
        ("£75", "75%"),
        ("2021", "2022"),
        ("3 March", "3 May"),
        ("10 working days", "10 days"),
        ("at least 21 years", "at least 25 years"),
        ("5 pm", "6 pm"),
    ],
)
def test_a_number_is_not_carried_by_another(claim, source):
    """A digit, a unit, a year or a bounded limit that differs is another number."""
    assert not same(quantities(claim)[0], quantities(source)[0])


def test_bounds_are_read():
    """What "within" and "at most" bound from above, "after" and "at least" bound from below; "for" bounds nothing."""
    words = ("within", "after", "at least", "at most", "for", "no more than", "more than", "no less than", "about the")
    bounds = [quantities(f"{text} 14 days")[0].bound for text in words]
    assert bounds == ["<=", ">", ">=", "<=", "", "<=", ">", ">=", "~"]
    assert [quantities(f"14 days {text}")[0].bound for text in ("or more", "and under", "or so")] == [">=", "<=", ""]


@tried(60)
@given(st.text(alphabet="0123456789.,£$% abcdefkm-:/stndrdth", max_size=60))
def test_any_text_is_read_without_error_and_spans_are_exact(text):
    """No text breaks the reader; spans are in order, inside the text and never overlap."""
    found = quantities(text)
    assert all(0 <= q.start < q.end <= len(text) for q in found)
    assert all(one.end <= other.start for one, other in pairwise(found))


def test_a_text_full_of_figures_takes_time_in_proportion_to_its_length():
    """200,000 characters with 15,000 figures are read in seconds, where they once took many times that."""
    text = "On 3 May 2021 we paid £1,250 for 14 items within 30 days at 5pm. " * 3_000
    begun = time.process_time()
    assert len(quantities(text)) == 15_000
    assert time.process_time() - begun < 10
