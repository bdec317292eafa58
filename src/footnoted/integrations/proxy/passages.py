"""Finds the passages that a text was given as evidence: in markup, in JSON, under a label, between rules.

The hard thing is that instructions stand in the same text and are no evidence. So nothing counts but what is set off in
one of the ways that prompts and tools really use; a text that only speaks of something is no source.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from footnoted.text.markdown import stretches
from footnoted.text.marks import skip_space
from footnoted.text.phrases import places

_MOST_DEPTH = 6
_MOST_PASSAGES = 400
# Elements by which prompts set off what was retrieved (Anthropic's long-context advice, Open WebUI, LangChain, …).
HOLDERS = frozenset(
    "document documents doc docs context contexts source sources passage passages search_result search_results result "
    "results retrieved_context retrieved_documents chunk chunks excerpt excerpts snippet snippets article articles "
    "knowledge attachment attachments file files attached_file webpage page reference references evidence".split()
)
_CONTENT = frozenset("document_content document_contents content contents text page_content body".split())
_NAMES = ("title", "name", "file_name", "filename", "source", "url", "file", "path")
_TEXTS = ("text", "content", "page_content", "passage", "body", "chunk", "snippet", "document", "excerpt")
_TAG = re.compile(r"<(?P<close>/?)(?P<name>[A-Za-z][\w.:-]{0,60})(?P<attributes>(?:\s[^<>]{0,2000})?)>")
_ATTRIBUTE = re.compile(r"([\w.:-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
# "Context:" on a line of its own words, up to the next such label: what LangChain's and LlamaIndex's templates do.
_LABEL = re.compile(r"^[ \t]*[#*]*[ \t]*([A-Za-z][\w /]{1,40}?)[*]*[ \t]*:[*]*[ \t]*", re.MULTILINE)
_EVIDENCE = (" context", " sources", " documents", " passages", " excerpts", " search results")
_ASKS = (" question", " query", " answer", " instruction", " instructions", " task", " request")
_RULED = re.compile(r"^[-=]{4,}[ \t]*$", re.MULTILINE)
_ANNOUNCED = re.compile(r"\bpieces of (?:retrieved )?context\b[^\n]*(?:\n[^\n]+)*?(?:\n[-=]{4,}[ \t]*\n|\n\s*\n)")


@dataclass(frozen=True, slots=True)
class Passage:
    """A text that was given as evidence, and what it was called."""

    text: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class _Element:
    name: str
    attributes: dict[str, str]
    inner: str


def passages_in(text: str) -> list[Passage]:
    """The passages set off in a prompt's words; none where nothing is.

    >>> passages_in('Use these. <document title="Car"><content>Glass is covered.</content></document> Is it?')
    [Passage(text='Glass is covered.', title='Car')]
    """
    if "<" in text and (found := list(_in_markup(text))):
        return found[:_MOST_PASSAGES]
    for part in (*(piece for piece, is_code in stretches(text) if is_code), text):
        if found := passages_of_json(part, inside=True):
            return found
    return [Passage(each) for each in _labelled(text) if each]


def passages_of_json(text: str, *, inside: bool = False) -> list[Passage]:
    """The passages of a JSON text that is, or somewhere holds, a list of objects with words in them.

    ``inside``: the list may stand in the middle of other words.
    """
    stripped = text.strip()
    if stripped[:1] in ("[", "{"):
        try:
            return list(_in_value(json.loads(stripped)))[:_MOST_PASSAGES]
        except (ValueError, RecursionError):
            pass
    listed = (at for at in places("[", text) if text.startswith("{", skip_space(text, at + 1, len(text))))
    if inside and (begin := next(listed, -1)) >= 0:
        try:
            value, _ = json.JSONDecoder().raw_decode(text, begin)
            return list(_in_value(value))[:_MOST_PASSAGES]
        except (ValueError, RecursionError):
            pass
    return []


def _in_value(value: Any, depth: int = 0) -> Iterator[Passage]:
    if depth > _MOST_DEPTH:
        return
    if isinstance(value, dict):
        for inner in value.values():
            yield from _in_value(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            passage = _as_passage(inner) if isinstance(inner, dict) else None
            if passage is not None:
                yield passage
            else:
                yield from _in_value(inner, depth + 1)


def _as_passage(value: dict[str, Any]) -> Passage | None:
    words = next((value[name] for name in _TEXTS if isinstance(value.get(name), str) and value[name].strip()), None)
    if words is None or len(words.split()) < 2:
        return None
    about = {**value.get("metadata", {}), **value} if isinstance(value.get("metadata"), dict) else value
    title = next((about[name] for name in _NAMES if isinstance(about.get(name), str) and about[name] != words), "")
    return Passage(words, title[:300])


def _in_markup(text: str, depth: int = 0) -> Iterator[Passage]:
    for element in _elements(text):
        if element.name not in HOLDERS:
            if depth < _MOST_DEPTH:
                yield from _in_markup(element.inner, depth + 1)
            continue
        children = list(_elements(element.inner))
        content = next((each for each in children if each.name in _CONTENT), None)
        title = next((element.attributes[name] for name in _NAMES if element.attributes.get(name)), "")
        if content is not None:
            named = (each.inner.strip() for name in _NAMES for each in children if each.name == name)
            yield Passage(content.inner.strip(), (title or next(named, ""))[:300])
        elif depth < _MOST_DEPTH and (inner := list(_in_markup(element.inner, depth + 1))):
            yield from inner
        elif listed := passages_of_json(element.inner):
            yield from listed
        elif element.inner.strip():
            yield Passage(element.inner.strip(), title[:300])


def _elements(text: str) -> Iterator[_Element]:
    """The outermost elements that are closed, in order. One pass, however many tags there are and however they nest."""
    opened: dict[str, list[re.Match[str]]] = {}
    pairs: list[tuple[re.Match[str], re.Match[str]]] = []
    for tag in _TAG.finditer(text):
        name = tag["name"].lower()
        if tag["close"]:
            if opened.get(name):
                pairs.append((opened[name].pop(), tag))
        elif not tag["attributes"].rstrip().endswith("/"):
            opened.setdefault(name, []).append(tag)
    last = 0
    for begin, end in sorted(pairs, key=lambda pair: pair[0].start()):
        if begin.start() >= last:
            last = end.end()
            attributes = {key.lower(): one or two for key, one, two in _ATTRIBUTE.findall(begin["attributes"])}
            yield _Element(begin["name"].lower(), attributes, text[begin.end() : end.start()])


def _labelled(text: str) -> Iterator[str]:
    """What stands under a label that announces evidence, between rules, or after the words of a known template."""
    labels = [each for each in _LABEL.finditer(text) if f" {each[1].lower()}".endswith(_EVIDENCE + _ASKS)]
    evidence = [place for place, label in enumerate(labels) if f" {label[1].lower()}".endswith(_EVIDENCE)]
    ends = [*(label.start() for label in labels), len(text)]
    for place in evidence:
        yield text[labels[place].end() : ends[place + 1]].strip().strip("-=").strip()
    if evidence:
        return
    rules = list(_RULED.finditer(text))
    if len(rules) == 2 and "context" in text[: rules[0].start()].lower():
        yield text[rules[0].end() : rules[1].start()].strip()
    elif announced := _ANNOUNCED.search(text):
        until = labels[-1].start() if labels else len(text)
        yield text[announced.end() : max(until, announced.end())].strip()
