"""Whether the figures of a value stand in the sources: exactly, however they are written."""

from hypothesis import given
from hypothesis import strategies as st

from footnoted.answering.present import Figures
from tests.laws import tried
from tests.tables import every

TEXT = """The excess is £75 for a repair. Cover is up to £1,000, paid within two weeks. See ISO 27001 and CVE-2024-12.
Losses of 5% or 1.1 million since 1 March 2024. It fell to -5 degrees. Write to help@insurer.example at 10:30.
Version 3.2.1 has part B12 and 1,00,000 users. The limit of £2000 holds for 4.0 years."""


@every(
    "there",
    [
        *(
            "75",
            "£75",
            "£75.00",
            "1000",
            "1,000",
            "£1000",
            "14 days",
            "2 weeks",
            "2",
            "27001",
            "ISO 27001",
            "CVE-2024-12",
        ),
        *("5%", "5", "1100000", "1.1", "2024-03-01", "March 2024", "2024", "-5", "10:30", "3.2.1", "B12", "100000"),
        *("£2,000", "2000", "4", "help@insurer.example", "£75 - £1,000", "Cover is up to £1,000", "no figures at all"),
    ],
)
def test_what_stands_there_is_found(there):
    """1,000 is 1000, two weeks are 14 days, and a code stands as it is."""
    assert Figures([TEXT]).lacks(there) == ""


@every(
    ("value", "lacking"),
    [
        ("76", "76"),
        ("$75", "$75"),
        ("75 days", "75 days"),
        ("75%", "75%"),
        ("100", "100"),
        ("10000", "10000"),
        ("3 weeks", "3 weeks"),
        ("27002", "27002"),
        ("CVE-2024-1", "CVE-2024-1"),
        ("B13", "B13"),
        ("B1", "B1"),
        ("0.05", "0.05"),
        ("2024-03-02", "2024-03-02"),
        ("-75", "-75"),
        ("-5 to 76", "76"),
        ("11:30", "11:30"),
        ("3.2.2", "3.2.2"),
        ("other@insurer.example", "other@insurer.example"),
        ("https://insurer.example/pay", "https://insurer.example/pay"),
        ("£75 - £1,001", "£1,001"),
    ],
)
def test_what_does_not_stand_there_is_named(value, lacking):
    """Neither part of a longer number nor the same number of something else will do."""
    assert Figures([TEXT]).lacks(value) == lacking


@tried(150)
@given(there=st.sets(st.integers(0, 10**7), min_size=1, max_size=5), value=st.integers(0, 10**7))
def test_a_number_is_found_exactly_where_it_stands(there, value):
    """In plain digits or in groups of three, and nothing near it passes for it."""
    text = " ".join(f"The fee is £{number:,} here." if number % 2 else f"Plan {number} it is." for number in there)
    assert (Figures([text]).lacks(str(value)) == "") is (value in there)
    assert all(Figures([text]).lacks(f"{number:,}") == "" for number in there)


def test_a_sentence_may_round_but_not_invent():
    """About 1,090,000 may be said of 1.1 million; a figure from nowhere may not; words are left to the weigher."""
    figures = Figures([TEXT])
    assert figures.lacks_roughly("It costs £75, about 1,090,000 people lost 5%.") == ""
    assert figures.lacks_roughly("There are two kinds, one of them free.") == ""
    assert figures.lacks_roughly("It costs £75 and covers £900.") == "£900"


def test_a_bare_number_may_be_money_but_a_count_of_things_is_none():
    """A cell of a table has no unit; what counts tonnes counts no pounds."""
    assert Figures(["Excess (£) | 75 | 54,000 tonnes"]).lacks("£75") == ""
    assert Figures(["Excess (£) | 75 | 54,000 tonnes"]).lacks("£54,000") == "£54,000"
    assert Figures(["an excess of 75 for glass"]).lacks("£75") == ""


def test_no_texts_hold_nothing():
    """An empty source carries no number."""
    assert Figures([]).lacks("75") == "75"
    assert Figures([""]).lacks_roughly("It is 75.") == "75"
