"""`assert_grounded` in anybody's tests."""

import subprocess
import sys

import pytest

from footnoted.evaluation import Ungrounded, assert_grounded

SOURCE = "The excess is £75 for a repair and £115 for a replacement."


async def test_a_grounded_answer_passes():
    """Nothing is raised."""
    await assert_grounded("The excess is £75 for a repair.", [SOURCE])


async def test_an_invented_amount_fails_and_is_named():
    """The message carries the sentence; `claims` too."""
    with pytest.raises(Ungrounded, match="£95") as error:
        await assert_grounded("The excess is £75 for a repair. The excess is £95 for a repair.", [SOURCE])
    assert len(error.value.claims) == 1


async def test_a_share_may_be_enough():
    """`least` is the share of claims that must stand."""
    await assert_grounded("The excess is £75 for a repair. The moon is green.", [SOURCE], least=0.5)
    with pytest.raises(ValueError, match="between 0 and 1"):
        await assert_grounded("x", [SOURCE], least=50)


def test_the_plugin_gives_the_fixture_to_tests_without_async(tmp_path):
    """As a user's own pytest run sees it: one passes, one fails with the sentence that does not stand."""
    (tmp_path / "test_it.py").write_text(
        f"SOURCE = {SOURCE!r}\n"
        "def test_stands(assert_grounded):\n    assert_grounded('The excess is £75 for a repair.', [SOURCE])\n"
        "def test_falls(assert_grounded):\n    assert_grounded('The excess is £95 for a repair.', [SOURCE])\n",
        encoding="utf-8",
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--no-cov", str(tmp_path)]
    run = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert "1 failed, 1 passed" in run.stdout, run.stdout + run.stderr
    assert "£95" in run.stdout
