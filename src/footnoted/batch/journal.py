"""Keeps each row as it is done, so that a run that was stopped goes on where it was, and does no row twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TextIO

from pydantic import ValidationError

from footnoted.batch.table import Row
from footnoted.errors import ConfigurationError, SourceError


class Journal:
    """A file of JSON lines beside the output: each row with the mark of its task. Errors are written and done again."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: dict[str, Row] = {}
        self._lines: TextIO | None = None

    @classmethod
    def beside(cls, output: Path) -> Journal:
        """The journal of an output file, with what it holds already."""
        journal = cls(output.with_name(output.name + ".journal"))
        journal._read()
        return journal

    def done(self, mark: str) -> bool:
        """Whether this very task came to an end before, the same way."""
        row = self.rows.get(mark)
        return row is not None and row.status != "error"

    def write(self, mark: str, row: Row) -> None:
        """Keep a row; it is on disk when this returns."""
        if self._lines is None:
            try:
                self._lines = self.path.open("a", encoding="utf-8")
            except OSError as error:
                raise ConfigurationError(f"{self.path} cannot be written: {error.strerror}") from error
        self.rows[mark] = row
        self._lines.write(json.dumps({"mark": mark, "row": row.model_dump()}, ensure_ascii=True) + "\n")
        self._lines.flush()

    def close(self) -> None:
        """Close the file."""
        if self._lines is not None:
            self._lines.close()
            self._lines = None

    def remove(self) -> None:
        """The table is whole: the journal is no longer needed."""
        self.close()
        self.path.unlink(missing_ok=True)

    def _read(self) -> None:
        if not self.path.exists():
            return
        whole = 0
        with self.path.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                try:
                    entry = json.loads(line)
                    self.rows[entry["mark"]] = Row.model_validate(entry["row"])
                except (ValueError, KeyError, TypeError, ValidationError) as error:
                    if line.endswith(b"\n"):
                        raise SourceError(
                            f"{self.path}, line {number}, is no row of a batch; move the file away to start anew"
                        ) from error
                    break
                whole += len(line)
        if whole < self.path.stat().st_size:
            # A run that was killed while writing left half a line: its task is done again.
            with self.path.open("rb+") as file:
                file.truncate(whole)
