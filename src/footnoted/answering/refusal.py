"""Decides from the start of a model's text whether it refuses, and words a refusal for the reader."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footnoted.contract import EvidenceSpan
from footnoted.grounding.claims import segment
from footnoted.orders import stands_in_order
from footnoted.retrieval.relevance import rank
from footnoted.text import content_stems

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footnoted.contract import SourceContext

SENTINEL = "NO_ANSWER"

_WRAPPING = " \t\r\n*_`\"'>-"  # what a model may put around the sentinel
_MOST_WRAPPING = 64
_LONGEST_REFUSAL = 600
_LONGEST_REASON = 300


class RefusalGate:
    """Holds the first characters of an answer until they are, or can no longer be, the refusal sentinel."""

    def __init__(self) -> None:
        self._held: str | None = ""
        self.refused = False

    def decode(self, piece: str) -> str:
        """The text that is settled; once `refused`, what follows the sentinel."""
        if self._held is None:
            return piece
        self._held += piece
        start = self._held.lstrip(_WRAPPING)
        wrapped = len(self._held) - len(start) <= _MOST_WRAPPING
        if wrapped and len(start) < len(SENTINEL) and SENTINEL.startswith(start):
            return ""
        held, self._held = self._held, None
        if wrapped and start.startswith(SENTINEL):
            self.refused = True
            return start[len(SENTINEL) :]
        return held

    def pass_on(self, piece: str) -> str:
        """What was held and ``piece``, as they are: this is an answer."""
        held, self._held = self._held or "", None
        return held + piece

    def flush(self) -> str:
        """What was still held when the stream ended."""
        held, self._held = self._held or "", None
        return held


def missing(after: str) -> str:
    """What a model says is missing, from all it wrote after the sentinel, on one bounded line."""
    return " ".join(after.split()).strip(" *_`\"'>-:–—")[:_LONGEST_REASON]


def reads_as_refusal(text: str, *, cited: bool) -> bool:
    """Whether a whole uncited answer says that the sources do not hold it, in one of its sentences at least.

    >>> reads_as_refusal("The sources do not say so.", cited=False), reads_as_refusal("It is free.", cited=False)
    (True, False)
    """
    return not cited and len(text) <= _LONGEST_REFUSAL and any(claim.kind == "refusal" for claim in segment(text))


def message(reason: str) -> str:
    """The sentence a reader gets instead of an answer.

    >>> message("no_sources")
    'There are no sources that answer this question.'
    """
    return _MESSAGES.get(reason, _MESSAGES["not_in_sources"])


_MESSAGES = {
    "no_sources": "There are no sources that answer this question.",
    "no_question": "The question is empty: it has no words. Ask something in words.",
    "not_in_sources": "The sources do not answer this question.",
    "ungrounded": "No sentence of the answer could be supported by the sources, so none is shown.",
}


def nearest(question: str, context: Sequence[SourceContext], *, most: int = 3) -> list[EvidenceSpan]:
    """The sentences of the sources that come nearest to the question, at most one a source, best first.

    ``support`` is the share of the question's own words in them.
    """
    wanted = set(content_stems(question))
    found: dict[int, EvidenceSpan] = {}
    for one in rank(question, [source.as_source() for source in context]):
        source = context[one.source_index]
        quote = source.content[one.start : one.end]
        if one.source_index in found or stands_in_order(source.content, one.start, one.end):
            continue
        share = len(wanted & set(content_stems(quote))) / len(wanted) if wanted else 0.0
        if share:
            found[one.source_index] = EvidenceSpan(
                source_index=one.source_index,
                chunk_id=source.chunk_id,
                source_start=one.start,
                source_end=one.end,
                source_quote=quote,
                support=share,
            )
        if len(found) == most:
            break
    return list(found.values())
