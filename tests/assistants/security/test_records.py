import json

import pytest

from footnoted.assistants.security.findings.fields import moment
from footnoted.assistants.security.findings.records import BadRecord, Record, records
from tests.tables import every

THREE = [{"name": "one", "in": {"a": [1, {"b": "}]"}]}}, {"name": "two", "in": {}}, {"name": "three", "in": {"x": 1}}]


def read(text, size=None):
    data = text.encode() if isinstance(text, str) else text
    pieces = [data] if size is None else [data[at : at + size] for at in range(0, len(data), size)]
    return list(records(pieces))


def good(found):
    return [one.value for one in found if isinstance(one, Record)]


def bad(found):
    return [one for one in found if isinstance(one, BadRecord)]


FORMS = {
    "an array": json.dumps(THREE),
    "an indented array": json.dumps(THREE, indent=4),
    "a line each": "\n".join(map(json.dumps, THREE)),
    "one after the other": "".join(map(json.dumps, THREE)),
    "indented, one after the other": "\n".join(json.dumps(one, indent=2) for one in THREE),
    "wrapped in Findings": json.dumps({"Findings": THREE}),
    "wrapped, indented, behind a token": json.dumps({"NextToken": "x", "Findings": THREE}, indent=2),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_every_form_a_scanner_writes_is_read(form):
    """An array, a line each, values in a row and an object that wraps a list give the same records."""
    assert good(read(form)) == THREE
    assert not bad(read(form))


@pytest.mark.no_cover  # the same lines thousands of times
@every("form", FORMS.values(), ids=FORMS)
@every("size", [1, 2, 7, 64])
def test_the_cut_of_the_pieces_makes_no_difference(form, size):
    """However a file arrives, its records and their lines are the same."""
    assert read(form, size) == read(form)


def test_large_records_in_small_pieces_are_all_read():
    """A record that has only not arrived yet is not what costs a broken file its end."""
    rows = [{"name": str(number), "in": "x" * 300_000} for number in range(150)]
    for form in (json.dumps(rows), "\n".join(map(json.dumps, rows))):
        assert good(read(form, 64 * 1024)) == rows


def test_lines_are_those_of_the_file():
    """A record knows the line it begins on."""
    assert [one.line for one in read("\n\n" + "\n".join(map(json.dumps, THREE)))] == [3, 4, 5]


@pytest.mark.parametrize(
    ("form", "line"),
    [
        (FORMS["an array"].replace('"two"', "two"), 1),
        (FORMS["an indented array"].replace('"two"', '"two'), 13),
        (FORMS["an indented array"].replace('"two",', '"two" "oops",'), 13),
        (FORMS["a line each"].replace('"two"', "two"), 2),
        (FORMS["a line each"].replace('"two", "in": {}}', '"two", "in": {'), 2),
        (FORMS["wrapped in Findings"].replace('"two"', "NaNa"), 1),
    ],
)
def test_a_bad_record_is_told_with_its_line_and_the_rest_is_kept(form, line):
    """One broken record costs itself and no other."""
    found = read(form)
    assert good(found) == [THREE[0], THREE[2]]
    assert [one.line for one in bad(found)] == [line]


def test_a_record_without_its_closing_bracket_does_not_swallow_the_next():
    """The next record is found by how records of this file begin."""
    form = json.dumps(THREE, indent=2).replace('"in": {}\n  },', '"in": {},')
    found = read(form)
    assert THREE[0] in good(found)
    assert THREE[2] in good(found)
    assert len(bad(found)) == 1


@pytest.mark.parametrize("form", ["an array", "an indented array", "a line each", "wrapped in Findings"])
def test_a_truncated_file_keeps_what_came_before(form):
    """A scan that was interrupted is told as such and loses only its last record."""
    text = FORMS[form]
    found = read(text[: text.rindex("three")])
    assert good(found) == THREE[:2]
    assert "ends" in bad(found)[-1].reason


def test_a_list_that_was_never_closed_is_told():
    """Records are whole but the file is not."""
    found = read(json.dumps(THREE)[:-1])
    assert good(found) == THREE
    assert [one.reason for one in bad(found)] == ["the file ends before its list is closed; what came before is kept"]


def test_utf_16_with_a_mark_is_read():
    """PowerShell writes a redirected scan so."""
    assert good(read(json.dumps(THREE).encode("utf-16"))) == THREE
    assert good(read(b"\xef\xbb\xbf" + json.dumps(THREE).encode())) == THREE


def test_bytes_that_are_no_text_do_not_end_the_file():
    """A byte that is no UTF-8 becomes a sign of itself."""
    data = json.dumps(THREE).encode().replace(b"two", b"t\xffo")
    assert [one["name"] for one in good(read(data))] == ["one", "t\ufffdo", "three"]


@every(
    "text", ["", "   \n", "[]", "[", "]", "}", "{", '{"a"', "nonsense", "\x00" * 50, "[,,,]", '"text"', "12", "[[[["]
)
def test_no_text_is_too_strange(text):
    """Whatever the file is, reading ends, and nothing is raised."""
    assert len(read(text)) <= 5


@pytest.mark.no_cover  # the same lines thousands of times
@pytest.mark.parametrize(
    "hostile",
    [
        "[" * 60_000,
        '{"a":' * 60_000,
        '[{"a": "' + "x" * 3_000_000,
        "[" + '{"a":"b,\n' * 30_000,
        '{"a":1}' + "}" * 50_000,
        '[{"a": ' + "9" * 5_000 + "}]",
    ],
    ids=["lists", "objects", "a text", "openings", "closings", "a number"],
)
def test_hostile_shapes_end_in_bounded_time(hostile):
    """Depth, length and repetition neither break the reader nor hold it up."""
    assert all(isinstance(one, Record | BadRecord) for one in read(hostile))


def test_a_time_of_another_zone_is_kept_in_utc():
    """SQLite keeps the hour and no zone."""
    assert moment("2026-03-01T01:30:00+02:00").isoformat() == "2026-02-28T23:30:00+00:00"
    assert moment("2026-03-01T01:30:00").isoformat() == "2026-03-01T01:30:00+00:00"
    assert moment("0001-01-01T00:00:00+02:00") is None
