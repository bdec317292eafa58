"""Headings, questions and code: they are not read as claims are, and pass only in the sources' own words."""

from __future__ import annotations

from collections.abc import Iterable

from footnoted.text import content_stems

NOT_READ = {  # and what is said of them where no source has their words
    "heading": "a heading, whose words stand in no source",
    "header": "a table's header, whose words stand in no source",
    "question": "a question states nothing that could be checked",
    "code": "code that stands in no source cannot be checked",
}


def in_words_of(text: str, kind: str, texts: Iterable[str], stems: frozenset[str], question: str = "") -> bool:
    """Whether a form says what the sources say: code letter by letter, headings in their words, the reader's question.

    ``texts`` are the sources with single spaces, ``stems`` what stands in them and in the question.
    """
    plain = " ".join(text.split())
    if kind == "code":
        line = plain.strip("`").strip()
        return not line or plain.startswith(("```", "~~~")) or any(line in given for given in texts)
    if kind == "question":
        return plain.casefold().strip("*_ ") == " ".join(question.split()).casefold()
    return stems.issuperset(content_stems(text))
