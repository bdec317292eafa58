"""Reads a row of the CSV that Prowler writes."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping

from footnoted.assistants.security.findings.fields import ID, NotAFinding, line, mapped_as, moment, paragraph
from footnoted.assistants.security.findings.finding import Finding
from footnoted.assistants.security.findings.records import BadRecord, Record, decoded, split
from footnoted.assistants.security.names import service_key
from footnoted.assistants.security.severity import read_severity

_STATUSES = {"FAIL": "fail", "PASS": "pass", "MANUAL": "manual", "MUTED": "muted"}
_LARGEST_FIELD = 1 << 20


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
    addresses = (
        row.get("RELATED_URL", ""),
        row.get("REMEDIATION_RECOMMENDATION_URL", ""),
        *row.get("ADDITIONAL_URLS", "").split(" | "),
    )
    muted = line(row.get("MUTED")).casefold() == "true"
    group = line(row.get("SERVICE_NAME")) or check.partition("_")[0]
    mapped, keyed = mapped_as(_compliance(row.get("COMPLIANCE", "")), provider=provider)
    return Finding(
        check_id=check,
        control_id=check,
        title=title,
        severity=severity,
        status="muted" if muted else _STATUSES.get(line(row.get("STATUS")).upper(), "unknown"),
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


def _compliance(cell: str) -> dict[str, list[str]]:
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
