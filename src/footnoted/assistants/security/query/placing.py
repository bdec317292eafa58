"""Names put into their fields: the one meaning of several that stands where the name does."""

from __future__ import annotations

from dataclasses import replace

from footnoted.assistants.security.query.draft import Draft, as_word, several
from footnoted.assistants.security.query.linking import is_word
from footnoted.assistants.security.query.mentions import Mention
from footnoted.assistants.security.query.relations import HAVING, negations
from footnoted.assistants.security.query.topics import tells
from footnoted.assistants.security.query.vocabulary import PROVIDERS, Meaning, compact, singulars
from footnoted.assistants.security.query.words import WHETHER
from footnoted.text import content_stems

_ADJACENT = {"account", "region", "service", "tag", "category"}


class Placing(Draft):
    """The step that puts names, requirements and versions into fields."""

    def _names(self) -> None:
        self._agree()
        for place, one in enumerate(self.mentions):
            if one.kind == "requirement":
                self._put(place, "requirement", str(one.value))
            elif one.kind == "version":
                self._put(place, "version", str(one.value))
            elif one.kind == "name":
                self._name(place, one)
        self._versions()

    def _agree(self) -> None:
        """A part of an account's name beside the whole of it, or beside another part, means the account both are of."""
        denied = negations(self.mentions)
        told = [(place, one) for place, one in enumerate(self.mentions) if one.kind == "name"]
        parts = [(place, one, accounts) for place, one in told if (accounts := _accounts(one, whole=False))]
        for place, one, accounts in parts:
            own = accounts
            for other, beside in told:
                whole = _accounts(beside, whole=True)
                near = abs(place - other) == 1 and not self.mentions[max(place, other)].apart
                theirs = whole or (_accounts(beside, whole=False) if near else [])
                shared = tuple(value for value in own if value in theirs)
                if other != place and shared and (place in denied) == (other in denied):
                    self.mentions[place] = replace(one, meanings=(Meaning("account", shared),))
                    own = list(shared)

    def _name(self, place: int, one: Mention) -> None:
        meanings = self._fitting(place, one)
        if not meanings or self._is_state(place, meanings):
            if is_word(one.text.casefold()) or not content_stems(one.text):
                self.mentions[place] = as_word(one)
            else:
                self.mentions[place] = replace(one, kind="unknown", meanings=())
            return
        if len(meanings) > 1:
            self.ambiguous.append((one.text, meanings))
            return
        (meaning,) = meanings
        self.mentions[place] = replace(one, meanings=(meaning,))
        values = list(meaning.values)
        if meaning.field == "provider" and values[0] not in self.vocabulary.providers:
            self.reading.unfit.append(one.text)
            self.reading.notes.append(f"nothing of {one.text} is among your scans, which are of {self._providers()}")
            return
        if meaning.field == "region" and not set(values) & self.vocabulary.regions:
            self.reading.unfit.append(one.text)
            self.reading.notes.append(f"no resource of your scans is in {one.text} ({several(values)})")
            return
        for value in values:
            self._put(place, meaning.field, value)
        if meaning.field == "framework":  # "CIS Azure" is of one cloud
            words = [each for word in one.text.split() for each in self.vocabulary.lookup(word)]
            for value in (each.values[0] for each in words if each.field == "provider"):
                if value in self.vocabulary.providers:
                    self._put(place, "provider", value)

    def _providers(self) -> str:
        return ", ".join(sorted(PROVIDERS.get(one, (one,))[0] for one in self.vocabulary.providers))

    def _fitting(self, place: int, one: Mention) -> list[Meaning]:
        """The meanings that stand: the one its neighbour names, else whole names before parts of names."""
        meanings = list(one.meanings)
        for beside in (place + 1, place - 1, *self._shared(place)):
            noun = self._at(beside).role("noun")
            if noun in _ADJACENT and (fits := [each for each in meanings if each.field == noun]):
                return fits[:1]
        whole = [each for each in meanings if each.whole]
        order = ("check", "framework", "account", "provider", "scanner", "region", "service", "category", "tag",
                 "resource_type", "resource")  # fmt: skip
        if whole:
            return sorted(whole, key=lambda each: order.index(each.field))[:1]
        meanings = [each for each in meanings if self._is_meant(place, one, each)]
        if one.start and self.base is not None:  # a part of a name goes on with what was asked before
            before = self.base.query.where.narrowed()
            if fits := [each for each in meanings if each.field in before and each.field != "resource"]:
                return fits[:1]
        if fits := [each for each in meanings if each.field == self.preferred]:
            return fits[:1]
        return [each for each in meanings if each.field not in ("resource", "resource_type")] or meanings[:1]

    def _shared(self, place: int) -> list[int]:
        """Where the noun stands that two names share: in "core vs customs subscriptions", behind "customs"."""
        joined = self._at(place + 1)
        joins = joined.word in ("and", "or", "nor") or joined.role("select") == "compare"
        return [place + 3] if joins and self._at(place + 2).kind == "name" else []

    def _is_meant(self, place: int, one: Mention, meaning: Meaning) -> bool:
        """Whether a part of a name stands for it: a plain word only where a name would stand."""
        before = self._at(place - 1)
        if meaning.field == "resource_type":
            if self._is_of_another_kind(place, meaning):
                return False
            before = self._at(place - 1 - (before.kind == "number"))  # "top 3 buckets"
            if self._select() in ("remediation", "explain"):  # of what a check is run on
                return True
            plural = bool(singulars(one.word)) and one.word not in self.vocabulary.names
            alone = self._at(place + 1).role("only") is not None
            return (plural or before.word in ("which", "per", "each")) and (
                before.role("order") is not None
                or alone
                or self._role_before(place, "select", 3) is not None
                or _leads(before)
            )
        if meaning.field == "resource":
            acts = before.role("modal") is not None or before.word == "to"
            return not (acts or is_word(one.text.casefold())) and len(one.text) > 3
        if meaning.field == "tag" and self._has("noun", "tag"):
            return True
        if meaning.field == "tag" and self._describes(place):
            return False
        dropped = self.edited == "negate" and before.role("negate") is not None  # "drop lab"
        return not is_word(one.text.casefold()) or _leads(before) or dropped

    def _is_of_another_kind(self, place: int, meaning: Meaning) -> bool:
        """Of "access keys", where keys are KMS keys, whether checks that have both words are run on something else."""
        before = self._at(place - 1)
        if before.kind != "word" or before.value is None:
            return False
        pair = compact(before.text) + next(iter(singulars(self.mentions[place].word)), self.mentions[place].word)
        held = [check for check in self.vocabulary.checks.values() if check.types and pair in compact(check.title)]
        return bool(held) and not any(check.types & {*meaning.values} for check in held)

    def _is_state(self, place: int, meanings: list[Meaning]) -> bool:
        """Of "does db-1 have encryption turned on", "buckets without logging" what checks tell of, and no category."""
        if {one.field for one in meanings} != {"category"} or self._at(place + 1).role("noun") == "findings":
            return False
        of_one = any("resource" in one.fields for one in self.mentions)
        led = {one.word for one in self.mentions[max(0, place - 2) : place]}
        kinds = any("resource_type" in one.fields for one in self.mentions[:place])
        return (of_one and self._at(0).word in WHETHER) or (kinds and bool(led & {*HAVING, "without", "no", "lack"}))

    def _describes(self, place: int) -> bool:
        """Whether a word says how a kind of thing is, of which checks tell: "public buckets" are no tag's value."""
        of = {value for one in self._at(place + 1).meanings for value in one.values}
        kinds = (check for check in self.vocabulary.checks.values() if of & {check.service, *check.types})
        word = self.mentions[place].text
        return is_word(word.casefold()) and any(tells(word, check) for check in kinds)

    def _versions(self) -> None:
        version, family = self.where.get("version", ""), self.where.get("framework", "")
        if version.startswith("?"):
            known = ", ".join(sorted(self.vocabulary.frameworks.get(family, {}))) or "none"
            self.reading.unfit.append(f"{family} {version[1:]}")
            self.reading.notes.append(f"of {family} your scans are mapped to: {known}")
            self.where["version"] = ""


def _accounts(one: Mention, *, whole: bool) -> list[str]:
    """The accounts that a name is the whole of, or only a part of."""
    if not whole and any(each.whole for each in one.meanings):
        return []
    return [value for each in one.meanings if each.field == "account" and each.whole is whole for value in each.values]


def _leads(before: Mention) -> bool:
    """Whether a name may follow: after a word without content (in, for, does, the)."""
    return not content_stems(before.text) or before.role("period") is not None
