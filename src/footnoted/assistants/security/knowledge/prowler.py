"""Reads a Prowler compliance map or the metadata of a check."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from footnoted.assistants.security.findings.fields import ID, NotAFinding, at, line, lines, paragraph
from footnoted.assistants.security.knowledge.entry import KnowledgeEntry
from footnoted.assistants.security.names import framework_key, service_key
from footnoted.assistants.security.severity import read_severity
from footnoted.text.markdown import list_mark, stretches

_MOST_CHECKS = 1_000  # of one requirement


def is_compliance(value: Mapping[str, Any]) -> bool:
    """Whether this is a compliance map: a framework and its requirements."""
    return "Framework" in value and isinstance(value.get("Requirements"), list)


def is_check(value: Mapping[str, Any]) -> bool:
    """Whether this is the metadata of a check."""
    return "CheckID" in value and "CheckTitle" in value


def read_compliance(value: Mapping[str, Any]) -> tuple[str, str, list[KnowledgeEntry]]:
    """The format, the framework's name, and an entry a requirement, with the checks that show it is broken."""
    name = line(at(value, "Framework"))
    provider = line(at(value, "Provider")).casefold() or "aws"
    key = framework_key(name, provider=provider)
    if not key:
        raise NotAFinding("is a compliance map without a framework")
    version = line(at(value, "Version"))
    entries = [_requirement(one, key, version, name, provider) for one in value["Requirements"]]
    if not entries:
        raise NotAFinding("is a compliance map without requirements")
    return "prowler-compliance", line(at(value, "Name")) or name, entries


def _requirement(requirement: Any, key: str, version: str, name: str, provider: str) -> KnowledgeEntry:
    identity = line(at(requirement, "Id"), most=120)
    if not identity:
        raise NotAFinding("holds a requirement without an Id")
    title = line(at(requirement, "Name")) or line(at(requirement, "Description"))
    attributes = at(requirement, "Attributes", 0) or {}
    section, service = line(at(attributes, "Section")), line(at(attributes, "Service"))
    return KnowledgeEntry(
        # Two editions of one framework stand side by side.
        id=f"{re.sub(r'[^a-z0-9.]+', '-', name.casefold())}{f'-{version}' if version else ''}:{identity}"[:200],
        title=title or identity,
        description=paragraph(at(requirement, "Description")),
        origin="prowler-compliance",
        label=_label(identity, title, key),
        severity=read_severity(at(attributes, "Severity")),
        service="" if service.casefold() in ("", "aws") else service_key(service),
        frameworks={key: (_label(identity, title, key),)},
        checks=lines(at(requirement, "Checks") or [], most=_MOST_CHECKS),
        notes=(section,) if section else (),
        edition=f"{name}-{version}" if version else name,
        provider=provider,
    )


def _label(identity: str, title: str, key: str) -> str:
    """What people call the requirement: ``164_308_a_1`` is titled "164.308(a)(1) …"."""
    first = title.split(" ", 1)[0]
    plain = re.sub(r"[^a-z0-9]", "", first.casefold())
    if plain and plain == re.sub(r"[^a-z0-9]", "", identity.casefold()):
        return first
    if key == "gdpr" and (found := re.match(r"article_(\d+)", identity)):
        return f"Art. {found[1]}"
    return identity


def read_check(value: Mapping[str, Any]) -> KnowledgeEntry:
    """The entry of a check: what it asks, why, and how it is put right."""
    check = line(at(value, "CheckID"), most=ID)
    if not check or not line(at(value, "CheckTitle")):
        raise NotAFinding("is a check without CheckID or CheckTitle")
    code = at(value, "Remediation", "Code") or {}
    advice = at(value, "Remediation", "Recommendation") or {}
    return KnowledgeEntry(
        id=f"prowler:{check}"[:200],
        title=line(at(value, "CheckTitle")),
        description=_plain(f"{paragraph(at(value, 'Description'))} {paragraph(at(value, 'Risk'))}".strip()),
        origin="prowler-check",
        label=check,
        service=service_key(line(at(value, "ServiceName")) or check.partition("_")[0], resource_id=check),
        severity=read_severity(at(value, "Severity")),
        check=_plain(paragraph(at(advice, "Text"))),
        cli=_code(at(code, "CLI")),
        terraform=_code(at(code, "Terraform")),
        console=tuple(list_mark(step)[1].strip() for step in paragraph(at(code, "Other")).splitlines() if step.strip()),
        checks=(check,),
        url=line(at(advice, "Url") or at(value, "RelatedUrl"), most=ID),
    )


def _code(value: Any) -> str:
    text = paragraph(value)
    pieces = stretches(text)
    fenced = len(pieces) == 3 and not pieces[0][0] and not pieces[2][0].strip()
    return pieces[1][0].removesuffix("\n") if fenced else text


def _plain(text: str) -> str:
    """Without the emphasis of Markdown."""
    return re.sub(r"\*\*([^*]+)\*\*|(?<!\w)\*([^*\n]+)\*(?!\w)", lambda found: found[1] or found[2], text)
