"""Draws a page of a PDF as a PNG, and tells how its points lie on the picture."""

from __future__ import annotations

import asyncio
import struct
import sys
import zlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from footnoted.apart import apart, given
from footnoted.service.faults import not_found
from footnoted.service.turns import Turns

_AT_ONCE = 1
_KEPT = 64  # drawn pages
_TALLEST = 4  # times as high as wide
_FINE = 10_000  # steps the picture's sides are divided in where the matrix is measured
_Matrix = tuple[float, float, float, float, float, float]


@dataclass(frozen=True, slots=True)
class Drawn:
    """A page. Its point x, y lies at ``a x + c y + e`` of the picture's width, ``b x + d y + f`` of its height.

    Points are 1/72 inch from the page's lower left corner; the picture is measured from its upper left.
    """

    png: bytes
    matrix: _Matrix


class Pages:
    """Draws pages of one process, one at a time and tenant by tenant; keeps those that were looked at last."""

    def __init__(self, *, seconds: float) -> None:
        self._seconds = seconds
        self._turns = Turns(_AT_ONCE)
        self._kept: OrderedDict[tuple[str, int, int], Drawn] = OrderedDict()

    async def draw(
        self, tenant: str, document_id: str, page: int, *, width: int, file: Callable[[], Awaitable[bytes]]
    ) -> Drawn:
        """Page ``page`` (from 1), ``width`` pixels wide. Raises `Fault` 404, `SourceError` where it cannot be drawn."""
        name = (document_id, page, width)
        if name not in self._kept:
            async with self._turns.take(tenant):
                told = await apart(
                    __name__, await file(), str(page), str(width), name=f"page {page}", seconds=self._seconds
                )
            if not told:
                raise not_found(f"there is no page {page}")
            self._kept[name] = await asyncio.to_thread(_heard, told)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(name)
        return self._kept[name]


def _heard(told: bytes) -> Drawn:
    return Drawn(told[48:], struct.unpack("<6d", told[:48]))


def draw(data: bytes, page: int, width: int) -> Drawn | None:
    """The page, or nothing where the PDF ends before it."""
    import pypdfium2

    with pypdfium2.PdfDocument(data) as file:
        if not 1 <= page <= len(file):
            return None
        sheet = file[page - 1]
        scale = width / max(1.0, sheet.get_width())
        scale = min(scale, _TALLEST * width / max(1.0, sheet.get_height()))
        bitmap = sheet.render(scale=scale, rev_byteorder=True, prefer_bgrx=False, may_draw_forms=False)
        return Drawn(_png(bitmap), _matrix(sheet))


def _matrix(sheet: Any) -> _Matrix:
    """Where three points come to lie says where all do, turned and cut pages included."""
    from ctypes import byref, c_double

    from pypdfium2.raw import FPDF_DeviceToPage

    def at(x: int, y: int) -> tuple[float, float]:
        left, bottom = c_double(), c_double()
        FPDF_DeviceToPage(sheet.raw, 0, 0, _FINE, _FINE, 0, x, y, byref(left), byref(bottom))
        return left.value, bottom.value

    (x, y), right, down = at(0, 0), at(_FINE, 0), at(0, _FINE)
    p, q, r, s = right[0] - x, right[1] - y, down[0] - x, down[1] - y  # what a whole width and a whole height are
    size = p * s - q * r or 1.0
    a, b, c, d = s / size, -q / size, -r / size, p / size
    return (a, b, c, d, -(a * x + c * y), -(b * x + d * y))


def _png(bitmap: Any) -> bytes:
    """The picture as a PNG (RFC 2083): eight bits each of red, green and blue, rows unfiltered."""
    width, height, stride, channels = bitmap.width, bitmap.height, bitmap.stride, bitmap.n_channels
    raw = bytes(bitmap.buffer)
    kind = {1: 0, 3: 2, 4: 6}[channels]
    rows = b"".join(b"\0" + raw[at : at + width * channels] for at in range(0, stride * height, stride))
    head = struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in ((b"IHDR", head), (b"IDAT", zlib.compress(rows, 6)), (b"IEND", b""))
    )


def main() -> None:
    """Draw the page named first, as wide as named second; write six numbers and the PNG, or nothing."""
    data, (page, width) = given()
    drawn = draw(data, int(page), int(width))
    if drawn is not None:
        sys.stdout.buffer.write(struct.pack("<6d", *drawn.matrix) + drawn.png)


if __name__ == "__main__":
    main()
