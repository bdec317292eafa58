"""An OpenTelemetry collector's OTLP endpoint on loopback: what exporters post, kept, and written as a collector writes it."""

import contextlib
import json

from aiohttp import web
from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)


class Collector:
    """The batches that came, as OTLP's own messages."""

    def __init__(self):
        self.url = ""
        self.batches = []

    @property
    def spans(self):
        """Every span that came, oldest first."""
        found = [
            span
            for batch in self.batches
            for each in batch.resource_spans
            for scope in each.scope_spans
            for span in scope.spans
        ]
        return sorted(found, key=lambda span: span.start_time_unix_nano)

    def lines(self):
        """The batches as its file exporter writes them: OTLP's JSON, one a line, ids in hexadecimal."""
        for batch in self.batches:
            data = MessageToDict(batch)
            originals = [s for each in batch.resource_spans for scope in each.scope_spans for s in scope.spans]
            told = [s for each in data["resourceSpans"] for scope in each["scopeSpans"] for s in scope["spans"]]
            for original, span in zip(originals, told, strict=True):
                span |= {"traceId": original.trace_id.hex(), "spanId": original.span_id.hex()}
                span["parentSpanId"] = original.parent_span_id.hex()
            yield json.dumps(data) + "\n"

    async def take(self, request):
        body = await request.read()
        if request.headers.get("Content-Encoding") == "gzip":
            import gzip

            body = gzip.decompress(body)
        self.batches.append(ExportTraceServiceRequest.FromString(body))
        done = ExportTraceServiceResponse().SerializeToString()
        return web.Response(body=done, content_type="application/x-protobuf")


@contextlib.asynccontextmanager
async def collecting():
    """A collector that listens."""
    collector = Collector()
    app = web.Application()
    app.router.add_post("/v1/traces", collector.take)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    collector.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield collector
    finally:
        await runner.cleanup()


def attributes(of):
    """A span's or an event's attributes as plain values."""
    told = MessageToDict(of).get("attributes", [])
    return {each["key"]: _plain(each["value"]) for each in told}


def _plain(value):
    (kind, plain), *_ = value.items()
    if kind == "arrayValue":
        return [_plain(each) for each in plain.get("values", [])]
    return int(plain) if kind == "intValue" else plain
