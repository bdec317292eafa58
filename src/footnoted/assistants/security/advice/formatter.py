"""Writes findings, frameworks and steps as Markdown of one fixed form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from footnoted.assistants.security.advice.compose import fenced
from footnoted.assistants.security.catalogue import FRAMEWORKS
from footnoted.assistants.security.names import framework_name
from footnoted.assistants.security.severity import read_severity

_SHOWN = 3


class ResponseFormatter:
    """Sets advice and remediation in the form every answer has."""

    @staticmethod
    def format_security_advice(
        content: str,
        findings: Sequence[Any] | None = None,
        compliance: Sequence[Any] | Mapping[str, Any] | None = None,
    ) -> str:
        """The content, then three findings as ``[rule_id] title (severity)``, then the frameworks."""
        parts = [(content or "").strip()]
        shown = list(findings or ())
        if shown:
            lines = [f"- {_told(one)}" for one in shown[:_SHOWN]]
            if len(shown) > _SHOWN:
                lines.append(f"- and {len(shown) - _SHOWN} more")
            parts.append("**Related findings**\n" + "\n".join(lines))
        if compliance:
            parts.append("**Compliance**\n" + "\n".join(f"- {one}" for one in _frameworks(compliance)))
        return "\n\n".join(part for part in parts if part)

    @staticmethod
    def format_remediation(
        title: str, steps: Sequence[str] = (), code: str | None = None, language: str = "hcl"
    ) -> str:
        r"""A heading, numbered steps, and the code between fences.

        >>> ResponseFormatter().format_remediation("Block it", ["Open S3."], "x = 1")
        '### Block it\n\n1. Open S3.\n\n```hcl\nx = 1\n```'
        """
        parts = [f"### {title.strip()}"]
        if isinstance(steps, str):
            steps = [steps]
        if steps:
            parts.append("\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1)))
        if code and code.strip():
            parts.append(fenced(code, language))
        return "\n\n".join(parts)


def _told(finding: Any) -> str:
    rule = _get(finding, "rule_id") or _get(finding, "check_id") or _get(finding, "id") or "finding"
    severity = _get(finding, "severity") or "unknown"
    known = read_severity(severity)
    mark = f"{known.mark} " if known else ""
    return f"{mark}[{rule}] {_get(finding, 'title') or ''} ({known.label if known else str(severity)})"


def _frameworks(compliance: Sequence[Any] | Mapping[str, Any] | str) -> list[str]:
    if isinstance(compliance, Mapping):
        return [
            f"{framework_name(key)} {', '.join([ids] if isinstance(ids, str) else map(str, ids or ()))}".strip()
            for key, ids in compliance.items()
        ]
    if isinstance(compliance, str):
        compliance = [compliance]
    return [one if isinstance(one, str) and one not in FRAMEWORKS else framework_name(str(one)) for one in compliance]


def _get(item: Any, name: str) -> Any:
    return item.get(name) if isinstance(item, Mapping) else getattr(item, name, None)
