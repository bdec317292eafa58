"""Sentences held against the rows, and the sentences rows are told in; every number is counted from the raw files."""

from collections import Counter

import pytest

from footnoted.assistants.security.query.claims import Rows
from footnoted.assistants.security.query.vocabulary import vocabulary_of
from tests.assistants.security.test_query import raw


@pytest.fixture
async def rows(clinic):
    """The clinic's rows."""
    return Rows(clinic, "clinic", await vocabulary_of(clinic, "clinic"))


def high_in(region):
    return sum(severity == "high" and is_open and where == region for severity, where, _, is_open in raw())


async def test_a_count_stands_only_if_the_rows_give_it(rows):
    """One more is denied, with the rows' own number."""
    count = high_in("eu-west-1")
    assert (await rows.hold(f"There are {count} open high findings in eu-west-1.")).right
    held = await rows.hold(f"There are {count + 1} open high findings in eu-west-1.")
    assert not held.right
    assert str(count) in held.truth


@pytest.mark.parametrize(
    ("sentence", "right"),
    [
        ("You are compliant with HIPAA.", False),
        ("You meet HIPAA in this account.", False),
        ("No scan makes you compliant with HIPAA.", None),
        ("The bucket clinic-scans is in us-east-1.", False),
        ("The bucket clinic-scans is in eu-west-1.", True),
        ("There are 3 open findings in account 999988887777-b.", False),
        ("s3_bucket_public_access is rated low in severity.", False),
        ("s3_bucket_public_access is a check of critical severity.", True),
        ("s3_bucket_public_access is mapped to HIPAA.", True),
        ("s3_bucket_public_access on clinic-scans passes.", False),
        ("s3_bucket_public_access on clinic-scans is open.", True),
        ("A wildcard lets anybody in.", None),
    ],
)
async def test_what_rows_say_of_a_sentence(rows, sentence, right):
    """Places, states, severities, mappings and verdicts of compliance; of all else they say nothing."""
    held = await rows.hold(sentence)
    assert (held.right if held else None) is right
    assert held is None or held.right or held.truth


async def told(advisor, question):
    advice = await advisor.answer(question, None, "clinic")
    return advice.response.response


async def test_groups_are_told_one_by_one(advisor):
    """Each region with its own number."""
    text = await told(advisor, "How many findings by region?")
    for region, count in Counter(where for _, where, _, is_open in raw() if is_open).items():
        assert f"{region}: {count}" in text


async def test_sides_are_told_beside_one_another(advisor):
    """Both regions with their numbers, and which has more."""
    text = await told(advisor, "Compare eu-west-1 and us-east-1")
    counts = Counter(where for _, where, _, is_open in raw() if is_open)
    for region in ("eu-west-1", "us-east-1"):
        assert f"{region}: {counts[region]} open" in text


async def test_a_rate_counts_passes_over_passes_and_failures(advisor):
    """Muted ones are neither."""
    text = await told(advisor, "What is the pass rate?")
    assert f"{sum(is_open for _, _, _, is_open in raw())} open" in text
    assert "% pass" in text


async def test_one_scan_cannot_be_compared(advisor):
    """The answer says so, with what is open now."""
    text = await told(advisor, "What changed since the previous scan?")
    assert "one scan only" in text


async def test_unmet_requirements_are_told_by_name(advisor):
    """And that no scan makes anybody compliant."""
    text = await told(advisor, "Which HIPAA requirements do we fail?")
    assert "164_312_a_1" in text
    assert "no scan makes anybody compliant" in text
