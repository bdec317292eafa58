"""An understood question and a tenant in; what an answer may rest on, the best of it first, out."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from footnoted.assistants.security.advice.choosing import chosen_entries, is_named
from footnoted.assistants.security.advice.labels import labels_in
from footnoted.assistants.security.advice.topic import Topic, owners_in, serving, topic_of
from footnoted.assistants.security.documents import ConversationDocument
from footnoted.assistants.security.findings.finding import Finding, FindingFilters, FindingsPage, Pagination
from footnoted.assistants.security.knowledge import shipped
from footnoted.assistants.security.knowledge.entry import KnowledgeEntry
from footnoted.assistants.security.names import framework_name, service_name

if TYPE_CHECKING:
    from footnoted.assistants.security.advice.asked import Asked
    from footnoted.assistants.security.findings.service import FindingsService
    from footnoted.assistants.security.knowledge.service import KnowledgeBaseService

PAGE = 10  # findings looked at for one answer
BEST = 5  # findings, and entries, an answer is made from


@dataclass(frozen=True, slots=True)
class AnswerContext:
    """What an answer may rest on: knowledge-base entries, findings of the tenant, documents of the conversation.

    ``total`` and ``counts`` are of all findings that match, computed by the database; ``by_service`` and
    ``by_framework`` the same for each side of a comparison. ``unknown`` says what was asked for and is not there.
    """

    kb_entries: tuple[KnowledgeEntry, ...] = ()
    findings: tuple[Finding, ...] = ()
    documents: tuple[ConversationDocument, ...] = ()
    total: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)
    by_side: Mapping[str, FindingsPage] = field(default_factory=dict)
    tenant_total: int = 0
    looked_for_findings: bool = False
    topic: str = ""
    main_entry: KnowledgeEntry | None = None
    entries_found: int = 0
    unknown: tuple[str, ...] = ()
    repeated: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to answer from."""
        return not (self.kb_entries or self.findings or self.documents or self.looked_for_findings)


class Documents(Protocol):
    """Whoever knows the documents of a conversation: `DocumentService`, or a service's own."""

    async def get_for_conversation(
        self, tenant_id: str, conversation_id: str, question: str = ""
    ) -> Sequence[ConversationDocument]:
        """The documents, nearest to the question first where that is known."""
        ...


@dataclass(frozen=True, slots=True)
class Shelves:
    """The services an answer draws on; any may be missing."""

    knowledge_base: KnowledgeBaseService
    findings: FindingsService | None = None
    documents: Documents | None = None


async def assemble(asked: Asked, shelves: Shelves, tenant: str) -> AnswerContext:
    """Findings by id where ids are named, else by service and framework; entries for each; documents."""
    topic = topic_of(asked)
    about = await _entries_about(asked, topic, shelves.knowledge_base, tenant)
    documents = await _documents(asked, shelves, tenant)
    if asked.names_nothing and asked.intent in ("other", "explain", "document"):
        if about and asked.intent == "other":
            asked = replace(asked, requires_findings=True)
        elif topic.stems and not about:
            # It names nothing that is known here, and what it is about is nothing that is known here either.
            return AnswerContext(documents=documents, unknown=_unknown_document(asked, documents))
    if asked.names_nothing and (strange := await _strange(asked, shelves, tenant)):
        return AnswerContext(documents=documents, unknown=strange)
    page, sides, unknown, tenant_total = await _findings(asked, shelves, tenant, about, topic)
    unknown += _unknown_document(asked, documents)
    findings, repeated = without_repeats(page.findings, asked.ids)
    best = findings[:BEST]
    entries = await _entries(asked, shelves.knowledge_base, tenant, best)
    entries = list({(entry.origin, entry.id): entry for entry in (*about, *entries)}.values())
    if asked.ids and not best:
        entries = [entry for entry in entries if is_named(entry, asked.ids)]
    kept, main = chosen_entries(asked, best, entries, most=BEST)
    return AnswerContext(
        kb_entries=kept,
        findings=findings,
        documents=documents,
        total=page.total,
        counts=dict(page.counts),
        by_side=sides,
        tenant_total=tenant_total,
        looked_for_findings=asked.wants_findings and shelves.findings is not None,
        main_entry=main,
        topic=" and ".join(asked.labels) or topic.named(about),
        entries_found=len(entries),
        unknown=(*unknown, *repeated),
        repeated=len(repeated),
    )


async def _documents(asked: Asked, shelves: Shelves, tenant: str) -> tuple[ConversationDocument, ...]:
    if shelves.documents is None:
        return ()
    return tuple(await shelves.documents.get_for_conversation(tenant, asked.conversation_id, asked.question))


def _unknown_document(asked: Asked, documents: Sequence[ConversationDocument]) -> tuple[str, ...]:
    missing = asked.requires_documents and not documents
    return ("no document belongs to this conversation",) if missing else ()


async def _strange(asked: Asked, shelves: Shelves, tenant: str) -> tuple[str, ...]:
    """The names whose findings are asked for and which nothing here bears: no service, no title, no resource."""
    names = owners_in(asked.question)
    if not names or shelves.findings is None:
        return ()
    for name in names:
        filters = FindingFilters(title_words=(name,), statuses=())
        if (await shelves.findings.get_findings(tenant, filters, Pagination(page_size=1))).total:
            return ()
        if (await shelves.findings.get_by_rule_ids(tenant, [name])).findings:
            return ()
    return (f"{', '.join(names)} is no service, framework, check or resource that is known here",)


def without_repeats(
    findings: Sequence[Finding], named: Sequence[str] = ()
) -> tuple[tuple[Finding, ...], tuple[str, ...]]:
    """Findings that report one thing on one resource as one, with the frameworks of all; and a word on each.

    The one whose check is ``named`` is the one that stays.
    """
    first: dict[tuple[str, ...], Finding] = {}
    repeated: list[str] = []
    for one in findings:
        key = (one.control_id, one.resource_id, one.account, one.region, one.status) if one.resource_id else (one.id,)
        before = first.get(key)
        if before is None or before.check_id == one.check_id:
            first[key if before is None else (*key, one.id)] = one
            continue
        if one.check_id in named and before.check_id not in named:
            before, one = one, before  # noqa: PLW2901
        frameworks = {name: dict.fromkeys(ids) for name, ids in before.frameworks.items()}
        for name, ids in one.frameworks.items():
            frameworks.setdefault(name, {}).update(dict.fromkeys(ids))
        first[key] = replace(before, frameworks={name: tuple(ids) for name, ids in frameworks.items()})
        repeated.append(
            f"{one.check_id} reports the same on {one.resource} as {before.check_id} and is not listed again"
        )
    return tuple(first.values()), tuple(repeated)


async def _findings(
    asked: Asked, shelves: Shelves, tenant: str, about: Sequence[KnowledgeEntry], topic: Topic
) -> tuple[FindingsPage, dict[str, FindingsPage], tuple[str, ...], int]:
    service = shelves.findings
    if service is None or not asked.wants_findings:
        return FindingsPage(), {}, (), 0
    total = await service.count(tenant)
    if not total:
        return FindingsPage(), {}, ("no findings are imported yet: footnoted findings import FILE",), 0
    if asked.ids:
        page = await service.get_by_rule_ids(tenant, asked.ids, Pagination(page_size=PAGE))
        if asked.severities:
            kept = tuple(one for one in page.findings if one.severity.value in asked.severities)
            page = replace(page, findings=kept) if kept else page
        known = {
            name.casefold()
            for one in page.findings
            for name in (one.check_id, one.control_id, one.id, one.uid, one.resource_id)
        }
        missing = [one for one in asked.ids if one.casefold() not in known]
        unknown = (f"no finding of yours is named {', '.join(missing[:5])}",) if missing and not page.findings else ()
        return page, {}, unknown, total
    filters = filters_of(asked)
    if about and asked.intent != "compare":
        checks = tuple(dict.fromkeys(check for entry in about for check in entry.checks))
        narrowed = replace(filters, check_ids=checks, title_words=() if asked.labels else topic.words)
        page = await service.get_findings(tenant, narrowed, Pagination(page_size=PAGE))
        others = await service.get_findings(tenant, filters, Pagination(page_size=1)) if not page.total else page
        unknown = (f"other findings fail for {_named(asked)}: {others.total}",) if others.total > page.total else ()
        return page, {}, unknown, total
    page = await service.get_findings(tenant, filters, Pagination(page_size=PAGE))
    sides = await _sides(asked, service, tenant) if asked.intent == "compare" else {}
    return page, sides, (), total


def _named(asked: Asked) -> str:
    names = [*(service_name(one) for one in asked.services), *(framework_name(one) for one in asked.frameworks)]
    return ", ".join(names) or "you"


async def _entries_about(
    asked: Asked, topic: Topic, knowledge: KnowledgeBaseService, tenant: str
) -> list[KnowledgeEntry]:
    """The entries on what the question is about, beyond its names; none where it is about no more than those."""
    if asked.ids or not (topic.stems or asked.labels):
        return []
    candidates: list[KnowledgeEntry] = []
    for service in asked.services:
        candidates += await knowledge.get_for_service(service, tenant_id=tenant)
    if not asked.services:
        candidates = list(shipped.entries())
    if asked.frameworks and not asked.services:
        candidates = [entry for entry in candidates if any(key in entry.frameworks for key in asked.frameworks)]
    if asked.labels:
        return serving(asked.labels, candidates)
    found = topic.entries([entry for entry in candidates if entry.checks])
    if asked.names_nothing and asked.intent in ("other", "explain") and not topic.strongly(found):
        return []
    return found


async def _sides(asked: Asked, service: FindingsService, tenant: str) -> dict[str, FindingsPage]:
    """The findings of each side of a comparison: services if two are named, else frameworks."""
    filters = filters_of(asked)
    if len(asked.services) > 1:
        named = {service_name(one): replace(filters, services=(one,)) for one in asked.services[:4]}
    elif len(asked.frameworks) > 1:
        named = {framework_name(one): replace(filters, frameworks=(one,)) for one in asked.frameworks[:4]}
    else:
        return {}
    pages = await asyncio.gather(
        *(service.get_findings(tenant, one, Pagination(page_size=3)) for one in named.values())
    )
    return dict(zip(named, pages, strict=True))


def filters_of(asked: Asked) -> FindingFilters:
    """What the question asks the findings to be."""
    return FindingFilters(
        services=asked.services,
        frameworks=asked.frameworks,
        severities=asked.severities,
        excluded_services=asked.excluded_services,
        excluded_severities=asked.excluded_severities,
        accounts=asked.accounts,
    )


async def _entries(
    asked: Asked, knowledge: KnowledgeBaseService, tenant: str, best: Sequence[Finding]
) -> list[KnowledgeEntry]:
    checks = [name for one in best for name in (one.check_id, one.control_id)]
    found = [
        *(await knowledge.get_for_checks([*checks, *asked.ids], tenant_id=tenant) if checks or asked.ids else []),
        *(await knowledge.get_by_ids([*asked.ids, *_keys(asked.question)], tenant_id=tenant)),
    ]
    for framework in asked.frameworks:
        found += await knowledge.get_for_framework(framework, tenant_id=tenant)
    for service in asked.services:
        found += await knowledge.get_for_service(service, tenant_id=tenant)
    return list({(entry.origin, entry.id): entry for entry in found}.values())


def _keys(question: str) -> list[str]:
    """Ids of entries a question names: of requirements (AC-2) and of controls (s3-block-public-access)."""
    named = [re.sub(r"\((\d+)\)", r".\1", one) for one in labels_in(question)]
    return [*named, *re.findall(r"\b[a-z0-9]+(?:-[a-z0-9]+){2,}\b", question)][:10]
