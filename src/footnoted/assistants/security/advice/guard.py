"""Sets severities right in a model's text as it comes, removes made-up counts and marks code not of the sources."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from footnoted.assistants.security.advice.compose import UNVERIFIED
from footnoted.assistants.security.severity import MARKS, Severity, read_severity

_MARKS = "".join(MARKS.values())
_END = re.compile(r"[.!?…](?:[\"'”’)\]*_]|\s?\[\d{1,3}\])*(?=\s)|\n")
_LEAST = 12  # code points of a sentence; "1." ends none
_LIST_MARK = re.compile(r"\s*(?:\d{1,3}[.)]|[-*•])\s*\Z")
_WORD = r"(critical|high|medium|moderate|low|informational)"
_CLAIMS = re.compile(
    rf"\b{_WORD}\b(?=[\s-]*(?:severity|risk|priority|impact|rated|rating)\b)"
    rf"|(?<=\()\s*{_WORD}\b(?=[,)])"
    rf"|\b(?:severity|rated|rating|priority|ranked|classified|marked|considered|only|just|merely|is|are|as|a|an)"
    rf"(?:\s+(?:is|are|of|as|only|just|merely|a|an|at|level)|\s*[:=–-])*\s+[*_]*{_WORD}\b",
    re.IGNORECASE,
)
_SHOUTED = re.compile(r"\b(CRITICAL|HIGH|MEDIUM|LOW|INFORMATIONAL)\b")
# The times this advisor gives for a severity, as a model repeats them.
_WITHIN = re.compile(
    r"\b(?:within|in) (?:24\s?[–-]\s?48 hours|1\s?[–-]\s?2 weeks|one (?:or|to) two weeks)|\bat the next review\b",
    re.IGNORECASE,
)
_NUMBERS = {
    word: at for at, word in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())
}
_COUNT = re.compile(
    rf"(?<![\w.\[-])(\d[\d,]*|{'|'.join(_NUMBERS)}|no|dozens of|hundreds of|thousands of|several|many)"
    r"((?:\s+[\w-]+){0,4}?)\s+(?:findings?|issues?|misconfigurations?|failures?|violations?|vulnerabilit(?:y|ies)|alerts?)\b",
    re.IGNORECASE,
)
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})", re.MULTILINE)
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
        told: list[str] = []
        while self._held:
            taken = self._block(last=last) if self._in_fence() else self._sentence(last=last)
            if taken is None:
                break
            told.append(taken)
        return "".join(told)

    def _in_fence(self) -> bool:
        return _FENCE.match(self._held) is not None

    def _block(self, *, last: bool) -> str | None:
        """A whole block of code, with a warning above it unless the knowledge base has it."""
        opening = _FENCE.match(self._held)
        newline = self._held.find("\n", opening.end() if opening else 0)
        mark = opening[1] if opening else "```"
        close = (
            re.compile(rf"^[ \t]*{re.escape(mark)}[ \t]*$", re.MULTILINE).search(self._held, newline + 1)
            if newline >= 0
            else None
        )
        whole = close is not None and (close.end() < len(self._held) or last)
        if not whole and not last:
            return None
        end = close.end() if close else len(self._held)
        block, self._held = self._held[:end], self._held[end:]
        body = block[newline + 1 : close.start() if close else end] if newline >= 0 else ""
        closing = "" if close else f"\n{mark}"
        if self._is_known(body):
            return block + closing
        self.corrections.append("code of the model was marked as unverified")
        return f"{UNVERIFIED}\n\n{block}{closing}"

    def _sentence(self, *, last: bool) -> str | None:
        at = 0
        while True:
            found = _END.search(self._held, at)
            if found is None:
                if not last:
                    return None
                end = len(self._held)
                break
            end = found.end()
            # "1." begins a line; and a mark right after the stop still belongs to it.
            if found.group() != "\n" and (end < _LEAST or _LIST_MARK.fullmatch(self._held[:end] + " ")):
                at = end
                continue
            if found.group() != "\n" and not last and not self._held[end:].strip(" "):
                return None
            more = re.compile(r"(?:[ \t]*\[\d{1,3}\])+").match(self._held, end)
            end = more.end() if more else end
            break
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
        right = {one.mark for one in severities}

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
            word = next(one for one in found.groups() if one)
            if read_severity(word) is severity:
                return found.group()
            self.corrections.append(f"a severity was set right: {word} is {severity.value}")
            right = (
                severity.label
                if word.isupper()
                else severity.value.capitalize()
                if word[0].isupper()
                else severity.value
            )
            return found.group().replace(word, right)

        def time(found: re.Match[str]) -> str:
            if re.sub(r"\s?[–-]\s?", "–", found.group()).casefold() == severity.within:
                return found.group()
            self.corrections.append(f"a time was set right: {found.group()} is {severity.within}")
            return severity.within

        return _WITHIN.sub(time, _SHOUTED.sub(put, _CLAIMS.sub(put, text)))

    def _wrong_count(self, text: str) -> str:
        """The words of a count of findings that no data gives; empty when all counts stand."""
        for found in _COUNT.finditer(text):
            number, between = found[1].casefold(), found[2].casefold()
            value = _NUMBERS.get(
                number, 0 if number == "no" else int(number.replace(",", "")) if number[0].isdigit() else None
            )
            severity = next((one.value for one in Severity if one.value in between.split()), "")
            if value is None:
                if number in ("dozens of", "hundreds of", "thousands of") and self.facts.total < 24:
                    return found.group()
            elif severity:
                if value != self.facts.counts.get(severity, 0):
                    return found.group()
            elif value == 0 or (value != self.facts.total and value not in self.facts.allowed):
                # That nothing fails is for data to say: a narrow question's nothing is not everything's.
                return found.group()
        return ""

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
    at = folded.find(name)
    while at >= 0:
        before, after = folded[at - 1 : at], folded[at + len(name) : at + len(name) + 1]
        if not (before.isalnum() or before in ("_", "-")) and not (after.isalnum() or after in ("_", "-")):
            return True
        at = folded.find(name, at + 1)
    return False


def _plain(code: str) -> str:
    return " ".join(code.replace("\\\n", " ").split())
