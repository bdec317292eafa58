"""Markdown as sites really write it, made plain: what a site's builder reads of a page taken out, its words kept.

Front matter, admonitions and tabs of five dialects, MDX's components and imports, raw HTML, snippets and quotes become
headings, paragraphs, lists, tables and listings. The hard thing is that a listing may hold any of it and stays.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from footnoted.retrieval.load.inline import TAG, TAGS, is_markup
from footnoted.retrieval.load.weave import Weaver, Woven
from footnoted.text.marks import skip, skip_space

_FENCE = re.compile(r"(?P<run>`{3,}(?!.*`)|~{3,})[ \t]*(?P<info>.*)")
_LISTED = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]+")
_LANGUAGE = re.compile(r"\{?\s*\.?([\w+#.-]+)")
_DIRECTIVE = re.compile(r"\{(?P<name>[a-z][\w:-]*)\}[ \t]*(?P<title>.*)")
_SLASHES = re.compile(r"(?P<run>/{3,})[ \t]*(?P<name>[\w-]*)[ \t]*(?:\|[ \t]*(?P<title>.*))?$")
_COLONS = re.compile(r"(?P<run>:{3,})[ \t]*(?P<name>[^\s\[{]*)[ \t]*(?P<rest>.*)$")
_BANGS = re.compile(  # and tabs, which always have a title
    r"(?:(?:!!!|\?\?\?\+?)[ \t]+(?P<name>[\w-]+)(?:[ \t]+[\w-]+)*|===[!+]*(?=[ \t]+['\"]))"
    r"(?:[ \t]+(?P<quote>['\"])(?P<title>.*)(?P=quote))?[ \t]*$"
)
_ALERT = re.compile(r"\[!(?P<name>\w+)\][+-]?[ \t]*(?P<title>.*)$")
_SNIPPET = re.compile(
    r"-{1,2}8<-{1,2}(?:[ \t].*)?$|\{\*.*\*\}$|\{!.*!\}$|\[\[?_?TOC_?\]?\]$|\[\[toc\]\]$", re.IGNORECASE
)
_IMPORT = re.compile(r"import\s+(?:[\w*{][^'\"]*\sfrom\s+)?(['\"])[^'\"]+\1;?[ \t]*$")
_EXPORT = re.compile(r"(?:import\s[\w*{'\"]|export\s+(?:const|let|var|function|default|class|async)\b)")
_TITLED = re.compile(r"""\b(?:title|label)\s*=\s*(?:"([^"]*)"|'([^']*)'|\{["'`]([^"'`]*)["'`]\})""")
_WHOLE = frozenset("table ul ol dl pre h1 h2 h3 h4 h5 h6".split())  # read as HTML with all that is in them
_MUTE = frozenset("script style template svg iframe video audio object canvas".split())
# Docutils' admonitions; a fence of any other {directive} is a listing.
_SAID = frozenset(
    "admonition attention caution danger error hint important note seealso tip warning versionadded versionchanged "
    "deprecated dropdown card grid tab-set tab-item grid-item-card sidebar topic margin details".split()
)
# Those that stand in a line of words, and begin no paragraph.
_INLINE = frozenset("a b i em strong code kbd span abbr dfn u small sub sup".split())
_COLOURS = re.compile(r"<(?:font|span|u|b)(?:\s+(?:color|style|class)=[^<>]*)?>|</(?:font|span|u|b)>")
_STEP = "step"
_DEEPEST = 40  # constructs in each other; what lies deeper is read as if it were not in one


@dataclass(slots=True)
class _Held:
    """A construct that holds lines: what closes it, what its lines are indented by, what they shall be."""

    closer: str
    strip: int
    pad: str
    label: str = ""
    opened: int = 0
    steps: int = 0
    by_indent: bool = False
    listed: bool = False  # a list was open around it


@dataclass(frozen=True, slots=True)
class Said:
    """A stretch of the plain text that stands in an admonition: ``[start, end)`` and its kind."""

    start: int
    end: int
    label: str


@dataclass(slots=True)
class Plain:
    """The plain text, where its listings stand, and what stands in admonitions."""

    woven: Woven
    listings: list[tuple[int, int]] = field(default_factory=list)
    said: list[Said] = field(default_factory=list)


def plain(text: str, begin: int = 0, *, components: bool = False) -> Plain:
    """``text[begin:]`` without what only a builder reads; ``components`` for MDX, where nothing indented is code."""
    return _Reader(text, begin, components=components).read()


class _Reader:
    def __init__(self, text: str, begin: int, *, components: bool) -> None:
        self._text = text
        self._at = begin
        self._mdx = components
        self._weaver = Weaver(text)
        self._held: list[_Held] = []
        self._fence = ""
        self._shown = False  # the listing is a terminal's screen, which may be coloured with tags
        self._listing = 0
        self._listed = False  # a list is open: what is indented belongs to it
        self._blank = True
        self._coded = False  # the line before was code by its indentation
        self._told = Plain(Woven("", [], []))
        bare = (line.lstrip(" \t>").rstrip(" \t") for line in text.split("\n"))
        self._closers = {run for run in bare if len(run) > 2 and not run.strip(":")}

    def read(self) -> Plain:
        text = self._text
        while self._at < len(text):
            end = _line_end(text, self._at)
            start, self._at = self._at, end + 1
            self._line(start, end)
        while self._held:
            self._pop()
        if self._fence:
            self._told.listings.append((self._listing, self._weaver.length))
        self._told.woven = self._weaver.woven()
        return self._told

    def _line(self, start: int, end: int) -> None:
        start, pad = self._unwrapped(start, end)
        body = self._text[start:end].strip()
        if self._fence:
            self._in_fence(start, end, pad, body)
            return
        if not body:
            self._blank = True
            self._coded = False
            self._weaver.put("\n", start)
            return
        indent = _columns(self._text[start:end])
        first = skip_space(self._text, start, end)
        if self._is_code(indent):
            self._keep_code(start, end, pad)
            return
        self._coded = False
        if not self._construct(first, end, body, indent, pad):
            self._keep(start, first, end, pad)
            self._blank = False

    def _unwrapped(self, start: int, end: int) -> tuple[int, str]:
        """Where a line's own content begins, without what its holders indent it by, and what it is indented by now."""
        text = self._text
        line = text[start:end]
        while self._held and self._held[-1].by_indent and line.strip() and not self._fence:
            held = self._held[-1]
            within = line.lstrip().startswith(">") if held.closer == ">" else _columns(line) >= held.strip
            if within:
                break
            self._pop()
        pad = ""
        for held in self._held:
            if held.closer == ">":
                mark = skip(text, start, end, " \t")
                if text.startswith(">", mark, end):
                    start = mark + 1 + text.startswith((" ", "\t"), mark + 1, end)
        if self._held:
            held = self._held[-1]
            pad = held.pad
            column = 0
            while start < end and text[start] in " \t" and column < held.strip:
                column += 4 - column % 4 if text[start] == "\t" else 1
                start += 1
        return start, pad

    def _is_code(self, indent: int) -> bool:
        return not self._mdx and indent >= 4 and not self._listed and (self._blank or self._coded)

    def _keep_code(self, start: int, end: int, pad: str) -> None:
        begin = self._weaver.length
        self._write(start, end, pad)
        self._told.listings.append((begin, self._weaver.length))
        self._coded, self._blank = True, False

    def _in_fence(self, start: int, end: int, pad: str, body: str) -> None:
        run = self._fence
        if len(body) >= len(run) and not body.strip(run[0]):
            self._write(start, end, pad)
            self._told.listings.append((self._listing, self._weaver.length))
            self._fence = ""
        elif self._shown and "<" in body:
            self._weaver.put(pad, start)
            for tag in _COLOURS.finditer(self._text, start, end):
                self._weaver.keep(start, tag.start())
                start = tag.end()
            self._weaver.keep(start, min(end + 1, len(self._text)))
        else:
            self._write(start, end, pad)
        self._blank = False

    def _construct(self, first: int, end: int, body: str, indent: int, pad: str) -> bool:
        """Read a line that is, or begins, more than words; whether it was one."""
        text = self._text
        if text[first] in "`~" and (found := _FENCE.match(text, first, end)):
            return self._open_fence(found, first, indent, pad)
        sign = text[first]
        if sign == "<" and self._tag(first, pad):
            self._blank = self._blank and self._mdx
            return True
        if sign == ">" and len(self._held) < _DEEPEST:
            self._quote(first, end, pad + " " * indent if self._listed else pad)
            return True
        if sign == "/" and (found := _SLASHES.match(body)):
            self._slashes(found, first, pad)
            return True
        if sign == ":" and (found := _COLONS.match(body)):
            return self._colons(found, first, indent, pad)
        if sign in "!?=" and (found := _BANGS.match(body)):
            held = _Held("", indent + 4 + self._strip, pad, found["name"] or "", by_indent=True)
            self._push(held, found["title"] or "", first)
            return True
        if _SNIPPET.match(body):
            return True
        if sign in "ie" and not self._held and self._module(first, body):
            return True
        if sign == "{" and self._mdx and (closed := _braces_end(text, first)) is not None:
            rest = text[closed : _line_end(text, closed)]
            if not rest.strip():
                self._at = min(len(text), closed + len(rest) + 1)
                return True
        return False

    @property
    def _strip(self) -> int:
        return self._held[-1].strip if self._held else 0

    def _open_fence(self, found: re.Match[str], first: int, indent: int, pad: str) -> bool:
        info = found["info"].strip()
        directive = _DIRECTIVE.match(info)
        if directive and directive["name"] in _SAID:
            self._push(_Held(found["run"], self._strip, pad, directive["name"]), directive["title"], first)
            return True
        if not info and self._close(found["run"]):
            return True
        self._blank = False
        self._fence, self._listing = found["run"], self._weaver.length
        language = _LANGUAGE.match(info)
        self._shown = language is not None and language[1] == "console"
        self._weaver.put(pad + " " * indent + found["run"] + (language[1] if language else "") + "\n", first)
        return True

    def _slashes(self, found: re.Match[str], first: int, pad: str) -> None:
        run, name = found["run"], found["name"]
        if not name:
            self._close(run)
        else:
            self._push(_Held(run, self._strip, pad, name), found["title"] or "", first)
            self._options()

    def _colons(self, found: re.Match[str], first: int, indent: int, pad: str) -> bool:
        run, name, rest = found["run"], found["name"], found["rest"].strip()
        directive = _DIRECTIVE.match(rest)
        if not name and not rest:
            self._close(run)
            return True
        if run not in self._closers or (name.count(".") and "=" not in name):
            if len(run) > 3 and not all(char.isalnum() or char in "_.:-" for char in name):
                return False
            self._skip_deeper(indent + self._strip)  # a directive that takes no lines, and its options
            return True
        label, title = name, rest
        if directive:
            label, title = directive["name"], directive["title"]
        elif rest.startswith("{"):
            label = (re.findall(r"\.([\w-]+)", rest) or [""])[0]
            title = _title_of(rest)
        elif rest.startswith("[") and "]" in rest:
            title = rest[1 : rest.index("]")]
        self._push(_Held(run, self._strip, pad, label), title, first)
        self._options()
        return True

    def _options(self) -> None:
        """Skip the indented or ``:key:`` lines right under an opener: they are settings."""
        text = self._text
        while self._at < len(text):
            end = _line_end(text, self._at)
            if not re.match(r"[ \t]{4,}[\w-]+:(?:\s|$)|[ \t]*:[\w-]+:(?:\s|$)", text[self._at : end]):
                return
            self._at = end + 1

    def _skip_deeper(self, indent: int) -> None:
        text, at = self._text, self._at
        while at < len(text):
            end = _line_end(text, at)
            line = text[at:end]
            if line.strip() and _columns(line) <= indent:
                return
            at = end + 1
            if line.strip():
                self._at = at

    def _quote(self, first: int, end: int, pad: str) -> None:
        """The first line of a block quote; the others are unwrapped as they come."""
        text = self._text
        start = skip(text, first + 1, end, " \t")
        alert = _ALERT.match(text, start, end)
        held = _Held(">", 0, pad, alert["name"].lower() if alert else "quote", by_indent=True)
        self._push(held, alert["title"] if alert else "", first)
        if not alert:
            self._blank = True
            self._line(first, end)

    def _module(self, first: int, body: str) -> bool:
        """An import or export of JavaScript: one line, or up to where its brackets close."""
        text = self._text
        if _IMPORT.match(body):
            return True
        if not (self._mdx and self._blank and _EXPORT.match(body)):
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

    def _tag(self, first: int, pad: str) -> bool:
        """A line that begins with a tag or a remark."""
        text = self._text
        if text.startswith("<!--", first):
            closed = text.find("-->", first)
            self._go_on(closed + 3 if closed >= 0 else len(text), pad)
            return True
        found = TAG.match(text, first)
        if found is None or not is_markup(found["tag"]):
            return False
        name = found["tag"]
        low = name.lower()
        component = low not in TAGS or name[0].isupper()
        if low in _MUTE and not found["end"] and not component:
            muted = _closing(low).search(text, found.end())
            self._go_on(muted.end() if muted and not found["void"] else found.end(), pad)
            return True
        if low in _WHOLE and not found["end"] and not component:
            self._html(found, low, pad)
            return True
        if found["end"]:
            self._close(f"</{name}")
            self._weaver.put("\n", first)
        elif component and not found["void"]:
            self._open_component(found, name, first, pad)
        elif low == "summary":
            self._summary(found, first, pad)
            return True
        else:
            title = _title_of(found["attributes"]) if component else ""
            if title:
                self._weaver.put(f"\n{pad}**{title}**\n\n", first)
            elif low not in _INLINE:
                self._weaver.put("\n", first)
        self._go_on(found.end(), self._held[-1].pad if self._held else "")
        return True

    def _open_component(self, found: re.Match[str], name: str, first: int, pad: str) -> None:
        text = self._text
        strip = self._strip
        newline = text.find("\n", found.end())
        if newline >= 0 and not text[found.end() : newline].strip():
            inside = skip(text, newline + 1, len(text), " \t\n")
            if text[inside : inside + 1].strip():
                strip = max(strip, _columns(text[text.rfind("\n", 0, inside) + 1 : inside + 1]))
        label = "".join(char for char in name.lower() if "a" <= char <= "z")
        held = _Held(f"</{name}", strip, pad, label)
        title = _title_of(found["attributes"])
        if label != _STEP or len(self._held) >= _DEEPEST:
            self._push(held, title, first)
            return
        number = 1
        if self._held:
            self._held[-1].steps = number = self._held[-1].steps + 1
        mark = f"{number}. "
        held.pad = pad + " " * len(mark)
        self._enter(held, f"\n{pad}{mark}{title}\n\n" if title else f"\n{pad}{mark}", first)

    def _close(self, closer: str) -> bool:
        """Close the innermost construct of this kind, with all that is open in it; whether there was one."""
        if all(held.closer != closer for held in self._held):
            return False
        while self._pop() != closer:
            pass
        return True

    def _summary(self, found: re.Match[str], first: int, pad: str) -> None:
        text = self._text
        closed = _closing("summary").search(text, found.end())
        if closed is None:
            self._go_on(found.end(), pad)
            return
        words = " ".join(TAG.sub("", text[found.end() : closed.start()]).split())
        self._weaver.put(f"\n{pad}**{words}**\n\n" if words else "\n", first)
        self._go_on(closed.end(), pad)

    def _html(self, found: re.Match[str], name: str, pad: str) -> None:
        """An element of HTML that is structure: read as a page is, written as Markdown."""
        text, depth = self._text, 0
        end = len(text)
        for match in re.compile(rf"<(/?){name}\b[^>]*>", re.IGNORECASE).finditer(text, found.start()):
            depth += -1 if match.group(1) else 1
            if depth == 0:
                end = match.end()
                break
        from footnoted.retrieval.load.html import written

        words = written(text[found.start() : end])
        begin = self._weaver.length
        lines = "\n".join(pad + line if line else line for line in words.split("\n"))
        self._weaver.put(f"\n{lines}\n\n" if words else "\n", found.start())
        self._told.listings.append((begin, self._weaver.length))  # it is clean already
        self._go_on(end, pad)

    def _go_on(self, at: int, pad: str) -> None:
        """Read the rest of the line at ``at`` as a line of its own."""
        text = self._text
        end = _line_end(text, at)
        self._at = min(len(text), end + 1)
        if text[at:end].strip():
            first = skip_space(text, at, end)
            if not self._construct(first, end, text[first:end].strip(), 0, pad):
                self._keep(first, first, end, pad)

    def _keep(self, start: int, first: int, end: int, pad: str) -> None:
        """A line of words; components that close in it are closed."""
        text = self._text
        item = _LISTED.match(text, first, end)
        if item:
            self._listed = True
        elif self._blank and first == start:
            self._listed = False
        self._write(start, end, pad)
        if self._held and "</" in text[first:end]:
            for match in re.finditer(r"</([A-Z][\w.]*)\s*>", text[first:end]):
                self._close(f"</{match[1]}")

    def _write(self, start: int, end: int, pad: str) -> None:
        if pad and start < end:
            self._weaver.put(pad, start)
        self._weaver.keep(start, min(end + 1, len(self._text)))

    def _push(self, held: _Held, title: str, at: int) -> None:
        """Open a construct; its title is a line of its own in bold, which heads what follows."""
        title = " ".join(title.split()).strip("*\"' ")
        self._enter(held, f"\n{held.pad}**{title}**\n\n" if title else "\n", at)

    def _enter(self, held: _Held, opening: str, at: int) -> None:
        self._weaver.put(opening, at)
        self._blank = True
        if len(self._held) >= _DEEPEST:
            return
        held.opened = self._weaver.length
        held.listed = self._listed
        self._held.append(held)
        self._listed = self._listed and not held.by_indent

    def _pop(self) -> str:
        held = self._held.pop()
        self._listed = held.listed
        if held.label:
            self._told.said.append(Said(held.opened, self._weaver.length, held.label))
        self._weaver.put("\n", min(self._at, len(self._text)))
        self._blank = True
        return held.closer


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return end if end >= 0 else len(text)


def _columns(line: str) -> int:
    return len(line[: len(line) - len(line.lstrip())].expandtabs(4))


def _closing(tag: str) -> re.Pattern[str]:
    return re.compile(rf"</{tag}\s*>", re.IGNORECASE)


def _title_of(attributes: str) -> str:
    found = _TITLED.search(attributes)
    return " ".join(next((said for said in found.groups() if said), "").split()) if found else ""


def _braces_end(text: str, start: int) -> int | None:
    """Where a brace that opens at ``start`` closes, within reason."""
    depth = 0
    for match in re.compile(r"[{}]").finditer(text, start, start + 20_000):
        depth += 1 if match.group() == "{" else -1
        if depth == 0:
            return match.end()
    return None
