"""Finds inside a line of Markdown the marks that are for a site's builder and not for its reader, to take them out.

Bold, italics and `code` stay: they are what an author says. Its one hard thing is to leave code spans alone.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping

from lxml.html import defs

from footnoted.retrieval.load.document import folded_name
from footnoted.retrieval.load.weave import Edit
from footnoted.text.marks import skip

# The elements of HTML, new ones and obsolete ones too; other <names>, such as <command>, are placeholders people read.
TAGS = (defs.tags - {"command"}) | frozenset("bdi data dialog frame main nobr picture search slot template".split())
MUTE = frozenset("script style template svg iframe video audio object canvas".split())  # nobody reads what they hold
_ATTRIBUTE = r"(?:\s+[\w:@.-]+(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'|\{(?:[^{}]|\{[^{}]*\})*\}|[^\s\"'<>=`{}]+))?)"
TAG = re.compile(rf"<(?P<end>/?)(?P<tag>[A-Za-z][\w.:-]*)(?P<attributes>{_ATTRIBUTE}*+)\s*(?P<void>/?)>")
_LISTED = r"(?:[#.][\w:.-]+|[A-Za-z_][\w:-]*=(?:\"[^\"]*\"|'[^']*'|[^\s{}\"']+))"
_MARK = re.compile(
    rf"""(?=[`\\<{{:&!\[\]])(?:(?P<code>(?<!`)(`+)(?!`))
    |(?P<escape>\\[\\`*_{{}}\[\]()#+.!|<>~-])
    |(?P<comment><!--.{{0,2000}}?-->|\{{/\*.{{0,2000}}?\*/\}})
    |(?P<include>\{{\*[^\n]{{0,500}}?\*\}}|\{{![^\n]{{0,500}}?!\}})
    |(?P<template>\{{%.{{0,1000}}?%\}}|\{{\{{.{{0,1000}}?\}}\}})
    |(?P<braces>\{{\s*(?:"(?P<double>[^"\n]*)"|'(?P<single>[^'\n]*)'|[A-Za-z_$][\w.$]*)\s*\}}(?!`))
    |(?P<listed>\{{:?\s*{_LISTED}(?:\s+{_LISTED})*\s*\}})
    |(?P<role>\{{[a-z][\w:+-]*\}}(?=`)|(?<![\w:`]):[a-z][\w:+-]*:(?=`[^`]))
    |(?P<icon>:(?:material|fontawesome|octicons|simple)-[\w-]+:)
    |(?P<auto><(?P<address>(?:https?://|mailto:)[^\s<>]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+)>)
    |(?P<html>{TAG.pattern})
    |(?P<entity>&(?:\#\d{{1,7}}|\#[xX][0-9a-fA-F]{{1,6}}|[A-Za-z]\w{{1,30}});)
    |(?P<note>\[\^[^\]\n]+\]:?)
    |(?P<open>!?\[)
    |(?P<close>\]))
    """,
    re.VERBOSE | re.DOTALL,
)
_TARGET = re.compile(
    r"\(\s*(?P<to><[^<>\n]*>|[^\s()<]*+(?:\([^\s()]*\)[^\s()]*+)*+)(?:\s+(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?\s*\)"
    r"|\[(?P<name>[^\[\]\n]*)\]"
)
_ELSEWHERE = ("http:", "https:", "mailto:", "tel:", "ftp:")
_ROLE_TARGET = re.compile(r"`([^`<>]*[^`<>\s])\s*<[^`<>]+>`")


def is_markup(tag: str) -> bool:
    """Whether ``<tag>`` is an element of HTML or a component, and not a placeholder such as ``<your-name>``.

    >>> is_markup("div"), is_markup("CardGroup"), is_markup("account")
    (True, True, False)
    """
    component, *parts = tag.split(".")
    named = "A" <= tag[:1] <= "Z" and any("a" <= char <= "z" for char in component)
    return tag.lower() in TAGS or (named and all(part.replace("_", "a").isalnum() for part in (component, *parts)))


def inline_edits(
    text: str, start: int, end: int, *, references: Mapping[str, str], components: bool = False, tags: bool = True
) -> list[Edit]:
    """What to take out of ``text[start:end]``, a stretch of one block without listings.

    ``references`` are link definitions by folded name; ``components`` says that it is MDX, where braces hold
    expressions; without ``tags`` angle brackets hold words. A link that leads out of the collection stays whole, one
    inside it becomes its words.
    """
    edits: list[Edit] = []
    opened: list[tuple[int, int, bool]] = []  # start, how many edits there were, whether an image
    unclosed: set[str] = set()  # elements that end nowhere from here on
    at = start
    while (match := _MARK.search(text, at, end)) is not None:
        at = match.end()
        kind = match.lastgroup or ""
        if kind == "code":
            at = _code_ends(text, match.group(2), at, end)
        elif kind == "open":
            opened.append((match.start(), len(edits), text[match.start()] == "!"))
        elif kind == "close":
            if opened:
                at = _close(text, opened.pop(), at, end, edits, references)
        elif kind == "role":
            edits.append(Edit(match.start(), at))
            if target := _ROLE_TARGET.match(text, at, end):
                edits.append(Edit(target.end(1), target.end() - 1))
        elif (kind == "braces" and not components) or (kind == "html" and not tags):
            continue
        elif kind == "html" and (closed_at := _end_of_mute(match, end, unclosed)):
            edits.append(Edit(match.start(), closed_at))
            at = closed_at
        elif (new := _replaced(match, kind)) is not None:
            begin = match.start()
            while kind == "listed" and begin > start and text[begin - 1] in " \t":
                begin -= 1
            edits.append(Edit(begin, at, new))
    return edits


def _code_ends(text: str, ticks: str, at: int, end: int) -> int:
    """Behind the next run of just so many backticks; ``at`` where there is none."""
    begin = text.find(ticks, at, end)
    while begin >= 0:
        behind = skip(text, begin, end, "`")
        if behind - begin == len(ticks):
            return behind
        begin = text.find(ticks, behind, end)
    return at


def _end_of_mute(match: re.Match[str], end: int, unclosed: set[str]) -> int:
    """Where an element ends that holds no words for readers; 0 for any other, and for one that ends nowhere."""
    tag = match["tag"].lower()
    if tag not in MUTE or match["end"] or match["void"] or tag in unclosed:
        return 0
    closed = next((one for one in TAG.finditer(match.string, match.end(), end) if closes(one, tag)), None)
    if closed is None:
        unclosed.add(tag)
        return 0
    return closed.end()


def closes(tag: re.Match[str], name: str) -> bool:
    """Whether a tag closes elements of this name, in any case."""
    return bool(tag["end"]) and tag["tag"].lower() == name


def _replaced(match: re.Match[str], kind: str) -> str | None:
    """What stands instead of a mark; nothing when it is to stay."""
    if kind == "escape":
        return None
    if kind == "braces":
        return match["double"] or match["single"] or ""
    if kind == "auto":
        return str(match["address"])
    if kind == "html":
        if not is_markup(match["tag"]):
            return None
        return " " if match["tag"].lower() in {"br", "td", "th", "li"} else ""
    if kind == "entity":
        read = html.unescape(match["entity"])
        # What would be markup once it is read stays as it is written.
        return None if read == match["entity"] or read in "<>|`*_[]" else " " if read == "\xa0" else read
    return ""


def _close(
    text: str,
    opener: tuple[int, int, bool],
    at: int,
    end: int,
    edits: list[Edit],
    references: Mapping[str, str],
) -> int:
    """A bracket closed: a link, an image, or only brackets. Where to go on."""
    start, before, image = opener
    inside = start + 2 if image else start + 1
    words = text[inside : at - 1]
    after, to = at, references.get(folded_name(words))
    target = _TARGET.match(text, at, end)
    if target and target["to"] is not None:
        after, to = target.end(), target["to"].strip("<>")
    elif target and (named := references.get(folded_name(target["name"] or words))) is not None:
        after, to = target.end(), named
    if to is None:
        return at
    for edit in reversed(edits[before:]):
        words = words[: edit.start - inside] + edit.new + words[edit.end - inside :]
    if image or not words.strip():
        del edits[before:]
        edits.append(Edit(start, after))
    elif not to.lower().startswith(_ELSEWHERE):
        edits.insert(before, Edit(start, inside))
        edits.append(Edit(at - 1, after))
    elif text[at : at + 1] != "(":
        edits.append(Edit(at, after, f"({to})"))
    return after
