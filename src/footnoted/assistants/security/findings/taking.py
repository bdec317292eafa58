"""The findings of a scanner's file, each taken once and made ready to be written, a batch at a time.

The hard thing is that reading costs as much time as writing, and one interpreter does one of them at once: a file of
more than a few megabytes is read by a child process.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from hashlib import blake2b
from itertools import chain, count, islice
from typing import NamedTuple

from footnoted.apart import given_to_stream, streamed, tell
from footnoted.assistants.security.findings.finding import Finding
from footnoted.assistants.security.findings.reading import Read, findings_in
from footnoted.assistants.security.findings.records import PIECE, BadRecord

BATCH = 500  # records
_SMALL = 4 * PIECE  # bytes that are read right here
_BEHIND = 5  # how far a child stands back (``nice``) for whoever waits for an answer
_KNOWN_RULES = 20_000
_SEEN = (
    "status", "service", "control_id", "provider", "account", "region", "resource_id", "resource_name", "resource_type",
    "detail", "account_name",
)  # fmt: skip
_PLACEHOLDER = re.compile(r"<(?!root_account>)[^<>]{0,60}>")  # the root user of AWS is called so by Prowler itself


class Row(NamedTuple):
    """One finding as the columns of `FindingRow` that do not depend on what is kept already."""

    id: str
    rule_id: str
    digest: str
    severity: int
    account_name: str
    family: str
    tags: str
    categories: str
    first_seen: str
    uid: str
    check_id: str
    control_id: str
    service: str
    status: str
    scanner: str
    provider: str
    account: str
    region: str
    resource_id: str
    resource_name: str
    resource_type: str
    detail: str
    observed_at: datetime | None


@dataclass(slots=True)
class Batch:
    """What up to 500 records hold: findings by their ids, the rules that were not known before, and what was left out.

    ``read`` counts the findings read, ``duplicates`` those of them that the file had said already.
    """

    format: str = ""
    read: int = 0
    duplicates: int = 0
    left_out: list[BadRecord] = field(default_factory=list)
    rules: dict[str, Finding] = field(default_factory=dict)
    rows: dict[str, Row] = field(default_factory=dict)


def batches(pieces: Iterable[bytes], tenant: str, accounts: Iterable[str] = ()) -> Generator[Batch]:
    """The file's findings for a tenant; if ``accounts`` are named, others' are left out. For threads, and closed."""
    pieces = iter(pieces)
    head, size = [], 0
    for piece in pieces:
        head.append(piece)
        size += len(piece)
        if size > _SMALL:
            break
    if size <= _SMALL or not sys.executable:
        yield from _batches(head, tenant, frozenset(accounts))
        return
    given = [tenant, sorted(accounts)]
    yield from streamed(__name__, chain(head, pieces), given, name="the file", behind=_BEHIND)


def serve() -> None:
    """In a child: tell the batches of the file it is given."""
    (tenant, accounts), pieces = given_to_stream(PIECE)
    for batch in _batches(pieces, tenant, frozenset(accounts)):
        tell(batch)


def _batches(pieces: Iterable[bytes], tenant: str, accounts: frozenset[str]) -> Iterator[Batch]:
    taking = _Taking(tenant, accounts)
    found = findings_in(pieces)
    while records := list(islice(found, BATCH)):
        yield taking.take(records)


class _Taking:
    """What a file said so far, so that each finding is taken once."""

    def __init__(self, tenant: str, accounts: frozenset[str]) -> None:
        self._tenant, self._accounts = tenant, accounts
        self._known_rules: set[str] = set()
        self._seen: dict[str, tuple[str, float]] = {}  # id -> digest and time

    def take(self, found: Iterable[Read | BadRecord]) -> Batch:
        """The next records as a batch."""
        batch = Batch()
        for record in found:
            if isinstance(record, BadRecord):
                batch.left_out.append(record)
                continue
            batch.read += 1
            batch.format = batch.format or record.format
            account = record.finding.account
            if self._accounts and account not in self._accounts:
                reason = f"is of account {account or '(none)'}, which is not one of yours"
                batch.left_out.append(BadRecord(record.line, reason))
            else:
                self._take(record.finding, batch)
        return batch

    def _take(self, finding: Finding, batch: Batch) -> None:
        """Put the finding into the batch unless it was taken before.

        Its id is the same whenever and however often it is imported. A scanner's uid tells findings apart; where it is
        missing or was taken out (`<finding_uid>`) the whole content does. What one scan says more than once under one
        uid, with other words at the same time, is numbered.
        """
        digest, rule = _digest_of(finding), _rule_of(self._tenant, finding)
        content = digest + rule
        seen_at = finding.observed_at.timestamp() if finding.observed_at else 0.0
        has_placeholder = _PLACEHOLDER.search(finding.uid) is not None
        parts: tuple[str, ...] = (finding.check_id, finding.account, finding.region, finding.resource_id)
        if not finding.uid or has_placeholder:
            parts = (rule, digest)
        for again in count():
            number = (str(again),) if again else ()
            identity = _hash(self._tenant, finding.scanner, finding.uid, *parts, *number)
            before = self._seen.get(identity)
            if before is None:
                break
            if has_placeholder:
                continue
            if before[0] == content or seen_at < before[1]:
                batch.duplicates += 1
                return
            if seen_at > before[1]:
                batch.duplicates += 1  # a later word on the same finding takes its place
                break
        self._seen[identity] = content, seen_at
        if rule not in self._known_rules:
            batch.rules[rule] = finding
            if len(self._known_rules) < _KNOWN_RULES:
                self._known_rules.add(rule)
        batch.rows[identity] = _row(identity, rule, digest, finding)


def _rule_of(tenant: str, finding: Finding) -> str:
    """The id of what the check says, made from its words."""
    words = (finding.check_id, finding.title, finding.description, finding.risk, finding.remediation)
    return _rule(tenant, (*words, finding.remediation_cli), finding.references, tuple(finding.mappings.items()))


# A check says the same words on each of its findings.
@lru_cache(maxsize=4096)
def _rule(
    tenant: str,
    words: tuple[str, ...],
    references: tuple[str, ...],
    mappings: tuple[tuple[str, tuple[str, ...]], ...],
) -> str:
    return _hash(tenant, *words, json.dumps(references), json.dumps(dict(mappings), sort_keys=True))


def _digest_of(finding: Finding) -> str:
    """A digest of what was found on the resource; the time it was seen is no part of it."""
    return _hash(finding.severity.value, *(getattr(finding, name) for name in _SEEN), *finding.tags)


def _hash(*parts: str) -> str:
    encoded = [part.encode("utf-8", "replace") for part in parts]
    return blake2b(b"".join(len(part).to_bytes(4, "big") + part for part in encoded), digest_size=16).hexdigest()


def _row(identity: str, rule: str, digest: str, finding: Finding) -> Row:
    return Row(
        identity,
        rule,
        digest,
        finding.severity.rank,
        finding.account_name or finding.account,
        finding.group or finding.service,
        enclosed(finding.tags),
        enclosed(finding.categories),
        finding.first_seen.strftime("%Y-%m-%dT%H:%M:%S") if finding.first_seen else "",
        *(getattr(finding, name) for name in Row._fields[9:]),
    )


def enclosed(words: Sequence[str]) -> str:
    r"""Words as one text in which each is found whole.

    >>> enclosed(("env:prod", "team:web"))
    '\nenv:prod\nteam:web\n'
    """
    return "\n" + "\n".join(words) + "\n" if words else ""


if __name__ == "__main__":
    # By its name, under which the parent knows what it is told.
    from footnoted.assistants.security.findings.taking import serve as served

    served()
