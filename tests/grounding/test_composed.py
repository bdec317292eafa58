"""Sentences that put together a list or a row as it stands: a tick without a reader, and none where a part misleads."""

from __future__ import annotations

import pytest

from footnoted.grounding import Checker
from footnoted.types import Source

POLICY = Source(
    "1",
    """# Theft

We do not pay for:

- rust;
- theft of a car whose keys were left in it. Nor of one whose roof was open.
- war.

We pay for a hire car only if:

- the theft was told to the police
- you have *no* other car

A claim is paid when these papers are there:

- the form;
- the bill.

If you write to us you should know how long we take:

- an answer takes two days
- a decision takes ten

The form that you send us looks like this, whatever was stolen:

```
Name:
```

| Plan | Monthly price | Storage |
|---|---|---|
| Plus | $25 | `50 GB` |
| Pro | $40 | [1 TB](disk.md) |
""",
)


@pytest.fixture(scope="module")
def checker() -> Checker:
    return Checker()


@pytest.mark.parametrize(
    ("claim", "parts"),
    [
        ("We do not pay for: rust; war.", ["We do not pay for:", "- rust;", "- war."]),
        (
            "We pay for a hire car only if: the theft was told to the police; you have no other car.",
            ["We pay for a hire car only if:", "- the theft was told to the police", "- you have *no* other car"],
        ),
        (
            "We do not pay for: theft of a car whose keys were left in it; war.",
            ["We do not pay for:", "- theft of a car whose keys were left in it.", "- war."],
        ),
        (
            "The form that you send us looks like this, whatever was stolen.",
            ["The form that you send us looks like this, whatever was stolen:"],
        ),
        (
            "If you write to us you should know how long we take: a decision takes ten.",
            ["If you write to us you should know how long we take:", "- a decision takes ten"],
        ),
        ("Plan: Plus; Monthly price: $25; Storage: 50 GB. [1]", ["| Plus | $25 | `50 GB` |"]),
        ("Pro, Monthly price: $40; Storage: 1 TB.", ["| Pro | $40 | [1 TB](disk.md) |"]),
    ],
)
def test_what_is_put_together_as_it_stands_is_supported_by_its_parts(checker, claim, parts):
    verdict = checker.check(claim, [Source("0", "Of something else."), POLICY])
    assert (verdict.ruling, verdict.tier, verdict.score) == ("supported", "exact", 1.0)
    assert [one.quote for one in verdict.evidence] == parts
    for one in verdict.evidence:
        assert one.source == 1
        assert POLICY.text[one.start : one.end] == one.quote


@pytest.mark.parametrize(
    "claim",
    [
        "We do not pay for: rust; fire.",
        "We pay for: rust; war.",
        "We do not pay for: theft of a car.",  # half a sentence
        "We pay for a hire car only if: you have no other car.",  # half of what must hold
        "Plan: Plus; Monthly price: $40; Storage: 50 GB.",
        "Plan: Plus; Monthly price: $25.",  # half a row has no tick of this kind
        "We do not pay for.",
        "A claim is paid when these papers are there: the form.",
    ],
)
def test_what_leaves_out_or_mixes_parts_is_not(checker, claim):
    assert checker.check(claim, [POLICY]).tier != "exact" or checker.check(claim, [POLICY]).ruling != "supported"


HEADED = Source(
    "2",
    "- rust;\n- war.\n\n# 5.1 What we pay\n\n- a taxi home\n\n# All of these\n\n- the form\n- the bill\n",
    title="Car Policy › 5. What is not covered",
)


def test_an_item_is_told_after_the_heading_over_it(checker):
    for claim, part in (
        ("What is not covered: Rust. [1]", "- rust;"),
        ("5. What is not covered: war.", "- war."),
        ("What we pay: a taxi home.", "- a taxi home"),
    ):
        verdict = checker.check(claim, [HEADED])
        assert (verdict.ruling, verdict.tier) == ("supported", "exact")
        assert [one.quote for one in verdict.evidence] == [part]


@pytest.mark.parametrize(
    "claim",
    [
        "What we pay: rust.",
        "What is not covered: a taxi home.",
        "covered: rust.",  # half of the heading turns its sense
        "All of these: the form.",
        "What is not covered: rust and war.",
    ],
)
def test_an_item_after_another_heading_is_not(checker, claim):
    verdict = checker.check(claim, [HEADED])
    assert (verdict.ruling, verdict.tier) != ("supported", "exact")


def test_a_long_table_and_a_long_list_are_looked_through_in_a_moment(checker):
    """20,000 rows and 5,000 items: seconds would hold up a stream."""
    rows = "\n".join(f"| P{n} | ${n} | {n} GB |" for n in range(20_000))
    items = "\n".join(f"- thing {n}" for n in range(5_000))
    text = f"| Plan | Price | Storage |\n|---|---|---|\n{rows}\n\nWe sell:\n\n{items}\n"
    source = Source("1", text)
    assert checker.check("Plan: P19999; Price: $19999; Storage: 19999 GB.", [source]).tier == "exact"
    assert checker.check("We sell: thing 3; thing 4999.", [source]).tier == "exact"


def test_markdown_inside_a_quote_costs_no_tick_whatever_was_checked_before(checker):
    """The reader gets a claim without marks, and a comma after code must not stand apart for that."""
    text = 'Otherwise `/users/{id}` (in code) would match `/users/me`, "thinking" it is a value of `"me"`.'
    source = Source("1", f"Order matters. {text} So declare it first.")
    checker.check("Something was read before.", [source])
    assert checker.check(f"{text} [1]", [source]).tier == "exact"
