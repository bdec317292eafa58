"""`footnoted check --openinference`: a LangChain pipeline traced by Arize's own instrumentation, its spans in a collector's file."""

import asyncio
import json
import warnings

import pytest
from langchain_core.documents import Document
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_openai import ChatOpenAI
from openinference.instrumentation.langchain import LangChainInstrumentor
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from footnoted.errors import SourceError
from footnoted.evaluation.traces import read_traces
from footnoted.testing import ScriptedLLM
from tests.collector import collecting
from tests.commands import run

SOURCE = "The windscreen excess is £75 for a repair. Racing on any track is not covered."
TRUE, FALSE = "The windscreen excess is £75 for a repair.", "The windscreen excess is £980 for a repair."


class Policies(BaseRetriever):
    def _get_relevant_documents(self, query, *, run_manager):
        return [Document(page_content=SOURCE, metadata={"title": "Car policy"})] if "excess" in query else []


@pytest.fixture(scope="module")
def traced(tmp_path_factory):
    """The file a collector wrote of three questions, one of which finds nothing, and the spans as OpenTelemetry tells them."""

    async def work():
        memory = InMemorySpanExporter()
        async with collecting() as collector, ScriptedLLM(TRUE, FALSE, "Hello!") as llm:
            provider = TracerProvider()
            provider.add_span_processor(SimpleSpanProcessor(memory))
            exporter = OTLPSpanExporter(endpoint=f"{collector.url}/v1/traces")
            LangChainInstrumentor().instrument(tracer_provider=provider)
            try:
                prompt = ChatPromptTemplate.from_template("{context}\n\n{question}")
                model = ChatOpenAI(base_url=llm.url(), api_key="k", model="m", streaming=True)
                given = {"context": Policies(), "question": lambda asked: asked}
                chain = given | prompt | model | StrOutputParser()
                for question in ("What is the excess?", "And the excess for glass?", "Who are you?"):
                    await chain.ainvoke(question)
            finally:
                LangChainInstrumentor().uninstrument()
            for span in memory.get_finished_spans():
                await asyncio.to_thread(exporter.export, [span])
            exporter.shutdown()
            return list(collector.lines()), [json.loads(span.to_json()) for span in memory.get_finished_spans()]

    with warnings.catch_warnings():  # the instrumentation asks LangChain's messages in an older way
        warnings.simplefilter("ignore", DeprecationWarning)
        lines, spans = asyncio.run(work())
    path = tmp_path_factory.mktemp("traces") / "spans.jsonl"
    path.write_text("".join(lines), encoding="utf-8")
    return path, spans


def test_every_traced_answer_is_held_against_what_its_trace_retrieved(traced, env):
    """One stands, one does not, and one that retrieved nothing is said; annotations name the spans that answered."""
    ended = run("check", traced[0], "--openinference", "--json", env=env)
    assert ended.returncode == 3, ended.stderr
    told = json.loads(ended.stdout)
    first, second = told["traces"]
    assert [(each["claims"][0]["text"].strip(), each["stands"]) for each in (first, second)] == [
        (TRUE, True),
        (FALSE, False),
    ]
    assert first["claims"][0]["evidence"][0]["source"] == "Car policy"
    assert list(told["passed_over"].values()) == ["it retrieved nothing"]
    note = second["annotation"]
    assert (note["name"], note["annotator_kind"]) == ("footnoted.grounding", "CODE")
    assert (note["result"]["label"], note["result"]["score"]) == ("ungrounded", 0.0)
    assert FALSE in note["result"]["explanation"]
    answered = {span["context"]["span_id"].removeprefix("0x") for span in traced[1] if span["parent_id"] is None}
    assert {first["span_id"], second["span_id"]} <= answered


def test_for_a_person_it_prints_each_trace(traced, env):
    ended = run("check", traced[0], "--openinference", env=env)
    assert ended.returncode == 3
    assert ended.stdout.count("trace ") == 2
    assert "it retrieved nothing" in ended.stderr


@pytest.mark.parametrize("shape", ["lines", "Phoenix", "nested", "reversed"])
def test_every_shape_of_the_spans_says_the_same(traced, shape):
    """Objects a line, under ``data``, with nested attributes, in any order: the same answers and sources."""
    path, spans = traced
    right, passed = read_traces(path.read_text(encoding="utf-8"))
    if shape == "lines":
        text = "\n".join(json.dumps(span) for span in spans)
    elif shape == "Phoenix":
        text = json.dumps({"data": spans, "next_cursor": None})
    elif shape == "reversed":
        text = json.dumps(spans[::-1])
    else:
        text = json.dumps([{**span, "attributes": nested(span["attributes"])} for span in spans])
    found, left = read_traces(text)
    assert [each.given for each in found] == [each.given for each in right]
    assert list(left.values()) == list(passed.values())


def nested(attributes):
    """``{"a.0.b": 1}`` -> ``{"a": {"0": {"b": 1}}}``, as far as names are no beginnings of others."""
    tree = {}
    for name, value in attributes.items():
        at, *rest = tree, *name.split(".")
        for part in rest[:-1]:
            at = at.setdefault(part, {})
        at[rest[-1]] = value
    return tree


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "[]",
        '{"resourceSpans": 3}',
        '{"data": [{"attributes": 5}]}',
        '[{"attributes": {"a": "b"}}]',
        '"x"',
        "[" * 5000,
        "{\n}}",
    ],
)
def test_what_holds_no_span_is_said(text):
    with pytest.raises(SourceError):
        read_traces(text)


def test_a_tools_result_is_a_source_and_an_agents_words_the_answer():
    """Spans whose parents go round in a circle do not hang it; an LLM that gave data gives way to what stands around it."""

    def span(id_, parent, kind, **attributes):
        told = {"openinference.span.kind": kind, **attributes}
        return {"context": {"trace_id": "t", "span_id": id_}, "parent_id": parent, "name": id_, "attributes": told}

    tool = span("c", "a", "TOOL", **{"output.value": '{"balance": 12}', "tool.name": "look_up"})
    agent = span("a", "b", "AGENT", **{"output.value": '{"answer": "The balance is 12."}'})
    text = json.dumps([tool, agent, span("b", "a", "CHAIN", **{"output.value": '{"steps": [1]}'})])
    (found,), _ = read_traces(text)
    assert (found.span, found.given.text) == ("a", "The balance is 12.")
    assert [(each.title, each.text) for each in found.given.sources] == [("look_up", '{"balance": 12}')]
