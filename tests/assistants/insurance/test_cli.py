"""`footnoted insurance` as a customer service would run it: a child process, its output and its exit status."""

import json
from pathlib import Path

import pytest

from tests.conftest import run

POLICIES = Path(__file__).parents[3] / "examples" / "policies"


def test_an_answer_its_sources_and_its_confidence(env):
    """0 answered; both products, an exclusion, the file and the exact words."""
    done = run("insurance", "Am I covered for a cracked windscreen?", POLICIES / "car", env=env)
    assert done.returncode == 0, done.stderr
    assert "Harbour Mutual Car Comprehensive:** We pay to repair or replace" in done.stdout
    assert "Not covered: “We do not cover windows" in done.stdout
    assert "(car/comprehensive.md)" in done.stdout or "(comprehensive.md)" in done.stdout
    assert "Confidence: " in done.stdout


def test_json_is_the_whole_result(env):
    """SPEC's own fields."""
    done = run("insurance", "What is the windscreen excess?", POLICIES / "car", "--json", env=env)
    told = json.loads(done.stdout)
    assert {"answer", "citations", "confidence_score", "context_used", "context_available"} <= told.keys()
    assert {"has_sufficient_context", "reasoning"} <= told.keys()


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["Do you insure racehorses?", POLICIES / "car"], 3),
        (["Write me a poem.", POLICIES / "car"], 3),
        (["", POLICIES / "car"], 3),
        (["What is covered?"], 2),
        (["What is covered?", "no/such/folder"], 2),
        (["What is covered?", POLICIES / "car", "--style", "rude"], 2),
        (["What is covered?", POLICIES / "car", "--language", "xx"], 2),
    ],
)
def test_exit_statuses_are_those_of_ask(env, arguments, status):
    """3 refused, 2 usage; one line for what is wrong, no traceback."""
    done = run("insurance", *arguments, env=env)
    assert done.returncode == status, done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_a_conversation_is_kept(env):
    """A follow-up means the question before it."""
    said = "What is the windscreen excess?\nAnd with third party, fire and theft?\n\n"
    done = run("insurance", "--chat", POLICIES / "car", env=env, given=said)
    assert done.returncode == 0, done.stderr
    assert "**Harbour Mutual Car Third Party, Fire and Theft:**" in done.stdout.partition("Confidence")[2]
