"""Reads a record of the AWS Security Finding Format (ASFF) as Security Hub writes it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from typing import Any

from footnoted.assistants.security.findings.fields import ID, Mapped, NotAFinding, at, line, lines, moment, paragraph
from footnoted.assistants.security.findings.finding import Finding
from footnoted.assistants.security.findings.hub import control_of_today
from footnoted.assistants.security.names import FRAMEWORKS, SERVICES, framework_key, service_key, service_of_resource
from footnoted.assistants.security.severity import Severity, read_severity

_STATUSES = {"PASSED": "pass", "FAILED": "fail", "WARNING": "warning", "NOT_AVAILABLE": "unknown"}
_NAMED = re.compile(r"^((?:PCI\.)?[A-Z][A-Za-z0-9]{1,24}\.\d{1,3})\b")
# AWS's own names of its standards; the words before the version are what scanners' maps call the same framework.
_STANDARDS = {
    "aws-foundational-security-best-practices": "AWS-Foundational-Security-Best-Practices",
    "cis-aws-foundations-benchmark": "CIS",
    "pci-dss": "PCI",
    "nist-800-53": "NIST-800-53",
}


def is_asff(record: Mapping[str, Any]) -> bool:
    """Whether a record is one of Security Hub's."""
    return "ProductArn" in record or ("AwsAccountId" in record and "GeneratorId" in record)


def read_asff(record: Mapping[str, Any]) -> Finding:
    """The finding. Raises `NotAFinding` with what is missing."""
    title = line(at(record, "Title"))
    generator = line(at(record, "GeneratorId"), most=ID)
    check = check_of(record)
    if not check:
        raise NotAFinding("names no check: neither a control id nor GeneratorId is there")
    if not title:
        raise NotAFinding("has no Title")
    severity = _severity(record)
    if severity is None:
        raise NotAFinding("has no severity: neither Severity.Label nor Severity.Normalized is one that ASFF knows")
    control = control_of_today(check)
    resource = at(record, "Resources", 0) or {}
    kind, resource_id = line(at(resource, "Type")), line(at(resource, "Id"), most=ID)
    group = (
        service_of_resource(kind) or _service_of_control(control) or _service_of_arn(resource_id) or check.split("_")[0]
    )
    advice = at(record, "Remediation", "Recommendation") or {}
    url = line(at(advice, "Url"), most=ID)
    mapped, keyed = _mapped(record, generator, check)
    return Finding(
        check_id=check,
        control_id=control,
        title=title,
        severity=severity,
        status=_status(record),
        service=service_key(group, resource_type=kind, resource_id=resource_id),
        scanner=_scanner(record),
        uid=line(at(record, "Id"), most=ID),
        account=line(at(record, "AwsAccountId"), most=ID),
        region=line(at(record, "Region") or at(resource, "Region")),
        resource_id=resource_id,
        resource_name=_name_of(resource_id, kind),
        resource_type=kind,
        description=paragraph(at(record, "Description")),
        detail=_detail(record),
        remediation=paragraph(at(advice, "Text")),
        references=(url,) if url.startswith(("https://", "http://")) else (),
        frameworks=keyed,
        mappings=mapped,
        observed_at=moment(at(record, "UpdatedAt") or at(record, "LastObservedAt") or at(record, "CreatedAt")),
        first_seen=moment(at(record, "FirstObservedAt") or at(record, "CreatedAt")),
        account_name=line(at(record, "AwsAccountName")),
        group=_group(check, control, title, group),
        tags=tuple(f"{key}:{value}" for key, value in islice((at(resource, "Tags") or {}).items(), 100)),
    )


def check_of(record: Mapping[str, Any]) -> str:
    """The control's id: ``S3.1``, ``PCI.S3.6``, ``CIS.1.5``, or a third party's own check."""
    generator = line(at(record, "GeneratorId"), most=ID)
    standard, _, rule = _standard(generator)
    rule = rule.removeprefix("rule/")
    if standard == "cis-aws-foundations-benchmark" and rule.replace(".", "").isdigit():
        return f"CIS.{rule}"
    fields = at(record, "ProductFields") or {}
    control = line(at(fields, "ControlId") or at(record, "Compliance", "SecurityControlId"), most=ID)
    if control:
        return control
    if rule := line(at(fields, "RuleId"), most=ID):
        return f"CIS.{rule}" if "cis-aws" in line(at(fields, "StandardsGuideArn")) else rule
    if named := _NAMED.match(line(at(record, "Title"))):
        return named[1]
    return generator.removeprefix("security-control/").removeprefix("prowler-").rsplit("/", 1)[-1]


def _severity(record: Mapping[str, Any]) -> Severity | None:
    label = at(record, "Severity", "Label") or at(record, "FindingProviderFields", "Severity", "Label")
    if found := read_severity(label):
        return found
    normalized = at(record, "Severity", "Normalized")
    if not isinstance(normalized, int | float) or isinstance(normalized, bool) or not 0 <= normalized <= 100:
        return None
    steps = ((90, Severity.CRITICAL), (70, Severity.HIGH), (40, Severity.MEDIUM), (1, Severity.LOW))
    return next((severity for least, severity in steps if normalized >= least), Severity.INFORMATIONAL)


def _status(record: Mapping[str, Any]) -> str:
    if line(at(record, "RecordState")).upper() == "ARCHIVED":
        return "archived"
    workflow = line(at(record, "Workflow", "Status")).upper()
    if workflow == "SUPPRESSED":
        return "muted"
    status = line(at(record, "Compliance", "Status")).upper()
    if status in _STATUSES:
        return _STATUSES[status]
    return "pass" if workflow == "RESOLVED" else "fail"  # what is no check (a detection) stands until it is resolved


def _scanner(record: Mapping[str, Any]) -> str:
    product = line(at(record, "ProductName")) or line(at(record, "ProductFields", "aws/securityhub/ProductName"))
    return product.casefold().replace(" ", "-") or "security-hub"


def _detail(record: Mapping[str, Any]) -> str:
    reasons = at(record, "Compliance", "StatusReasons")
    told = [paragraph(at(one, "Description")) for one in reasons] if isinstance(reasons, list) else []
    return " ".join(one for one in told if one) or paragraph(at(record, "ProductFields", "aws/securityhub/annotation"))


def _mapped(record: Mapping[str, Any], generator: str, check: str) -> Mapped:
    """What the control is mapped to: by AWS's standards with their versions ("CIS-1.2.0"), and by canonical keys."""
    related: dict[str, dict[str, None]] = {}
    for requirement in lines(at(record, "Compliance", "RelatedRequirements")):
        # "PCI DSS v3.2.1/2.1", "NIST.800-53.r5 AC-2"
        name, slash, identity = requirement.partition("/")
        if not slash:
            name, _, identity = requirement.rpartition(" ")
        if (key := framework_key(name)) in FRAMEWORKS:
            related.setdefault(key, {})[identity.strip()] = None
    fields = at(record, "ProductFields")
    associated = at(record, "Compliance", "AssociatedStandards")
    sources = [generator, line(at(fields, "StandardsArn")), line(at(fields, "StandardsGuideArn"))]
    sources += [line(at(one, "StandardsId")) for one in associated] if isinstance(associated, list) else []
    number = check.removeprefix("CIS.")
    mapped: dict[str, tuple[str, ...]] = {}
    keyed: dict[str, dict[str, None]] = {}
    for source in sources:
        standard, version, _ = _standard(source)
        if not standard:
            continue
        key = framework_key(standard)
        keyed.setdefault(key, {}).update({number: None} if key in ("aws-fsbp", "cis-aws") else {})
        if version[:1].isdigit():
            ids = tuple(related.get(key, ())) or (() if key == "pci-dss" else (number,))
            mapped.setdefault(f"{_STANDARDS.get(standard, standard)}-{version}", ids)
    for key, identities in related.items():
        keyed.setdefault(key, {}).update(identities)
    return mapped, {key: tuple(identities) for key, identities in keyed.items()}


def _standard(source: str) -> tuple[str, str, str]:
    """A standard's name and version, and what follows: ``…ruleset/pci-dss/v/3.2.1/PCI.S3.1``; empty where none is."""
    path, found, rest = source.partition("/v/")
    version, _, rule = rest.partition("/")
    return (path.rpartition("/")[2], version, rule) if found else ("", "", "")


def _group(check: str, control: str, title: str, service: str) -> str:
    """The service a control is about, as Prowler writes it: by the control's own prefix."""
    if check.startswith("CIS."):  # numbered by section, so its control of today tells
        told = next((known for word in title.split() if (known := service_key(word)) in SERVICES), "")
        section = {"1": "iam", "2": told}.get(check.split(".")[1], "")
        return section or _spelled(_service_of_control(control)) or service
    return _spelled(_service_of_control(check.removeprefix("PCI."))) or service


def _spelled(family: str) -> str:
    return {"lambda": "awslambda", "cw": "cloudwatch"}.get(family.casefold(), family.casefold())


def _service_of_control(control: str) -> str:
    name, dot, _ = control.rpartition(".")
    return name if dot and name.isalnum() and not name.isdigit() and name != "CIS" else ""


def _service_of_arn(arn: str) -> str:
    parts = arn.split(":")
    return parts[2] if arn.startswith("arn:") and len(parts) > 5 else ""


def _name_of(resource_id: str, kind: str) -> str:
    if kind == "AwsAccount":
        return resource_id.rpartition("Account:")[2] if "Account:" in resource_id else resource_id.rsplit("/", 1)[-1]
    return re.split(r"[:/]", resource_id)[-1] if resource_id.startswith("arn:") else resource_id
