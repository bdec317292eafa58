"""Reads the answer of each trace, with what it retrieved, from OpenInference spans as exporters write them.

Read are OTLP's JSON (a collector's file, whole or a line a batch) and spans as objects (Phoenix's export,
OpenTelemetry's console), their attributes flat or nested. Conventions: arize-ai.github.io/openinference/spec.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pydantic import BaseModel

from footnoted.errors import SourceError
from footnoted.evaluation.check import ANSWER_NAMES, CheckReport, Given, as_sources

_VALUES = ("stringValue", "intValue", "doubleValue", "boolValue")
_FOUND = ("retrieval.documents", "reranker.output_documents", "output.documents")
_NAMED = ("title", "source", "file_name", "name")  # where frameworks keep what a reader would call a document


@dataclass(frozen=True, slots=True)
class Span:
    """One span; ``attributes`` flat, by their dotted names."""

    trace: str
    id: str
    parent: str
    name: str
    began: float
    attributes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """What it does: ``RETRIEVER``, ``LLM``, ``CHAIN`` and the like."""
        return str(self.attributes.get("openinference.span.kind") or "").upper()


@dataclass(frozen=True, slots=True)
class Traced:
    """A trace's answer as it left, the span that gave it, and what it is to be held against."""

    trace: str
    span: str
    name: str
    given: Given


class TraceCheck(CheckReport):
    """What was found of one trace. ``annotation`` is in the form Phoenix takes for its spans."""

    trace_id: str
    span_id: str
    name: str
    sources: int
    annotation: dict[str, Any]


class TracesReport(BaseModel):
    """Everything that was found; ``stands`` is whether all of it does. ``passed_over`` names why, by trace."""

    stands: bool
    traces: list[TraceCheck]
    passed_over: dict[str, str]


def read_traces(text: str, *, name: str = "the spans") -> tuple[list[Traced], dict[str, str]]:
    """The answers in a file of spans, oldest first, and why other traces have none. Raises `SourceError`."""
    traces: dict[str, list[Span]] = {}
    for span in _spans(_values(text, name)):
        traces.setdefault(span.trace, []).append(span)
    if not any(span.kind for spans in traces.values() for span in spans):
        raise SourceError(f"{name} holds no OpenInference span (openinference.span.kind)")
    found, passed = [], {}
    for trace, spans in sorted(traces.items(), key=lambda trace: min(span.began for span in trace[1])):
        answer = _answer(spans)
        sources = as_sources(list(_passages(spans)))
        if answer is None:
            passed[trace] = "no span of it gave an answer in words"
        elif not sources:
            passed[trace] = "it retrieved nothing"
        else:
            given = Given(answer[1], sources=sources)
            found.append(Traced(trace, answer[0].id, answer[0].name, given))
    return found, passed


def annotated(traced: Traced, report: CheckReport) -> TraceCheck:
    """A trace's report, with its annotation."""
    fallen = [f"{claim.verdict}: {claim.text.strip()}" for claim in report.claims if claim.verdict != "supported"]
    result = {
        "label": "grounded" if report.stands else "ungrounded",
        "score": (len(report.claims) - len(fallen)) / len(report.claims) if report.claims else 1.0,
        "explanation": "; ".join(fallen) or "all of it stands",
    }
    annotation = {"span_id": traced.span, "name": "footnoted.grounding", "annotator_kind": "CODE", "result": result}
    return TraceCheck(
        **dict(report),
        trace_id=traced.trace,
        span_id=traced.span,
        name=traced.name,
        sources=len(traced.given.sources),
        annotation=annotation,
    )


def _values(text: str, name: str) -> Iterator[Any]:
    """The JSON values of a file: one, or one a line."""
    try:
        yield json.loads(text)
        return
    except RecursionError as error:
        raise SourceError(f"{name} is nested too deeply") from error
    except ValueError:
        lines = [line for line in text.splitlines() if line.strip()]
    for number, line in enumerate(lines, start=1):
        try:
            yield json.loads(line)
        except (ValueError, RecursionError) as error:
            raise SourceError(f"{name} is no JSON, and line {number} is none either") from error


def _spans(values: Iterator[Any]) -> Iterator[Span]:
    for value in values:
        if isinstance(value, list):
            yield from _spans(iter(value))
        elif not isinstance(value, dict):
            continue
        elif isinstance(batches := value.get("resourceSpans"), list):
            for batch in _dicts(batches):
                for scope in _dicts(batch.get("scopeSpans")):
                    yield from map(_from_otlp, _dicts(scope.get("spans")))
        elif isinstance(value.get("data"), list):
            yield from _spans(iter(value["data"]))
        elif "attributes" in value:
            yield _from_object(value)


def _from_otlp(span: Mapping[str, Any]) -> Span:
    return Span(
        trace=str(span.get("traceId")),
        id=str(span.get("spanId")),
        parent=str(span.get("parentSpanId") or ""),
        name=str(span.get("name") or ""),
        began=_number(span.get("startTimeUnixNano")),
        attributes={str(pair.get("key")): _otlp_value(pair.get("value")) for pair in _dicts(span.get("attributes"))},
    )


def _otlp_value(value: Any) -> Any:
    return next((value[name] for name in _VALUES if name in value), None) if isinstance(value, dict) else None


def _from_object(span: Mapping[str, Any]) -> Span:
    context = span.get("context")
    ids = context if isinstance(context, dict) else {}
    attributes = span["attributes"]
    return Span(
        trace=str(ids.get("trace_id") or span.get("trace_id")),
        id=str(ids.get("span_id") or span.get("span_id")),
        parent=str(span.get("parent_id") or ""),
        name=str(span.get("name") or ""),
        began=_moment(span.get("start_time")),
        attributes=dict(_flat(attributes, "")) if isinstance(attributes, dict) else {},
    )


def _flat(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Nested attributes by their dotted names: ``{"a": [{"b": 1}]}`` -> ``("a.0.b", 1)``."""
    at = f"{name}." if name else ""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _flat(inner, f"{at}{key}")
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from _flat(inner, f"{at}{place}")
    else:
        yield name, value


def _answer(spans: list[Span]) -> tuple[Span, str] | None:
    """The outermost span that gave words, and they; an LLM's own where those around it gave data."""
    depths = _depths(spans)
    for span in sorted(spans, key=lambda span: (depths[span.id], -span.began)):
        if span.kind in ("RETRIEVER", "EMBEDDING", "RERANKER", "TOOL", "EVALUATOR", "GUARDRAIL"):
            continue
        if words := _words(span):
            return span, words
    return None


def _words(span: Span) -> str:
    """What a span gave, where that is words: its output, the answer in an object, or an LLM's last message."""
    said = [
        value
        for name, value in span.attributes.items()
        if name.startswith("llm.output_messages.") and name.endswith((".message.content", ".message_content.text"))
    ]
    if said:
        return "".join(map(str, said))
    output = span.attributes.get("output.value")
    if not isinstance(output, str):
        return ""
    try:
        data = json.loads(output)
    except (ValueError, RecursionError):
        return output
    if isinstance(data, str):
        return data
    named = (data.get(key) for key in ANSWER_NAMES) if isinstance(data, dict) else ()
    return next((answer for answer in named if isinstance(answer, str)), "")


def _depths(spans: list[Span]) -> dict[str, int]:
    """How many spans stand around each; one whose parent is elsewhere is outermost."""
    parents = {span.id: span.parent for span in spans}
    depths = {}
    for span in spans:
        seen = {span.id}
        at = span.parent
        while at in parents and at not in seen:
            seen.add(at)
            at = parents[at]
        depths[span.id] = len(seen)
    return depths


def _passages(spans: list[Span]) -> Iterator[tuple[str, str]]:
    """Title and text of all that a trace retrieved, and of what its tools gave back; each text once."""
    titles: dict[str, str] = {}  # by the text
    for span in sorted(spans, key=lambda span: span.began):
        for name, value in span.attributes.items():
            if name.endswith(".document.content") and name.startswith(_FOUND) and isinstance(value, str):
                titles.setdefault(value, _title(span, name.removesuffix("content")))
        output = span.attributes.get("output.value")
        if span.kind == "TOOL" and isinstance(output, str):
            titles.setdefault(output, str(span.attributes.get("tool.name") or span.name))
    yield from ((title, text) for text, title in titles.items() if text.strip())


def _title(span: Span, document: str) -> str:
    try:
        metadata = json.loads(str(span.attributes.get(f"{document}metadata")))
    except (ValueError, RecursionError):
        metadata = None
    kept = metadata if isinstance(metadata, dict) else {}
    named = [kept.get(name) or span.attributes.get(f"{document}metadata.{name}") for name in _NAMED]
    return str(next(filter(None, named), span.attributes.get(f"{document}id") or span.name))


def _moment(value: Any) -> float:
    """Seconds or an ISO 8601 time, as something that sorts."""
    try:
        return datetime.fromisoformat(str(value)).timestamp()
    except ValueError:
        return _number(value)


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return 0.0


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
