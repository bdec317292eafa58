"""Makes PDF and Word files from lines of text, for tests that need the real thing."""

from __future__ import annotations

import io

import docx
from pypdf import PdfReader, PdfWriter


def pdf(*pages: list[tuple[float, float, float, str] | tuple[float, float, float, str, str]], drawn: str = "") -> bytes:
    """A PDF of pages of ``(x, y, size, text[, "bold"])``, in Helvetica, Latin-1; ``drawn`` on each, as PDF operators."""
    bodies: list[bytes] = [b"<< /Type /Catalog /Pages 2 0 R >>", b""]
    fonts = b"<< /F1 3 0 R /F2 4 0 R >>"
    for name in (b"Helvetica", b"Helvetica-Bold"):
        bodies.append(b"<< /Type /Font /Subtype /Type1 /Encoding /WinAnsiEncoding /BaseFont /" + name + b" >>")
    kids = []
    for page in pages:
        stream = b"\n".join([drawn.encode(), *(_shown(*line) for line in page)])
        bodies.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
        content = len(bodies)
        bodies.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font %s >> /Contents %d 0 R >>"
            % (fonts, content)
        )
        kids.append(b"%d 0 R" % len(bodies))
    bodies[1] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(kids), b" ".join(kids))
    return _file(bodies)


def ruled(downs: list[float], acrosses: list[float]) -> str:
    """A grid of strokes between the first and the last rule each way, for ``drawn``."""
    lines = [f"{x} {acrosses[0]} m {x} {acrosses[-1]} l S" for x in downs]
    lines += [f"{downs[0]} {y} m {downs[-1]} {y} l S" for y in acrosses]
    return "\n".join(["0.5 w", *lines])


def paragraphs(*lines: str, size: float = 11, top: float = 780) -> list[tuple[float, float, float, str]]:
    """Lines one under another, for `pdf`; an empty one leaves a gap."""
    return [(60, top - 14 * row, size, line) for row, line in enumerate(lines) if line]


def outlined(data: bytes, *entries: tuple[int, str, int]) -> bytes:
    """The same PDF with an outline of ``(level from 0, title, page from 1)``."""
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(data)))
    above = []
    for level, title, page in entries:
        parent = above[level - 1] if level else None
        above[level:] = [writer.add_outline_item(title=title, page_number=page - 1, parent=parent)]
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def encrypted(data: bytes, password: str, owner: str | None = None) -> bytes:
    """The same PDF, locked with a user's and an owner's password."""
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(data)))
    writer.encrypt(password, owner or password, algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def saved(word: docx.document.Document) -> bytes:
    """The bytes of a Word document."""
    out = io.BytesIO()
    word.save(out)
    return out.getvalue()


def _shown(x: float, y: float, size: float, text: str, weight: str = "") -> bytes:
    words = text.encode("cp1252")
    for mark in (b"\\", b"(", b")"):
        words = words.replace(mark, b"\\" + mark)
    font = b"/F2" if weight == "bold" else b"/F1"
    return b"BT %s %g Tf %g %g Td (%s) Tj ET" % (font, size, x, y, words)


def _file(bodies: list[bytes]) -> bytes:
    out = bytearray(b"%PDF-1.4\n")
    places = []
    for number, body in enumerate(bodies, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(bodies) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(bodies) + 1, table)
    return bytes(out)
