"""Reads AsciiDoc by writing it as Markdown, for which there is a reader; no kept library reads AsciiDoc.

What is known of it: the AsciiDoc syntax reference of docs.asciidoctor.org, as far as documentation uses it. The hard
thing is what belongs to an item of a list: its words stand in one line, what is attached to it indented under it.
"""

from __future__ import annotations

import re
from itertools import count
from textwrap import dedent
from typing import TYPE_CHECKING

from footnoted.retrieval.load.document import Document, fence_for
from footnoted.retrieval.load.markdown import read_markdown
from footnoted.text.lines import fence

if TYPE_CHECKING:
    from collections.abc import Iterator

_DEFINED = re.compile(r"(?P<term>\S.*?)(?P<mark>::+|;;)(?:[ \t]+(?P<words>\S.*))?$")
# Anchors, terms of an index, macros such as ``link:guide.adoc[the guide]``, cross references, bold, and words that are
# passed through as they are.
_INLINE = re.compile(
    r"""\[\[[^\]]*\]\]|\[\#[^\]]*\](?=[^\#])|\(\(\([^()]*\)\)\)
    |(?<![\w:`])(?P<macro>[a-z]{2,}):(?P<target>[^\s\[\]<>`]*+)\[(?P<label>[^\]]*)\]
    |<<(?P<place>[^<>,]+)(?:,\s*(?P<named>[^<>]+))?>>
    |(?<![\w*])\*(?=\S)(?P<bold>[^*\n]+?)(?<=\S)\*(?![\w*])
    |\+\+\+?(?P<passed>[^+\n]*)\+\+\+?
    |(?<=`)\+(?P<literal>[^`\n]*)\+(?=`)""",
    re.VERBOSE,
)
_ATTRIBUTE = re.compile(r"\\?\{([\w-]+)\}")
_CHARACTERS = {  # those that every document may name
    "empty": "", "blank": "", "sp": " ", "nbsp": " ", "zwsp": "", "wj": "", "apos": "'", "quot": '"', "lsquo": "‘",
    "rsquo": "’", "ldquo": "“", "rdquo": "”", "deg": "°", "plus": "+", "brvbar": "¦", "vbar": "|", "amp": "&",
    "lt": "<", "gt": ">", "startsb": "[", "endsb": "]", "caret": "^", "asterisk": "*", "tilde": "~",
    "backslash": "\\", "backtick": "`", "two-colons": "::", "two-semicolons": ";;", "cpp": "C++", "pp": "++",
}  # fmt: skip
_ADMONITIONS = ("NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION")
_LINKS = ("link", "http", "https", "ftp", "mailto")
_SHOWN_NOTHING = ("image", "icon", "anchor")
_BLOCK_MACROS = frozenset("include image video audio toc ifdef ifndef ifeval endif xref icon".split())
_FENCES = {"-": True, ".": True, "`": True, "+": False, "/": False}  # listings; what is passed through, and remarks
_LITERAL = frozenset(("source", "listing", "literal"))  # what makes a paragraph a listing
_UNDERLINES, _UNEVEN = "=-~^+", 1  # what a title is underlined with, outermost first; by how much it may be longer
_CALLOUT = re.compile(r"[ \t]*(?:#|//|--|;;)?[ \t]*(?:<!--)?<\d+>(?:-->)?[ \t]*$")
_CELL = re.compile(r"(?<!\\)(?:(?<!\S)(?:(\d+)?(?:\.\d+)?[+*])?[<^>]?(?:\.[<^>])?[adehlmsv]?)?\|")
_MOST_ATTRIBUTES = 500
_PAD = "   "


def read_asciidoc(path: str, text: str) -> Document:
    """The document of an AsciiDoc file."""
    return read_markdown(path, _Reader(text.split("\n")).markdown(), kind="asciidoc", tags=False)


class _Reader:
    def __init__(self, lines: list[str]) -> None:
        self._lines = [line.rstrip() for line in lines]
        self._at = 0
        self._out: list[str] = []
        self._known = dict(_CHARACTERS)
        self._style, self._language, self._columns = "", "", 0  # of the next block
        self._lists: dict[str, Iterator[int]] = {}  # the marks of the lists that are open, outermost first
        self._frames: list[tuple[str, int, dict[str, Iterator[int]]]] = []  # those open, and the lists around each
        self._depth = 0  # of the frame we are in
        self._apart = False  # an empty line stood before: what is not attached ends the list
        self._goes_on = False  # the line written last is the words of an item

    def markdown(self) -> str:
        while self._at < len(self._lines):
            self._line(self._next())
        return "\n".join(self._out)

    def _next(self) -> str:
        self._at += 1
        return self._lines[self._at - 1]

    def _ahead(self) -> str:
        return self._lines[self._at] if self._at < len(self._lines) else ""

    def _line(self, line: str) -> None:
        level = len(line) - len(line.lstrip("="))
        name, entry, value = line[1:].partition(":")
        if not line:
            self._apart = True
        elif line.strip() == "+":
            if self._apart and len(self._lists) > 1:
                self._lists.popitem()
            self._apart = False
        elif _is_remark(line) or _says_nothing(line):
            return
        elif line.startswith(":") and entry and name.strip("!").replace("-", "_").isidentifier():
            if len(self._known) < _MOST_ATTRIBUTES:
                self._known[name.strip("!")] = self._known_words(value.strip())[:500]
        elif 1 <= level <= 6 and line[level : level + 1].isspace():
            self._title(level, line[level:].strip())
        elif _is_underlined(line, self._ahead()):
            self._title(1 + _UNDERLINES.index(self._next()[0]), line)
        elif _is_delimiter(line):
            self._delimited(line)
        elif _is_attributes(line):
            self._attributes(line)
        elif _is_block_title(line):
            self._put(f"**{self._inline(line[1:])}**")
        elif not self._item(line):
            self._paragraph(line)

    def _title(self, level: int, words: str) -> None:
        first = not self._out
        self._lists.clear()
        self._out += ["", "#" * level + " " + self._inline(words), ""]
        while level == 1 and first and self._ahead()[:1] not in ("", ":", "/"):
            self._next()  # authors and revision stand right under the title

    def _attributes(self, line: str) -> None:
        """A line in brackets says of what kind the next block is, and of a table how many columns it has."""
        listed, _, columns = line[1:-1].partition("cols=")
        parts = [part.strip() for part in listed.split(",")]
        kind = parts[0].replace("%", ".").replace("#", ".").partition(".")[0]
        named = kind in ("source", "") and len(parts) > 1 and "=" not in parts[1]
        self._style, self._language = kind or "source" * named, parts[1] if named else ""
        spec = columns.partition('"')[2].partition('"')[0] if columns.startswith('"') else columns.partition(",")[0]
        for column in filter(None, spec.replace(";", ",").split(",")):
            times = column.strip().partition("*")
            self._columns += int(times[0]) if times[1] and times[0].isdecimal() else 1

    def _put(self, *lines: str) -> None:
        """Write a block: under the item it is attached to, or by itself; an empty line before it ends a list."""
        if self._apart:
            self._lists.clear()
        pad = _PAD * (self._depth + len(self._lists))
        self._out += [*([] if pad else [""]), *(pad + line if line else line for line in lines), *([] if pad else [""])]
        self._apart = self._goes_on = False

    def _words(self, line: str) -> str:
        """The words of the paragraph that begins with this line."""
        lines = [line]
        while self._at < len(self._lines) and not self._begins(self._ahead()):
            following = self._next()
            if not (_is_remark(following) or _says_nothing(following)):
                lines.append(following)
        return self._inline("\n".join(line.removesuffix(" +") for line in lines))

    def _begins(self, line: str) -> bool:
        """Whether a line ends the paragraph above it."""
        return (
            line.strip() in ("", "+")
            or _is_delimiter(line)
            or _is_attributes(line)
            or bool(self._lists and (_item_of(line) or _DEFINED.match(line.strip())))
        )

    def _paragraph(self, line: str) -> None:
        if self._style in _LITERAL or (line[0] in " \t" and line.strip()):
            lines = [line]
            while not self._begins(self._ahead()):
                lines.append(self._next())
            self._apart = self._apart and not line[0].isspace()
            self._listing(dedent("\n".join(lines)).split("\n"))
            return
        label, colon, rest = line.partition(": ")
        words = self._words(rest.lstrip() if colon and label in _ADMONITIONS else line)
        self._style = self._language = ""
        if not words.strip():
            return
        inside = self._depth + len(self._lists) and not (self._apart and self._lists)
        if inside and self._goes_on:
            self._out[-1] += " " + " ".join(words.split())
        else:
            self._put(*([" ".join(words.split())] if inside else words.split("\n")))
        self._apart, self._goes_on = False, bool(inside)

    def _item(self, line: str) -> bool:
        """An item of a list, or a term and what is said of it; whether the line is one."""
        line = line.strip()
        if item := _item_of(line):
            mark, words = item
            at = self._enter(mark)
            number = f"{next(self._lists[mark])}." if mark[0] in ".<1" else "-"
            self._write_item(at, f"{number} {self._words(words)}")
        elif defined := _DEFINED.match(line):
            at, mark, terms = self._enter(defined["mark"]), defined["mark"], [defined["term"]]
            words = defined["words"] or ""
            while not words and self._at < len(self._lines):
                above = self._at
                while not self._ahead() and self._at < len(self._lines):
                    self._at += 1
                found = _DEFINED.match(self._ahead().strip())
                if found and found["mark"] == mark and self._at == above:
                    self._at += 1
                    terms.append(found["term"])
                    words = found["words"] or ""
                    continue
                title = _is_underlined(self._ahead(), "".join(self._lines[self._at + 1 : self._at + 2]))
                if found or title or self._begins(self._ahead()) or self._ahead().startswith(("=", "//")):
                    self._at = above
                else:
                    words = self._next()
                break
            said = " " + self._words(words) if words else ""
            self._write_item(at, f"- {self._inline(', '.join(terms))}:{said}")
        else:
            return False
        return True

    def _enter(self, mark: str) -> int:
        """Go on with the list of this mark, or open it in the item we are in; how deep it is."""
        if not self._lists and not self._depth:
            self._out.append("")
        if mark not in self._lists:
            self._lists[mark] = count(1)
        while next(reversed(self._lists)) != mark:
            self._lists.popitem()
        return self._depth + len(self._lists) - 1

    def _write_item(self, depth: int, words: str) -> None:
        self._out.append(_PAD * depth + " ".join(words.split()))
        self._apart, self._goes_on = False, True

    def _delimited(self, delimiter: str) -> None:
        """A delimited block: a table, a listing, words left out, or words in a frame, whose lines are read as any."""
        if delimiter.startswith(("|===", ",===")):
            self._table(delimiter)
            return
        if delimiter == "--" or delimiter[0] not in _FENCES:
            self._frame(delimiter)
            return
        closer = fence(delimiter) or delimiter
        end = self._lines.index(closer, self._at) if closer in self._lines[self._at :] else len(self._lines)
        inside = self._lines[self._at : end]
        self._at = end + 1
        if _FENCES[delimiter[0]]:
            self._language = delimiter.strip("`") if delimiter[0] == "`" else self._language
            self._listing([_CALLOUT.sub("", line) for line in inside])
        self._style = self._language = ""

    def _frame(self, delimiter: str) -> None:
        """Words in a frame: what closes is the frame that was opened last."""
        if self._frames and self._frames[-1][0] == delimiter:
            _, self._depth, self._lists = self._frames.pop()
            self._apart = False
            return
        if self._apart:
            self._lists.clear()
        self._frames.append((delimiter, self._depth, self._lists))
        self._depth, self._lists = self._depth + len(self._lists), {}
        self._style = self._language = ""

    def _listing(self, lines: list[str]) -> None:
        run = fence_for("\n".join(lines))
        self._put(run + self._language, *lines, run)
        self._style = self._language = ""

    def _table(self, opener: str) -> None:
        """A table, one row a line or one cell a line; the first row is its head."""
        cells: list[str] = []
        width, self._columns = self._columns, 0
        while self._at < len(self._lines) and (line := self._next()) != opener:
            if not line.strip():
                continue
            if opener[0] == ",":
                found = ["", *(part for cell in line.split(",") for part in (None, cell))]
            else:
                found = _CELL.split(line)
            bare = [cell.strip().replace("\\|", "|") for cell in found[::2] if cell is not None]
            told = [" ".join(self._inline(cell).split()).replace("|", "\\|") for cell in bare]
            if told[0] and cells:
                cells[-1] += " " + told[0]  # a cell goes on
            for times, cell in zip(found[1::2], told[1:], strict=True):
                cells.extend([cell] * min(int(times or 1), 50))
            width = width or len(cells)
        rows = [cells[start : start + width] for start in range(0, len(cells), max(width, 1))]
        if rows:
            lines = ["| " + " | ".join(row) + " |" for row in rows]
            self._put(lines[0], "|" + " --- |" * width, *lines[1:])

    def _inline(self, words: str) -> str:
        return _INLINE.sub(_as_markdown, self._known_words(words)[:100_000])

    def _known_words(self, words: str) -> str:
        """The words with what stands for ``{names}`` in them; after a backslash they are words themselves."""
        return _ATTRIBUTE.sub(
            lambda name: name[0][1:] if name[0][0] == "\\" else self._known.get(name[1], name[0]), words
        )


def _item_of(line: str) -> tuple[str, str] | None:
    """The mark of a list and the words of its item: ``** b``, ``. b``, ``1. b``; of a listing's remarks ``<1> b``."""
    mark, _, words = line.strip().partition(" ")
    if not mark or not words.strip():
        return None
    bare = mark.strip("<>.")
    if (mark[0] == "<" and mark[-1] == ">" and bare.isdecimal()) or mark in ("<.>", f"{bare}."):
        if bare and not bare.isdecimal():
            return None
        return ("<>" if mark[0] == "<" else "1." if bare else "."), words.strip()
    return (mark, words.strip()) if mark == "-" or (mark[0] in "*." and not mark.strip(mark[0])) else None


def _is_remark(line: str) -> bool:
    return line.startswith("//") and not line.startswith("///")


def _is_underlined(line: str, below: str) -> bool:
    """Whether the line below makes this one a title, as AsciiDoc has always had them."""
    ruled = len(below) > 1 and below[0] in _UNDERLINES and not below.strip(below[0])
    other = line[:1].isspace() or _is_block_title(line) or _is_attributes(line) or _item_of(line)
    return ruled and not other and any(map(str.isalnum, line)) and abs(len(line) - len(below)) <= _UNEVEN


def _is_delimiter(line: str) -> bool:
    if line.startswith(("|===", ",===", "```")):
        return True
    return line == "--" or (len(line) > 3 and line[0] in "-.=*_+/" and not line.strip(line[0]))


def _is_attributes(line: str) -> bool:
    return line.startswith("[") and (line.find("]") == len(line) - 1 or (line[1:2] == "[" and line[-2:] == "]]"))


def _is_block_title(line: str) -> bool:
    return line.startswith(".") and line[1:2].strip() not in ("", ".")


def _says_nothing(line: str) -> bool:
    """Whether a line includes or shows another file, is a condition, a rule or a page break."""
    name, macro, rest = line.partition("::")
    return (bool(macro) and name in _BLOCK_MACROS and rest.endswith("]")) or (
        len(line) > 2 and line[0] in "'<" and not line.strip(line[0])
    )


def _as_markdown(found: re.Match[str]) -> str:
    """What Markdown has for a mark inside a line."""
    if found["place"]:
        return _INLINE.sub(_as_markdown, found["named"] or found["place"])
    if found["bold"]:
        return f"**{_INLINE.sub(_as_markdown, found['bold'])}**"
    macro, target, label = found["macro"], found["target"] or "", _INLINE.sub(_as_markdown, found["label"] or "")
    if macro is None or macro in _SHOWN_NOTHING:
        return found["passed"] or found["literal"] or ""
    if macro == "footnote":
        return f" ({label})"
    if macro == "menu":
        return " > ".join(filter(None, (target, label)))
    if macro in _LINKS:
        to = target if macro == "link" else f"{macro}:{target}"
        return f"[{label.partition(',')[0] or to}]({to})"
    named = macro in ("xref", "pass") or not target or any(map(str.isalpha, label))
    return label or target if named else f"{target}({label})" if label else target  # of a page of a manual, its section
