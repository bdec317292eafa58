"""The advisor's whole grammar: what can be asked of a tenant's findings, as one typed object.

Whoever fills it, a model or the grammar without one, everything the advisor counts or lists is asked through it, and it
is shown to the reader. What has no field here cannot be asked, and the advisor says so.
"""

from __future__ import annotations

from datetime import date
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

Select = Literal[
    "count", "list", "group", "trend", "diff", "rate", "age", "unmet", "compare", "explain", "remediation",
    "requirement", "mapping",
]  # fmt: skip
Of = Literal["findings", "resources", "checks"]
Status = Literal["fail", "pass", "manual", "warning", "muted", "archived", "unknown"]
Change = Literal["new", "fixed", "gone", "muted", "unmuted", "still"]
SeverityName = Literal["critical", "high", "medium", "low", "informational"]
Group = Literal[
    "provider", "account", "region", "service", "severity", "status", "scanner", "check", "resource", "resource_type",
    "category", "framework", "requirement", "first_seen_week", "first_seen_month",
]  # fmt: skip
LIMIT = 10  # rows told, unless another number is asked for
GROUPS = 30  # groups told
Order = Literal["severity", "oldest", "newest", "most", "fewest", "key"]


class Where(BaseModel):
    """Which findings. An empty field asks for all; values of one field widen, fields narrow. Days are of UTC."""

    model_config = ConfigDict(extra="forbid")

    provider: list[str] = Field(default=[], description="aws, azure, gcp, kubernetes …")
    account: list[str] = Field(default=[], description="ids of accounts, subscriptions, projects or clusters")
    region: list[str] = Field(default=[], description="regions; of Kubernetes, namespaces")
    service: list[str] = Field(default=[], description="services as the scanner writes them")
    scanner: list[str] = []
    severity: list[SeverityName] = []
    status: list[Status] = Field(default=["fail"], description="empty: whatever the status")
    check: list[str] = Field(default=[], description="ids of checks")
    resource: list[str] = Field(default=[], description="names or ids of resources")
    resource_type: list[str] = []
    tag: list[str] = Field(default=[], description="key:value; all of them must be there")
    untagged: bool = False
    without_tag: list[str] = Field(default=[], description="keys of tags; none of them may be there")
    category: list[str] = []
    framework: str = Field(default="", description="a framework's name without its version")
    version: str = ""
    requirement: str = Field(default="", description="a requirement's id; those below it count too")
    first_seen_from: date | None = None
    first_seen_before: date | None = None
    open_for_more_than: int | None = Field(default=None, ge=0, description="days, up to the newest scan")
    scan: date | Literal["latest", "previous"] = "latest"
    change: Change | None = Field(default=None, description="between the previous scan and the latest")

    @property
    def edition(self) -> str:
        """The framework with its version: "CIS 5.0"."""
        return f"{self.framework} {self.version}".strip()

    def narrowed(self) -> dict[str, object]:
        """The fields that say something, as JSON."""
        return self.model_dump(mode="json", exclude_defaults=True)


NAMED = tuple(  # of what scans name
    name for name, field in Where.model_fields.items() if field.annotation == list[str] and name != "without_tag"
)


class Having(BaseModel):
    """Which groups are told, by how much they hold. Where no least is said, one that holds nothing is told too."""

    model_config = ConfigDict(extra="forbid")

    at_least: int | None = Field(default=None, ge=0, description="more than 20 is at least 21")
    at_most: int | None = Field(default=None, ge=0, description="fewer than 5 is at most 4; 0: those that have none")
    every: Literal["", "severity", "check", "service", "account", "region", "scanner"] = Field(
        default="", description="a group must hold each value of this field that `where` names, or else that occurs"
    )

    @property
    def takes_none(self) -> bool:
        """Whether groups that hold nothing are told."""
        return not self.every and (self.at_least == 0 or (self.at_least is None and self.at_most is not None))

    def holds(self, count: int) -> bool:
        """Whether a group of so many is told."""
        return (self.at_least or 0) <= count and (self.at_most is None or count <= self.at_most)


class FindingQuery(BaseModel):
    """A question on findings, checks and duties.

    `exclude` takes away what has any of its values; `sides` are what a comparison is of, or the part whose
    share is asked.
    """

    model_config = ConfigDict(extra="forbid")

    select: Select = "count"
    of: Of = "findings"
    where: Where = Where()
    exclude: Where = Where(status=[])
    group_by: str = Field(default="", description="a field of findings, or tag:KEY; of a diff, whose change is told")
    having: Having = Field(default=Having(), description="of groups: how much each must hold")
    order_by: Order = "severity"
    limit: int = Field(default=LIMIT, ge=1, le=200)
    offset: int = Field(default=0, ge=0, le=1_000_000)
    measure: Literal["count", "rate", "share", "average"] = Field(
        default="count", description="what a comparison sets side by side; of groups, what is told of each, or of all"
    )
    sides: list[Where] = Field(default=[], max_length=6)
    cannot: list[str] = Field(default=[], max_length=8, description="what the question asks that no field can hold")

    def as_json(self) -> dict[str, object]:
        """The query without what it does not say."""
        plain = {"of", "group_by", "order_by", "limit", "offset", "measure"}
        told: dict[str, object] = {"select": self.select, "where": self.where.narrowed()}
        told |= self.model_dump(include=plain, exclude_defaults=True)
        if without := self.without():
            told["exclude"] = without
        if self.having != Having():
            told["having"] = self.having.model_dump(exclude_defaults=True)
        if self.sides:
            told["sides"] = [one.narrowed() for one in self.sides]
        return told

    def without(self) -> dict[str, object]:
        """What is taken away."""
        nothing = Where(status=[]).model_dump(mode="json")
        return {name: told for name, told in self.exclude.model_dump(mode="json").items() if told != nothing[name]}
