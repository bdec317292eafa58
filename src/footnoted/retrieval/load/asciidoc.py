"""An AsciiDoc file, written as Markdown and read as such: there is one reader of Markdown, and no kept one of AsciiDoc.

What is known of it: the AsciiDoc syntax reference of docs.asciidoctor.org, as far as documentation uses it.
"""

from __future__ import annotations

import re

from footnoted.retrieval.load.document import Document, fence_for
from footnoted.retrieval.load.markdown import read_markdown

_HEADING = re.compile(r"(={1,6})[ \t]+(\S.*)")
_ENTRY = re.compile(r":(!?[\w-]+!?):[ \t]*(.*)")
_DELIMITED = re.compile(r"(-{4,}|\.{4,}|={4,}|\*{4,}|_{4,}|\+{4,}|/{4,}|--)[ \t]*$")
_ADMONITION = re.compile(r"\A\s*(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION):[ \t]+")
_MACRO = re.compile(
    r"(?:include|image|video|audio|toc|ifdef|ifndef|ifeval|endif|xref|icon)::\S*\[.*\][ \t]*$|'{3,}$|<{3,}$"
)
_BULLET = re.compile(r"(?P<marks>\*{1,6}|-|\.{1,6})[ \t]+(?P<words>\S.*)")
_DEFINED = re.compile(r"(?P<term>\S.*?)(?:::+|;;)(?:[ \t]+(?P<words>\S.*))?$")
_INLINE = (
    (
        re.compile(
            r"\[\[[^\]]*\]\]|\[#[^\]]*\](?=[^#])|\(\(\([^()]*\)\)\)|(?:image|icon|kbd|anchor):[^\s\[:]*\[[^\]]*\]"
        ),
        "",
    ),
    (re.compile(r"(?:link:|(?=https?://))([^\s\[\]<>]+)\[([^\],]*)[^\]]*\]"), r"[\2](\1)"),
    (re.compile(r"xref:([^\s\[]+)\[([^\]]*)\]"), r"\2"),
    (re.compile(r"<<[^<>,]+,[ \t]*([^<>]+)>>"), r"\1"),
    (re.compile(r"<<([^<>,]+)>>"), r"\1"),
    (re.compile(r"footnote:[^\[]*\[([^\]]*)\]"), r" (\1)"),
    (re.compile(r"(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])"), r"**\1**"),
    (re.compile(r"\+\+\+?([^+\n]*)\+\+\+?"), r"\1"),
    (re.compile(r"`\+([^`\n]*)\+`"), r"`\1`"),
)
_FENCES = {"-": True, ".": True, "+": False, "/": False}  # listings are kept, passed-through and remarks are not
_CALLOUT = re.compile(r"[ \t]*(?:#|//|--|;;)?[ \t]*(?:<!--)?<\d+>(?:-->)?[ \t]*$")
_MOST_ATTRIBUTES = 500


def read_asciidoc(path: str, text: str) -> Document:
    """The document of an AsciiDoc file."""
    return read_markdown(path, _Reader(text.split("\n")).markdown(), kind="asciidoc")


class _Reader:
    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._at = 0
        self._out: list[str] = []
        self._known: dict[str, str] = {}
        self._language = ""

    def markdown(self) -> str:
        while self._at < len(self._lines):
            line = self._lines[self._at].rstrip()
            self._at += 1
            self._line(line)
        return "\n".join(self._out)

    def _line(self, line: str) -> None:
        if line.startswith("//") and not line.startswith("///"):
            return
        if entry := _ENTRY.match(line):
            if len(self._known) < _MOST_ATTRIBUTES:
                self._known[entry[1].strip("!")] = entry[2][:500]
        elif heading := _HEADING.match(line):
            self._out += ["", "#" * len(heading[1]) + " " + self._inline(heading[2]), ""]
            if len(heading[1]) == 1 and len(self._out) == 3:  # authors and revision stand right under the title
                while self._at < len(self._lines) and self._lines[self._at][:1].strip() not in ("", ":", "/"):
                    self._at += 1
        elif line.startswith(("|===", ",===")):
            self._table(line)
        elif delimited := _DELIMITED.match(line):
            self._delimited(delimited[1])
        elif line.startswith("[") and line.find("]") == len(line) - 1:
            parts = [part.strip() for part in line[1:-1].split(",")]
            self._language = parts[1] if parts[0] in {"source", ""} and len(parts) > 1 and "=" not in parts[1] else ""
        elif _MACRO.match(line):
            return
        elif line.strip() == "+":
            self._out.append("")
        elif line.startswith(".") and line[1:2].strip() not in ("", ".") and not self._in_paragraph():
            self._out += ["", f"**{self._inline(line[1:])}**", ""]
        else:
            self._words(line)

    def _in_paragraph(self) -> bool:
        return bool(self._out and self._out[-1].strip())

    def _words(self, line: str) -> None:
        said = _ADMONITION.sub("", line.lstrip() if line.lstrip()[:1] in "*-." else line, count=1)
        if bullet := _BULLET.match(said):
            marks = bullet["marks"]
            depth = len(marks) - 1
            mark = "1." if marks[0] == "." else "-"
            self._out.append("   " * depth + f"{mark} {self._inline(bullet['words'])}")
        elif defined := _DEFINED.match(said):
            words = f": {self._inline(defined['words'])}" if defined["words"] else ":"
            self._out.append(f"- {self._inline(defined['term'])}{words}")
        elif said.startswith(" ") and said.strip() and not self._in_paragraph():
            self._out += ["", "    " + said]
        else:
            self._out.append(self._inline(said.removesuffix(" +")))

    def _delimited(self, delimiter: str) -> None:
        """A delimited block: a listing, words left out, or words in a frame, whose lines are read as any."""
        if delimiter == "--" or delimiter[0] not in _FENCES:
            self._out.append("")
            return
        try:
            end = self._lines.index(delimiter, self._at)
        except ValueError:
            end = len(self._lines)
        inside = self._lines[self._at : end]
        self._at = end + 1
        if _FENCES[delimiter[0]]:
            fence = fence_for("\n".join(inside))
            self._out += ["", fence + self._language, *(_CALLOUT.sub("", line) for line in inside), fence, ""]
        self._language = ""

    def _table(self, opener: str) -> None:
        """A table, one row a line or one cell a line; the first row is its head."""
        cells: list[str] = []
        width = 0
        while self._at < len(self._lines):
            line = self._lines[self._at].rstrip()
            self._at += 1
            if line == opener:
                break
            if not line.strip():
                continue
            found = [self._inline(cell.strip()) for cell in re.split(r"(?<!\\)\d*[.+]?[<^>]?[aehlmsv]?\|", line)]
            if found[0] and cells:
                cells[-1] += " " + found[0]  # a cell goes on
            width = width or len(found) - 1
            cells.extend(found[1:])
        rows = [cells[start : start + width] for start in range(0, len(cells), max(width, 1))]
        if rows:
            lines = ["| " + " | ".join(row) + " |" for row in rows]
            self._out += ["", lines[0], "|" + " --- |" * width, *lines[1:], ""]

    def _inline(self, words: str) -> str:
        for _ in range(2):  # an attribute may hold another
            words = re.sub(r"\{([\w-]+)\}", lambda name: self._known.get(name[1], name[0]), words)[:100_000]
        for pattern, new in _INLINE:
            words = pattern.sub(new, words)
        return words
