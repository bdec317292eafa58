"""A checker that has a named model, or any classifier in ONNX, decide what words alone do not.

The exact tier is asked first (amounts, dates, negation, near-verbatim), as in the shipped checker. What it leaves
open the model reads window by window, sources whole; the best window counts. It never fails open: a model that
cannot be opened is an error when it is loaded, a reading that fails or is left out makes a claim ``not_checked``.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

from footnoted.errors import ConfigurationError
from footnoted.grounding.check import Checker
from footnoted.grounding.exact import as_evidence, decide
from footnoted.grounding.models.conventions import CONVENTIONS, Convention, Kind
from footnoted.grounding.models.files import from_hub, in_folder
from footnoted.grounding.models.network import Network, Read
from footnoted.grounding.models.windows import Window, fitting, windows
from footnoted.grounding.scales import weigh
from footnoted.types import Evidence, Span, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footnoted.encoder import Encoder
    from footnoted.grounding.evidence import Found
    from footnoted.grounding.scales import Weighed
    from footnoted.types import Source

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
                raise ConfigurationError(
                    f"{named!r} is no folder, and no known model; known are {', '.join(CONVENTIONS)}, "
                    "and any OWNER/NAME on the hub"
                )
            files = from_hub(where, file=file, tokenizer=convention.tokenizer, revision=revision, cache_dir=cache_dir)
        network = Network(files, convention, threads=threads)
        return cls(network, threshold=threshold, most_windows=most_windows, exact_first=exact_first)

    def _encoder(self) -> tuple[Encoder | None, str]:
        return None, ""  # the shipped model is not asked, nor opened

    def _weigh(self, text: str, sources: Sequence[Source], cited: Sequence[int]) -> Verdict:
        """The verdict on one sentence: by the cited sources if they carry it, else by all."""
        asked = [index for index in dict.fromkeys(cited) if 0 <= index < len(sources)]
        everyone = list(range(len(sources)))
        known: dict[tuple[int, Span], Read | None] = {}
        verdict = Verdict("not_checked", reason="no source could be asked")
        for indices in (asked, everyone) if 0 < len(asked) < len(everyone) else (everyone,):
            weighed = weigh(text, sources, indices, shelf=self._shelf, encoder=None)
            plain = decide(weighed) if self._exact_first else None
            # That no word is shared is no verdict here: the model may know the sentence in other words.
            if plain is not None and plain.ruling != "unsupported":
                verdict = plain
            else:
                verdict = self._by_model(text, weighed, sources, indices, known)
            if verdict.ruling == "supported":
                return verdict
        return verdict

    def _by_model(
        self,
        text: str,
        weighed: Weighed,
        sources: Sequence[Source],
        indices: Sequence[int],
        known: dict[tuple[int, Span], Read | None],
    ) -> Verdict:
        if not self._model.fits("", text):
            return Verdict("not_checked", tier="model", reason="it is too long for the model")
        passages = [(index, self._shelf.take(sources[index]).passage) for index in indices]
        room = self._model.longest - len(text.split()) * 2
        reads: list[tuple[Window, Read]] = []
        unread = 0
        for window in windows(weighed.claim, passages, max(1, room)):
            said = sources[window.source].text
            for span in fitting(said, window.span, lambda premise: self._model.fits(premise, text)):
                if len(known) >= self._most_windows and (window.source, span) not in known:
                    unread += 1
                    break
                if (window.source, span) not in known:
                    known[window.source, span] = self._model.read(said[span.start : span.end], text)
                read = known[window.source, span]
                if read is None:
                    unread += 1
                else:
                    reads.append((replace(window, span=span), read))
            if (reads and reads[-1][1].carried >= _SURE) or (unread and len(known) >= self._most_windows):
                break
        return self._told(reads, weighed.found, sources, unread)

    def _told(
        self, reads: list[tuple[Window, Read]], found: Sequence[Found], sources: Sequence[Source], unread: int
    ) -> Verdict:
        if not reads:
            return Verdict("not_checked", tier="model", reason="the model could read none of the sources")
        window, best = max(reads, key=lambda one: one[1].carried)
        score = round(best.carried, 4)
        evidence = _evidence(window, best.carried, found, sources)
        if best.carried >= self._threshold and not best.doubted:
            return Verdict("supported", score=score, tier="model", evidence=evidence)
        if unread:
            reason = f"a part of the sources was not read, and the {len(reads)} stretches that were do not carry it"
            return Verdict("not_checked", tier="model", reason=reason)
        against, excluding = max(reads, key=lambda one: one[1].contradicted)
        if excluding.contradicted >= _EXCLUDES:
            shown = _evidence(against, 0.0, found, sources)
            return Verdict(
                "contradicted",
                score=score,
                tier="model",
                evidence=shown,
                reason="the model reads that the source excludes it",
            )
        return Verdict(
            "unsupported",
            score=score,
            tier="model",
            evidence=evidence,
            flagged=best.doubted,
            reason="the model does not read it in the sources",
        )


def _evidence(
    window: Window, support: float, found: Sequence[Found], sources: Sequence[Source]
) -> tuple[Evidence, ...]:
    """The sentences of the window that share the claim's words; where none does, the window."""
    inside = [
        one
        for one in found
        if one.source == window.source and window.span.start <= one.span.start and one.span.end <= window.span.end
    ]
    if inside:
        return tuple(shown for one in inside[:2] for shown in as_evidence(one, round(support, 4)))
    said = sources[window.source].text[window.span.start : window.span.end]
    return (Evidence(window.source, window.span.start, window.span.end, said, round(support, 4)),)


def _convention(like: str | Convention | None) -> Convention:
    if isinstance(like, Convention):
        return like
    if like is None or "/" in like:
        return Convention()
    if like not in CONVENTIONS:
        raise ConfigurationError(
            f"{like!r} is no folder, and no known model; known are {', '.join(CONVENTIONS)}, "
            "and any OWNER/NAME on the hub"
        )
    return CONVENTIONS[like]
