"""Sets severities right in a model's text as it comes, removes made-up counts and marks code not of the sources."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from footnoted.assistants.security.advice.compose import UNVERIFIED
from footnoted.assistants.security.advice.context import BEST, AnswerContext
from footnoted.assistants.security.findings.finding import Finding
from footnoted.assistants.security.query.words import NUMBERS
from footnoted.assistants.security.severity import MARKS, Severity, read_severity
from footnoted.text.lines import fence
from footnoted.text.markdown import list_mark
from footnoted.text.marks import marker_end, skip
from footnoted.text.phrases import places, whole
from footnoted.text.scripts import is_wordlike

if TYPE_CHECKING:
    from footnoted.assistants.security.advice.sources import Desk

_MARKS = "".join(MARKS.values())
_END = re.compile(r"[.!?…](?:[\"'”’)\]*_]|\s?\[\d{1,3}\])*(?=\s)|\n")
_LEAST = 12  # code points of a sentence; "1." ends none
_LEAST_OF_NAME = 4  # code points of a name that is looked for
_WORD = r"(critical|high|medium|moderate|low|informational)"
_CLAIMS = re.compile(
    rf"\b{_WORD}\b(?=[\s-]*(?:severity|risk|priority|impact|rated|rating)\b)"
    rf"|(?<=\()\s*{_WORD}\b(?=[,)])"
    rf"|\b(?:severity|rated|rating|priority|ranked|classified|marked|considered|only|just|merely|is|are|as|a|an)"
    rf"(?:\s+(?:is|are|of|as|only|just|merely|a|an|at|level)|\s*[:=–-])*\s+[*_]*{_WORD}\b",
    re.IGNORECASE,
)
_SEVERITY = whole(*"critical high medium low informational".split())
# The times this advisor gives for a severity, as a model repeats them.
_WITHIN = re.compile(
    r"\b(?:within|in) (?:24\s?[–-]\s?48 hours|1\s?[–-]\s?2 weeks|one (?:or|to) two weeks)|\bat the next review\b",
    re.IGNORECASE,
)
_NUMBERS = NUMBERS | {"no": 0}
_COUNT = re.compile(
    rf"(?<![\w.\[-])(\d[\d,]*|{'|'.join(_NUMBERS)}|dozens of|hundreds of|thousands of|several|many)"
    r"((?:\s+[\w-]+){0,4}?)\s+(?:findings?|issues?|misconfigurations?|failures?|violations?|vulnerabilit(?:y|ies)|alerts?)\b",
    re.IGNORECASE,
)
_COMMAND = re.compile(r"`((?:aws|terraform|kubectl|az|gcloud|eksctl|curl|rm|sudo)\s[^`\n]+)`")


@dataclass(frozen=True, slots=True)
class Facts:
    """What data says: the severity of everything that can be named, by each of its names; counts; known code.

    ``by_source`` has the severity of the source a marker ``[n]`` points at.
    """

    named: Mapping[str, Severity] = field(default_factory=dict)
    by_source: Mapping[int, Severity] = field(default_factory=dict)
    total: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)
    allowed: frozenset[int] = frozenset()
    code: Sequence[str] = ()


def facts_of(context: AnswerContext, desk: Desk) -> Facts:
    """The facts of one answer. A name that two severities share stands for neither."""
    named: dict[str, set[Severity]] = {}
    for finding in context.findings:
        for name in (finding.check_id, finding.control_id, finding.title, finding.resource_name, finding.resource_id):
            key = name.casefold().rstrip(".")
            if len(key) >= _LEAST_OF_NAME:
                named.setdefault(key, set()).add(finding.severity)
    results = [result for result in (context.result, context.by_catalogue) if result]
    results += [result for _, result in context.choices]
    results += [side for result in results for side in result.sides]
    allowed = {len(context.findings[:BEST]), len(context.findings)}
    for result in results:
        allowed |= {result.total, result.findings, result.resources, result.checks, *result.severities.values()}
        allowed |= {*result.scanners.values(), *result.statuses.values(), *(count for _, _, count in result.groups)}
    return Facts(
        named={name: severities.pop() for name, severities in named.items() if len(severities) == 1},
        by_source={
            number: sheet.item.severity
            for number, sheet in enumerate(desk.sheets, 1)
            if isinstance(sheet.item, Finding)
        },
        total=context.total,
        counts=dict(context.counts),
        allowed=frozenset(allowed),
        code=tuple(code for entry in context.kb_entries for code in (entry.cli, entry.terraform, entry.check) if code),
    )


class Guard:
    """`decode` a model's pieces in order, then `flush`. However they are cut, the same comes out.

    ``corrections`` says what was changed, in words.
    """

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.corrections: list[str] = []
        self._by_source = dict(facts.by_source)
        self._held = ""

    def renumber(self, places: Mapping[int, int]) -> None:
        """Follow the sources to where the prompt shows them: ``places`` maps an index of ours to one of its."""
        self._by_source = {
            places[number - 1] + 1: severity
            for number, severity in self.facts.by_source.items()
            if number - 1 in places
        }

    def decode(self, piece: str) -> str:
        """The sentences and blocks of code that are whole."""
        self._held += piece
        return self._settled(last=False)

    def flush(self) -> str:
        """What was held back."""
        return self._settled(last=True)

    def _settled(self, *, last: bool) -> str:
        settled: list[str] = []
        while self._held:
            mark = fence(self._held)
            taken = self._block(mark, last=last) if mark else self._sentence(last=last)
            if taken is None:
                break
            settled.append(taken)
        return "".join(settled)

    def _block(self, mark: str, *, last: bool) -> str | None:
        """A whole block of code, with a warning above it unless the knowledge base has it."""
        opening, *lines = self._held.split("\n")
        close = next((place for place, line in enumerate(lines) if line.strip(" \t") == mark), None)
        if not last and (close is None or close == len(lines) - 1):
            return None
        body = "".join(f"{line}\n" for line in lines[:close]) if close is not None else "\n".join(lines)
        block = f"{opening}\n{body}{lines[close]}" if close is not None else self._held
        self._held = self._held[len(block) :]
        closing = "" if close is not None else f"\n{mark}"
        if self._is_known(body):
            return block + closing
        self.corrections.append("code of the model was marked as unverified")
        return f"{UNVERIFIED}\n\n{block}{closing}"

    def _sentence(self, *, last: bool) -> str | None:
        """The first sentence or line, with the markers behind it; nothing while it may go on."""
        for found in _END.finditer(self._held):
            end = found.end()
            if found.group() == "\n":
                break
            # "1." begins a line; and a mark right after the stop still belongs to it.
            if end < _LEAST or list_mark(self._held[:end] + " ")[1] == "":
                continue
            if not last and not self._held[end:].strip(" "):
                return None
            break
        else:
            if not last:
                return None
            end = len(self._held)
        while (behind := marker_end(self._held, skip(self._held, end, len(self._held), " \t"), len(self._held))) > 0:
            end = behind
        text, self._held = self._held[:end], self._held[end:]
        return self._corrected(text)

    def _corrected(self, text: str) -> str:
        if not text.strip():
            return text
        if wrong := self._wrong_count(text):
            self.corrections.append(f"a number of findings that is not computed was left out: “{wrong}”")
            return "\n" if text.endswith("\n") else ""
        severities = self._about(text)
        text = self._marks(text, severities)
        if len(severities) == 1:
            text = self._words(text, next(iter(severities)))
        return _COMMAND.sub(self._command, text)

    def _about(self, text: str) -> set[Severity]:
        """The severities of what a sentence names; empty where it names nothing that is known."""
        folded = text.casefold()
        found = {severity for name, severity in self.facts.named.items() if _stands(name, folded)}
        if found:
            return found
        pointed = {int(number) for number in re.findall(r"\[(\d{1,3})\]", text)}
        return {self._by_source[number] for number in pointed if number in self._by_source}

    def _marks(self, text: str, severities: set[Severity]) -> str:
        """Marks of severities that nothing in the sentence has are replaced, or taken away where none is known."""
        right = {severity.mark for severity in severities}

        def put(found: re.Match[str]) -> str:
            mark = found[1]
            if mark in right:
                return found.group()
            self.corrections.append(f"a severity mark was set right: {mark}")
            return found.group().replace(mark, next(iter(right))) if len(right) == 1 else ""

        return re.sub(rf"([{_MARKS}])\ufe0f?[ \t]?", put, text)

    def _words(self, text: str, severity: Severity) -> str:
        """Words that say another severity than the data are replaced by the data's."""

        def put(found: re.Match[str]) -> str:
            word = next(filter(None, found.groups()), found.group())
            if read_severity(word) is severity:
                return found.group()
            self.corrections.append(f"a severity was set right: {word} is {severity.value}")
            right = severity.value.capitalize() if word[0].isupper() else severity.value
            return found.group().replace(word, severity.label if word.isupper() else right)

        def time(found: re.Match[str]) -> str:
            if re.sub(r"\s?[–-]\s?", "–", found.group()).casefold() == severity.within:
                return found.group()
            self.corrections.append(f"a time was set right: {found.group()} is {severity.within}")
            return severity.within

        def shouted(found: re.Match[str]) -> str:
            return put(found) if found.group().isupper() else found.group()

        return _WITHIN.sub(time, _SEVERITY.sub(shouted, _CLAIMS.sub(put, text)))

    def _wrong_count(self, text: str) -> str:
        """The words of a count of findings that no data gives; empty when all counts stand."""
        for found in _COUNT.finditer(text):
            if not self._is_computed(found[1].casefold(), found[2].casefold().split()):
                return found.group()
        return ""

    def _is_computed(self, number: str, between: list[str]) -> bool:
        """Whether data gives this count of findings; ``between``: the words that stand between the two."""
        if number.endswith(" of"):  # dozens, hundreds or thousands of
            return self.facts.total >= 24
        if number in ("several", "many"):
            return True
        value = _NUMBERS[number] if number in _NUMBERS else int(number.replace(",", ""))
        severity = next((severity.value for severity in Severity if severity.value in between), "")
        if severity:
            return value == self.facts.counts.get(severity, 0)
        # That nothing fails is for data to say: a narrow question's nothing is not everything's.
        return value != 0 and (value == self.facts.total or value in self.facts.allowed)

    def _command(self, found: re.Match[str]) -> str:
        if self._is_known(found[1]) or "unverified" in found.string[found.end() : found.end() + 14]:
            return found.group()
        self.corrections.append("a command of the model was marked as unverified")
        return f"{found.group()} (unverified)"

    def _is_known(self, code: str) -> bool:
        plain = _plain(code)
        return bool(plain) and any(plain in _plain(known) for known in self.facts.code)


def _stands(name: str, folded: str) -> bool:
    """Whether a name stands in a text as a word of its own."""
    return any(
        not any(is_wordlike(char) or char == "-" for char in (folded[at - 1 : at], folded[at + len(name) :][:1]))
        for at in places(name, folded)
    )


def _plain(code: str) -> str:
    return " ".join(code.replace("\\\n", " ").split())
