"""A question's context in; the parts of an expert's answer that data alone can write, each with its pointers, out.

Counts, severity marks, frameworks and remediation are written here and nowhere else, with a model or without.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from footnoted.assistants.security.advice.context import BEST, AnswerContext
from footnoted.assistants.security.advice.sources import Desk, duties, frameworks_of, safe, scope_of
from footnoted.assistants.security.names import framework_name, service_name
from footnoted.assistants.security.severity import Severity, told
from footnoted.types import Pointer

if TYPE_CHECKING:
    from footnoted.assistants.security.advice.asked import Asked
    from footnoted.assistants.security.findings.finding import Finding
    from footnoted.assistants.security.knowledge.entry import KnowledgeEntry

UNVERIFIED = "⚠ Unverified: this is not from the knowledge base. Read it before you run it."
_COVERED = ("hipaa", "soc2", "pci-dss", "gdpr", "cis-aws", "nist-800-53")
_DOCUMENTS = 0.35  # chance that a document answers; it was given for this talk, so less is asked than of any text
_FIXED = {"remediate": 3, "prioritise": 2, "comply": 1, "explain": 1, "list": 0, "compare": 0, "document": 0}


@dataclass(frozen=True, slots=True)
class Line:
    """Text of the answer, and where the evidence for it stands; the pointers follow the text."""

    text: str
    pointers: tuple[Pointer, ...] = ()
    after: str = "\n"


class Composer:
    """Writes the parts of one answer from its context."""

    def __init__(self, asked: Asked, context: AnswerContext, desk: Desk) -> None:
        self.asked, self.context, self.desk = asked, context, desk

    def opening(self) -> Iterator[Line]:
        """How many findings match, and the best of them, gravest first."""
        if not self.context.looked_for_findings:
            return
        yield from self._headline()
        shown = self.context.findings[:BEST]
        if not shown:
            return
        yield Line("", after="\n")
        for number, finding in enumerate(shown, 1):
            yield from self._listed(number, finding)
        yield Line("", after="\n")

    def _headline(self) -> Iterator[Line]:
        context, at = self.context, self._at("inventory")
        scope = scope_of(self.asked, context.topic)
        if not context.tenant_total:
            yield Line("No findings of yours are imported yet, so nothing can be said about your account.", at("scope"))
        elif self.asked.ids and not context.findings:
            yield Line(f"No finding of yours matches {safe(scope)}.", at("scope"))
        elif not context.total and not context.findings:
            yield Line(f"No failing finding of yours matches {scope}.", at("scope"))
        elif not context.total:
            yield Line(f"Nothing fails for {safe(scope)}.", at("scope"))
        else:
            noun = "failing finding" if context.total == 1 else "failing findings"
            yield Line(f"**{context.total} {noun} for {safe(scope)}: {told(context.counts)}.**", at("counts"))
        for name, page in context.by_side.items():
            yield Line(f"- {name}: {page.total} failing ({told(page.counts) or 'none'}).", at(f"side:{name}"))

    def _listed(self, number: int, finding: Finding) -> Iterator[Line]:
        at = self._at(finding)
        severity = finding.severity
        urgency = (
            f"{severity.label}, {_when(severity)}"
            if finding.status == "fail"
            else f"{severity.label}, {finding.status}"
        )
        where = safe(finding.resource)
        place = f" in {finding.region}" if finding.region and not finding.region.startswith("<") else ""
        yield Line(
            f"{number}. {severity.mark} [{safe(finding.check_id)}] {title_of(finding)} ({urgency}): {where}{place}.",
            at("title"),
        )
        touched = frameworks_of(finding, self.context.kb_entries)
        if touched:
            yield Line(f"   Frameworks: {safe(duties(touched, first=self.asked.frameworks))}.", at("duties"))

    def analysis(self) -> Iterator[Line]:
        """Why it matters, in the knowledge base's words: what stands here when no model writes it."""
        asked, context = self.asked, self.context
        if asked.intent == "document" or (asked.requires_documents and context.documents):
            yield from self._from_documents()
        wanted = 1 if asked.intent in ("list", "compare") else 2
        told_ = 0
        for entry in self._by_relevance():
            if told_ >= wanted or not entry.description:
                break
            if asked.intent == "list" and context.findings:
                break
            label = f"{entry.severity.mark} " if entry.severity and not context.findings else ""
            yield Line(
                f"{label}**{safe(entry.title).rstrip('.')}.** {safe(entry.description)}", self._at(entry)("summary")
            )
            if not context.findings and entry.frameworks:
                yield Line(
                    f"Frameworks: {duties(entry.frameworks, first=asked.frameworks)}.", self._at(entry)("duties")
                )
            told_ += 1
            yield Line("", after="\n")
        if not told_ and context.findings and asked.intent != "list":
            yield from self._by_scanner(context.findings[0])

    def _by_scanner(self, finding: Finding) -> Iterator[Line]:
        at = self._at(finding)
        for name, words in (("risk", finding.risk), ("description", finding.description)):
            if words and self.desk.find(finding) is not None:
                sheet = self.desk.sheets[self.desk.find(finding) or 0]
                yield Line(f"**Why it matters.** {safe(sheet.words(name))}", at(name))
                yield Line("", after="\n")
                return

    def _from_documents(self) -> Iterator[Line]:
        from footnoted.providers.extractive import Extractive
        from footnoted.types import Prompt

        places = self.desk.of_kind("document")
        sources = tuple(context.as_source() for at, context in enumerate(self.desk.contexts()) if at in places)
        reply = Extractive(threshold=_DOCUMENTS).answer(
            Prompt(question=self.asked.question, sources=sources, history=self.asked.history)
        )
        for passage in reply.passages:
            pointers = tuple(Pointer(places[one.source], one.start, one.end) for one in passage.pointers)
            yield Line(safe(passage.text), pointers, after=" ")
        if not reply.passages:
            yield Line("The documents of this conversation do not answer this.")
        yield Line("", after="\n\n")

    def remediation(self) -> Iterator[Line]:
        """Steps and code of the entries that put it right, as the knowledge base has them."""
        most = _FIXED.get(self.asked.intent, 1) if self.context.findings else 1
        entries = [entry for entry in self._by_relevance() if entry.has_remediation][:most]
        for entry in entries:
            yield from self._fix(entry)
        if most and not entries and self.context.findings:
            yield from self._scanners_fix(self.context.findings[0])

    def _fix(self, entry: KnowledgeEntry) -> Iterator[Line]:
        verified = entry.origin == "shipped"
        at = self._at(entry)
        yield Line(f"### Fix: {safe(entry.title).rstrip('.')}", after="\n")
        for step in entry.console[:12]:
            yield Line(f"- {safe(step)}", at("console") if step is entry.console[0] else ())
        if entry.console:
            yield Line("", after="\n")
        if not verified and (entry.cli or entry.terraform):
            yield Line(f"From the imported entry {entry.id}. Read it before you run it.", at("title"), after="\n\n")
        for language, code in (("hcl", entry.terraform), ("bash", entry.cli)):
            if code:
                yield Line(fenced(code, language), after="\n\n")

    def _scanners_fix(self, finding: Finding) -> Iterator[Line]:
        sheet = self.desk.find(finding)
        if not finding.remediation and not finding.remediation_cli:
            return
        yield Line("### Fix, as the scanner advises", after="\n")
        if finding.remediation and sheet is not None:
            yield Line(safe(self.desk.sheets[sheet].words("advice")), self._at(finding)("advice"), after="\n\n")
        if finding.remediation_cli:
            yield Line(UNVERIFIED, after="\n\n")
            yield Line(fenced(finding.remediation_cli, "bash"), after="\n\n")

    def closing(self) -> Iterator[Line]:
        """What was not known, what is not covered, what was left out."""
        asked, context = self.asked, self.context
        covered = ", ".join(framework_name(key) for key in _COVERED)
        told_ = [f"{name} is not covered by this knowledge base; it covers {covered}." for name in asked.uncovered]
        told_ += [f"{one[:1].upper()}{one[1:]}." for one in (*context.unknown, *self.desk.left_out)]
        if asked.beyond_list:
            told_.append("The list before is shorter than the place you point at.")
        speaks = {check for entry in context.kb_entries for check in entry.checks}
        silent = [one for one in context.findings[:BEST] if one.check_id not in speaks and one.control_id not in speaks]
        if silent and asked.intent in ("remediate", "prioritise", "comply"):
            names = ", ".join(dict.fromkeys(safe(one.check_id) for one in silent))
            told_.append(f"The knowledge base has no remediation for {names}.")
        if not told_:
            return
        yield Line("**Not known or left out**", after="\n")
        for one in told_:
            yield Line(f"- {one}")

    def refusal(self) -> str:
        """The words when there is nothing to answer from."""
        if self.asked.uncovered:
            names = ", ".join(self.asked.uncovered)
            return (
                f"{names} is not covered by this knowledge base, so nothing is said about it. "
                f"Covered are {', '.join(framework_name(key) for key in _COVERED)}."
            )
        if self.context.unknown and not self.context.documents:
            return (
                f"{self.context.unknown[0]}. Ask about your cloud findings, an AWS service, or a framework: "
                f"{', '.join(framework_name(key) for key in _COVERED)}."
            )
        return (
            "Neither your findings, nor your documents, nor the knowledge base speak of this. "
            "Ask about your cloud findings, an AWS service, or a framework: "
            f"{', '.join(framework_name(key) for key in _COVERED)}."
        )

    def _by_relevance(self) -> list[KnowledgeEntry]:
        """The entries that put the first findings right, in the findings' order; then the one that fits best."""
        ordered: list[KnowledgeEntry] = []
        for finding in self.context.findings[:BEST]:
            ordered += [
                entry
                for entry in self.context.kb_entries
                if (finding.check_id in entry.checks or finding.control_id in entry.checks)
                and entry.origin != "prowler-compliance"
            ]
        if self.context.main_entry is not None and not ordered:
            main = self.context.main_entry
            ordered = [
                main,
                *(entry for entry in self.context.kb_entries if entry is not main and self._is_about(entry)),
            ]
        return list({id(entry): entry for entry in ordered}.values())

    def _is_about(self, entry: KnowledgeEntry) -> bool:
        asked = self.asked
        return not asked.services or entry.service in asked.services

    def _at(self, item: object) -> _At:
        places = self.desk.of_kind("inventory") if item == "inventory" else []
        index = places[0] if places else self.desk.find(item)
        return _At(self.desk, index)


@dataclass(frozen=True, slots=True)
class _At:
    """Points at a named part of a sheet; at nothing where the part was not laid out."""

    desk: Desk
    index: int | None

    def __call__(self, part: str) -> tuple[Pointer, ...]:
        """The pointer, if the part is there."""
        if self.index is None or part not in self.desk.sheets[self.index].parts:
            return ()
        return (Pointer(self.index, *self.desk.sheets[self.index].parts[part]),)


def fenced(code: str, language: str) -> str:
    r"""Code between fences that it cannot close.

    >>> fenced("aws s3 ls", "bash")
    '```bash\naws s3 ls\n```'
    """
    fence = "```"
    while fence in code:
        fence += "`"
    return f"{fence}{language}\n{code.strip()}\n{fence}"


def _when(severity: Severity) -> str:
    return severity.within if severity is Severity.INFORMATIONAL else f"act {severity.within}"


def title_of(finding: Finding) -> str:
    """A finding's title as a list shows it behind its id, which it need not repeat."""
    title = finding.title.removeprefix(finding.check_id).lstrip(" :.-") or finding.title
    number = finding.check_id.removeprefix("CIS.")
    return safe(title.removeprefix(f"{number} ")).rstrip(".")


def names_of(asked: Asked) -> Sequence[str]:
    """The services and frameworks of a question as people write them."""
    return [*(service_name(one) for one in asked.services), *(framework_name(one) for one in asked.frameworks)]
