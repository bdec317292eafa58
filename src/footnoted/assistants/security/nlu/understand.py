"""A question and the conversation before it in; an `NLUResult` out, by rules, the same each time, without a network."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from typing import Any

from footnoted.assistants.security.nlu.history import (
    Turn,
    goes_on,
    listed,
    ordinals_of,
    points_back,
    turns,
    without_ordinals,
)
from footnoted.assistants.security.nlu.identifiers import ACCOUNT, REGION, Identifier, identifiers, service_of
from footnoted.assistants.security.nlu.intents import Asked, intents_of, is_idle, needs_documents, needs_findings
from footnoted.assistants.security.nlu.meaning import intent_by_meaning
from footnoted.assistants.security.nlu.mentions import Mention, mentions
from footnoted.assistants.security.nlu.result import Entities, NLUResult
from footnoted.assistants.security.nlu.words import corrected, readable
from footnoted.orders import is_order
from footnoted.text import sentences

_KINDS = ("aws_services", "compliance_frameworks", "finding_ids", "severities", "check_ids", "uncovered")
_IDS = ("finding_ids", "check_ids")
_FILTERS = re.compile(r"\s*(?:only|just)\b", re.IGNORECASE)  # "only for account …" narrows, it points at nothing
_OUTSIDE = re.compile(r"\b(?:not in|outside(?: of)?|other than|except(?: in)?|excluding)\s+$", re.IGNORECASE)


def understand(question: str, history: Iterable[Any] = ()) -> NLUResult:
    """What ``question`` asks, read after ``history``: (user, assistant) pairs, or messages with role and content.

    >>> result = understand("Which of our S3 findings break HIPAA, and what do I fix first?")
    >>> result.intent, result.entities.aws_services, result.entities.compliance_frameworks
    ('prioritise', ('s3',), ('hipaa',))
    """
    return _understand(corrected(readable(question)), turns(history))


def _understand(text: str, before: Sequence[Turn]) -> NLUResult:
    text, ordered = _without_orders(text)
    known = identifiers(text)
    named = mentions(text, known)
    asked = intents_of(without_ordinals(text) if before else text, named)
    if not asked.cued and not is_idle(text) and not known and text.strip():
        by_meaning = intent_by_meaning(text, asked.intents[0])
        asked = replace(asked, intents=(by_meaning,))
    intents = asked.intents
    context: dict[str, Any] = {}
    if ordered:
        context["ordered"] = True
    entities, excluded = _entities(named)
    if excluded:
        context["excluded"] = excluded
    context |= _said(known) | _places(text)
    if ordinals := ordinals_of(text):
        context["ordinals"] = ordinals
    if not asked.cued:
        context["guessed"] = True
    if len(intents) > 1:
        context["intents"] = intents
    result = NLUResult(intents[0], entities, needs_findings(text, intents[0], named), needs_documents(intents), context)
    return _carried(result, text, before, asked) if before else result


def _without_orders(text: str) -> tuple[str, bool]:
    """The question without sentences that order whoever answers about: they ask nothing."""
    spans = list(sentences(text))
    kept = [text[span.start : span.end] for span in spans if not is_order(text[span.start : span.end])]
    return (" ".join(kept), True) if len(kept) < len(spans) else (text, False)


def _entities(named: Sequence[Mention]) -> tuple[Entities, dict[str, tuple[str, ...]]]:
    """The names asked about, and those set aside."""
    asked: dict[str, list[str]] = {kind: [] for kind in _KINDS}
    aside: dict[str, list[str]] = {kind: [] for kind in _KINDS}
    for one in named:
        (aside if one.aside else asked)[one.kind] += one.names
    for kind in _KINDS:
        aside[kind] = [name for name in aside[kind] if name not in asked[kind]]
    once = {kind: tuple(dict.fromkeys(names)) for kind, names in asked.items()}
    return Entities(**once), {kind: tuple(dict.fromkeys(names)) for kind, names in aside.items() if names}


def _said(known: Sequence[Identifier]) -> dict[str, tuple[str, ...]]:
    """Requirements and resources the question names: no entities of SPEC, but what an answer looks up."""
    said = {}
    for kind, key in (("requirement", "requirements"), ("resource", "resources")):
        values = tuple(dict.fromkeys(one.value for one in known if one.kind == kind))
        if values:
            said[key] = values
    return said


def _places(text: str) -> dict[str, tuple[str, ...]]:
    """The Regions and accounts the question speaks of, and the Regions it sets aside ("not in us-east-1")."""
    places: dict[str, list[str]] = {"regions": [], "regions_aside": [], "accounts": ACCOUNT.findall(text)}
    for found in REGION.finditer(text.lower()):
        aside = _OUTSIDE.search(text, max(0, found.start() - 30), found.start())
        places["regions_aside" if aside else "regions"].append(found[0])
    return {kind: tuple(dict.fromkeys(names)) for kind, names in places.items() if names}


def _carried(result: NLUResult, text: str, before: Sequence[Turn], asked: Asked) -> NLUResult:
    """The result with what a follow-up leaves unsaid filled in from the turns before it."""
    last_user = next((at for at in range(len(before) - 1, -1, -1) if before[at].who == "user"), None)
    if last_user is None or is_idle(text):
        return result
    back, on = points_back(text) or bool(result.context.get("ordinals")), goes_on(text)
    back = back or (on and not any(asdict(result.entities).values()) and not _FILTERS.match(text))
    if not back and not on:
        return result
    earlier = _understand(before[last_user].text, before[:last_user])
    answer = next((turn.text for turn in reversed(before[last_user + 1 :]) if turn.who == "assistant"), "")
    own = {kind for kind, names in asdict(result.entities).items() if names}
    entities, carried = _filled(result, earlier, own, listed(answer) if back else [], back=back)
    intent = _intent(result, earlier, asked)
    context = {key: value for key, value in result.context.items() if key != "guessed"} | {"follow_up": True}
    if carried:
        context["carried"] = carried
    if "excluded" in earlier.context and "excluded" not in context and on:
        context["excluded"] = earlier.context["excluded"]
    findings = (
        result.requires_findings or intent in {"list", "prioritise"} or bool(entities.check_ids or entities.finding_ids)
    )
    asks_state = intent == earlier.intent if on else intent in {"comply", "compare"}
    findings = findings or (earlier.requires_findings and asks_state)
    documents = result.requires_documents or intent == "document"
    return replace(
        result,
        intent=intent,
        entities=entities,
        context=context,
        requires_findings=findings,
        requires_documents=documents,
    )


def _filled(
    result: NLUResult,
    earlier: NLUResult,
    own: set[str],
    items: Sequence[tuple[tuple[str, ...], tuple[str, ...]]],
    *,
    back: bool,
) -> tuple[Entities, tuple[str, ...]]:
    """The entities with what the follow-up left unsaid, and which kinds were filled in."""
    values = {kind: getattr(result.entities, kind) for kind in _KINDS}
    old = {kind: getattr(earlier.entities, kind) for kind in _KINDS}
    topic = own & {"aws_services", "compliance_frameworks", "uncovered"}
    fills: list[str] = []
    if back and not own & {*_IDS, "aws_services", "severities"}:
        picked = _picked(items, result.context.get("ordinals", ()))
        checks, findings = (tuple(dict.fromkeys(sum((item[at] for item in picked), ()))) for at in (0, 1))
        if not picked:
            checks, findings = old["check_ids"], old["finding_ids"]
        values |= {"check_ids": checks, "finding_ids": findings}
        fills += [kind for kind in _IDS if values[kind]]
    wanted = [] if own & set(_IDS) else ["aws_services", "compliance_frameworks"]
    if not (values["check_ids"] or values["finding_ids"]):
        wanted.append("severities")
    for kind in wanted:
        replaced = kind == "compliance_frameworks" and topic & {"compliance_frameworks", "uncovered"}
        if not values[kind] and old[kind] and not replaced:
            values[kind] = old[kind]
            fills.append(kind)
    if not values["aws_services"] and values["check_ids"]:
        values["aws_services"] = tuple(dict.fromkeys(filter(None, map(service_of, values["check_ids"]))))
    return Entities(**values), tuple(fills)


def _picked(
    items: Sequence[tuple[tuple[str, ...], tuple[str, ...]]], ordinals: Sequence[int]
) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """The items the ordinals point at; all of them where none does."""
    if not ordinals:
        return list(items)
    return [items[at if at < 0 else at - 1] for at in ordinals if -len(items) <= at <= len(items) and at]


def _intent(result: NLUResult, earlier: NLUResult, asked: Asked) -> str:
    """A follow-up without an intent of its own asks what was asked before, of one item to be explained."""
    if result.context.get("ordinals") and result.intent in {"other", "prioritise", "list"}:
        return "explain" if earlier.intent in {"list", "prioritise", "comply", "other"} else earlier.intent
    return result.intent if asked.cued else asked.would or earlier.intent
