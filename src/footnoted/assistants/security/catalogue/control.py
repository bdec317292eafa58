"""One control of the shipped catalogue: what it asks, why, how to check it and how to put it right."""

from __future__ import annotations

from dataclasses import dataclass

SEVERITIES = ("critical", "high", "medium", "low")
FRAMEWORKS = ("hipaa", "soc2", "pci-dss", "gdpr", "cis-aws", "nist-800-53")


@dataclass(frozen=True, slots=True)
class Control:
    """One thing that should be true of an AWS account.

    ``service`` is a canonical key ("s3"); ``frameworks`` maps a key of `FRAMEWORKS` to the identifiers of the
    requirements the control serves; ``finding_checks`` are the ids under which scanners report its breach:
    Prowler check ids ("s3_account_level_public_access_blocks") and Security Hub control ids ("S3.1").
    """

    id: str
    title: str
    service: str
    severity: str
    summary: str
    check: str
    cli: str
    terraform: str
    console: tuple[str, ...]
    frameworks: dict[str, tuple[str, ...]]
    finding_checks: tuple[str, ...]
