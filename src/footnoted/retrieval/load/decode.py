"""Decodes a text file, whatever encoding it was saved in."""

from __future__ import annotations

import codecs

from footnoted.errors import SourceError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_KNOWN_BINARY = (
    (b"%PDF", "a PDF"),
    (b"PK\x03\x04", "a zip archive or office file"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"\x7fELF", "a program"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\xd0\xcf\x11\xe0", "an old Office file (.doc, .xls)"),
    (b"{\\rtf", "an RTF file"),
)
_COLOURS, _LONGEST_COLOUR = "0123456789;:", 40  # of the terminal that a log was written for
_CONTROL = frozenset(range(32)) - {7, 8, 9, 10, 11, 12, 13, 27}


def decode(data: bytes) -> str:
    """The text of ``data``, without a byte order mark, without a terminal's colours, each line end a bare newline.

    UTF-8, UTF-16/32 by their mark (UTF-16 without one by its zero bytes), else Windows Latin.
    Raises `SourceError` when the bytes are no text at all.
    """
    text = without_colours(_decoded(data))
    return text.replace("\r\n", "\n").replace("\r", "\n")


def without_colours(text: str) -> str:
    """The text without the colours of a terminal."""
    kept, *pieces = text.split("\x1b[")
    for piece in pieces:
        colour, ended, rest = piece.partition("m")
        coloured = ended and len(colour) <= _LONGEST_COLOUR and not colour.strip(_COLOURS)
        kept += rest if coloured else f"\x1b[{piece}"
    return kept


def _decoded(data: bytes) -> str:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    for start, what in _KNOWN_BINARY:
        if data.startswith(start):
            raise SourceError(f"holds no text: its first bytes are those of {what}")
    guess = _unmarked_utf16(data)
    if guess:
        return data.decode(guess, "replace")
    if b"\x00" in data:
        raise SourceError("holds no text: it is a binary file (it contains zero bytes)")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        # A file cut inside its last character, or one with a rare slip, is still UTF-8.
        if error.start >= len(data) - 4 or _mostly_utf8(data):
            return data.decode("utf-8", "replace")
    head = data[:65536]
    if sum(byte in _CONTROL for byte in head) > len(head) // 50:
        raise SourceError("holds no text: it is a binary file (it is full of control bytes)")
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _unmarked_utf16(data: bytes) -> str | None:
    head = data[:4096]
    if len(data) % 2 or len(head) < 4 or b"\x00" not in head:
        return None
    even, odd = head[0::2].count(0), head[1::2].count(0)
    half = len(head) // 2
    if odd > half * 0.6 and even == 0:
        return "utf-16-le"
    if even > half * 0.6 and odd == 0:
        return "utf-16-be"
    return None


def _mostly_utf8(data: bytes) -> bool:
    """Whether the bytes above ASCII form far more valid UTF-8 than slips."""
    text = data.decode("utf-8", "replace")
    slips = text.count("\ufffd")
    beyond = sum(1 for char in text[:200_000] if ord(char) > 127) - min(slips, 200_000)
    return beyond > 20 * slips
