"""`footnoted check` on answers of other systems, and its findings as a page and as SARIF."""

import json

import pytest

from .conftest import run

SOURCES = ["The excess is £75 for a repair.", {"title": "Home", "page_content": "Floods are covered up to £9,000."}]
TEXT = "The excess is £75 for a repair.\nFloods are covered up to £12,000. 😀 Storms are free of charge."


@pytest.fixture
def foreign(tmp_path):
    path = tmp_path / "answer.json"
    path.write_text(json.dumps({"answer": TEXT, "retrieved_contexts": SOURCES}), encoding="utf-8")
    return path


def test_an_answer_that_brings_its_sources_needs_no_folder(foreign, env):
    """One sentence stands, two do not; status 3, and each with its reason."""
    ended = run("check", foreign, "--json", env=env)
    assert ended.returncode == 3, ended.stderr
    verdicts = [each["verdict"] for each in json.loads(ended.stdout)["claims"]]
    assert verdicts[0] == "supported"
    assert "supported" not in verdicts[1:]


def test_without_any_source_it_says_what_to_add(tmp_path, env):
    """Nothing to hold it against is a usage error."""
    path = tmp_path / "answer.txt"
    path.write_text("The moon is green.", encoding="utf-8")
    ended = run("check", path, env=env)
    assert ended.returncode == 2
    assert "--sources" in ended.stderr


def test_sarif_points_at_the_very_characters(foreign, env, tmp_path):
    """Line, column and offset of each finding, in code points, and nothing for what stands."""
    ended = run("check", foreign, "--sarif", tmp_path / "found.sarif", env=env)
    assert ended.returncode == 3
    (told,) = json.loads((tmp_path / "found.sarif").read_text(encoding="utf-8"))["runs"]
    assert told["columnKind"] == "unicodeCodePoints"
    assert len(told["results"]) == 2
    rules = told["tool"]["driver"]["rules"]
    for result in told["results"]:
        region = result["locations"][0]["physicalLocation"]["region"]
        start, length = region["charOffset"], region["charLength"]
        assert TEXT[start : start + length] == region["snippet"]["text"]
        assert TEXT.splitlines()[region["startLine"] - 1][region["startColumn"] - 1 :].startswith(
            region["snippet"]["text"].splitlines()[0]
        )
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]


def test_the_page_shows_every_sentence_and_runs_nothing(env, tmp_path):
    """Markup in an answer or a source is text there."""
    path = tmp_path / "answer.json"
    hostile = "<script>alert(1)</script>"
    path.write_text(
        json.dumps({"answer": f"The excess is £75 {hostile}.", "sources": [f"The excess is £75 {hostile}."]}),
        encoding="utf-8",
    )
    run("check", path, "--html", tmp_path / "found.html", env=env)
    page = (tmp_path / "found.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert 'id="claim-1"' in page


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"answer": "A.", "sources": [{"title": "no text"}]}, "source 1 has no text"),
        ({"answer": "A.", "sources": [3]}, "source 1 has no text"),
        ({"answer": "A.", "sources": ["x"] * 3000}, "at most 2000"),
        ({"response": "A.", "citations": [{"number": "x"}]}, "looks like a saved answer"),
    ],
)
def test_what_cannot_be_read_is_said(tmp_path, env, content, said):
    """Which source, and what about it."""
    path = tmp_path / "answer.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    ended = run("check", path, env=env)
    assert ended.returncode == 2
    assert said in ended.stderr
