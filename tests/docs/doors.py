"""The table of docs/doors.md: each door, the client it is tried with, and the test that holds each of its cells."""

from __future__ import annotations

import ast
import json
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
BEGINS, ENDS = "<!-- the table of doors -->", "<!-- its end -->"
COLUMNS = ("whole", "streamed", "cited", "tool call passes", "cut upstream typed", "client leaves")
OPENAI = "tests/service/test_openai_client.py::"
PROXY = "tests/integrations/proxy/test_clients.py::"
FAULTS = "tests/integrations/proxy/test_faults.py::test_a_fault_upstream_is_a_typed_ending"
LEAVES = PROXY + "test_a_reader_who_leaves_is_felt_upstream"
CALLS = PROXY + "test_a_tool_call_passes_in_its_place"
SERVED = (
    "no: `tools` is refused by name",
    "no: it ends as `length` (`incomplete`), and `footnoted.finish_reason` says how",
    OPENAI + "test_a_reader_who_leaves_stops_it",
)
AI = OPENAI + "test_the_ai_sdk_reads_every_answer"
UI = "tests/service/test_ui.py::test_a_chat_of_two_turns_has_its_sources_and_citations"
NODE = PROXY + "test_the_ai_sdk_reads_both_protocols"


def row(whole: str, streamed: str, cited: str, rest: tuple[str, str, str]) -> tuple[str, ...]:
    return (whole, streamed, cited, *rest)


CHAT, RESPONSES = PROXY + "test_chat_completions", PROXY + "test_responses"
MESSAGES = PROXY + "test_messages"
PROXIED = (CALLS, FAULTS, LEAVES)
NOT_TRIED = "no: tried with chat completions alone"
SAME = (*SERVED[:2], NOT_TRIED)
# Each cell is the test that holds it, or begins with "no: ".
DOORS: dict[tuple[str, str], tuple[str, ...]] = {
    ("`footnoted serve`, chat completions", "openai"): row(
        OPENAI + "test_a_completion_comes_whole_with_what_was_said_before",
        OPENAI + "test_a_completion_streams",
        OPENAI + "test_a_completion_streams",
        SERVED,
    ),
    ("`footnoted serve`, responses", "openai"): row(
        OPENAI + "test_a_response_comes_whole_and_is_referred_to",
        OPENAI + "test_a_response_streams",
        OPENAI + "test_a_response_streams",
        SAME,
    ),
    ("`footnoted serve`, both", "@ai-sdk/openai"): row(AI, AI, AI, SERVED),
    ("`footnoted serve`, both", "langchain-openai"): row(
        OPENAI + "test_langchain_asks_for_an_object",
        OPENAI + "test_langchain_asks_for_an_object",
        OPENAI + "test_langchain_asks_for_an_object",
        SERVED,
    ),
    ("`/api/v1/chat/ui`", "ai"): row("no: this protocol always streams", UI, UI, SAME),
    ("`footnoted proxy`, chat completions", "openai"): row(CHAT, CHAT, CHAT, PROXIED),
    ("`footnoted proxy`, responses", "openai"): row(RESPONSES, RESPONSES, RESPONSES, (NOT_TRIED, FAULTS, LEAVES)),
    ("`footnoted proxy`, messages", "anthropic"): row(MESSAGES, MESSAGES, MESSAGES, (NOT_TRIED, FAULTS, LEAVES)),
    ("`footnoted proxy`, chat completions and responses", "@ai-sdk/openai"): row(NODE, NODE, NODE, PROXIED),
    ("`footnoted proxy`, messages", "@ai-sdk/anthropic"): row(NODE, NODE, NODE, (NOT_TRIED, FAULTS, LEAVES)),
}


def client_version(name: str) -> str:
    """The version the tests run with."""
    packages = json.loads((ROOT / "tests/node/package.json").read_text(encoding="utf-8"))["dependencies"]
    return packages.get(name) or version(name)


def drawn() -> str:
    """The table."""
    lines = [f"| door | client | {' | '.join(COLUMNS)} |", "|---" * (len(COLUMNS) + 2) + "|"]
    for (door, client), cells in DOORS.items():
        told = ("yes" if "::" in cell else cell for cell in cells)
        lines.append(f"| {door} | {client} {client_version(client)} | {' | '.join(told)} |")
    return "\n".join(lines)


def named_tests() -> dict[str, bool]:
    """Each test a cell rests on, and whether there is one of that name."""
    known: dict[str, set[str]] = {}
    found = {}
    for cell in {cell for cells in DOORS.values() for cell in cells if "::" in cell}:
        file, _, name = cell.partition("::")
        if file not in known:
            tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
            functions = (ast.FunctionDef, ast.AsyncFunctionDef)
            known[file] = {node.name for node in tree.body if isinstance(node, functions)}
        found[cell] = name in known[file]
    return found


if __name__ == "__main__":
    page = ROOT / "docs/doors.md"
    text = page.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGINS)
    after = rest.partition(ENDS)[2]
    page.write_text(f"{before}{BEGINS}\n\n{drawn()}\n\n{ENDS}{after}", encoding="utf-8")
