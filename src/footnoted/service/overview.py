"""What there is to ask about: how each document begins, in its own words at their places, and what its sections are on.

Nothing here is written by a model: openings are cut from the text, topics are the documents' own headings.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile
from typing import Any

from footnoted.service.told import ToldOpening
from footnoted.text import sentences

_TOPICS = 12  # of one document
_BODY = 30  # characters under a heading that make a section worth asking about
_READ = 20_000  # characters in which a document's opening is looked for
_OPENING = 300  # characters of an opening at most
_WORDY = 5  # words that make a line a sentence and not a label
_MARKS = ("#", "|", "```", "<", "---", "import ", "export ")


def opening_of(text: str, sections: Iterable[dict[str, Any]]) -> ToldOpening | None:
    """The first whole sentence that is no heading; nothing where there is none."""
    early = takewhile(lambda section: section["start"] < _READ, sections)
    headings = {heading.strip() for section in early for heading in section["headings"]}
    for span in sentences(text[:_READ]):
        words = text[span.start : span.end]
        told = words.strip()
        marked = told.startswith(_MARKS) or told in headings
        if not marked and len(told.split()) >= _WORDY and len(words) <= _OPENING:
            return ToldOpening(text=words, start=span.start, end=span.end)
    return None


def topics_of(title: str, text: str, sections: Iterable[dict[str, Any]]) -> list[str]:
    """The headings of sections that say something, in their order, each once, without the title.

    >>> topics_of("Car", "Glass " + "x" * 80, [{"headings": ["Car", "Glass"], "start": 0, "end": 86}])
    ['Glass']
    """
    found: dict[str, None] = {}
    for section in sections:
        if not section["headings"]:
            continue
        heading = " ".join(section["headings"][-1].split())
        body = len(text[section["start"] : section["end"]].strip()) - len(section["headings"][-1])
        if heading and heading != title and len(heading) <= 120 and body >= _BODY:
            found[heading] = None
        if len(found) == _TOPICS:
            break
    return list(found)
