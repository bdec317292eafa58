"""What every format becomes: one text, cut into sections by its headings, and each section into blocks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Literal, TypeVar

T = TypeVar("T")
BlockKind = Literal["text", "list", "table", "code"]


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, list, table or listing: code points ``[start, end)`` of the document's text.

    ``parts`` are its list items or table rows, where it may be cut when it is too long; ``lead`` is the table's head
    or the listing's first line, which each later piece repeats. ``page`` counts from 1 where the format has pages,
    ``line`` from 1 in the file, where it has lines. ``said`` is the kind of admonition it stands in (``"tip"``,
    ``"warning"``, ``"quote"``), if any.
    """

    start: int
    end: int
    kind: BlockKind = "text"
    parts: tuple[tuple[int, int], ...] = ()
    lead: tuple[int, int] | None = None
    page: int | None = None
    said: str = ""
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Mark:
    """Where code points ``[start, end)`` of the text stand in the file itself.

    ``box`` is a rectangle on ``page`` (from 1): left, bottom, right, top in points (1/72 inch) from the page's lower
    left corner, as PDF counts. ``cell`` is a cell of ``sheet``, such as ``B7``.
    """

    start: int
    end: int
    page: int | None = None
    box: tuple[float, float, float, float] | None = None
    sheet: str = ""
    cell: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """What stands under one heading, up to the next. ``headings`` lead to it, outermost first."""

    headings: tuple[str, ...]
    start: int
    end: int
    blocks: tuple[Block, ...] = ()


@dataclass(frozen=True, slots=True)
class Document:
    """A file as text. ``path`` is its name relative to the folder asked for; offsets are code points.

    For plain text, ``text`` is the file's own, byte order mark and line ends aside; for Markdown too, less what only
    a site's builder reads.
    """

    path: str
    title: str
    text: str
    sections: tuple[Section, ...]
    format: str = "text"
    metadata: dict[str, str] = field(default_factory=dict)
    marks: tuple[Mark, ...] = ()
    unread: str = ""  # what of the file was not read, and why


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of a level (1 outermost) and the span of its line or lines."""

    level: int
    title: str
    start: int
    end: int
    page: int | None = None


class Draft:
    """A document in the making, for formats whose text we write out ourselves (HTML, DOCX, PDF)."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._length = 0
        self.headings: list[Heading] = []
        self.blocks: list[Block] = []
        self.marks: list[Mark] = []

    @property
    def text(self) -> str:
        """All that was written so far."""
        return "".join(self._pieces)

    def __len__(self) -> int:
        return self._length

    def heading(self, level: int, title: str, *, page: int | None = None) -> int:
        """Open a section; where its title begins."""
        title = " ".join(title.split())
        start = self._length
        if title:
            start = self._write("#" * level + " " + title)
            self.headings.append(Heading(level, title, start, self._length, page))
        return start + level + 1

    def paragraph(self, text: str, *, kind: BlockKind = "text", page: int | None = None) -> int:
        """Add a block that stands as given; where it begins."""
        text = text.strip("\n") if kind == "code" else text.strip()
        start = self._length
        if text.strip():
            start = self._write(text)
            self.blocks.append(Block(start, self._length, kind, page=page))
        return start

    def code(self, text: str, language: str = "") -> None:
        """Add a listing between fences that nothing in it closes."""
        text = text.strip("\n")
        if text.strip():
            fence = fence_for(text)
            start = self._write(f"{fence}{language}\n{text}\n{fence}")
            self.blocks.append(Block(start, self._length, "code", lead=(start, start + len(fence) + len(language))))

    def items(self, items: list[str], *, page: int | None = None) -> list[tuple[int, int]]:
        """Add a list of ready lines (``- first``), where an item may run over several; the span of each."""
        return self._lines([item for item in items if item.strip()], "list", page, head=0)

    def table(self, rows: list[list[str]], *, caption: str = "", page: int | None = None) -> list[tuple[int, int]]:
        """Add a table as ``| a | b |`` lines; the span of each row. The first row is its head, under the caption."""
        rows = [[" ".join(cell.split()).replace("|", "\\|") for cell in row] for row in rows]
        rows = [row for row in rows if any(row)]
        if not rows:
            return []
        width = max(map(len, rows))
        lines = ["| " + " | ".join(row + [""] * (width - len(row))) + " |" for row in rows]
        if len(lines) > 1:
            lines.insert(1, "|" + " --- |" * width)
        caption = " ".join(caption.split())
        first = 2 if caption else 0
        lines[:0] = [caption, ""][:first]
        spans = self._lines(lines, "table", page, head=first + (2 if len(rows) > 1 else 0))[first:]
        return [*spans[:1], *spans[2:]]  # without the dashes under the head

    def document(self, path: str, *, title: str = "", kind: str, metadata: dict[str, str] | None = None) -> Document:
        """The finished document."""
        made = assemble(path, self.text, self.headings, self.blocks, title, kind, metadata or {})
        return replace(made, marks=tuple(self.marks))

    def _write(self, text: str) -> int:
        if self._pieces:
            self._pieces.append("\n\n")
            self._length += 2
        start = self._length
        self._pieces.append(text)
        self._length += len(text)
        return start

    def _lines(self, lines: list[str], kind: BlockKind, page: int | None, *, head: int) -> list[tuple[int, int]]:
        if not lines:
            return []
        at = start = self._write("\n".join(lines))
        spans: list[tuple[int, int]] = []
        for line in lines:
            spans.append((at, at + len(line)))
            at += len(line) + 1
        lead = (start, spans[head - 1][1]) if head else None
        self.blocks.append(Block(start, self._length, kind, tuple(spans[head:]), lead, page))
        return spans


def as_item(mark: str, held: Draft) -> str:
    """What a draft holds as one item of a list: its words in a line; listings, tables and lists under them."""
    text, lines, goes_on = held.text, [mark], True
    for block in held.blocks:
        words = text[block.start : block.end]
        if block.kind == "text":
            words = " ".join(words.split())
            lines[-1:] = [f"{lines[-1]} {words}"] if goes_on else [lines[-1], f"  {words}"]
        else:
            lines += [f"  {line}".rstrip() for line in words.split("\n")]
        goes_on = block.kind == "text"
    return "\n".join(lines)


def assemble(
    path: str,
    text: str,
    headings: list[Heading],
    blocks: list[Block],
    title: str,
    kind: str,
    metadata: dict[str, str],
) -> Document:
    """Headings and blocks, in order of place, become sections; the one top heading becomes the title."""
    top = _only_top(headings, blocks)
    skip = top if top is not None and (not title or letters_of(title) == letters_of(top.title)) else None
    title = skip.title if skip is not None else title or name_of(path)
    sections: list[Section] = []
    trail: list[Heading] = []
    at = 0
    for heading, following in pairwise((None, *headings, None)):
        begin, end = heading.end if heading else 0, following.start if following else len(text)
        if heading:
            trail = [*(above for above in trail if above.level < heading.level), heading]
        inside: list[Block] = []
        while at < len(blocks) and blocks[at].start < end:
            inside.append(blocks[at])
            at += 1
        named = trail[1:] if trail and letters_of(trail[0].title) == letters_of(title) else trail
        names = tuple(above.title for above in named if above is not skip)
        if inside:
            sections.append(Section(names, begin, end, tuple(inside)))
        elif heading and heading is not skip and not (following and following.level > heading.level):
            _append_bare(sections, names[:-1], heading)
    return Document(path, title, text, tuple(sections), kind, metadata)


def _append_bare(sections: list[Section], names: tuple[str, ...], heading: Heading) -> None:
    """A heading with nothing under it says what it has to say itself: it becomes text of the section above."""
    block = Block(heading.start, heading.end, page=heading.page)
    if sections and sections[-1].headings == names:
        last = sections.pop()
        sections.append(Section(names, last.start, heading.end, (*last.blocks, block)))
    else:
        sections.append(Section(names, heading.start, heading.end, (block,)))


def name_of(path: str) -> str:
    """A readable title out of a file's name.

    >>> name_of("car/third-party_only.md")
    'Third party only'
    """
    name = path.rsplit("/", 1)[-1]
    name = name.rsplit(".", 1)[0] if "." in name[1:] else name
    name = " ".join(name.replace("_", " ").replace("-", " ").split())
    return name[:1].upper() + name[1:] if name else path


def grouped(items: Iterable[T], goes_on: Callable[[list[T], T], bool]) -> list[list[T]]:
    """Items in groups: each goes on with the group before it, or begins the next.

    >>> grouped([1, 2, 5, 6], lambda group, number: number == group[-1] + 1)
    [[1, 2], [5, 6]]
    """
    groups: list[list[T]] = []
    for item in items:
        if groups and goes_on(groups[-1], item):
            groups[-1].append(item)
        else:
            groups.append([item])
    return groups


def under_one_head(rows: list[list[str]]) -> list[list[str]]:
    """A table's rows under one line that names the columns.

    A head of two lines, the upper of which has one cell over several columns, calls them by both.

    >>> under_one_head([["", "Staff", "Staff"], ["Item", "S1", "S2"], ["Ward", "£5", "£9"]])
    [['Item', 'Staff – S1', 'Staff – S2'], ['Ward', '£5', '£9']]
    """
    if len(rows) < 2 or not _parts(rows[0], rows[1]):
        return rows
    pairs = zip(rows[0], rows[1], strict=True)
    return [[over if over == cell else " – ".join(filter(None, (over, cell))) for over, cell in pairs], *rows[2:]]


def _parts(head: list[str], below: list[str]) -> bool:
    """Whether the line below a head parts columns that the head calls by one name, and is itself no row of figures."""
    if len(head) != len(below) or (head[0] and below[0] not in ("", head[0])):
        return False
    if any(sum(map(str.isdigit, cell)) > sum(map(str.isalpha, cell)) for cell in below[1:]):
        return False
    return len(set(head)) < len(head) == len(set(zip(head, below, strict=True)))


def folded_name(name: str) -> str:
    """A name for comparing: without case, single spaces."""
    return " ".join(name.casefold().split())


def letters_of(text: str) -> str:
    """What of a title tells whether another is the same: its letters and digits, without case."""
    return "".join(filter(str.isalnum, text.casefold()))


def fence_for(listing: str) -> str:
    """The backticks to put around a listing: more than any in it."""
    return "`" * max(3, 1 + max(map(len, re.findall("`+", listing)), default=0))


def _only_top(headings: list[Heading], blocks: list[Block]) -> Heading | None:
    """The heading that names the whole document: above all others, and before any text unless of level 1."""
    if not headings:
        return None
    first = headings[0]
    alone = all(other.level > first.level for other in headings[1:])
    opens = first.level == 1 or not blocks or first.start <= blocks[0].start
    return first if alone and opens else None
