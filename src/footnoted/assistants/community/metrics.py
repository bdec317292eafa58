"""What becomes of messages, counted on the process's own Prometheus registry."""

from __future__ import annotations

from prometheus_client import Counter, Histogram

_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)

REQUESTS = Counter("ai_requests_total", "Messages by what became of them: answered, skipped or error.", ["result"])
GATES = Counter("ai_gate_total", "Messages by whether the gate held them answerable.", ["answerable"])
VERIFICATIONS = Counter(
    "ai_verification_total", "Drafts by whether verification held them good enough.", ["good_enough"]
)
SELECTED = Histogram(
    "ai_selected_sources_histogram", "Sources selected for a message.", buckets=(0, 1, 2, 3, 4, 5, 8, 12, 20)
)
NODES = Histogram("ai_node_seconds", "Seconds a node took.", ["node"], buckets=_SECONDS)
CALLS = Histogram("ai_provider_call_seconds", "Seconds a call to a model took.", ["node", "outcome"], buckets=_SECONDS)
