"""Opens archives and XML from outside, and refuses what is damaged, encrypted, or made to grow beyond all measure."""

from __future__ import annotations

import io
import zipfile
from typing import Any

from footnoted.errors import SourceError

OFFICE = b"\xd0\xcf\x11\xe0"  # the container of old Office files and of encrypted new ones
_UNPACKED = 4  # how many times the limit an archive may grow when unpacked; its XML parts once
_PARTS = 10_000


def open_archive(data: bytes, what: str, *, limit_bytes: int) -> zipfile.ZipFile:
    """The archive in ``data``, of a kind called ``what``. Raises `SourceError`."""
    if data.startswith(OFFICE):
        raise SourceError("is encrypted with a password, or a file of an old kind; save it as an open one")
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        parts = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise SourceError(f"is damaged: it is no whole {what} ({str(error).lower()})") from None
    whole = sum(part.file_size for part in parts)
    xml = sum(part.file_size for part in parts if part.filename.endswith((".xml", ".rels", ".xhtml", ".html")))
    if whole > limit_bytes * _UNPACKED or xml > limit_bytes or len(parts) > _PARTS:
        raise SourceError(f"unpacks to {whole / 1_048_576:.0f} MB, too much for a document; it may be a zip bomb")
    return archive


def part_of(archive: zipfile.ZipFile, name: str) -> bytes:
    """One part's bytes; none when it is not there. Raises `SourceError` when it is damaged."""
    try:
        with archive.open(name) as part:
            return part.read(archive.getinfo(name).file_size)
    except KeyError:
        return b""
    except (zipfile.BadZipFile, OSError, ValueError, RuntimeError, NotImplementedError, EOFError) as error:
        raise SourceError(f"is damaged: {name} in it cannot be unpacked ({type(error).__name__})") from None


def tree_of(data: bytes, what: str) -> Any:
    """The root of a tree of lxml; nothing it names is read. Raises `SourceError` when ``what`` is no whole XML."""
    from lxml import etree

    # Without `huge_tree`, lxml itself refuses trees deeper than 256 and entities that grow.
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise SourceError(f"is damaged: {what} is no whole XML ({type(error).__name__})") from None
    if root is None:
        raise SourceError(f"is damaged: {what} is empty")
    return root
