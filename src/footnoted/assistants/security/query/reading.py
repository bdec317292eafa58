"""A question read into a query without a model: by grammar, and by names looked up in the tenant's own findings.

Every number, identifier, name and time word must find its field. What does not is `unfit`, and the question is then not
answered by something near it. Plain words that found no field are `unused`, and told beside the answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from footnoted.assistants.security.query.bounding import Bounding
from footnoted.assistants.security.query.draft import Choice, Reading, is_possessive, is_ranked
from footnoted.assistants.security.query.placing import Placing
from footnoted.assistants.security.query.saying import Saying
from footnoted.assistants.security.query.seeking import Seeking
from footnoted.assistants.security.query.telling import Telling
from footnoted.assistants.security.query.timing import Timing

if TYPE_CHECKING:
    from footnoted.assistants.security.query.meaning import Meanings
    from footnoted.assistants.security.query.vocabulary import Vocabulary

__all__ = ["Choice", "Reading", "read"]

_OPENINGS = frozenset("ok okay alright right well so great good fine thanks hmm yes".split())  # they ask nothing


def read(
    question: str, vocabulary: Vocabulary, *, base: Reading | None = None, meanings: Meanings | None = None
) -> Reading:
    """The reading of a question; ``base`` is what was asked before it."""
    return _Reader(question, vocabulary, base, meanings).read()


class _Reader(Bounding, Placing, Timing, Saying, Seeking, Telling):
    def read(self) -> Reading:
        self._bounds()
        self._names()
        self._times()
        self._closed()
        self._numbers()
        follows = self.reading.follows = self._follows()
        self._about()
        query = self._query(follows)
        self.reading.query = query
        self.reading.mentions = tuple(self.mentions)
        self._choices()
        self._left_over()
        self._sense()
        return self.reading

    def _is_afresh(self) -> bool:
        """Whether it is asked of something of its own, after a question that could not be asked: "list the lows"."""
        asks = any(one.role("select") and one.word not in ("what", "which") for one in self.mentions)
        subject = any(one.kind == "name" or (one.role("severity") and one.word.endswith("s")) for one in self.mentions)
        return self.base is not None and not self.base.can_be_asked and asks and subject

    def _follows(self) -> bool:
        """Whether the question edits the one before it: it points back, or says too little alone."""
        if self.base is None:
            return False
        pointing = any(one.role("again") or one.role("more") or one.role("ordinal") for one in self.mentions)
        opens = next((place for place, one in enumerate(self.mentions) if one.word not in _OPENINGS), 0)
        first = [one.word for one in self.mentions[opens : opens + 2]]
        pointing |= self._at(opens).role("only") is not None
        pointing |= first[:1] in (["and"], ["or"], ["only"], ["no"], ["but"]) or first == ["what", "about"]
        subject = any(one.kind == "name" or one.role("noun") for one in self.mentions)  # "how many are open" has none
        own = self._asks_of_findings() or (self._has("select", "count") and subject) or self.where.get("framework")
        short = len(self.mentions) <= 6 and not own and not self._is_afresh()
        fields = self.where.keys() - {"version", "requirement"}  # which are of the framework
        self.reading.pronoun = self._pronoun()
        bound = (
            self.edited or is_possessive(self.reading.pronoun) or (self.reading.pronoun and is_ranked(self.base.query))
        )
        return bool(short or bound or (pointing and not (own and len(fields) > 1)))
