"""A policy wording as a tree of clauses, each with its number and the words it inherits.

A wording's meaning hangs on its structure: "if the Car is a Total Loss" is cover or exclusion by the line that
opens its list. The hard thing is to find that structure again in passages cut out of Markdown, HTML, DOCX and PDF,
where a label may begin a line, stand in a heading, or follow a full stop in the middle of a paragraph.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from footnoted.assistants.insurance.labels import (
    Label,
    bare_heading,
    in_heading,
    inline_items,
    numbers_in,
    opening_label,
    split_run_on,
)
from footnoted.assistants.insurance.rows import Row, in_columns, is_table, rows_of
from footnoted.text import sentences
from footnoted.text.phrases import whole
from footnoted.types import Source

Kind = Literal["cover", "exclusion", "exception", "condition", "limit", "definition", "procedure", "other"]

_WE = (
    r"(?:we|us|the (?:insurer|company)|(?:this |no )?cover"
    r"|this (?:policy|section|cover|plan|insurance|clause|endorsement))"
)
_WILL_NOT = re.compile(
    rf"\b{_WE} (?:(?:(?:will|shall|do|does|is|are|can|may) (?:not|never)|never|cannot|won't|don't)(?! exclu)"
    r"|excludes?)\b"
    r"|\b(?:is|are) (?:not (?:covered|insured|paid)|excluded)\b|\bnot covered\b|\bno cover\b|(?<!not )\bexcluded?\b",
    re.IGNORECASE,
)
_WILL = re.compile(
    rf"(?<!\bwhat )\b(?:{_WE}|the (?:\w+ )?(?:policy|section|cover|plan|insurance)) (?:(?:will|shall) )?(?:also )?"
    r"(?:pay|cover|give|insure|reimburse|refund|provide|replace|lend|send)s?\b"
    r"|\b(?:is|are) (?:covered|insured|paid|refunded)\b",
    re.IGNORECASE,
)
_MUST = whole(
    *("you must", "you may", "you should", "you can", "provided that", "on condition", "condition precedent"),
    *("only if", "write to", "send"),
)
_PERMITS = whole("you may")
_BUT_NOT_FREELY = whole("not", "only", "must", "unless")
_WHERE = re.compile(
    r"\A(?:if|when|where|while|unless)\b[^,.:;]*,\s*", re.IGNORECASE
)  # what stands before a main clause
_STANDS = whole("does not apply", "is not excluded", "do not apply")
_BOUND = whole("up to", "no more than", "at most", "maximum", "limit", "limited", "not exceed")
_MEANS = re.compile(
    r"\A\W*(?P<terms>(?!(?:It|This|That|These|They)\b)[^.:;]{2,80}?)\s+(?:means?|refers? to|is defined as)\b[:\s]"
)
_TITLE = re.compile(r"\A(?P<title>[A-Z][\w'’-]*(?:,? [\w'’-]+){0,5})\.\s+(?=[A-Z])")
_CAPTION = re.compile(r"(?P<name>(?:Table|Schedule|Appendix|Annex)\s+\w{1,4})\s*[–—:.-]\s*(?P<title>.+)")
_MARKED = 2  # words of a cell that only says whether its row's benefit is covered: "Not covered"
_ENDS = tuple(".!?;:,。；：")


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause of a policy.

    ``number`` as the wording has it (``4.2(b)(iii)``, ``Table A, row B5``), empty where it has none; ``lead``
    the words that open the lists it stands in, outermost first; ``scope`` what its section says of all its
    clauses; ``text`` its own words with those of its items, ``opening`` those before them and ``tail`` those behind
    (empty where it has none); ``refers`` the numbers it names; ``defines`` the terms it explains; ``row`` a table's
    row with its columns. ``source`` is the passage it stands in.
    """

    number: str
    text: str
    source: Source
    headings: tuple[str, ...] = ()
    title: str = ""
    lead: tuple[str, ...] = ()
    scope: tuple[str, ...] = ()
    kind: Kind = "other"
    refers: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    parent: str = ""
    row: Row | None = None
    opening: str = ""
    tail: str = ""

    @property
    def document(self) -> str:
        """The file it stands in."""
        return str(self.source.metadata.get("file") or self.source.title)

    @property
    def cited(self) -> str:
        """The clause as it is quoted: number, the words that open its list, its own words."""
        said = self.row.told() if self.row is not None else self.text
        title = f"{self.title}." if self.title and not said.startswith(self.title) and self.row is None else ""
        own = in_heading(self.headings[-1]) if self.headings else ""
        number = (
            ""
            if self.row is not None or self.number == own or f"{said} ".startswith(f"{self.number} ")
            else self.number
        )
        return " ".join(part for part in (number, title, *self.lead, said) if part)

    @property
    def place(self) -> tuple[str, ...]:
        """Headings and number, outermost first."""
        own = in_heading(self.headings[-1]) if self.headings else ""
        return self.headings if not self.number or self.number == own else (*self.headings, self.number)


@dataclass(slots=True)
class _Open:
    """A clause being read; ``indent`` is how far its line is set in, ``added`` its last paragraph, if it has several.

    What is read behind a list and opens another has a label of level 0 without a number.
    """

    label: Label
    text: str
    source: Source
    parent: _Open | None
    lead: tuple[str, ...] = ()
    children: list[_Open] = field(default_factory=list)
    indent: int = 0
    added: str = ""


def read_policy(sources: Iterable[Source]) -> list[Clause]:
    """The clauses of the documents these passages were cut from, in order."""
    clauses: list[Clause] = []
    for passages in _by_document(sources):
        opened: dict[tuple[str, ...], tuple[str, ...]] = {}  # what a part says of all the sections under it
        for headings, section in _by_section(passages):
            above = tuple(said for n in range(1, len(headings)) for said in opened.get(headings[:n], ()))
            reader = _Reader(headings, in_heading(headings[-1]) if headings else "", above)
            for source in section:
                for block in re.split(r"\n\s*\n", source.text):
                    if block.strip():
                        reader.take(block.strip("\n"), source)
            opened[headings] = reader.scope
            clauses += reader.clauses()
    return clauses


def _by_document(sources: Iterable[Source]) -> list[list[Source]]:
    groups: dict[str, list[Source]] = {}
    for source in sources:
        groups.setdefault(
            str(source.metadata.get("file") or source.metadata.get("document_id") or source.title), []
        ).append(source)
    return [sorted(group, key=lambda one: int(one.metadata.get("start") or 0)) for group in groups.values()]


def _by_section(passages: Sequence[Source]) -> Iterator[tuple[tuple[str, ...], list[Source]]]:
    last: tuple[str, ...] | None = None
    group: list[Source] = []
    for source in passages:
        headings = tuple(str(one) for one in source.metadata.get("section_hierarchy") or ())
        if headings != last and group:
            yield last or (), group
            group = []
        last = headings
        group.append(source)
    if group:
        yield last or (), group


class _Reader:
    """Reads the blocks of one section in order."""

    def __init__(self, headings: tuple[str, ...], own: str, above: tuple[str, ...]) -> None:
        self._headings = headings
        self._above = above  # what the parts it stands in say of all their sections
        self._own = own  # the number the heading itself carries
        self._before: list[tuple[str, Source]] = []  # paragraphs that stand before any clause
        self._roots: list[_Open] = []
        self._stack: list[_Open] = []
        self._lead = ""  # what opens the list that has begun anew
        self._order: list[_Open | Clause] = []
        over = headings[-1] if headings else ""
        caption = _CAPTION.match(over)  # a table without a caption of its own goes by the heading over it
        self._caption = (caption["name"], caption["title"]) if caption else (bare_heading(over), "")

    def take(self, block: str, source: Source) -> None:
        """One paragraph, list or table."""
        if is_table(block):
            self._table(block, source)
            return
        for line in block.split("\n"):
            if line.strip() and not line.lstrip().startswith("#"):
                indent = len(line) - len(line.lstrip())
                for part in split_run_on(" ".join(line.replace("**", "").split()), self._last_number()):
                    self._line(part, source, indent)

    def _last_number(self) -> str:
        return self._stack[0].label.written if self._stack else ""

    def _line(self, line: str, source: Source, indent: int) -> None:
        if caption := _CAPTION.match(line):
            self._caption = caption["name"], caption["title"]
            return
        letters = [one.label for one in self._stack[1:]]
        label, rest = opening_label(line, letters)
        within = bool(self._stack) and indent > self._stack[0].indent
        if label is None:
            self._more(line, source, indent)
        elif within and (label.level or label.written.isdigit()):  # an inner list is set in
            while self._stack[-1].indent >= indent:
                self._stack.pop()
            inner = label if label.level else Label("", 3)
            self._open(inner, rest if label.level else line, source, self._stack[-1], indent)
        elif label.level == 0:
            within_own = self._own if label.written.startswith("(") else ""
            self._anew(label)
            self._open(Label(within_own + label.written, 0), rest, source, None, indent)
        else:
            while self._stack[1:] and self._stack[-1].indent > indent:
                self._stack.pop()
            while self._stack and self._stack[-1].label.level >= label.level:
                self._stack.pop()
            if not self._stack:
                opens = bool(self._before) and self._before[-1][0].endswith(":")
                self._open(Label(self._own, 0), self._before.pop()[0] if opens else "", source, None)
            self._open(label, rest, source, self._stack[-1], indent)

    def _anew(self, label: Label) -> None:
        """A list that counts from 1 again is opened by the paragraph before it, which is not of the last item."""
        last = self._stack[0] if self._stack else None
        if label.written == "1" and last is not None and last.label.written.isdigit() and last.added.endswith(":"):
            last.text = last.text.removesuffix(last.added).rstrip()
            self._lead = last.added

    def _open(self, label: Label, text: str, source: Source, parent: _Open | None, indent: int = 0) -> None:
        opened = _Open(label, text, source, parent, indent=indent)
        if parent is None:
            lead = self._lead or next((said for said, _ in reversed(self._before) if said.endswith(":")), "")
            opened.lead = (lead,) if lead else ()
            self._stack = [opened]
            self._roots.append(opened)
            self._order.append(opened)
        else:
            parent.children.append(opened)
            self._stack.append(opened)

    def _more(self, line: str, source: Source, indent: int) -> None:
        """Words without a label: the rest of the last clause's sentence, a tail of it, or words before any clause."""
        last = self._stack[-1] if self._stack else None
        if last is not None and (line[:1].islower() or not _is_over(last.text)):
            last.text = f"{last.text} {line}".strip()
        elif last is not None:
            root = next((one for one in reversed(self._stack) if one.indent < indent), self._stack[0])
            if _terms_of(root.text) and _terms_of(line):  # a list of definitions goes on without labels
                self._stack = []
                self._before.append((line, source))
            elif root.children:
                while self._stack[-1] is not root:
                    self._stack.pop()
                if line.endswith(":"):  # another list of the same clause
                    self._open(Label("", 0), line, source, root, root.indent)
                else:
                    root.children.append(_Open(Label("", 9), line, source, root))
            else:
                root.text, root.added = f"{root.text} {line}".strip(), line
        elif self._before and (line[:1].islower() or not _is_over(self._before[-1][0])):
            self._before[-1] = f"{self._before[-1][0]} {line}", self._before[-1][1]
        else:
            self._before.append((line, source))

    def _table(self, block: str, source: Source) -> None:
        name, title = self._caption
        head, cells = in_columns(block)
        does = [kind_of(column, (), "") for column in head]
        if "exclusion" in does and (does[0] != "other" or any(len(row[-1].split()) > _MARKED for row in cells)):
            self._order += self._beside(head, does, cells, source)
            return
        made = [
            Clause(
                f"{name or 'Table'}, row {row.key}",
                row.told(),
                source,
                self._headings,
                title,
                kind="limit",
                refers=numbers_in(row.told()),
                parent=name,
                row=row,
            )
            for row in rows_of(block, name, title)
        ]
        if not made:
            # A figure whose column is not known is told of none: the table is shown as it stands.
            over = " – ".join(part for part in (name, title) if part)
            rows = [" ".join(filter(None, row)) for row in (head, *cells)]
            text = " ".join([f"{over}:" if over else "", *rows]).strip()
            made = [self._made(name or "Table", text, source, (), (), "")]
        self._order += made

    def _beside(
        self, head: Sequence[str], does: Sequence[Kind], rows: Sequence[Sequence[str]], source: Source
    ) -> Iterator[Clause]:
        """What is covered and what is not, told in columns side by side: each cell is opened by its column's name."""
        for row in rows:
            name = row[0] if does[0] == "other" else ""
            for column, cell in list(zip(head, row, strict=True))[bool(name) :]:
                lead = (f"{name} – {column}:" if name else f"{column}:",)
                if cell:
                    yield self._made(self._own, cell, source, lead, self._above, self._own)

    @property
    def scope(self) -> tuple[str, ...]:
        """What stands before the first clause and opens no list: it is said of every clause of the section."""
        return tuple(said for said, _ in self._before if not said.endswith(":"))

    def clauses(self) -> list[Clause]:
        """All that was read, numbered clauses with their items behind them."""
        leads = [said for said, _ in self._before if said.endswith(":")] if self._roots else []
        scope = (*self._above, *(self.scope if self._roots else ()))
        found = [
            self._made(self._own, said, source, (), self._above, "")
            for said, source in self._before
            if said not in leads
        ]
        for one in self._order:
            found += [one] if isinstance(one, Clause) else self._tree(one, one.lead, scope, "", "")
        return found

    def _tree(
        self, node: _Open, lead: tuple[str, ...], scope: tuple[str, ...], parent: str, title: str
    ) -> list[Clause]:
        """A clause and its items, which inherit what opens their list."""
        number = parent + node.label.written if node.parent is not None else node.label.written
        opening, items = inline_items(node.text)
        children = [*(_Open(label, text, node.source, node) for label, text in items), *node.children]
        lettered = [one for one in children if one.label.level != 9 and (one.label.level or one.children)]
        tail = " ".join(one.text for one in children if all(one is not other for other in lettered))
        whole = " ".join([node.text, *(_whole(one) for one in node.children)]).strip()
        parts = {"opening": opening, "tail": tail} if lettered else {}
        made = self._made(number, whole, node.source, lead, scope, parent, above=title, **parts)
        below = (*lead, _last_sentence(opening)) if lettered and opening else lead
        only_listed = not node.text and all(one.label.level == 3 for one in children)  # nothing is said of all of them
        found = [] if only_listed else [made]
        for one in lettered:
            found += self._tree(one, below if one.label.level else lead, scope, number, made.title)
        return found

    def _made(
        self, number: str, text: str, source: Source, lead: tuple[str, ...], scope: tuple[str, ...], parent: str,
        *, above: str = "", opening: str = "", tail: str = "",
    ) -> Clause:  # fmt: skip
        heading = self._headings[-1] if self._headings else ""
        titled = _TITLE.match(text)
        title = titled["title"] if titled and not parent else above
        terms = _terms_of(text) if not parent else ()
        kind = kind_of(text, lead, heading, defines=bool(terms))
        refers = tuple(one for one in numbers_in(text) if one != number)
        where = (self._headings, title, lead, scope)
        return Clause(number, text, source, *where, kind, refers, terms, parent, None, opening, tail)


def _is_over(text: str) -> bool:
    """Whether a line ends where its sentence or its item may."""
    return text.rstrip("\"'”’)]*_").endswith(_ENDS) or text.endswith((" and", " or"))


def _whole(node: _Open) -> str:
    written = node.label.written
    return " ".join([f"{written} {node.text}".strip(), *(_whole(one) for one in node.children)])


def _last_sentence(text: str) -> str:
    """The sentence that opens a list: the last one of what stands before it."""
    spans = sentences(text)
    return text[spans[-1].start : spans[-1].end] if spans else text


def _terms_of(text: str) -> tuple[str, ...]:
    """The capitalised terms a clause explains: "Excess means …"; the ones explained within it too."""
    found = _MEANS.match(text)
    if not found or not found["terms"][:1].isupper():
        return ()
    inner = re.findall(r"(?<=[.;] )([A-Z][\w-]*(?:[ -][A-Z][\w-]*){0,3}) (?:means|includes)\b", text)
    return tuple(dict.fromkeys([*(part.strip() for part in found["terms"].split(",")), *inner]))


def kind_of(text: str, lead: Sequence[str], heading: str, *, defines: bool = False) -> Kind:
    """What a clause does, by the words that open its list, else its own, else its heading.

    >>> kind_of("racing;", ["We will not pay for:"], ""), kind_of("We will pay up to £300.", [], "")
    ('exclusion', 'limit')
    """
    if defines:
        return "definition"
    opens = " ".join(lead)
    has_figure = any(map(str.isdecimal, text))
    bounded = has_figure and _BOUND.search(text) is not None
    titled = _TITLE.match(text)
    own = text[titled.end() :] if titled else text
    first = own[: own.find(". ") + 1] or own
    main = _WHERE.sub("", first)
    for said in (opens, main, first, heading):
        if not said:
            continue
        inherited = said in (opens, heading)
        if _WILL_NOT.search(said) and (inherited or not _WILL.search(said[: _place(_WILL_NOT, said)])):
            return "exception" if _STANDS.search(said) else "exclusion"
        if _WILL.search(said):
            return "limit" if bounded else "cover"
        if not inherited and (permits := _PERMITS.search(said)) and not _BUT_NOT_FREELY.search(said, permits.end()):
            return "other"
        if _MUST.search(said) and (said is not main or said == first):
            return "procedure" if not inherited and has_figure else "condition"
    return "limit" if bounded else "other"


def _place(pattern: re.Pattern[str], text: str) -> int:
    found = pattern.search(text)
    return found.start() if found else len(text)
