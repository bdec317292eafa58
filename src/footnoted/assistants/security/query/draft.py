"""A question while it is read: its mentions, the fields they were put into, and what could not be placed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING, Any, get_args

from footnoted.assistants.security.query.finding_query import FindingQuery, Group, Having
from footnoted.assistants.security.query.linking import Linker
from footnoted.assistants.security.query.meaning import Topic, alike, is_form, tells
from footnoted.assistants.security.query.relations import negations, predicate
from footnoted.assistants.security.query.tokens import Mention, at, spelt_out
from footnoted.assistants.security.query.vocabulary import Meaning, Vocabulary, compact
from footnoted.assistants.security.query.words import BEFORE_NAMES, FUNCTION_WORDS, ROLES, UNITS, span

if TYPE_CHECKING:
    from footnoted.assistants.security.query.meaning import Meanings


_LEAVE = frozenset("leave leaving leaves left keep keeping take taking".split())
_OF_AGE = frozenset("howold howlong meanage age ages".split())
GROUPED = {name: name for name in get_args(Group)} | {  # the nouns that findings are grouped by, and their fields
    "resources": "resource", "checks": "check", "month": "first_seen_month", "week": "first_seen_week",
}  # fmt: skip
THINGS = {noun: name for noun, name in GROUPED.items() if noun not in ("status", "severity", "month", "week")}
_APART = 8  # words within which its particle follows a verb
_SEVERAL = 5  # names told one by one
_ITS, _POSSESSIVE = ("its", "it", "there"), ("its", "their", "theirs")
_PRONOUNS = (*_ITS, *_POSSESSIVE, "them", "they", "these", "those")
_BEING = frozenset("is are was were be been".split())
_THE = frozenset("the all any every those these our my".split())
_OF_FINDINGS = ("seen", "arose", "change")  # a time is said of when findings came or went
_OBJECT = 4  # words of what a verb is said of
_SHORTEST = 5  # letters of a word that may be a form of another


def as_word(one: Mention) -> Mention:
    """A mention taken for a plain word after all."""
    return replace(one, kind="word", meanings=(), roles=(), value=one.text.casefold())


def is_possessive(pronoun: str) -> bool:
    """Whether a pronoun always stands for something: "it" may stand for nothing ("is it getting better?")."""
    return pronoun.casefold() in _POSSESSIVE


def is_single(pronoun: str) -> bool:
    """Whether a pronoun stands for one thing."""
    return pronoun.casefold() in _ITS


def is_ranked(query: FindingQuery) -> bool:
    """Whether a query was answered with groups in an order, so that "its" is said of the first."""
    return query.select in ("group", "diff") and query.group_by != "" and query.order_by in ("most", "fewest")


def several(names: Sequence[str]) -> str:
    """A few names, and how many more there are."""
    more = f" and {len(names) - _SEVERAL} more" if len(names) > _SEVERAL else ""
    return ", ".join(names[:_SEVERAL]) + more


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several readings of a name."""

    label: str
    query: FindingQuery
    field: str = ""
    reading: Reading | None = None


@dataclass(slots=True)
class Reading:
    """What a question was read as. `unfit` and `reason` say why it cannot be asked, `choices` what it may mean."""

    question: str
    query: FindingQuery = field(default_factory=FindingQuery)
    unfit: list[str] = field(default_factory=list)
    reason: str = ""
    unused: list[str] = field(default_factory=list)
    choices: list[Choice] = field(default_factory=list)
    open: list[str] = field(default_factory=list)  # names that may mean several things, and were not decided
    notes: list[str] = field(default_factory=list)
    about: Topic | None = None
    follows: bool = False
    format: str = ""  # terraform, cli or console, where one was asked for
    names_findings: bool = False  # whether anything in it is of findings, checks or duties
    fix: bool = False  # whether it asks how things are put right
    document: bool = False  # whether it asks of a document
    place: int = 0  # the second, the third: which of a group's places is asked for
    mentions: tuple[Mention, ...] = ()  # every word of the question, and what it was taken for
    overall: bool = False  # whether it asks how things are, of nothing in particular
    by_model: bool = False  # whether a model filled the query
    pronoun: str = ""  # one that stands for something the question before was of, or was answered with
    never: bool = False  # whether it asks in so many words for what no scan holds

    @property
    def is_whole(self) -> bool:
        """Whether every word found its field, and no name has two."""
        return self.can_be_asked and self.names_findings and not (self.unused or self.choices)

    @property
    def can_be_asked(self) -> bool:
        """Whether the query holds what the question does."""
        return not self.unfit and not self.reason


class Draft:
    """What all steps of reading share."""

    def __init__(
        self,
        question: str,
        vocabulary: Vocabulary,
        base: Reading | None,
        meanings: Meanings | None,
        preferred: str = "",
    ) -> None:
        self.vocabulary, self.base, self.meanings = vocabulary, base, meanings
        self.preferred = preferred  # the field of names that may be of several
        self.linker = Linker(vocabulary)
        question = spelt_out(question)
        self.mentions: list[Mention] = self.linker.link(question)
        self.reading = Reading(question)
        self.edit, self.edited = "", ""  # the verb that changes what was asked before, and what it does
        self._ago()
        self.leanings: dict[str, str] = {}  # superlatives of good and bad: which order each was read as
        self._in_context()
        self._by_edit()
        self._by_owner()
        self._by_meaning()
        self._by_predicate()
        self.where: dict[str, Any] = {}
        self.without: dict[str, Any] = {}
        self.timed: set[int] = set()  # the numbers that count days
        self.keyed: set[int] = set()  # the words that are keys of tags something lacks
        self.overall: list[str] = []  # words that only ask how things are
        self.editions: list[dict[str, str]] = []  # each framework that is named, with its version
        self.over = ""  # the unit of time over whose course something is asked
        self.since_scan = False
        self.since_last = False
        self.against_last = False  # what is open now is set against the scan before
        self.assumed_new = False  # since when is said, and not what became of findings
        self.having, self.head, self.counted = Having(), "", ""  # how much a group must hold, its field, and of what
        self.compared: list[Any] = []  # the scans that are set side by side
        self.ambiguous: list[tuple[str, list[Meaning]]] = []

    def _ago(self) -> None:
        """Of "two weeks ago" the day, where a scan was taken then; of what was first seen then it says no scan."""
        place = next((at for at, one in enumerate(self.mentions) if one.word == "ago"), 0) - 2
        number, unit, led = self._at(place), self._at(place + 1), self._at(place - 1)
        count = 1 if number.word in ("a", "an", "one") else number.value if number.kind == "number" else None
        bound = led.role("period") or (led.role("than") and led.word != "than")
        if not isinstance(count, int) or unit.word not in UNITS or bound or any(map(self._has, _OF_FINDINGS)):
            return
        day = self.vocabulary.scan_near(span(count, unit.word, self.vocabulary.today))
        if day is not None:
            ago = self.mentions[place + 2]
            text = f"{number.text} {unit.text} {ago.text}"
            self.mentions[place : place + 3] = [Mention(text, number.start, ago.end, "date", value=(day, day))]

    def _in_context(self) -> None:
        """Words of the grammar that say something else where they stand: read as the role, or the word, they are."""
        for place, one in enumerate(self.mentions):
            roles = self._meant(place, one)
            if roles == ():
                self.mentions[place] = as_word(one)
            elif roles is not None:
                self.mentions[place] = replace(one, kind="role", roles=roles)

    def _meant(self, place: int, one: Mention) -> tuple[str, ...] | None:
        """The roles a mention has beside its neighbours; nothing where they are its own."""
        before, after = self._at(place - 1), self._at(place + 1)
        if {"noun:findings", "select:explain"} <= set(one.roles):  # a risk is what is open; "the risk of" asks why
            of = after.word in ("of", "behind", "if", "when", "with", "from", "that")
            stands = any(map(before.role, ("severity", "order", "select"))) or one.text.casefold().endswith("s")
            return ("noun:findings" if before.word == "at" or (stands and not of) else "select:explain",)
        if one.word == "but" and not one.apart:  # "any account but prod"
            led = self.mentions[max(0, place - 3) : place]
            verbs = {"is", "are", "was", "were", "has", "have"} & {each.word for each in led}
            return ("negate",) if any(each.role("any") for each in led) and not verbs else None
        if one.word in _LEAVE:  # "leave the lows out"
            reach = self.mentions[place + 2 : place + _APART]
            return ("negate",) if any(each.word == "out" for each in reach) else None
        if one.role("select") == "age" and one.word not in _OF_AGE and not self._is_of_age():
            return ("select:median",) if one.word == "median" else ("select:average",)  # of a number, which is no age
        if one.word in ("item", "items") and (before.role("severity") or before.role("status")):
            return ("noun:findings",)  # requirements have no severity and are not open
        if one.role("first") and before.word == "the" and self.base is not None:  # of what was listed before
            dated = after.kind == "date" or after.word in UNITS or after.role("noun") == "scan" or after.role("seen")
            several = after.kind == "number" and after.word != "one"
            return None if dated or several else ("ordinal:1",)
        if (one.word == "there" and self._exists(place)) or (before.word == "am" and one.role("change")):
            return ()  # "I am new here"
        if one.word in ("what", "how") and after.word == "about":
            return ()  # "what about Azure?" asks no other question than the one before
        if one.word in ("number", "numbers") and before.word == "which" and after.word != "of":
            return ("noun:requirement",)
        return None

    def _exists(self, place: int) -> bool:
        """Whether "there" only says that something is: "are there any", "are still out there", not "in there"."""
        led = takewhile(lambda one: one.word in FUNCTION_WORDS or one.role("negate"), reversed(self.mentions[:place]))
        words = [self._at(place + 1).word, *takewhile(lambda word: word not in BEFORE_NAMES, (one.word for one in led))]
        return bool(_BEING & {*words})

    def _is_of_age(self) -> bool:
        """Whether something is said of days: an average without one is of numbers."""
        told = (one for one in self.mentions if one.role("select") != "age" or one.word in _OF_AGE)
        return any(one.word in (*UNITS, *_OF_AGE, "time", "long") or one.role("aged") for one in told)

    def _by_owner(self) -> None:
        """Of "owned by genomics", where a tag's key is "owner": that tag, whatever else is called so."""
        for place, one in enumerate(self.mentions):
            name = self._at(place + 2)
            if self._at(place + 1).word != "by" or name.kind != "name" or one.kind != "word":
                continue
            keys = {each: {value.partition(":")[0].casefold() for value in each.values} for each in name.meanings}
            said = one.text.casefold()
            tags = [one for one, those in keys.items() if one.field == "tag" and all(alike(said, key) for key in those)]
            if tags:
                self.mentions[place] = replace(one, kind="role", roles=("noun:tag",))
                self.mentions[place + 1] = replace(self.mentions[place + 1], roles=("noun:tag",))
                self.mentions[place + 2] = replace(name, meanings=tuple(tags))

    def _by_edit(self) -> None:
        """Of "drop the lows", after another question, what the verb does to it: the object alone does not say."""
        if self.base is None or self.meanings is None:
            return
        leads = ("polite", "modal", "scan", "again", "only")
        opens = [one.word in FUNCTION_WORDS or any(map(one.role, leads)) for one in self.mentions]
        place = next((at for at, lead in enumerate(opens) if not lead), 0)
        verb = self._at(place)
        behind = [
            *takewhile(lambda one: one.word in FUNCTION_WORDS - _THE or one.role("only"), self.mentions[place + 1 :])
        ]
        of = self.mentions[place + 1 + len(behind) :][:_OBJECT]
        particles = not {"me", "us"} & {one.word for one in behind}
        object_ = particles and any(one.kind == "name" or one.role("severity") or one.role("status") for one in of)
        widens = verb.role("widen")
        plain = verb.kind == "word" and verb.value is not None
        if object_ and (plain or widens or verb.role("select") == "diff"):
            self.edit = verb.text
            told = " ".join(one.text for one in (verb, *behind)).casefold()
            self.edited = widens or self.meanings.edit(told)
            if self.edited:
                self.mentions[place] = replace(verb, kind="role", roles=(self.edited,))

    def _by_meaning(self) -> None:
        """Words that are forms of the grammar's own, and superlatives of good and bad, as the encoder knows them."""
        if self.meanings is None:
            return
        for place, one in enumerate(self.mentions):
            word = one.text.casefold()
            if one.kind != "word" or one.value is None:
                continue
            superlative = word.endswith("est") and not any(map(partial(tells, word), self.vocabulary.checks.values()))
            if superlative and (leaning := self._leaning(place)):  # not "guest", "request"
                self.mentions[place] = replace(one, kind="role", roles=(f"order:{leaning}",), near=True)
                self.leanings[word] = leaning
            elif len(word) >= _SHORTEST and (said := self.meanings.said(word)):
                self.mentions[place] = replace(one, kind="role", roles=ROLES[said], near=True)

    def _by_predicate(self) -> None:
        """Of "how many did someone suppress", "have we closed" the verb in another form than the grammar has it."""
        found = predicate(self.mentions)
        if found is None or self.mentions[found[1]].word in ("do", "does"):  # what is to be done is not
            return
        word = self.mentions[found[0]].text.casefold()
        states = (roles for known, roles in ROLES.items() if roles[0].startswith(("status:", "change:"))
                  and is_form(word, known))  # fmt: skip
        if roles := next(states, ()):
            self.mentions[found[0]] = replace(self.mentions[found[0]], kind="role", roles=roles)

    def _leaning(self, place: int) -> str:
        """Whether a superlative ranks what has the most or the fewest; "the best way" ranks no findings."""
        after = self._at(place + 1)
        if self.meanings is None or (after.kind == "word" and after.value is not None):
            return ""
        return self.meanings.leaning(self.mentions[place].text.casefold())

    def _at(self, place: int) -> Mention:
        return at(self.mentions, place)

    def _pronoun(self) -> str:
        """The pronoun before which the question itself names nothing it could stand for."""
        for place, one in enumerate(self.mentions):
            expletive = one.word == "it" and any(each.word == "that" for each in self.mentions[place + 1 :])
            known = one.role("again") and one.word in _PRONOUNS and not expletive
            if known and not any(self._is_antecedent(at, single=is_single(one.word)) for at in range(place)):
                return one.text
        return ""

    def _is_antecedent(self, place: int, *, single: bool) -> bool:
        """Whether a pronoun may stand for a word before it: a name or a noun that stands by itself, in its number."""
        one, after = self.mentions[place], self._at(place + 1)
        noun = one.role("noun")
        plural = one.word.endswith("s") and (one.kind != "name" or one.fields == {"resource_type"})
        named = one.kind == "name" and not (after.role("noun") or after.role("severity") or after.kind == "name")
        stands = named or (noun and noun not in ("scan", "text") and one.word not in UNITS)
        return bool((stands and not (single and plural)) or (not single and one.role("severity") and plural))

    def _put(self, place: int, name: str, value: str) -> None:
        target = self.without if self._is_negated(place) else self.where
        if name == "framework" and target is self.where:
            self.editions.append({name: value})
        elif name == "version" and target is self.where and self.editions:
            self.editions[-1][name] = value
        if name in ("framework", "version", "requirement"):
            if target.setdefault(name, value) != value and name == "requirement":
                self.reading.unfit.append(value)
            return
        values = target.setdefault(name, [])
        if value not in values:
            values.append(value)

    def _is_negated(self, place: int) -> bool:
        return place in negations(self.mentions)

    def _select(self) -> str:
        found = [
            value for one in self.mentions for role in one.roles if (value := role.removeprefix("select:")) != role
        ]
        for choice in ("wording", "mapping"):
            if choice in found and self._supports(choice):
                return choice
        if "remediation" in found and "count" not in found and "change" not in self.where:
            first = [place for place, one in enumerate(self.mentions) if one.role("first")]
            for place in first:  # what is to be fixed first is a list, gravest first
                self.mentions[place] = replace(self.mentions[place], kind="role", roles=("order:most",))
            ordered = bool(first) or self._has("order")
            self.reading.fix = True
            if not ordered or {"howdo", "howcan"} & {one.word for one in self.mentions}:
                return "remediation"
        if "explain" in found and "count" not in found:
            return "explain"
        for choice in ("rate", "age"):
            if choice in found:
                return choice
        return ""

    def _supports(self, choice: str) -> bool:
        if choice == "wording":
            return "requirement" in self.where
        return bool(self.where.get("check")) or self._has("noun", "framework") or self._has("noun", "requirement")

    def _has(self, kind: str, value: str | None = None) -> bool:
        wanted = kind if value is None else f"{kind}:{value}"
        return any(role == wanted or (value is None and role.startswith(f"{kind}:")) for one in self.mentions
                   for role in one.roles)  # fmt: skip

    def _asks_who_is(self) -> bool:
        """Whether it is asked who has or owns something now, and not who did something."""
        verb = self._at(1).word
        present = verb in ("have", "are", "do") or (verb.endswith("s") and verb != "was")
        done = predicate(self.mentions)
        topic = self.reading.about.words if self.reading.about else ()
        has_done = any(map(self._at(2).role, ("status", "change"))) and self._at(3).word in _THE  # "has muted the most"
        did = has_done or (done is not None and self.mentions[done[0]].text.casefold() not in topic)
        return self._at(0).word == "who" and present and not did

    def _states(self) -> list[str]:
        """The states that are named, in order."""
        return [value for one in self.mentions if (value := one.role("status"))]

    def _untold(self, note: str) -> None:
        """The times that are named cannot be asked; ``note`` says why."""
        times = [one.text for one in self.mentions if one.kind == "date" or one.word in UNITS]
        self.reading.unfit.append(" ".join(times) or "that time")
        self.reading.notes.append(note)

    def _scan_days(self) -> str:
        """The days of which there are scans, in words."""
        return " and ".join(day.isoformat() for day in sorted(self.vocabulary.scans)) or "no day"

    def _grouped_by(self, one: Mention, nouns: Mapping[str, str]) -> str:
        """The field that a word groups by: one of these nouns, a type of resources, a key of tags."""
        if field := nouns.get(one.role("noun") or ""):
            return field
        if one.kind == "name" and one.fields == {"resource_type"}:
            return "resource"  # "per bucket"
        key = self._tag_key(one)
        return f"tag:{key}" if key else ""

    def _tag_key(self, one: Mention) -> str:
        plain = one.word
        return next((key for key in self.vocabulary.tag_keys if compact(key) in (plain, plain.rstrip("s"))), "")

    def _says(self, *words: str) -> bool:
        return bool({one.word for one in self.mentions} & set(words))

    def _role_before(self, place: int, kind: str, within: int) -> str | None:
        for before in range(place - 1, max(-1, place - 1 - within), -1):
            if (value := self.mentions[before].role(kind)) is not None:
                return value
        return None
