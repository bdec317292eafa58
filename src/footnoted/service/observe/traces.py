"""Writes answers as OpenTelemetry spans by the GenAI conventions, where they were asked for."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from footnoted.contract import GenerationResponse
from footnoted.errors import ConfigurationError
from footnoted.service.asking import Asked
from footnoted.service.settings import Settings

if TYPE_CHECKING:
    from opentelemetry.trace import Span

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_tracer: Any = None
_provider: Any = None


def set_up(settings: Settings, *, exporter: Any = None) -> None:
    """Begin to trace, when asked for by setting or by OpenTelemetry's own variables."""
    global _tracer, _provider  # noqa: PLW0603 — one tracer a process, as OpenTelemetry has it
    wanted = settings.traces if settings.traces is not None else any(os.environ.get(name) for name in _ENDPOINTS)
    if not wanted and exporter is None:
        return
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor
    except ImportError as error:
        raise ConfigurationError("traces need OpenTelemetry; run: pip install 'footnoted[service]'") from error
    from footnoted import __version__

    name = os.environ.get("OTEL_SERVICE_NAME", "footnoted")
    _provider = TracerProvider(resource=Resource.create({"service.name": name, "service.version": __version__}))
    processor = SimpleSpanProcessor(exporter) if exporter is not None else BatchSpanProcessor(OTLPSpanExporter())
    _provider.add_span_processor(processor)
    _tracer = _provider.get_tracer("footnoted.service", __version__)


def are_on() -> bool:
    """Whether anybody wants spans."""
    return _tracer is not None


def shut_down() -> None:
    """Send what is left."""
    global _tracer, _provider  # noqa: PLW0603
    if _provider is not None:
        _provider.shutdown()
    _tracer = _provider = None


@contextmanager
def request(method: str, headers: dict[str, str]) -> Iterator[Span | None]:
    """A span for one HTTP request, child of the caller's own (W3C Trace Context)."""
    if _tracer is None:
        yield None
        return
    from opentelemetry.trace import SpanKind
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    parent = TraceContextTextMapPropagator().extract(headers)
    with _tracer.start_as_current_span(
        method, context=parent, kind=SpanKind.SERVER, record_exception=False, attributes={"http.request.method": method}
    ) as span:
        yield span


def responded(span: Span | None, *, method: str, route: str, status: int) -> None:
    """What became of the request."""
    if span is None:
        return
    span.update_name(f"{method} {route}")
    span.set_attribute("http.route", route)
    span.set_attribute("http.response.status_code", status)


@contextmanager
def answering(asked: Asked, settings: Settings) -> Iterator[Span]:
    """A span for one answer where they `are_on`, by the conventions for generative AI; no prompt, no text."""
    from opentelemetry.trace import SpanKind

    config = asked.request.config
    model = config.model or settings.model or settings.provider
    attributes: dict[str, Any] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": settings.provider,
        "gen_ai.request.model": model,
        "gen_ai.request.max_tokens": config.max_tokens,
        "gen_ai.request.temperature": config.temperature,
        "gen_ai.output.type": "text",
        "footnoted.kind": asked.kind,
        "footnoted.sources": len(asked.request.context),
    }
    if asked.conversation_id is not None:
        attributes["gen_ai.conversation.id"] = asked.conversation_id
    # Not made the current one: an async generator is resumed in its reader's context, not in its own.
    span = _tracer.start_span(f"chat {model}", kind=SpanKind.CLIENT, attributes=attributes)
    try:
        yield span
    except Exception as error:
        span.set_attribute("error.type", type(error).__name__)
        raise
    finally:
        span.end()


def finished(span: Span, response: GenerationResponse) -> None:
    """What became of the answer."""
    attributes: dict[str, Any] = {
        "gen_ai.usage.input_tokens": response.usage.input,
        "gen_ai.usage.output_tokens": response.usage.output,
        "gen_ai.response.finish_reasons": [response.finish_reason.value],
        "gen_ai.response.model": response.model,
        "gen_ai.provider.name": response.provider,
        "footnoted.citations": len(response.citations),
        "footnoted.grounding_score": response.grounding_score,
        "error.type": response.error.type if response.error else None,
    }
    span.set_attributes({name: value for name, value in attributes.items() if value not in (None, "")})
    for claim in response.claims:
        if claim.tier == "none":
            continue  # nothing weighed it
        # The conventions' event for what an evaluation found; the sentence itself stays out, as all text does.
        evaluation: dict[str, Any] = {
            "gen_ai.evaluation.name": "footnoted.grounding",
            "gen_ai.evaluation.score.label": claim.verdict,
            "footnoted.tier": claim.tier,
            "footnoted.shown": claim.shown,
        }
        if claim.score is not None:
            evaluation["gen_ai.evaluation.score.value"] = claim.score
        span.add_event("gen_ai.evaluation.result", evaluation)
