"""A catalogue somebody edited: what is wrong is named with its file and its line."""

from __future__ import annotations

import pytest

from footnoted.assistants.security.catalogue import read_controls
from footnoted.errors import ConfigurationError

GOOD = """service = "s3"

[[control]]
id = "s3-example"
title = "An example"
severity = "low"
summary = "It shows."
check = "aws s3api list-buckets"
cli = "aws s3api list-buckets"
terraform = '''resource "aws_s3_bucket" "this" {}'''
console = ["Open it.", "Close it."]
frameworks = { soc2 = ["CC6.1"] }
finding_checks = ["S3.1"]
"""


def _read(tmp_path, text, name="s3.toml"):
    (tmp_path / name).write_text(text, encoding="utf-8")
    return read_controls(tmp_path)


def test_a_file_becomes_its_controls(tmp_path):
    """What the file says is what the control holds, its service included."""
    (control,) = _read(tmp_path, GOOD)
    assert (control.id, control.service, control.severity) == ("s3-example", "s3", "low")
    assert control.console == ("Open it.", "Close it.")
    assert control.frameworks == {"soc2": ("CC6.1",)}
    assert control.checks == ("S3.1",)


def test_no_scanner_needs_to_look_for_a_control(tmp_path):
    """A control no scanner checks yet has an empty list of checks."""
    (control,) = _read(tmp_path, GOOD.replace('["S3.1"]', "[]"))
    assert control.checks == ()


@pytest.mark.parametrize(
    ("was", "becomes", "says"),
    [
        ('severity = "low"', 'severity = "urgent"', "severity is one of"),
        ('title = "An example"\n', "", "title must be"),
        ('title = "An example"', 'title = "  "', "title must be"),
        ('title = "An example"', "title = 3", "title must be"),
        ('id = "s3-example"', 'id = "S3 Example"', "joined by hyphens"),
        ('["Open it.", "Close it."]', "[]", "console must be"),
        ('["Open it.", "Close it."]', '"Open it."', "console must be"),
        ('["Open it.", "Close it."]', '["Open it.", "Open it."]', "says the same thing twice"),
        ('{ soc2 = ["CC6.1"] }', '{ iso = ["A.5"] }', "'iso' is no framework"),
        ('{ soc2 = ["CC6.1"] }', "{}", "frameworks must name"),
        ('{ soc2 = ["CC6.1"] }', "{ soc2 = [] }", "frameworks.soc2 must be"),
        ('finding_checks = ["S3.1"]', 'finding_checks = ["S3.1"]\nowner = "me"', "owner: no such field"),
    ],
)
def test_a_fault_is_named_with_its_file_and_line(tmp_path, was, becomes, says):
    """The message names the file, the line the control starts on, and what to write instead."""
    with pytest.raises(ConfigurationError, match=says) as caught:
        _read(tmp_path, GOOD.replace(was, becomes))
    assert "s3.toml, line 3" in str(caught.value)


def test_the_second_control_is_named_by_its_own_line(tmp_path):
    """A fault of the second control is not blamed on the first."""
    second = GOOD.partition("\n\n")[2].replace("s3-example", "s3-second").replace('"low"', '"none"')
    with pytest.raises(ConfigurationError, match=r"s3\.toml, line 15"):
        _read(tmp_path, GOOD + "\n" + second)


def test_two_controls_of_one_id_are_told_apart_by_their_places(tmp_path):
    """An id taken in another file is named with both places."""
    (tmp_path / "a.toml").write_text(GOOD, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"s3\.toml, line 3: the id 's3-example' is taken by a\.toml, line 3"):
        _read(tmp_path, GOOD)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("service = \n", r"cannot be read as TOML.*line 1"),
        ("", "must open with its service"),
        ('service = "s3"\n', "written as \\[\\[control\\]\\] tables"),
        ('service = "s3"\ncontrol = []\n', "written as"),
        (GOOD.replace("[[control]]", "[control]"), "written as"),
    ],
)
def test_a_file_that_is_no_catalogue_is_said_to_be_none(tmp_path, text, says):
    """Broken TOML, a missing service and missing controls are named, never a traceback."""
    with pytest.raises(ConfigurationError, match=says):
        _read(tmp_path, text)


def test_bytes_that_are_no_text_are_named(tmp_path):
    """A file that is not UTF-8 is named."""
    (tmp_path / "x.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigurationError, match=r"x\.toml"):
        read_controls(tmp_path)


def test_an_empty_folder_is_named(tmp_path):
    """A folder without files of controls is an error, not an empty catalogue."""
    with pytest.raises(ConfigurationError, match="holds no"):
        read_controls(tmp_path)
