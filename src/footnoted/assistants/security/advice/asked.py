"""What natural-language understanding found and the talk so far in; one plain shape of what is asked out."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from footnoted.assistants.security.advice.labels import labels_in
from footnoted.assistants.security.names import framework_key, service_key
from footnoted.types import Turn

MESSAGES = 10  # of history an answer looks at
_LISTED = re.compile(r"^\s*(\d{1,2})[.)]\s.*?`?\[([^\[\]\n]{2,120})\]`?", re.MULTILINE)
_CHECK = re.compile(
    r"\b(?:[a-z0-9]+(?:_[a-z0-9]+){2,}|CIS\.\d+\.\d+|PCI\.[A-Za-z0-9]+\.\d+)\b"
)  # a check's id as Prowler writes them
_ACCOUNT = re.compile(r"(?<![\w:])\d{12}(?![\w:])")
_ABOUT_FINDINGS = frozenset({"list", "prioritise", "comply", "compare", "remediate"})


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, understood: canonical keys, the ids it names, and the messages before it."""

    question: str
    intent: str = "other"
    services: tuple[str, ...] = ()
    frameworks: tuple[str, ...] = ()
    severities: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    uncovered: tuple[str, ...] = ()
    excluded_services: tuple[str, ...] = ()
    excluded_severities: tuple[str, ...] = ()
    requires_findings: bool = False
    requires_documents: bool = False
    history: tuple[Turn, ...] = ()
    conversation_id: str = ""
    entities: Mapping[str, Any] = field(default_factory=dict)
    beyond_list: bool = False
    accounts: tuple[str, ...] = ()

    @property
    def wants_findings(self) -> bool:
        """Whether the tenant's findings are looked at."""
        return self.requires_findings or bool(self.ids) or self.intent in _ABOUT_FINDINGS

    @property
    def names_nothing(self) -> bool:
        """Whether the question names no service, framework, finding or severity."""
        return not (self.services or self.frameworks or self.ids or self.severities or self.labels)


def read_asked(
    question: str, nlu_result: Any = None, history: Sequence[Any] = (), *, conversation_id: str = ""
) -> Asked:
    """The question as the advisor reads it. ``nlu_result``: an `NLUResult`, a mapping with its fields, or nothing."""
    turns = turns_of(history)
    if nlu_result is None:
        from footnoted.assistants.security.nlu import understand

        nlu_result = understand(question, [(turn.user, turn.assistant) for turn in turns])
    entities = _get(nlu_result, "entities", {})
    context = dict(_get(nlu_result, "context", {}) or {})
    excluded = context.get("excluded") or {}
    named = (*_texts(entities, "finding_ids"), *_texts(entities, "check_ids"), *_CHECK.findall(question))
    ids = tuple(dict.fromkeys(named))
    labels, named = _labels(ids)
    labels = tuple(dict.fromkeys((*labels, *labels_in(question))))
    pointed, beyond = referred(turns, context.get("ordinals") or ())
    return Asked(
        question=question,
        intent=str(_get(nlu_result, "intent", "other") or "other"),
        services=tuple(dict.fromkeys(service_key(one) for one in _texts(entities, "aws_services"))),
        frameworks=tuple(dict.fromkeys(framework_key(one) for one in _texts(entities, "compliance_frameworks"))),
        severities=tuple(one.casefold() for one in _texts(entities, "severities")),
        ids=pointed or named,
        labels=labels,
        uncovered=_texts(entities, "uncovered"),
        excluded_services=tuple(service_key(one) for one in _excluded(excluded, "service")),
        excluded_severities=tuple(one.casefold() for one in _excluded(excluded, "severit")),
        requires_findings=bool(_get(nlu_result, "requires_findings", default=False)),
        requires_documents=bool(_get(nlu_result, "requires_documents", default=False)),
        history=turns,
        conversation_id=conversation_id or str(context.get("conversation_id") or ""),
        entities=_plain(entities),
        beyond_list=beyond,
        accounts=tuple(dict.fromkeys(_ACCOUNT.findall(question))),
    )


def turns_of(history: Sequence[Any]) -> tuple[Turn, ...]:
    """The last ten messages as turns, from ``{"role", "content"}`` messages, ``(user, assistant)`` pairs or `Turn`.

    >>> turns_of([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}])
    (Turn(user='Hi', assistant='Hello'),)
    """
    turns: list[Turn] = []
    asked = ""
    for one in list(history or ())[-MESSAGES * 2 :]:
        if isinstance(one, Turn):
            turns.append(one)
            continue
        role, content = _get(one, "role", None), _get(one, "content", "")
        if role is None and isinstance(one, Sequence) and not isinstance(one, str) and len(one) == 2:
            first, second = str(one[0]), str(one[1])
            if first not in ("user", "assistant", "system"):
                turns.append(Turn(first, second))
                continue
            role, content = first, second
        if role == "user":
            if asked:
                turns.append(Turn(asked, ""))
            asked = str(content)
        elif role == "assistant":
            turns.append(Turn(asked, str(content)))
            asked = ""
    if asked:
        turns.append(Turn(asked, ""))
    return tuple(turns[-MESSAGES // 2 :])


def referred(history: Sequence[Turn], ordinals: Sequence[Any]) -> tuple[tuple[str, ...], bool]:
    r"""The ids that "the second one" means, by the numbered list last shown; and whether it points past its end.

    >>> referred([Turn("", "1. 🔴 x [S3.1] a\n2. 🟠 y [S3.2] b")], [2])
    (('S3.2',), False)
    """
    wanted = [one for one in ordinals if isinstance(one, int) and one]
    if not wanted:
        return (), False
    for turn in reversed(history):
        listed: dict[int, str] = {}
        for number, identity in _LISTED.findall(turn.assistant):
            listed.setdefault(int(number), identity.strip())
        if listed:
            last = max(listed)
            found = tuple(listed[place] for one in wanted if (place := one if one > 0 else last + 1 + one) in listed)
            return found, not found
    return (), False


def _labels(ids: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Which ids are requirements of a framework ("AC-2", "164.312(a)(1)") and which name findings or checks."""
    labels = tuple(
        one for one in ids if re.fullmatch(r"[A-Za-z]{2}-\d{1,2}(\(\d+\))?|164\.\d+.*|(?i:art)\.? ?\d+|CC\d.*", one)
    )
    return labels, tuple(one for one in ids if one not in labels)


def _excluded(excluded: Any, kind: str) -> tuple[str, ...]:
    if not isinstance(excluded, Mapping):
        return ()
    return tuple(str(one) for name, those in excluded.items() if kind in str(name) for one in those or ())


def _get(value: Any, name: str, default: Any) -> Any:
    if isinstance(value, Mapping):
        return value.get(name, default)
    return getattr(value, name, default)


def _texts(entities: Any, name: str) -> tuple[str, ...]:
    found = _get(entities, name, ()) or ()
    return tuple(str(one) for one in ((found,) if isinstance(found, str) else found))


def _plain(entities: Any) -> dict[str, list[str]]:
    names = ("aws_services", "compliance_frameworks", "finding_ids", "severities", "check_ids", "uncovered")
    return {name: list(_texts(entities, name)) for name in names}
