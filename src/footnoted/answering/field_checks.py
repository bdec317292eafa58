"""Checks the fields of a structured answer as they complete; a check that fails never counts as passed.

A statement is weighed at once; a short value once the object it stands in is over, for what stands beside it says
what it is about. Verdicts are told in the order in which their weighing began, so that they are the same however the
reply was cut.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from footnoted.answering.blueprint import UNASKED
from footnoted.answering.field_claims import (
    MOST_BESIDE,
    Weighable,
    can_stand_beside,
    is_statement,
    object_of,
    of_short,
    of_text,
    states_nothing,
)
from footnoted.answering.present import Figures
from footnoted.grounding.gate import worst
from footnoted.text import content_stems
from footnoted.types import Evidence, Verdict

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from footnoted.answering.blueprint import Asked, Blueprint
    from footnoted.answering.field_claims import Part
    from footnoted.answering.fields import Field, Step, Value
    from footnoted.answering.weighing import Checking
    from footnoted.types import Source

_AT_ONCE = 4  # claims of one answer being weighed; the wait for a verdict counts from a claim's turn
_THREAD_FROM = 40_000  # code points of sources whose figures are read in a thread
_BELIEVED = ("supported",)


@dataclass(frozen=True, slots=True)
class Checked:
    """A field and its verdict. ``stands``: whether it may be shown where only what the sources carry is."""

    field: Field
    verdict: Verdict
    stands: bool


class FieldChecks:
    """The verdicts on the fields of one reply; nothing more is weighed after ``checking.until``."""

    def __init__(
        self,
        blueprint: Blueprint,
        sources: Sequence[Source],
        checking: Checking,
        *,
        controls: Collection[str] = (),
    ) -> None:
        self._blueprint = blueprint
        self._sources = sources
        self._checking = checking
        self._controls = controls
        self._figures = Figures([source.text for source in sources])
        self._turn = asyncio.Semaphore(_AT_ONCE)
        self._open: dict[tuple[Step, ...], list[tuple[Field, Asked]]] = {}  # short values by object that is not over
        self._begun: deque[tuple[Field, asyncio.Task[Checked]]] = deque()
        self._known: dict[tuple[tuple[Step, ...], bool, Value], asyncio.Task[Checked]] = {}

    def knows(self, field: Field) -> bool:
        """Whether the schema has such a field."""
        return self._blueprint.field(field.steps) is not None

    def take(self, field: Field, *, told: bool = True) -> None:
        """Begin with one field. ``told``: the reply itself gave it."""
        self.close(field.steps)
        asked = self._blueprint.field(field.steps) or UNASKED
        why_not = states_nothing(field, asked, told=told, controls=self._controls)
        if why_not and not self._is_more_than_words(field.value):
            self._begin(field, Weighable(why_not=why_not))
        elif isinstance(field.value, str) and (is_statement(field.value) or why_not):
            self._begin(field, of_text(field.value, self._checking.weighs, len(self._sources)))
        else:
            self._open.setdefault(object_of(field.steps), []).append((field, asked))

    def close(self, steps: Sequence[Step] | None = None) -> None:
        """Begin with the short values of every object that ``steps`` do not lead into; of all, without steps."""
        over = [around for around in self._open if steps is None or tuple(steps[: len(around)]) != around]
        for around in over:
            inside = self._open.pop(around)
            beside = [field for field, _ in inside if can_stand_beside(field)]
            for field, asked in inside:
                self._begin(field, of_short(field, asked, beside[: MOST_BESIDE + 1]))

    def reached(self) -> list[Checked]:
        """The verdicts that have come, in order."""
        done: list[Checked] = []
        while self._begun and self._begun[0][1].done():
            field, task = self._begun.popleft()
            done.append(replace(task.result(), field=field))
        return done

    async def next(self) -> list[Checked]:
        """Wait for the next verdict; nothing when none is owed."""
        if self._begun:
            await asyncio.wait([self._begun[0][1]])
        return self.reached()

    def cancel(self) -> None:
        """Stop checks under way."""
        for task in self._known.values():
            task.cancel()

    def _is_more_than_words(self, value: Value) -> bool:
        """Whether a text that states nothing must be weighed all the same: it holds a link, or an order's words."""
        watch = self._checking.watch
        return isinstance(value, str) and watch is not None and watch.weighs(value, "refusal")

    def _begin(self, field: Field, weighable: Weighable) -> None:
        key = (field.steps, isinstance(field.value, bool), field.value)
        if key not in self._known:
            self._known[key] = asyncio.create_task(self._check(field, weighable))
        self._begun.append((field, self._known[key]))

    async def _check(self, field: Field, weighable: Weighable) -> Checked:
        if weighable.why_not:
            return Checked(field, Verdict("not_checked", reason=weighable.why_not), stands=True)
        try:
            lacking = await self._lacking(field, weighable)
            if lacking:
                verdict = Verdict("unsupported", score=0.0, tier="exact", reason=lacking)
            else:
                verdict = worst(await asyncio.gather(*(self._weigh(each, weighable) for each in weighable.parts)))
        except Exception as error:  # noqa: BLE001 - whatever breaks in a check, the field counts as unchecked
            verdict = Verdict("not_checked", reason=f"the check failed: {type(error).__name__}: {error}")
        # What is unsure stays, and its verdict says so; what could not be checked at all does not.
        return Checked(field, verdict, stands=verdict.ruling == "unsure" or self._checking.lets_out(verdict))

    async def _lacking(self, field: Field, weighable: Weighable) -> str:
        """Why no source can carry this, in words: there are none, or none has its figures."""
        if not any(source.text.strip() for source in self._sources):
            return "there are no sources"
        if isinstance(field.value, float) and not math.isfinite(field.value):
            return f"{field.value} is no number that a source could hold"
        if sum(len(source.text) for source in self._sources) >= _THREAD_FROM:
            lacking = await asyncio.to_thread(self._lacks, weighable)
        else:
            lacking = self._lacks(weighable)
        return f'"{lacking}" stands in no source' if lacking else ""

    def _lacks(self, weighable: Weighable) -> str:
        if weighable.exact:
            return self._figures.lacks(weighable.exact)
        return next(filter(None, (self._figures.lacks_roughly(part.text) for part in weighable.parts)), "")

    async def _weigh(self, part: Part, weighable: Weighable) -> Verdict:
        async with self._turn:
            until = self._checking.until
            if until is not None and asyncio.get_running_loop().time() > until:
                return Verdict("not_checked", reason="no time was left to check this")
            verdict = await self._checking.verdict(part.text, self._sources, part.cited)
        verdict = replace(
            verdict,
            evidence=tuple(filter(self._stands_there, verdict.evidence)),
            flagged=tuple(there for span in verdict.flagged if (there := part.in_field(span)) is not None),
        )
        if verdict.ruling not in _BELIEVED:
            return verdict
        if not verdict.evidence:
            return replace(verdict, ruling="not_checked", score=None, reason="the check showed no words that carry it")
        return await self._together(verdict, weighable) if weighable.alone else verdict

    async def _together(self, verdict: Verdict, weighable: Weighable) -> Verdict:
        """The verdict on a short value, if the words found for it also say what the field says, without the rest.

        A number that stands in the sources and a name that stands elsewhere in them do not belong together.
        """
        quotes = verdict.evidence
        lacking = Figures([each.quote for each in quotes]).lacks(weighable.exact)
        if lacking:
            reason = f'"{lacking}" does not stand in the words found for it'
            return replace(verdict, ruling="unsupported", score=0.0, tier="exact", reason=reason)
        holding = [each for each in quotes if _speaks_of(each.quote, weighable.exact)] or list(quotes)
        found = [replace(self._sources[each.source], text=each.quote, sha256="") for each in holding]
        async with self._turn:
            second = await self._checking.verdict(weighable.alone, found, ())
        evidence = tuple(
            Evidence(holding[each.source].source, start, start + len(each.quote), each.quote, each.support)
            for each in second.evidence
            if 0 <= each.source < len(holding)
            for start in (holding[each.source].start + each.start,)
        )
        second = replace(second, evidence=tuple(filter(self._stands_there, evidence)), flagged=())
        if second.ruling in _BELIEVED and second.evidence:
            return worst([second, verdict])
        ruling = "unsupported" if second.ruling in _BELIEVED else second.ruling
        reason = second.reason or "the words found for it do not say it together"
        return replace(second, ruling=ruling, reason=reason, evidence=second.evidence or quotes)

    def _stands_there(self, words: Evidence) -> bool:
        known = 0 <= words.source < len(self._sources)
        return known and self._sources[words.source].text[words.start : words.end] == words.quote


def _speaks_of(quote: str, value: str) -> bool:
    """Whether words hold all figures of a value, or, where it has none, any of its words."""
    if any(char.isdigit() for char in value):
        return not Figures([quote]).lacks(value)
    return not set(content_stems(quote)).isdisjoint(content_stems(value))
