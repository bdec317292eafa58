"""Two sources that say otherwise on one point are found; sources about different things are not."""

import pytest

from footnoted.grounding import disagreement
from footnoted.grounding.disagreement import date_of, disagreements
from footnoted.types import Evidence, Source


def about(quote, *texts, titles=None):
    named = titles or [""] * (len(texts) + 1)
    sources = [
        Source(id=str(i), text=text, title=title)
        for i, (text, title) in enumerate(zip([quote, *texts], named, strict=True))
    ]
    return disagreements(Evidence(0, 0, len(quote), quote, 1.0), sources), sources


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The windscreen excess is £75.", "General terms apply. The windscreen excess is £95."),
        ("You must report a theft within 24 hours.", "You must report a theft within 48 hours."),
        ("Damage by pets is covered.", "Damage by pets is not covered."),
    ],
)
def test_sources_that_exclude_one_another_are_found(one, other):
    """Number, deadline, negation: both spans are exact."""
    (found,), sources = about(one, other)
    assert sources[1].text[found.second.start : found.second.end] == found.second.quote
    assert found.first.quote == one
    assert found.difference


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The windscreen excess is £75.", "The theft excess is £250."),
        ("The windscreen excess is £75.", "The windscreen excess is £75."),
        ("The windscreen excess is £75.", "Windscreens are repaired at home."),
        ("You must report a theft within 24 hours.", "Theft must be reported to the police within 24 hours."),
        ("Cover starts on 1 May.", "Nothing in common."),
    ],
)
def test_sources_that_do_not_are_left_alone(one, other):
    """Another subject, the same words, or mere nearness is no disagreement."""
    assert about(one, other)[0] == []


def test_among_many_that_are_nearly_alike_only_so_many_are_read(monkeypatch):
    """A price list costs no more than its first pairs; what differs in one figure alone is found without reading."""
    pairs = []
    monkeypatch.setattr(disagreement, "_exclude", lambda *pair: pairs.append(pair) and False)
    rules = [f"Rule {n}: the fee for item number {n} is £{n}." for n in range(100, 160)]
    found, _ = about("Rule 7: the fee for item number 7 is £7.", *rules, "Rule 7: the fee for item number 7 is £8.")
    assert len(pairs) == disagreement.READ
    assert [each.second.quote[-4:] for each in found] == [" £8."]


def test_different_products_may_differ():
    """The home excess and the travel excess are two facts, not one dispute."""
    found, _ = about("The excess is £250.", "The excess is £75.", titles=["Home contents policy", "Travel policy"])
    assert found == []


def test_two_years_of_the_same_policy_disagree_and_say_when():
    """A year in the title does not make it another subject; it is the date."""
    found, _ = about("The excess is £250.", "The excess is £300.", titles=["Home policy 2023", "Home policy 2025"])
    assert [(each.first_date, each.second_date) for each in found] == [("2023", "2025")]


def test_a_date_is_read_from_metadata_first():
    """What a source says of itself beats its title."""
    assert date_of(Source("a", "x", title="Terms 2020", metadata={"updated": "2024-03-01"})) == "2024-03-01"
    assert date_of(Source("a", "x")) == ""
