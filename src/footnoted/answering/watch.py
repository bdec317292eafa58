"""Finds what no evidence can excuse in a sentence of an answer: an order followed, an address nobody gave.

A model that reads hostile sources may do as they say. What it writes then repeats words that only an order
knows, or opens an address nobody gave: a link, an image that tells its server what was asked, a script.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from footnoted.grounding.forms import in_words_of
from footnoted.once import once
from footnoted.orders import words_of_orders
from footnoted.prompting.described import described
from footnoted.text import content_stems
from footnoted.types import Source

_ADDRESS = re.compile(
    r"(?:(?:https?|ftp|wss?|file):)?//[\w.-]+[^\s<>\"'`)\]}|]*|\b(?:javascript|vbscript):\S+|\bdata:[\w/+.-]+[;,]\S+",
    re.IGNORECASE,
)
_ACTIVE = re.compile(r"</?[a-z]|<!--|!\[|\]\(|^\s*\[[^\]\n]+\]:\s*\S", re.IGNORECASE | re.MULTILINE)
_DEFINES = re.compile(r"^\s*\[[^\]\n]{1,40}\]:\s*\S", re.MULTILINE)
_RUNS = re.compile(
    r"<\s*/?\s*(?:script|iframe|frame|img|svg|object|embed|applet|link|meta|base|form|input|button|style|video|audio)\b"
    r"|<[^<>]*\bon[a-z]{3,20}\s*=",
    re.IGNORECASE,
)
# A part of a document by its number: "section 12.4", "clauses 3", "§ 7a", "Artikel 5", "Annex II".
_REFERENCE = re.compile(
    r"(?:§{1,2}|¶|\b(?:sections?|sect?\.|clauses?|articles?|art\.|paragraphs?|para\.|chapters?|annex|appendix|schedule"
    r"|artikel|abschnitt|absatz|ziffer|klausel|kapitel|chapitre|alinéa|artículo|cláusula|sección|articolo|sezione))"
    r"\s{0,2}(?P<number>\d+(?:\.\d+)*[a-z]?|[IVXLC]{2,})(?!\w|\.\d)",
    re.IGNORECASE,
)
_CODE = re.compile(r"`[^`\n]+`")
_SAYS_NOTHING = frozenset(
    content_stems(
        "missing mention mentioned say state stated statement specify specified provide provided contain contained give"
        " given cover covered describe described list include included source sources document documents passage text"
        " context information detail details answer question anything nothing none whether exact specific amount date"
        " number name only about explicitly directly available relevant related enough such"
        " based sorry unfortunately afraid i'm"
    )
)


class Watch:
    """What the sentences of one answer may not do. Built once an answer; reads the sources when first asked."""

    def __init__(self, question: str, sources: Sequence[Source]) -> None:
        names = [f"{source.title} {described(source)}" for source in sources]
        self._texts = [question, *(source.text for source in sources), *names]

    def read(self) -> None:
        """Look through everything now, where the first sentence of an answer would else wait for it."""
        _ = self._ordered, self._stems, self._flat

    def objection(self, text: str) -> str:
        """Why this text may not stand, in words; empty when nothing speaks against it."""
        if self.repeats_order(text):
            return "it repeats what only an order in the sources or the question says"
        if reference := self._unknown_part(text):
            return f"it names {reference}, which no source has"
        for found in _ADDRESS.finditer(text):
            address = found.group().rstrip(".,;:!?*_/").rsplit("//", 1)[-1]
            if not any(address in given for given in self._texts):
                return "it opens an address that neither the sources nor the question give"
        if _DEFINES.search(text):
            return "it says what a mark stands for, which is no statement"
        if _RUNS.search(_CODE.sub("", text)):
            return "it holds markup that loads or runs something"
        return ""

    def _unknown_part(self, text: str) -> str:
        """The first section, clause or article named whose number stands in no source, title or metadata."""
        for found in _REFERENCE.finditer(text):
            # "12.4" may be written "12(4)" or "§ 12 (4)".
            number = r"[.)(\s]{1,3}".join(map(re.escape, found["number"].split(".")))
            stands = re.compile(rf"(?<![\w.]){number}(?!\w|\.\d)", re.IGNORECASE)
            if not any(stands.search(given) for given in self._texts[1:]):
                return found.group()
        return ""

    def repeats_order(self, text: str) -> bool:
        """Whether a text holds words that stand in nothing but orders."""
        return bool(self._ordered) and not self._ordered.isdisjoint(content_stems(text))

    def weighs(self, text: str, kind: str) -> bool:
        """Whether text that needs no support by its kind is weighed all the same, as a claim is.

        So are words that only an order knows, and, outside code, what is more than words: links, images, tags.
        """
        if self.repeats_order(text):
            return True
        return kind != "code" and (_ADDRESS.search(text) is not None or _ACTIVE.search(text) is not None)

    def has(self, text: str, kind: str) -> bool:
        """Whether a form that is not read says what the sources say: code letter by letter, headings in their words.

        A question may also be the reader's own, and a heading may use the words of that.
        """
        return in_words_of(text, kind, self._flat, self._stems, self._texts[0])

    @once
    def _flat(self) -> list[str]:
        return [" ".join(given.split()) for given in self._texts[1:]]

    @once
    def _stems(self) -> frozenset[str]:
        return frozenset(stem for given in self._texts for stem in content_stems(given))

    def is_innocent(self, text: str) -> bool:
        """Whether a text no check weighs only uses words of the question, or words that say nothing."""
        known = _SAYS_NOTHING.union(content_stems(self._texts[0]))
        return not self.weighs(text, "refusal") and known.issuperset(content_stems(text))

    @once
    def _ordered(self) -> frozenset[str]:
        return words_of_orders(self._texts)
