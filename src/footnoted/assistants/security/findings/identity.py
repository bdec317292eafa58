"""Computes the id under which a finding is kept, and a digest that tells whether it changed."""

from __future__ import annotations

import json
from functools import lru_cache
from hashlib import blake2b

from footnoted.assistants.security.findings.fields import PLACEHOLDER
from footnoted.assistants.security.findings.finding import Finding


def identity_of(tenant: str, finding: Finding, *, again: int = 0) -> str:
    """The finding's id: the same for the same finding of the same tenant, whenever and however often it is imported.

    A scanner's uid tells findings apart unless it is missing or a placeholder; then the whole content does.
    ``again`` tells apart what one scan reports more than once under one uid with different words.
    """
    if finding.uid and not PLACEHOLDER.search(finding.uid):
        told = (finding.scanner, finding.uid, finding.check_id, finding.account, finding.region, finding.resource_id)
        return _hash(tenant, *told, *([str(again)] if again else []))
    content = (rule_of(tenant, finding), digest_of(finding))
    return _hash(tenant, finding.scanner, finding.uid, *content, *([str(again)] if again else []))


def is_told_apart(finding: Finding) -> bool:
    """Whether its uid tells it apart; a placeholder (`<finding_uid>`) says that it was taken out."""
    return PLACEHOLDER.search(finding.uid) is None


def rule_of(tenant: str, finding: Finding) -> str:
    """The id of what the check says, made from its words."""
    words = (finding.check_id, finding.title, finding.description, finding.risk, finding.remediation)
    return _rule(tenant, (*words, finding.remediation_cli), finding.references, tuple(finding.mappings.items()))


# A check says the same words on each of its findings.
@lru_cache(maxsize=4096)
def _rule(
    tenant: str,
    words: tuple[str, ...],
    references: tuple[str, ...],
    frameworks: tuple[tuple[str, tuple[str, ...]], ...],
) -> str:
    told = {key: list(ids) for key, ids in frameworks}
    return _hash(tenant, *words, json.dumps(references), json.dumps(told, sort_keys=True))


def digest_of(finding: Finding) -> str:
    """A digest of what was found on the resource; the time it was seen is no part of it."""
    return _hash(
        finding.severity.value,
        finding.status,
        finding.service,
        finding.control_id,
        finding.provider,
        finding.account,
        finding.region,
        finding.resource_id,
        finding.resource_name,
        finding.resource_type,
        finding.detail,
        finding.account_name,
        *finding.tags,
    )


def _hash(*parts: str) -> str:
    told = [part.encode("utf-8", "replace") for part in parts]
    return blake2b(b"".join(len(one).to_bytes(4, "big") + one for one in told), digest_size=16).hexdigest()
