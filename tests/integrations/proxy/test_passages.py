"""Where evidence stands in a conversation: templates and protocols as programs really write them."""

import base64
import json

import pytest

from footnoted.integrations.proxy.conversation import MOST_SOURCES, held
from footnoted.integrations.proxy.passages import passages_in

A = "The windscreen excess is £75 for a repair."
B = "Racing on any track is not covered."
LISTED = json.dumps([{"title": "Car", "text": A}, {"content": B, "metadata": {"source": "b.md"}}])
PROMPTS = {
    "Anthropic's long documents": (
        (
            f"<documents><document index='1'><source>car.pdf</source><document_content>\n{A}\n</document_content></document>"
            f'<document index="2"><source>b</source><document_content>{B}</document_content></document></documents> Is it?'
        ),
        [(A, "car.pdf"), (B, "b")],
    ),
    "Open WebUI": (
        (
            "### Task:\nRespond using the provided context, with citations like [1].\n<context>\n"
            f'<source id="1" name="car.pdf">{A}</source>\n<source id="2">{B}</source>\n</context>\n\nIs it covered?'
        ),
        [(A, "car.pdf"), (B, "")],
    ),
    "one context": (f"Answer from this.\n<context>\n{A}\n{B}\n</context>\nQuestion: Is it?", [(f"{A}\n{B}", "")]),
    "a list in a context": (f"<context>{LISTED}</context>", [(A, "Car"), (B, "b.md")]),
    "inside other elements": (f"<data><passage title='Car'>{A}</passage></data>", [(A, "Car")]),
    "a list in a fence": (f"Use these:\n```json\n{LISTED}\n```\nIs it?", [(A, "Car"), (B, "b.md")]),
    "a list among words": (f"Passages: {LISTED} Is it covered?", [(A, "Car"), (B, "b.md")]),
    "LangChain's hub": (f"You are an assistant.\nQuestion: Is it?\nContext: {A}\n{B}\nAnswer:", [(f"{A}\n{B}", "")]),
    "LangChain's stuffing": (
        (
            "Use the following pieces of retrieved context to answer the question. If you don't know, say so.\n\n"
            f"{A}\n\n{B}"
        ),
        [(f"{A}\n\n{B}", "")],
    ),
    "LangChain's chat": (
        (
            "Use the following pieces of context to answer the user's question. \nIf you don't know the answer, say so.\n"
            f"----------------\n{A}"
        ),
        [(A, "")],
    ),
    "LlamaIndex": (
        (
            f"Context information is below.\n---------------------\n{A}\n{B}\n---------------------\nGiven the context "
            "information, answer the query.\nQuery: Is it?\nAnswer: "
        ),
        [(f"{A}\n{B}", "")],
    ),
    "a plain question": ("What is in the context of glass? I ask for an answer: quick, with sources.", []),
    "instructions": ("<instructions>Answer in one word, whatever the user says.</instructions> Hello there.", []),
    "code": ("Why does `<div>a b c</div>` break? And `[1, 2, 3]`, `{}`?", []),
    "nothing closed": ("<document><context><source>" * 2000, []),
}


@pytest.mark.parametrize("name", PROMPTS)
def test_evidence_is_found_where_it_was_set_off(name):
    text, right = PROMPTS[name]
    assert [(each.text, each.title) for each in passages_in(text)] == right


def in_base64(text):
    return base64.b64encode(text.encode()).decode()


TOOL = {"id": "c1", "type": "function", "function": {"name": "look_up", "arguments": "{}"}}
REQUESTS = {
    "a tool's words": (
        "chat",
        [
            {"role": "user", "content": "Is it covered?"},
            {"role": "assistant", "tool_calls": [TOOL]},
            {"role": "tool", "tool_call_id": "c1", "content": A},
        ],
        [(A, "look_up")],
    ),
    "a tool's passages": (
        "chat",
        [{"role": "tool", "tool_call_id": "x", "content": LISTED}],
        [(A, "Car"), (B, "b.md")],
    ),
    "a system's context": ("chat", [{"role": "system", "content": f"<context>{A}</context>"}], [(A, "")]),
    "the model's own words": ("chat", [{"role": "assistant", "content": f"<document>{A}</document>"}], []),
    "an attached file": (
        "chat",
        [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "Is it?"},
                    {
                        "type": "file",
                        "file": {"filename": "a.txt", "file_data": f"data:text/plain;base64,{in_base64(A)}"},
                    },
                ],
            }
        ],
        [(A, "a.txt")],
    ),
    "a picture": (
        "chat",
        [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}]}],
        [],
    ),
    "an output": (
        "responses",
        [
            {"type": "function_call", "call_id": "c1", "name": "look_up", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c1", "output": A},
        ],
        [(A, "look_up")],
    ),
    "an input file": (
        "responses",
        [
            {
                "role": "user",
                "content": [
                    {
                        "type": "input_file",
                        "filename": "a.md",
                        "file_data": f"data:text/markdown;base64,{in_base64(A)}",
                    }
                ],
            }
        ],
        [(A, "a.md")],
    ),
    "a plain input": ("responses", f"<document>{A}</document> Is it?", [(A, "")]),
    "documents": (
        "messages",
        [
            {
                "role": "user",
                "content": [
                    {
                        "type": "document",
                        "title": "Car",
                        "source": {"type": "text", "media_type": "text/plain", "data": A},
                    },
                    {
                        "type": "document",
                        "source": {"type": "base64", "media_type": "text/plain", "data": in_base64(B)},
                    },
                    {
                        "type": "search_result",
                        "title": "Found",
                        "source": "u",
                        "content": [{"type": "text", "text": A + B}],
                    },
                    {"type": "text", "text": "Is it?"},
                ],
            }
        ],
        [(A, "Car"), (B, ""), (A + B, "Found")],
    ),
    "a tool's result": (
        "messages",
        [
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "look_up", "input": {}}]},
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": A}]},
                ],
            },
        ],
        [(A, "look_up")],
    ),
    "nonsense": ("messages", [3, None, {"role": "user", "content": [{"type": "document", "source": 7}]}], []),
}


@pytest.mark.parametrize("name", REQUESTS)
def test_each_protocol_says_what_was_given(name):
    protocol, said, right = REQUESTS[name]
    body = {"input" if protocol == "responses" else "messages": said}
    assert [(each.text, each.title) for each in held(protocol, body).sources] == right


def test_a_passage_told_twice_is_one_and_the_newest_are_kept():
    """Agents send everything again with each turn."""
    many = [{"role": "tool", "content": f"Clause {n} says something."} for n in range(MOST_SOURCES + 5)]
    found = held("chat", {"messages": [*many, *many]})
    assert len(found.sources) == MOST_SOURCES
    assert found.left_out == 5
    assert found.sources[-1].text == f"Clause {MOST_SOURCES + 4} says something."
