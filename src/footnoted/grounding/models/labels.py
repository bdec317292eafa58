"""Maps a model's own names for its labels to what means carried and what contradicted."""

from __future__ import annotations

import re
from typing import Any

from footnoted.errors import ConfigurationError

_CARRIED = frozenset(
    "entailment entail entails entailed supported support supports consistent faithful factual grounded attributable "
    "not_hallucinated non_hallucinated true yes".split()
)
_NOT_CARRIED = frozenset(
    "not_entailment hallucination hallucinated hallucinate unsupported not_supported inconsistent unfaithful "
    "not_grounded ungrounded false no".split()
)
_CONTRADICTED = frozenset("contradiction contradicted contradict contradicts refuted refutes refute".split())


def names_of(config: dict[str, Any], count: int) -> list[str]:
    """The labels in order, from ``id2label``; ``label_0`` and so on where the model has no names."""
    told = config.get("id2label")
    named = told if isinstance(told, dict) else {}
    return [_plain(str(named.get(str(place), f"label_{place}"))) for place in range(count)]


def carried_label(names: list[str], given: int | str | None) -> int:
    """The number of the label that a carried claim has. Raises `ConfigurationError` when names do not tell."""
    if isinstance(given, int) and 0 <= given < len(names):
        return given
    if isinstance(given, str) and _plain(given) in names:
        return names.index(_plain(given))
    if given is None:
        found = [place for place, name in enumerate(names) if name in _CARRIED]
        if len(found) == 1:
            return found[0]
        others = [place for place, name in enumerate(names) if name in _NOT_CARRIED]
        if not found and len(names) == 2 and len(others) == 1:
            return 1 - others[0]
    raise ConfigurationError(
        f"which label means supported? The model has {', '.join(names)}; say supported= (its name or number)"
    )


def contradicted_label(names: list[str]) -> int | None:
    """The number of the label for a claim that the premise excludes, if there is one."""
    return next((place for place, name in enumerate(names) if name in _CONTRADICTED), None)


def _plain(name: str) -> str:
    return re.sub(r"[^\w]+", "_", name.strip().casefold()).strip("_")
