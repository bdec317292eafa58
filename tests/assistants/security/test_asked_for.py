"""What a question asks for, says of it, and when: a word of these that no field holds is never passed over."""

import pytest

from footnoted.assistants.security.query.vocabulary import vocabulary_of
from tests.assistants.security.estate import take_in


@pytest.fixture
async def vocabulary(database):
    """The names of the estate."""
    await take_in(database)
    return await vocabulary_of(database, "clinic")


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("Which contractor has the most open findings?", "contractor"),
        ("what department fixed the most findings", "department"),
        ("how many mediums last semester", "semester"),
        ("how many S3 findings in winter", "winter"),
        ("How many findings opened before the migration?", "migration"),
        ("which region has most findings between the scans", "between"),
    ],
)
async def test_what_and_when_it_is_asked_of_is_not_passed_over(asked, question, word):
    """Its number would answer another question."""
    assert word in asked(question).unfit


async def test_a_day_of_several_words_is_one(asked):
    """The "3rd" of "the 3rd of November" is no place in a list."""
    where = asked("How many findings were first seen before the 2nd of November?").query.where
    assert str(where.first_seen_before) == "2026-11-02"


@pytest.mark.parametrize("question", ["how many new findings between the two scans", "what exactly is open in S3?"])
async def test_what_is_held_or_only_stresses_is_asked(asked, question):
    """What became of findings is between the scans, and "exactly" asks for nothing else."""
    assert asked(question).can_be_asked
