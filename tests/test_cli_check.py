"""`footnoted check`: what stands, what does not, and how it says so."""

import json

import pytest

from .conftest import run


@pytest.fixture
def saved(folder, env, tmp_path):
    """An answer saved from ask --json."""
    done = run("ask", "What is the windscreen excess?", folder, "--json", env=env)
    path = tmp_path / "answer.json"
    path.write_text(done.stdout, encoding="utf-8")
    return path


def test_a_saved_answer_stands(saved, folder, env):
    """Pointers and verdicts, exit 0."""
    done = run("check", saved, "--sources", folder, env=env)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "supported" in done.stdout
    assert "stands" in done.stdout


def test_pointers_alone_need_no_verdicts(saved, folder, env):
    """Hashes and quotes only; nothing is weighed."""
    done = run("check", saved, "--sources", folder, "--pointers-only", "--json", env=env)
    report = json.loads(done.stdout)
    assert done.returncode == 0
    assert report["claims"] == []
    assert {each["standing"] for each in report["pointers"]} == {"stands"}


def test_a_changed_source_is_found_out(saved, folder, env):
    """£75 became £95 since: exit 3, and the pointer says changed."""
    policy = folder / "car.md"
    policy.write_text(policy.read_text(encoding="utf-8").replace("£75", "£95"), encoding="utf-8")
    done = run("check", saved, "--sources", folder, env=env)
    assert done.returncode == 3
    assert "changed" in done.stdout


def test_any_text_is_held_against_any_folder(folder, env, tmp_path):
    """Right and wrong sentences of nobody in particular, each with its verdict and the words behind it."""
    notes = tmp_path / "notes.txt"
    notes.write_text("The windscreen excess is £75 for a repair. Racing on any track is covered.", encoding="utf-8")
    done = run("check", notes, "--sources", folder, "--json", env=env)
    report = json.loads(done.stdout)
    assert done.returncode == 3
    assert [claim["verdict"] for claim in report["claims"]] == ["supported", "contradicted"]
    assert report["claims"][0]["evidence"][0]["quote"] == "The windscreen excess is £75 for a repair."
    assert not report["stands"]


def test_text_may_come_through_a_pipe(folder, env):
    """`-` reads what another command wrote."""
    done = run("check", "-", "--sources", folder, env=env, given="A replacement costs you £115.")
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"\xff\xfe\x00garbage\xff", "not UTF-8"),
        (b'{"response": "x", "citations": 7}', "looks like a saved answer but is not one"),
        (None, "cannot be read"),
        (b"x" * 5_000_001, "larger than 5 MB"),
    ],
)
def test_what_cannot_be_checked_says_why(folder, env, tmp_path, content, words):
    """Exit 2 and one clear line."""
    path = tmp_path / "answer"
    if content is not None:
        path.write_bytes(content)
    done = run("check", path, "--sources", folder, env=env)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_pointers_of_plain_text_are_a_mistake(folder, env, tmp_path):
    """There are none; the message says what has them."""
    path = tmp_path / "notes.txt"
    path.write_text("Hello.", encoding="utf-8")
    done = run("check", path, "--sources", folder, "--pointers-only", env=env)
    assert done.returncode == 2
    assert "ask --json" in done.stderr
