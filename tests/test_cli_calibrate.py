"""`footnoted calibrate`: a gate from labelled claims, its promise, and one line for what is wrong with the file."""

import json
import os

import pytest

from footnoted.grounding import Checker
from footnoted.grounding.gate import Gate, lowest
from footnoted.types import Source

from .commands import run

FILLER = "The harbour museum shows model ships from four centuries to its visitors."


def cases(n: int) -> str:
    """So many true and as many false claims, the true ones quotes."""
    rows = []
    for number in range(n):
        said = f"Ship number {number} of the harbour museum was built of oak."
        rows.append({"claim": said, "sources": [f"{said} {FILLER}"], "supported": True})
        rows.append({"claim": f"Trains to town {number} leave at noon.", "sources": [FILLER], "supported": False})
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_a_gate_is_written_that_keeps_its_promise(tmp_path):
    """Sixty false claims are enough for five in a hundred; the checker takes the file and still ticks a quote."""
    (tmp_path / "cases.jsonl").write_text(cases(60), encoding="utf-8")
    done = run("calibrate", "cases.jsonl", "--json", cwd=tmp_path, env=os.environ)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["false_ticked"] <= told["share"] == 0.05
    assert told["true_ticked"] == 1.0
    gate = Gate.load(tmp_path / "gate.json")
    assert (gate.promise.n, gate.supported) == (60, told["threshold"])
    checker = Checker(gate=tmp_path / "gate.json")
    assert checker.check(FILLER, [Source("a", FILLER)]).ruling == "supported"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (cases(3), "too few"),
        ("", "holds no claims"),
        ('{"claim": "x"}\n', "cases.jsonl:1"),
        ('\n{"claim": "x", "sources": "y", "supported": true}\n', "cases.jsonl:2"),
        ("\x00", "cases.jsonl:1"),
    ],
)
def test_what_is_wrong_is_one_line(tmp_path, text, said):
    """Too few claims, none, or a line that is none: named, and nothing is written."""
    (tmp_path / "cases.jsonl").write_text(text, encoding="utf-8")
    done = run("calibrate", "cases.jsonl", cwd=tmp_path, env=os.environ)
    assert done.returncode != 0
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "gate.json").exists()


def test_the_bound_is_an_exact_one():
    """Of 45 scores none may pass for 5 % with 90 %; of 77 one may; of 44 nothing can be promised."""
    assert lowest([0.0] * 44, share=0.05, confidence=0.9) is None
    threshold, passed = lowest([i / 100 for i in range(45)], share=0.05, confidence=0.9)
    assert (passed, threshold > 0.44) == (0, True)
    _, passed = lowest([i / 100 for i in range(77)], share=0.05, confidence=0.9)
    assert passed == 1
