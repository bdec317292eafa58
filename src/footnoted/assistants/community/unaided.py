"""The nodes without a language model: fitted parameters gate and select, and the core's checker verifies."""

from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING

from footnoted.assistants.community.fitted import chance, gate_features
from footnoted.assistants.community.matching import reply_features
from footnoted.assistants.community.quoting import Quoting
from footnoted.assistants.community.state import Gate, Verification

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footnoted.assistants.community.matching import Match
    from footnoted.assistants.community.run import Run
    from footnoted.types import Source

MOST_QUOTED = 2  # passages
_BESIDE, _ELSEWHERE = 2.0, 0.7  # how far behind the best one another of its page, or of another page, may be
_ASKED = 0.5  # from this chance on a message asks something of everybody
_ATTACK = 0.5  # from this chance on that a message or a sentence of it is an attack, whatever else it asks
_QUOTED = 1_100  # characters of a quoted answer, where max_answer_chars allows so many


def gate_unaided(run: Run) -> Gate:
    """Whether the latest message asks something of everybody, and a passage answers it."""
    from footnoted.models import Embedder

    thread = run.thread
    acts = [run.fitted.act_of(vector) for vector in Embedder.load().queries(thread.acts)]
    if max(math.exp(act["attack"]) for act in acts) >= _ATTACK:
        return Gate(is_question=False, is_answerable=False, reason="it tries to give the bot orders")
    asked = chance(run.fitted.gate, gate_features(thread.shape, acts))
    if asked < _ASKED:  # most of a community's talk: nothing is looked up for it
        run.certainty = 0.0
        reason = f"for everybody with a chance of {asked:.2f}"
        return Gate(is_question=False, is_answerable=False, reason=reason)
    found = run.matches[thread.question] = run.knowledge.answers(thread.question, run.fitted.match)
    best = chance(run.fitted.reply, reply_features(found)) if found.matches else 0.0
    run.certainty = asked * best
    return Gate(
        is_question=True,
        is_answerable=run.certainty >= run.config.certainty,
        rewrite_query=thread.question if thread.question != run.conversation.latest.text else None,
        reason=f"for everybody with a chance of {asked:.2f}, answered with {best:.2f}",
    )


async def select_unaided(run: Run, question: str) -> list[str]:
    """The source of the passage that matches best, and of another that matches nearly as well."""
    found = run.matches.get(question)
    if found is None:
        found = await asyncio.to_thread(run.knowledge.answers, question, run.fitted.match)
    return list(dict.fromkeys(owner_of(match) for match in quoted(found.matches)))


async def nearest_passages(run: Run, question: str, ids: Sequence[str], most: int | None) -> list[tuple[str, Source]]:
    """The loaded passages that match a question, with their sources' ids, best first; ``None``: those to be quoted."""
    found = await asyncio.to_thread(run.knowledge.answers, question, run.fitted.match, within=set(ids))
    loaded = {passage.id: passage for id_ in ids for passage in run.sources[id_].passages}
    near = [match for match in found.matches if match.passage.id in loaded]
    chosen = quoted(near) if most is None else near[:most]
    return [(owner_of(match), loaded[match.passage.id]) for match in chosen]


def verify_unaided(run: Run) -> Verification:
    """The core's verdict on every sentence."""
    response = run.response
    if response is None or not response.citations:
        return Verification(is_good_enough=False, issues=["there is no cited draft"])
    issues = [
        f"{claim.verdict}: {claim.text[:200]}"
        for claim in response.claims
        if claim.shown and claim.kind == "claim" and claim.verdict != "supported"
    ]
    return Verification(is_good_enough=not issues, issues=issues)


def quoting(run: Run) -> Quoting:
    """The provider that writes without a model: the best passage, quoted."""
    return Quoting(characters=min(_QUOTED, int(run.config.max_answer_chars * 0.75)))


def quoted(found: Sequence[Match]) -> list[Match]:
    """The best, and one more: of its own page where that may help, of another only where it is nearly as good."""
    best = list(found[:1])
    for match in found[1:]:
        behind = _BESIDE if owner_of(match) == owner_of(found[0]) else _ELSEWHERE
        if len(best) < MOST_QUOTED and match.score >= found[0].score - behind:
            best.append(match)
    return best


def owner_of(match: Match) -> str:
    """The id of the source a match stands in."""
    return str(match.passage.metadata["source_id"])
