"""Looks up the shipped catalogue by check, framework or service. Read once a process."""

from __future__ import annotations

from functools import cache, lru_cache

from footnoted.assistants.security.catalogue import load_catalogue
from footnoted.assistants.security.findings.hub import TODAY
from footnoted.assistants.security.knowledge.entry import KnowledgeEntry

entries = load_catalogue


@cache
def by_check() -> dict[str, tuple[KnowledgeEntry, ...]]:
    """The entries that speak of a check, by its id."""
    found: dict[str, list[KnowledgeEntry]] = {}
    for entry in entries():
        for check in entry.checks:
            found.setdefault(check, []).append(entry)
    return {check: tuple(those) for check, those in found.items()}


@lru_cache(maxsize=512)
def checks_of(frameworks: tuple[str, ...]) -> tuple[str, ...]:
    """The ids of the checks that the catalogue ties to any of these frameworks, their older names too, sorted."""
    wanted = set(frameworks)
    found = {check for entry in entries() if wanted & entry.frameworks.keys() for check in entry.checks}
    return tuple(sorted(found | {old for old, today in TODAY.items() if today in found}))
