"""Questions whose right answers are computed from the raw files (``raw.py``), not read off what the advisor said."""

from __future__ import annotations

import json

from footnoted.store import Database
from footnoted.types import FinishReason
from tests.assistants.security.conftest import ROOT, advisor_on, needs_data
from tests.assistants.security.raw import counted, failing
from tests.assistants.security.test_questions import LISTED, real
from tests.tables import every

pytestmark = needs_data
CASES = [
    json.loads(line)
    for line in (ROOT / "tests/assistants/security/questions_independent.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
]
NAMED = ("services", "severities", "frameworks", "accounts", "checks")
__all__ = ["real"]


def expected(case):
    return failing(**{name: case[name] for name in NAMED if name in case})


def listed(advice):
    return [(check, label.casefold()) for _, check, label in LISTED.findall(advice.response.response)]


def is_refused(advice):
    return advice.response.finish_reason is FinishReason.REFUSED


def gravest(case, advice):
    """What is listed is of the raw records, its severities are theirs, and nothing graver was passed over."""
    records = expected(case)
    known = {(one.check, one.severity) for one in records}
    assert set(listed(advice)) <= known
    if records:
        assert listed(advice)
        assert listed(advice)[0][1] == records[0].severity
    shown = [label for _, label in listed(advice)]
    # What two standards report of one resource is listed once, so the fifth may be less grave than the fifth record.
    assert shown == sorted(shown, key=[one.severity for one in records].index)


def holds_counts(case, advice):
    assert not is_refused(advice)
    assert dict(advice.severity) == counted(expected(case))
    assert advice.context.total == len(expected(case))
    gravest(case, advice)


def holds_compare(case, advice):
    for name, service in case["sides"].items():
        assert f"{name}: {len(failing(services=[service]))} failing" in advice.response.response


def holds_remediate(case, advice):
    assert {check for check, _ in listed(advice)} == set(case["checks"])
    gravest(case, advice)
    controls = {one["id"] for one in advice.citations if one["kind"] == "control"}
    if case["control"] is None:
        assert controls == set()
        assert "```" not in advice.response.response
    else:
        assert case["control"] in controls
        assert "```hcl" in advice.response.response
        assert "```bash" in advice.response.response


def holds_named(case, advice):
    """What the control was called in an older standard is listed too: PCI.Lambda.1 is Lambda.1."""
    assert {check for check, _ in listed(advice)} == {one.check for one in expected(case)} >= set(case["checks"])
    gravest(case, advice)


def holds_passed(case, advice):
    assert expected(case) == []
    assert not is_refused(advice)
    assert dict(advice.severity) == {}
    assert "pass" in advice.response.response.casefold()


def holds_uncovered(case, advice):
    assert case["says"] in advice.response.response
    assert "not cover" in advice.response.response
    assert listed(advice) == []


def holds_refused(case, advice):
    assert is_refused(advice)


def holds_nothing(case, advice):
    """Findings of other services are not passed off as those of one nobody knows."""
    assert is_refused(advice) or not (advice.severity or listed(advice))


HOLDS = {name.removeprefix("holds_"): check for name, check in globals().items() if name.startswith("holds_")}


@every("case", CASES, ids=[case["id"] for case in CASES])
async def test_the_answer_is_the_files_own(real, case):
    """Counts, lists, order, controls and refusals are as the raw records have them."""
    async with Database(real) as database:
        service = advisor_on(database)
        history = []
        if "before" in case:
            before = await service.answer(case["before"], None, "t")
            history = [(case["before"], before.response.response)]
        advice = await service.answer(case["question"], None, "t", history)
    if case["kind"] == "second":
        wanted = listed(before)[case["place"] - 1]
        assert {check for check, _ in listed(advice)} == {wanted[0]}
        return
    HOLDS[case["kind"]](case, advice)


def test_there_are_enough_cases():
    """Forty at least, of every kind."""
    assert len(CASES) >= 40
    assert {case["kind"] for case in CASES} == {*HOLDS, "second"}
