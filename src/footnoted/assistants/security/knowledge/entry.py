"""One entry of the knowledge base: what should be true, why, how to check it and how to put it right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import TypeAdapter

from footnoted.assistants.security.severity import Severity


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
        written: dict[str, Any] = _JSON.dump_python(self, mode="json")
        return written


_JSON = TypeAdapter(KnowledgeEntry)


def from_json(body: Mapping[str, Any]) -> KnowledgeEntry:
    """The entry whose `KnowledgeEntry.as_json` this is."""
    return _JSON.validate_python(body)
