"""Reads what Prowler writes: a record of OCSF (https://schema.ocsf.io), which others write too, or a row of its CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from footnoted.assistants.security.findings.fields import ID, NotAFinding, at, line, lines, mapped_as, moment, paragraph
from footnoted.assistants.security.findings.finding import Finding
from footnoted.assistants.security.findings.records import BadRecord, Record, decoded, split
from footnoted.assistants.security.names import service_key, service_of_resource
from footnoted.assistants.security.severity import Severity, of_rank, read_severity

_STATUSES = {
    "fail": "fail", "failed": "fail", "failure": "fail", "pass": "pass", "passed": "pass", "success": "pass",
    "manual": "manual", "warning": "warning", "warn": "warning", "muted": "muted", "suppressed": "muted",
    "resolved": "pass",
}  # fmt: skip
_LARGEST_FIELD = 1 << 20


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
    severity = read_severity(at(record, "severity")) or _severity_of(at(record, "severity_id"))
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


def _severity_of(number: Any) -> Severity | None:
    """OCSF counts from 1, informational, to 6, fatal."""
    return of_rank(5 - number) if isinstance(number, int) and 1 <= number <= 6 else None


def rows(pieces: Iterable[bytes]) -> Iterator[Record | BadRecord]:
    """The rows of a CSV with semicolons or commas, each as a mapping of its header's names."""
    csv.field_size_limit(_LARGEST_FIELD)
    lines = _lines(decoded(split(pieces)))
    header = next(lines, "")
    names = [name.strip() for name in next(csv.reader([header], delimiter=_delimiter(header)), [])]
    reader = csv.reader(lines, delimiter=_delimiter(header))
    while True:
        begins = reader.line_num + 2
        try:
            values = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield BadRecord(begins, f"no row of a table: {error}")
            continue
        if not any(values):
            continue
        if len(values) != len(names):
            yield BadRecord(begins, f"has {len(values)} columns, and the header names {len(names)}")
        else:
            yield Record(begins, dict(zip(names, values, strict=True)))


def is_prowler_header(head: bytes) -> bool:
    """Whether a file begins as Prowler's CSV does."""
    first = head.lstrip(b"\xef\xbb\xbf").split(b"\n", 1)[0]
    return b"CHECK_ID" in first and b"STATUS" in first and b"SEVERITY" in first


def read_row(row: Mapping[str, str]) -> Finding:
    """The finding. Raises `NotAFinding` with what is missing."""
    check, title = line(row.get("CHECK_ID"), most=ID), line(row.get("CHECK_TITLE"))
    severity = read_severity(row.get("SEVERITY"))
    if not check or not title:
        raise NotAFinding("names no check: CHECK_ID or CHECK_TITLE is empty")
    if severity is None:
        raise NotAFinding(f"has no severity that Prowler knows: {line(row.get('SEVERITY'))!r}")
    provider = line(row.get("PROVIDER")).casefold() or "aws"
    kind, resource_id = line(row.get("RESOURCE_TYPE")), line(row.get("RESOURCE_UID"), most=ID)
    named = (row.get(name, "") for name in ("RELATED_URL", "REMEDIATION_RECOMMENDATION_URL"))
    addresses = (*named, *row.get("ADDITIONAL_URLS", "").split(" | "))
    muted = line(row.get("MUTED")).casefold() == "true"
    group = line(row.get("SERVICE_NAME")) or check.partition("_")[0]
    mapped, keyed = mapped_as(_served(row.get("COMPLIANCE", "")), provider=provider)
    return Finding(
        check_id=check,
        control_id=check,
        title=title,
        severity=severity,
        status="muted" if muted else _STATUSES.get(line(row.get("STATUS")).casefold(), "unknown"),
        service=service_key(group, resource_type=kind, resource_id=resource_id or check),
        scanner="prowler",
        uid=line(row.get("FINDING_UID"), most=ID),
        provider=provider,
        account=line(row.get("ACCOUNT_UID"), most=ID),
        region=line(row.get("REGION")),
        resource_id=resource_id,
        resource_name=line(row.get("RESOURCE_NAME")),
        resource_type=kind,
        description=paragraph(row.get("DESCRIPTION")),
        detail=paragraph(row.get("STATUS_EXTENDED")),
        risk=paragraph(row.get("RISK")),
        remediation=paragraph(row.get("REMEDIATION_RECOMMENDATION_TEXT")),
        remediation_cli=paragraph(row.get("REMEDIATION_CODE_CLI")),
        references=tuple(dict.fromkeys(line(one, most=ID) for one in addresses if one.strip().startswith("http"))),
        frameworks=keyed,
        mappings=mapped,
        observed_at=moment(row.get("TIMESTAMP")),
        account_name=line(row.get("ACCOUNT_NAME")),
        group=group,
        tags=_parts(row.get("RESOURCE_TAGS", "")),
        categories=_parts(row.get("CATEGORIES", "")),
    )


def _parts(cell: str) -> tuple[str, ...]:
    """``env=prod | team=web`` as tags are written everywhere here: ``env:prod``."""
    return tuple(line(one).replace("=", ":", 1) for one in re.split(r"\s*[|,]\s*", cell) if one.strip())[:100]


def _served(cell: str) -> dict[str, list[str]]:
    """``CIS-1.4: 1.20 | CIS-2.0: 1.20, 1.21`` by framework."""
    parts = (part.partition(": ") for part in cell.split(" | ") if part.strip())
    return {name.strip(): [number.strip() for number in ids.split(",") if number.strip()] for name, _, ids in parts}


def _delimiter(header: str) -> str:
    return ";" if header.count(";") >= header.count(",") else ","


def _lines(texts: Iterable[str]) -> Iterator[str]:
    rest = io.StringIO()
    for text in texts:
        *whole, last = text.split("\n")
        for one in whole:
            yield rest.getvalue() + one + "\n"
            rest = io.StringIO()
        if rest.tell() + len(last) > 8 * _LARGEST_FIELD:
            rest = io.StringIO()  # no row is that long
            continue
        rest.write(last)
    if rest.getvalue():
        yield rest.getvalue()
