"""Security Hub: its records (AWS Security Finding Format, ASFF) read, and its controls by their ids of today.

These are AWS's own identifiers, so that one control of the catalogue is found whichever standard (CIS 1.2.0,
PCI DSS 3.2.1) reported it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from typing import Any

from footnoted.assistants.security.findings.fields import ID, Mapped, NotAFinding, at, line, lines, moment, paragraph
from footnoted.assistants.security.findings.finding import Finding
from footnoted.assistants.security.names import FRAMEWORKS, SERVICES, framework_key, service_key, service_of_resource
from footnoted.assistants.security.severity import Severity, read_severity

_CIS = """
1.1 CloudWatch.1 · 1.2 IAM.5 · 1.3 IAM.8 · 1.4 IAM.3 · 1.5 IAM.11 · 1.6 IAM.12 · 1.7 IAM.13 · 1.8 IAM.14 · 1.9 IAM.15
1.10 IAM.16 · 1.11 IAM.17 · 1.12 IAM.4 · 1.13 IAM.9 · 1.14 IAM.6 · 1.16 IAM.2 · 1.20 IAM.18 · 1.22 IAM.1
2.1 CloudTrail.1 · 2.2 CloudTrail.4 · 2.3 CloudTrail.6 · 2.4 CloudTrail.5 · 2.5 Config.1 · 2.6 CloudTrail.7
2.7 CloudTrail.2 · 2.8 KMS.4 · 2.9 EC2.6 · 3.1 CloudWatch.2 · 3.2 CloudWatch.3 · 3.3 CloudWatch.1 · 3.4 CloudWatch.4
3.5 CloudWatch.5 · 3.6 CloudWatch.6 · 3.7 CloudWatch.7 · 3.8 CloudWatch.8 · 3.9 CloudWatch.9 · 3.10 CloudWatch.10
3.11 CloudWatch.11 · 3.12 CloudWatch.12 · 3.13 CloudWatch.13 · 3.14 CloudWatch.14 · 4.1 EC2.13 · 4.2 EC2.14 · 4.3 EC2.2
"""
_PCI = """
AutoScaling.1 AutoScaling.1 · CloudTrail.1 CloudTrail.2 · CloudTrail.2 CloudTrail.3 · CloudTrail.3 CloudTrail.4
CloudTrail.4 CloudTrail.5 · CodeBuild.1 CodeBuild.1 · CodeBuild.2 CodeBuild.2 · Config.1 Config.1 · CW.1 CloudWatch.1
DMS.1 DMS.1 · EC2.1 EC2.1 · EC2.2 EC2.2 · EC2.4 EC2.12 · EC2.5 EC2.13 · EC2.6 EC2.6 · ELBV2.1 ELB.1
ES.1 ES.2 · ES.2 ES.1
GuardDuty.1 GuardDuty.1 · IAM.1 IAM.4 · IAM.2 IAM.2 · IAM.3 IAM.1 · IAM.4 IAM.6 · IAM.5 IAM.9 · IAM.6 IAM.19
IAM.7 IAM.8 · IAM.8 IAM.10 · KMS.1 KMS.4 · Lambda.1 Lambda.1 · Lambda.2 Lambda.3 · RDS.1 RDS.1
RDS.2 RDS.2 · Redshift.1 Redshift.1
S3.1 S3.3 · S3.2 S3.2 · S3.3 S3.7 · S3.4 S3.4 · S3.5 S3.5 · S3.6 S3.1
SageMaker.1 SageMaker.1 · SSM.1 SSM.2
SSM.2 SSM.3 · SSM.3 SSM.1
"""
_FAMILIES = {
    name.casefold(): name
    for name in (
        "Account ACM APIGateway AppSync Athena AutoScaling Backup CloudFormation CloudFront CloudTrail CloudWatch"
        " CodeArtifact CodeBuild Cognito Config DataFirehose Detective DMS DocumentDB DynamoDB EC2 ECR ECS EFS EKS"
        " ElastiCache ElasticBeanstalk ELB EMR ES EventBridge FSx Glue GuardDuty IAM Inspector Kinesis KMS Lambda Macie"
        " MQ MSK Neptune NetworkFirewall Opensearch PCA RDS Redshift Route53 S3 SageMaker SecretsManager SNS SQS SSM"
        " StepFunctions WAF WorkSpaces CW ELBV2"
    ).split()
}
_STATUSES = {"PASSED": "pass", "FAILED": "fail", "WARNING": "warning", "NOT_AVAILABLE": "unknown"}
_NAMED = re.compile(r"^((?:PCI\.)?[A-Z][A-Za-z0-9]{1,24}\.\d{1,3})\b")
# AWS's own names of its standards; the words before the version are what scanners' maps call the same framework.
_STANDARDS = {
    "aws-foundational-security-best-practices": "AWS-Foundational-Security-Best-Practices",
    "cis-aws-foundations-benchmark": "CIS",
    "pci-dss": "PCI",
    "nist-800-53": "NIST-800-53",
}


def _table(text: str, prefix: str) -> dict[str, str]:
    pairs = (pair.split() for line in text.strip().splitlines() for pair in line.split("·"))
    return {f"{prefix}{old}": new for old, new in pairs}


TODAY = _table(_CIS, "CIS.") | _table(_PCI, "PCI.")


def control_of_today(check_id: str) -> str:
    """The control id of today; what had no other name keeps its own.

    >>> control_of_today("PCI.S3.6"), control_of_today("CIS.1.5"), control_of_today("S3.8")
    ('S3.1', 'IAM.11', 'S3.8')
    """
    return TODAY.get(check_id, check_id)


def spelled(name: str) -> str:
    """A control's id with its family in the capitals AWS uses; anything else as it is.

    >>> spelled("cloudtrail.1"), spelled("pci.s3.6"), spelled("bucket-1")
    ('CloudTrail.1', 'PCI.S3.6', 'bucket-1')
    """
    folded = name.strip().casefold()
    family, _, number = folded.removeprefix("pci.").partition(".")
    if family not in _FAMILIES or not number.isdecimal() or len(number) > len("999"):
        return name
    return f"{'PCI.' if folded.startswith('pci.') else ''}{_FAMILIES[family]}.{number}"


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
