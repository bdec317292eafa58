"""One command makes the reader: what is done stays done, what changed is done again, what breaks is gone on from."""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def way(tmp_path, monkeypatch):
    """The command over three small steps of its own: each writes its letter down; the last one installs nothing."""
    spec = importlib.util.spec_from_file_location("make_all", ROOT / "training" / "make_all.py")
    made = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "make_all", made)
    spec.loader.exec_module(made)
    monkeypatch.setattr(made, "ROOT", tmp_path)
    for name in "abc":
        (tmp_path / f"{name}.py").write_text(f"open('done.txt', 'a').write('{name}')\n")
    monkeypatch.setattr(
        made, "steps", lambda options: [made.Step(n, f"step {n}", (f"{n}.py", str(options.rows))) for n in "abc"]
    )

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["make_all.py", str(tmp_path), str(tmp_path / "kept"), *arguments])
        made.main()
        return (tmp_path / "done.txt").read_text() if (tmp_path / "done.txt").exists() else ""

    run.folder = tmp_path
    return run


def test_what_is_done_is_not_done_again(way, capsys):
    """The second run does nothing and says so."""
    assert way() == "abc"
    assert way() == "abc"
    assert capsys.readouterr().out.count("✓") == 6


def test_a_changed_script_is_run_again_with_all_that_follows(way):
    """What came before it stands."""
    way()
    (way.folder / "b.py").write_text("open('done.txt', 'a').write('B')\n")
    assert way() == "abcBc"


def test_other_arguments_are_another_step(way):
    """Twice the rows is another training."""
    way()
    assert way("--rows", "7") == "abcabc"


def test_a_step_that_fails_ends_it_and_the_next_run_goes_on_there(way):
    """Its exit status is the command's; the stamps of what was done are kept."""
    (way.folder / "b.py").write_text("raise SystemExit(3)\n")
    with pytest.raises(SystemExit) as ended:
        way()
    assert ended.value.code == 3
    assert list(json.loads((way.folder / "kept" / "made.json").read_text())) == ["a"]
    (way.folder / "b.py").write_text("open('done.txt', 'a').write('b')\n")
    assert way() == "abc"


def test_a_step_may_be_asked_for_again(way):
    """And a step that is none is told with those there are."""
    way()
    assert way("--from", "c") == "abcc"
    with pytest.raises(SystemExit):
        way("--from", "d")


def test_a_list_does_nothing(way, capsys):
    """It only says what is left."""
    assert way("--list") == ""
    assert capsys.readouterr().out.count("•") == 3


def test_every_step_is_a_script_with_a_gpu_or_without(tmp_path, monkeypatch):
    """With one, all layers of the English network are unpacked, and it is taught by the network of all of them."""
    spec = importlib.util.spec_from_file_location("make_all", ROOT / "training" / "make_all.py")
    made = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "make_all", made)
    spec.loader.exec_module(made)
    ways = {}
    for device in ("cpu", "cuda"):
        told = argparse.Namespace(data=tmp_path, kept=tmp_path, rows=9, threads=1, half=False, device=device)
        ways[device] = {step.name: step.command for step in made.steps(told)}
        assert all((ROOT / command[0]).is_file() for command in ways[device].values())
    assert set(ways["cuda"]) ^ set(ways["cpu"]) == {"teacher", "reader"}
    assert "12" in ways["cuda"]["mpnet"]
    assert "12" not in ways["cpu"]["mpnet"]
