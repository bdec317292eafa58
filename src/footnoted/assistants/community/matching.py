"""How likely each passage near a question answers it: found by words and meaning, then read with the question.

The hard thing is the near miss: a page about the same subject that does not hold the answer. Likeness alone cannot tell
it, so the nearest passages are read sentence by sentence as `footnoted ask` reads its own.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import math
import threading
import zipfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from footnoted.assistants.community.fitted import chance
from footnoted.models.files import encoder_mark
from footnoted.retrieval.relevance import Meaning, Reads, asks_for_changes, judged, tells_changes
from footnoted.retrieval.terms import index_terms, query_terms

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from footnoted.types import Source

_AT_ONCE = 16  # passages whose meaning is read before others have a turn
_CLOSELY = 16  # passages whose sentences are weighed and, the best of them, read with the question


class Reading(Meaning, Reads, Protocol):
    """What knows how alike texts are and reads two together; `footnoted.retrieval.relevance.ShippedMeaning` is one."""


@dataclass(frozen=True, slots=True)
class Match:
    """A passage, and the chance (0-1) that it answers, by likeness; ``features`` are what the chance is made of.

    ``score`` is that of its best sentence once it was read with the question: of two passages, the one ``d`` higher is
    the better answer with odds of e^d.
    """

    passage: Source
    chance: float
    features: Mapping[str, float]
    score: float = 0.0

    @property
    def odds(self) -> float:
        """The log of the odds, within -8 and 8."""
        return max(-8.0, min(8.0, math.log(max(self.chance, 1e-9) / max(1 - self.chance, 1e-9))))


def head_of(passage: Source) -> str:
    """The title and headings over a passage."""
    parts = (str(passage.metadata.get(name) or "").strip() for name in ("title", "section"))
    return " › ".join(dict.fromkeys(filter(None, parts)))


class Terms:
    """How many passages hold each term: what tells passages apart here, and what is known nowhere."""

    def __init__(self, passages: Iterable[Source]) -> None:
        self.held = [frozenset(index_terms(f"{head_of(passage)}\n{passage.text}")) for passage in passages]
        self.spread = Counter(term for held in self.held for term in held)

    def weights(self, question: str) -> dict[str, float]:
        """The terms of a question, each with what it tells: more the fewer passages hold it."""
        count = len(self.held) + 1
        return {term: math.log(1 + count / (self.spread[term] + 0.5)) for term in query_terms(question)}


class Meanings:
    """What passages mean, as vectors (n, 384): read once, kept in a file beside the index. Thread-safe."""

    def __init__(self, passages: Sequence[Source], path: Path | None) -> None:
        from footnoted.native import numpy as np

        self._texts = [f"{head_of(passage)}\n{passage.text}" for passage in passages]
        self._keys = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32] for text in self._texts]
        self._path = path
        self._lock = threading.Lock()
        self.vectors: NDArray[np.float32] = np.zeros((len(passages), 384), dtype=np.float32)
        self.known: NDArray[np.bool_] = np.zeros(len(passages), dtype=bool)
        self._recall()

    def read(self, places: Iterable[int]) -> bool:
        """Read passages that were not read yet; whether there were any."""
        from footnoted.models import Embedder

        new = [place for place in places if not self.known[place]]
        for start in range(0, len(new), _AT_ONCE):
            batch = new[start : start + _AT_ONCE]
            vectors = Embedder.load().passages([self._texts[place] for place in batch])
            with self._lock:
                self.vectors[batch] = vectors
                self.known[batch] = True
        return bool(new)

    def unread(self) -> list[int]:
        """The places of the passages not read yet."""
        return [place for place, known in enumerate(self.known) if not known]

    def keep(self) -> None:
        """Write the vectors beside the index, as far as that may be written."""
        from footnoted.native import numpy as np

        if self._path is None or not self.known.any():
            return
        beside = self._path.with_suffix(".new")
        with contextlib.suppress(OSError):
            file = io.BytesIO()
            keys = np.array([key for key, known in zip(self._keys, self.known, strict=True) if known])
            vectors = self.vectors[self.known].astype(np.float16)
            np.savez(file, keys=keys, vectors=vectors, encoder=np.array(encoder_mark()))
            beside.write_bytes(file.getvalue())
            beside.replace(self._path)

    def _recall(self) -> None:
        from footnoted.native import numpy as np

        if self._path is None or not self._path.is_file():
            return
        try:
            with np.load(io.BytesIO(self._path.read_bytes()), allow_pickle=False) as file:
                if str(file["encoder"]) != encoder_mark():
                    return  # another encoder's
                kept = dict(zip(file["keys"].tolist(), file["vectors"].astype(np.float32), strict=True))
            for place, key in enumerate(self._keys):
                vector = kept.get(key)
                if vector is not None and vector.shape == (384,):
                    self.vectors[place], self.known[place] = vector, True
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            return  # a damaged file is read anew


def measured(
    question: str, vector: NDArray[np.float32], places: Sequence[int], scores: Mapping[int, float],
    pages: Sequence[str], terms: Terms, meanings: Meanings,
) -> list[dict[str, float]]:  # fmt: skip
    """What speaks for each of some passages as the answer, as named numbers.

    ``alike``: its cosine with the question; ``stands_out``: in deviations over all passages read; ``lead``: over the
    best of another page. ``words``: its BM25 score (0-1), and ``words_lead``. ``cover``: the share of what the
    question's words tell that it holds; ``unknown``: the share that no passage holds. ``agreed``: in how many of words
    and meaning it is first.
    """
    known = meanings.vectors[meanings.known]
    every = known @ vector
    mean, spread = (float(every.mean()), float(every.std()) + 1e-6) if len(every) else (0.0, 1.0)
    telling = terms.weights(question)
    total = sum(telling.values()) or 1.0
    unknown = sum(weight for term, weight in telling.items() if not terms.spread[term]) / total
    alike = {place: float(meanings.vectors[place] @ vector) for place in places}
    likest = max(places, key=lambda place: alike[place], default=-1)
    wordiest = max(places, key=lambda place: scores.get(place, 0.0), default=-1)
    found = []
    for place in places:
        others = [other for other in places if pages[other] != pages[place]]
        found.append(
            {
                "alike": 10 * alike[place],
                "stands_out": (alike[place] - mean) / spread,
                "lead": 10 * (alike[place] - max((alike[other] for other in others), default=mean)),
                "words": scores.get(place, 0.0),
                "words_lead": scores.get(place, 0.0) - max((scores.get(other, 0.0) for other in others), default=0.0),
                "cover": sum(weight for term, weight in telling.items() if term in terms.held[place]) / total,
                "unknown": unknown,
                "agreed": float(place == likest) + float(place == wordiest),
                "terms": math.log1p(len(telling)),
            }
        )
    return found


@dataclass(frozen=True, slots=True)
class Found:
    """The passages near a question, best first, and the chance (0-1) that the best of those that were read answers."""

    matches: tuple[Match, ...]
    chance: float


def read_closely(question: str, near: Sequence[Match], meaning: Reading) -> Found:
    """The nearest passages in a new order: each sentence weighed, the best ones read together with the question."""
    closest, rest = near[:_CLOSELY], near[_CLOSELY:]
    ranked, answers = judged(question, [match.passage for match in closest], likeness=meaning)
    best: dict[int, float] = {}
    for sentence in ranked:
        best.setdefault(sentence.source_index, sentence.score)
    worst = min(best.values(), default=0.0) - 1
    read = [replace(match, score=best.get(place, worst)) for place, match in enumerate(closest)]
    read.sort(key=lambda match: -match.score)
    return Found((*read, *(replace(match, score=worst) for match in rest)), answers)


def reply_features(found: Found) -> dict[str, float]:
    """What speaks for the best passage as a reply: that it answers, as it was read; its likeness; and the others."""
    if not found.matches:
        return {}
    first, *others = found.matches
    page = first.passage.metadata.get("source_id")
    elsewhere = [match.score for match in others if match.passage.metadata.get("source_id") != page]
    answers = max(1e-4, min(1 - 1e-4, found.chance))
    return {
        "answers": math.log(answers / (1 - answers)),
        "ahead": min(4.0, first.score - max(elsewhere, default=first.score - 4.0)),
        **{name: first.features[name] for name in ("alike", "stands_out", "cover", "unknown")},
        "first": first.odds,
        "likest": float(first.odds >= max(match.odds for match in found.matches)),
    }


def matches(
    question: str, weights: Mapping[str, float], passages: Sequence[Source], features: Sequence[Mapping[str, float]]
) -> list[Match]:
    """Passages with their chances by likeness, best first; those that tell changes last, unless one is asked for."""
    made = [Match(passage, chance(weights, told), told) for passage, told in zip(passages, features, strict=True)]
    any_page = asks_for_changes(question)
    return sorted(made, key=lambda match: (not any_page and tells_changes(match.passage), -match.chance))
