"""The service's figures for Prometheus."""

from __future__ import annotations

import asyncio
import os

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest, multiprocess

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)


class Metrics:
    """The figures of one process. With several workers, all of them are read together."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = self._counter("requests", "HTTP requests", "route", "method", "status")
        self.request_seconds = self._seconds("response_start_seconds", "Until a response's headers", "route")
        self.first_chunk = self._seconds("first_chunk_seconds", "From a stream's start to its first text", "kind")
        self.queue_seconds = self._seconds("queue_seconds", "How long an answer waited for its turn")
        self.answer_seconds = self._seconds("answer_seconds", "How long an answer took", "kind", "finish_reason")
        self.tokens = self._counter("tokens", "Tokens read and written", "kind")
        self.refusals = self._counter("refusals", "Answers that say that the sources do not hold it", "reason")
        self.verdicts = self._counter("verdicts", "Claims checked", "verdict", "tier")
        self.streams_running = self._gauge("streams_running", "Streams being written")
        self.readers = self._gauge("stream_readers", "Connections that follow a stream")
        self.streams_ended = self._counter("streams_ended", "Streams by how they ended", "kind", "ending")
        self.limited = self._counter("limited", "Requests turned away", "code")
        self.spent_tokens = self._counter("spent_tokens", "Tokens that answers took, checks included", "tenant")
        self.spent_money = self._counter("spent_money", "What they cost, by the prices set", "tenant")
        self.tasks = self._gauge("tasks", "Tasks of the event loop: what leaks shows here")

    def _counter(self, name: str, says: str, *labels: str) -> Counter:
        return Counter(f"footnoted_{name}", says, labels, registry=self.registry)

    def _seconds(self, name: str, says: str, *labels: str) -> Histogram:
        return Histogram(f"footnoted_{name}", says, labels, buckets=_SECONDS, registry=self.registry)

    def _gauge(self, name: str, says: str) -> Gauge:
        return Gauge(f"footnoted_{name}", says, registry=self.registry, multiprocess_mode="livesum")

    def render(self) -> bytes:
        """Everything, as Prometheus reads it."""
        self.tasks.set(len(asyncio.all_tasks()))
        registry = self.registry
        if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
            registry = CollectorRegistry()
            multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return generate_latest(registry)


METRICS = Metrics()
