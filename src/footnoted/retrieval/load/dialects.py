"""Takes out of Markdown what only the builder of a site reads, and keeps the words.

Admonitions and tabs of five dialects, MDX's components and imports, raw HTML, snippets and quotes become headings,
paragraphs, lists, tables and listings. No parser reads all these dialects, so lines are read one by one. The hard thing
is that a listing may hold any of it and stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from footnoted.retrieval.load.inline import MUTE, TAG, TAGS, closes, is_markup
from footnoted.retrieval.load.weave import Weaver, Woven
from footnoted.text.lines import is_item
from footnoted.text.marks import skip, skip_space
from footnoted.text.scripts import is_wordlike

_BANGS = re.compile(  # and tabs, which always have a title
    r"(?:(?:!!!|\?\?\?\+?)[ \t]+(?P<name>[\w-]+)(?:[ \t]+[\w-]+)*|===[!+]*(?=[ \t]+['\"]))"
    r"(?:[ \t]+(?P<quote>['\"])(?P<title>.*)(?P=quote))?[ \t]*$"
)
_OPTION = re.compile(r"[ \t]{4,}[\w-]+:(?:\s|$)|[ \t]*:[\w-]+:(?:\s|$)")
_IMPORT = re.compile(r"import\s+(?:[\w*{][^'\"]*\sfrom\s+)?(['\"])[^'\"]+\1;?[ \t]*$")
_EXPORTED = ("const", "let", "var", "function", "default", "class", "async")
_TITLED = re.compile(r"""\b(?:title|label)\s*=\s*(?:"([^"]*)"|'([^']*)'|\{["'`]([^"'`]*)["'`]\})""")
_STRUCTURE = frozenset("table ul ol dl pre h1 h2 h3 h4 h5 h6".split())  # read as HTML with all that is in them
_TO_ITS_END = _STRUCTURE | MUTE | {"summary"}
# Docutils' admonitions; a fence of any other {directive} is a listing.
ADMONITIONS = frozenset(
    "admonition attention caution danger error hint important note seealso tip warning versionadded versionchanged "
    "deprecated dropdown card grid tab-set tab-item grid-item-card sidebar topic margin details".split()
)
# Those that stand in a line of words, and begin no paragraph.
_INLINE = frozenset("a b i em strong code kbd span abbr dfn u small sub sup".split())
_COLOURED = frozenset(("font", "span", "u", "b"))
_COLOURS = ("", "color", "style", "class")  # of a tag by which a terminal's colours are shown
_STEP = "step"
_DEEPEST = 40  # constructs in each other; what lies deeper is read as if it were not in one


@dataclass(slots=True)
class _Held:
    """A construct that holds lines: what closes it, what its lines are indented by, what they shall be."""

    closer: str
    strip: int = 0
    pad: str = ""
    label: str = ""
    opened: int = 0
    steps: int = 0
    by_indent: bool = False
    listed: bool = False  # a list was open around it


@dataclass(frozen=True, slots=True)
class Admonition:
    """A stretch of the plain text that stands in an admonition: ``[start, end)`` and its kind."""

    start: int
    end: int
    label: str


@dataclass(slots=True)
class Plain:
    """The plain text, where its listings stand, and what stands in admonitions."""

    woven: Woven
    listings: list[tuple[int, int]] = field(default_factory=list)
    admonitions: list[Admonition] = field(default_factory=list)


def plain(text: str, begin: int = 0, *, components: bool = False, tags: bool = True) -> Plain:
    """``text[begin:]`` without what only a builder reads; ``components`` for MDX, where nothing indented is code."""
    return _Reader(text, begin, components=components, tags=tags).read()


class _Reader:
    def __init__(self, text: str, begin: int, *, components: bool, tags: bool) -> None:
        self._text = text
        self._at = begin
        self._mdx = components
        self._tags = tags
        self._weaver = Weaver(text)
        self._held = [_Held("")]  # the page itself, and the constructs that are open
        self._fence = ""
        self._shown = False  # the listing is a terminal's screen, which may be coloured with tags
        self._listing = 0
        self._listed = False  # a list is open: what is indented belongs to it
        self._blank = True
        self._coded = False  # the line before was code by its indentation
        self._plain = Plain(Woven("", []))
        bare = (line.lstrip(" \t>").rstrip(" \t") for line in text.split("\n"))
        self._closers = {run for run in bare if len(run) > 2 and not run.strip(":")}

    def read(self) -> Plain:
        while self._at < len(self._text):
            end = _line_end(self._text, self._at)
            start, self._at = self._at, end + 1
            self._line(start, end)
        while len(self._held) > 1:
            self._pop()
        if self._fence:
            self._plain.listings.append((self._listing, self._weaver.length))
        self._plain.woven = self._weaver.woven()
        return self._plain

    def _line(self, start: int, end: int) -> None:
        start = self._unwrapped(start, end)
        body = self._text[start:end].strip()
        indent = _columns(self._text[start:end])
        first = skip_space(self._text, start, end)
        if self._fence:
            self._in_fence(start, end, body)
        elif not body:
            self._blank, self._coded = True, False
            self._weaver.put("\n", start)
        elif not self._mdx and indent >= 4 and not self._listed and (self._blank or self._coded):
            begin = self._weaver.length
            self._write(start, end)
            self._plain.listings.append((begin, self._weaver.length))
            self._blank, self._coded = False, True
        else:
            self._coded = False
            if not self._construct(first, end, body, indent):
                self._keep(start, first, end)
                self._blank = False

    def _unwrapped(self, start: int, end: int) -> int:
        """Where a line's own content begins, without what its holders indent it by; those it is not in are closed."""
        text = self._text
        line = text[start:end]
        while self._held[-1].by_indent and line.strip() and not self._fence:
            held = self._held[-1]
            within = line.lstrip().startswith(">") if held.closer == ">" else _columns(line) >= held.strip
            if within:
                break
            self._pop()
        for held in self._held:
            if held.closer == ">":
                mark = skip(text, start, end, " \t")
                if text.startswith(">", mark, end):
                    start = mark + 1 + text.startswith((" ", "\t"), mark + 1, end)
        column = 0
        while start < end and text[start] in " \t" and column < self._held[-1].strip:
            column += 4 - column % 4 if text[start] == "\t" else 1
            start += 1
        return start

    def _in_fence(self, start: int, end: int, body: str) -> None:
        run = self._fence
        if len(body) >= len(run) and not body.strip(run[0]):
            self._write(start, end)
            self._plain.listings.append((self._listing, self._weaver.length))
            self._fence = ""
        elif self._shown and "<" in body:
            self._weaver.put(self._held[-1].pad, start)
            for tag in TAG.finditer(self._text, start, end):
                if tag["tag"] in _COLOURED and tag["attributes"].strip().partition("=")[0] in _COLOURS:
                    self._weaver.keep(start, tag.start())
                    start = tag.end()
            self._weaver.keep(start, min(end + 1, len(self._text)))
        else:
            self._write(start, end)
        self._blank = False

    def _construct(self, first: int, end: int, body: str, indent: int) -> bool:
        """Read a line that is, or begins, more than words; whether it was one."""
        text, sign = self._text, body[0]
        run = body[: len(body) - len(body.lstrip(sign))]
        rest = body[len(run) :].strip()
        if sign in "`~" and len(run) > 2 and not (sign == "`" and "`" in rest):
            return self._open_fence(run, rest, first, indent)
        if sign == "<" and self._tags and self._tag(first):
            self._blank = self._blank and self._mdx
            return True
        if sign == ">" and len(self._held) <= _DEEPEST:
            self._quote(first, end, indent)
            return True
        if sign == "/" and len(run) > 2:
            return self._slashes(run, rest, first)
        if sign == ":" and len(run) > 2:
            return self._colons(run, rest, first, indent)
        if sign in "!?=" and (found := _BANGS.match(body)):
            strip = indent + 4 + self._held[-1].strip
            self._push("", found["name"] or "", found["title"] or "", first, strip=strip)
            return True
        if _is_snippet(body):
            return True
        if sign in "ie" and len(self._held) == 1 and self._module(first, body):
            return True
        if sign == "{" and self._mdx and (closed := _braces_end(text, first)) is not None:
            rest = text[closed : _line_end(text, closed)]
            if not rest.strip():
                self._at = min(len(text), closed + len(rest) + 1)
                return True
        return False

    def _open_fence(self, run: str, info: str, first: int, indent: int) -> bool:
        directive, title = _directive(info)
        if directive in ADMONITIONS:
            self._push(run, directive, title, first)
            return True
        if not info and self._close(run):
            return True
        self._blank = False
        self._fence, self._listing = run, self._weaver.length
        language = _language(info)
        self._shown = language == "console"
        pad = self._held[-1].pad + " " * indent
        self._weaver.put(f"{pad}{run}{language}\n", first)
        return True

    def _slashes(self, run: str, words: str, first: int) -> bool:
        """``/// name | title`` opens an admonition or a tab, ``///`` closes it."""
        name, _, title = (part.strip() for part in words.partition("|"))
        if name and not name.replace("-", "").replace("_", "").isalnum():
            return False
        if name:
            self._push(run, name, title, first)
            self._skip_lines(_OPTION.match)
        else:
            self._close(run)
        return True

    def _colons(self, run: str, words: str, first: int, indent: int) -> bool:
        """``:::name[title]`` or ``:::{name} title`` opens a container, ``:::`` closes it."""
        behind = next((at for at, char in enumerate(words) if char in "[{" or char.isspace()), len(words))
        name, rest = words[:behind], words[behind:].lstrip(" \t")
        directive, told = _directive(rest)
        if not name and not rest:
            self._close(run)
            return True
        if run not in self._closers or (name.count(".") and "=" not in name):
            if len(run) > 3 and not all(char.isalnum() or char in "_.:-" for char in name):
                return False
            deepest = indent + self._held[-1].strip  # a directive that takes no lines, and its options
            before = self._at
            self._skip_lines(lambda line: not line.strip() or _columns(line) > deepest)
            skipped = self._text[before : self._at].rstrip()
            self._at = before + len(skipped) + bool(skipped)
            return True
        label, title = name, rest
        if directive:
            label, title = directive, told
        elif rest.startswith("{"):
            label = (re.findall(r"\.([\w-]+)", rest) or [""])[0]
            title = _title_of(rest)
        elif rest.startswith("[") and "]" in rest:
            title = rest[1 : rest.index("]")]
        self._push(run, label, title, first)
        self._skip_lines(_OPTION.match)
        return True

    def _skip_lines(self, skipped: Callable[[str], object]) -> None:
        while self._at < len(self._text):
            end = _line_end(self._text, self._at)
            if not skipped(self._text[self._at : end]):
                return
            self._at = end + 1

    def _quote(self, first: int, end: int, indent: int) -> None:
        """The first line of a block quote; the others are unwrapped as they come."""
        start = skip(self._text, first + 1, end, " \t")
        alert, closed, title = self._text[start:end].partition("]")
        pad = self._held[-1].pad + " " * indent * self._listed
        if closed and alert.startswith("[!") and alert[2:].replace("_", "a").isalnum():
            title = title[title.startswith(("+", "-")) :].lstrip(" \t")
            self._push(">", alert[2:].lower(), title, first, strip=0, pad=pad)
        else:
            self._push(">", "quote", "", first, strip=0, pad=pad)
            self._blank = True
            self._line(first, end)

    def _module(self, first: int, body: str) -> bool:
        """An import or export of JavaScript: one line, or up to where its brackets close."""
        text = self._text
        if _IMPORT.match(body):
            return True
        word, _, rest = body.partition(" ")
        if not (self._mdx and self._blank and (word == "import" or (word == "export" and rest.startswith(_EXPORTED)))):
            return False
        depth, at = 0, first
        while at < len(text):
            stop = _line_end(text, at)
            line = text[at:stop]
            depth += sum(map(line.count, "([{")) - sum(map(line.count, ")]}"))
            at = stop + 1
            if depth <= 0 or not line.strip():
                break
        self._at = min(at, len(text))
        return True

    def _tag(self, first: int) -> bool:
        """A line that begins with a tag or a remark."""
        text = self._text
        if text.startswith("<!--", first):
            closed = text.find("-->", first)
            self._go_on(closed + 3 if closed >= 0 else len(text))
            return True
        found = TAG.match(text, first)
        if found is None or not is_markup(found["tag"]):
            return False
        name = found["tag"]
        if found["end"]:
            self._close(f"</{name}")
            self._weaver.put("\n", first)
        elif name[0].isupper() or name.lower() not in TAGS:
            self._component(found, name, first)
        elif self._element(found, name.lower(), first):
            return True
        self._go_on(found.end())
        return True

    def _element(self, found: re.Match[str], name: str, first: int) -> bool:
        """An element of HTML: left out, or read whole, or only its tag; whether it was read to its end."""
        closed = _closing_tag(self._text, name, first) if name in _TO_ITS_END and not found["void"] else None
        if name in MUTE:
            self._go_on(closed[1] if closed else found.end())
        elif name in _STRUCTURE:
            self._html(first, closed[1] if closed else len(self._text))
        elif closed:  # a summary
            self._title(TAG.sub("", self._text[found.end() : closed[0]]), first)
            self._go_on(closed[1])
        else:
            self._weaver.put("" if name in _INLINE else "\n", first)
            return False
        return True

    def _component(self, found: re.Match[str], name: str, first: int) -> None:
        """A component of MDX: what it holds stands under its title; a step is an item of a numbered list."""
        text, title, around = self._text, _title_of(found["attributes"]), self._held[-1]
        if found["void"]:
            self._title(title, first)
            return
        strip = around.strip
        newline = text.find("\n", found.end())
        if newline >= 0 and not text[found.end() : newline].strip():
            inside = skip(text, newline + 1, len(text), " \t\n")
            if text[inside : inside + 1].strip():
                strip = max(strip, _columns(text[text.rfind("\n", 0, inside) + 1 : inside + 1]))
        label = "".join(char for char in name.lower() if "a" <= char <= "z")
        held = _Held(f"</{name}", strip, around.pad, label)
        if label == _STEP and len(self._held) <= _DEEPEST:
            around.steps += 1
            mark = f"{around.steps}. "
            held.pad += " " * len(mark)
            self._weaver.put(f"\n{around.pad}{mark}" + (f"{title}\n\n" if title else ""), first)
        else:
            self._title(title, first)
        self._hold(held)

    def _html(self, start: int, end: int) -> None:
        """An element of HTML that is structure: read as a page is, written as Markdown."""
        from footnoted.retrieval.load.html import written

        words, pad = written(self._text[start:end]), self._held[-1].pad
        begin = self._weaver.length
        lines = "\n".join(pad + line if line else line for line in words.split("\n"))
        self._weaver.put(f"\n{lines}\n\n" if words else "\n", start)
        self._plain.listings.append((begin, self._weaver.length))  # it is clean already
        self._go_on(end)

    def _go_on(self, at: int) -> None:
        """Read the rest of the line at ``at`` as a line of its own."""
        end = _line_end(self._text, at)
        self._at = min(len(self._text), end + 1)
        body = self._text[at:end].strip()
        first = skip_space(self._text, at, end)
        if body and not self._construct(first, end, body, 0):
            self._keep(first, first, end)

    def _keep(self, start: int, first: int, end: int) -> None:
        """A line of words; components that close in it are closed."""
        if is_item(self._text, first, end):
            self._listed = True
        elif self._blank and first == start:
            self._listed = False
        self._write(start, end)
        for closed in re.finditer(r"</([A-Z][\w.]*)\s*>", self._text[first:end]):
            self._close(f"</{closed[1]}")

    def _write(self, start: int, end: int) -> None:
        if start < end:
            self._weaver.put(self._held[-1].pad, start)
        self._weaver.keep(start, min(end + 1, len(self._text)))

    def _title(self, title: str, at: int, pad: str | None = None) -> None:
        """A line of its own in bold, which heads what follows."""
        title = " ".join(title.split()).strip("*\"' ")
        pad = self._held[-1].pad if pad is None else pad
        self._weaver.put(f"\n{pad}**{title}**\n\n" if title else "\n", at)

    def _push(
        self, closer: str, label: str, title: str, at: int, *, strip: int | None = None, pad: str | None = None
    ) -> None:
        """Open a construct under its title: it holds what is indented by ``strip``, or all up to its closer."""
        around = self._held[-1]
        pad = around.pad if pad is None else pad
        self._title(title, at, pad)
        self._hold(_Held(closer, around.strip if strip is None else strip, pad, label, by_indent=strip is not None))

    def _hold(self, held: _Held) -> None:
        self._blank = True
        if len(self._held) <= _DEEPEST:
            held.opened = self._weaver.length
            held.listed = self._listed
            self._held.append(held)
            self._listed = self._listed and not held.by_indent

    def _close(self, closer: str) -> bool:
        """Close the innermost construct of this kind, with all that is open in it; whether there was one."""
        if all(held.closer != closer for held in self._held):
            return False
        while self._pop() != closer:
            pass
        return True

    def _pop(self) -> str:
        held = self._held.pop()
        self._listed = held.listed
        if held.label:
            self._plain.admonitions.append(Admonition(held.opened, self._weaver.length, held.label))
        self._weaver.put("\n", min(self._at, len(self._text)))
        self._blank = True
        return held.closer


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return end if end >= 0 else len(text)


def _columns(line: str) -> int:
    return len(line[: len(line) - len(line.lstrip())].expandtabs(4))


def _language(info: str) -> str:
    """The language that a listing's fence names: ``python``, ``{.python}``, ``{code} python``.

    >>> _language("{ .c++ linenums=1}"), _language("python")
    ('c++', 'python')
    """
    bare = info.removeprefix("{").lstrip().removeprefix(".")
    return bare[: next((at for at, char in enumerate(bare) if not (is_wordlike(char) or char in "+#.-")), len(bare))]


def _directive(words: str) -> tuple[str, str]:
    """The name of a directive and its title: ``{note} Mind this``; two empty texts where none stands."""
    name, closed, title = words.removeprefix("{").partition("}")
    named = words.startswith("{") and closed and "a" <= name[:1] <= "z"
    if not named or not all(is_wordlike(char) or char in ":-" for char in name):
        return "", ""
    return name, title.lstrip(" \t")


def _closing_tag(text: str, name: str, start: int) -> tuple[int, int] | None:
    """Where the tag stands that closes the element which opens at ``start``; only structure has its own kind inside."""
    depth = 0
    for tag in TAG.finditer(text, start):
        if closes(tag, name):
            depth -= 1
            if depth <= 0:
                return tag.span()
        elif name in _STRUCTURE and tag["tag"].lower() == name:
            depth += 1
    return None


def _is_snippet(line: str) -> bool:
    """Whether a line asks for another file or for a table of contents: ``--8<-- "a.md"``, ``{* a.py *}``, ``[TOC]``."""
    taken_in = line.startswith(("-8<-", "--8<--")) or (line[:2], line[-2:]) in {("{*", "*}"), ("{!", "!}")}
    return taken_in or (line[0] == "[" and line.strip("[]_").lower() == "toc")


def _title_of(attributes: str) -> str:
    found = _TITLED.search(attributes)
    return " ".join(next((title for title in found.groups() if title), "").split()) if found else ""


def _braces_end(text: str, start: int) -> int | None:
    """Where a brace that opens at ``start`` closes, within reason."""
    depth = 0
    for at, char in enumerate(text[start : start + 20_000], start):
        depth += (char == "{") - (char == "}")
        if char == "}" and depth == 0:
            return at + 1
    return None
