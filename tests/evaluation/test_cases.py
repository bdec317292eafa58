"""Cases are read line by line, and what is none is named with its line."""

import json

import pytest

from footnoted.errors import SourceError
from footnoted.evaluation import read_cases


def test_lines_become_cases_in_order(cases_file):
    """Order, passages and gold texts survive; further keys are kept."""
    cases = read_cases(cases_file)
    assert [case.id for case in cases] == ["excess", "flood", "moon"]
    assert cases[0].evidence[0].startswith("The excess is £75")
    assert cases[2].answerable is False
    assert [case.id for case in read_cases(cases_file, limit=2)] == ["excess", "flood"]


def test_the_same_case_asks_with_the_same_ids_every_time(cases_file):
    """Reports of two runs can be laid side by side, source by source."""
    first, again = read_cases(cases_file)[0].as_request(), read_cases(cases_file)[0].as_request()
    assert [each.chunk_id for each in first.context] == [each.chunk_id for each in again.context]
    assert first.context[0].title == "Car policy"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "line 2: not JSON"),
        ("[1]", "line 2"),
        ('{"id": "x"}', "line 2: question"),
        ('{"id": "x", "question": "  "}', "line 2: question"),
        ('{"id": "x", "question": "q", "passages": [{"title": "no text"}]}', "line 2: passages.0.text"),
        ('{"id": "ok", "question": "again"}', "line 2: the id 'ok' came before"),
        ("[" * 100_000, "line 2: not JSON"),
    ],
)
def test_a_bad_line_is_named(tmp_path, line, said):
    """The message says which line and what about it."""
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps({"id": "ok", "question": "q"}) + "\n" + line, encoding="utf-8")
    with pytest.raises(SourceError, match=said.replace("[", r"\[").replace("{", r"\{")):
        read_cases(path)


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xff\xfe\x00"])
def test_a_file_without_cases_says_what_a_case_is(tmp_path, content):
    """An empty file, or one that is no text, is an error and not a perfect score."""
    path = tmp_path / "cases.jsonl"
    path.write_bytes(content)
    with pytest.raises(SourceError, match=r"no cases|cannot be read"):
        read_cases(path)


def test_ids_may_be_numbers_and_lists_may_be_null(tmp_path):
    """Files made elsewhere have both."""
    path = tmp_path / "cases.jsonl"
    path.write_text('\ufeff{"id": 7, "question": "q", "evidence": null, "kind": "amount"}\n\n', encoding="utf-8")
    (case,) = read_cases(path)
    assert (case.id, case.evidence, case.extra) == ("7", (), {"kind": "amount"})
