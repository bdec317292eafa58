"""A page of a PDF as its printed lines in the order they are read, each with its place, size and cells.

What a PDF knows are letters and where they stand; words and lines are PDFium's finding, columns and cells ours. The one
hard thing is to tell two columns of prose, read one after the other, from the cells of a table, read across.
"""

from __future__ import annotations

import ctypes
import math
import re
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from typing import Any, NamedTuple

from footnoted.retrieval.load.document import grouped
from footnoted.retrieval.load.pdf_tables import Grid, banded, cells_of, grids, turned

_CELL_GAP = 1.3  # white space between two cells of a table, in font sizes, at least
_GUTTER = 0.8  # white space between two columns, in font sizes, at least
_PROSE = 22  # letters of a line of prose in a column, on average at least
_FILLED = 0.55  # share of its column's width that a line of prose takes, at least at the median
_TRIED = 24  # places at which a gutter is looked for, those between most words first
_MARGIN = 0.1  # share of the page's height in which heads and feet run
_CONTENTS = re.compile(r"(?:\. ?){5,}\s*[\divxlc]*$")  # a line of a table of contents, dots up to its page
_PAGE_NUMBER = re.compile(r"(?:page\s+)?\d+(?:\s*(?:of|/)\s*\d+)?|[ivxlc]+", re.IGNORECASE)
_LISTED = 3  # lines of contents on a page, from which on one without dots above them that ends in a number is a chapter
_DIGITS = "0123456789"
RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_MOST = 200_000  # letters of one page
SMALL = 0.85  # of the text's size, below which a raised figure and a foot note are set
_FRAMED = 6  # lines in a cell over a table's whole width, at most; with more it is a frame round text

Box = tuple[float, float, float, float]


class Word(NamedTuple):
    """A word with its box in points from the page's lower left corner, its base line, and its letters' size.

    A table that is drawn with lines is set like a word (of no text), ``rows`` being the lines it is read as.
    """

    text: str
    left: float
    bottom: float
    right: float
    top: float
    base: float
    size: float
    bold: bool
    rows: tuple[Line, ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """One printed line; ``y`` is its base line in points, ``cells`` its parts across wide gaps, ``box`` its place.

    ``reach`` is how far across its column it goes, 1 being the margin; ``indent`` how many points from the column's
    left it begins; ``column`` counts the page's columns in the order they are read. ``margin``: it stands in the
    topmost or lowest tenth of the page. ``table``: of which of the page's tables drawn with lines it is a row, counted
    from 1.
    """

    text: str
    size: float
    y: float
    page: int
    cells: tuple[str, ...]
    box: Box
    bold: bool = False
    margin: bool = False
    column: int = 0
    reach: float = 1.0
    indent: float = 0.0
    table: int = 0


Segment = list[Word]  # words of one line without a wide gap between them


def page_lines(page: Any, number: int) -> list[Line]:
    """The lines of a pypdfium2 page, in reading order."""
    words, quarters = _words(page)
    drawn, stacks = grids(page, quarters)
    words = _with_tables(words, drawn, number)
    places = [word[1:7] for word in words]
    parted = [grid for stack in stacks for grid in banded(stack, places)]
    words = _with_tables(words, parted, number, 1 + len(drawn))
    _, low, _, high = turned(page.get_mediabox(), quarters)
    inner = low + _MARGIN * (high - low), high - _MARGIN * (high - low)
    lines: list[Line] = []
    for column, rows in enumerate(_columns(_rows(words))):
        if not rows:
            continue
        left = min(row[0][0].left for row in rows)
        right = max(row[-1][-1].right for row in rows)
        width = max(right - left, 1.0)
        for line in (line for row in rows for line in _lines(row, number)):
            margin, reach = not inner[0] <= line.y <= inner[1], (line.box[2] - left) / width
            box = turned(line.box, -quarters)
            indent = line.box[0] - left
            lines.append(replace(line, column=column, margin=margin, reach=reach, indent=indent, box=box))
    return lines


def _with_tables(words: list[Word], drawn: list[Grid], page: int, first: int = 1) -> list[Word]:
    """The words, those in a drawn table as one word a table; a table in another's cell is what that cell says."""
    inner: dict[Word, list[Word]] = {}  # the words of each table
    for count, grid in enumerate(drawn, first):
        placed = [(word, place) for word in words if (place := _cell(grid, word)) is not None]
        framed = {row for row, own in _by_row(placed).items() if grid.undivided(row) and _is_framed(own)}
        taken = {id(word) for word, place in placed if place[0] not in framed}
        inside = [(own, place) for word, place in placed if id(word) in taken for own in inner.get(word, [word])]
        inside.sort(key=lambda placed: (-round(placed[0].base), placed[0].left))
        cells = cells_of(grid, [(word.text, *place) for word, place in inside])
        if cells is None:
            continue
        words = [word for word in words if id(word) not in taken]
        parts: list[tuple[list[Line], list[Word]]] = [([], [])]  # what a frame parts
        by_row = _by_row(inside)
        for number, row in enumerate(cells):
            own = by_row[number]
            if number in framed:
                parts.append(([], []))
            elif any(row):
                box = grid.downs[0], grid.acrosses[number + 1], grid.downs[-1], grid.acrosses[number]
                parts[-1][0].append(_row_of_cells(row, own, box, page, count))
                parts[-1][1].extend(own)
        tables = {_set(rows): own for rows, own in parts if rows}
        inner |= tables
        words += tables
    return words


def _cell(grid: Grid, word: Word) -> tuple[int, int] | None:
    return grid.place((word.left + word.right) / 2, (word.bottom + word.top) / 2)


def _by_row(placed: list[tuple[Word, tuple[int, int]]]) -> dict[int, list[Word]]:
    """The words of each of a table's rows."""
    rows: dict[int, list[Word]] = defaultdict(list)
    for word, (row, _) in placed:
        rows[row].append(word)
    return rows


def _is_framed(own: list[Word]) -> bool:
    """Whether what stands in a table's row over its whole width is a text of its own: long, or with a table in it."""
    return any(word.rows for word in own) or len({round(word.base) for word in own}) > _FRAMED


def _row_of_cells(cells: list[str], words: list[Word], box: Box, page: int, table: int) -> Line:
    left, bottom, right, top = (round(at, 1) for at in box)
    base = max((word.base for word in words), default=(top + bottom) / 2)
    size, bold = usual_size(words) or top - bottom, bool(words) and all(word.bold for word in words)
    text = " ".join(cells)
    return Line(text, size, base, page, tuple(cells), (left, bottom, right, top), bold=bold, table=table)


def _set(rows: list[Line]) -> Word:
    """A table's rows as one word, that stands where the first does."""
    first = rows[0]
    return Word("", *joined_box(row.box for row in rows), first.y, first.size, first.bold, tuple(rows))


def _words(page: Any) -> tuple[list[Word], int]:
    """The words of a page as PDFium finds them, and by how many quarters it is turned to read them.

    A page is turned so that most of its letters stand upright; what then does not is left out.
    """
    import pypdfium2.raw as pdfium

    textpage = page.get_textpage()
    raw = textpage.raw
    count = min(textpage.count_chars(), _MOST)
    a, b, c, d = (ctypes.c_double() for _ in range(4))
    words: list[list[Word]] = [[], [], [], []]  # by the direction they are set in
    letters: list[str] = []
    box = (0.0, 0.0, 0.0, 0.0)
    style: tuple[float, float, bool] | None = None
    quarters = 0

    def close() -> None:
        nonlocal style
        text = "".join(letters)
        if style is not None and text.strip():
            words[quarters].append(Word(text, *box, *style))
        letters.clear()
        style = None

    for at in range(count):
        code = pdfium.FPDFText_GetUnicode(raw, at)
        char = "-" if code in {2, 0xAD} else chr(code) if 0 < code < 0x110000 and code not in {0xFFFE, 0xFFFF} else ""
        if not char or char.isspace():
            close()
            continue
        pdfium.FPDFText_GetCharBox(raw, at, a, b, c, d)
        place = a.value, c.value, b.value, d.value
        west, south, east, north = turned(place, quarters)
        if style is not None and (west - box[2] > style[1] or west < box[0] - style[1]):
            close()  # a leap that no space was found for
        if style is not None and (char in _DIGITS or letters[-1] in _DIGITS):
            base, size, _ = _style(pdfium, raw, at, quarters)
            if char in _DIGITS and size < SMALL * style[1] and base > style[0] + 0.1 * style[1]:
                char = RAISED[int(char)]
            elif style[1] < SMALL * size:
                close()  # behind the number of a foot note
        if style is None:
            turn = _quarters(pdfium.FPDFText_GetCharAngle(raw, at))
            if turn is None:
                continue
            quarters = turn
            style = _style(pdfium, raw, at, quarters)
            box = west, south, east, north = turned(place, quarters)
        letters.append(char)
        box = min(box[0], west), min(box[1], south), max(box[2], east), max(box[3], north)
    close()
    most = max(range(4), key=lambda turn: sum(len(word.text) for word in words[turn]))
    return words[most], most


def _quarters(angle: float) -> int | None:
    """By how many quarters a page is turned for a letter at an angle to stand upright; None where it stands askew."""
    turns = angle / (math.pi / 2)
    return -round(turns) % 4 if abs(turns - round(turns)) < 0.07 else None


def _style(pdfium: Any, raw: Any, at: int, quarters: int) -> tuple[float, float, bool]:
    """A letter's base line, size in points and whether it is bold."""
    x, y = ctypes.c_double(), ctypes.c_double()
    pdfium.FPDFText_GetCharOrigin(raw, at, x, y)
    base = turned((x.value, y.value, x.value, y.value), quarters)[1]
    matrix = pdfium.FS_MATRIX()
    scale = 1.0
    if pdfium.FPDFText_GetMatrix(raw, at, matrix):
        scale = max(abs(matrix.d), abs(matrix.b)) or 1.0
    name = ctypes.create_string_buffer(128)
    flags = ctypes.c_int()
    pdfium.FPDFText_GetFontInfo(raw, at, name, 128, flags)
    bold = b"bold" in name.value.lower() or pdfium.FPDFText_GetFontWeight(raw, at) >= 600
    return base, round(pdfium.FPDFText_GetFontSize(raw, at) * scale, 1), bold


def _rows(words: list[Word]) -> list[list[Segment]]:
    """The words by their base lines, from the top down, each row in segments across wide gaps."""

    def on_one_line(row: list[Word], word: Word) -> bool:
        return abs(row[0].base - word.base) <= 0.35 * min(word.size, row[0].size)

    def close(segment: Segment, word: Word) -> bool:
        before = segment[-1]
        apart = word.left - before.right > _GUTTER * max(before.size, word.size)
        return not (apart or before.rows or word.rows)

    rows = grouped(sorted(words, key=lambda word: (-word.base, word.left)), on_one_line)
    return [grouped(sorted(row, key=lambda word: word.left), close) for row in rows]


def _columns(rows: list[list[Segment]], depth: int = 0) -> list[list[list[Segment]]]:
    """The rows of each column in the order they are read; rows across all columns stand between."""
    start, end, gutter = _gutter(rows) if depth < 4 else (0, 0, 0.0)
    if start == end:
        return [rows] if rows else []
    run = rows[start:end]
    sides = (
        [[s for s in row if s[-1].right <= gutter] for row in run],
        [[s for s in row if s[0].left >= gutter] for row in run],
    )
    found = _columns(rows[:start], depth + 1)
    for side in sides:
        found.extend(_columns([row for row in side if row], depth + 1))
    return [*found, *_columns(rows[end:], depth + 1)]


def _gutter(rows: list[list[Segment]]) -> tuple[int, int, float]:
    """The longest run of rows that stands in two columns, and where between them; an empty run when none does."""
    margin = min((row[0][0].left for row in rows), default=0.0)
    gaps = Counter(
        round((before[-1].right + after[0].left) / 2 / 3) * 3 for row in rows for before, after in pairwise(row)
    )
    # Lines of two columns need not stand at one height: then where many of them begin tells the gutter.
    gaps.update(round((s[0].left - 4) / 3) * 3 for row in rows for s in row if s[0].left > margin + 50)
    best = (0, 0, 0.0)
    for place, _ in gaps.most_common(_TRIED):
        start = 0
        for end in range(len(rows) + 1):
            if end < len(rows) and not any(s[0].left < place < s[-1].right for s in rows[end]):
                continue
            if end - start > best[1] - best[0] and _is_prose(rows[start:end], place):
                best = (start, end, float(place))
            start = end + 1
    return best


def _is_prose(rows: list[list[Segment]], gutter: float) -> bool:
    """Whether what stands on both sides of a gutter is mostly lines of prose, each in one piece, and no cells.

    The rows of a drawn table are as good as lines of prose: they need not be told from cells.
    """
    for left in (True, False):
        side = [[s for s in row if (s[-1].right <= gutter) == left] for row in rows]
        side = [row for row in side if row]
        tabled = sum(len(row[0][0].rows) for row in side if len(row) == 1)
        side = [row for row in side if len(row) > 1 or not row[0][0].rows]
        whole = [row[0] for row in side if len(row) == 1]
        if len(whole) + tabled < 3 or len(whole) < len(side) / 2:
            return False
        if not whole:
            continue
        width = max(s[-1].right for s in whole) - min(s[0].left for s in whole)
        letters = statistics.mean(sum(len(word.text) + 1 for word in s) for s in whole)
        filled = statistics.median((s[-1].right - s[0].left) / max(width, 1.0) for s in whole)
        if letters < _PROSE or filled < _FILLED:
            return False
    return True


def _lines(row: list[Segment], page: int) -> Iterator[Line]:
    """A row as a line, or as what stands before, in and after the drawn tables in it."""
    for drawn, part in groupby(row, key=lambda segment: segment[0].rows):
        if drawn:
            yield from drawn
        else:
            yield _line(list(part), page)


def _line(row: list[Segment], page: int) -> Line:
    words = [word for segment in row for word in segment]
    size = usual_size(words)
    cells: list[str] = []
    for number, segment in enumerate(row):
        text = " ".join(word.text for word in segment)
        if number and segment[0].left - row[number - 1][-1].right <= _CELL_GAP * size:
            cells[-1] += " " + text
        else:
            cells.append(text)
    left, bottom, right, top = joined_box(word[1:5] for word in words)
    box = round(left, 1), round(bottom, 1), round(right, 1), round(top, 1)
    bold = all(word.bold for word in words)
    return Line(" ".join(cells), size, words[0].base, page, tuple(cells), box, bold=bold)


def usual_size(parts: Iterable[Word | Line]) -> float:
    """The size most letters are set in, in points; 0 where there are none."""
    sizes: Counter[float] = Counter()
    for part in parts:
        sizes[part.size] += len(part.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def without_furniture(pages: list[list[Line]]) -> list[Line]:
    """All lines but page numbers, tables of contents, and the heads and feet that run from page to page."""
    body = usual_size(line for page in pages for line in page)
    edges = [_edge(page, body) for page in pages]
    shapes = Counter(shape for edge in edges for shape in {shape for line in edge for shape in _shapes(line)})
    # A head that names its section changes, but the page's number beside it keeps its distance from the count of pages.
    counted = Counter(start for edge in edges for start in {start for line in edge for start in _starts(line)})
    often = 2 if len(pages) == 2 else 3
    kept: list[Line] = []
    for page, edge in zip(pages, edges, strict=True):
        furniture = {
            id(line)
            for line in edge
            if _PAGE_NUMBER.fullmatch(line.text)
            or (len(pages) > 1 and all(shapes[shape] >= often for shape in _shapes(line)))
            or any(counted[start] >= max(3, len(pages) / 3) for start in _starts(line))
        }
        dotted = [bool(_CONTENTS.search(line.text)) for line in page]
        chapters = [sum(dotted) >= _LISTED and below for below in [*dotted, False][1:]]
        for line, of_contents, may_be in zip(page, dotted, chapters, strict=True):
            if not (id(line) in furniture or of_contents or (may_be and line.text[-1].isdigit())):
                kept.append(line)
    return kept


def _starts(line: Line) -> set[int]:
    """On which page page 1 would be, by each number that a line begins or ends with."""
    words = line.text.split()
    return {line.page - int(word) for word in (words[0], words[-1]) if word.isdecimal() and len(word) <= 4}


def _edge(page: list[Line], body: float) -> list[Line]:
    """The lines at a page's greatest height and at its two least, if they can be running heads or feet.

    What stands left and right at one height are two lines where the page has two columns.
    """
    heights = sorted({round(line.y) for line in page}, reverse=True)
    ends = {*heights[:1], *heights[1:][-2:]}
    return [line for line in page if round(line.y) in ends and line.margin and line.size <= body]


def _shapes(line: Line) -> set[str]:
    """What of a line comes again on other pages: each of its parts, any number for its numbers."""
    return {re.sub(r"\d+", "#", cell) for cell in line.cells}


def joined_box(boxes: Iterable[Box]) -> Box:
    """The smallest box around several."""
    left, bottom, right, top = zip(*boxes, strict=True)
    return min(left), min(bottom), max(right), max(top)
