"""Follows what an answer speaks of, sentence by sentence, to tell whether a source speaks of the same.

"The Atlas bridge opened in 1998. Cars pay 5 euros." is about the bridge in both sentences: what a tunnel's notice says
of cars is no evidence for the second, however well its words fit.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from footnoted.once import once
from footnoted.prompting.described import described
from footnoted.text.phrases import places
from footnoted.text.scripts import is_wordlike
from footnoted.types import Source, Verdict

_WORD = re.compile(r"[^\W\d_][\w’'-]*")
_GENITIVES = ("'s", "’s", "'", "’")
_HEAD = 5  # words of a sentence among which its own subject begins
_REMEMBERED = 8  # sentences a subject is carried on for


class Subjects:
    """What the sentences so far were about: names, by their capital letters. Without capitals nothing is told."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self._sources = sources
        self._said: list[tuple[str, frozenset[int]]] = []

    def note(self, sentence: str, verdict: Verdict | None = None) -> None:
        """A sentence, a heading or a lead-in was written; by its verdict it rests on these sources."""
        rests_on = (
            frozenset(evidence.source for evidence in verdict.evidence) if verdict is not None else frozenset[int]()
        )
        self._said = [*self._said[1 - _REMEMBERED :], (sentence, rests_on)]

    def missing(self, sentence: str, source: int) -> str:
        """The subject of a sentence that some source speaks of and this one does not; empty if there is none such."""
        subject, rests_on = self._name(sentence, head=_HEAD), frozenset[int]()
        if not subject:
            carried = ((self._name(said), sources) for said, sources in reversed(self._said))
            subject, rests_on = next(((name, sources) for name, sources in carried if name), ([], rests_on))
        if not subject or source in rests_on or self._stands(subject, source):
            return ""
        known = any(self._stands(subject, other) for other in range(len(self._sources)) if other != source)
        return " ".join(subject) if known else ""

    def _name(self, sentence: str, *, head: int | None = None) -> list[str]:
        """The first name of a sentence, among its first ``head`` words: words with capitals, in a row."""
        words = list(_WORD.finditer(sentence))
        run: list[str] = []
        for place, word in enumerate(words):
            if run and (not word.group()[0].isupper() or not sentence[: word.start()].endswith(" ")):
                break
            if not run and head is not None and place >= head:
                break
            if word.group()[0].isupper() and (place or self._is_name(word.group())):
                run.append(_nominative(word.group()))
        return run

    def _is_name(self, word: str) -> bool:
        """Whether a word that begins a sentence has its capital in the middle of a source's sentence, too."""
        name = _nominative(word)
        return any(
            text[at - 1] == " "
            and (is_wordlike(text[at - 2]) or text[at - 2] in ",;")
            and not is_wordlike(text[at + len(name) : at + len(name) + 1])
            for text in (source.text for source in self._sources)
            for at in places(name, text)
            if at > 1
        )

    def _stands(self, subject: Sequence[str], source: int) -> bool:
        text = self._texts[source]
        return all(any(not is_wordlike(text[at - 1 : at]) for at in places(word.casefold(), text)) for word in subject)

    @once
    def _texts(self) -> list[str]:
        return [f"{source.title} {described(source)}\n{source.text}".casefold() for source in self._sources]


def _nominative(word: str) -> str:
    ending = next((ending for ending in _GENITIVES if word.endswith(ending)), "")
    return word.removesuffix(ending)
