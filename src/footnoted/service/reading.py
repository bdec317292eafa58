"""Reads an upload's text, sections and passages within bounds of time and memory, or raises `SourceError`.

What people upload may be made to hurt whoever reads it, so anything but small plain text is read by a child process
that is ended when it takes too long or too much. What the child tells stays as it came until it is wanted: a document
may have 400,000 passages, and while Python looks through that many objects for garbage nobody is answered.
"""

from __future__ import annotations

import asyncio
import io
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import Any

from footnoted.apart import apart, given
from footnoted.errors import SourceError
from footnoted.inert import storable
from footnoted.service.turns import Turns

_SMALL = 64 * 1024  # bytes of plain text that are read right here
_AT_ONCE = 2
_PIECE = 256 * 1024  # characters of the text, or of the sections, a line of what a child tells
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
    """A file as it is kept: its ``sections`` as JSON, its ``count`` passages from `take`."""

    title: str
    format: str
    text: str
    sections: str
    count: int
    passages: Iterator[Passage]

    def take(self, most: int) -> list[Passage]:
        """The next passages, ``most`` at a time; none when all are taken."""
        return list(islice(self.passages, most))


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
    lines = io.BytesIO(told)
    found = json.loads(lines.readline())
    if "problem" in found:
        raise SourceError(found["problem"])
    text, sections = (
        "".join(json.loads(lines.readline()) for _ in range(found.pop(name))) for name in ("text", "sections")
    )
    return ReadDocument(**found, text=text, sections=sections, passages=(Passage(**json.loads(line)) for line in lines))


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
    told = json.dumps(sections, ensure_ascii=False)
    return ReadDocument(
        _storable(document.title), document.format, _storable(document.text), told, len(found), iter(found)
    )


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
    return str(storable(text)).replace("\x00", "\ufffd")


def main() -> None:
    """Read the bytes as the file of that name; write JSON."""
    data, (name,) = given()
    try:
        read = _read(data, name)
    except SourceError as error:
        sys.stdout.write(json.dumps({"problem": str(error)}))
        return
    text, sections = (
        [whole[at : at + _PIECE] for at in range(0, len(whole), _PIECE)] for whole in (read.text, read.sections)
    )
    about = {"title": read.title, "format": read.format, "count": read.count}
    about |= {"text": len(text), "sections": len(sections)}
    for told in (about, *text, *sections, *map(asdict, read.passages)):
        sys.stdout.write(json.dumps(told) + "\n")


if __name__ == "__main__":
    main()
