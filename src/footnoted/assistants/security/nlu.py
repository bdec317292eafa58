"""What a question was understood to ask: its intent, what it names, and what an answer needs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

INTENTS = ("explain", "list", "prioritise", "remediate", "comply", "compare", "document", "other")


@dataclass(frozen=True, slots=True)
class Entities:
    """What the question names, each kind in order of first mention, in canonical spelling.

    ``uncovered`` holds what was named and the catalogue does not cover ("ISO 27001"), as a person would write it.
    """

    aws_services: tuple[str, ...] = ()
    compliance_frameworks: tuple[str, ...] = ()
    finding_ids: tuple[str, ...] = ()
    severities: tuple[str, ...] = ()
    check_ids: tuple[str, ...] = ()
    uncovered: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NLUResult:
    """The question, understood. ``intent`` is one of `INTENTS`.

    ``context`` holds what else was read, each key only where it was: ``ordinals`` (positions the question points
    at, from 1; -1 is the last), ``carried`` (kinds of entities taken from history), ``excluded`` (kind -> what is
    not asked about), ``follow_up`` (true when the question needs history to be understood), ``intents`` (all that were
    cued, where more than one), ``requirements`` and ``resources`` (identifiers named beside the entities), ``regions``,
    ``regions_aside`` and ``accounts``, ``ordered`` (true when sentences that give orders were left out), ``guessed``
    (true when no word said what is asked and bare names had to do; a model may know better), ``refined`` (true when
    a model was asked).
    """

    intent: str = "other"
    entities: Entities = field(default_factory=Entities)
    requires_findings: bool = False
    requires_documents: bool = False
    context: dict[str, Any] = field(default_factory=dict)
