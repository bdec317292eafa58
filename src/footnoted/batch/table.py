"""The table of what came of each task: one flat row a task, the same columns whatever happened.

It is written as a Parquet, JSON-lines or CSV file, whole or not at all.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel

from footnoted.errors import ConfigurationError

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


def write_table(rows: Sequence[Row], path: Path) -> None:
    """Write the rows in the order of their places; the file appears only when it is whole."""
    ordered = sorted(rows, key=lambda row: row.place)
    unfinished = path.with_name(path.name + ".unfinished")
    try:
        writer_for(path)(ordered, unfinished)
        unfinished.replace(path)
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be written: {error.strerror}") from error
    finally:
        unfinished.unlink(missing_ok=True)


def writer_for(path: Path) -> Callable[[Sequence[Row], Path], None]:
    """How a file of this name is written. Raises `ConfigurationError` for a kind that is none."""
    kinds = {".parquet": _parquet, ".jsonl": _lines, ".csv": _csv}
    writer = kinds.get(path.suffix.lower())
    if writer is None:
        raise ConfigurationError(f"{path.name}: name the output .parquet, .jsonl or .csv")
    if writer is _parquet:
        _arrow()
    return writer


def _arrow() -> Any:
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError as error:
        raise ConfigurationError(
            "Parquet needs pyarrow; run: pip install 'footnoted[batch]', or name the output .jsonl"
        ) from error


def _parquet(rows: Sequence[Row], path: Path) -> None:
    arrow, parquet = _arrow()
    kinds: dict[Any, Any] = {int: arrow.int64(), float: arrow.float64(), float | None: arrow.float64()}
    fields = [(name, kinds.get(Row.model_fields[name].annotation, arrow.string())) for name in COLUMNS]
    table = arrow.Table.from_pylist([row.model_dump() for row in rows], schema=arrow.schema(fields))
    parquet.write_table(table, path, compression="zstd")


def _lines(rows: Sequence[Row], path: Path) -> None:
    with path.open("w", encoding="utf-8") as lines:
        lines.writelines(row.model_dump_json() + "\n" for row in rows)


def _csv(rows: Sequence[Row], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, COLUMNS)
        table.writeheader()
        for row in rows:
            # A cell that begins like a formula would be run by a spreadsheet that opens it (OWASP, CSV injection).
            table.writerow({name: _harmless(value) for name, value in row.model_dump().items()})


def _harmless(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")) else value
