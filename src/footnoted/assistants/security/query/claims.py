"""A sentence held against the rows: its figures, names, severities, states, mappings, and any word of compliance.

A sentence is read as a question is, by the same grammar and the same names; the query it makes is run, and what the
sentence says must be what the database gives. A sentence that names nothing of this is left to others to weigh.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from footnoted.assistants.security.query.duties import duties_of
from footnoted.assistants.security.query.finding_query import FindingQuery, Where
from footnoted.assistants.security.query.reading import Reading, read
from footnoted.assistants.security.query.running import Result, run
from footnoted.assistants.security.query.vocabulary import compact
from footnoted.assistants.security.query.wording import value_name, words_of
from footnoted.assistants.security.rooms import reading as connected
from footnoted.text import content_stems

if TYPE_CHECKING:
    from footnoted.assistants.security.query.vocabulary import Vocabulary
    from footnoted.store import Database

_NUMBER = re.compile(r"(?<![\w.:/#-])(\d{1,3}(?:,\d{3})+|\d+)(?![\w:/-]|\.\d)")
_DENIED = re.compile(r"\b(?:no|not|never|cannot|can't|isn't|aren't|without|neither|nor)\b", re.IGNORECASE)
_CLOSED = re.compile(r"\b(?:closed|fixed|resolved|remediated|no longer (?:fails?|open))\b", re.IGNORECASE)
_TIED = re.compile(r"\b(?:mapp?e?[ds]?|mapping|counts?|belongs?|breaks?|violates?|ties|tied|relates?)\b", re.IGNORECASE)
_MOST = re.compile(r"\b(?:most|fewest|least|leads?|led|top|worst)\b", re.IGNORECASE)
_STATED = re.compile(r"\b(?:findings?|open|fail(?:s|ed|ing)?|pass(?:es|ed|ing)?|mapped)\b", re.IGNORECASE)
_TELLING = 3  # words of a sentence on a requirement, of which one should be the requirement's own
_RATED = re.compile(r"\b(?:severity|rated|rating|finding|check)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Held:
    """Whether the rows say so; `truth` is their own word where they say otherwise."""

    right: bool
    truth: str = ""


class Rows:
    """The rows of one tenant, which sentences are held against."""

    def __init__(self, database: Database, tenant: str, vocabulary: Vocabulary) -> None:
        self._database, self._tenant, self._vocabulary = database, tenant, vocabulary

    async def hold(self, sentence: str) -> Held | None:
        """The rows' word on a sentence; ``None`` where it says nothing they could tell."""
        plain = re.sub(r"\[\d+\]|[*_`]{1,3}(?=\S)|(?<=\S)[*`]{1,3}", "", sentence)
        told = read(plain, self._vocabulary)
        where = told.query.where.model_copy(update={"first_seen_from": None, "first_seen_before": None})
        denied = _DENIED.search(plain) is not None
        unknown = (
            []
            if denied
            else [
                one
                for one in told.unfit
                if not re.fullmatch(r"\d{4}-\d\d-\d\d", one)
                and re.search(r"\d.*[-_]|[-_].*\d|^\d{6,}$|^[a-z]{2,}-[a-z]+-\d$", one)
            ]
        )
        if unknown:
            return Held(right=False, truth=f"nothing of your scans is called {', '.join(unknown)}")
        for rule in (
            self._compliance,
            self._mapping,
            self._resource,
            self._severity,
            self._first,
            self._oldest,
            self._count,
            self._wording,
        ):
            held = await rule(plain, told, where)
            if held is not None:
                return held
        return None

    async def _run(self, where: Where, **more: Any) -> Result:
        query = FindingQuery(where=where, **more)
        return await run(self._database, self._tenant, query, self._vocabulary.today)

    async def _compliance(self, plain: str, told: Reading, where: Where) -> Held | None:
        said = any(one.role("comply") and one.text.casefold() != "compliance" for one in told.mentions)
        said = (said and bool(where.framework)) or re.search(
            r"\bcomplian(?:t|ce with)\b", plain, re.IGNORECASE
        ) is not None
        if not said or _DENIED_VERB.search(plain) or (_DENIED.search(plain) and " with " not in plain):
            return None
        result = await self._run(where.model_copy(update={"status": [], "change": None, "severity": [], "check": []}))
        failing = result.statuses.get("fail", 0)
        if where.requirement and result.findings and set(result.statuses) == {"pass"}:
            return Held(right=True)
        words = words_of(FindingQuery(where=where.model_copy(update={"check": []})), self._vocabulary)
        return Held(
            right=False, truth=f"{failing} open findings stand against it ({words}); a scan makes nobody compliant"
        )

    async def _mapping(self, plain: str, _told: Reading, where: Where) -> Held | None:
        if not (where.check and where.framework) or not _TIED.search(plain) or _DENIED.search(plain):
            return None
        from sqlalchemy import func, select

        from footnoted.assistants.security.query.compile import mapping_of
        from footnoted.assistants.security.tables import MappingRow, RuleRow

        rules = select(RuleRow.id).where(RuleRow.tenant == self._tenant, RuleRow.check_id.in_(where.check))
        wanted = mapping_of(self._tenant, where.framework, where.version, where.requirement)
        asked = select(func.count()).select_from(MappingRow).where(MappingRow.rule_id.in_(rules), *wanted)
        async with connected(self._database) as connection:
            there = (await connection.execute(asked)).scalar_one()
        name = " ".join(filter(None, (where.framework, where.version, where.requirement)))
        return Held(
            right=bool(there), truth=f"the scanner's own mapping does not tie {', '.join(where.check)} to {name}"
        )

    async def _resource(self, plain: str, told: Reading, where: Where) -> Held | None:
        if not where.resource:
            return None
        kept = Where(resource=where.resource, check=where.check, status=[])
        result = await self._run(kept, select="list", limit=200)
        if not result.rows:
            return Held(right=False, truth=f"no row has {', '.join([*where.resource, *where.check])}")
        row = result.rows[0]
        place = f"{row.resource} is in {row.account_name}, {row.region}"
        if where.account and not {one.account for one in result.rows} & set(where.account):
            return Held(right=False, truth=place)
        if where.region and not {one.region for one in result.rows} & set(where.region):
            return Held(right=False, truth=place)
        if {one.text for one in told.mentions if one.kind == "name"} & set(
            told.unfit
        ):  # a place that is none of theirs
            return Held(right=False, truth=place)
        if not where.check:
            return (
                await self._count(plain, told, where)
                if _NUMBER.search(plain)
                else Held(right=True)
                if where.account or where.region
                else None
            )
        states = {one.status for one in result.rows if not where.account or one.account in where.account}
        truth = f"{row.check} on {row.resource} ({row.account_name}): {', '.join(sorted(states))}"
        if where.severity and not {one.severity for one in result.rows} & set(where.severity):
            return Held(right=False, truth=f"{row.check} is {row.severity}")
        if _CLOSED.search(plain) or re.search(r"\bpass(?:es|ed)?\b", plain):
            return Held("pass" in states, truth)
        return Held("fail" in states, truth) if re.search(r"\b(?:open|fails?|failing)\b", plain) else Held(right=True)

    async def _severity(self, plain: str, _told: Reading, where: Where) -> Held | None:
        if not where.severity or not where.check or _NUMBER.search(plain.replace("24", "").replace("48", "")):
            return None
        if not _RATED.search(plain):
            return None
        result = await self._run(Where(check=where.check[:1], status=["fail", "muted", "manual"]))
        result = result if result.findings else await self._run(Where(check=where.check[:1], status=[]))
        known = set(result.severities)
        return (
            Held(bool(known & set(where.severity)), f"{where.check[0]} is {', '.join(sorted(known))}")
            if known
            else None
        )

    async def _first(self, plain: str, told: Reading, where: Where) -> Held | None:
        """Of "X has the most": whatever is counted by X's field, X must come first."""
        found = _MOST.search(plain)
        if found is None:
            return None
        field = next((name for name in ("account", "region", "service", "provider") if len(getattr(where, name)) == 1
                      and (name == told.query.group_by or name in compact(plain))), "")  # fmt: skip
        field = field or next((one for one in ("account", "region", "service") if len(getattr(where, one)) == 1), "")
        nouns = {"account": "account", "region": "region", "service": "service"}
        named = next(
            (
                name
                for name, noun in nouns.items()
                if re.search(rf"\b{noun}\b", plain, re.IGNORECASE) and getattr(where, name)
            ),
            field,
        )
        if not named:
            return None
        value = getattr(where, named)[0]
        others = where.model_copy(
            update={
                named: [] if len(getattr(where, named)) == 1 else getattr(where, named)[1:],
                "resource_type": [],
                "check": [],
            }
        )
        fewest = found[0].casefold() in ("fewest", "least")
        result = await self._run(others, select="group", group_by=named, order_by="fewest" if fewest else "most")
        if not result.groups:
            return None
        best = {key for key, _, n in result.groups if n == result.groups[0][2]}
        key, name, count = result.groups[0]
        truth = f"{value_name(named, key, name, self._vocabulary)}, with {count}"
        if value not in best:
            return Held(right=False, truth=truth)
        numbers = self._numbers(plain)
        return Held(all(one in (count, result.findings) for one in numbers), truth)

    async def _oldest(self, plain: str, _told: Reading, where: Where) -> Held | None:
        if not re.search(r"\b(?:oldest|longest|further)\b", plain, re.IGNORECASE):
            return None
        dates = _dates(plain, self._vocabulary)
        if not dates:
            return None
        asked = where.model_copy(
            update={"resource": [], "check": [], "resource_type": [], "scan": "latest", "change": None}
        )
        result = await self._run(asked, select="list", order_by="oldest", limit=1)
        if not result.rows:
            return None
        row = result.rows[0]
        return Held(
            row.first_seen in dates, f"the oldest is {row.check} on {row.resource}, first seen {row.first_seen}"
        )

    async def _count(self, plain: str, told: Reading, where: Where) -> Held | None:
        if where.requirement and not re.search(r"\bfindings?\b|\bopen\b|\bfail", plain, re.IGNORECASE):
            return None  # of the requirement's words, which rows do not hold
        numbers = self._numbers(plain)
        if not numbers:
            return None
        asked = where.model_copy(update={"check": where.check if told.about is None else [], "scan": "latest"})
        if len(numbers) == 1 and len(asked.account) > 1 and re.search(r"\bthat is\b|\(|\bcalled\b|, also", plain):
            return Held(
                right=False, truth=" and ".join(map(self._vocabulary.account_name, asked.account)) + " are not the same"
            )
        results = [await self._run(asked, group_by=told.query.group_by)]
        if len(asked.status) > 1:
            results += [await self._run(asked.model_copy(update={"status": [one]})) for one in asked.status]
        if len(asked.account) > 1:
            results += [await self._run(asked.model_copy(update={"account": [one]})) for one in asked.account]
        if re.search(r"\bfrom\b.*\bto\b|\bweek\b|\bscans?\b|\bwere\b|\bwent\b", plain):
            results.append(await self._run(asked.model_copy(update={"scan": "previous", "change": None})))
            for change in ("new", "fixed", "muted", "gone"):
                results.append(await self._run(asked.model_copy(update={"scan": "latest", "change": change})))
            if asked.change:
                results = results[:1] if len(numbers) == 1 else results
        held: set[int] = set()
        of = _counted(told)
        for place, one in enumerate(results):
            held |= {one.resources} if of == "resources" else {one.findings}
            held |= {one.resources} if place == 0 and not of else set()
            scanners = {name.replace("-", " ") for name in one.scanners}
            if any(name in plain.casefold() for name in scanners):
                held |= set(one.scanners.values())
            if len(numbers) > 1:
                held |= set(one.severities.values())
        wrong = [one for one in numbers if one not in held]
        words = words_of(FindingQuery(where=asked), self._vocabulary)
        first = results[0]
        return Held(not wrong, f"{first.findings} findings on {first.resources} resources are {words}")

    async def _wording(self, plain: str, told: Reading, where: Where) -> Held | None:
        """Of what a requirement asks for: that none of its own words stand in the sentence is enough to doubt it."""
        if not (where.framework and where.requirement) or told.query.where.severity or _STATED.search(plain):
            return None
        duties = await duties_of(self._database, self._tenant, FindingQuery(select="requirement", where=where))
        own = {stem for one in duties.requirements for stem in content_stems(f"{one.title} {one.text}")}
        said = {stem for one in told.mentions if one.kind == "word" for stem in content_stems(one.text)}
        if not own or len(said) < _TELLING or said & own:
            return None
        first = duties.requirements[0]
        return Held(right=False, truth=f"{first.name} {first.requirement} says: {first.title or first.text[:200]}")

    def _numbers(self, plain: str) -> list[int]:
        """The figures of a sentence that count something: none of a date, a version, a requirement, an age."""
        for one in (
            r"\(\w{1,4}\)",
            *_DATES,
            r"\b\d+(?:\.\d+)+\b",
            r"\b(?:first|top)\s+\d+\b",
            r"\b\d+ (?:day|week|month|hour)s?\b",
            r"\b24[–-]48\b",
        ):
            plain = re.sub(one, " ", plain, flags=re.IGNORECASE)
        plain = re.sub(
            r"(?i)\b(?:iso|soc|nist|sp|revision|rev|version|dss|pci|cis)[ -]?\d[\d.:-]*\b|\b\d{4}\b(?=.{0,3}A\.)",
            " ",
            plain,
        )
        return [int(one.replace(",", "")) for one in _NUMBER.findall(plain) if len(one) < 10]


def _counted(told: Reading) -> str:
    """What the first number of a sentence counts: "resources", "findings", or nothing that is said."""
    at = next((place for place, one in enumerate(told.mentions) if one.kind == "number"), None)
    for one in told.mentions[at + 1 : at + 5] if at is not None else ():
        if one.role("noun") in ("findings", "resources"):
            return str(one.role("noun"))
        if one.meanings and all(each.field == "resource_type" for each in one.meanings):
            return "resources"
    return ""


_DENIED_VERB = re.compile(r"\b(?:can't|cannot|not|isn't|aren't|no scan|nobody)\b.{0,40}\bcompl", re.IGNORECASE)
_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_DATES = (r"\b\d{4}-\d\d-\d\d\b", rf"\b\d{{1,2}}(?:st|nd|rd|th)? (?:of )?(?:{_MONTHS})(?: \d{{4}})?\b",
          rf"\b(?:{_MONTHS}) \d{{1,2}}(?:,? \d{{4}})?\b", rf"\b(?:{_MONTHS}) \d{{4}}\b")  # fmt: skip


def _dates(plain: str, vocabulary: Vocabulary) -> list[str]:
    from footnoted.assistants.security.query.linking import Linker

    return [one.value[0].isoformat() for one in Linker(vocabulary).link(plain) if one.kind == "date"]  # type: ignore[index]
