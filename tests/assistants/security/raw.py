"""The shared data's findings read from the raw files by a few lines of their own, apart from the house's readers."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from footnoted.assistants.security import catalogue
from tests.assistants.security.catalogue.test_coverage import CIS, _records, loaded
from tests.assistants.security.conftest import DATA

ORDER = ("critical", "high", "medium", "low", "informational")
# AWS's own names for controls of PCI DSS 3.2.1 that it numbers otherwise today (docs.aws.amazon.com/securityhub).
PCI = {
    "CloudTrail.1": "CloudTrail.2", "CloudTrail.2": "CloudTrail.3", "CloudTrail.3": "CloudTrail.4", "S3.6": "S3.1",
    "CloudTrail.4": "CloudTrail.5", "CW.1": "CloudWatch.1", "EC2.5": "EC2.13", "IAM.6": "IAM.19", "IAM.7": "IAM.8",
    "IAM.8": "IAM.10", "KMS.1": "KMS.4", "S3.1": "S3.3",
}  # fmt: skip


@dataclass(frozen=True)
class Raw:
    """One record as its file has it: the id a person would name, the control of today, service, severity, state."""

    check: str
    control: str
    service: str
    severity: str
    fails: bool
    account: str
    title: str
    named: frozenset[str]

    def serves(self, framework: str) -> bool:
        """Whether the file, or a control's own list of checks, ties it to a framework."""
        return framework in self.named or framework in frameworks_of(self.check) | frameworks_of(self.control)


@cache
def _catalogue() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for path in (Path(catalogue.__file__).parent / "controls").glob("*.toml"):
        for control in tomllib.loads(path.read_text(encoding="utf-8"))["control"]:
            found |= dict.fromkeys(control["finding_checks"], frozenset(control["frameworks"]))
    return found


def frameworks_of(check: str) -> frozenset[str]:
    return _catalogue().get(check, frozenset())


def _hub(record) -> Raw:
    rule = re.search(r"/rule/([\d.]+)$", record["GeneratorId"])
    if rule:
        check, control, named = f"CIS.{rule[1]}", CIS[rule[1]], {"cis-aws"}
    else:
        check = record["ProductFields"]["ControlId"]
        plain = check.removeprefix("PCI.")
        control, named = (PCI.get(plain, plain), {"pci-dss"}) if check != plain else (check, {"aws-fsbp"})
    resource = record["Resources"][0]["Type"].removeprefix("Aws")
    of_resource = re.match(r"Ec2|Iam|Rds|CloudTrail|CloudFront|CodeBuild|[A-Z][a-z0-9]+", resource)[0].lower()
    return Raw(
        check=check,
        control=control,
        service=control.split(".")[0].lower() if resource == "Account" else of_resource,
        severity=record["Severity"]["Label"].lower(),
        fails=record["Compliance"]["Status"] == "FAILED",
        account=record["AwsAccountId"],
        title=record["Title"],
        named=frozenset(named),
    )


def _prowler(record) -> Raw:
    names = " ".join(record["unmapped"]["compliance"]).lower()
    known = {
        "cis-": "cis-aws",
        "hipaa": "hipaa",
        "gdpr": "gdpr",
        "pci": "pci-dss",
        "soc2": "soc2",
        "nist-800-53": "nist-800-53",
    }
    check = record["metadata"]["event_code"]
    return Raw(
        check=check,
        control=check,
        service=record["resources"][0]["group"]["name"],
        severity=record["severity"].lower(),
        fails=record["status_code"] == "FAIL",
        account=record["cloud"]["account"]["uid"],
        title=record["finding_info"]["title"],
        named=frozenset(key for word, key in known.items() if word in names),
    )


@cache
def raw() -> tuple[Raw, ...]:
    """Every record once."""
    found: dict[str, Raw] = {}
    for path in sorted((DATA / "asff-samples").glob("*.json")):
        for record in _records(loaded(path)):
            found[json.dumps(record, sort_keys=True)] = _hub(record)
    for record in loaded(DATA / "prowler/examples_output/example_output_aws.ocsf.json"):
        found[json.dumps(record, sort_keys=True)] = _prowler(record)
    return tuple(found.values())


def failing(*, services=(), severities=(), frameworks=(), accounts=(), checks=()) -> list[Raw]:
    """The records that fail and are all of this, gravest first."""
    found = [
        one
        for one in raw()
        if one.fails
        and (not services or one.service in services)
        and (not severities or one.severity in severities)
        and (not accounts or one.account in accounts)
        and (not checks or one.check in checks or one.control in checks)
        and (not frameworks or any(one.serves(key) for key in frameworks))
    ]
    return sorted(found, key=lambda one: ORDER.index(one.severity))


def counted(records) -> dict[str, int]:
    """How many of each severity."""
    count = Counter(one.severity for one in records)
    return {severity: count[severity] for severity in ORDER if count[severity]}
