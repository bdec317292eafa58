"""The parts of an expert's answer that data alone can write, each with its pointers.

Counts, rows, severity marks, frameworks, requirements and remediation are written here and nowhere else, whether a
model writes too or not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from footnoted.assistants.security.advice.asked import said_by
from footnoted.assistants.security.advice.context import BEST, AnswerContext
from footnoted.assistants.security.advice.figures import duty_lines, figures, of_result
from footnoted.assistants.security.advice.sources import NOTHING, Desk, duties, frameworks_of, listed
from footnoted.assistants.security.catalogue import FRAMEWORKS
from footnoted.assistants.security.names import framework_name
from footnoted.assistants.security.query.wording import asked_of, named, safe, words_of
from footnoted.assistants.security.query.words import NOT_IN_SCANS
from footnoted.assistants.security.severity import read_severity
from footnoted.types import Pointer

if TYPE_CHECKING:
    from footnoted.assistants.security.advice.asked import Asked
    from footnoted.assistants.security.findings.finding import Finding
    from footnoted.assistants.security.knowledge.entry import KnowledgeEntry

UNVERIFIED = "⚠ Unverified: this is not from the knowledge base. Read it before you run it."
_DOCUMENTS = 0.35  # chance that a document answers; it was given for this talk, so less is asked than of any text
_DUTIES = ("requirement", "mapping", "explain", "remediation")
_SHOWN = 3


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
        """What was asked, as a query, and what it gave."""
        context, query = self.context, self.asked.query
        if context.choices:
            yield from self._choices()
            return
        of_duties = query.select in _DUTIES and bool(context.duties.rules + context.duties.requirements)
        shown = context.findings
        if of_duties:
            yield from (Line(line, self._at("inventory", f"line:{line}")) for line in duty_lines(self.asked, context))
            if query.select == "requirement":
                yield Line("")
                yield from self._figures()
                shown = ()
        elif not context.looked_for_findings:
            if not context.tenant_total and not context.documents:
                yield Line(NOTHING, self._at("inventory", "scope"))
            return
        else:
            yield from self._figures()
            if shown:
                yield Line("")
        for number, finding in enumerate(shown, query.offset + 1):
            yield from self._listed(number, finding)
        yield Line("")

    def _figures(self) -> Iterator[Line]:
        result = self.context.result
        listing = result is not None and bool(result.groups)
        for place, line in enumerate(figures(self.asked, self.context)):
            yield Line(f"- {line}" if listing and place else line, self._at("inventory", f"line:{line}"))

    def _choices(self) -> Iterator[Line]:
        reading = self.asked.reading
        yield from (Line(f"{note[:1].upper()}{note[1:]}.") for note in reading.notes)
        yield from (Line(f"“{name}” may mean several things; which do you mean?") for name in reading.open)
        for label, result in self.context.choices:
            first, *others = of_result(self.asked, self.context, result)
            yield Line(f"- {label}: {first}")
            rows = [
                f"{safe(one.check)}: {safe(one.resource)} in {safe(one.region)}, since {one.first_seen}"
                for one in (result.rows if result.query.of == "findings" else ())
            ]
            yield from (Line(f"  - {line}") for line in [*others, *rows])
        yield Line("", after="\n")

    def _listed(self, number: int, finding: Finding) -> Iterator[Line]:
        pointers = self._at(finding, "row") or self._at("inventory", f"row:{finding.id}")
        yield Line(listed(number, finding), pointers)
        touched = frameworks_of(finding, self.context.kb_entries)
        if touched and (self.asked.frameworks or self.asked.reading.fix) and number <= BEST:
            yield Line(
                f"   Frameworks: {safe(duties(touched, first=self.asked.frameworks))}.", self._at(finding, "duties")
            )

    def analysis(self) -> Iterator[Line]:
        """Why it matters, in the scanner's or the knowledge base's words: what stands here when no model writes it."""
        asked, context = self.asked, self.context
        if context.documents and (asked.requires_documents or not context.looked_for_findings):
            yield from self._from_documents()
        if asked.query.select == "explain":
            yield from self._explained()
        elif not context.findings and not context.choices and not context.duties.rules:
            for entry in self._by_relevance()[:2] if not context.looked_for_findings or not context.total else ():
                label = f"{entry.severity.mark} " if entry.severity else ""
                words = f"{label}**{safe(entry.title).rstrip('.')}.** {safe(entry.description)}"
                yield Line(words, self._at(entry, "summary"))
                if entry.frameworks:
                    told = duties(entry.frameworks, first=asked.frameworks)
                    yield Line(f"Frameworks: {told}.", self._at(entry, "duties"))
                yield Line("")

    def _explained(self) -> Iterator[Line]:
        """What a check looks for and what happens where it fails, by the first that says so."""
        rules = self.context.duties.rules
        rule = next((one for one in rules if one.risk), next(iter(rules), None))
        if rule is not None:
            yield Line(f"**{safe(rule.check)}**: {safe(rule.title).rstrip('.')}.")
            for words in (rule.description, rule.risk):
                if words:
                    yield Line(safe(words))
            yield Line("")
            return
        for entry in self._by_relevance()[:1]:
            yield Line(f"**{safe(entry.title).rstrip('.')}.** {safe(entry.description)}", self._at(entry, "summary"))
            yield Line("")

    def _from_documents(self) -> Iterator[Line]:
        from footnoted.providers.extractive import Extractive
        from footnoted.types import Prompt

        places = [at for at, sheet in enumerate(self.desk.sheets) if sheet.kind == "document"]
        contexts = self.desk.contexts()
        sources = tuple(contexts[at].as_source() for at in places)
        prompt = Prompt(question=self.asked.question, sources=sources, history=self.asked.history)
        reply = Extractive(threshold=_DOCUMENTS).answer(prompt)
        for passage in reply.passages:
            pointers = tuple(Pointer(places[one.source], one.start, one.end) for one in passage.pointers)
            yield Line(safe(passage.text), pointers, after=" ")
        if not reply.passages:
            yield Line("The documents of this conversation do not answer this.")
        yield Line("", after="\n\n")

    def remediation(self) -> Iterator[Line]:
        """Steps and code that put it right: the knowledge base's, else the scanner's own advice."""
        asked, context = self.asked, self.context
        advises = asked.query.select in ("remediation", "explain") or asked.intent in ("remediate", "prioritise")
        if not (advises or asked.reading.fix) or context.choices:
            return
        entries = [entry for entry in self._by_relevance() if entry.has_remediation]
        rules = [rule for rule in context.duties.rules if rule.remediation or rule.cli]
        if asked.reading.about is not None and asked.query.select == "remediation":  # of the nearest, if it can be
            first = asked.query.where.check[0]
            own = [entry for entry in entries if first in entry.checks]
            advised = [rule for rule in rules if rule.check == first]
            entries, rules = (own, advised) if own or advised else (entries, rules)
        if asked.reading.format in ("terraform", "cli", "console"):
            entries.sort(key=lambda entry: not getattr(entry, asked.reading.format))
        for entry in entries[: 1 if asked.query.select == "remediation" else 3]:
            yield from self._fix(entry)
        if entries:
            return
        cli = ""
        if rules:
            rule = min(rules, key=lambda rule: not rule.cli)
            yield Line(f"### Fix, as the scanner advises: {safe(rule.check)}")
            yield Line(f"{safe(rule.title).rstrip('.')}. {safe(rule.remediation)}", after="\n\n")
            cli = rule.cli
        elif context.findings:
            finding = context.findings[0]
            if finding.remediation:
                yield Line(f"### Fix, as the scanner advises: {safe(finding.check_id)}")
                yield Line(safe(finding.remediation), self._at(finding, "advice"), after="\n\n")
            cli = finding.remediation_cli
        if cli:
            yield Line(UNVERIFIED, after="\n\n")
            yield Line(fenced(cli, "bash"), after="\n\n")

    def _fix(self, entry: KnowledgeEntry) -> Iterator[Line]:
        yield Line(f"### Fix: {safe(entry.title).rstrip('.')}")
        if entry.origin != "shipped":
            yield Line(
                f"From the imported entry {entry.id}. Read it before you run it.",
                self._at(entry, "title"),
                after="\n\n",
            )
        for step in entry.console[:12]:
            yield Line(f"- {safe(step)}", self._at(entry, "console") if step is entry.console[0] else ())
        if entry.console:
            yield Line("")
        for language, code in (("hcl", entry.terraform), ("bash", entry.cli)):
            if code:
                yield Line(fenced(code, language), after="\n\n")

    def closing(self) -> Iterator[Line]:
        """The query in words, and what was not used, not known, or left out."""
        asked, context = self.asked, self.context
        reading = asked.reading
        if context.result is not None and not context.choices:
            yield Line(f"Asked of {safe(asked_of(context.result.query, asked.vocabulary))}.")
        for one in reading.choices if context.choices else ():
            yield Line(f"As {safe(one.label)}, asked of {safe(asked_of(one.query, asked.vocabulary))}.")
        notes = []
        if reading.unused:
            notes.append(f"Not used: {', '.join(f'“{safe(one)}”' for one in reading.unused)}")
        notes += [note for note in reading.notes if not context.choices]
        if context.alone:
            without = ("status", "scan")
            each = [f"{words_of(part, asked.vocabulary, without=without)} {count}" for part, count in context.alone]
            notes.append(f"Nothing has all of these together; each alone has: {safe('; '.join(each))}")
        notes += [*context.unknown, *self.desk.left_out]
        speaks = {check for entry in context.kb_entries for check in entry.checks}
        silent = [one.check_id for one in context.findings[:BEST] if not {one.check_id, one.control_id} & speaks]
        silent = silent or [one for one in asked.query.where.check[:1] if one not in speaks]
        if silent and (reading.fix or asked.query.select == "remediation"):
            names = ", ".join(dict.fromkeys(map(safe, silent)))
            notes.append(f"The knowledge base has no remediation for {names}")
        yield from (Line(f"- {one[:1].upper()}{one[1:].rstrip('.')}.") for one in notes)

    def refusal(self) -> str:
        """The words when the question cannot be asked, or there is nothing to answer from."""
        reading = self.asked.reading
        vocabulary = self.asked.vocabulary
        clouds = ", ".join(named("provider", one) for one in sorted(vocabulary.providers)) or "your clouds"
        said = []
        result = self.context.result
        unfit = reading.unfit or (reading.unused if result is not None and not result.findings else [])
        if unfit:
            said.append(f"I cannot filter by {', '.join(f'“{safe(one)}”' for one in dict.fromkeys(unfit))}.")
        if reading.reason in NOT_IN_SCANS.values():
            said.append(f"Your scans do not hold {reading.reason}, so that cannot be asked of them.")
        elif reading.reason:
            said.append(f"I do not know {safe(reading.reason)}, so it cannot be asked.")
        said += [f"{note[:1].upper()}{note[1:]}." for note in map(safe, reading.notes)]
        said += [f"{one[:1].upper()}{one[1:]}." for one in self.context.unknown]
        if not said:
            said.append("Neither your findings, nor your documents, nor the knowledge base speak of this.")
        nearest = words_of(self.asked.query, vocabulary)
        if self.asked.query.where.narrowed():
            said.append(f"The closest question I can answer: {self.asked.query.select} of findings, {safe(nearest)}.")
        covered = ", ".join(framework_name(key) for key in FRAMEWORKS)
        said.append(
            f"Ask about findings of {clouds}, by account, region, service, severity, check or time, or about what the"
            f" knowledge base covers: {covered}."
        )
        return " ".join(said)

    def _by_relevance(self) -> list[KnowledgeEntry]:
        """The entries that put the checks and findings right, in their order; else those of what was named."""
        checks = [*self.asked.query.where.check]
        for finding in self.context.findings[:BEST]:
            checks += [finding.check_id, finding.control_id]
        ordered = [
            entry for check in checks for entry in self.context.kb_entries
            if check in entry.checks and entry.origin != "prowler-compliance"
        ]  # fmt: skip
        if not ordered and not checks:
            services = self.asked.services
            ordered = [entry for entry in self.context.kb_entries if not services or entry.service in services]
        return list({id(entry): entry for entry in ordered}.values())

    def _at(self, item: object, part: str) -> tuple[Pointer, ...]:
        """The pointer to a named part of the sheet about an item; none where it was not laid out."""
        index = self.desk.find(item)
        if index is None or part not in self.desk.sheets[index].parts:
            return ()
        return (Pointer(index, *self.desk.sheets[index].parts[part]),)


def fenced(code: str, language: str) -> str:
    r"""Code between fences that it cannot close.

    >>> fenced("aws s3 ls", "bash")
    '```bash\naws s3 ls\n```'
    """
    fence = "```"
    while fence in code:
        fence += "`"
    return f"{fence}{language}\n{code.strip()}\n{fence}"


class ResponseFormatter:
    """Sets advice and remediation in the form every answer has."""

    @staticmethod
    def format_security_advice(
        content: str,
        findings: Sequence[Any] | None = None,
        compliance: Sequence[Any] | Mapping[str, Any] | None = None,
    ) -> str:
        """The content, then three findings as ``[rule_id] title (severity)``, then the frameworks."""
        parts = [(content or "").strip()]
        shown = list(findings or ())
        if shown:
            lines = [f"- {_told(one)}" for one in shown[:_SHOWN]]
            if len(shown) > _SHOWN:
                lines.append(f"- and {len(shown) - _SHOWN} more")
            parts.append("**Related findings**\n" + "\n".join(lines))
        if compliance:
            parts.append("**Compliance**\n" + "\n".join(f"- {one}" for one in _frameworks(compliance)))
        return "\n\n".join(part for part in parts if part)

    @staticmethod
    def format_remediation(
        title: str, steps: Sequence[str] = (), code: str | None = None, language: str = "hcl"
    ) -> str:
        r"""A heading, numbered steps, and the code between fences.

        >>> ResponseFormatter().format_remediation("Block it", ["Open S3."], "x = 1")
        '### Block it\n\n1. Open S3.\n\n```hcl\nx = 1\n```'
        """
        parts = [f"### {title.strip()}"]
        if isinstance(steps, str):
            steps = [steps]
        if steps:
            parts.append("\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1)))
        if code and code.strip():
            parts.append(fenced(code, language))
        return "\n\n".join(parts)


def _told(finding: Any) -> str:
    rule = next(filter(None, (said_by(finding, name) for name in ("rule_id", "check_id", "id"))), "finding")
    severity = said_by(finding, "severity") or "unknown"
    known = read_severity(severity)
    mark = f"{known.mark} " if known else ""
    return f"{mark}[{rule}] {said_by(finding, 'title') or ''} ({known.label if known else str(severity)})"


def _frameworks(compliance: Sequence[Any] | Mapping[str, Any] | str) -> list[str]:
    if isinstance(compliance, Mapping):
        return [
            f"{framework_name(key)} {', '.join([ids] if isinstance(ids, str) else map(str, ids or ()))}".strip()
            for key, ids in compliance.items()
        ]
    if isinstance(compliance, str):
        compliance = [compliance]
    return [one if isinstance(one, str) and one not in FRAMEWORKS else framework_name(str(one)) for one in compliance]
