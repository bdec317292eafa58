"""The labelled questions: understood as well as measured, those the rules were not written for too."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from footnoted.assistants.security.nlu import INTENTS, understand
from tests.tables import every

KINDS = ("aws_services", "compliance_frameworks", "finding_ids", "severities", "check_ids", "uncovered")


def questions(part):
    path = Path(__file__).with_name(f"questions_{part}.jsonl")
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def understood(case):
    return understand(case["question"], [tuple(pair) for pair in case.get("history", ())])


def test_the_set_is_large_and_mixed():
    """Three hundred questions or more, every intent in the two large parts, three languages, typos and attacks."""
    both = [case for part in ("dev", "held", "fresh", "last", "unseen", "more", "blind") for case in questions(part)]
    assert len(both) >= 300
    assert len({(case["question"], str(case.get("history"))) for case in both}) == len(both)
    assert {case["language"] for case in both} == {"en", "es", "ms"}
    assert sum("typo" in case for case in both) >= 5
    assert sum("hostile" in case for case in both) >= 5
    for half in ("dev", "held"):
        assert {case["intent"] for case in questions(half)} == set(INTENTS)


@every("case", questions("dev"), ids=lambda case: case["id"])
def test_a_question_is_understood(case):
    """Intent, entities, needs, ordinals and what is set aside are as labelled."""
    result = understood(case)
    assert result.intent == case["intent"]
    for kind in KINDS:
        assert sorted(getattr(result.entities, kind)) == sorted(case.get(kind, ())), kind
    assert result.requires_findings == case.get("requires_findings", False)
    assert result.requires_documents == case.get("requires_documents", False)
    excluded = {kind: sorted(names) for kind, names in result.context.get("excluded", {}).items()}
    assert excluded == {kind: sorted(names) for kind, names in case.get("excluded", {}).items()}
    assert list(result.context.get("ordinals", ())) == case.get("ordinals", [])


@pytest.mark.parametrize(
    ("part", "intents", "names"),
    [
        ("held", 0.95, 0.97),
        ("fresh", 0.9, 0.95),
        ("last", 0.9, 0.95),
        ("unseen", 0.75, 0.95),
        ("more", 0.85, 0.95),
        ("blind", 0.6, 0.9),
    ],
)
def test_questions_written_apart_from_the_rules_are_understood(part, intents, names):
    """Intents and entities of the other parts stay where they were measured, less a little."""
    cases = questions(part)
    right = sum(understood(case).intent == case["intent"] for case in cases)
    count: Counter[str] = Counter()
    for case in cases:
        result = understood(case)
        for kind in KINDS:
            want, got = set(case.get(kind, ())), set(getattr(result.entities, kind))
            count.update(hit=len(want & got), wrong=len(want ^ got))
    assert right / len(cases) >= intents
    assert 2 * count["hit"] / (2 * count["hit"] + count["wrong"]) >= names
