"""The Terraform of the catalogue: it parses, and every argument is one the provider takes.

``terraform_arguments.json`` holds, for each resource type used, the arguments of the AWS provider 6.25 as far as the
snippets need them: a name, ``!`` before it where the provider requires it, and the arguments inside where it is a block.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from footnoted.assistants.security.catalogue import load_catalogue
from tests.assistants.security.catalogue.hcl import Block, parse
from tests.tables import every

ARGUMENTS = json.loads(Path(__file__).with_name("terraform_arguments.json").read_text(encoding="utf-8"))
META = {"count", "depends_on", "for_each", "lifecycle", "provider"}
OTHER_PROVIDERS = {"time_rotating"}
OPAQUE = {"statement"}  # rule statements of a web ACL nest without end


@every("control", load_catalogue(), ids=lambda control: control.id)
def test_a_snippet_is_terraform_the_provider_takes(control):
    """Braces and quotes close, the resource types exist, and no argument is unknown or missing."""
    body = parse(control.terraform)
    assert body.blocks, "no block"
    assert body.arguments == set(), "an argument outside any block"
    for block in body.blocks:
        assert block.words[0] in {"resource", "data"}
        assert len(block.words) == 3
        if block.words[1] in OTHER_PROVIDERS:
            continue
        _check(block, ARGUMENTS[("data." if block.words[0] == "data" else "") + block.words[1]], block.words[1])


def _check(block: Block, takes: dict, where: str) -> None:
    names = {name.lstrip("!"): inside for name, inside in takes.items()}
    needed = {name[1:] for name in takes if name.startswith("!")}
    given = block.arguments | {inner.words[0] for inner in block.blocks}
    assert given - set(names) - META == set(), f"{where} takes no such argument"
    assert needed - given == set(), f"{where} lacks what it needs"
    for inner in block.blocks:
        if inner.words[0] in META | OPAQUE:
            continue
        assert names[inner.words[0]] is not None, f"{where}: {inner.words[0]} is no block"
        _check(inner, names[inner.words[0]], f"{where}.{inner.words[0]}")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('resource "a" "b" {\n', "was expected"),
        ('resource "a" "b" {\n  x = "open\n}', "never closed"),
        ('resource "a" "b" {\n  x = [1, 2\n}', "closes nothing"),
        ('resource "a" "b" {\n  x =\n}', "no value"),
        ('resource "a" "b" {\n  x = 1\n  x = 2\n}', "twice"),
        ("}", "was expected"),
        ("x = <<EOT\nnever", "never ends"),
    ],
)
def test_the_reader_of_this_test_sees_what_is_broken(text, says):
    """The little parser is no rubber stamp."""
    with pytest.raises(ValueError, match=says):
        parse(text)
