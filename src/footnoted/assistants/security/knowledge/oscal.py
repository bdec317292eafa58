"""Reads the controls of a NIST OSCAL catalogue or profile (https://pages.nist.gov/OSCAL)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from footnoted.assistants.security.findings.fields import NotAFinding, at, line, paragraph
from footnoted.assistants.security.knowledge.entry import KnowledgeEntry
from footnoted.assistants.security.names import requirement_name
from footnoted.text import runs

_INSERT = re.compile(r"\{\{\s*insert:\s*param,\s*([\w.-]+)\s*\}\}")
_LONGEST = 6_000  # code points of a statement
_DEEPEST = 12
_BASELINES = frozenset("LOW MODERATE HIGH PRIVACY".split())


def is_oscal(value: Mapping[str, Any]) -> bool:
    """Whether this is an OSCAL catalogue or profile."""
    return any(isinstance(value.get(name), Mapping) for name in ("catalog", "profile"))


def read_oscal(value: Mapping[str, Any]) -> tuple[str, str, list[KnowledgeEntry]]:
    """The format, the document's own title, and an entry a control. Raises `NotAFinding`."""
    if isinstance(value.get("catalog"), Mapping):
        catalog = value["catalog"]
        title = line(at(catalog, "metadata", "title"))
        words, baselined, _ = title.upper().rpartition("BASELINE")
        baseline = next((word for word in runs(words) if word in _BASELINES), "") if baselined else ""
        note = (f"in the {baseline} baseline",) if baseline else ()
        entries = [_entry(control, family, params, note) for control, family, params in _controls(catalog, "", {}, 0)]
        if not entries:
            raise NotAFinding("is an OSCAL catalogue without controls")
        return "oscal-catalog", title, entries
    profile = value["profile"]
    title = line(at(profile, "metadata", "title"))
    named = [
        identity
        for imported in profile.get("imports") or []
        for selected in (imported.get("include-controls") or [])
        for identity in (selected.get("with-ids") or [])
        if isinstance(identity, str)
    ]
    if not named:
        raise NotAFinding("is an OSCAL profile that names no controls (imports › include-controls › with-ids)")
    note = (f"selected by {title}",) if title else ()
    return "oscal-profile", title, [_entry({"id": identity}, "", {}, note) for identity in dict.fromkeys(named)]


def label_of(identity: str) -> str:
    """A control's id as people write it.

    >>> label_of("ac-2.1")
    'AC-2(1)'
    """
    return requirement_name("nist-800-53", identity.casefold()).upper()


def _controls(
    part: Mapping[str, Any], family: str, params: Mapping[str, str], depth: int
) -> Iterator[tuple[Mapping[str, Any], str, Mapping[str, str]]]:
    """Every control under a catalogue, group or control, the enhancements after their control."""
    if depth > _DEEPEST:
        raise NotAFinding("its groups stand too deep in one another")
    for group in part.get("groups") or []:
        yield from _controls(group, line(at(group, "title")) or family, params, depth + 1)
    for control in part.get("controls") or []:
        own = {**params, **_params(control)}
        yield control, family, own
        yield from _controls(control, family, own, depth + 1)


def _params(control: Mapping[str, Any]) -> dict[str, str]:
    """What stands for each parameter: its label, or the choice it offers."""
    found = {}
    for param in control.get("params") or []:
        choices = at(param, "select", "choice")
        told = line(at(param, "label")) or " or ".join(line(one) for one in choices or [] if isinstance(one, str))
        found[line(at(param, "id"))] = f"[{told}]" if told else "[value set by the organisation]"
    return found


def _entry(control: Mapping[str, Any], family: str, params: Mapping[str, str], note: tuple[str, ...]) -> KnowledgeEntry:
    identity = line(at(control, "id"))
    if not identity:
        raise NotAFinding("holds a control without an id")
    label = _label(control) or label_of(identity)
    withdrawn = any(
        at(one, "name") == "status" and at(one, "value") == "withdrawn" for one in control.get("props") or []
    )
    statement = " ".join(_prose(control.get("parts") or [], "statement", params, 0))[:_LONGEST]
    guidance = " ".join(_prose(control.get("parts") or [], "guidance", params, 0))[:_LONGEST]
    return KnowledgeEntry(
        id=f"nist-800-53:{identity.casefold()}",
        title=f"{label} {line(at(control, 'title'))}".strip(),
        description=statement or ("Withdrawn." if withdrawn else ""),
        origin="oscal",
        label=label,
        check=guidance,
        frameworks={"nist-800-53": (label,)},
        notes=(*((f"family: {family}",) if family else ()), *note),
    )


def _label(control: Mapping[str, Any]) -> str:
    labels = [one for one in control.get("props") or [] if at(one, "name") == "label"]
    plain = next((one for one in labels if not at(one, "class")), None)
    return line(at(plain, "value"))


def _prose(parts: Any, name: str, params: Mapping[str, str], depth: int) -> Iterator[str]:
    """The words of a statement: its items, each behind its letter, parameters named in brackets."""
    if depth > _DEEPEST:
        return
    for part in parts if isinstance(parts, list) else []:
        if depth == 0 and at(part, "name") != name:
            continue
        prose = _INSERT.sub(lambda found: params.get(found[1], "[value]"), paragraph(at(part, "prose")))
        prose = _INSERT.sub("[value]", prose)  # a choice may name parameters of its own
        letter = _label(part) if depth else ""
        if prose:
            yield f"{letter} {prose}".strip()
        yield from _prose(at(part, "parts"), name, params, depth + 1)
