"""Reads reStructuredText, Sphinx's too, by docutils: roles, directives and targets go, what they say stays.

The hard thing is that docutils refuses what it does not know, and that Sphinx knows more: names it does not have are
registered before, roles as their words, directives as their content.
"""

from __future__ import annotations

import re
import threading
from typing import Any

from footnoted.errors import SourceError
from footnoted.retrieval.load.document import Document, Draft

_ROLE = re.compile(r":([a-zA-Z][\w:+.-]*):`")
# What builds a page and says nothing on it.
_MUTE = frozenset(
    """toctree automodule autoclass autofunction autosummary currentmodule module index only tabularcolumns image raw
    include literalinclude graphviz plantuml highlight contents meta sectnum header footer figure-md default-role
    py:currentmodule py:module testsetup testcleanup bibliography""".split()
)
_LISTINGS = frozenset(
    "code-block sourcecode code ipython prompt parsed-literal testcode testoutput console doctest".split()
)
_ELSEWHERE = ("http:", "https:", "mailto:", "ftp:")
_ONE_AT_A_TIME = threading.Lock()  # docutils' registers are the process's


def read_rst(path: str, text: str) -> Document:
    """The document of a reStructuredText file. Raises `SourceError` when docutils gives up on it."""
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
    writer = _Writer(draft)
    writer.write(tree, 1)
    return draft.document(path, kind="rst", metadata=writer.metadata)


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
            words = "\n".join(self.content)
            if self.name in _LISTINGS:
                listing = nodes.literal_block(words, words)
                listing["classes"] = self.arguments[:1]
                return [listing]
            holder = nodes.container()
            for line in self.arguments[0].split("\n") if self.arguments else []:
                spans, _ = self.state.inline_text(line, self.lineno)
                around = nodes.strong if self.content else nodes.inline
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

    lines = (line.lstrip(" \t").partition("::") for line in text.split("\n"))
    named = {
        before[3:] for before, colons, _ in lines if colons and before.startswith(".. ") and before.count(" ") == 1
    }
    for name in named:  # Sphinx's own listing has options that docutils' refuses
        if name.lower() not in en.directives or name in _LISTINGS | _MUTE:
            directives.register_directive(name, Content)
    for name in set(_ROLE.findall(text)):
        if name.lower() not in en.roles:
            roles.register_local_role(name, words_alone)


class _Writer:
    """Walks docutils' tree and writes its blocks into a draft."""

    def __init__(self, draft: Draft) -> None:
        self.metadata: dict[str, str] = {}
        self._draft = draft

    def write(self, parent: Any, level: int) -> None:
        for node in parent.children:
            self._node(node, level)

    def _node(self, node: Any, level: int) -> None:
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
        elif kind in {"bullet_list", "enumerated_list"}:
            draft.items(_items(node, ""))
        elif kind == "definition_list":
            draft.items([f"- {_defined(item)}" for item in node.children])
        elif kind in {"field_list", "option_list"}:
            self._fields(node, opens=not draft.blocks and not draft.headings)
        elif kind in {"literal_block", "doctest_block"}:
            known = [name for name in node.get("classes", []) if name != "code"]
            draft.code(node.astext(), known[0] if known else "")
        elif kind == "table":
            self._table(node)
        elif kind not in _UNSEEN and node.children:
            self.write(node, level)

    def _fields(self, node: Any, *, opens: bool) -> None:
        """Fields: before all else they are the file's metadata, elsewhere a list."""
        pairs = [[" ".join(_inline(part).split()) for part in item.children[:2]] for item in node.children]
        if opens:
            self.metadata |= {pair[0].casefold(): pair[1] for pair in pairs if len(pair) > 1 and all(pair)}
        else:
            self._draft.items([f"- {': '.join(part for part in pair if part)}" for pair in pairs])

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


def _items(node: Any, indent: str) -> list[str]:
    items: list[str] = []
    for number, item in enumerate(node.children, int(node.get("start", 1))):
        mark = f"{number}." if type(node).__name__ == "enumerated_list" else "-"
        lists = [part for part in item.children if type(part).__name__ in {"bullet_list", "enumerated_list"}]
        own = " ".join(" ".join(_inline(part).split()) for part in item.children if part not in lists)
        nested = [line for part in lists for line in _items(part, indent + "  ")]
        items.append("\n".join([f"{indent}{mark} {own}", *nested]))
    return items


def _defined(item: Any) -> str:
    words = [" ".join(_inline(part).split()) for part in item.children]
    return ": ".join(part for part in words if part)
