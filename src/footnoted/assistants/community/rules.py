"""The nodes without a language model: what is asked, which passages match it, and the core's checker decide."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from footnoted.assistants.community.decisions import Gate, Verification
from footnoted.assistants.community.quoting import Quoting
from footnoted.assistants.community.speech import own_work, questions, tells_something
from footnoted.orders import is_order
from footnoted.relevance.roots import root
from footnoted.text import STOPWORDS, fold, sentences, words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footnoted.assistants.community.knowledge import LoadedSource
    from footnoted.assistants.community.matching import Match
    from footnoted.assistants.community.run import Run
    from footnoted.types import Source

_MOST_QUESTIONS = 4  # of one message
BESIDE = 0.85  # of the best passage's chance that another source must have to be selected too
MOST_QUOTED = 2  # passages
_QUOTED = 900  # characters of a quoted answer, where max_answer_chars allows so many
_CARRIED = 0.2  # share of the question's words that a draft and its titles must hold


def gate_by_rules(run: Run) -> Gate:
    """Whether something is asked, on its own and not about the asker's own work, that a passage answers."""
    text = run.conversation.latest.text
    if any(is_order(text[span.start : span.end]) for span in sentences(text)):
        return Gate(is_question=False, is_answerable=False, reason="it gives orders to the bot")
    asked = questions(text)[:_MOST_QUESTIONS]
    if not asked:
        return Gate(is_question=False, is_answerable=False, reason="nothing in it asks for something")
    if own := own_work(text):
        return Gate(is_question=True, is_answerable=False, reason=f"about the asker's own work: {own!r}")
    telling = [one for one in asked if tells_something(one)]
    if not telling:
        return Gate(is_question=True, is_answerable=False, reason="the question says nothing by itself")
    telling = [one for one in telling if run.knowledge.speaks(one)]
    if not telling:
        return Gate(is_question=True, is_answerable=False, reason="not in the language of the documents")
    for one in telling:
        run.matches[one] = run.knowledge.matches(one)
    best = max(telling, key=lambda one: _chance(run.matches[one]))
    chance = _chance(run.matches[best])
    return Gate(
        is_question=True,
        is_answerable=chance >= run.config.certainty,
        rewrite_query=best if best != text else None,
        reason=f"a passage answers with a chance of {chance:.2f}",
    )


async def select_by_rules(run: Run, question: str) -> list[str]:
    """The source of the passage that matches best, and others that match nearly as well."""
    found = run.matches.get(question)
    if found is None:
        found = await asyncio.to_thread(run.knowledge.matches, question)
    best = _chance(found)
    return list(dict.fromkeys(_owner(one) for one in found if best and one.chance >= BESIDE * best))


async def nearest_passages(
    run: Run, question: str, ids: Sequence[str], most: int, *, beside: float = 0.0
) -> list[tuple[str, Source]]:
    """The loaded passages that match a question, with their sources' ids, best first.

    ``beside``: the share of the best one's chance that the others must have.
    """
    loaded: list[LoadedSource] = [run.sources[id_] for id_ in ids]
    passages = [passage for one in loaded for passage in one.passages]
    found = await asyncio.to_thread(lambda: run.knowledge.matches(question, within=passages))
    least = beside * _chance(found)
    return [(_owner(one), one.passage) for one in found[:most] if one.chance >= least]


async def verify_by_rules(run: Run, question: str) -> Verification:
    """The core's verdict on every sentence, and whether the draft speaks of what was asked."""
    response = run.response
    if response is None or not response.citations:
        return Verification(is_good_enough=False, issues=["there is no cited draft"])
    issues = [
        f"{claim.verdict}: {claim.text[:200]}"
        for claim in response.claims
        if claim.shown and claim.kind == "claim" and claim.verdict != "supported"
    ]
    asked = _roots(question)
    titles = " ".join(f"{one.source_title}" for one in response.citations)
    carried = asked & _roots(f"{response.response} {titles}")
    if len(carried) < _CARRIED * len(asked):
        issues.append("the draft speaks of something else")
    return Verification(is_good_enough=not issues, issues=issues)


def quoting(run: Run) -> Quoting:
    """The provider that writes without a model: the best passage, quoted."""
    return Quoting(characters=min(_QUOTED, int(run.config.max_answer_chars * 0.75)))


def _chance(found: Sequence[Match]) -> float:
    return found[0].chance if found else 0.0


def _owner(one: Match) -> str:
    return str(one.passage.metadata["source_id"])


def _roots(text: str) -> set[str]:
    return {root(word) for word, _, _ in words(text) if fold(word) not in STOPWORDS}
