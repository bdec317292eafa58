"""A readable question and what it names in; what it asks for, and what an answer needs, out."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from footnoted.assistants.security.nlu.mentions import Mention

_SUBJECTS = ("aws_services", "compliance_frameworks", "uncovered", "check_ids", "finding_ids", "severities")
_IDLE_WORDS = 8  # a greeting or thanks that goes on longer asks something


_SIDES = ("aws_services", "compliance_frameworks")
_THAN = re.compile(r"\b(?:\w+er|more|less|worse|fewer) (?:\w+ ){0,3}than\b", re.IGNORECASE)
_ASIDE = re.compile(r"^\w+ aside\b", re.IGNORECASE)  # "Urgency aside" asks for no order
# A question that says so is one to explain, whatever else it mentions.
_ASKS_WHY = re.compile(
    r"^\W*(?:(?:and|so|but|ok) )*(?:why|por qué|por que|kenapa|mengapa)\b|\b(?:explain|describe|terangkan|explica)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Cues:
    """The compiled cues of ``intents.toml``."""

    intents: dict[str, re.Pattern[str]]
    tenant: re.Pattern[str]
    findings: re.Pattern[str]
    topics: re.Pattern[str]
    idle: re.Pattern[str]


@cache
def cues() -> Cues:
    """The cues, read and compiled once a process."""
    table = tomllib.loads(Path(__file__).with_name("intents.toml").read_text(encoding="utf-8"))
    verb = table["verb"]
    frameworks = "(?:hipaa|soc ?2|pci(?:-dss)?|gdpr|cis|nist|iso|fedramp)"

    def one_of(patterns: Sequence[str]) -> re.Pattern[str]:
        joined = "|".join(patterns).replace("{verb}", verb).replace("{framework}", frameworks)
        return re.compile(joined, re.IGNORECASE)

    tenant = table["tenant"]
    return Cues(
        {name: one_of(patterns) for name, patterns in table["cues"].items()},
        one_of(tenant["cues"]),
        one_of([tenant["findings"]]),
        one_of([tenant["topics"]]),
        one_of([tenant["idle"]]),
    )


@dataclass(frozen=True, slots=True)
class Asked:
    """Every intent of a question, the one that governs first; ``cued`` is false where bare names were all it said.

    ``would`` is the intent of a question that names nothing, should history say what it is about.
    """

    intents: tuple[str, ...]
    cued: bool = True
    would: str = ""


def intents_of(text: str, named: Sequence[Mention]) -> Asked:
    """What a question asks for; ``other`` alone for nothing an advisor answers.

    >>> intents_of("Which of our findings do I fix first?", ()).intents
    ('prioritise', 'remediate', 'list')
    """
    known = cues()
    text = _ASIDE.sub(" ", text)
    kinds = {one.kind for one in named}
    cued = [name for name, pattern in known.intents.items() if pattern.search(text)]
    if "compare" not in cued and _THAN.search(text) and _has_two(named):
        cued.insert(0, "compare")
    subject = bool(kinds.intersection(_SUBJECTS) or known.tenant.search(text) or known.topics.search(text))
    if is_idle(text) and not kinds:
        return Asked(("other",), cued=False)
    if not subject and not set(cued).intersection(("document", "prioritise", "remediate", "comply")):
        return Asked(("other",), cued=False, would=_settled(text, cued, named)[0] if cued else "")
    if not cued:
        return Asked((_unsaid(kinds),), cued=False)
    return Asked(tuple(_settled(text, cued, named)))


def is_idle(text: str) -> bool:
    """Whether a question only greets or thanks."""
    return bool(cues().idle.match(text)) and "?" not in text and len(text.split()) <= _IDLE_WORDS


def _unsaid(kinds: set[str]) -> str:
    """What a bare name asks for: a check to be explained, a framework to be complied with, a service's findings."""
    if kinds.intersection(("check_ids", "finding_ids")):
        return "explain"
    if kinds.intersection(("compliance_frameworks", "uncovered")) and "severities" not in kinds:
        return "comply"
    return "list" if kinds.intersection(("aws_services", "severities")) else "other"


def _has_two(named: Sequence[Mention]) -> bool:
    """Whether two of a kind are named, to be held against each other."""
    sides = [(one.kind, name) for one in named if one.kind in _SIDES and not one.aside for name in one.names]
    return any(len({name for kind, name in sides if kind == side}) > 1 for side in _SIDES)


def _settled(text: str, cued: list[str], named: Sequence[Mention]) -> list[str]:
    """Cues that mean less than they say go: "audit" without a duty named, "which" before a requirement."""
    kinds = {one.kind for one in named}
    if "comply" in cued and not kinds.intersection(("compliance_frameworks", "uncovered")):
        sure = re.search(
            r"\b(?:complian|comply|complies|audit(?:or)?s?\b|cumpl|mematuhi|patuh|pematuhan)", text, re.IGNORECASE
        )
        if not sure:
            cued.remove("comply")
    if "explain" in cued and "list" in cued and _ASKS_WHY.search(text):
        cued.sort(key=lambda name: name == "list")
    return cued or [_unsaid(kinds)]


def needs_findings(text: str, intent: str, named: Sequence[Mention]) -> bool:
    """Whether an answer needs the tenant's own findings: they are asked for, or the tenant's state is."""
    known = cues()
    kinds = {one.kind for one in named}
    if intent == "other":
        return False
    if intent == "document":
        return bool(known.findings.search(text) or kinds.intersection(("check_ids", "finding_ids")))
    if intent in {"list", "prioritise"} or kinds.intersection(("check_ids", "finding_ids", "severities")):
        return True
    return bool(known.tenant.search(text))


def needs_documents(intents: Sequence[str]) -> bool:
    """Whether an answer needs the documents of the conversation."""
    return "document" in intents
