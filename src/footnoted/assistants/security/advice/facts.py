"""Gathers what a model may not say otherwise: the severities, counts and code an answer rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footnoted.assistants.security.advice.context import BEST, AnswerContext
from footnoted.assistants.security.advice.guard import Facts

if TYPE_CHECKING:
    from footnoted.assistants.security.advice.sources import Desk
    from footnoted.assistants.security.severity import Severity

_LEAST = 4  # code points of a name that is looked for


def facts_of(context: AnswerContext, desk: Desk) -> Facts:
    """The facts of one answer. A name that two severities share stands for neither."""
    named: dict[str, Severity] = {}
    shared: set[str] = set()
    for finding in context.findings:
        for name in (finding.check_id, finding.control_id, finding.title, finding.resource_name, finding.resource_id):
            key = name.casefold().rstrip(".")
            if len(key) < _LEAST:
                continue
            if named.setdefault(key, finding.severity) is not finding.severity:
                shared.add(key)
    severities = {
        at + 1: getattr(sheet.item, "severity", None) for at, sheet in enumerate(desk.sheets) if sheet.kind == "finding"
    }
    results = [one for one in (context.result, context.by_catalogue, *(one for _, one in context.choices)) if one]
    results += [side for one in results for side in one.sides]
    allowed = {len(context.findings[:BEST]), len(context.findings)}
    for one in results:
        allowed |= {one.total, one.findings, one.resources, one.checks, *one.severities.values()}
        allowed |= {*one.scanners.values(), *one.statuses.values(), *(n for _, _, n in one.groups)}
    return Facts(
        named={name: severity for name, severity in named.items() if name not in shared},
        by_source={number: severity for number, severity in severities.items() if severity is not None},
        total=context.total,
        counts=dict(context.counts),
        allowed=frozenset(allowed),
        code=tuple(code for entry in context.kb_entries for code in (entry.cli, entry.terraform, entry.check) if code),
    )
