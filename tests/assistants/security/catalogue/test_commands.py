"""The AWS CLI of the catalogue: every command exists, takes the options it is given and gets those it needs.

``aws_commands.json`` holds, for each command used, the options of AWS CLI 1.45 it is given here and those it requires.
Every command was also run through that CLI's own validation of parameters against a closed port.
"""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

from footnoted.assistants.security.catalogue import load_catalogue
from tests.tables import every

COMMANDS = json.loads(Path(__file__).with_name("aws_commands.json").read_text(encoding="utf-8"))
SAME = {"--ingress": "--egress"}  # the two sides of one switch
GLOBAL = {"--region", "--output", "--query", "--max-items", "--profile"}


def commands(block: str) -> list[list[str]]:
    """The commands of a block, a line each, lines that end in a backslash joined."""
    lines = block.replace("\\\n", " ").splitlines()
    return [shlex.split(line.split(" > ")[0]) for line in lines if line.strip() and not line.startswith("#")]


@every("control", load_catalogue(), ids=lambda control: control.id)
def test_commands_are_ones_the_aws_cli_has(control):
    """Blocks open with ``aws``, and each command's options are real, none that it needs is missing."""
    assert control.check.startswith("aws ")
    assert control.cli.startswith("aws ")
    for words in commands(control.check) + commands(control.cli):
        assert words[0] == "aws", words[:3]
        known = COMMANDS[" ".join(words[1:3])]
        given = {SAME.get(word, word) for word in words[3:] if word.startswith("--")}
        assert given - set(known["takes"]) - GLOBAL == set(), " ".join(words[:3])
        assert set(known["needs"]) - given == set(), " ".join(words[:3])


@every("control", load_catalogue(), ids=lambda control: control.id)
def test_json_in_commands_is_json(control):
    """What stands between quotes as JSON parses, a policy inside an attribute too."""
    for words in commands(control.check) + commands(control.cli):
        for word in words:
            if word.startswith(('{"', '[{"')):
                value = json.loads(word)
                if isinstance(value, dict) and "Policy" in value:
                    json.loads(value["Policy"])
            if '"Statement"' in word and word.startswith("{"):
                assert '"2012-10-17"' in word.replace('\\"', '"')


def test_checks_only_read():
    """The command that checks a control changes nothing."""
    reading = re.compile(r"(get|list|describe|lookup|generate|check|head)-")
    for control in load_catalogue():
        for words in commands(control.check):
            assert reading.match(words[2]), f"{control.id}: {words[2]}"
