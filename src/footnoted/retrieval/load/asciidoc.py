"""Reads AsciiDoc by writing it as Markdown, for which there is a reader; no kept library reads AsciiDoc.

What is known of it: the AsciiDoc syntax reference of docs.asciidoctor.org, as far as documentation uses it.
"""

from __future__ import annotations

import re

from footnoted.retrieval.load.document import Document, fence_for
from footnoted.retrieval.load.markdown import read_markdown

_DEFINED = re.compile(r"(?P<term>\S.*?)(?:::+|;;)(?:[ \t]+(?P<words>\S.*))?$")
# Anchors, terms of an index, macros such as ``link:guide.adoc[the guide]``, cross references, bold, and words that are
# passed through as they are.
_INLINE = re.compile(
    r"""\[\[[^\]]*\]\]|\[\#[^\]]*\](?=[^\#])|\(\(\([^()]*\)\)\)
    |(?P<macro>link|xref|image|icon|kbd|anchor|footnote|https?):(?P<target>[^\s\[\]<>]*+)\[(?P<label>[^\]]*)\]
    |<<(?P<place>[^<>,]+)(?:,[ \t]*(?P<named>[^<>]+))?>>
    |(?<![\w*])\*(?=\S)(?P<bold>[^*\n]+?)(?<=\S)\*(?![\w*])
    |\+\+\+?(?P<passed>[^+\n]*)\+\+\+?
    |(?<=`)\+(?P<literal>[^`\n]*)\+(?=`)""",
    re.VERBOSE,
)
_ATTRIBUTE = re.compile(r"\{([\w-]+)\}")
_ADMONITIONS = ("NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION")
_BLOCK_MACROS = frozenset("include image video audio toc ifdef ifndef ifeval endif xref icon".split())
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
        level = len(line) - len(line.lstrip("="))
        name, entry, value = line[1:].partition(":")
        if line.startswith("//") and not line.startswith("///"):
            return
        if line.startswith(":") and entry and name.strip("!").replace("-", "_").isidentifier():
            if len(self._known) < _MOST_ATTRIBUTES:
                self._known[name.strip("!")] = value.strip()[:500]
        elif 1 <= level <= 6 and line[level : level + 1].isspace():
            self._out += ["", "#" * level + " " + self._inline(line[level:].strip()), ""]
            if level == 1 and len(self._out) == 3:  # authors and revision stand right under the title
                while self._at < len(self._lines) and self._lines[self._at][:1].strip() not in ("", ":", "/"):
                    self._at += 1
        elif line.startswith(("|===", ",===")):
            self._table(line)
        elif line == "--" or (len(line) > 3 and line[0] in "-.=*_+/" and not line.strip(line[0])):
            self._delimited(line)
        elif line.startswith("[") and line.find("]") == len(line) - 1:
            parts = [part.strip() for part in line[1:-1].split(",")]
            self._language = parts[1] if parts[0] in {"source", ""} and len(parts) > 1 and "=" not in parts[1] else ""
        elif _says_nothing(line):
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
        line = line.lstrip() if line.lstrip()[:1] in ("*", "-", ".") else line
        label, colon, rest = line.partition(": ")
        if colon and label.strip() in _ADMONITIONS:
            line = rest.lstrip()
        marks, _, words = line.partition(" ")
        if words.strip() and (marks == "-" or (marks[0:1] in ("*", ".") and not marks.strip(marks[0]))):
            mark = "1." if marks[0] == "." else "-"
            self._out.append("   " * (len(marks) - 1) + f"{mark} {self._inline(words.strip())}")
        elif defined := _DEFINED.match(line):
            words = f": {self._inline(defined['words'])}" if defined["words"] else ":"
            self._out.append(f"- {self._inline(defined['term'])}{words}")
        elif line.startswith(" ") and line.strip() and not self._in_paragraph():
            self._out += ["", "    " + line]
        else:
            self._out.append(self._inline(line.removesuffix(" +")))

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
            words = _ATTRIBUTE.sub(lambda name: self._known.get(name[1], name[0]), words)[:100_000]
        return _INLINE.sub(_as_markdown, words)


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
    macro, label = found["macro"], _INLINE.sub(_as_markdown, found["label"] or "")
    if macro == "footnote":
        return f" ({label})"
    if macro in ("xref", "kbd"):
        return label
    if macro in ("link", "http", "https"):
        to = found["target"] if macro == "link" else f"{macro}:{found['target']}"
        return f"[{label.partition(',')[0]}]({to})"
    return found["passed"] or found["literal"] or ""
