"""The exact tier: aligned words that exclude one another contradict, near copies support, the rest is left open."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from footnoted.grounding.exact import decide
from footnoted.grounding.reading import read
from footnoted.grounding.scales import weigh
from footnoted.grounding.shelf import Shelf
from footnoted.types import Source
from tests.tables import every

PAIRS = [json.loads(line) for line in Path(__file__).with_name("pairs.jsonl").read_text("utf-8").splitlines()]


def ruling(source: str, claim: str):
    """The exact tier's own verdict, without any model."""
    return decide(weigh(claim, [Source(id="s", text=source)], [0], shelf=Shelf(), encoder=None))


def test_the_corpus_of_policy_security_and_support_prose():
    """Of 92 authored pairs at least 95 % of the contradictions are seen and no ruling given is wrong."""
    given = [(pair, ruling(pair["source"], pair["claim"])) for pair in PAIRS]
    wrong = [(pair["claim"], v.ruling) for pair, v in given if v and v.ruling != pair["ruling"]]
    assert wrong == []
    contradicted = [v for pair, v in given if pair["ruling"] == "contradicted"]
    assert sum(v is not None for v in contradicted) >= 0.95 * len(contradicted)
    near_copies = [v for pair, v in given if pair["kind"] == "verbatim"]
    assert sum(v is not None for v in near_copies) >= 0.9 * len(near_copies)


@pytest.mark.parametrize(
    ("source", "claim", "reason"),
    [
        (
            "You must report a claim within 14 days.",
            "You must report a claim within 40 days.",
            'the source says "14 days", the answer says "40 days"',
        ),
        (
            "Keys older than 90 days must be disabled.",
            "Keys older than 90 days must be enabled.",
            'the source says "disabled", the answer says "enabled"',
        ),
        (
            "Dr. Okafor leads the claims department in Leeds.",
            "Dr. Okafor leads the claims department in Glasgow.",
            'the source names "Leeds" where the answer names "Glasgow"',
        ),
    ],
)
def test_a_contradiction_says_why_in_plain_words(source, claim, reason):
    """The reason quotes both sides, the flag points at the claim's words, the evidence at the source's."""
    verdict = ruling(source, claim)
    assert verdict.ruling == "contradicted"
    assert verdict.reason == reason
    (flag,) = verdict.flagged
    assert claim[flag.start : flag.end] in reason
    (evidence,) = verdict.evidence
    assert source[evidence.start : evidence.end] == evidence.quote


@every(
    ("source", "claim"),
    [
        ("Storm damage is not excluded.", "Storm damage is covered."),
        ("The limit is £500 in winter. The limit is £900 in summer.", "The limit is £900 in summer."),
        ("Claims are paid within 10 days, but not on holidays.", "Claims are paid within 10 days."),
        ("No later than 30 days after the loss you must write to us.", "You must write to us within 30 days."),
        ("1. Open the app. 2. Choose a plan.", "2. Choose a plan."),
        ("The office will close at noon.", "The office might close at noon."),
        ("The library holds 300 maps.", "The library holds over 250 maps."),
        ("No, fees do not apply to students.", "Fees do not apply to students."),
        ("Do not share your password with anyone.", "Avoid sharing your password with anyone."),
        (
            "You can't cancel because you don't meet the notice period or do not hold the policy yourself.",
            "You cannot cancel due to not meeting the notice period or not holding the policy yourself.",
        ),
        ("We help you to trace parents that do not have custody.", "We help you to trace non-custodial parents."),
        (
            "The striker's confidence hasn't been shaken despite not scoring in the league since December.",
            "The striker hasn't scored in the league since December.",
        ),
        ("The portal was launched in October 2008.", "The portal was launched in the late 2000s."),
        ("The register was opened in the 1980s.", "The register was opened in 1985."),
        ("The crew arrived at Gatwick ahead of the storm.", "The crew arrived on Tuesday ahead of the storm."),
        (
            (
                "The first claim from abroad was settled in Spain in 1983. In July 1983 one was opened in the north, which "
                "led to the first claim from the north being settled there on 3 February 1984."
            ),
            "However, the first claim from abroad was settled in Spain in 1983.",
        ),
    ],
)
def test_what_agrees_is_never_contradicted(source, claim):
    """A double negative, the right one of two numbers, a weaker modal, an open bound: none is a conflict.

    Neither are other words for the same: to avoid is not to do, "non-" says "no"; a year is in its decade, and no
    town stands in a weekday's place.
    """
    verdict = ruling(source, claim)
    assert verdict is None or verdict.ruling == "supported"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("We cover theft only if the doors were locked.", "We cover theft."),
        ("Lauda expects Rosberg to fight, after accusing Hamilton of pride.", "Hamilton expects Rosberg to fight."),
        (
            "The model learns words and the parsing of sentences.",
            "The model learns sentences and the parsing of words.",
        ),
    ],
)
def test_a_dropped_condition_or_a_swap_of_roles_is_no_near_copy(source, claim):
    """All its words stand in one sentence, yet the exact tier does not call it supported."""
    verdict = ruling(source, claim)
    assert verdict is None or verdict.ruling != "supported"


def test_a_copy_is_supported_and_points_at_itself():
    """A sentence that stands in the source, in other spelling of its number, is supported by exactly that sentence."""
    source = "Welcome! Rotate access keys every ninety days. Thank you."
    verdict = ruling(source, "Rotate access keys every 90 days.")
    assert verdict.ruling == "supported"
    (evidence,) = verdict.evidence
    assert evidence.quote == "Rotate access keys every ninety days."
    assert source[evidence.start : evidence.end] == evidence.quote


def test_nothing_said_is_unsupported():
    """A claim no word of which stands in the sources is unsupported, all its words flagged."""
    verdict = ruling("The excess is £75.", "Our vans deliver flowers to hospitals.")
    assert verdict.ruling == "unsupported"
    assert len(verdict.flagged) >= 4


def test_negation_reaches_its_own_clause_only():
    """A negator turns the words of its clause, two cancel out, and "not only" turns nothing."""
    turned = {w.text for w in read("It is not covered, but theft is insured.").words if w.negated}
    assert "covered" in turned
    assert "insured" not in turned
    assert not any(w.negated for w in read("It covers not only theft.").words)
    assert not any(w.negated for w in read("Nobody was not paid.").words if w.text == "paid")


@pytest.mark.parametrize(
    ("source", "claim", "expected"),
    [
        ("We do not pay for frost damage.", "Frost damage is covered.", "contradicted"),
        ("Exclusions: loss of keys, flood damage.", "Flood damage is covered.", "contradicted"),
        ("You are insured for fire.", "Fire is excluded.", "contradicted"),
        ("We pay for theft. We do not pay for theft when the keys were left in the car.", "Theft is covered.", None),
        ("We do not pay for theft when the keys were left in the car.", "Theft is covered.", None),
    ],
)
def test_what_is_not_paid_for_is_not_covered(source, claim, expected):
    """Cover, pay, insure and exclude mean the same or the opposite; what holds only under a condition denies nothing."""
    verdict = ruling(source, claim)
    assert (verdict.ruling if verdict else None) == expected


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("The portal was launched in October 2008.", "The portal was launched in the 1990s."),
        ("The clinic opens for patients on Thursday.", "The clinic opens for patients on Tuesday."),
        ("The scheme covers residents of the county.", "The scheme covers non-residents of the county."),
        (
            "Share your password with the administrator on request.",
            "Avoid sharing your password with the administrator on request.",
        ),
    ],
)
def test_the_same_words_told_against_the_source_are_one(source, claim):
    """A decade the year is not in, another weekday, "non-" and "avoid" where the source says it plainly."""
    verdict = ruling(source, claim)
    assert verdict is not None
    assert verdict.ruling == "contradicted"
