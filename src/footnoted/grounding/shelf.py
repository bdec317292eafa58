"""Sources in; their passages out, cut once, and the vectors of their sentences once an encoder has read them."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from footnoted.encoder import products
from footnoted.grounding.evidence import Found, Passage, candidates, choose, heading_of, passage
from footnoted.grounding.reading import read

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from footnoted.encoder import Encoder
    from footnoted.grounding.reading import Reading
    from footnoted.types import Source

_READ_WHOLE = 256  # sentences; of a longer source only those that share words with the claim are encoded
_BY_WORDS = 24  # that many of them
_POOL = 12  # candidates from which the evidence is chosen


@dataclass(slots=True)
class Shelved:
    """A passage and, once read by the encoder, one vector a sentence (n, 384)."""

    passage: Passage
    vectors: NDArray[np.float32] | None = None


class Shelf:
    """The passages of the sources seen last, by hash of their text and heading, within a budget of characters."""

    def __init__(self, characters: int = 4_000_000) -> None:
        self._kept: OrderedDict[tuple[str, str], Shelved] = OrderedDict()
        self._room = characters
        self._lock = threading.Lock()

    def take(self, source: Source) -> Shelved:
        """The passage of a source, cut now or before."""
        key = source.sha256, heading_of(source)
        with self._lock:
            known = self._kept.get(key)
            if known is not None:
                self._kept.move_to_end(key)
                return known
        made = Shelved(passage(source))
        with self._lock:
            if key not in self._kept:
                self._kept[key] = made
                self._room -= len(source.text)
            while self._room < 0 and len(self._kept) > 1:
                _, dropped = self._kept.popitem(last=False)
                self._room += len(dropped.passage.source.text)
        return made

    def prepare(self, source: Source, encoder: Encoder) -> Shelved:
        """The same, its sentences read by the encoder, unless it is too long to read whole."""
        shelved = self.take(source)
        one = shelved.passage
        if shelved.vectors is None and len(one.spans) <= _READ_WHOLE:
            shelved.vectors = encoder.sentences([one.text(i) for i in range(len(one.spans))])
        return shelved


def gather(
    claim: Reading, shelved: Sequence[Shelved], vector: NDArray[np.float32] | None, encoder: Encoder | None
) -> list[Found]:
    """The evidence sentences of a claim, the most telling first. Without an encoder, by words alone."""
    passages = [one.passage for one in shelved]
    shares = {(number, index): share for number, index, share in candidates(claim, passages, _BY_WORDS)}
    near: dict[tuple[int, int], float] = {}
    if encoder is not None and vector is not None:
        for number, one in enumerate(shelved):
            if one.vectors is not None:
                near |= {
                    (number, i): round(float(x), 5) for i, x in enumerate(products(one.vectors, vector[None])[:, 0])
                }
            else:
                worded = [place for place in shares if place[0] == number]
                likeness = products(encoder.sentences([passages[n].text(i) for n, i in worded]), vector[None])[:, 0]
                near |= {place: round(float(x), 5) for place, x in zip(worded, likeness, strict=True)}
    places = set(shares) | set(near)
    ranked = sorted(places, key=lambda place: (-shares.get(place, 0.0) - near.get(place, 0.0), place))
    pool = [_found(passages, *place, shares.get(place, 0.0), near.get(place, 0.0)) for place in ranked[:_POOL]]
    return choose(claim, pool)


def _found(passages: Sequence[Passage], number: int, index: int, share: float, like: float) -> Found:
    one = passages[number]
    lead = one.leads[index]
    return Found(
        number,
        index,
        one.spans[index],
        read(one.text(index)),
        share,
        like,
        words=one.words(index),
        lead=lead,
        lead_words=one.source.text[lead.start : lead.end] if lead else "",
    )
