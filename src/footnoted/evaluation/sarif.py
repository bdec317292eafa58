"""Writes a check as SARIF, which editors and code hosts show beside the text it speaks of."""

from __future__ import annotations

import json
from typing import Any

from footnoted import __version__
from footnoted.evaluation.check import CheckReport, ClaimCheck

# Verdict or standing → how SARIF ranks it, and what it means.
_RULES = {
    "contradicted": ("error", "A source says otherwise."),
    "unsupported": ("error", "No source carries this sentence."),
    "unsure": ("note", "It was read beside its evidence, and whether that carries it is not clear."),
    "not_checked": ("note", "This sentence could not be checked."),
    "changed": ("error", "The source is there, the quoted words are not."),
    "missing": ("error", "The quoted source is not there."),
}


def as_sarif(report: CheckReport, text: str, *, uri: str) -> str:
    """SARIF 2.1.0 (OASIS) of what does not stand; columns and offsets in Unicode code points."""
    results = [_claim(claim, text, uri) for claim in report.claims if claim.verdict in _RULES]
    for pointer in report.pointers:
        if pointer.standing in _RULES:
            message = f"[{pointer.number}] {pointer.source}: {pointer.quote!r} is {pointer.standing}"
            results.append(_result(pointer.standing, message, uri, None))
    rules = [
        {"id": name, "shortDescription": {"text": said}, "defaultConfiguration": {"level": level}}
        for name, (level, said) in _RULES.items()
    ]
    run = {
        "tool": {"driver": {"name": "footnoted", "semanticVersion": __version__, "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "artifacts": [{"location": {"uri": uri}}],
        "results": results,
    }
    log = {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]}
    return json.dumps(log, ensure_ascii=False, indent=2)


def _claim(claim: ClaimCheck, text: str, uri: str) -> dict[str, Any]:
    said = _RULES[claim.verdict][1]
    message = f"{said} {claim.reason}".strip()
    for evidence in claim.evidence[:1]:
        message += f" Nearest, in {evidence.source}: “{' '.join(evidence.quote.split())}”"
    return _result(claim.verdict, message, uri, _region(text, claim.start, claim.end))


def _result(rule: str, message: str, uri: str, region: dict[str, Any] | None) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": uri, "index": 0}}
    if region:
        place["region"] = region
    return {
        "ruleId": rule,
        "ruleIndex": list(_RULES).index(rule),
        "level": _RULES[rule][0],
        "message": {"text": message},
        "locations": [{"physicalLocation": place}],
    }


def _region(text: str, start: int, end: int) -> dict[str, Any]:
    line, column = _place(text, start)
    last_line, last_column = _place(text, end)
    return {
        "charOffset": start,
        "charLength": end - start,
        "startLine": line,
        "startColumn": column,
        "endLine": last_line,
        "endColumn": last_column,
        "snippet": {"text": text[start:end]},
    }


def _place(text: str, offset: int) -> tuple[int, int]:
    """Line and column, both from 1."""
    before = text[:offset]
    return before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1
