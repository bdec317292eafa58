"""A sentence held against the rows: its figures, names, severities, states, mappings, and any word of compliance.

A sentence is read as a question is, by the same grammar and the same names; the query it makes is run, and what the
sentence says must be what the database gives. A sentence that names nothing of this is left to others to weigh.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from footnoted.assistants.security.query.finding_query import FindingQuery, Where
from footnoted.assistants.security.query.linking import Linker
from footnoted.assistants.security.query.reading import Reading, read
from footnoted.assistants.security.query.running import Result, duties_of, run
from footnoted.assistants.security.query.vocabulary import compact
from footnoted.assistants.security.query.wording import value_name, words_of
from footnoted.assistants.security.query.words import MONTHS
from footnoted.text import content_stems
from footnoted.text.numbers import is_day

if TYPE_CHECKING:
    from footnoted.assistants.security.query.vocabulary import Vocabulary
    from footnoted.store import Database

_NUMBER = re.compile(r"(?<![\w.:/#-])(\d{1,3}(?:,\d{3})+|\d+)(?![\w:/-]|\.\d)")
_NAMED = re.compile(r"\d.*[-_]|[-_].*\d|^\d{6,}$|^[a-z]{2,}-[a-z]+-\d$")  # an account, a resource, a region
_DENIED_VERB = re.compile(r"\b(?:can't|cannot|not|isn't|aren't|no scan|nobody)\b.{0,40}\bcompl", re.IGNORECASE)
_OVER_TIME = re.compile(r"\bfrom\b.*\bto\b|\bweek\b|\bscans?\b|\bwere\b|\bwent\b")
_MONTH = "|".join(MONTHS)
# Figures that count nothing: of a clause, a date, a version, a place in a list, an age, an edition.
_UNCOUNTED = re.compile(
    rf"\(\w{{1,4}}\)|\b\d{{4}}-\d\d-\d\d\b|\b\d{{1,2}}(?:st|nd|rd|th)? (?:of )?(?:{_MONTH})(?: \d{{4}})?\b"
    rf"|\b(?:{_MONTH}) (?:\d{{4}}|\d{{1,2}}(?:,? \d{{4}})?)\b|\b\d+(?:\.\d+)+\b|\b(?:first|top)\s+\d+\b"
    r"|\b\d+ (?:day|week|month|hour)s?\b|\b24[–-]48\b",
    re.IGNORECASE,
)
_EDITIONS = re.compile(
    r"(?i)\b(?:iso|soc|nist|sp|revision|rev|version|dss|pci|cis)[ -]?\d[\d.:-]*\b|\b\d{4}\b(?=.{0,3}A\.)"
)
_DENIED = frozenset("no not never cannot can't isn't aren't without neither nor".split())
_CLOSED = frozenset("closed fixed resolved remediated".split())
_PASSED = frozenset("pass passes passed".split())
_OPEN = frozenset("open fail fails failing".split())
_TIED = frozenset("map maps mapped mapping count counts belong belongs break breaks violate violates ties tied".split())
_RELATED = frozenset(("relate", "relates"))
_MOST = frozenset("most fewest least lead leads led top worst".split())
_STATED = frozenset("finding findings failed passing mapped".split()) | _OPEN | _PASSED
_RATED = frozenset("severity rated rating finding check".split())
_TELLING = 3  # words of a sentence on a requirement, of which one should be the requirement's own


@dataclass(frozen=True, slots=True)
class Held:
    """Whether the rows say so; `truth` is their own word where they say otherwise."""

    right: bool
    truth: str = ""


@dataclass(frozen=True, slots=True)
class _Said:
    """A sentence without its marks, its words in small letters, and what it was read as."""

    plain: str
    words: tuple[str, ...]
    told: Reading
    where: Where

    def says(self, words: frozenset[str]) -> bool:
        return not words.isdisjoint(self.words)

    @property
    def denied(self) -> bool:
        return self.says(_DENIED)

    @property
    def numbers(self) -> list[int]:
        """The figures that count something."""
        plain = _EDITIONS.sub(" ", _UNCOUNTED.sub(" ", self.plain))
        return [int(one.replace(",", "")) for one in _NUMBER.findall(plain) if len(one) < 10]


class Rows:
    """The rows of one tenant, which sentences are held against."""

    def __init__(self, database: Database, tenant: str, vocabulary: Vocabulary) -> None:
        self._database, self._tenant, self._vocabulary = database, tenant, vocabulary

    async def hold(self, sentence: str) -> Held | None:
        """The rows' word on a sentence; ``None`` where it says nothing they could tell."""
        plain = re.sub(r"\[\d+\]|[*_`]{1,3}(?=\S)|(?<=\S)[*`]{1,3}", "", sentence)
        told = read(plain, self._vocabulary)
        where = told.query.where.model_copy(update={"first_seen_from": None, "first_seen_before": None})
        said = _Said(plain, tuple(re.findall(r"[\w']+", plain.casefold())), told, where)
        unknown = [one for one in told.unfit if _NAMED.search(one) and not is_day(one)]
        if unknown and not said.denied:
            return Held(right=False, truth=f"nothing of your scans is called {', '.join(unknown)}")
        for rule in (self._compliance, self._mapping, self._resource, self._severity, self._first, self._oldest,
                     self._count, self._wording):  # fmt: skip
            if (held := await rule(said)) is not None:
                return held
        return None

    async def _run(self, where: Where, **more: Any) -> Result:
        query = FindingQuery(where=where, **more)
        return await run(self._database, self._tenant, query, self._vocabulary.today)

    async def _compliance(self, said: _Said) -> Held | None:
        where = said.where
        complies = any(one.role("comply") and one.text.casefold() != "compliance" for one in said.told.mentions)
        claimed = complies and bool(where.framework)
        claimed |= re.search(r"\bcomplian(?:t|ce with)\b", said.plain, re.IGNORECASE) is not None
        if not claimed or _DENIED_VERB.search(said.plain) or (said.denied and " with " not in said.plain):
            return None
        result = await self._run(where.model_copy(update={"status": [], "change": None, "severity": [], "check": []}))
        if where.requirement and result.findings and set(result.statuses) == {"pass"}:
            return Held(right=True)
        words = words_of(FindingQuery(where=where.model_copy(update={"check": []})), self._vocabulary)
        against = f"{result.statuses.get('fail', 0)} open findings stand against it ({words})"
        return Held(right=False, truth=f"{against}; a scan makes nobody compliant")

    async def _mapping(self, said: _Said) -> Held | None:
        where = said.where
        if not (where.check and where.framework) or not said.says(_TIED | _RELATED) or said.denied:
            return None
        asked = FindingQuery(select="mapping", where=where.model_copy(update={"provider": []}))
        mapped = (await duties_of(self._database, self._tenant, asked)).mapped
        name = f"{where.edition} {where.requirement}".strip()
        return Held(bool(mapped), f"the scanner's own mapping does not tie {', '.join(where.check)} to {name}")

    async def _resource(self, said: _Said) -> Held | None:
        where = said.where
        if not where.resource:
            return None
        kept = Where(resource=where.resource, check=where.check, status=[])
        rows = (await self._run(kept, select="list", limit=200)).rows
        if not rows:
            return Held(right=False, truth=f"no row has {', '.join([*where.resource, *where.check])}")
        row = rows[0]
        elsewhere = where.account and not {one.account for one in rows} & set(where.account)
        elsewhere = elsewhere or (where.region and not {one.region for one in rows} & set(where.region))
        names = {one.text for one in said.told.mentions if one.kind == "name"}
        if elsewhere or names & set(said.told.unfit):  # a place that is none of theirs
            return Held(right=False, truth=f"{row.resource} is in {row.account_name}, {row.region}")
        if not where.check:
            if _NUMBER.search(said.plain):
                return await self._count(said)
            return Held(right=True) if where.account or where.region else None
        if where.severity and not {one.severity for one in rows} & set(where.severity):
            return Held(right=False, truth=f"{row.check} is {row.severity}")
        states = {one.status for one in rows if not where.account or one.account in where.account}
        truth = f"{row.check} on {row.resource} ({row.account_name}): {', '.join(sorted(states))}"
        no_longer = re.search(r"\bno longer (?:fails?|open)\b", said.plain, re.IGNORECASE)
        if no_longer or said.says(_CLOSED | _PASSED):
            return Held("pass" in states, truth)
        return Held("fail" in states, truth) if said.says(_OPEN) else Held(right=True)

    async def _severity(self, said: _Said) -> Held | None:
        where = said.where
        counts = _NUMBER.search(said.plain.replace("24", "").replace("48", ""))
        if not where.severity or not where.check or counts or not said.says(_RATED):
            return None
        result = await self._run(Where(check=where.check[:1], status=["fail", "muted", "manual", "warning"]))
        result = result if result.findings else await self._run(Where(check=where.check[:1], status=[]))
        known = set(result.severities)
        truth = f"{where.check[0]} is {', '.join(sorted(known))}"
        return Held(bool(known & set(where.severity)), truth) if known else None

    async def _first(self, said: _Said) -> Held | None:
        """Of "X has the most": whatever is counted by X's field, X must come first."""
        most, where = next((one for one in said.words if one in _MOST), ""), said.where
        single = [name for name in ("account", "region", "service", "provider") if len(getattr(where, name)) == 1]
        asked = [name for name in single if name == said.told.query.group_by or name in compact(said.plain)]
        places = ("account", "region", "service")
        nouns = [name for name in places if name in said.words and getattr(where, name)]
        named = next(iter([*nouns, *asked, *(name for name in single if name in places)]), "")
        if not most or not named:
            return None
        value, *others = getattr(where, named)
        among = where.model_copy(update={named: others, "resource_type": [], "check": []})
        order = "fewest" if most in ("fewest", "least") else "most"
        result = await self._run(among, select="group", group_by=named, order_by=order)
        if not result.groups:
            return None
        key, _, count = result.groups[0]
        first = value in {key for key, _, n in result.groups if n == count}
        counted = all(one in (count, result.findings) for one in said.numbers)
        return Held(first and counted, f"{value_name(named, key, self._vocabulary)}, with {count}")

    async def _oldest(self, said: _Said) -> Held | None:
        if not said.says(frozenset(("oldest", "longest", "further"))):
            return None
        dates = [str(one.value[0]) for one in Linker(self._vocabulary).link(said.plain) if one.kind == "date"]  # type: ignore[index]
        emptied: dict[str, Any] = {"resource": [], "check": [], "resource_type": [], "scan": "latest", "change": None}
        asked = said.where.model_copy(update=emptied)
        rows = (await self._run(asked, select="list", order_by="oldest", limit=1)).rows if dates else ()
        if not rows:
            return None
        truth = f"the oldest is {rows[0].check} on {rows[0].resource}, first seen {rows[0].first_seen}"
        return Held(rows[0].first_seen in dates, truth)

    async def _count(self, said: _Said) -> Held | None:
        plain, told, where, numbers = said.plain, said.told, said.where, said.numbers
        if where.requirement and not re.search(r"\bfindings?\b|\bopen\b|\bfail", plain, re.IGNORECASE):
            return None  # of the requirement's words, which rows do not hold
        if not numbers:
            return None
        asked = where.model_copy(update={"check": where.check if told.about is None else [], "scan": "latest"})
        if len(numbers) == 1 and len(asked.account) > 1 and re.search(r"\bthat is\b|\(|\bcalled\b|, also", plain):
            accounts = " and ".join(map(self._vocabulary.account_name, asked.account))
            return Held(right=False, truth=f"{accounts} are not the same")
        others: list[dict[str, Any]] = [
            {name: [one]} for name in ("status", "account") if len(getattr(asked, name)) > 1
            for one in getattr(asked, name)
        ]  # fmt: skip
        if _OVER_TIME.search(plain) and not (asked.change and len(numbers) == 1):
            others.append({"scan": "previous", "change": None})
            others += [{"change": one} for one in ("new", "fixed", "muted", "gone")]
        elif _OVER_TIME.search(plain):
            others = []
        first = await self._run(asked, group_by=told.query.group_by)
        of = _counted(told)
        held = set() if of else {first.resources}
        for one in [first, *[await self._run(asked.model_copy(update=other)) for other in others]]:
            held |= {one.resources} if of == "resources" else {one.findings}
            if any(name.replace("-", " ") in plain.casefold() for name in one.scanners):
                held |= set(one.scanners.values())
            if len(numbers) > 1:
                held |= set(one.severities.values())
        words = words_of(FindingQuery(where=asked), self._vocabulary)
        return Held(set(numbers) <= held, f"{first.findings} findings on {first.resources} resources are {words}")

    async def _wording(self, said: _Said) -> Held | None:
        """Of what a requirement asks for: that none of its own words stand in the sentence is enough to doubt it."""
        where, told = said.where, said.told
        if not (where.framework and where.requirement) or told.query.where.severity or said.says(_STATED):
            return None
        duties = await duties_of(self._database, self._tenant, FindingQuery(select="requirement", where=where))
        own = {stem for one in duties.requirements for stem in content_stems(f"{one.title} {one.text}")}
        stems = {stem for one in told.mentions if one.kind == "word" for stem in content_stems(one.text)}
        if not own or len(stems) < _TELLING or stems & own:
            return None
        first = duties.requirements[0]
        return Held(right=False, truth=f"{first.name} {first.requirement} says: {first.title or first.text[:200]}")


def _counted(told: Reading) -> str:
    """What the first number of a sentence counts: "resources", "findings", or nothing that is said."""
    at = next((place for place, one in enumerate(told.mentions) if one.kind == "number"), len(told.mentions))
    for one in told.mentions[at + 1 : at + 5]:
        if one.role("noun") in ("findings", "resources"):
            return str(one.role("noun"))
        if one.fields == {"resource_type"}:
            return "resources"
    return ""
