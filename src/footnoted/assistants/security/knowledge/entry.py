"""One entry of the knowledge base: what should be true, why, how to check it and how to put it right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from footnoted.assistants.security.severity import Severity, read_severity

if TYPE_CHECKING:
    from footnoted.assistants.security.catalogue import Control


@dataclass(frozen=True, slots=True)
class KnowledgeEntry:
    """An entry and where it is from: ``shipped``, ``oscal``, ``prowler-check``, ``prowler-compliance``.

    ``description`` says what and why, ``check`` how to look, ``console`` the steps by hand. ``checks`` are the
    ids under which scanners report its breach. ``label`` is what people call it ("AC-2", "164.312(a)(1)").
    """

    id: str
    title: str
    description: str
    origin: str
    service: str = ""
    severity: Severity | None = None
    label: str = ""
    check: str = ""
    cli: str = ""
    terraform: str = ""
    console: tuple[str, ...] = ()
    frameworks: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    checks: tuple[str, ...] = ()
    url: str = ""
    notes: tuple[str, ...] = ()
    edition: str = ""  # of a requirement: its framework with the version, as the file names it
    provider: str = ""

    @property
    def has_remediation(self) -> bool:
        """Whether it says how to put things right."""
        return bool(self.cli or self.terraform or self.console)

    def as_json(self) -> dict[str, Any]:
        """The entry as JSON."""
        return {**asdict(self), "severity": self.severity.value if self.severity else None}


def entry_of(control: Control) -> KnowledgeEntry:
    """A control of the shipped catalogue as an entry."""
    return KnowledgeEntry(
        id=control.id,
        title=control.title,
        description=control.summary,
        origin="shipped",
        service=control.service,
        severity=read_severity(control.severity),
        check=control.check,
        cli=control.cli,
        terraform=control.terraform,
        console=control.console,
        frameworks=control.frameworks,
        checks=control.finding_checks,
    )


def from_json(body: Mapping[str, Any]) -> KnowledgeEntry:
    """The entry whose `KnowledgeEntry.as_json` this is."""
    return KnowledgeEntry(
        **{
            **body,
            "severity": read_severity(body.get("severity")),
            "frameworks": {key: tuple(ids) for key, ids in body.get("frameworks", {}).items()},
            **{name: tuple(body.get(name, ())) for name in ("console", "checks", "notes")},
        }
    )
