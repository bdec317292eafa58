"""Questions in other wordings: templates over the advisor's grammar, their names drawn from a tenant's own findings.

Each is a wording and the typed query that the data's oracle computes from the raw files. No answer was looked at to
write them. `drawn` fills them by a seed, so that each result says something.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

_SEVERITIES = ("critical", "high", "medium", "low")
_MONTHS = {"2026-09": "September", "2026-10": "October"}
A, B, R, S, V = "{account}", "{account2}", "{region}", "{service}", "{severity}"
IN_A, IN_R, OF_S, OF_V = {"account": A}, {"region": R}, {"service": S}, {"severity": V}
OLD = {"older_than_days": "{days}"}

COUNTS: list[tuple[str, dict[str, Any], str]] = [
    ("Tell me the total of open {severity} findings.", OF_V, "findings"),
    ("What's our tally of {severity} problems in {account}?", OF_V | IN_A, "findings"),
    ("In {region}, how many things are failing?", IN_R, "findings"),
    ("{account} and {account2} together: number of {severity} ones", OF_V | {"account": [A, B]}, "findings"),
    ("How many findings does {service} have?", OF_S, "findings"),
    ("Could you count what Prowler reports as {severity} for {service}?", OF_V | OF_S | {"source": "prowler"}, "findings"),
    ("How many findings carry the tag {tag}?", {"tag": "{tag}"}, "findings"),
    ("I'd like to know how many {severity} findings there are outside {region}", OF_V | {"not": IN_R}, "findings"),
    ("Count all findings except the {severity} ones", {"not": OF_V}, "findings"),
    ("How many findings are high or worse in {account}?", IN_A | {"severity": ["critical", "high"]}, "findings"),
    ("how many open in {region}, {severity} only, {service} only", IN_R | OF_V | OF_S, "findings"),
    ("Number of resources with a {severity} finding in {account}", OF_V | IN_A, "resources"),
    ("How many checks fail in {account}?", IN_A, "checks"),
    ("What number of findings has been muted in {account}?", IN_A | {"status": "muted"}, "findings"),
    ("How many findings of {service} have passed?", OF_S | {"status": "pass"}, "findings"),
    ("how many {severity} findings have been open for over {days} days", OF_V | OLD, "findings"),
    ("How many {severity} findings were first seen since {date}?", OF_V | {"first_seen_after": "{date}"}, "findings"),
    ("How many findings in {account} were first seen before {date}?", IN_A | {"first_seen_before": "{date}"}, "findings"),
    ("count the {severity} ones first seen in {month}", OF_V | {"first_seen_after": "{from}", "first_seen_before": "{to}"},
     "findings"),
    ("How many {severity} findings were open in the previous scan?", OF_V | {"seen_in_scan": 1}, "findings"),
    ("how many findings are in the category {category}", {"category": "{category}"}, "findings"),
    ("How many GCP findings are {severity}?", OF_V | {"provider": "gcp"}, "findings"),
    ("how many {severity} findings do our Azure subscriptions have", OF_V | {"provider": "azure"}, "findings"),
    ("{service}, {account}, {severity}: how many are there?", OF_S | IN_A | OF_V, "findings"),
    ("How many {severity} findings are less than {days} days old in {account}?", None, "findings"),  # type: ignore[list-item]
    ("How many findings are new since the last scan in {account}?", IN_A | {"change": "new"}, "findings"),
    ("How many {severity} findings were fixed between the scans?", OF_V | {"change": "fixed"}, "findings"),
    ("Number of findings in {account} that got muted since the last scan", IN_A | {"change": "muted"}, "findings"),
    ("how many findings does {framework} {version} have against it in {account}?",
     IN_A | {"framework": "{framework}", "version": "{version}"}, "findings"),
    ("How many open findings are mapped to {framework} {version} requirement {requirement}?",
     {"framework": "{framework}", "version": "{version}", "requirement": "{requirement}"}, "findings"),
]  # fmt: skip
LISTS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("Show every {severity} finding of {service} in {account}", OF_V | OF_S | IN_A, {}),
    ("Which {severity} findings sit in {region}?", OF_V | IN_R, {}),
    ("List what is open on {resource}", {"resource": "{resource}"}, {}),
    ("What's wrong with {resource}?", {"resource": "{resource}"}, {}),
    ("Give me the {severity} {service} findings of {account}, please", OF_V | OF_S | IN_A, {}),
    ("Which resources in {account} have {severity} {service} findings?", OF_V | OF_S | IN_A, {"of": "resources"}),
    ("What did the newest scan fix in {account}?", IN_A | {"change": "fixed"}, {}),
    ("Which {severity} findings are new in {account} since the last scan?", OF_V | IN_A | {"change": "new"}, {}),
    ("Which findings disappeared since the last scan in {account}?", IN_A | {"change": "gone"}, {}),
    ("Which of {account}'s findings have been there for more than {days} days and are {severity}?", IN_A | OF_V | OLD, {}),
    ("Show the {severity} findings Security Hub has in {region}", OF_V | IN_R | {"source": "securityhub"}, {}),
    ("Is anything {severity} open on {service} in {account}?", OF_V | OF_S | IN_A, {}),
    ("which {severity} findings does {account} have that are muted", OF_V | IN_A | {"status": "muted"}, {}),
    ("I need the names of all resources tagged {tag} with {severity} findings", OF_V | {"tag": "{tag}"}, {"of": "resources"}),
]  # fmt: skip
GROUPS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("Findings by account", {}, {"group_by": "account"}),
    ("How are the {severity} findings spread over the regions?", OF_V, {"group_by": "region"}),
    ("Which service has the most {severity} findings in {account}?", OF_V | IN_A, {"group_by": "service", "limit": 1}),
    ("Give me a breakdown per severity for {account}", IN_A, {"group_by": "severity"}),
    ("top 3 regions by {severity} findings", OF_V, {"group_by": "region", "limit": 3}),
    ("Number of {severity} findings for each cloud provider", OF_V, {"group_by": "provider"}),
    ("rank the accounts by number of {severity} findings", OF_V, {"group_by": "account"}),
    ("How many findings per resource type in {account}?", IN_A, {"group_by": "resource_type"}),
    ("per scanner, how many {severity} findings?", OF_V, {"group_by": "source"}),
    ("Which resource has the most findings in {region}?", IN_R, {"group_by": "resource_uid", "limit": 1}),
    ("Which check fails most often in {account}?", IN_A, {"group_by": "check", "limit": 1}),
    ("In which regions does {account} have {severity} findings, and how many in each?", IN_A | OF_V, {"group_by": "region"}),
    ("{severity} findings, one number per service, only {account}", IN_A | OF_V, {"group_by": "service"}),
    ("Which accounts fail {framework} {version} {requirement}?",
     {"framework": "{framework}", "version": "{version}", "requirement": "{requirement}"}, {"group_by": "account"}),
]  # fmt: skip
RATES: list[tuple[str, dict[str, Any]]] = [
    ("What share of the {service} findings in {account} passes?", OF_S | IN_A),
    ("Pass rate of {account}", IN_A),
    ("How many per cent of the findings in {region} pass?", IN_R),
]
AGES: list[tuple[str, dict[str, Any]]] = [
    ("How old are the {severity} findings in {account} on average?", OF_V | IN_A),
    ("What is the median age of {service} findings?", OF_S),
    ("how old is the oldest {severity} finding in {region}", OF_V | IN_R),
]
PAIRS: list[tuple[str, dict[str, Any], str]] = [
    ("Compare {account} and {account2}", {}, "account"),
    ("Does {account} have more {severity} findings than {account2}?", OF_V, "account"),
    ("{account} versus {account2}: who has more {severity} findings in {region}?", OF_V | IN_R, "account"),
    ("Is {account} or {account2} worse off with {service}?", OF_S, "account"),
    ("Put {account} next to {account2}: {severity} findings", OF_V, "account"),
    ("What changed in {account} since the previous scan?", IN_A, "seen_in_scan"),
    ("Are the {severity} findings in {account} going up or down?", IN_A | OF_V, "seen_in_scan"),
]
THREADS: list[tuple[str, str, dict[str, Any]]] = [
    ("How many {severity} findings are in {account}?", "and in {account2}?",
     {"select": "count", "where": OF_V | {"account": B}}),
    ("How many findings in {region}?", "only the {severity} ones", {"select": "count", "where": OF_V | IN_R}),
    ("List the {severity} findings in {account}", "how many is that?", {"select": "count", "where": OF_V | IN_A}),
    ("How many {severity} findings in {account}?", "which regions are they in?",
     {"select": "group", "group_by": "region", "where": OF_V | IN_A}),
    ("How many {service} findings in {account}?", "and how many muted ones?",
     {"select": "count", "where": OF_S | IN_A | {"status": "muted"}}),
    ("How many {severity} findings does {service} have?", "what about {service2}?",
     {"select": "count", "where": OF_V | {"service": "{service2}"}}),
    ("Which {severity} findings are open in {account}?", "leave out {service}",
     {"select": "list", "where": OF_V | IN_A | {"not": OF_S}}),
]  # fmt: skip
CANNOT = [
    "How many findings does {account} have in Atlantis?",
    "Who is responsible for the {severity} findings in {account}?",
    "How many findings will we have next month?",
    "How many {severity} findings in account 123123123123?",
    "How many findings did {account} have on 3 August?",
    "Which of the {severity} findings in {account} were exploited by attackers?",
    "How much does fixing {service} cost us?",
    "How many {severity} findings are there in Oracle Cloud?",
    "Are we ISO 9001 certified?",
    "How many findings have a CVSS score above 9?",
    "How many {severity} findings have an open Jira ticket?",
    "What's the weather in Oslo?",
    "How many findings in {region} belong to the contractors?",
    "How many {severity} findings are in accounts that have more than 12 of them?",
    "How many {severity} findings in {account} and {service} findings in {account2}?",
]


def drawn(rows: list[dict[str, Any]], oracle: Any, seed: int) -> Iterator[dict[str, Any]]:
    """The questions with names of the rows, their typed query, and the oracle's result."""
    chance = random.Random(seed)
    open_rows = [row for row in rows if row["scan"] == 2 and row["status"] == "open"]
    for place, (kind, wording, query, history) in enumerate(_all()):
        for _ in range(60):
            slots = _slots(chance, open_rows)
            made = _filled(query, slots)
            right = oracle.run(rows, made)
            if made["select"] == "none" or _says_something(right):
                break
        yield {
            "id": f"W{place:03d}", "kind": kind, "question": wording.format(**slots), "query": made,
            "history": [[one.format(**slots), ""] for one in history], "must_say": [],
            "cannot": made["select"] == "none", "expect": {"check": oracle.CHECK[made["select"]], "right": right},
        }  # fmt: skip


def _all() -> Iterator[tuple[str, str, dict[str, Any], list[str]]]:
    for wording, where, of in COUNTS:
        younger = OF_V | IN_A | {"first_seen_after": "{ago}"}
        yield "count", wording, {"select": "count", "of": of, "where": younger if where is None else where}, []
    for wording, where, more in LISTS:
        yield "list", wording, {"select": "list", "where": where, **more}, []
    for wording, where, more in GROUPS:
        yield "group", wording, {"select": "group", "where": where, **more}, []
    for wording, where in RATES:
        yield "rate", wording, {"select": "rate", "where": where | {"status": ["open", "pass"]}}, []
    for wording, where in AGES:
        yield "age", wording, {"select": "age", "where": where}, []
    for wording, where, by in PAIRS:
        sides = ({"account": A}, {"account": B}) if by == "account" else ({"seen_in_scan": 1}, {"seen_in_scan": 2})
        yield (
            "pair",
            wording,
            {"select": "each", "queries": [{"select": "count", "where": where | one} for one in sides]},
            [],
        )
    for before, wording, query in THREADS:
        yield "thread", wording, query, [before]
    for wording in CANNOT:
        yield "cannot", wording, {"select": "none"}, []


def _slots(chance: random.Random, rows: list[dict[str, Any]]) -> dict[str, Any]:
    import datetime as dt

    row, tagged = chance.choice(rows), chance.choice([row for row in rows if row["tags"] and row["categories"]])
    aws = sorted({row["account_name"] for row in rows if row["provider"] == "aws"})
    account = row["account_name"] if row["account_name"] in aws else chance.choice(aws)
    mapped = [
        (name, ids) for name, ids in row["frameworks"].items() if "-" in name and name.rsplit("-", 1)[1][0].isdigit()
    ]
    name, ids = chance.choice(mapped or [("CIS-5.0", ["2.1.4"])])
    framework, version = name.rsplit("-", 1)
    month = chance.choice(sorted(_MONTHS))
    day = dt.date(2026, 9, 1) + dt.timedelta(days=chance.randrange(60))
    days = chance.choice((14, 30, 45, 60))
    return {
        "account": account, "account2": chance.choice([one for one in aws if one != account]), "region": row["region"],
        "service": row["service"], "service2": chance.choice(sorted({one["service"] for one in rows})),
        "severity": row["severity"] if row["severity"] in _SEVERITIES else "low", "resource": row["resource"],
        "tag": tagged["tags"][0], "category": tagged["categories"][0], "days": days, "date": day.isoformat(),
        "ago": (dt.date(2026, 11, 16) - dt.timedelta(days=days)).isoformat(), "month": _MONTHS[month],
        "from": f"{month}-01", "to": f"2026-{int(month[5:]) + 1:02d}-01",
        "framework": framework, "version": version, "requirement": ids[0],
        "ids": {one["account_name"]: one["account"] for one in rows},
    }  # fmt: skip


def _filled(query: Any, slots: dict[str, Any]) -> Any:
    """A template with its names; an account stands by its id, and days are a number."""
    if isinstance(query, dict):
        return {name: _filled(value, slots) for name, value in query.items()}
    if isinstance(query, list):
        return [_filled(one, slots) for one in query]
    if query == "{days}":
        return slots["days"]
    told = query.format(**slots) if isinstance(query, str) else query
    return slots["ids"].get(told, told) if query in (A, B) else told


def _says_something(right: dict[str, Any]) -> bool:
    if "each" in right:
        return all(map(_says_something, right["each"]))
    return bool(right.get("value") or right.get("groups") or right.get("open"))
