"""What holds a rule for many rows tries them all and names each that breaks it."""

import pytest

from tests.tables import every


@every("number, least", [(1, 0), (2, 3), (5, 4), (6, 9)], ids=["one", "two", "five", "six"])
def larger(number, least):
    assert number > least


@every("number", [1, 0])
async def inverse(number):
    assert 1 / number


def test_every_broken_row_is_named_with_its_reason():
    """The second and the fourth, by the names they were given; the first and third are not."""
    with pytest.raises(BaseExceptionGroup, match=r"^2 of 4 rows: two, six$") as found:
        larger()
    assert [error.__notes__ for error in found.value.exceptions] == [["in the row two"], ["in the row six"]]


async def test_a_rule_that_awaits_is_held_too():
    """And any error breaks it, not an assertion's alone."""
    with pytest.raises(BaseExceptionGroup, match=r"^1 of 2 rows: 0$") as found:
        await inverse()
    assert isinstance(found.value.exceptions[0], ZeroDivisionError)
