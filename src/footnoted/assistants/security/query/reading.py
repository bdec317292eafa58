"""A question read into a query without a model: by grammar, and by names looked up in the tenant's own findings.

Every number, identifier, name and time word must find its field. What does not is `unfit`, and the question is then not
answered by something near it. Plain words that found no field are `unused`, and told beside the answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from footnoted.assistants.security.query.accounting import Held
from footnoted.assistants.security.query.draft import Choice, Reading, is_possessive, is_ranked, several
from footnoted.assistants.security.query.finding_query import GROUPS, LIMIT
from footnoted.assistants.security.query.linking import is_word
from footnoted.assistants.security.query.placing import Placing
from footnoted.assistants.security.query.relations import beyond_flat, field_of, is_active, negations, predicate
from footnoted.assistants.security.query.saying import Saying
from footnoted.assistants.security.query.shaping import Shaping
from footnoted.assistants.security.query.tokens import at
from footnoted.assistants.security.query.vocabulary import Meaning
from footnoted.assistants.security.query.words import BEFORE_NAMES, FUNCTION_WORDS, NOT_IN_SCANS, UNITS

if TYPE_CHECKING:
    from footnoted.assistants.security.query.meaning import Meanings
    from footnoted.assistants.security.query.vocabulary import Vocabulary

__all__ = ["Choice", "Reading", "read"]

_OPENINGS = frozenset("ok okay alright right well so great good fine thanks hmm yes".split())  # they ask nothing
_MEASURES = ("count", "rate", "age")
_VERBS = ("rate", "age", "average", "median", "diff", "compare")
_THAN = ("morethan", "lessthan", "fewerthan")
_THEM = {"them", "they"}
_OF = {"of", "from"}  # behind what is asked for stands what it is of
_NOTHING = {"polite", "any", "again", "modal", "period", "only", "seen"}  # roles that say nothing of what is asked
_BEYOND = 0.003  # fitted: how much nearer to what no scan can answer a question may be
_FAR_BEYOND = 0.015  # fitted: one that counts what the scans have, and has one word over


def read(
    question: str, vocabulary: Vocabulary, *, base: Reading | None = None, meanings: Meanings | None = None
) -> Reading:
    """The reading of a question; ``base`` is what was asked before it."""
    return _Reader(question, vocabulary, base, meanings).read()


class _Reader(Placing, Saying, Shaping):
    """Runs the steps, and accounts for every word."""

    def read(self) -> Reading:
        self._bounds()
        self._names()
        self._times()
        self._closed()
        self._numbers()
        follows = self.reading.follows = self._follows()
        self._about()
        query = self._query(follows)
        self.reading.query = query
        self.reading.mentions = tuple(self.mentions)
        self._choices()
        self._left_over()
        self._sense()
        return self.reading

    def _is_afresh(self) -> bool:
        """Whether it is asked of something of its own, after a question that could not be asked: "list the lows"."""
        asks = any(one.role("select") and one.word not in ("what", "which") for one in self.mentions)
        subject = any(one.kind == "name" or (one.role("severity") and one.word.endswith("s")) for one in self.mentions)
        return self.base is not None and not self.base.can_be_asked and asks and subject

    def _follows(self) -> bool:
        """Whether the question edits the one before it: it points back, or says too little alone."""
        if self.base is None:
            return False
        pointing = any(one.role("again") or one.role("more") or one.role("ordinal") for one in self.mentions)
        opens = next((place for place, one in enumerate(self.mentions) if one.word not in _OPENINGS), 0)
        first = [one.word for one in self.mentions[opens : opens + 2]]
        pointing |= self._at(opens).role("only") is not None
        pointing |= first[:1] in (["and"], ["or"], ["only"], ["no"], ["but"]) or first == ["what", "about"]
        subject = any(one.kind == "name" or one.role("noun") for one in self.mentions)  # "how many are open" has none
        own = self._asks_of_findings() or (self._has("select", "count") and subject) or self.where.get("framework")
        short = len(self.mentions) <= 6 and not own and not self._is_afresh()
        fields = self.where.keys() - {"version", "requirement"}  # which are of the framework
        self.reading.pronoun = pronoun = self._pronoun()
        bound = self.edited or is_possessive(pronoun) or (pronoun and is_ranked(self.base.query))
        return bool(short or bound or (pointing and not (own and len(fields) > 1)))

    def _left_over(self) -> None:
        """Tell each word that no field holds, and does not only join others; of a follow-up, also those before it."""
        reading = self.reading
        if reading.follows and self.base is not None:
            told = [*self.base.unused, *([] if self.base.choices else self.base.open)]
            reading.unused += [one for one in told if one not in reading.unused]
            reading.unfit += [one for one in self.base.unfit if not self._replaces(one)]
            reading.reason, reading.never = self.base.reason, self.base.never
        reading.open = [text for text, _ in self.ambiguous]
        if reading.choices:  # each has told what it does not hold
            return
        if reading.follows and self.edit and not self.edited:  # whether it takes away or adds is not known
            reading.unfit.append(self.edit)
        unplaced = [*self._unplaced()]
        held = Held(reading.query, self.vocabulary, self.mentions)
        reading.unfit += beyond_flat(self.mentions)
        asked = [place for place, one in enumerate(self.mentions) if one.word == "howmany"]
        each = reading.query.sides or reading.query.group_by in ("severity", "status")
        left = {*held.left(), *([] if each else asked[1:]), *unplaced} - self._everyone()
        left -= set(self._denied_names().values())  # each choice holds what is denied of its own name
        done = self._is_done_to_them()
        for place in sorted(left):
            one = self.mentions[place]
            plain = one.text.casefold()
            if one.text in [*reading.open, *self.overall] or any(
                plain in (told.casefold(), *told.casefold().split()) for told in reading.unfit + reading.unused
            ):
                continue
            if self._denies(place):  # what is denied would be told as if it were asked for
                reading.unfit.append(" ".join(each.text for each in self.mentions[max(0, place - 1) : place + 2]))
            elif one.kind not in ("word", "role") or self._narrows(place) or self._is_asked(place) or place == done:
                reading.unfit.append(one.text)
            else:
                reading.unused.append(plain)
        past = {"did", "have", "has", "was", "were"} & {one.word for one in self.mentions}
        if self.assumed_new and past and reading.unused and reading.query.where.change == "new":
            reading.unfit.append(reading.unused[-1])  # something was done, and not what
        self._tell_leaps()

    def _replaces(self, text: str) -> bool:
        """Whether the question names a time, or a name behind the same word, for one that could not be asked before."""
        if self.base is None or self._pronoun():  # "which of them" are those that could not be asked
            return False
        before, told = self.base.mentions, text.casefold().split()
        places = [place for place, one in enumerate(before) if set(one.text.casefold().split()) <= {*told}]
        if any(before[place].kind == "date" or before[place].word in UNITS for place in places):
            return any(one.kind == "date" or one.word in UNITS or one.role("scan") for one in self.mentions)
        led = {at(before, place - 1).word for place in places} & {*BEFORE_NAMES}
        fields = {field for place in places for field in before[place].fields}
        named = [place for place, one in enumerate(self.mentions) if one.kind == "name"]
        named = [place for place in named if not fields or fields & self.mentions[place].fields]
        return bool(led and {*led, "about"} & {self._at(place - 1).word for place in named})

    def _denied_names(self) -> dict[int, int]:
        """Of "except in prod", where that may be two things and both are denied: the names, each with its negation."""
        names = {text for text, _ in self.ambiguous}
        denied = {at: by for at, by in negations(self.mentions).items() if self.mentions[at].text in names}
        several = [at for at, one in enumerate(self.mentions) if one.kind == "name" and one.text in names]
        return denied if several and set(several) == set(denied) else {}

    def _denies(self, place: int) -> bool:
        """Whether a word denies or adds, and stands beside something that narrows."""
        beside = [*self.mentions[max(0, place - 2) : place], *self.mentions[place + 1 : place + 2]]
        turns = any(map(self.mentions[place].role, ("negate", "widen")))
        return turns and any(one.kind == "name" or field_of(one) for one in beside)

    def _narrows(self, place: int) -> bool:
        """Whether a word that no field holds would change the answer: a name behind a preposition, a time, a verb."""
        one = self.mentions[place]
        if one.role("noun") in UNITS:
            both = self._at(place - 1).role("both") is not None  # "both days included"
            return self.reading.query.select not in ("explain", "remediation", "mapping") and not both
        before = self._at(place - 1).word
        if one.role("select") in _VERBS:  # the question's own verb: any number would answer another question
            return True
        if one.word in _THAN or (one.role("more") is not None and self._says("than")):
            return True  # "did we fix more than we broke?" is of two numbers
        if one.role("both") is not None:  # checks that fail in both are not those that fail in either
            return self.reading.query.of != "findings"
        if one.kind != "word" or before not in BEFORE_NAMES:
            return False
        plain = one.text.casefold()  # a word of no language is a name; "for forcing" is what is done
        return one.text[:1].isupper() or not (self.meanings is None or plain.endswith("ing") or is_word(plain))

    def _is_done_to_them(self) -> int | None:
        """Where the verb of the question stands, if it says more than that there are findings: "were snoozed"."""
        found = predicate(self.mentions) if self._is_counted() and self.meanings is not None else None
        if found is None or self.meanings is None:
            return None
        verb, auxiliary = found
        state = self.mentions[auxiliary].word in ("is", "are") and not self.mentions[verb].word.endswith("ed")
        if state and not self._has("select", "count"):
            return None  # "is anything wrong with it?"
        active = is_active(self.mentions, auxiliary, verb)
        return None if self.meanings.adds_nothing(self.mentions[verb].text.casefold(), active=active) else verb

    def _is_asked(self, place: int) -> bool:
        """Whether a word says of what, when or where it is asked: any number would answer another question."""
        one, before = self.mentions[place], self._at(place - 1)
        if not self._is_counted() or one.apart:
            return False
        if one.role("period") == "between":
            return True
        after = self._at(place + 1)
        if one.kind != "word" or one.value is None or after.kind == "name" or after.role("noun"):
            return False
        led = before.word in FUNCTION_WORDS and before.role("period") is None and before.word not in BEFORE_NAMES
        timed = self._at(place - 2 if led else place - 1)  # "during the merger"
        of_time = timed.role("period") is not None and timed.role("than") is None
        if of_time and not (timed.apart or (led and timed.word == "in")):
            return True
        adverb = one.word == "else" or one.word.endswith("ly") or after.word == "of"
        return before.word in ("which", "what") and not adverb

    def _tell_leaps(self) -> None:
        """Tell what a word was taken for that is not called so: nearly so, a part of a name, a word of checks."""
        reading = self.reading
        where = {*reading.query.exclude.resource}
        for each in (reading.query.where, *reading.query.sides):
            where |= {*each.resource, *each.tag}
        for one in self.mentions:
            partly = [each for each in one.meanings if not each.whole and each.field in ("resource", "tag")]
            if one.kind == "name" and (one.near or (partly and where & set(partly[0].values))):
                values = one.meanings[0].values if one.near else partly[0].values
                reading.notes.append(f"“{one.text}” is read as {several(values)}")
        if reading.query.measure == "count" and reading.query.group_by:
            reading.notes += [f"“{word}” is read as with the {order} findings" for word, order in self.leanings.items()]
        if reading.about is not None and not self._is_counted():
            reading.notes.append(f"read as asked of {' or '.join(reading.about.checks)}")
        elif reading.about is not None:
            words = " ".join(one.text for one in self.mentions if one.text.casefold() in reading.about.words)
            checks = several([one for one in reading.query.where.check if one in reading.about.checks])
            passes = f"passes {checks.replace(', ', ' or ')}"
            statuses = {("pass",): passes, (): f"{checks} looks for"}
            what = statuses.get(tuple(reading.query.where.status), f"fails {checks}")
            reading.notes.append(f"“{words}” is read as what {what}" if words and checks else "")
        if self._counts_things():
            reading.notes.append("counted are those with open findings; how many there are in all cannot be asked")
        reading.notes = [*filter(None, dict.fromkeys(reading.notes))]

    def _counts_things(self) -> bool:
        """Whether resources or checks are counted, and nothing is said of findings: "how many buckets do we have"."""
        query = self.reading.query
        of_findings = any(map(self._has, ("severity", "status", "change"))) or self._has("noun", "findings")
        counted = query.select == "count" and query.of != "findings" and query.where.status == ["fail"]
        return counted and not (of_findings or query.where.check or self.reading.follows)

    def _unplaced(self) -> Iterator[int]:
        """The places of "the second" where nothing is in places, and of what turns a page where there is none."""
        for place, one in enumerate(self.mentions):
            if (value := one.role("ordinal")) is not None:
                self.reading.place = int(value)
                if not (self.reading.follows or self.reading.query.group_by):
                    yield place
            pages = self.reading.follows and self.base is not None and self.base.query.select in ("list", "group")
            if pages and self.base is not None and (one.role("more") or self._is_after_them(place)):
                before, limit = self.base.query, self.reading.query.limit
                shown = GROUPS if before.select == "group" and before.limit == LIMIT else before.limit
                paged = {"offset": before.offset + shown, "limit": limit}
                self.reading.query = before.model_copy(update=paged)
                if not one.role("more"):
                    self.mentions[place] = replace(one, kind="role", roles=("more",))

    def _is_after_them(self, place: int) -> bool:
        """Of "the three after that" the word that turns the page."""
        pointed = self._at(place + 1).word in ("that", "those", "these", "them")
        return self.mentions[place].word == "after" and pointed and place + 2 == len(self.mentions)

    def _everyone(self) -> set[int]:
        """The places of "every account" and "all regions", which leave nothing out."""
        nouns = ((place, one.role("noun")) for place, one in enumerate(self.mentions) if one.kind == "role")
        return {place for place, noun in nouns if noun and noun not in UNITS and self._at(place - 1).role("any")}

    def _choices(self) -> None:
        """Each field that all names with several meanings share is read for itself; so is each of what went before."""
        before = {one.field: one for one in self.base.choices} if self.reading.follows and self.base is not None else {}
        if not self.ambiguous and before and not {*self.where, *self.without} & set(before):
            self._choose([(one.label, name, one.reading) for name, one in before.items()])
            return
        shared = [{one.field for one in meanings} - {"resource", "resource_type"} for _, meanings in self.ambiguous]
        if not shared:
            return
        options, without = [], "without " if self._denied_names() else ""
        for name in [one.field for one in self.ambiguous[0][1] if one.field in set.intersection(*shared)]:
            told = [one for _, meanings in self.ambiguous for one in meanings if one.field == name]
            base = before[name].reading if name in before else self.base
            options.append((without + " and ".join(dict.fromkeys(map(self._label, told))), name, base))
        self._choose(options)

    def _choose(self, options: Sequence[tuple[str, str, Reading | None]]) -> None:
        read = [
            (label, name, type(self)(self.reading.question, self.vocabulary, base, self.meanings, name).read())
            for label, name, base in options
        ]
        if len(read) == 1:
            self.reading.query = read[0][2].query
            return
        if read and not any(each.can_be_asked for _, _, each in read):  # each is held to the whole question
            self.reading.unfit += [one for one in read[0][2].unfit if one not in self.reading.unfit]
            self.reading.reason = read[0][2].reason
            return
        for label, name, each in read:
            if each.can_be_asked:
                self.reading.choices.append(Choice(self._whole_label(label, name, each), each.query, name, each))
                names = {f"“{text}” is read as" for text, _ in self.ambiguous}  # which is what each choice says
                told = [one for one in each.notes if not one.startswith(tuple(names))]
                self.reading.notes += [one for one in told if one not in self.reading.notes]
                self.reading.unused += [one for one in each.unused if one not in self.reading.unused]
            else:
                why = each.reason or ", ".join(f"“{one}”" for one in each.unfit)
                self.reading.notes.append(f"as {label}, {why} cannot be asked")

    def _said_something(self) -> int:
        """How many mentions ask something of findings: what is known, without courtesies and words that point."""
        told = set(self.reading.unused)
        return sum(
            one.kind not in ("word", "unknown")
            and not {role.partition(":")[0] for role in one.roles} & _NOTHING
            and "select:list" not in one.roles
            and one.text.casefold() not in told
            for one in self.mentions
        ) + (len(self.reading.about.words) if self.reading.about else 0)

    def _without_antecedent(self) -> str:
        """A pronoun of several ("which of them are public?") before which nothing was named that it could stand for."""
        if is_possessive(pronoun := self._pronoun()):
            return pronoun
        for one in self.mentions:
            if one.kind == "name" or one.role("noun") or one.role("severity"):
                return ""
            if one.word in _THEM:
                named = one.word == "they" and any(each.kind == "name" for each in self.mentions)
                return "" if named else one.text
        return ""

    def _asked_for(self) -> list[str]:
        """The words of what is asked for where none of them has a field: "the attack path from web to db"."""
        words: list[str] = []
        for one in self.mentions:
            if one.text.casefold() in self.reading.unused:
                words.append(one.text.casefold())
            elif words:
                return words if one.text.casefold().split()[-1] in _OF else []
            elif one.kind != "word" and one.role("select") != "list" and one.role("polite") is None:
                return []
        return []

    def _supposes(self) -> bool:
        """Of "if we fix the criticals, how many remain", which asks of what is not; not of "tell me if we have any"."""
        for place, one in enumerate(self.mentions):
            does = self._at(place + 1).word in ("i", "we", "they")
            put_right = any(each.role("select") == "remediation" for each in self.mentions[place + 2 : place + 5])
            if one.word == "if" and does and put_right:
                return self._has("select", "count")
        return False

    def _whole_label(self, label: str, name: str, reading: Reading) -> str:
        """The label of a choice with all that it is counted over: names that stand beside the one to choose."""
        values = getattr(reading.query.where, name, None)
        if label.startswith("without ") or not isinstance(values, list) or not values:
            return label
        return self._label(Meaning(name, tuple(values)))

    def _label(self, meaning: Meaning) -> str:
        if meaning.field == "account":
            return "the account " + " and ".join(map(self.vocabulary.account_name, meaning.values))
        return f"the {meaning.field.replace('_', ' ')} {', '.join(meaning.values[:4])}"

    def _sense(self) -> None:
        """Whether the question is one on findings at all, and not of what no scan holds."""
        reading = self.reading
        told = {name for name in reading.query.where.narrowed() if name != "scan"}
        roles = {role.partition(":")[0] for one in self.mentions for role in one.roles}
        reading.document = self._has("document")
        nouns = self._has("noun", "findings") or self._has("noun", "checks")
        measured = reading.query.select in ("diff", "compare", "rate")
        ranked = reading.query.select == "group" and self._has("order")
        said = roles & {"severity", "status", "comply", "change"} or nouns or measured or ranked
        reading.names_findings = bool(told - {"status"} or reading.choices or reading.overall or said)
        if reading.follows and self.base is not None and set(reading.unused) <= set(self.base.unused):
            reading.names_findings |= self.base.names_findings
        beyond_scans = self._beyond_scans()
        reading.never = reading.never or bool(beyond_scans)
        reading.reason = reading.reason or next(filter(None, (*self._unclear(), beyond_scans, self._beyond())), "")

    def _unclear(self) -> Iterator[str]:
        """What is pointed at and was not named, or asked for and not understood."""
        reading, told = self.reading, {*self.reading.query.where.narrowed()} - {"scan", "status"}
        unused = f"“{', '.join(reading.unused)}”"
        pointing = next((one.text for one in self.mentions if one.role("again")), "")
        lone = bool(pointing) or (reading.fix and not self._has("order"))
        if self.base is None and lone and not (reading.names_findings or reading.unused):
            yield f"what “{pointing or reading.question}” is of"
        if self.base is None and (bare := self._without_antecedent()):
            yield f"what “{bare}” is of"
        if self._is_counted() and not reading.follows:
            if strange := self._asked_for():
                yield f"“{' '.join(strange)}”"
            if len(reading.unused) >= 2 * max(1, self._said_something()):
                yield unused
        everything = reading.query.select == "list" and not (told or self.without or self._has("order"))
        if everything and reading.unused and not (reading.follows or reading.overall or reading.choices):
            yield unused

    def _is_counted(self) -> bool:
        return self.reading.query.select not in ("explain", "remediation", "mapping", "requirement")

    def _beyond_scans(self) -> str:
        """What the question asks in so many words and no scan holds: who did something, what will or would be."""
        words = [one.word for one in self.mentions]
        if self._asks_who_is() and (self.reading.query.group_by.startswith("tag:") or self._is_of_users()):
            words = words[1:]
        for word, why in NOT_IN_SCANS.items():
            if word in words and self.reading.query.select != "compare" and not (word == "who" and "call" in words):
                follows = words[words.index(word) + 1 :][:1]
                coming = word == "will" and ("when" in words or follows in (["be"], ["have"], ["we"], ["there"]))
                coming |= word == "will" and any(self._has("select", one) for one in _MEASURES)
                if word not in ("who", "will") or words[0] == word or coming:
                    return why
        return "what would be" if self._is_counted() and self._supposes() else ""

    def _is_of_users(self) -> bool:
        """Whether it is about what checks look for in users: "who has no MFA"."""
        checks = [self.vocabulary.checks[one] for one in self.reading.about.checks] if self.reading.about else []
        return bool(checks) and all(any(kind.casefold().endswith("user") for kind in one.types) for one in checks)

    def _beyond(self) -> str:
        """The words over, where the whole question is nearer to those that no scan can answer."""
        reading = self.reading
        if not reading.unused or self.meanings is None or reading.follows:
            return ""
        counted = len(reading.unused) == 1 and (reading.query.of != "findings" or reading.query.group_by != "")
        far = self.meanings.beyond(reading.question) > (_FAR_BEYOND if counted else _BEYOND)
        return f"“{', '.join(reading.unused)}”" if far else ""
