"""A claim and its evidence in; a verdict out where the words alone decide it, none where they do not."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from footnoted.types import Evidence, Span, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footnoted.grounding.alignment import Alignment
    from footnoted.grounding.conflicts import Conflict
    from footnoted.grounding.evidence import Found
    from footnoted.grounding.reading import Reading
    from footnoted.grounding.scales import Weighed

_SAME = 0.7  # share of the claim's other words a sentence must hold before a conflict with it is believed
_SAME_PART, _ENOUGH = 0.8, 2  # the same of a part of a sentence, and how many words that must be
_ORDER = 0.85  # share of the claim's words that must stand in one sentence, in order, to be near verbatim
_NOTHING = 0.12  # share of the claim's weight in the evidence below which nothing is said about it
_UNLIKE = 0.3  # cosine below which sentences are about different things
_CONDITIONS = frozenset("unless except only provided excluding if".split())


def decide(weighed: Weighed) -> Verdict | None:
    """The verdict where words alone give it, else ``None``.

    ``contradicted`` where aligned words exclude one another, ``supported`` where one sentence says it nearly word
    for word, ``unsupported`` where nothing is said about it.
    """
    claim, found, clashes = weighed.claim, weighed.found, weighed.clashes
    for clash in clashes:
        if clash.sure and agreement(claim, found[clash.evidence].reading, clash) >= _SAME:
            return _contradicted(clash, found[clash.evidence])
    if found and not clashes and verbatim(claim, found[0].reading):
        return Verdict("supported", score=0.97, tier="exact", evidence=as_evidence(found[0], 1.0))
    if not found or _says_nothing(weighed):
        return Verdict(
            "unsupported",
            score=0.03,
            tier="exact",
            flagged=uncovered_spans(claim, weighed.alignment),
            reason="nothing in the sources speaks of this",
        )
    return None


def contradiction(weighed: Weighed, kinds: Sequence[str]) -> Verdict | None:
    """``contradicted`` where a part of a sentence is told with another number, say, and all else agrees."""
    for clash in weighed.clashes:
        others = [w for w in weighed.claim.words if w.carries and not clash.start <= w.start < clash.end]
        sentence = weighed.found[clash.evidence]
        telling = clash.sure and clash.kind in kinds and len(others) >= _ENOUGH
        if telling and agreement(weighed.claim, sentence.reading, clash) >= _SAME_PART:
            return _contradicted(clash, sentence)
    return None


def _contradicted(clash: Conflict, found: Found) -> Verdict:
    return Verdict(
        "contradicted",
        score=0.03,
        tier="exact",
        evidence=as_evidence(found, 0.0),
        flagged=(Span(clash.start, clash.end),),
        reason=words_for(clash),
    )


def agreement(claim: Reading, sentence: Reading, clash: Conflict) -> float:
    """The share of the claim's weight that the sentence holds, the words in conflict left out."""
    others = [w for w in claim.words if w.carries and not clash.start <= w.start < clash.end]
    values = {w.value for w in sentence.words if w.value}
    total = sum(w.weight for w in others)
    return sum(w.weight for w in others if w.stem in sentence.stems or w.value in values) / total if total else 0.0


def verbatim(claim: Reading, sentence: Reading) -> bool:
    """Whether one sentence says the claim in nearly the same words and order, without a condition of its own."""
    mine, theirs = _said(claim), _said(sentence)
    known = set(theirs)
    if not mine or any(w.carries and (w.value or w.stem) not in known for w in claim.words):
        return False
    if (_CONDITIONS & known) - set(mine):
        return False
    blocks = SequenceMatcher(None, mine, theirs, autojunk=False).get_matching_blocks()
    in_order = {place for block in blocks for place in range(block.a, block.a + block.size)}
    matter = {place for place, said in enumerate(mine) if said in claim.stems or " " in said}
    return len(in_order) >= _ORDER * len(mine) and matter <= in_order


def _said(reading: Reading) -> list[str]:
    """The stems of a text in order, a quantity of several words as one: "two weeks" and "14 days" are the same."""
    said: list[str] = []
    for word in reading.words:
        if not word.value or not said or said[-1] != word.value:
            said.append(word.value or word.stem)
    return said


def carried(weighed: Weighed) -> float:
    """The share (0–1) of the claim's weight whose words stand in the evidence."""
    claim, total = weighed.claim, weighed.claim.weight
    return 1.0 - sum(claim.words[i].weight for i in weighed.alignment.uncovered(claim)) / total if total else 0.0


def _says_nothing(weighed: Weighed) -> bool:
    """Whether neither the words nor, as far as an encoder sees, the meaning of the claim are in the evidence."""
    if weighed.encoded is None:
        return False
    return carried(weighed) < _NOTHING and max(one.like for one in weighed.found) < _UNLIKE


def uncovered_spans(claim: Reading, alignment: Alignment) -> tuple[Span, ...]:
    """The carrying words of the claim that no evidence sentence has."""
    return tuple(Span(claim.words[i].start, claim.words[i].end) for i in alignment.uncovered(claim))


def as_evidence(found: Found, support: float) -> tuple[Evidence, ...]:
    """An evidence sentence as the verdict shows it: exact words, exact place; of a list item its lead after it."""
    shown = (Evidence(found.source, found.span.start, found.span.end, found.words, support),)
    if found.lead is None:
        return shown
    return (*shown, Evidence(found.source, found.lead.start, found.lead.end, found.lead_words, support))


def words_for(clash: Conflict) -> str:
    """Why, for people.

    >>> # number: the source says "14 days", the answer says "40 days"
    """
    if not clash.instead:
        return f'the source does not say "{clash.said}"'
    if clash.kind == "name":
        return f'the source names "{clash.instead}" where the answer names "{clash.said}"'
    return f'the source says "{clash.instead}", the answer says "{clash.said}"'
