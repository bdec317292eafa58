"""Stems that exclude one another."""

import pytest

from footnoted.grounding.opposites import contraries_of, opposites


@pytest.mark.parametrize(("one", "other"), [("paid", "unpaid"), ("valid", "invalid"), ("cover", "exclud")])
def test_contraries_hold_both_ways(one, other):
    assert other in contraries_of(one)
    assert one in contraries_of(other)


@pytest.mark.parametrize(("one", "other"), [("der", "under"), ("to", "into"), ("paid", "paid"), ("cover", "discov")])
def test_a_short_word_or_a_chance_ending_is_no_contrary(one, other):
    assert other not in contraries_of(one)
    assert one not in contraries_of(other)


def test_every_listed_opposite_is_a_contrary():
    assert opposites("cover") <= contraries_of("cover")
