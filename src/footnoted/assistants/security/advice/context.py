"""What an answer may rest on: the result of its query, the findings it shows, what is known of them, documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from footnoted.assistants.security.catalogue import checks_of
from footnoted.assistants.security.documents import ConversationDocument
from footnoted.assistants.security.findings.finding import Finding
from footnoted.assistants.security.knowledge.entry import KnowledgeEntry
from footnoted.assistants.security.names import framework_key
from footnoted.assistants.security.query.finding_query import FindingQuery, Where
from footnoted.assistants.security.query.running import Duties, Result, duties_of, run

if TYPE_CHECKING:
    from datetime import date

    from footnoted.assistants.security.advice.asked import Asked
    from footnoted.assistants.security.findings.service import FindingsService
    from footnoted.assistants.security.knowledge.service import KnowledgeBaseService
    from footnoted.store import Database

_FILTERS = (
    "provider", "account", "region", "service", "severity", "check", "resource", "resource_type", "tag", "category",
)  # fmt: skip
BEST = 5  # findings, and entries, a model is shown


@dataclass(frozen=True, slots=True)
class AnswerContext:
    """What an answer may rest on. ``result`` is what the database says; ``findings`` are the rows it lists.

    ``by_catalogue`` counts what our own catalogue ties to the framework asked about and its scanner does not say.
    ``unknown`` says what was asked for and is not there. Where nothing matches all that was asked, ``alone`` says what
    each part of it matches by itself: a query and its count.
    """

    kb_entries: tuple[KnowledgeEntry, ...] = ()
    findings: tuple[Finding, ...] = ()
    documents: tuple[ConversationDocument, ...] = ()
    result: Result | None = None
    choices: tuple[tuple[str, Result], ...] = ()
    duties: Duties = field(default_factory=Duties)
    by_catalogue: Result | None = None
    tenant_total: int = 0
    unknown: tuple[str, ...] = ()
    alone: tuple[tuple[FindingQuery, int], ...] = ()

    @property
    def total(self) -> int:
        """How many findings match."""
        return self.result.findings or self.result.total if self.result else 0

    @property
    def counts(self) -> Mapping[str, int]:
        """How many of each severity."""
        return self.result.severities if self.result else {}

    @property
    def looked_for_findings(self) -> bool:
        """Whether the tenant's findings were asked."""
        return self.result is not None


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
    """Run the query, and look up what its rows, checks, frameworks and services are known by."""
    documents: tuple[ConversationDocument, ...] = ()
    if shelves.documents is not None:
        documents = tuple(await shelves.documents.get_for_conversation(tenant, asked.conversation_id, asked.question))
    missing = ("no document belongs to this conversation",) if asked.requires_documents and not documents else ()
    reading = asked.reading
    if not reading.can_be_asked or not (reading.names_findings or not reading.unused):
        return AnswerContext(documents=documents, unknown=missing)
    context = AnswerContext(documents=documents, unknown=missing)
    if shelves.findings is not None and (total := await shelves.findings.count(tenant)):
        database, today, query = shelves.findings.database, asked.vocabulary.today, asked.query
        choices = [(one.label, await run(database, tenant, _shown(one.query), today)) for one in reading.choices]
        duties = await duties_of(database, tenant, query)
        context = replace(context, choices=tuple(choices), duties=duties, tenant_total=total)
        if not choices:
            result = await run(database, tenant, _shown(query), today)
            if query.select in ("explain", "remediation") and not result.rows:  # it passes, or is muted
                result = await run(database, tenant, _shown(query, status=[]), today)
            context = replace(
                context,
                result=result,
                by_catalogue=await _by_catalogue(asked, shelves.findings, tenant),
                findings=await shelves.findings.get_by_ids(tenant, [one.id for one in result.rows]),
                alone=()
                if result.findings or result.total or result.groups
                else await _alone(database, tenant, query, today),
            )
    return replace(context, kb_entries=await _entries(asked, shelves.knowledge_base, tenant, context.findings))


async def _alone(
    database: Database, tenant: str, query: FindingQuery, today: date
) -> tuple[tuple[FindingQuery, int], ...]:
    """Each filter of a query that nothing matches, by itself with its status, and how many findings that matches."""
    filters = {name: getattr(query.where, name) for name in _FILTERS if getattr(query.where, name)}
    if len(filters) < 2:
        return ()
    kept: dict[str, Any] = {"scan": query.where.scan, "status": query.where.status}
    parts = [FindingQuery(where=Where(**kept, **{name: values})) for name, values in filters.items()]
    return tuple([(part, (await run(database, tenant, part, today)).findings) for part in parts])


def _shown(query: FindingQuery, **changes: Any) -> FindingQuery:
    """What is explained or put right is shown by the first rows it is found in."""
    if query.select not in ("explain", "remediation"):
        return query
    where = query.where.model_copy(update=changes)
    return query.model_copy(update={"select": "list", "of": "findings", "limit": 3, "where": where})


async def _by_catalogue(asked: Asked, service: FindingsService, tenant: str) -> Result | None:
    """The same count of what is open by our own catalogue's reading of the framework, apart from the scanner's."""
    where = asked.query.where
    if where.status != ["fail"] or where.change or not where.framework:
        return None
    if where.requirement or where.check or where.version:
        return None
    shipped = set(checks_of((framework_key(where.framework),)))
    known = [check for check in asked.vocabulary.checks if check in shipped]
    if not known:
        return None
    apart = where.model_copy(update={"framework": "", "check": known})
    query = FindingQuery(select="list", where=apart, exclude=asked.query.exclude)
    return await run(service.database, tenant, query, asked.vocabulary.today)


async def _entries(
    asked: Asked, knowledge: KnowledgeBaseService, tenant: str, findings: Sequence[Finding]
) -> tuple[KnowledgeEntry, ...]:
    """What the knowledge base says of the checks asked about or found; without any, of the services and frameworks."""
    named = asked.query.where.check
    checks = [*named, *(name for finding in findings[:BEST] for name in (finding.check_id, finding.control_id))]
    found = await knowledge.get_for_checks(checks, tenant_id=tenant) if checks else []
    place = {check: at for at, check in reversed(list(enumerate(checks)))}
    found = [entry for entry in found if entry.has_remediation or not entry.frameworks]
    found.sort(key=lambda entry: min((place[check] for check in entry.checks if check in place), default=99))
    if not named:
        for service in asked.services:
            found += await knowledge.get_for_service(service, tenant_id=tenant)
        for framework in asked.frameworks:
            entries = await knowledge.get_for_framework(framework, tenant_id=tenant)
            found += [entry for entry in entries if not asked.services or entry.service in asked.services]
    return tuple({(entry.origin, entry.id): entry for entry in found}.values())[:BEST]
