"""A readable question in; every service, framework and severity it names out, and which of them it sets aside."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from footnoted.assistants.security.nlu.identifiers import Identifier
from footnoted.assistants.security.nlu.words import Phrases, Word, frameworks, is_slip, services, uncovered, words_of

_SEVERITIES = {
    "critical": "critical critico critica criticos criticas crítico crítica críticos críticas kritikal kritical sev1",
    "high": "high alto alta altos altas tinggi",
    "medium": "medium moderate medio media medios medias sederhana",
    "low": "low bajo baja bajos bajas rendah",
    "informational": "informational informative info informativo",
}
_BY_WORD = {word: level for level, words in _SEVERITIES.items() for word in words.split()}
_MARKS = {"🔴": "critical", "🟠": "high", "🟡": "medium", "🟢": "low"}
# "high availability", "low cost" and "critical to the business" are not about severity.
_NOT_SEVERITY = frozenset(
    "availability available level cost costs priority performance traffic volume quality risk latency time hanging to"
    " ports port privilege privileges baseline impact touch code throughput side".split()
)
_SEVERITY_WORDS = frozenset(
    "severity severities rated rating sev item items findings finding issues issue ones one and or risks alerts"
    " problems severidad hallazgos hallazgo penemuan tahap please things iam rds s3 ec2 open".split()
)
_ORDER = ("critical", "high", "medium", "low", "informational")

_ASIDE = re.compile(
    r"\b(?:other than|apart from|aside from|except(?:ing)?(?: for)?|excluding|exclude|excepto|salvo|besides|ignoring|"
    r"but not|not(?! only| just| sure| yet| be| a\b| an\b)(?: in| on| about| for| the| of| to)?|no(?: en)?(?= s3| iam)|"
    r"non|never mind|ignore|forget|drop|not interested in|skip(?:ping)?|leav(?:e|ing) out|setting aside|"
    r"(?:do not|don[’']?t) (?:care about|show|list|include|want|mention|give me|tell me about|need)(?: me)?|"
    r"everything but|all but|anything but|selain|kecuali|bukan|menos|aparte de|without counting)"
    r"[\s-]+(?:the |any |our |all |of |for |in |el |la |los |las )*$",
    re.IGNORECASE,
)
_ASIDE_AFTER = re.compile(r"^\s*(?:findings |ones |issues )?(?:aside|excluded|set aside|apart)\b", re.IGNORECASE)
_STATE = re.compile(r"^[\s-]*(?:complian|conform|ready|readiness|certified|audit|cumpl)", re.IGNORECASE)
_JOINED = re.compile(r"^[\s,/&+]*(?:(?:and|or|nor|y|o|dan|atau)\b)?[\s,/&+]*(?:the |our )?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Mention:
    """One thing named: its kind (a field of `Entities`), its canonical names, its place; whether it is set aside."""

    kind: str
    names: tuple[str, ...]
    start: int
    end: int
    aside: bool = False


def mentions(text: str, known: Sequence[Identifier]) -> list[Mention]:
    """What a readable text names, in its order; ``known`` are its identifiers, whose letters are not read again."""
    masked = _mask(text, known)
    words = words_of(masked)
    tables = (
        ("aws_services", services()),
        ("compliance_frameworks", frameworks()),
        ("uncovered", uncovered()),
    )
    found: list[Mention] = []
    at = 0
    while at < len(words):
        kind, names, length = _longest(words, at, tables)
        if length:
            found.append(Mention(kind, names, words[at].start, words[at + length - 1].end))
        at += max(length, 1)
    found += _named_by_identifiers(known)
    found += _lone_config(masked, words, found)
    found += _severities(text, words)
    return _set_aside(text, sorted(found, key=lambda one: one.start))


def _mask(text: str, known: Iterable[Identifier]) -> str:
    for one in known:
        text = text[: one.start] + "\n" * (one.end - one.start) + text[one.end :]
    return text


def _named_by_identifiers(known: Iterable[Identifier]) -> list[Mention]:
    """An identifier names its service, its check or finding and its framework too."""
    kinds = {"check": "check_ids", "finding": "finding_ids"}
    found = []
    for one in known:
        named = {kinds.get(one.kind, ""): one.value, "aws_services": one.service}
        named |= {"compliance_frameworks": one.framework}
        if one.kind == "finding":
            named["check_ids"] = one.check
        found += [Mention(kind, (name,), one.start, one.end) for kind, name in named.items() if kind and name]
    return found


def _longest(words: Sequence[Word], at: int, tables: Sequence[tuple[str, Phrases]]) -> tuple[str, tuple[str, ...], int]:
    """The kind, names and length in words of the longest phrase that starts here; length 0 for none."""
    best: tuple[str, tuple[str, ...], int] = ("", (), 0)
    for kind, phrases in tables:
        for length in range(min(phrases.longest, len(words) - at), best[2], -1):
            part = words[at : at + length]
            if part[-1].end - part[0].start > 80:
                continue
            names = phrases.by_words.get(tuple(word.text for word in part)) or phrases.by_stems.get(
                tuple(word.stem for word in part)
            )
            if names:
                best = (kind, names, length)
                break
    if best[2]:
        return best
    for kind, phrases in tables:
        for right, names in phrases.distinct.items():
            if is_slip(words[at].stem, right):
                return kind, names, 1
    return best


def _lone_config(text: str, words: Sequence[Word], found: Sequence[Mention]) -> list[Mention]:
    """A lone "Config" is the service when written as a name, or listed beside another service."""
    lone = []
    for at, word in enumerate(words):
        if word.text != "config" or any(one.start <= word.start < one.end for one in found):
            continue
        near = [
            one
            for one in found
            if one.kind == "aws_services"
            and (_JOINED.match(text[one.end : word.start]) or _JOINED.match(text[word.end : one.start]))
            and (one.end <= word.start or word.end <= one.start)
        ]
        if near or (at and text[word.start] == "C"):
            lone.append(Mention("aws_services", ("config",), word.start, word.end))
    return lone


def _severities(text: str, words: Sequence[Word]) -> list[Mention]:
    found = [
        Mention("severities", (level,), text.index(mark), text.index(mark) + 1)
        for mark, level in _MARKS.items()
        if mark in text
    ]
    for at, word in enumerate(words):
        level = _BY_WORD.get(word.text) or _BY_WORD.get(word.stem)
        if not level:
            continue
        after = words[at + 1].text if at + 1 < len(words) else ""
        before = words[at - 1].text if at else ""
        meant = (
            (not after and word.text != "moderate")
            or after in _SEVERITY_WORDS
            or after in _BY_WORD
            or word.text != word.stem
        )
        meant = meant or before in {"severity", "severidad", "tahap", "only", "hallazgos"} or level == "critical"
        if after in _NOT_SEVERITY and after not in _SEVERITY_WORDS:
            meant = False
        if meant and not (level in {"low", "informational"} and before in {"too", "so", "is", "more"}):
            found.append(
                Mention(
                    "severities", _from(level, words[at + 1 : at + 6], words[max(0, at - 2) : at]), word.start, word.end
                )
            )
    return found


def _from(level: str, after: Sequence[Word], before: Sequence[Word]) -> tuple[str, ...]:
    """One level; from there on where the question says "high or above" or "at least high"."""
    said = {word.text for word in after}
    earlier = [word.text for word in before]
    if said & {"above", "higher", "worse", "up"} or earlier[-2:] == ["at", "least"]:
        return _ORDER[: _ORDER.index(level) + 1]
    if said & {"below", "lower"} and "or" in said:
        return _ORDER[_ORDER.index(level) :]
    return (level,)


def _set_aside(text: str, found: Sequence[Mention]) -> list[Mention]:
    """Mark what the question sets aside: "other than IAM and S3", "not RDS", "S3 aside"."""
    marked: list[Mention] = []
    for one in found:
        aside = bool(_ASIDE.search(text, max(0, one.start - 40), one.start)) and not _STATE.match(text[one.end :])
        aside = aside or bool(_ASIDE_AFTER.match(text[one.end :]))
        if marked and not aside:
            gap = text[marked[-1].end : one.start]
            aside = marked[-1].aside and (bool(_JOINED.match(gap)) or marked[-1].start == one.start)
        marked.append(replace(one, aside=aside))
    return marked
