"""Entries that might help and a question in; the five best, gravest first, and the one that fits it best, out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from footnoted.assistants.security.advice.topic import serving, told_of
from footnoted.text import content_stems

if TYPE_CHECKING:
    from footnoted.assistants.security.advice.asked import Asked
    from footnoted.assistants.security.findings.finding import Finding
    from footnoted.assistants.security.knowledge.entry import KnowledgeEntry

_ORIGINS = {"shipped": 6.0, "prowler-check": 3.0, "oscal": 2.0, "prowler-compliance": 0.0}
_NAMED, _TIED, _SERVICE, _FRAMEWORK, _WORDS = 50.0, 20.0, 4.0, 2.0, 8.0


def chosen_entries(
    asked: Asked, findings: Sequence[Finding], entries: Sequence[KnowledgeEntry], *, most: int
) -> tuple[tuple[KnowledgeEntry, ...], KnowledgeEntry | None]:
    """At most ``most`` entries, by severity then relevance; and the most relevant of them.

    An entry about a check that a better one speaks of already is left out.
    """
    words = set(content_stems(asked.question))
    shipped = {check for entry in entries if entry.origin == "shipped" for check in entry.checks}
    entries = [entry for entry in entries if entry.origin != "prowler-check" or not shipped.intersection(entry.checks)]
    tied = {
        name: place for place, one in reversed(list(enumerate(findings))) for name in (one.check_id, one.control_id)
    }
    scores = {id(entry): _relevance(entry, asked, words, tied) for entry in entries}
    best: list[KnowledgeEntry] = []
    told: set[str] = set()
    for entry in sorted(entries, key=lambda one: -scores[id(one)]):
        about = {check for check in entry.checks if check in tied} or {entry.title.casefold()}
        if about <= told:
            continue
        told |= about
        best.append(entry)
        if len(best) == most:
            break
    main = best[0] if best else None
    best.sort(key=lambda one: (one.severity.rank if one.severity else 9, -scores[id(one)]))
    return tuple(best), main


def is_named(entry: KnowledgeEntry, ids: Sequence[str]) -> bool:
    """Whether one of these ids is the entry's own, its label, or that of a check it speaks of."""
    names = {entry.id.casefold(), entry.label.casefold(), *(check.casefold() for check in entry.checks)}
    return any(one.casefold() in names or entry.id.endswith(f":{one.casefold()}") for one in ids)


def _relevance(entry: KnowledgeEntry, asked: Asked, words: set[str], tied: dict[str, int]) -> float:
    score = _ORIGINS.get(entry.origin, 0.0)
    score += _NAMED * is_named(entry, asked.ids)
    places = [tied[check] for check in entry.checks if check in tied]
    if places:
        # What puts a found thing right comes first, in the findings' order; a map of duties only names it.
        score += (_TIED if entry.has_remediation else _TIED / 4) - min(places)
    # The requirement itself before what serves it.
    score += _NAMED * (entry.label in asked.labels) + _TIED * bool(serving(asked.labels, [entry]))
    score += _SERVICE * (entry.service in asked.services)
    score += _FRAMEWORK * any(key in entry.frameworks for key in asked.frameworks)
    title, rest = told_of(entry), set(content_stems(entry.description[:600]))
    if words:
        score += _WORDS * (len(words & title) + 0.5 * len(words & (rest - title))) / len(words)
    return score
