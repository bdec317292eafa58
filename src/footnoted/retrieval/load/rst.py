"""Reads reStructuredText, Sphinx's too, by docutils: roles, directives and targets go, what they say stays.

The hard thing is that docutils refuses what it does not know, and that Sphinx knows more: names it does not have are
registered before, roles as their words, directives as their content.
"""

from __future__ import annotations

import re
import threading
from typing import TYPE_CHECKING, Any

from footnoted.errors import SourceError
from footnoted.retrieval.load.document import Document, Draft

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_ROLE = re.compile(r":([a-zA-Z][\w:+.-]*):`")
# What builds a page and says nothing on it.
_MUTE = frozenset(
    """toctree autosummary currentmodule module index only tabularcolumns image raw
    include literalinclude graphviz plantuml highlight contents meta sectnum header footer figure-md default-role
    py:currentmodule py:module testsetup testcleanup bibliography""".split()
)
_LISTINGS = frozenset(
    "code-block sourcecode code ipython prompt parsed-literal testcode testoutput console doctest".split()
)
_LISTS = frozenset("bullet_list enumerated_list definition_list field_list option_list".split())
_NAMES = frozenset("term classifier field_name option_group".split())  # what an item is about, before what it says
_BARE = "bare"  # a directive that holds nothing
_ELSEWHERE = ("http:", "https:", "mailto:", "ftp:")
_ONE_AT_A_TIME = threading.Lock()  # docutils' registers are the process's


def is_rst(text: str) -> bool:
    """Whether a text file is reStructuredText: it has a directive, or a role before words in backticks.

    >>> is_rst(".. note:: Mind the gap."), is_rst("See :doc:`install`."), is_rst("Note: mind the gap.")
    (True, True, False)
    """
    return bool(_directives(text) or _ROLE.search(text))


def _directives(text: str) -> set[str]:
    """The names of the directives in a text."""
    lines = (line.lstrip(" \t").partition("::") for line in text.split("\n"))
    return {before[3:] for before, colons, _ in lines if colons and before.startswith(".. ") and before.count(" ") == 1}


def read_rst(path: str, text: str, *, kind: str = "rst") -> Document:
    """The document of a reStructuredText file. Raises `SourceError` when docutils gives up on it."""
    from docutils import nodes
    from docutils.core import publish_doctree
    from docutils.utils import SystemMessage

    settings = {
        "report_level": 5,
        "halt_level": 5,
        "file_insertion_enabled": False,
        "raw_enabled": False,
        "_disable_config": True,
        "doctitle_xform": False,
        "docinfo_xform": False,
        "smart_quotes": False,
        "warning_stream": False,
        "line_length_limit": 100_000,
    }
    with _ONE_AT_A_TIME:
        _register(text)
        try:
            tree = publish_doctree(text, settings_overrides=settings)
        except (
            SystemMessage,
            RecursionError,
            ValueError,
            AttributeError,
            IndexError,
            TypeError,
            AssertionError,
        ) as error:
            raise SourceError(f"is damaged: its reStructuredText cannot be read ({type(error).__name__})") from error
    draft = Draft()
    writer = _Writer(draft, {node.astext() for node in tree.findall(nodes.title)})
    writer.write(tree, 1)
    return draft.document(path, kind=kind, metadata=writer.metadata)


def _register(text: str) -> None:
    """Make known what this file uses and docutils has not: its roles and directives."""
    from docutils import nodes
    from docutils.parsers.rst import Directive, directives, roles
    from docutils.parsers.rst.languages import en

    class AnyOptions(dict[str, Any]):
        def __missing__(self, key: str) -> Any:
            return lambda value: value

    class Content(Directive):  # type: ignore[misc, unused-ignore] # docutils has no types
        has_content = True
        optional_arguments = 1
        final_argument_whitespace = True
        option_spec = AnyOptions(name=lambda value: value)

        def run(self) -> list[nodes.Node]:
            if self.name in _MUTE:
                return []
            bare = not self.content and "(" not in "".join(self.arguments)
            if bare and (self.name == "class" or self.name.startswith("auto")):  # a style; a name told from code
                return []
            words = "\n".join(self.content)
            if self.name in _LISTINGS:
                listing = nodes.literal_block(words, words)
                listing["classes"] = self.arguments[:1]
                return [listing]
            holder = nodes.container()
            holder["classes"] = [] if self.content else [_BARE]
            for line in self.arguments[0].split("\n") if self.arguments else []:
                spans = [nodes.Text(line.replace("\\", ""))]
                if "`" in line or "(" not in line:  # in a signature asterisks are no emphasis
                    spans, _ = self.state.inline_text(line, self.lineno)
                around = nodes.strong if self.content else nodes.inline
                if not any(map(str.isalpha, line)):  # a version alone: the directive's name says what of it
                    spans, around = [nodes.Text(f"{self.name}: {line}")], nodes.inline
                holder += nodes.paragraph("", "", around("", "", *spans))
            self.state.nested_parse(self.content, self.content_offset, holder)
            return [holder]

    def words_alone(
        _name: str, _raw: str, words: str, *_more: Any, **_options: Any
    ) -> tuple[list[nodes.Node], list[Any]]:
        said, opened, _ = words.rpartition("<")
        if opened and words.endswith(">"):
            return [nodes.inline("", said.rstrip())], []
        last = words.lstrip("~!").rpartition(".")[2] if words.startswith("~") else words
        return [nodes.literal("", last.lstrip("!"))], []

    def titled(role: Any) -> Any:
        """Docutils' role where it is written as docutils has it, ours where it has Sphinx's title."""
        return lambda *given, **options: (words_alone if given[2].endswith(">") else role)(*given, **options)

    for name in _directives(text):  # Sphinx's own listing has options that docutils' refuses
        if name.lower() not in en.directives or name in _LISTINGS | _MUTE | {"class"}:
            directives.register_directive(name, Content)
    for name in set(_ROLE.findall(text)):
        if name.lower() not in en.roles:
            roles.register_local_role(name, words_alone)
    roles.register_local_role("pep", titled(roles.pep_reference_role))
    roles.register_local_role("rfc", titled(roles.rfc_reference_role))


class _Writer:
    """Walks docutils' tree and writes its blocks into a draft."""

    def __init__(self, draft: Draft, titles: Collection[str] = ()) -> None:
        self.metadata: dict[str, str] = {}
        self._draft = draft
        self._titles = titles

    def write(self, parent: Any, level: int) -> None:
        for node in parent.children:
            self.node(node, level)

    def node(self, node: Any, level: int) -> None:
        kind, draft = type(node).__name__, self._draft
        if kind == "section":
            self.write(node, level + 1)
        elif kind in {"title", "subtitle", "rubric"}:
            if type(node.parent).__name__ in {"section", "document"} and kind != "rubric":
                draft.heading(min(6, max(1, level - 1)), node.astext())
            else:
                draft.paragraph(f"**{' '.join(node.astext().split())}**")
        elif kind in {"paragraph", "attribution", "caption", "line_block", "term"}:
            draft.paragraph(_inline(node))
        elif kind == "field_list" and not draft.blocks and not draft.headings:  # before all else: the file's metadata
            pairs = [[" ".join(_inline(part).split()) for part in item.children[:2]] for item in node.children]
            self.metadata |= {pair[0].casefold(): pair[1] for pair in pairs if len(pair) > 1 and all(pair)}
        elif kind in _LISTS:
            draft.items(_items(node))
        elif kind in {"literal_block", "doctest_block"}:
            known = [name for name in node.get("classes", []) if name != "code"]
            draft.code(node.astext(), known[0] if known else "")
        elif kind == "table":
            self._table(node)
        elif kind not in _UNSEEN and node.children and not self._is_headed(node):
            self.write(node, level)

    def _is_headed(self, node: Any) -> bool:
        """Whether it is a directive that holds nothing and says what a heading of the page says."""
        return _BARE in node["classes"] and node.astext() in self._titles

    def _table(self, node: Any) -> None:
        caption = next((child.astext() for child in node.children if type(child).__name__ == "title"), "")
        rows = [
            [" ".join(_inline(cell).split()) for cell in row.children]
            for row in node.findall(lambda inner: type(inner).__name__ == "row")
        ]
        self._draft.table(rows, caption=caption)


_UNSEEN = frozenset("comment system_message substitution_definition target image pending meta raw decoration".split())


def _inline(node: Any) -> str:
    """The running text under a node, code and emphasis as Markdown marks them, links out of the collection kept."""
    kind = type(node).__name__
    if kind == "Text":
        return str(node.astext())
    if kind in _UNSEEN | {"footnote_reference", "citation_reference", "problematic"}:
        return str(node.astext()) if kind == "problematic" and "`" not in node.astext() else ""
    between = "\n" if kind in {"line_block", "definition", "field_body", "entry"} else ""
    words = between.join(filter(None, map(_inline, node.children)))
    if kind in {"literal", "title_reference"} and words:
        return f"`{words}`"
    if kind == "strong" and words.strip():
        return f"**{words}**"
    if kind == "emphasis" and words.strip():
        return f"*{words}*"
    to = node.get("refuri", "") if kind == "reference" else ""
    if to.lower().startswith(_ELSEWHERE) and to != words:
        return f"[{words}]({to})"
    return words


def _is_text(node: Any) -> bool:
    """Whether a node is words alone, to be read in a line."""
    from docutils import nodes

    running = isinstance(node, nodes.TextElement) and not isinstance(node, nodes.FixedTextElement)
    return running or type(node).__name__ in {"line_block", "option_group"}


def _parts(item: Any) -> Iterator[Any]:
    """The words, listings, tables and lists in a list's item, whatever holds them."""
    for node in item.children:
        if _is_text(node) or type(node).__name__ in _LISTS | _UNSEEN | {"table", "literal_block", "doctest_block"}:
            yield node
        else:
            yield from _parts(node)


def _items(node: Any) -> list[str]:
    """The items of a list: the words of each in a line, and under them the listings, tables and lists in it."""
    items: list[str] = []
    for number, item in enumerate(node.children, int(node.get("start", 1))):
        lines = [f"{number}." if type(node).__name__ == "enumerated_list" else "-"]
        goes_on = True
        parts = list(_parts(item))
        for part in parts:
            if _is_text(part):
                words = " ".join(_inline(part).split())
                if type(part).__name__ in _NAMES and part is not parts[-1]:
                    words = words.removesuffix(":") + ":"
                lines[-1:] = [f"{lines[-1]} {words}"] if goes_on else [lines[-1], f"  {words}"]
                goes_on = True
                continue
            inner = Draft()
            _Writer(inner).node(part, 1)
            if inner.blocks:
                lines += [f"  {line}".rstrip() for line in inner.text.split("\n")]
                goes_on = False
        items.append("\n".join(lines))
    return items
