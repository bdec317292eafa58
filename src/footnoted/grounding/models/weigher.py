"""A checker that has a named model, or any classifier in ONNX, decide what words alone do not.

What stands word for word in a source needs no model, as in the shipped checker. All else the model reads window by
window, sources whole; the best window counts. It never fails open: a model that
cannot be opened is an error when it is loaded, a reading that fails or is left out makes a claim ``not_checked``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Self

from footnoted.errors import ConfigurationError
from footnoted.grounding.check import Checker
from footnoted.grounding.evidence import Passage, candidates
from footnoted.grounding.models.conventions import CONVENTIONS, Convention, Kind
from footnoted.grounding.models.files import from_hub, in_folder
from footnoted.grounding.models.network import Network, Read
from footnoted.grounding.models.windows import Window, fitting, windows
from footnoted.grounding.reading import Words, read
from footnoted.types import Evidence, Pointer, Source, Span, Verdict

_SURE = 0.95  # a window that carries a claim this surely ends the search
_EXCLUDES = 0.9  # and one that excludes it this surely, while none carries it, contradicts


class EntailmentModel(Checker):
    """A checker for ``GroundedGenerator(checker=…)`` and ``HallucinationDetector(…)``. Make it with `load`.

    ``threshold`` is the model's own probability from which a claim is supported. ``most_windows`` bounds what is read
    for one claim; if more would be needed to find nothing, the claim is ``not_checked``. Without ``exact_first`` the
    model decides everything.
    """

    def __init__(
        self,
        network: Network,
        *,
        threshold: float = 0.5,
        most_windows: int = 64,
        exact_first: bool = True,
        workers: int = 2,
    ) -> None:
        super().__init__(workers=workers)
        self._model = network
        self._threshold = threshold
        self._most_windows = most_windows
        self._exact_first = exact_first

    @classmethod
    def load(
        cls,
        model: str | Path,
        *,
        like: str | Convention | None = None,
        repo: str | None = None,
        file: str | None = None,
        revision: str | None = None,
        cache_dir: str | Path | None = None,
        kind: Kind | None = None,
        supported: int | str | None = None,
        threshold: float = 0.5,
        most_windows: int = 64,
        exact_first: bool = True,
        threads: int = 2,
    ) -> Self:
        """The model of a known name (`CONVENTIONS`), of a folder, or of a repository on the Hugging Face Hub.

        ``like`` says that a folder or repository holds a known model (``"minicheck"``) and is asked its way;
        ``repo`` where a known model's ONNX file is; ``file`` which; ``kind`` and ``supported`` what config.json does
        not tell. Raises `ConfigurationError` that says what is missing.
        """
        named = str(model).strip()
        folder = Path(named) if named and Path(named).is_dir() else None
        convention = _convention(named if like is None and folder is None else like)
        convention = replace(
            convention,
            kind=kind or convention.kind,
            supported=convention.supported if supported is None else supported,
        )
        if folder is not None:
            files = in_folder(folder, file=file)
        else:
            where = repo or (CONVENTIONS[named].repo if named in CONVENTIONS else named)
            if "/" not in where or Path(where).is_absolute() or where.startswith((".", "~")):
                raise _unknown(named)
            files = from_hub(where, file=file, tokenizer=convention.tokenizer, revision=revision, cache_dir=cache_dir)
        network = Network(files, convention, threads=threads)
        return cls(network, threshold=threshold, most_windows=most_windows, exact_first=exact_first)

    def prepare(self, sources: Sequence[Source]) -> None:
        """Cut the sources ahead; the shipped reader is not asked, nor opened."""
        for source in sources:
            self._shelf.take(source)

    def _weigh(self, text: str, sources: Sequence[Source], cited: Sequence[int], quotes: Sequence[Pointer]) -> Verdict:
        """The verdict on one sentence: by the sources cited or quoted if they carry it, else by all."""
        named = dict.fromkeys([*cited, *(one.source for one in quotes)])
        asked = [index for index in named if 0 <= index < len(sources)]
        everyone = list(range(len(sources)))
        known: dict[tuple[int, Span], Read | None] = {}
        verdict = Verdict("not_checked", reason="no source could be asked")
        for indices in (asked, everyone) if 0 < len(asked) < len(everyone) else (everyone,):
            verdict = self._by_model(text, [(index, self._shelf.take(sources[index])) for index in indices], known)
            if verdict.ruling == "supported":
                return verdict
        return verdict

    def _by_model(
        self, text: str, passages: Sequence[tuple[int, Passage]], known: dict[tuple[int, Span], Read | None]
    ) -> Verdict:
        if not self._model.fits("", text):
            return Verdict("not_checked", tier="model", reason="it is too long for the model")
        claim = read(text)
        texts = {index: passage.source.text for index, passage in passages}
        room = self._model.longest - len(text.split()) * 2
        reads: list[tuple[Window, Read]] = []
        unread = 0
        for window in windows(claim, passages, max(1, room)):
            said = texts[window.source]
            for span in fitting(said, window.span, lambda premise: self._model.fits(premise, text)):
                if len(known) >= self._most_windows and (window.source, span) not in known:
                    unread += 1
                    break
                if (window.source, span) not in known:
                    known[window.source, span] = self._model.read(said[span.start : span.end], text)
                one = known[window.source, span]
                if one is None:
                    unread += 1
                else:
                    reads.append((replace(window, span=span), one))
            if (reads and reads[-1][1].carried >= _SURE) or (unread and len(known) >= self._most_windows):
                break
        return self._told(reads, claim, passages, unread)

    def _told(
        self,
        reads: list[tuple[Window, Read]],
        claim: Words,
        passages: Sequence[tuple[int, Passage]],
        unread: int,
    ) -> Verdict:
        if not reads:
            return Verdict("not_checked", tier="model", reason="the model could read none of the sources")
        window, best = max(reads, key=lambda one: one[1].carried)
        score = round(best.carried, 4)
        evidence = _evidence(window, best.carried, claim, passages)
        if best.carried >= self._threshold and not best.doubted:
            return Verdict("supported", score=score, tier="model", evidence=evidence)
        if unread:
            reason = f"a part of the sources was not read, and the {len(reads)} stretches that were do not carry it"
            return Verdict("not_checked", tier="model", reason=reason)
        against, excluding = max(reads, key=lambda one: one[1].contradicted)
        if excluding.contradicted >= _EXCLUDES:
            shown = _evidence(against, 0.0, claim, passages)
            reason = "the model reads that the source excludes it"
            return Verdict("contradicted", score=score, tier="model", evidence=shown, reason=reason)
        reason = "the model does not read it in the sources"
        return Verdict("unsupported", score=score, tier="model", evidence=evidence, flagged=best.doubted, reason=reason)


def _evidence(
    window: Window, support: float, claim: Words, passages: Sequence[tuple[int, Passage]]
) -> tuple[Evidence, ...]:
    """The sentences of the window that share the claim's words; where none does, the window."""
    passage = next(one for index, one in passages if index == window.source)
    spans = [passage.spans[one.index] for one in candidates(claim, [passage])]
    inside = [span for span in spans if window.span.start <= span.start and span.end <= window.span.end][:2]
    said = passage.source.text
    return tuple(
        Evidence(window.source, span.start, span.end, said[span.start : span.end], round(support, 4))
        for span in inside or [window.span]
    )


def _convention(like: str | Convention | None) -> Convention:
    if isinstance(like, Convention):
        return like
    if like is None or "/" in like:
        return Convention()
    if like not in CONVENTIONS:
        raise _unknown(like)
    return CONVENTIONS[like]


def _unknown(name: str) -> ConfigurationError:
    known = ", ".join(CONVENTIONS)
    return ConfigurationError(
        f"{name!r} is no folder, and no known model; known are {known}, and any OWNER/NAME on the hub"
    )
