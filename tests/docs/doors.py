"""The table of docs/doors.md: each door, the client it is tried with, and the test that holds each of its cells."""

from __future__ import annotations

import ast
import json
import re
from importlib.metadata import version
from pathlib import Path

from tests.peers import pinned

ROOT = Path(__file__).parent.parent.parent
BEGINS, ENDS = "<!-- the table of doors -->", "<!-- its end -->"
COLUMNS = ("whole", "streamed", "cited", "tool call passes", "cut upstream typed", "client leaves")
OPENAI = "tests/service/test_openai_client.py::"
PROXY = "tests/integrations/proxy/test_clients.py::"
FAULTS = "tests/integrations/proxy/test_faults.py::test_a_fault_upstream_is_a_typed_ending"
LEAVES = PROXY + "test_a_reader_who_leaves_is_felt_upstream"
CALLS = PROXY + "test_a_tool_call_passes_in_its_place"
SERVICE, SERVICE_PAGE = "tests/service/test_door_faults.py::", "tests/service/test_use_chat.py::"
SERVED = (
    "no: `tools` is refused by name",
    SERVICE + "test_every_fault_upstream_is_typed",
    SERVICE + "test_a_reader_who_leaves_is_felt_upstream",
)
AI = OPENAI + "test_the_ai_sdk_reads_every_answer"
UI = "tests/service/test_ui.py::test_a_chat_of_two_turns_has_its_sources_and_citations"
NODE = PROXY + "test_the_ai_sdk_reads_both_protocols"


def row(*cells: str) -> tuple[str, ...]:
    return cells


CHAT, RESPONSES = PROXY + "test_chat_completions", PROXY + "test_responses"
MESSAGES, CALLING = PROXY + "test_messages", "tests/integrations/proxy/test_calls.py::"
AI_CALLS = CALLING + "test_the_ai_sdk_gets_its_calls"
WIRE = "tests/integrations/test_wire_faults.py::"
ADAPTED = (WIRE + "test_every_fault_has_its_one_right_ending", WIRE + "test_a_caller_who_gives_up_is_felt_upstream")
NO_TOOLS = "no: it answers from documents, and offers its model no tool"
LANGCHAIN, LLAMAINDEX = "tests/integrations/test_langchain.py::", "tests/integrations/test_llamaindex.py::"
HAYSTACK, PYDANTIC = "tests/integrations/test_haystack.py::", "tests/integrations/test_pydantic_ai.py::"
RAILS, METRICS, MCP = (
    "tests/integrations/test_rails.py::",
    "tests/integrations/test_metrics.py::",
    "tests/integrations/mcp/test_server.py::",
)
WEBUI = "tests/service/test_open_webui.py::test_an_answer_has_its_sources_and_a_status"
THEIRS = "no: its own client asks the model"
WEIGHS = "no: it weighs an answer that is whole"
NO_WIRE = "no: it asks no model"
SCORED = (WEIGHS, "no: it gives a score, and which sentence fell", "no: it reads an answer's text", NO_WIRE, NO_WIRE)
# Each cell is the test that holds it, or begins with "no: ".
DOORS: dict[tuple[str, str], tuple[str, ...]] = {
    ("`footnoted serve`, chat completions", "openai"): row(
        OPENAI + "test_a_completion_comes_whole_with_what_was_said_before",
        OPENAI + "test_a_completion_streams",
        OPENAI + "test_a_completion_streams",
        *SERVED,
    ),
    ("`footnoted serve`, responses", "openai"): row(
        OPENAI + "test_a_response_comes_whole_and_is_referred_to",
        OPENAI + "test_a_response_streams",
        OPENAI + "test_a_response_streams",
        *SERVED,
    ),
    ("`footnoted serve`, both", "@ai-sdk/openai"): row(AI, AI, AI, *SERVED),
    ("`footnoted serve`, both", "langchain-openai"): row(*[OPENAI + "test_langchain_asks_for_an_object"] * 3, *SERVED),
    ("`/api/v1/chat/ui`", "ai"): row("no: this protocol always streams", UI, UI, *SERVED),
    ("`/api/v1/chat/ui`, `useChat` in Chromium", "@ai-sdk/react"): row(
        "no: this protocol always streams",
        *[SERVICE_PAGE + "test_an_answer_its_source_and_its_citation_are_drawn"] * 2,
        *SERVED,
    ),
    ("Open WebUI's pipe", "open-webui's event schema"): row(
        WEBUI,
        WEBUI,
        WEBUI,
        NO_TOOLS,
        SERVICE + "test_open_webuis_pipe_says_what_broke_off",
        SERVICE + "test_open_webuis_reader_who_stops_is_felt_upstream",
    ),
    ("`footnoted proxy`, chat completions", "openai"): row(CHAT, CHAT, CHAT, CALLS, FAULTS, LEAVES),
    ("`footnoted proxy`, responses", "openai"): row(
        RESPONSES, RESPONSES, RESPONSES, CALLING + "test_a_response_with_a_call", FAULTS, LEAVES
    ),
    ("`footnoted proxy`, messages", "anthropic"): row(
        MESSAGES, MESSAGES, MESSAGES, CALLING + "test_a_message_with_a_call", FAULTS, LEAVES
    ),
    ("`footnoted proxy`, chat completions and responses", "@ai-sdk/openai"): row(
        NODE, NODE, NODE, AI_CALLS, FAULTS, LEAVES
    ),
    ("`footnoted proxy`, messages", "@ai-sdk/anthropic"): row(NODE, NODE, NODE, AI_CALLS, FAULTS, LEAVES),
    ("`footnoted mcp`", "mcp"): row(
        MCP + "test_on_stdio_as_a_child",
        "no: a tool's result comes whole",
        MCP + "test_on_stdio_as_a_child",
        "no: it is the tool that is called",
        *ADAPTED,
    ),
    ("LangChain's `GroundedRunnable`", "langchain-core"): row(
        LANGCHAIN + "test_the_whole_response_and_its_pointers",
        LANGCHAIN + "test_in_a_chain_with_a_retriever_it_streams",
        LANGCHAIN + "test_a_message_carries_the_response",
        NO_TOOLS,
        *ADAPTED,
    ),
    ("LlamaIndex's `GroundedSynthesizer`", "llama-index-core"): row(
        LLAMAINDEX + "test_in_a_query_engine_blocking_and_awaited",
        LLAMAINDEX + "test_it_streams",
        LLAMAINDEX + "test_it_streams",
        NO_TOOLS,
        *ADAPTED,
    ),
    ("Haystack's `GroundedAnswerer`", "haystack-ai"): row(
        HAYSTACK + "test_in_a_pipeline_blocking_and_awaited",
        HAYSTACK + "test_pieces_are_told_as_they_come",
        HAYSTACK + "test_in_a_pipeline_blocking_and_awaited",
        NO_TOOLS,
        *ADAPTED,
    ),
    ("Pydantic AI's agents, `grounded`", "pydantic-ai-slim"): row(
        PYDANTIC + "test_a_wrong_sentence_is_asked_for_again",
        PYDANTIC + "test_on_a_real_socket_and_streamed",
        "no: the agent's own output leaves, of whatever type it is",
        PYDANTIC + "test_sources_may_be_what_tools_returned",
        THEIRS,
        THEIRS,
    ),
    ("LangGraph's `grounding_node`", "langgraph"): row(
        METRICS + "test_langgraphs_node",
        WEIGHS,
        METRICS + "test_langgraphs_node",
        "no: it reads an answer's text",
        NO_WIRE,
        NO_WIRE,
    ),
    ("LiteLLM's proxy, `GroundingGuardrail`", "litellm"): row(
        *[RAILS + "test_litellms_guardrail"] * 3,
        RAILS + "test_litellms_guardrail_lets_calls_pass",
        RAILS + "test_litellms_guardrail",
        RAILS + "test_litellms_reader_who_leaves_is_felt_upstream",
    ),
    ("NeMo Guardrails' output rail", "nemoguardrails"): row(
        RAILS + "test_nemos_output_rail",
        "no: its streamed rails are shown blocks of tokens, not sentences",
        "no: a rail says what may leave; the evidence is in its outcome's `metadata`",
        "no: its output rails are shown text alone",
        THEIRS,
        THEIRS,
    ),
    ("`GroundingMetric`", "deepeval"): row(METRICS + "test_deepevals_and_ragas_metrics", *SCORED),
    ("`Grounding`", "ragas"): row(METRICS + "test_deepevals_and_ragas_metrics", *SCORED),
    ("promptfoo's `type: python`", "promptfoo's result schema"): row(METRICS + "test_promptfoos_assertion", *SCORED),
    ("`footnoted check --openinference`", "openinference-instrumentation-langchain"): row(
        "tests/evaluation/test_traces.py::test_every_traced_answer_is_held_against_what_its_trace_retrieved",
        WEIGHS,
        "tests/evaluation/test_traces.py::test_every_traced_answer_is_held_against_what_its_trace_retrieved",
        "tests/evaluation/test_traces.py::test_a_tools_result_is_a_source_and_an_agents_words_the_answer",
        NO_WIRE,
        NO_WIRE,
    ),
}


def client_version(name: str) -> str:
    """The version the tests run with."""
    packages = json.loads((ROOT / "tests/node/package.json").read_text(encoding="utf-8"))["dependencies"]
    found = packages.get(name) or pinned(name)
    if not found and re.fullmatch(r"[\w.-]+", name):
        found = version(name)
    return found


def drawn() -> str:
    """The table."""
    lines = [f"| door | client | {' | '.join(COLUMNS)} |", "|---" * (len(COLUMNS) + 2) + "|"]
    for (door, client), cells in DOORS.items():
        told = ("yes" if "::" in cell else cell for cell in cells)
        lines.append(f"| {door} | {f'{client} {client_version(client)}'.strip()} | {' | '.join(told)} |")
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
