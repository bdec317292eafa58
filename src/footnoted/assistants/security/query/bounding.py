"""How much a group must hold: "services with more than 20 open findings", "accounts without criticals".

Read before names are placed: what such a bound is of is asked for, and not taken away.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from footnoted.assistants.security.query.draft import Draft
from footnoted.assistants.security.query.finding_query import Having
from footnoted.assistants.security.query.mentions import Mention
from footnoted.assistants.security.query.relations import HAVING, bounds_of, field_of
from footnoted.assistants.security.query.words import FUNCTION_WORDS, UNITS

_REACH = 8  # words between what is grouped and its bound
_NONE = ("nothing", "none", "free")
_DENIES = ("no", "without", "not")
_EVERY = ("severity", "service", "account", "region", "scanner")


class Bounding(Draft):
    """The step that reads which groups are told by how much they hold."""

    def _bounds(self) -> None:
        for place, one in enumerate(self.mentions):
            low, high, places = self._numbered_bound(place) if one.kind == "number" else (None, None, [])
            if not places and (places := self._lack(place)):
                low, high = None, 0
            of = self._counted(places[-1] + 1, most=high) if places else ""
            if (low, high) == (1, None):  # what has at least one is what is found
                self._settle(places if of else (), (None, None))
                continue
            head = self._head(places[0]) if of else ""
            if head:
                self.head, self.counted = head, of
                self.having = Having(at_least=low, at_most=high)
                self._settle(places, (low or None, high))
                return
        self._every()

    def _settle(self, places: Iterable[int], bound: object) -> None:
        """The words of a bound say nothing else any more."""
        self.timed.update(places)
        for place in places:
            self.mentions[place] = replace(self.mentions[place], kind="role", roles=("having",), value=bound)

    def _numbered_bound(self, place: int) -> tuple[int | None, int | None, list[int]]:
        """The least and the most that "more than 20", "seven or more", "with exactly 3" say, and the places of it."""
        number, before, after = int(str(self.mentions[place].value)), self._at(place - 1), self._at(place + 1)
        if before.role("than"):
            low, high = bounds_of(str(before.role("than")), number)
            return (low, high, [place - 1, place]) if high is None or high >= 0 else (None, None, [])
        joins = [self._at(place + 1 + step).word for step in range(2)]
        if after.word in _MORE or (joins[0] in ("or", "and") and joins[1] in _MORE):
            size = 1 if after.word in _MORE else 2
            return number, None, [*range(place, place + size + 1)]
        if after.word in _LESS or (joins[0] == "or" and joins[1] in _LESS):
            size = 1 if after.word in _LESS else 2
            return None, number, [*range(place, place + size + 1)]
        if before.word in (*HAVING, "exactly", "precisely") or (
            before.role("only") and self._at(place - 2).word in HAVING
        ):
            exactly = before.word not in HAVING
            return number or None, number, [*([place - 1] if exactly else []), place]
        return None, None, []

    def _lack(self, place: int) -> list[int]:
        """The places of "without", "have no", "do not have any", "free of", "nothing"."""
        one, before, after = self.mentions[place], self._at(place - 1), self._at(place + 1)
        if one.word in _NONE and not (one.word == "free" and after.word != "of"):
            return [place]
        if one.role("negate") is None or one.word not in _DENIES or one.apart:
            return []
        if one.word == "not":
            return [place, *([place + 1] if after.word in HAVING else [])] if after.word in HAVING else []
        if one.word != "without" and before.word not in HAVING:
            return []
        stressed = [after.word, self._at(place + 2).word] == ["a", "single"]
        return [place, place + 1, place + 2] if stressed else [place]

    def _counted(self, place: int, *, most: int | None) -> str:
        """What a bound counts: findings, or resources and checks; nothing where it is of something else."""
        graded = False
        for at in range(place, len(self.mentions)):
            one = self.mentions[at]
            noun = one.role("noun") or ""
            if one.word in UNITS or (one.apart and at > place):
                break
            if noun in ("findings", "resources", "checks"):
                return noun if noun != "resources" or most != 0 else "findings"
            if one.role("severity") or one.role("status") or one.role("change"):
                graded = True
                continue
            named = one.kind in ("name", "requirement") or one.role("distinct") or one.role("any")
            if not (named or one.word in FUNCTION_WORDS):
                break
        alone = most == 0 and place == len(self.mentions) and self.mentions[place - 1].word in _NONE
        return "findings" if graded or alone else ""

    def _head(self, place: int) -> str:
        """The field of what a bound is of: what stands before it, and is what the question asks for."""
        wide = ""  # "any cloud" leaves nothing out, unless it is all there is
        for at in range(place - 1, max(-1, place - 1 - _REACH), -1):
            one = self.mentions[at]
            if (field := self._thing(one)) and self._at(at - 1).role("any") is not None:
                wide = field
            elif field:
                led = self.mentions[:at]
                by = self._at(at - 1).role("select") == "group"
                inner = any(each.role("noun") == "findings" or each.role("severity") for each in led)
                return field if by or not inner else ""
            passes = one.kind in ("name", "word") or one.word in (*HAVING, *FUNCTION_WORDS)
            if not (field or passes or one.role("negate") or one.role("any")):
                break
        return wide

    def _every(self) -> None:
        """Of "resources with both a critical and a high", "checks that fail in every account": what holds all of it."""
        for place, one in enumerate(self.mentions):
            if one.role("both") is not None:
                fields = [field_of(each) for each in self.mentions if field_of(each) in _EVERY]
                field = next((name for name in fields if len({self._text(one) for one in self.mentions
                                                              if field_of(one) == name}) > 1), "")  # fmt: skip
                joined = not any(each.word == "or" for each in self.mentions)
                heads = [self._thing(each) for each in self.mentions]
                head = next((each for each in heads if each and each != field), "")
                if field and head and joined:
                    self._together(head, field, [place])
                    return
            number = self._at(place + 1)
            every = one.word in ("every", "each") or (one.word == "all" and number.kind == "number")
            reach = range(place + 1, min(place + 6, len(self.mentions)))
            noun = next((at for at in reach if self.mentions[at].role("noun") in _EVERY), 0)
            led = [self._thing(each) for each in self.mentions[:place]]
            if not (every and noun and self._at(place - 1).word == "in" and {"check", "resource"} & set(led)):
                continue
            field = str(self.mentions[noun].role("noun"))
            if number.kind == "number" and number.value != self._how_many(field):
                continue
            self._together(
                next(each for each in led if each),
                field,
                [place, *([place + 1] if every and number.kind == "number" else [])],
            )
            return

    def _together(self, head: str, field: str, places: list[int]) -> None:
        self.head, self.counted, self.having = head, "findings", Having.model_validate({"every": field})
        self._settle(places, field)

    def _how_many(self, field: str) -> int:
        """How many accounts there are, of the clouds that are named."""
        clouds = {
            value for one in self.mentions for each in one.meanings if each.field == "provider" for value in each.values
        }
        of = self.vocabulary.account_providers.values() if field == "account" else ()
        return sum(not clouds or one in clouds for one in of)

    @staticmethod
    def _text(one: Mention) -> str:
        return one.role("severity") or one.word


_MORE = ("ormore", "more", "ormoreof", "up", "over", "above", "plus")
_LESS = ("orless", "orfewer", "less", "fewer")
