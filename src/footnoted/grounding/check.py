"""The road of a claim: what stands word for word, its language, the evidence, the reader, the gate, a verdict.

The hard thing is to say only what is known. A claim is ``supported`` where a whole sentence of a source says it letter
by letter, or where the reader is so sure that of false claims hardly any would pass (`gate`). What was read without
a clear result is ``unsure``; what could not be read is ``not_checked``, and the reason says why. Rules only lower.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from footnoted.grounding.agreement import objection, reckoned, unknown_name, wrong_cell
from footnoted.grounding.composed import composed
from footnoted.grounding.evidence import Passage, Window, window, window_by_meaning
from footnoted.grounding.exact import difference, first_clause, is_denied, is_in_quotation, quotable, unmarked
from footnoted.grounding.exempt import is_bare_reply, is_exempt
from footnoted.grounding.gate import Gate, sureness, worst
from footnoted.grounding.lanes import Lanes
from footnoted.grounding.reading import read
from footnoted.grounding.shelf import Kept, Shelf
from footnoted.models import EVERY_LANGUAGE, Embedder, ModelUnavailable, Reader, Reading
from footnoted.text import asks, sentences
from footnoted.text.language import language
from footnoted.types import Evidence, Part, Pointer, Source, Span, Verdict

_A_PAGE = 2_000  # code points by which the language of a source is told
_VERDICTS = 2048  # that are known: an answer given again is not weighed again
_DOUBTFUL = 0.6  # from here on a piece of a claim is shown as one that nothing carries


class Checker:
    """Weighs claims. One for a process is enough; safe to call from any thread, any number of answers at once."""

    tells_when_begun = True  # `acheck` takes ``begun``: its claims queue, and a queue's time is not the check's
    _exact_first = True
    takes_quotes = True  # and ``quoted``: what a model quoted for the claim is read first

    def __init__(
        self,
        *,
        weights: Path | None = None,
        gate: Path | None = None,
        shelf: Shelf | None = None,
        workers: int = 2,
    ) -> None:
        """``weights`` is a folder with another reader's files, ``gate`` a file that `footnoted calibrate` wrote.

        The network is not opened before the first claim.
        """
        self._weights = weights
        self._gate = Gate.load(gate)
        self._shelf = shelf or Shelf()
        self._lanes = Lanes(workers)
        self._known: Kept[Verdict] = Kept(_VERDICTS)
        self._opened = False

    def prepare(self, sources: Sequence[Source]) -> None:
        """Cut the sources and open the reader ahead, while the answer is still being written."""
        for source in sources:
            self._shelf.take(source)
        self._network()

    def check(
        self,
        claim: str,
        sources: Sequence[Source],
        *,
        cited: Sequence[int] = (),
        quoted: Sequence[Pointer] = (),
    ) -> Verdict:
        """The verdict on one claim. Its evidence points into ``sources``.

        What is ``quoted`` for it is read first, with what introduces it and its neighbours, then those ``cited``, then
        all.
        """
        text = unmarked(claim)
        parts = [span for span in sentences(text) if _says_something(text[span.start : span.end])]
        parts = [span for span in parts if not is_bare_reply(text[span.start : span.end])] or parts
        if not parts:
            return Verdict("not_checked", reason="there is nothing in it to check")
        if not any(source.text.strip() for source in sources):
            return Verdict("unsupported", score=0.0, tier="exact", reason="there are no sources")
        key = text, tuple(cited), tuple(quoted), tuple(source.sha256 for source in sources)
        known = self._known.get(key)
        if known is not None:
            return known
        verdicts = [
            _moved(
                (self._word_for_word(claim[span.start : span.end], sources, cited) if self._exact_first else None)
                or self._weigh(text[span.start : span.end], sources, cited, quoted),
                span.start,
            )
            for span in parts
        ]
        verdict = verdicts[0] if len(verdicts) == 1 else _worst(verdicts, parts)
        if verdict.ruling != "not_checked":
            self._known.keep(key, verdict)
        return verdict

    async def acheck(
        self,
        claim: str,
        sources: Sequence[Source],
        *,
        cited: Sequence[int] = (),
        quoted: Sequence[Pointer] = (),
        begun: Callable[[], None] | None = None,
    ) -> Verdict:
        """The same off the event loop. Claims of concurrent answers queue for the same few threads.

        ``begun`` is called once the wait is over and the check begins; opening the reader is waiting too.
        """
        if not self._opened:
            at_once = await self._lanes.claim(partial(self._word_for_word, claim, sources, cited))
            if at_once is not None:
                return at_once
            await self._lanes.claim(self._network)
            self._opened = True
        return await self._lanes.claim(partial(self.check, claim, sources, cited=cited, quoted=quoted), begun=begun)

    async def aprepare(self, sources: Sequence[Source]) -> None:
        """`prepare` off the event loop, source by source, while no claim waits for its verdict."""
        for source in sources:
            await self._lanes.ahead(partial(self.prepare, [source]))

    @staticmethod
    def confidence(verdicts: Sequence[Verdict]) -> float:
        """How sure it is (0–1) that every claim of an answer stands; an unchecked claim counts as none."""
        return sureness([verdict.score for verdict in verdicts])

    def _network(self, *, elsewhere: bool = False) -> Reader | str:
        """The reader, or why it cannot be had; ``elsewhere`` that for languages in which nothing is ticked."""
        try:
            return Reader.load(EVERY_LANGUAGE if elsewhere else self._weights)
        except ModelUnavailable as error:
            return str(error)

    def _weigh(self, text: str, sources: Sequence[Source], cited: Sequence[int], quotes: Sequence[Pointer]) -> Verdict:
        """The verdict on one sentence that stands nowhere as it is: by what is quoted or cited, else by all sources."""
        asked = _there(cited, sources)
        everyone = list(range(len(sources)))
        code = language(text)
        elsewhere = not self._is_measured(code)
        every = [self._shelf.take(source) for source in sources]
        if not elsewhere and (unknown := unknown_name(text, every)) and not self._strange(every):
            reason = f'no source has "{text[unknown.start : unknown.end]}"'
            return Verdict("unsupported", score=0.0, tier="exact", flagged=(unknown,), reason=reason)
        rounds = [indices for indices in (asked, everyone) if indices]
        if len(asked) == len(everyone):
            rounds = rounds[:1]
        if quotes:
            rounds.insert(0, sorted({one.source for one in quotes}))
        claim = read(text)
        best: Verdict | None = None
        seen: tuple[str, ...] = ()
        for turn, indices in enumerate(rounds):
            passages = [self._shelf.take(sources[index]) for index in indices]
            own = [replace(one, source=indices.index(one.source)) for one in quotes] if turn == 0 else []
            found = window(claim, passages, own)
            if found is not None and found.texts == seen:
                continue  # the other sources add nothing to what the cited ones say
            seen = found.texts if found is not None else ()
            if elsewhere:
                verdict = self._elsewhere(text, found, passages, code)
            else:
                verdict = _otherwise(text, found, passages) or self._by_reader(text, found, passages)
            verdict = _at(verdict, indices)
            if verdict.ruling == "supported":
                return verdict
            if best is None or _told_by(verdict) > _told_by(best):
                best = verdict
        return best or Verdict("not_checked", reason="no source could be asked")

    def _by_reader(self, text: str, found: Window | None, passages: Sequence[Passage]) -> Verdict:
        """What reader and gate make of a sentence beside its evidence; sources are counted as ``passages`` are."""
        near = found.evidence[0].quote if found is not None else passages[0].source.text[:_A_PAGE] if passages else ""
        if not self._is_measured(code := language(near)):
            return self._elsewhere(text, found, passages, code)
        if found is None or found.cover <= self._gate.near:
            if code := self._strange(passages):
                return self._elsewhere(text, None, passages, code)
            flagged = found.missing if found is not None else ()
            reason = "nothing in the sources speaks of this"
            return Verdict("unsupported", score=0.0, tier="exact", flagged=flagged, reason=reason)
        readings = self._readings(text, found)
        if isinstance(readings, str):
            return Verdict("not_checked", evidence=found.evidence, reason=readings)
        reading = readings[0]
        score = round(self._gate.score(readings, found.overlap), 4)
        ruling = self._gate.ruling(score, min(one.contradicted for one in readings))
        reason = ""
        if ruling == "supported" and (reason := objection(text, found, passages)):
            ruling = "unsure"
        if ruling == "contradicted" and (figure := reckoned(text, found.texts[0])):
            ruling, reason = "unsure", f'"{figure}" has to be reckoned'
        if ruling == "supported":
            return Verdict("supported", score=score, tier="model", evidence=found.evidence)
        flagged = _doubted(text, reading) or found.missing
        return Verdict(
            ruling,
            score=score,
            tier="model",
            evidence=found.evidence,
            flagged=flagged,
            reason=reason or _REASONS[ruling],
        )

    def _elsewhere(self, text: str, found: Window | None, passages: Sequence[Passage], code: str) -> Verdict:
        """What is scored and never ticked: a sentence, or what comes near it, in a language that was not measured."""
        reason = f"language: this, or what comes near it, is in {code!r}, in which the check was not measured"
        if found is None or found.cover <= self._gate.near:  # it is in another language than its sources
            try:
                found = window_by_meaning(read(text), passages, Embedder.load())
            except ModelUnavailable as error:
                return Verdict("not_checked", reason=str(error))
        if found is None:
            return Verdict("not_checked", reason=reason)
        readings = self._readings(text, found, elsewhere=True)
        if isinstance(readings, str):
            return Verdict("not_checked", evidence=found.evidence, reason=readings)
        return Verdict(
            "unsure",
            score=round(self._gate.score(readings, found.overlap, elsewhere=True), 4),
            tier="model",
            evidence=found.evidence,
            flagged=_doubted(text, readings[0]) or found.missing,
            reason=reason,
        )

    def _readings(self, text: str, found: Window, *, elsewhere: bool = False) -> list[Reading] | str:
        """What the network makes of a sentence beside each of its windows, or why it makes nothing of it."""
        reader = self._network(elsewhere=elsewhere)
        if isinstance(reader, str):
            return reader
        readings = [reading for evidence in found.texts if (reading := reader.read(text, evidence)).whole]
        return readings or "it is too long to be read with its evidence"

    def _is_measured(self, code: str) -> bool:
        """Whether a sentence in this language may be ticked; one whose language is not sure may."""
        return not code or code in self._gate.languages

    def _strange(self, passages: Sequence[Passage]) -> str:
        """The language of the first passage in one that was not measured: it has other words, and other names."""
        codes = (language(passage.source.text[:_A_PAGE]) for passage in passages)
        return next((code for code in codes if not self._is_measured(code)), "")

    def _word_for_word(self, text: str, sources: Sequence[Source], cited: Sequence[int]) -> Verdict | None:
        """``supported`` where a sentence of a source is letter by letter the same, and nothing introduces or denies it.

        Or, in English, its first clause, if it sets no condition; or a list or a row told as it stands (`composed`).
        What stands in quotation marks others say. ``text`` has its Markdown still: where that stood no space remains.
        Sources that are ``cited`` come first. No reader is needed.
        """
        if not (said := quotable(text)):
            return None
        for index in dict.fromkeys([*_there(cited, sources), *range(len(sources))]):
            passage = self._shelf.take(sources[index])
            for place, span in enumerate(passage.spans):
                if passage.leads[place] is not None or not span.end - span.start >= len(said):
                    continue
                words = passage.words(place)
                if said != quotable(words) and (said != quotable(first_clause(words)) or language(words) != "en"):
                    continue
                after = passage.words(place + 1) if place + 1 < len(passage.spans) else ""
                # In many languages a question has a statement's words.
                if not (asks(words) or is_denied(after) or is_in_quotation(passage.source.text, span.start)):
                    evidence = (Evidence(index, span.start, span.end, words, 1.0),)
                    return Verdict("supported", score=1.0, tier="exact", evidence=evidence)
            parts = composed(text, passage)
            if parts and not is_in_quotation(passage.source.text, parts[0].start):
                whole = passage.source.text
                made = tuple(Evidence(index, part.start, part.end, whole[part.start : part.end], 1.0) for part in parts)
                return Verdict("supported", score=1.0, tier="exact", evidence=made)
        return None


def _there(cited: Sequence[int], sources: Sequence[Source]) -> list[int]:
    """The cited sources that there are, each once."""
    return [index for index in dict.fromkeys(cited) if 0 <= index < len(sources)]


def _otherwise(text: str, found: Window | None, passages: Sequence[Passage]) -> Verdict | None:
    """``contradicted`` where a sentence of the evidence says the same but for one figure or one negation.

    Or where the cell that a claim names, by its row and column, has another figure.
    """
    if found is not None and (cell := wrong_cell(text, found, passages)) is not None and cell.instead:
        span = Span(cell.figure.start, cell.figure.end)
        reason = f'the table has "{cell.instead}" for "{cell.row.key}", the answer "{text[span.start : span.end]}"'
        return Verdict("contradicted", score=0.0, tier="exact", evidence=found.evidence, flagged=(span,), reason=reason)
    for evidence in found.evidence if found is not None else ():
        other = difference(text, evidence.quote) or difference(text, first_clause(evidence.quote))
        lead = passages[evidence.source].leads[passages[evidence.source].index_of(evidence.start)]
        if other is None or lead is not None:
            continue
        reason = f'the source says "{other.instead}"' if other.instead else f'the source does not say "{other.said}"'
        return Verdict(
            "contradicted",
            score=0.0,
            tier="exact",
            evidence=(replace(evidence, support=0.0),),
            flagged=(other.span,),
            reason=f'{reason}, the answer says "{other.said}"' if other.said and other.instead else reason,
        )
    return None


_REASONS = {
    "contradicted": "the source says otherwise",
    "unsupported": "the sources speak of it and do not say this",
    "unsure": "it was read beside its evidence, and whether that carries it is not clear",
}


def _doubted(text: str, reading: Reading) -> tuple[Span, ...]:
    """The words of which the reader doubts a piece."""
    flagged: list[Span] = []
    for (first, last), doubt in zip(reading.offsets.tolist(), reading.doubts.tolist(), strict=True):
        if doubt < _DOUBTFUL or not text[first:last].strip():
            continue
        start, end = first, last
        while start > 0 and text[start - 1].isalnum():
            start -= 1
        while end < len(text) and text[end].isalnum():
            end += 1
        if flagged and start <= flagged[-1].end + 1:
            flagged[-1] = Span(flagged[-1].start, max(end, flagged[-1].end))
        else:
            flagged.append(Span(start, end))
    return tuple(flagged)


def _says_something(text: str) -> bool:
    """Whether it is more than marks and courtesies."""
    return any(char.isalnum() for char in text) and not is_exempt(text)


def _told_by(verdict: Verdict) -> float:
    """How much a verdict says for a claim; one that says nothing, least."""
    return -1.0 if verdict.ruling == "not_checked" else verdict.score or 0.0


def _at(verdict: Verdict, indices: Sequence[int]) -> Verdict:
    """The verdict, its evidence's sources counted as the caller gave them."""
    return replace(
        verdict, evidence=tuple(replace(evidence, source=indices[evidence.source]) for evidence in verdict.evidence)
    )


def _moved(verdict: Verdict, by: int) -> Verdict:
    flagged = tuple(Span(span.start + by, span.end + by) for span in verdict.flagged)
    return replace(verdict, flagged=flagged)


def _worst(verdicts: Sequence[Verdict], parts: Sequence[Span]) -> Verdict:
    """A claim of several sentences is as good as its worst; each sentence's verdict stays."""
    scores = [verdict.score for verdict in verdicts if verdict.score is not None]
    each = tuple(Part(s.start, s.end, v.ruling, v.score) for s, v in zip(parts, verdicts, strict=True))
    return replace(worst(verdicts), score=min(scores, default=None), parts=each)
