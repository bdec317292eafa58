"""What a question is made of: its words as written, and the stretches of them that name something."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from footnoted.assistants.security.query.vocabulary import Meaning, compact


@dataclass(frozen=True, slots=True)
class Token:
    """A word as written, and where."""

    text: str
    start: int
    end: int

    @property
    def word(self) -> str:
        """Its letters and digits alone."""
        return compact(self.text)


@dataclass(frozen=True, slots=True)
class Mention:
    """A stretch of the question and what it was taken for."""

    text: str
    start: int  # first token
    end: int  # behind its last token
    kind: str  # name, role, number, date, requirement, version, unknown, word
    meanings: tuple[Meaning, ...] = ()
    roles: tuple[str, ...] = ()
    value: object = None
    near: bool = False  # not spelt exactly so
    apart: bool = False  # a mark stands before it

    @property
    def word(self) -> str:
        """Its letters and digits alone."""
        return compact(self.text)

    @property
    def fields(self) -> set[str]:
        """The fields that it may be a name of."""
        return {one.field for one in self.meanings}

    def role(self, kind: str) -> str | None:
        """The value of a role of this kind: of ``severity:high`` asked for ``severity``, ``high``."""
        return next((one.partition(":")[2] or one for one in self.roles if one.partition(":")[0] == kind), None)


NOTHING = Mention("", 0, 0, "nothing")  # what stands before the first mention and behind the last


def at(mentions: Sequence[Mention], place: int) -> Mention:
    """The mention at a place, which may be none."""
    return mentions[place] if 0 <= place < len(mentions) else NOTHING
