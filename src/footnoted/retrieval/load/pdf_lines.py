"""A PDF page in; its printed lines out, each with its size, place and table cells, running heads taken off."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

_GLYPH = 0.5  # width of an average character, in font sizes
_CELL_GAP = 1.3  # white space between two cells of a table, in font sizes, at least
_MARGIN = 0.1  # share of the page's height in which heads and feet run
_CONTENTS = re.compile(r"(?:\. ?){5,}\s*[\divxlc]*$")  # a line of a table of contents, dots up to its page
_PAGE_NUMBER = re.compile(r"(?:page\s+)?\d+(?:\s*(?:of|/)\s*\d+)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Line:
    """One printed line; ``y`` is its height on the page in points, ``cells`` its parts across wide gaps.

    ``margin``: it stands in the topmost or lowest tenth of the page.
    """

    text: str
    size: float
    y: float
    page: int
    cells: tuple[str, ...]
    bold: bool = False
    margin: bool = False


@dataclass(slots=True)
class _Open:
    """A line still being gathered: its pieces with the place each begins at."""

    pieces: list[tuple[float, float, float, str]] = field(default_factory=list)  # x, y, size, text
    bold: bool = True

    def closed(self, page: int, low: float, high: float) -> Line | None:
        text = " ".join("".join(piece[3] for piece in self.pieces).split())
        if not text:
            return None
        sizes: Counter[float] = Counter()
        for _, _, size, piece in self.pieces:
            sizes[size] += len(piece.strip())
        y = next(piece[1] for piece in self.pieces if piece[3].strip())
        margin = not low <= y <= high
        return Line(text, sizes.most_common(1)[0][0], y, page, tuple(self._cells()), self.bold, margin)

    def _cells(self) -> list[str]:
        cells: list[str] = []
        edge: float | None = None
        for x, _, size, text in self.pieces:
            if not text.strip():
                continue
            if edge is not None and x - edge <= _CELL_GAP * size:
                cells[-1] += text
            else:
                cells.append(text)
            edge = x + len(text) * size * _GLYPH
        return [" ".join(cell.split()) for cell in cells]


def page_lines(page: Any, number: int) -> list[Line]:
    """The lines of a pypdf page, in reading order."""
    lines: list[Line] = []
    current = _Open()
    bottom, height = float(page.mediabox.bottom), float(page.mediabox.height)
    low, high = bottom + _MARGIN * height, bottom + (1 - _MARGIN) * height

    def visit(text: str, ctm: list[float], matrix: list[float], font: Any, size: float) -> None:
        nonlocal current
        x = matrix[4] * ctm[0] + matrix[5] * ctm[2] + ctm[4]
        y = matrix[4] * ctm[1] + matrix[5] * ctm[3] + ctm[5]
        scale = (max(abs(matrix[3]), abs(matrix[1])) or 1.0) * (max(abs(ctm[3]), abs(ctm[1])) or 1.0)
        bold = "bold" in str((font or {}).get("/BaseFont", "")).lower()
        for place, piece in enumerate(text.split("\n")):
            if place:
                closed = current.closed(number, low, high)
                if closed is not None:
                    lines.append(closed)
                current = _Open()
            if piece:
                current.pieces.append((x, y, round(size * scale, 1), piece))
                current.bold = current.bold and (bold or not piece.strip())

    page.extract_text(visitor_text=visit)
    closed = current.closed(number, low, high)
    return [*lines, closed] if closed is not None else lines


def without_furniture(pages: list[list[Line]]) -> list[Line]:
    """All lines but page numbers, tables of contents, and the heads and feet that run from page to page."""
    sizes: Counter[float] = Counter()
    for page in pages:
        for line in page:
            sizes[line.size] += len(line.text)
    body = sizes.most_common(1)[0][0] if sizes else 0.0
    shapes = Counter(shape for page in pages for shape in {_shape(line) for line in _edge(page, body)})
    often = 2 if len(pages) == 2 else 3
    kept: list[Line] = []
    for page in pages:
        edge = {id(line) for line in _edge(page, body)}
        for line in page:
            repeats = shapes[_shape(line)] >= often and len(pages) > 1
            furniture = id(line) in edge and (repeats or _PAGE_NUMBER.fullmatch(line.text))
            if not furniture and not _CONTENTS.search(line.text):
                kept.append(line)
    return kept


def _edge(page: list[Line], body: float) -> list[Line]:
    """The highest line and the two lowest of a page, if they can be running heads or feet."""
    by_height = sorted(page, key=lambda line: -line.y)
    return [line for line in by_height[:1] + by_height[1:][-2:] if line.margin and line.size <= body]


def _shape(line: Line) -> str:
    return re.sub(r"\d+", "#", line.text)
