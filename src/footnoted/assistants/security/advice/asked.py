"""What is asked of the advisor: the question as a query, the talk before it, and whether a document is meant."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from footnoted.assistants.security.names import framework_key, service_key
from footnoted.assistants.security.query.draft import is_possessive, is_ranked, is_single
from footnoted.assistants.security.query.finding_query import LIMIT, FindingQuery, Where
from footnoted.assistants.security.query.meaning import shipped_meanings
from footnoted.assistants.security.query.reading import Reading, read
from footnoted.assistants.security.query.vocabulary import Vocabulary
from footnoted.assistants.security.query.wording import chips_of, safe, value_name, words_of
from footnoted.assistants.security.severity import Severity
from footnoted.errors import ConfigurationError
from footnoted.types import Turn

_LISTED = re.compile(r"^\s*(\d{1,2})[.)]\s.*?`?\[([^\[\]\n]{2,120})\]`?", re.MULTILINE)
_COUNTED = re.compile(r"^- (.+?): \d+\b", re.MULTILINE)
_GROUPED = "\n- By "  # the line before those that are counted, where there are several
_NO_HISTORY = "conversation_history holds pairs (user, assistant) or messages {role, content}"
MESSAGES = 10  # of history an answer looks at
_INTENTS = {
    "count": "list", "list": "list", "group": "list", "trend": "list", "diff": "list", "age": "list", "rate": "list",
    "compare": "compare", "unmet": "comply", "requirement": "comply", "mapping": "comply", "explain": "explain",
    "remediation": "remediate",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, read: its query, how it was read, and the messages before it."""

    question: str
    reading: Reading
    vocabulary: Vocabulary
    history: tuple[Turn, ...] = ()
    conversation_id: str = ""
    given_intent: str = ""  # of whoever understood the question before
    requires_documents: bool = False
    before: FindingQuery | None = None  # what was asked before it
    beside: tuple[str, ...] = ()  # frameworks that were named beside the query's, of which the knowledge base is told

    @property
    def intent(self) -> str:
        """What is wanted, as the stream's last event says it."""
        return self.given_intent or _INTENTS[self.query.select]

    @property
    def entities(self) -> Mapping[str, Any]:
        """What the query names, under the names of `NLUResult`."""
        where = self.query.where
        return {
            "aws_services": list(self.services),
            "compliance_frameworks": list(self.frameworks),
            "finding_ids": [*where.check, *where.resource],
            "severities": list(where.severity),
        }

    @property
    def query(self) -> FindingQuery:
        """What is run."""
        return self.reading.query

    @property
    def frameworks(self) -> tuple[str, ...]:
        """The canonical keys of the frameworks asked about."""
        where = self.query.where
        return tuple(dict.fromkeys(map(framework_key, filter(None, (where.framework, *self.beside)))))

    @property
    def services(self) -> tuple[str, ...]:
        """The canonical keys of the services asked about."""
        return tuple(dict.fromkeys(map(service_key, self.query.where.service)))

    def told(self) -> dict[str, Any]:
        """The query as a reader sees it before the answer: as JSON, in words, and part by part."""
        return {
            "query": self.query.as_json(),
            "query_words": words_of(self.query, self.vocabulary),
            "chips": chips_of(self.query, self.vocabulary),
            "unused": list(self.reading.unused),
            "cannot": list(self.reading.unfit),
        }


def read_asked(
    question: str,
    vocabulary: Vocabulary,
    nlu_result: Any = None,
    history: Sequence[Any] = (),
    *,
    conversation_id: str = "",
) -> Asked:
    """The question as the advisor reads it. ``nlu_result``: an `NLUResult`, a mapping with its fields, or nothing."""
    if not isinstance(question, str) or not question.strip():
        raise ConfigurationError("the question is empty; ask something in words")
    turns = turns_of(history)
    recent = turns[-MESSAGES // 2 :]
    before: Reading | None = None
    meanings = shipped_meanings()
    shown = ""
    for turn in recent:
        if turn.user:
            before = _bound(read(turn.user, vocabulary, base=before, meanings=meanings), before, shown, vocabulary)
        shown = turn.assistant or shown
    reading = _bound(read(question, vocabulary, base=before, meanings=meanings), before, shown, vocabulary)
    entities = said_by(nlu_result, "entities") or {}
    _take(reading, entities, vocabulary)
    if reading.place and reading.follows:
        select = reading.query.select if reading.query.select in ("remediation", "explain") else "list"
        if check := _listed_at(turns, reading.place, before):
            where = reading.query.where.model_copy(update={"check": [check]})
            reading.query = reading.query.model_copy(update={"where": where, "select": select, "group_by": ""})
            reading.names_findings = True
        elif select != "list":
            reading.unfit.append(f"number {reading.place} of the list before")
    return Asked(
        question=question,
        reading=reading,
        vocabulary=vocabulary,
        history=recent,
        conversation_id=conversation_id or str(said_by(said_by(nlu_result, "context"), "conversation_id") or ""),
        given_intent=str(said_by(nlu_result, "intent") or ""),
        beside=tuple(one for one in _texts(entities, "compliance_frameworks") if one not in reading.unfit),
        requires_documents=bool(said_by(nlu_result, "requires_documents")) or reading.document,
        before=before.query if before is not None else None,
    )


def _bound(reading: Reading, before: Reading | None, shown: str, vocabulary: Vocabulary) -> Reading:
    """A reading whose pronoun stands for what a ranking before it put first; what stands for nothing is not asked."""
    pronoun = reading.pronoun
    if before is None or not (reading.follows and pronoun):
        return reading
    asked, by = before.query, before.query.group_by
    if is_ranked(asked):
        first = 1 if is_single(pronoun) else asked.limit if asked.limit != LIMIT else 0
        told = [_value(by, name, vocabulary) for name in _counted(shown)[:first]]
        name = "tag" if by.startswith("tag:") else by
        own = getattr(reading.query.where, name, None) != getattr(asked.where, name, None)
        if own or reading.choices or not all(told) or len(told) < min(first, 1):
            reading.unfit.append(pronoun)
        elif told:
            where = reading.query.where.model_copy(update={name: told})
            reading.query = reading.query.model_copy(update={"where": where})
            reading.names_findings = True
    elif is_possessive(pronoun) and (by or not {*asked.where.narrowed()} - {"scan", "status"}):
        reading.unfit.append(pronoun)
    return reading


def _counted(answer: str) -> list[str]:
    """The groups that an answer counts, in its order."""
    return _COUNTED.findall(answer.partition(_GROUPED)[2] or answer)


def _value(by: str, name: str, vocabulary: Vocabulary) -> str:
    """The value of a group that an answer calls by this name; nothing where that may be several."""
    values: Mapping[str, Iterable[str]] = {
        "account": vocabulary.accounts, "region": vocabulary.regions, "service": vocabulary.services,
        "provider": vocabulary.providers, "scanner": vocabulary.scanners, "check": vocabulary.checks,
        "resource_type": vocabulary.resource_types, "category": vocabulary.categories,
    }  # fmt: skip
    if by == "resource":
        return name if len(vocabulary.resources.get(name, ())) == 1 else ""
    if by.startswith("tag:"):
        return next((one for one in vocabulary.tags if safe(one) == f"{by[4:]}:{name}"), "")
    return next((one for one in values.get(by, ()) if safe(value_name(by, one, vocabulary)) == name), "")


def _listed_at(turns: Sequence[Turn], place: int, base: Reading | None) -> str:
    """The check that "the second one" means, by the numbered list, or the checks with their counts, last shown."""
    counted = base is not None and base.query.select == "group" and base.query.group_by == "check"
    for turn in reversed(turns):
        if counted:
            return next(iter(_counted(turn.assistant)[place - 1 : place]), "")
        listed = {int(number): check for number, check in _LISTED.findall(turn.assistant)}
        if listed:
            return str(listed.get(place, ""))
    return ""


def turns_of(history: Sequence[Any] | None) -> tuple[Turn, ...]:
    """A talk given as pairs, turns, or messages with a role and a content. Raises `ConfigurationError` for others."""
    turns: list[Turn] = []
    if isinstance(history, str | Mapping):
        raise ConfigurationError(_NO_HISTORY)
    for message in history or ():
        if isinstance(message, Turn):
            turns.append(message)
        elif (isinstance(message, Mapping) and "role" in message) or hasattr(message, "role"):
            content = str(said_by(message, "content") or "")
            if said_by(message, "role") == "user":
                turns.append(Turn(content, ""))
            elif not turns or turns[-1].assistant:
                turns.append(Turn("", content))
            else:
                turns[-1] = Turn(turns[-1].user, content)
        elif isinstance(message, Sequence) and not isinstance(message, str) and len(message) == 2:
            turns.append(Turn(str(message[0]), str(message[1])))
        else:
            raise ConfigurationError(_NO_HISTORY)
    return tuple(turns)


def _take(reading: Reading, entities: Any, vocabulary: Vocabulary) -> None:
    """What whoever understood the question before found in it, where the query does not have it."""
    where: dict[str, Any] = {}
    for service in _texts(entities, "aws_services"):
        where.setdefault("service", []).extend(_values(vocabulary, service, "service"))
    for framework in _texts(entities, "compliance_frameworks"):
        known = _values(vocabulary, framework, "framework")
        if not known:
            reading.unfit.append(framework)
        elif where.setdefault("framework", known[0]) != known[0]:
            reading.unused.append(framework)  # a query is of one: the others are told
    for identity in _texts(entities, "finding_ids"):
        for kind in ("check", "resource"):
            where.setdefault(kind, []).extend(_values(vocabulary, identity, kind, exact=True))
        if not any(where[kind] for kind in ("check", "resource")):
            where["check"] = [identity]
    if where.get("check") or where.get("resource"):  # ids win
        where = {name: where.get(name, []) for name in ("check", "resource")}
        named = Where(status=[], **where)
        reading.query = reading.query.model_copy(update={"where": named, "select": "list", "group_by": ""})
        reading.names_findings, reading.reason = True, ""
        return
    where["severity"] = [word for word in _texts(entities, "severities") if word in [*Severity]]
    asked = reading.query.where
    missing = {name: value for name, value in where.items() if value and not getattr(asked, name)}
    if missing:
        reading.query = reading.query.model_copy(update={"where": asked.model_copy(update=missing)})
        reading.names_findings, reading.reason = True, ""


def _values(vocabulary: Vocabulary, name: str, kind: str, *, exact: bool = False) -> list[str]:
    found = [match for match in vocabulary.lookup(name) if match.field == kind and match.whole]
    if not found and kind == "framework":
        keys = [key for key in vocabulary.frameworks if framework_key(key) == framework_key(name)]
        found = [match for key in keys for match in vocabulary.lookup(key) if match.field == kind]
    values = [value for match in found for value in match.values]
    return values or ([] if exact or kind == "framework" else [name])


def said_by(value: Any, name: str) -> Any:
    """What a mapping or an object says under a name; nothing where it says nothing."""
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def _texts(entities: Any, name: str) -> tuple[str, ...]:
    found = said_by(entities, name) or ()
    return (found,) if isinstance(found, str) else tuple(map(str, found))
