"""The instructions of each node, from the config or the file that ships, their variables filled in."""

from __future__ import annotations

import string
from functools import cache
from importlib.resources import files

# What each node's instructions may name. Messages, the index and sources are data: they stand in the prompt behind
# a fence, after the instructions, and are never written into them.
VARIABLES: dict[str, frozenset[str]] = {
    "gating": frozenset({"scope"}),
    "selection": frozenset({"scope", "max_sources"}),
    "answer": frozenset({"scope", "max_answer_chars"}),
    "verification": frozenset({"scope", "max_answer_chars"}),
    "summarization": frozenset({"max_words"}),
}


@cache
def shipped(node: str) -> str:
    """The instructions that ship with the package."""
    return files("footnoted.assistants.community").joinpath("prompts", f"{node}.md").read_text("utf-8").strip()


def fault_in(node: str, template: str) -> str:
    """What is wrong with a template, in words; empty when nothing is.

    >>> fault_in("gating", "Think of $weather.")
    'uses $weather; it may use $scope (write $$ for a dollar sign)'
    """
    allowed = ", ".join(f"${name}" for name in sorted(VARIABLES[node]))
    try:
        unknown = sorted(set(string.Template(template).get_identifiers()) - VARIABLES[node])
    except ValueError:
        unknown = []
    if unknown:
        named = ", ".join(f"${name}" for name in unknown)
        return f"uses {named}; it may use {allowed} (write $$ for a dollar sign)"
    if not string.Template(template).is_valid():
        return f"has a lone $; write $$ for a dollar sign, or one of {allowed}"
    if not template.strip():
        return "is empty; leave the key out to use the shipped prompt"
    return ""


def instructions(node: str, template: str | None, **values: object) -> str:
    """The instructions of a node for a prompt: ``template``, or those that ship, its variables filled in."""
    allowed = {name: str(value) for name, value in values.items() if name in VARIABLES[node]}
    return string.Template(template or shipped(node)).safe_substitute(allowed).strip()
