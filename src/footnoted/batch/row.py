"""One flat row of what came of a task, with the same columns whatever happened."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel

Kind = Literal["answer", "check"]
Status = Literal["answered", "refused", "stands", "falls", "error"]


class Row(BaseModel):
    """One line of the table. ``record`` is the whole answer or check as JSON; ``cost`` is in the prices' currency."""

    place: int
    id: str
    kind: Kind
    question: str
    status: Status
    text: str = ""
    finish_reason: str = ""
    grounding_score: float | None = None
    confidence: float | None = None
    claims: int = 0
    supported: int = 0
    citations: int = 0
    error: str = ""
    provider: str = ""
    model: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    latency_ms: float = 0.0
    record: str = ""


COLUMNS = tuple(Row.model_fields)
