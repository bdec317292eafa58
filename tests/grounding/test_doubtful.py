"""Which words of a sentence its evidence does not carry."""

import itertools

import pytest

from footnoted.grounding import Checker
from footnoted.grounding.alignment import align
from footnoted.grounding.doubtful import NAMES, doubtful, measures
from footnoted.grounding.reading import read
from footnoted.types import Source


def flagged(claim: str, *evidence: str) -> list[str]:
    reading = read(claim)
    return [claim[s.start : s.end] for s in doubtful(reading, align(reading, [read(one) for one in evidence]))]


def test_made_up_words_are_one_run_with_what_stands_between_them():
    found = flagged(
        "The bridge was opened in 1932 by the mayor of Ghent and painted bright purple.",
        "The bridge was opened in 1932.",
    )
    assert "painted bright purple" in " ".join(found)
    assert not any("bridge" in words or "1932" in words for words in found)


def test_a_sentence_that_stands_there_has_no_doubtful_word():
    assert flagged("The bridge was opened in 1932.", "The bridge was opened in 1932.") == []


@pytest.mark.parametrize("claim", ["", "…", "สะพานเปิดในปี 1932", "of the"])
def test_what_has_few_words_or_none_is_read_too(claim):
    reading = read(claim)
    alignment = align(reading, [])
    assert [len(row) for row in measures(reading, alignment)] == [len(NAMES)] * len(reading.words)
    spans = doubtful(reading, alignment)
    assert all(0 <= s.start < s.end <= len(claim) for s in spans)
    assert all(a.end < b.start for a, b in itertools.pairwise(spans))


def test_a_verdict_points_at_the_made_up_part():
    claim = "Repairs at an approved centre are free, and customers also receive a voucher for dinner."
    verdict = Checker().check(claim, [Source("a", "A repair at an approved centre is free for every customer.")])
    assert verdict.ruling != "supported"
    assert "voucher for dinner" in " ".join(claim[s.start : s.end] for s in verdict.flagged)
