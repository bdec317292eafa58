"""`footnoted eval` as a person and as CI would run it."""

import json

import pytest

from .conftest import run as command


@pytest.fixture
def run(env):
    return lambda *arguments: command(*arguments, env=env)


@pytest.fixture
def cases(tmp_path):
    path = tmp_path / "cases.jsonl"
    passage = {"title": "Car", "text": "Windscreen. The excess is £75 for a repair and £115 for a replacement."}
    lines = [
        {"id": "a", "question": "What is the excess for a repair?", "passages": [passage], "answerable": True}
        | {"evidence": ["The excess is £75 for a repair and £115 for a replacement."]},
        {"id": "b", "question": "Who walked on the moon?", "passages": [passage], "answerable": False},
    ]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return path


def test_a_run_prints_figures_and_saves_json_and_a_page(run, cases, tmp_path):
    """Status 0, a table on standard output, both files whole."""
    ended = run("eval", cases, "--json", tmp_path / "run.json", "--html", tmp_path / "run.html")
    assert ended.returncode == 0, ended.stderr
    assert "right answers and right refusals" in ended.stdout
    assert json.loads((tmp_path / "run.json").read_text())["metrics"]["right"]["value"] == 1.0
    assert (tmp_path / "run.html").read_text().startswith("<!doctype html>")


def test_json_on_standard_output_is_all_there_is(run, cases):
    """Machines read it without cutting."""
    ended = run("eval", cases, "--json", "-")
    assert len(json.loads(ended.stdout)["cases"]) == 2


def test_a_threshold_that_is_missed_fails_the_build(run, cases):
    """Status 1 and a line that says what was asked and what came."""
    assert run("eval", cases, "--least", "right=1.0").returncode == 0
    ended = run("eval", cases, "--least", "answer_f1=0.5")
    assert ended.returncode == 1
    assert "answer_f1" in ended.stderr


@pytest.mark.parametrize("least", ["beauty=1", "right", "right=2", "right=much"])
def test_a_threshold_that_is_none_is_a_usage_error(run, cases, least):
    """Status 2, before anything is asked."""
    ended = run("eval", cases, "--least", least)
    assert ended.returncode == 2
    assert "--least" in ended.stderr


def test_two_runs_are_compared(run, cases, tmp_path):
    """The same twice: nothing is really different, status 0."""
    run("eval", cases, "--json", tmp_path / "before.json")
    ended = run("eval", cases, "--against", tmp_path / "before.json")
    assert ended.returncode == 0
    assert "no real difference" in ended.stdout


def test_a_recording_answers_without_its_provider(run, cases, tmp_path):
    """Recorded with one provider, replayed with none."""
    assert run("eval", cases, "--record", tmp_path / "replies.jsonl").returncode == 0
    ended = run("eval", cases, "--replay", tmp_path / "replies.jsonl", "--provider", "openai")
    assert ended.returncode == 0, ended.stderr
    assert run("eval", cases, "--replay", tmp_path / "none.jsonl").returncode == 2
