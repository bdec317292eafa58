"""Recognises a scanner's file and reads its findings one by one; what is none is told with its line."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from footnoted.assistants.security.findings.fields import NotAFinding
from footnoted.assistants.security.findings.finding import Finding
from footnoted.assistants.security.findings.hub import is_asff, read_asff
from footnoted.assistants.security.findings.prowler import is_ocsf, is_prowler_header, read_ocsf, read_row, rows
from footnoted.assistants.security.findings.records import PIECE, BadRecord, Record, records
from footnoted.errors import SourceError

KNOWN = "Prowler (OCSF JSON, CSV) and AWS Security Hub (ASFF JSON)"


@dataclass(frozen=True, slots=True)
class Read:
    """A finding, the line its record begins on, and its format."""

    line: int
    finding: Finding
    format: str


def findings_in(pieces: Iterable[bytes]) -> Iterator[Read | BadRecord]:
    """Every finding of a file given in pieces of bytes, whatever of the known formats it is."""
    pieces = iter(pieces)
    head = b""
    for piece in pieces:
        head += piece
        if len(head) >= 4096:
            break
    if not head.strip():
        yield BadRecord(1, "the file is empty")
        return
    whole = chain([head], pieces)
    begins = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if begins not in (b"[", b"{") and not head.startswith((b"\xff\xfe", b"\xfe\xff")) and not is_prowler_header(head):
        yield BadRecord(1, f"the file is of no known format; known are {KNOWN}")
        return
    if is_prowler_header(head):
        yield from _read(rows(whole), {"prowler-csv": (lambda _: True, read_row)})
    else:
        yield from _read(_unwrapped(records(whole)), {"asff": (is_asff, read_asff), "ocsf": (is_ocsf, read_ocsf)})


def pieces_of(file: BinaryIO, *, progress: Callable[[int], None] | None = None) -> Iterator[bytes]:
    """A file's bytes, a piece at a time; ``progress`` is told how many were read so far."""
    read = 0
    while piece := file.read(PIECE):
        read += len(piece)
        yield piece
        if progress is not None:
            progress(read)


def open_file(path: Path) -> BinaryIO:
    """A scanner's file, unpacked on the way where it is a gzip. Raises `SourceError`."""
    try:
        file = path.open("rb")
    except FileNotFoundError:
        raise SourceError(f"no such file: {path}") from None
    except OSError as error:
        raise SourceError(f"{path} cannot be read ({(error.strerror or str(error)).lower()})") from None
    packed = file.read(2) == b"\x1f\x8b"
    file.seek(0)
    if not packed:
        return file
    file.close()
    return gzip.open(path)  # type: ignore[return-value]


Reader = tuple[Callable[[Mapping[str, Any]], bool], Callable[[Mapping[str, Any]], Finding]]


def _read(found: Iterable[Record | BadRecord], readers: Mapping[str, Reader]) -> Iterator[Read | BadRecord]:
    for record in found:
        if isinstance(record, BadRecord):
            yield record
            continue
        if not isinstance(record.value, Mapping):
            yield BadRecord(record.line, f"is no record: {str(record.value)[:40]!r}")
            continue
        for name, (fits, read) in readers.items():
            if not fits(record.value):
                continue
            try:
                yield Read(record.line, read(record.value), name)
            except NotAFinding as problem:
                yield BadRecord(record.line, str(problem))
            except (TypeError, ValueError, AttributeError, KeyError, RecursionError) as error:
                yield BadRecord(record.line, f"has a shape its format does not allow ({type(error).__name__})")
            break
        else:
            yield BadRecord(record.line, f"is of no known format; known are {KNOWN}")


def _unwrapped(found: Iterable[Record | BadRecord]) -> Iterator[Record | BadRecord]:
    """Records out of what services wrap them in: ``Findings`` lists, EventBridge events."""
    for record in found:
        if isinstance(record, Record) and isinstance(record.value, Mapping):
            value = record.value
            detail = value.get("detail")
            inside = detail if isinstance(detail, Mapping) else value
            items = inside.get("findings", inside.get("Findings"))
            if isinstance(items, list):
                yield from (Record(record.line, item) for item in items)
                continue
        yield record
