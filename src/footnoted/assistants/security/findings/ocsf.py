"""Reads a record of OCSF (https://schema.ocsf.io) as Prowler writes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from footnoted.assistants.security.findings.fields import (
    ID,
    NotAFinding,
    at,
    line,
    lines,
    mapped_as,
    moment,
    paragraph,
)
from footnoted.assistants.security.findings.finding import Finding
from footnoted.assistants.security.names import service_key, service_of_resource
from footnoted.assistants.security.severity import Severity, read_severity

_BY_ID = {
    1: Severity.INFORMATIONAL,
    2: Severity.LOW,
    3: Severity.MEDIUM,
    4: Severity.HIGH,
    5: Severity.CRITICAL,
    6: Severity.CRITICAL,
}
_STATUSES = {
    "fail": "fail", "failed": "fail", "failure": "fail", "pass": "pass", "passed": "pass", "success": "pass",
    "manual": "manual", "warning": "warning", "warn": "warning", "muted": "muted", "suppressed": "muted",
    "resolved": "pass",
}  # fmt: skip


def is_ocsf(record: Mapping[str, Any]) -> bool:
    """Whether a record is an OCSF finding."""
    return "finding_info" in record or ("class_uid" in record and ("finding" in record or "metadata" in record))


def read_ocsf(record: Mapping[str, Any]) -> Finding:
    """The finding. Raises `NotAFinding` with what is missing."""
    info = at(record, "finding_info") or at(record, "finding") or {}
    check = line(at(record, "metadata", "event_code") or at(record, "compliance", "control"), most=ID)
    check = check or line(at(info, "analytic", "uid") or at(info, "rule", "uid") or at(info, "uid"), most=ID)
    title = line(at(info, "title") or at(record, "message"))
    if not check:
        raise NotAFinding("names no check: metadata.event_code is missing")
    if not title:
        raise NotAFinding("has no title: finding_info.title is missing")
    severity = read_severity(at(record, "severity")) or _BY_ID.get(_number(at(record, "severity_id")))
    if severity is None:
        raise NotAFinding("has no severity: neither severity nor severity_id is one that OCSF knows")
    resource = at(record, "resources", 0) or {}
    provider = line(at(record, "cloud", "provider")).casefold() or _provider(record)
    kind = line(at(resource, "type"))
    resource_id = line(at(resource, "uid"), most=ID)
    group = line(at(resource, "group", "name")) or service_of_resource(kind) or check.partition("_")[0]
    remediation = at(record, "remediation") or {}
    references = lines(at(remediation, "references") or at(remediation, "kb_articles"))
    mapped, keyed = mapped_as(_compliance(record), provider=provider)
    return Finding(
        check_id=check,
        control_id=check,
        title=title,
        severity=severity,
        status=_status(record),
        service=service_key(group, resource_type=kind, resource_id=resource_id or check),
        scanner=line(at(record, "metadata", "product", "name")).casefold() or "ocsf",
        uid=line(at(info, "uid"), most=ID),
        provider=provider,
        account=line(at(record, "cloud", "account", "uid") or at(record, "unmapped", "provider_uid"), most=ID),
        region=line(at(resource, "region") or at(record, "cloud", "region") or at(resource, "namespace")),
        resource_id=resource_id,
        resource_name=line(at(resource, "name")),
        resource_type=kind,
        description=paragraph(at(info, "desc")),
        detail=paragraph(at(record, "status_detail") or at(record, "message")),
        risk=paragraph(at(record, "risk_details")),
        remediation=paragraph(at(remediation, "desc")),
        remediation_cli=next((one for one in references if one.startswith(("aws ", "az ", "gcloud ", "kubectl "))), ""),
        references=tuple(dict.fromkeys(one for one in references if one.startswith(("https://", "http://")))),
        frameworks=keyed,
        mappings=mapped,
        observed_at=moment(at(record, "time_dt") or at(record, "time") or at(info, "created_time_dt")),
        first_seen=moment(at(info, "first_seen_time_dt") or at(info, "first_seen_time")),
        account_name=line(at(record, "cloud", "account", "name")),
        group=group,
        tags=lines(at(resource, "labels") or []),
        categories=lines(at(record, "unmapped", "categories") or []),
    )


def _status(record: Mapping[str, Any]) -> str:
    if line(at(record, "status")).casefold() == "suppressed":
        return "muted"
    for word in (at(record, "status_code"), at(record, "compliance", "status"), at(record, "status")):
        if found := _STATUSES.get(line(word).casefold()):
            return found
    # A detection says nothing of pass or fail: that it was made is what is wrong.
    return "fail" if at(record, "class_uid") == 2004 and at(record, "status_code") is None else "unknown"


def _compliance(record: Mapping[str, Any]) -> Mapping[str, Any]:
    found = at(record, "unmapped", "compliance")
    if isinstance(found, Mapping):
        return found
    names = at(record, "compliance", "standards")
    ids = lines(at(record, "compliance", "requirements"))
    return {name: list(ids) for name in names if isinstance(name, str)} if isinstance(names, list) else {}


def _provider(record: Mapping[str, Any]) -> str:
    kind = line(at(record, "resources", 0, "type"))
    return "kubernetes" if kind.startswith(("Kubernetes", "K8s")) or at(record, "resources", 0, "namespace") else "aws"


def _number(value: Any) -> int:
    return value if isinstance(value, int) else -1
