"""A question in; what it is about beyond the services and frameworks it names, and the checks on that, out."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from footnoted.assistants.security.names import framework_name, service_name
from footnoted.text import content_stems, words

if TYPE_CHECKING:
    from footnoted.assistants.security.advice.asked import Asked
    from footnoted.assistants.security.knowledge.entry import KnowledgeEntry

# What questions are made of, whatever they are about.
_GENERAL = frozenset(
    content_stems(
        "access rest transit turn"
        " finding findings issue issues problem problems vulnerability misconfiguration risk risks severity"
        " severities critical high medium low informational urgent worst important bad first second third last next"
        " top best fix fixes fixing remediate remediation remedy solve resolve repair prioritise prioritize"
        " priority order start begin list show give tell explain describe compare difference between versus summary"
        " summarise overview why how what which when where who matter matters mean means requirement requirements"
        " require requires required ask asks demand demands comply compliance compliant violate violates violation"
        " break breaks broken fail fails failing failed pass passes audit auditor assessor framework frameworks"
        " standard standards regulation control controls check checks rule rules service services aws amazon cloud"
        " account accounts resource resources region tenant our my your their we us all any every each open current"
        " still many much number count total terraform cli console command commands code snippet step steps hcl"
        " bash help need want should would could can please now today week month quarter quickly soon enable"
        " enabled configure configuration configured set setting settings use used using make made do does done get"
        " affect affects affected impact touch touches relevant related about security secure posture state status"
        " situation thing things question answer document documents plan report review team"
        " engineer engineers manager board customer customers company it its this that these those one ones two"
        " three under against regarding concerning hi hello work works right wrong ensure"
    )
)
# A name in capitals whose findings are asked for: "the findings for Salesforce", "does the Salesforce service have".
_OF_ONE = r"(?!(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|AWS|Amazon|Security|I)\b)([A-Z][a-z][\w-]+)"
_OWNERS = (
    re.compile(rf"\b[Ff]indings? (?:\w+ ){{0,2}}?(?:for|in|on|of|from|about) (?:our |the |my )?{_OF_ONE}(?=[ ?.!]*$)"),
    re.compile(rf"\b[a-z]+ {_OF_ONE} (?:service|findings?)\b"),
)


@dataclass(frozen=True, slots=True)
class Topic:
    """What a question is about: its telling words as they were written, and their stems."""

    words: tuple[str, ...] = ()
    stems: frozenset[str] = frozenset()

    def entries(self, candidates: Sequence[KnowledgeEntry]) -> list[KnowledgeEntry]:
        """The entries whose title or id speaks of it. A word that most of them share ("database") tells little."""
        if not self.stems:
            return []
        shared = [(self.stems & told_of(entry), entry) for entry in candidates]
        telling = {
            stem: math.log((len(candidates) + 1) / (1 + sum(stem in found for found, _ in shared)))
            for stem in self.stems
        }
        weighed = [(sum(telling[stem] for stem in found), entry) for found, entry in shared if found]
        most = max((weight for weight, _ in weighed), default=0.0)
        return [entry for weight, entry in weighed if 2 * weight >= most]

    def strongly(self, entries: Sequence[KnowledgeEntry]) -> bool:
        """Whether an entry shares two of its words: one stray word in common is no topic."""
        return any(len(self.stems & told_of(entry)) > 1 for entry in entries)

    def named(self, entries: Sequence[KnowledgeEntry]) -> str:
        """Its words that these entries speak of, as the question has them."""
        told = {stem for entry in entries for stem in told_of(entry)}
        return ", ".join(word for word in self.words if set(content_stems(word)) & told)


def topic_of(asked: Asked) -> Topic:
    """The topic: words of the question that are neither a name nor what any question is made of."""
    names = [service_name(one) for one in (*asked.services, *asked.excluded_services)]
    names += [framework_name(one) for one in asked.frameworks] + list(asked.frameworks) + list(asked.services)
    names += [*asked.ids, *asked.labels, *asked.uncovered]
    known = _GENERAL | {stem for name in names for stem in content_stems(name)}
    told: dict[str, str] = {}
    for word, _, _ in words(asked.question):
        for stem in content_stems(word):
            if stem not in known and (len(stem) > 2 or (stem.isdigit() and len(stem) > 1)):
                told.setdefault(stem, word.casefold())
    return Topic(tuple(dict.fromkeys(told.values())), frozenset(told))


def owners_in(question: str) -> tuple[str, ...]:
    """The proper names whose findings a question asks for.

    >>> owners_in("List our findings for Salesforce"), owners_in("Which findings do we fix before Monday?")
    (('Salesforce',), ())
    """
    found = [match[1] for pattern in _OWNERS for match in pattern.finditer(question)]
    return tuple(name for name in dict.fromkeys(found) if not _GENERAL.issuperset(content_stems(name)))


def serving(labels: Sequence[str], entries: Sequence[KnowledgeEntry]) -> list[KnowledgeEntry]:
    """The entries that serve one of these requirements, or a part of one."""
    return [
        entry
        for entry in entries
        if any(_within(label, one) for label in labels for ids in entry.frameworks.values() for one in ids)
    ]


def _within(label: str, requirement: str) -> bool:
    return requirement == label or requirement.startswith(f"{label}(")


def told_of(entry: KnowledgeEntry) -> set[str]:
    """The stems of an entry's title and id."""
    return set(content_stems(f"{entry.title} {entry.id.replace('-', ' ').replace('_', ' ')}"))
