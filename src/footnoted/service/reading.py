"""A file's bytes in; its text, sections and passages out, or a `SourceError`, within bounds of time and memory.

What people upload may be made to hurt whoever reads it, so anything but small plain text is read by a child process
that is ended when it takes too long or too much.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import sys
from dataclasses import asdict, dataclass, field
from typing import Any

from footnoted.errors import SourceError

_SMALL = 64 * 1024  # bytes of plain text that are read right here
_MEMORY = 2 * 1024**3  # bytes of address space for a child
_AT_ONCE = 2
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_places: dict[asyncio.AbstractEventLoop, asyncio.Semaphore] = {}


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


async def read_document(data: bytes, name: str, *, seconds: float) -> ReadDocument:
    """Read a file. Raises `SourceError` with a reason for people."""
    from footnoted.retrieval.load.found import FORMATS, ending_of

    if len(data) <= _SMALL and FORMATS.get(ending_of(name), "") in ("text", "markdown"):
        return await asyncio.to_thread(_read, data, name)
    loop = asyncio.get_running_loop()
    place = _places.setdefault(loop, asyncio.Semaphore(_AT_ONCE))
    async with place:
        return await _read_apart(data, name, seconds)


async def _read_apart(data: bytes, name: str, seconds: float) -> ReadDocument:
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "footnoted.service.reading",
        name,
        str(int(seconds) + 1),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={**_plain_environment(), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    try:
        async with asyncio.timeout(seconds):
            told, _ = await child.communicate(data)
    except TimeoutError:
        raise SourceError(f"{name} takes longer than {seconds:g} s to read") from None
    finally:
        if child.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                child.kill()
            await child.wait()
    if child.returncode != 0:
        raise SourceError(f"{name} cannot be read: it is damaged, or takes more than this service gives it")
    found = json.loads(told)
    if "problem" in found:
        raise SourceError(found["problem"])
    return ReadDocument(**{**found, "passages": [Passage(**each) for each in found["passages"]]})


def _plain_environment() -> dict[str, str]:
    """What a child needs of the environment; no key, no address of a database."""
    return {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT") if name in os.environ}


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
    "continued",
    "file",
    "product_name",
    "document_type",
)


def _storable(text: str) -> str:
    """The same length in code points, without what no database and no UTF-8 takes."""
    return _UNSTORABLE.sub("\ufffd", text)


def main() -> None:
    """Read standard input as the file named first, within the seconds named second; write JSON."""
    name, seconds = sys.argv[1], int(sys.argv[2])
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    data = sys.stdin.buffer.read()
    try:
        told: dict[str, Any] = asdict(_read(data, name))
    except SourceError as error:
        told = {"problem": str(error)}
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main()
