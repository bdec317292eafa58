"""A file's bytes in; its text, sections and passages out, or a `SourceError`, within bounds of time and memory.

What people upload may be made to hurt whoever reads it, so anything but small plain text is read by a child process
that is ended when it takes too long or too much.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from dataclasses import asdict, dataclass, field
from typing import Any

from footnoted.errors import SourceError
from footnoted.service.apart import apart, given
from footnoted.service.turns import Turns

_SMALL = 64 * 1024  # bytes of plain text that are read right here
_AT_ONCE = 2
_PIECE, _LINE = 256 * 1024, 500  # characters of the text, and sections, a line of what a child tells
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_turns: dict[asyncio.AbstractEventLoop, Turns] = {}


@dataclass(frozen=True, slots=True)
class Passage:
    """``text`` is ``document[start:end]``, after ``lead`` code points of a repeated head."""

    text: str
    start: int
    end: int
    lead: int
    headings: list[str]
    details: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A file as it is kept."""

    title: str
    format: str
    text: str
    sections: list[dict[str, Any]]
    passages: list[Passage]


async def read_document(data: bytes, name: str, *, seconds: float, tenant: str = "") -> ReadDocument:
    """Read a file, when it is ``tenant``'s turn. Raises `SourceError` with a reason for people."""
    from footnoted.retrieval.load.found import FORMATS, ending_of

    if len(data) <= _SMALL and FORMATS.get(ending_of(name), "") in ("text", "markdown"):
        return await asyncio.to_thread(_read, data, name)
    loop = asyncio.get_running_loop()
    async with _turns.setdefault(loop, Turns(_AT_ONCE)).take(tenant):
        told = await apart(__name__, data, name, name=name, seconds=seconds, behind=10)
        return await asyncio.to_thread(_heard, told)


def _heard(told: bytes) -> ReadDocument:
    """What a child told, a line at a time: whoever else wants to do something may, between two of them."""
    lines = iter(told.split(b"\n"))
    found = json.loads(next(lines))
    if "problem" in found:
        raise SourceError(found["problem"])
    text = "".join(json.loads(next(lines)) for _ in range(found.pop("pieces")))
    sections = [section for _ in range(found.pop("sections")) for section in json.loads(next(lines))]
    passages = [Passage(**json.loads(line)) for line in lines if line]
    return ReadDocument(**found, text=text, sections=sections, passages=passages)


def _read(data: bytes, name: str) -> ReadDocument:
    from footnoted.retrieval.load import chunks, parse

    try:
        document = parse(data, name)
        passages = chunks(document)
        if not passages:
            raise SourceError("holds headings only and no text under them")
    except SourceError as error:
        raise SourceError(f"{name} {error}") from None
    found = []
    for passage in passages:
        start, end = int(passage.metadata["start"]), int(passage.metadata["end"])
        details = {key: value for key, value in passage.metadata.items() if key in _DETAILS}
        lead = len(passage.text) - (end - start)
        headings = list(passage.metadata["section_hierarchy"])
        found.append(Passage(_storable(passage.text), start, end, lead, [_storable(h) for h in headings], details))
    sections = [
        {"headings": [_storable(h) for h in section.headings], "start": section.start, "end": section.end}
        for section in document.sections
    ]
    return ReadDocument(_storable(document.title), document.format, _storable(document.text), sections, found)


_DETAILS = (
    "section",
    "section_hierarchy",
    "kind",
    "format",
    "page",
    "line",
    "sheet",
    "places",
    "continued",
    "file",
    "product_name",
    "document_type",
)


def _storable(text: str) -> str:
    """The same length in code points, without what no database and no UTF-8 takes."""
    return _UNSTORABLE.sub("\ufffd", text)


def main() -> None:
    """Read the bytes as the file of that name; write JSON."""
    data, (name,) = given()
    try:
        read = _read(data, name)
    except SourceError as error:
        sys.stdout.write(json.dumps({"problem": str(error)}))
        return
    sections = [read.sections[at : at + _LINE] for at in range(0, len(read.sections), _LINE)]
    pieces = [read.text[at : at + _PIECE] for at in range(0, len(read.text), _PIECE)]
    about = {"title": read.title, "format": read.format, "pieces": len(pieces), "sections": len(sections)}
    for told in (about, *pieces, *sections, *map(asdict, read.passages)):
        sys.stdout.write(json.dumps(told) + "\n")


if __name__ == "__main__":
    main()
