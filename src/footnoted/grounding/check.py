"""A claim and its sources in; a verdict out: what was found, who decided, and the exact words it rests on.

The exact tier decides alone where words alone tell; else the model weighs what was found. First the cited
sources are asked, then all. Nothing here ever says ``supported`` without evidence that was really weighed.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections import OrderedDict
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from footnoted.encoder import Encoder, EncoderUnavailable
from footnoted.encoder.entailment import Comparing
from footnoted.grounding.calibration import sureness
from footnoted.grounding.doubtful import doubtful
from footnoted.grounding.evidence import heading_of
from footnoted.grounding.exact import as_evidence, carried, contradiction, decide, uncovered_spans, verbatim, words_for
from footnoted.grounding.facts import parts
from footnoted.grounding.features import features
from footnoted.grounding.kinds import is_small_talk
from footnoted.grounding.lanes import Lanes
from footnoted.grounding.language import is_measured, language
from footnoted.grounding.model import classifier
from footnoted.grounding.reading import Reading, read
from footnoted.grounding.scales import Weighed, weigh
from footnoted.grounding.shelf import Shelf, gather
from footnoted.text import sentences
from footnoted.types import Evidence, Span, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence
    from pathlib import Path

    from footnoted.grounding.evidence import Found
    from footnoted.types import Source

_MARKER = re.compile(
    r"\[\^?(?:source\s+)?\d{1,4}(?:\s?[,;–-]\s?(?:source\s+)?\d{1,4})*\]|【[^】]{0,40}】|[⁰¹²³⁴⁵⁶⁷⁸⁹]+(?=\W|$)|[*_`#]{1,3}",
    re.IGNORECASE,
)
_TELLING_ALONE = ("number", "bound", "negation")  # conflicts that hold of a part without its sentence; measured
_NEAR = 0.5  # likeness in meaning below which a sentence that shares no word is no evidence
_PARTLY = 0.5  # share of a claim's weight that must be carried for it to be partly right
_ASKS = re.compile(r"[?？؟;]\W*$")  # in many languages a question has a statement's words
_DENIED = 0.75  # share of the threshold from which on the model itself doubts that words exclude one another


class Checker:
    """Weighs claims. One for a process is enough; safe to call from any thread, any number of answers at once."""

    tells_when_begun = True  # `acheck` takes ``begun``: its claims queue, and a queue's time is not the check's

    def __init__(
        self,
        *,
        weights: Path | None = None,
        network: Path | None = None,
        shelf: Shelf | None = None,
        workers: int = 2,
    ) -> None:
        """``weights`` is a folder with another encoder's files, ``network`` one with another network's.

        Nothing is opened before the first claim.
        """
        self._weights = weights
        self._network = network
        self._shelf = shelf or Shelf()
        self._lanes = Lanes(workers)
        self._known = _Known()

    def prepare(self, sources: Sequence[Source]) -> None:
        """Read the sources ahead, while the answer is still being written; a check then has less to do."""
        encoder, _ = self._encoder()
        for source in sources:
            if encoder is None:
                self._shelf.take(source)
            else:
                self._shelf.prepare(source, encoder)

    def check(self, claim: str, sources: Sequence[Source], *, cited: Sequence[int] = ()) -> Verdict:
        """The verdict on one claim. Its evidence points into ``sources``; ``cited`` are asked first."""
        text = _MARKER.sub(lambda match: " " * len(match.group()), claim)
        parts = [span for span in sentences(text) if _says_something(text[span.start : span.end])]
        if not parts:
            return Verdict("not_checked", reason="there is nothing in it to check")
        if not any(source.text.strip() for source in sources):
            return Verdict("unsupported", score=0.0, tier="exact", reason="there are no sources")
        key = text, tuple(cited), tuple((source.sha256, heading_of(source)) for source in sources)
        known = self._known.get(key)
        if known is not None:
            return known
        verdicts = [_moved(self._weigh(text[span.start : span.end], sources, cited), span.start) for span in parts]
        verdict = verdicts[0] if len(verdicts) == 1 else _worst(verdicts)
        if verdict.ruling != "not_checked":
            self._known.keep(key, verdict)
        return verdict

    async def acheck(
        self,
        claim: str,
        sources: Sequence[Source],
        *,
        cited: Sequence[int] = (),
        begun: Callable[[], None] | None = None,
    ) -> Verdict:
        """The same off the event loop. Claims of concurrent answers queue for the same few threads.

        ``begun`` is called once the wait is over and the check begins.
        """
        return await self._lanes.claim(partial(self.check, claim, sources, cited=cited), begun=begun)

    async def aprepare(self, sources: Sequence[Source]) -> None:
        """`prepare` off the event loop, source by source, while no claim waits for its verdict."""
        for source in sources:
            await self._lanes.ahead(partial(self.prepare, [source]))

    @staticmethod
    def confidence(verdicts: Sequence[Verdict]) -> float:
        """The probability (0–1) that every claim of an answer stands; an unchecked claim counts as none."""
        return sureness([verdict.score for verdict in verdicts])

    def _encoder(self) -> tuple[Encoder | None, str]:
        try:
            Comparing.load(self._network)  # without it no claim is weighed, so the encoder alone is of no use
            return Encoder.load(self._weights), ""
        except EncoderUnavailable as error:
            return None, str(error)

    def _weigh(self, text: str, sources: Sequence[Source], cited: Sequence[int]) -> Verdict:
        """The verdict on one sentence: by the cited sources if they carry it, else by all."""
        asked = [index for index in dict.fromkeys(cited) if 0 <= index < len(sources)]
        everyone = list(range(len(sources)))
        if not is_measured(code := language(text)):
            return self._quoted(text, sources, [*asked, *everyone]) or Verdict(
                "not_checked", reason=f"language: this is in {code!r}, in which the check was not measured"
            )
        rounds = [indices for indices in (asked, everyone) if indices]
        if len(asked) == len(everyone):
            rounds = rounds[:1]
        if asked:
            # What stands word for word where it points needs no model, and so does not wait for one to be opened.
            plain = self._word_for_word(text, sources, asked)
            if plain is not None:
                return plain
        encoder, why_not = self._encoder()
        best: Verdict | None = None
        seen: tuple[tuple[int, int], ...] | None = None
        for indices in rounds:
            weighed = weigh(text, sources, indices, shelf=self._shelf, encoder=encoder)
            verdict = decide(weighed)
            if verdict is None or verdict.ruling != "supported":
                verdict = self._by_parts(text, sources, indices) or verdict
            if verdict is None:
                rests_on = tuple((one.source, one.index) for one in weighed.found)
                if rests_on == seen:
                    continue  # the other sources add nothing to what the cited ones say
                seen = rests_on
                verdict = (
                    by_model(weighed, Comparing.load(self._network))
                    if encoder
                    else Verdict("not_checked", reason=why_not)
                )
            read = verdict.ruling != "contradicted"  # what words exclude stays excluded in any language
            if read and verdict.evidence and not is_measured(code := language(verdict.evidence[0].quote)):
                verdict = Verdict(
                    "not_checked",
                    evidence=verdict.evidence,
                    reason=f"language: what comes near it is in {code!r}, in which the check was not measured",
                )
            if verdict.ruling == "supported":
                return verdict
            if best is None or _told_by(verdict) > _told_by(best):
                best = verdict
        return best or Verdict("not_checked", reason="no source could be asked")

    def _quoted(self, text: str, sources: Sequence[Source], indices: Sequence[int]) -> Verdict | None:
        """``supported`` where a whole sentence of a source, one nothing introduces, is letter by letter the same."""
        said = _quotable(text)
        for index in dict.fromkeys(indices):
            passage = self._shelf.take(sources[index]).passage
            for place, span in enumerate(passage.spans):
                words = passage.words(place)
                if passage.leads[place] is None and said == _quotable(words) and not _ASKS.search(words):
                    return Verdict(
                        "supported",
                        score=1.0,
                        tier="exact",
                        evidence=(Evidence(index, span.start, span.end, words, 1.0),),
                    )
        return None

    def _word_for_word(self, text: str, sources: Sequence[Source], indices: Sequence[int]) -> Verdict | None:
        """``supported`` where one sentence says nearly the same words and nothing speaks against it."""
        claim = read(text)
        found = gather(claim, [self._shelf.take(sources[index]) for index in indices], None, None)
        if not found or not verbatim(claim, found[0].reading):
            return None
        verdict = decide(weigh(text, sources, indices, shelf=self._shelf, encoder=None))
        return verdict if verdict is not None and verdict.ruling == "supported" else None

    def _by_parts(self, text: str, sources: Sequence[Source], indices: Sequence[int]) -> Verdict | None:
        """The verdict on a sentence that says several things, where words alone give it.

        ``supported`` if each stands nearly word for word in some sentence, ``contradicted`` if one is told there
        with another number or negation.
        """
        said = parts(text)
        if len(said) < 2:
            return None
        weighed = [weigh(part, sources, indices, shelf=self._shelf, encoder=None) for part in said]
        for part in weighed:
            denied = contradiction(part, _TELLING_ALONE)
            if denied is not None:
                return _moved(denied, max(0, text.find(part.claim.text)))
        verdicts = [decide(part) for part in weighed]
        known = [verdict for verdict in verdicts if verdict is not None and verdict.ruling == "supported"]
        return _worst(known) if len(known) == len(said) else None


class _Known:
    """The verdicts reached last, by claim, citations and sources: an answer given again is not weighed again."""

    def __init__(self, most: int = 2048) -> None:
        self._kept: OrderedDict[Hashable, Verdict] = OrderedDict()
        self._most = most
        self._lock = threading.Lock()

    def get(self, key: Hashable) -> Verdict | None:
        """The verdict, if it is known."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def keep(self, key: Hashable, verdict: Verdict) -> None:
        """Know a verdict from now on; the one not asked for the longest goes."""
        with self._lock:
            self._kept[key] = verdict
            if len(self._kept) > self._most:
                self._kept.popitem(last=False)


def by_model(weighed: Weighed, comparing: Comparing) -> Verdict:
    """The model's verdict on what the exact tier left open."""
    claim, found, alignment, clashes = weighed.claim, weighed.found, weighed.alignment, weighed.clashes
    if not any(one.cover or one.like >= _NEAR for one in found):
        return Verdict("unsupported", score=0.0, tier="model", reason="nothing in the sources comes near this")
    frozen = classifier()
    score = frozen.probability(features(weighed, weighed.entailment(comparing)))
    told = [one for each in _telling(claim, found) for one in as_evidence(each, round(score * each.cover, 4))]
    telling = tuple(dict.fromkeys(told))
    if score >= frozen.threshold:
        return Verdict("supported", score=score, tier="model", evidence=telling)
    bare = uncovered_spans(claim, alignment)
    sure = next((clash for clash in clashes if clash.sure), None)
    if sure is not None and score < _DENIED * frozen.threshold:
        return Verdict(
            "contradicted",
            score=score,
            tier="model",
            evidence=as_evidence(found[sure.evidence], 0.0),
            flagged=(Span(sure.start, sure.end),),
            reason=words_for(sure),
        )
    partly = carried(weighed) >= _PARTLY and bool(bare) and score >= 0.5 * frozen.threshold
    return Verdict(
        "partial" if partly else "unsupported",
        score=score,
        tier="model",
        evidence=telling,
        flagged=doubtful(claim, alignment) or bare,
        reason=_reason(claim, bare),
    )


def _quotable(text: str) -> str:
    """A sentence for comparing: case and white space aside, and what closes it; all within it as it stands."""
    plain = unicodedata.normalize("NFC", " ".join(text.split())).casefold()
    return plain.strip(" .!…。！।\"'“”„«»「」‚‘’")


def _told_by(verdict: Verdict) -> float:
    """How much a verdict says for a claim; one that says nothing, least."""
    return -1.0 if verdict.ruling == "not_checked" else verdict.score or 0.0


def _says_something(text: str) -> bool:
    """Not small talk: "Yep." says only what the next sentence does, and both stand word for word in any talk."""
    return bool(read(text).stems) and not is_small_talk(text)


def _reason(claim: Reading, bare: tuple[Span, ...]) -> str:
    if not bare:
        return "its words are in the sources, but not put together like this"
    said = ", ".join(f'"{claim.text[span.start : span.end]}"' for span in bare[:4])
    return f"the sources do not say {said}"


def _telling(claim: Reading, found: Sequence[Found]) -> list[Found]:
    """Of the evidence, the best sentence and those that carry words no earlier one does."""
    known: set[str] = set()
    telling: list[Found] = []
    for one in found:
        new = (one.reading.stems & claim.stems) - known
        if not telling or new:
            telling.append(one)
            known |= new
    return telling


def _moved(verdict: Verdict, by: int) -> Verdict:
    flagged = tuple(Span(span.start + by, span.end + by) for span in verdict.flagged)
    return replace(verdict, flagged=flagged)


_ORDER = ("contradicted", "unsupported", "not_checked", "partial", "supported")


def _worst(verdicts: Sequence[Verdict]) -> Verdict:
    """A claim of several sentences is as good as its worst; the evidence of all stays."""
    worst = min(verdicts, key=lambda v: (_ORDER.index(v.ruling), v.score if v.score is not None else 0.0))
    evidence = tuple(dict.fromkeys(one for verdict in verdicts for one in verdict.evidence))
    flagged = tuple(span for verdict in verdicts for span in verdict.flagged)
    scores = [verdict.score for verdict in verdicts if verdict.score is not None]
    return replace(worst, evidence=evidence, flagged=flagged, score=min(scores) if scores else None)
