"""A query in words and as chips, so that a reader sees what was asked and can take a part of it away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from footnoted.assistants.security.query.finding_query import FindingQuery, Where
from footnoted.assistants.security.query.vocabulary import PROVIDERS, Vocabulary

_STATUSES = {"fail": "open", "pass": "passing", "manual": "to be checked by hand", "warning": "with a warning",
             "unknown": "of unknown status"}  # fmt: skip
_CHANGES = {
    "new": "new since the previous scan", "fixed": "fixed since the previous scan",
    "gone": "open before and no longer reported", "muted": "muted since the previous scan",
    "unmuted": "no longer muted", "still": "open in both scans",
}  # fmt: skip
_PROVIDERS = {"aws": "AWS", "azure": "Azure", "gcp": "GCP", "kubernetes": "Kubernetes"}
_SCANNERS = {"prowler": "Prowler", "security-hub": "Security Hub"}
_GROUPS = {
    "resource_type": "resource type",
    "first_seen_month": "month first seen",
    "first_seen_week": "week first seen",
}
_MOST = 4  # names of one field told one by one


def provider_name(key: str) -> str:
    """A provider as people write it."""
    return _PROVIDERS.get(key) or PROVIDERS.get(key, (key,))[0]


def scanner_name(key: str) -> str:
    """A scanner as people write it."""
    return _SCANNERS.get(key, key)


def chips_of(query: FindingQuery, vocabulary: Vocabulary) -> list[dict[str, Any]]:
    """Each thing the query narrows by: its field, its values, and words for it."""
    chips = [{"field": name, "value": value, "label": label} for name, value, label in _parts(query.where, vocabulary)]
    if query.without():
        chips += [
            {"field": f"exclude.{name}", "value": value, "label": f"not {label}"}
            for name, value, label in _parts(query.exclude, vocabulary)
            if name in query.without()
        ]
    if query.group_by:
        chips.append({"field": "group_by", "value": query.group_by, "label": f"by {group_name(query.group_by)}"})
    return chips


def words_of(query: FindingQuery, vocabulary: Vocabulary) -> str:
    """The query in words: "high · open · account halden-prod (418273650912)"."""
    return " · ".join(str(chip["label"]) for chip in chips_of(query, vocabulary))


def filter_in_words(query: FindingQuery, vocabulary: Vocabulary) -> str:
    """What a query narrows to, without its status and scan: "account halden-prod (418273650912)"."""
    chips = [str(chip["label"]) for chip in chips_of(query, vocabulary) if chip["field"] not in ("status", "scan")]
    return " · ".join(chips)


def group_name(group_by: str) -> str:
    """What findings are grouped by, in words."""
    return f"tag {group_by[4:]}" if group_by.startswith("tag:") else _GROUPS.get(group_by, group_by)


def value_name(group_by: str, key: str, name: str, vocabulary: Vocabulary) -> str:
    """One group's name as people write it."""
    if group_by == "account":
        return vocabulary.account_name(key)
    if group_by == "provider":
        return provider_name(key)
    if group_by == "scanner":
        return scanner_name(key)
    if group_by == "status":
        return _STATUSES.get(key, key)
    if group_by == "framework":
        provider, _, framework = key.partition("|")
        return f"{framework} ({provider_name(provider)})"
    if group_by == "resource":
        return name or key.rsplit("|", 1)[-1]
    if group_by.startswith("tag:") and key == "(none)":
        return f"(none), without a {group_by[4:]} tag (Security Hub's findings carry no tags)"
    return key


def _parts(where: Where, vocabulary: Vocabulary) -> list[tuple[str, Any, str]]:
    told: list[tuple[str, Any, str]] = []

    def add(name: str, lead: str, names: Sequence[str]) -> None:
        if names:
            shown = " or ".join(names[:_MOST]) + (f" and {len(names) - _MOST} more" if len(names) > _MOST else "")
            told.append((name, getattr(where, name), f"{lead}{shown}"))

    add("severity", "", where.severity)
    if where.change:
        told.append(("change", where.change, _CHANGES[where.change]))
    elif where.status:
        add("status", "", [_STATUSES.get(one, one) for one in where.status])
    else:
        told.append(("status", [], "whatever the status"))
    add("provider", "", [provider_name(one) for one in where.provider])
    add("account", "account ", [vocabulary.account_name(one) for one in where.account])
    add("region", "region or namespace " if "kubernetes" in where.provider else "region ", where.region)
    add("service", "service ", where.service)
    add("scanner", "from ", [scanner_name(one) for one in where.scanner])
    add("check", "check ", where.check)
    add("resource", "resource ", where.resource)
    add("resource_type", "type ", where.resource_type)
    by_key: dict[str, list[str]] = {}
    for one in where.tag:
        by_key.setdefault(one.partition(":")[0], []).append(one)
    if by_key:  # two values of a key are alternatives
        told.append(("tag", where.tag, f"tagged {' and '.join(' or '.join(each) for each in by_key.values())}"))
    add("category", "category ", where.category)
    if where.untagged:
        told.append(("untagged", True, "untagged"))
    if where.framework:
        told.append(("framework", where.edition, f"mapped to {where.edition}"))
    if where.requirement:
        told.append(("requirement", where.requirement, f"requirement {requirement_id(where, vocabulary)} and below it"))
    if where.first_seen_from:
        told.append(("first_seen_from", where.first_seen_from.isoformat(), f"first seen from {where.first_seen_from}"))
    if where.first_seen_before:
        told.append(
            ("first_seen_before", where.first_seen_before.isoformat(), f"first seen before {where.first_seen_before}")
        )
    if where.open_for_more_than is not None:
        told.append(("open_for_more_than", where.open_for_more_than, f"for more than {where.open_for_more_than} days"))
    if where.scan != "latest":
        scan = vocabulary.previous if where.scan == "previous" else where.scan
        told.append(("scan", str(where.scan), f"as of the scan of {scan}"))
    return told


def requirement_id(where: Where, vocabulary: Vocabulary) -> str:
    """A requirement's id as the file that has it spells it."""
    keys = vocabulary.frameworks.get(where.framework, {})
    found = keys.get(where.version, {}).get(where.requirement)
    return found or next(
        (ids[where.requirement] for ids in keys.values() if where.requirement in ids), where.requirement
    )
