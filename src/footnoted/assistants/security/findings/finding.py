"""One thing a scanner found, as it flows from a file to an answer; what to ask for, and a page of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from footnoted.assistants.security.severity import Severity


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found about one resource.

    ``check_id`` is the scanner's own ("s3_bucket_public_access", "PCI.S3.6"); ``control_id`` the Security Hub
    control that means the same ("S3.1"), or the check again. ``frameworks`` maps canonical keys ("hipaa") to the
    identifiers the scanner gave, ``mappings`` its own names with their versions ("CIS-5.0") to the same. ``group`` is
    the service as the scanner writes it, ``first_seen`` since when the check has had this status on the resource.
    ``detail`` is what it saw on this resource. ``id`` is empty until it is kept.
    """

    check_id: str
    title: str
    severity: Severity
    status: str
    service: str
    scanner: str
    uid: str = ""
    control_id: str = ""
    provider: str = "aws"
    account: str = ""
    region: str = ""
    resource_id: str = ""
    resource_name: str = ""
    resource_type: str = ""
    description: str = ""
    detail: str = ""
    risk: str = ""
    remediation: str = ""
    remediation_cli: str = ""
    references: tuple[str, ...] = ()
    frameworks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    mappings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    observed_at: datetime | None = None
    first_seen: datetime | None = None
    account_name: str = ""
    group: str = ""
    tags: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    id: str = ""

    @property
    def resource(self) -> str:
        """What a person would call the resource: its name, else its id, else the account."""
        return self.resource_name or self.resource_id or self.account or "this account"

    @property
    def rule_id(self) -> str:
        """The check's id, as answers show it in brackets."""
        return self.check_id


@dataclass(frozen=True, slots=True)
class FindingFilters:
    """What is asked for; an empty field asks for everything.

    ``statuses`` defaults to what needs work. A finding is of one of ``check_ids``, or has all ``title_words`` in its
    title. ``excluded_*`` take away what was asked not to be shown.
    """

    services: tuple[str, ...] = ()
    frameworks: tuple[str, ...] = ()
    severities: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ("fail",)
    accounts: tuple[str, ...] = ()
    check_ids: tuple[str, ...] = ()
    regions: tuple[str, ...] = ()
    title_words: tuple[str, ...] = ()
    excluded_services: tuple[str, ...] = ()
    excluded_severities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Pagination:
    """Which page, from 1, of how many findings each."""

    page: int = 1
    page_size: int = 10

    @property
    def offset(self) -> int:
        """How many findings stand before this page."""
        return (max(self.page, 1) - 1) * self.limit

    @property
    def limit(self) -> int:
        """How many findings a page has: 1 to 200."""
        return min(max(self.page_size, 1), 200)


@dataclass(frozen=True, slots=True)
class FindingsPage:
    """One page, gravest first, with how many there are in all and of each severity."""

    findings: tuple[Finding, ...] = ()
    total: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)
    page: int = 1
    page_size: int = 10

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def __getitem__(self, index: int) -> Finding:
        return self.findings[index]
