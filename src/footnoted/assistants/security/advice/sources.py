"""Turns what an answer may rest on into sources with an exact place for each thing worth citing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from uuid import NAMESPACE_URL, UUID, uuid5

from footnoted.assistants.security.advice.context import BEST, AnswerContext
from footnoted.assistants.security.advice.figures import duty_lines, figures
from footnoted.assistants.security.documents import cut
from footnoted.assistants.security.names import framework_name, requirement_name
from footnoted.assistants.security.query.running import Duties
from footnoted.assistants.security.query.wording import asked_of, safe
from footnoted.contract import SourceContext
from footnoted.text import estimate_tokens

if TYPE_CHECKING:
    from footnoted.assistants.security.advice.asked import Asked
    from footnoted.assistants.security.documents import ConversationDocument
    from footnoted.assistants.security.findings.finding import Finding
    from footnoted.assistants.security.knowledge.entry import KnowledgeEntry

NOTHING = "No findings of yours are imported yet, so nothing can be said about your account."
_NOT_URGENT = 4  # the rank of what is for information only
DESCRIPTION = 200  # code points of a description, cut on a word
BUDGET = 6_000  # tokens of all sources together, estimated


@dataclass(slots=True)
class Sheet:
    """A source being written: its lines, and where each named part of it stands."""

    kind: str
    id: str
    title: str
    tenant: str
    item: Finding | KnowledgeEntry | ConversationDocument | None = None
    text: str = ""
    parts: dict[str, tuple[int, int]] = field(default_factory=dict)

    def add(self, name: str, words: str, *, lead: str = "") -> None:
        """Add a line; ``name`` is where its words stand, without the lead."""
        if not words:
            return
        if self.text:
            self.text += "\n"
        start = len(self.text) + len(lead)
        self.text += lead + words
        self.parts[name] = (start, len(self.text))

    def as_context(self, score: float) -> SourceContext:
        """The sheet as a source of a request."""
        identity = uuid5(NAMESPACE_URL, f"footnoted:security:{self.tenant}:{self.kind}:{self.id}")
        return SourceContext(
            # Its own words are part of its id: what was cited from is told from what it became.
            chunk_id=uuid5(identity, self.text),
            document_id=UUID(hex=self.id) if self.kind == "document" else identity,
            content=self.text,
            metadata={"title": self.title, "kind": self.kind, "id": self.id},
            relevance_score=score,
        )


@dataclass(frozen=True, slots=True)
class Desk:
    """All sheets of one answer, in the order of their numbers, and what did not fit."""

    sheets: tuple[Sheet, ...]
    left_out: tuple[str, ...] = ()

    def find(self, item: object) -> int | None:
        """The index of the sheet about this finding, entry or document, or of the first of a kind."""
        return next((at for at, sheet in enumerate(self.sheets) if sheet.item is item or sheet.kind == item), None)

    def contexts(self) -> list[SourceContext]:
        """The sources of a request; the first counts most."""
        return [sheet.as_context(1.0 - at / (2 * len(self.sheets))) for at, sheet in enumerate(self.sheets)]


def laid_out(asked: Asked, context: AnswerContext, tenant: str, *, budget: int = BUDGET) -> Desk:
    """The counts, the five best findings and entries and the documents' summaries, within a budget of tokens."""
    wanted: list[Sheet] = []
    if context.looked_for_findings or context.duties != Duties() or not (context.documents or context.kb_entries):
        wanted.append(inventory(asked, context, tenant))
    wanted += [finding_sheet(finding, context, tenant) for finding in context.findings[:BEST]]
    wanted += [entry_sheet(entry, tenant) for entry in context.kb_entries[:BEST]]
    for document in context.documents:
        wanted.append(Sheet("document", document.id, document.title, tenant, document))
        wanted[-1].add("summary", document.summary(asked.question))
    kept: list[Sheet] = []
    dropped: list[str] = []
    seen: set[str] = set()
    for sheet in wanted:
        if sheet.text in seen:
            continue
        seen.add(sheet.text)
        cost = estimate_tokens(sheet.text) + 20
        if cost > budget:
            dropped.append(sheet.title)
            continue
        budget -= cost
        kept.append(sheet)
    return Desk(tuple(kept), _left_out(context, dropped))


def _left_out(context: AnswerContext, dropped: Sequence[str]) -> tuple[str, ...]:
    notes: list[str] = []
    result = context.result
    if result is not None and result.rows:
        more = result.findings - result.query.offset - len(result.rows)
        single = result.query.order_by in ("oldest", "newest") and result.query.limit == 1
        if more > 0 and not single:  # the oldest is one
            notes.append(f"{more} more finding{'s match and are' if more > 1 else ' matches and is'} not shown here")
    if dropped:
        notes.append(f"{len(dropped)} sources did not fit: {', '.join(dropped[:3])}")
    return tuple(notes)


def inventory(asked: Asked, context: AnswerContext, tenant: str) -> Sheet:
    """What the query gave as a source, so that a sentence about it can point at something."""
    sheet = Sheet("inventory", "counts", "Counts of your findings", tenant)
    scope = f"Asked of {asked_of(asked.query, asked.vocabulary)}." if context.tenant_total else NOTHING
    sheet.add("scope", scope)
    for line in figures(asked, context):
        sheet.add(f"line:{line}", line.replace("**", ""))
    for number, finding in enumerate(context.findings[BEST:], BEST + 1):
        sheet.add(f"row:{finding.id}", listed(number, finding))
    for line in duty_lines(asked, context):
        sheet.add(f"line:{line}", line.replace("**", ""))
    return sheet


def listed(number: int, finding: Finding) -> str:
    """A finding as a list shows it."""
    severity = finding.severity
    urgency, mark = severity.label, "✅" if finding.status == "pass" else severity.mark
    if finding.status == "fail":
        urgency += f", {'act ' if severity.rank < _NOT_URGENT else ''}{severity.within}"
    else:
        urgency += f", {finding.status}"
    place = f" in {safe(finding.region)}" if finding.region and not finding.region.startswith("<") else ""
    account = f", account {safe(finding.account_name or finding.account)}" if finding.account else ""
    since = f", since {finding.first_seen:%Y-%m-%d}" if finding.first_seen else ""
    return (
        f"{number}. {mark} [{safe(finding.check_id)}] {title_of(finding)} ({urgency}):"
        f" {safe(finding.resource)}{place}{account}{since}."
    )


def title_of(finding: Finding) -> str:
    """What is wrong, as the scanner saw it; else the check's title without the id that a list shows before it."""
    if finding.status == "fail" and finding.detail and len(finding.detail) <= DESCRIPTION:
        return safe(finding.detail).rstrip(".")
    title = finding.title.removeprefix(finding.check_id).lstrip(" :.-") or finding.title
    number = finding.check_id.removeprefix("CIS.")
    return safe(title.removeprefix(f"{number} ")).rstrip(".")


def frameworks_of(finding: Finding, entries: Sequence[KnowledgeEntry]) -> dict[str, tuple[str, ...]]:
    """What a finding touches: by its scanner's word, and by what the knowledge base knows of its check."""
    found = {key: dict.fromkeys(requirement_name(key, one) for one in ids) for key, ids in finding.frameworks.items()}
    for entry in entries:
        if finding.check_id in entry.checks or finding.control_id in entry.checks:
            for key, ids in entry.frameworks.items():
                found.setdefault(key, {}).update(dict.fromkeys(ids))
    return {key: tuple(ids) for key, ids in found.items()}


def duties(frameworks: Mapping[str, Sequence[str]], *, first: Sequence[str] = (), most: int = 4) -> str:
    """Frameworks and identifiers as a reader sees them, those asked about first.

    >>> duties({"hipaa": ["164.312(a)(1)"], "gdpr": ["Art. 32"]}, first=["gdpr"])
    'GDPR Art. 32; HIPAA 164.312(a)(1)'
    """
    known = ("hipaa", "pci-dss", "soc2", "gdpr", "nist-800-53", "cis-aws")
    order = [key for key in dict.fromkeys((*first, *known, *frameworks)) if key in frameworks]
    return "; ".join(f"{framework_name(key)} {', '.join(frameworks[key][:4])}".strip() for key in order[:most])


def finding_sheet(finding: Finding, context: AnswerContext, tenant: str) -> Sheet:
    """A finding as a source."""
    title = f"{safe(finding.check_id)} · {safe(finding.resource)}"
    sheet = Sheet("finding", finding.id or finding.check_id, title, tenant, finding)
    sheet.add("title", safe(finding.title), lead=f"[{safe(finding.check_id)}] ")
    severity = finding.severity
    sheet.add("severity", f"{severity.mark} {severity.label}, act {severity.within}.", lead="Severity: ")
    where = f"{finding.resource} ({finding.resource_type})" if finding.resource_type else finding.resource
    account = f"account {finding.account}" if finding.account else ""
    place = ", ".join(part for part in (finding.region, account) if part)
    sheet.add("row", listed(0, finding).removeprefix("0. "))
    sheet.add("resource", safe(where), lead=f"State: {finding.status}. Resource: ")
    sheet.add("place", place, lead="Where: ")
    sheet.add("detail", cut(safe(finding.detail), DESCRIPTION), lead="Seen: ")
    sheet.add("description", cut(safe(finding.description), DESCRIPTION))
    sheet.add("risk", cut(safe(finding.risk), DESCRIPTION), lead="Risk: ")
    sheet.add("duties", duties(frameworks_of(finding, context.kb_entries), most=8), lead="Frameworks: ")
    sheet.add("advice", cut(safe(finding.remediation), DESCRIPTION), lead="The scanner advises: ")
    return sheet


def entry_sheet(entry: KnowledgeEntry, tenant: str) -> Sheet:
    """An entry of the knowledge base as a source."""
    sheet = Sheet("control", entry.id, entry.title, tenant, entry)
    sheet.add("title", entry.title)
    if entry.severity:
        sheet.add("severity", f"{entry.severity.mark} {entry.severity.label}", lead="Severity if broken: ")
    sheet.add("summary", cut(entry.description, DESCRIPTION))
    sheet.add("duties", duties(entry.frameworks, most=8), lead="Frameworks: ")
    sheet.add("check", cut(entry.check, DESCRIPTION), lead="How to check: ")
    if entry.console:
        sheet.add("console", " ".join(entry.console)[:800], lead="By hand: ")
    sheet.add("notes", "; ".join(entry.notes)[:DESCRIPTION], lead="Notes: ")
    return sheet
