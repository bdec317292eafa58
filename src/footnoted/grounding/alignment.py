"""A claim and its evidence in; how well each of the claim's words is carried, exactly and by meaning, out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from footnoted.encoder import products

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from footnoted.encoder import Encoded
    from footnoted.grounding.reading import Reading


@dataclass(frozen=True, slots=True)
class Alignment:
    """For every word of the claim: does its stem stand in the evidence, and how like is the likest word (0–1)."""

    exact: tuple[bool, ...]
    meant: tuple[float, ...]

    def uncovered(self, claim: Reading) -> list[int]:
        """Positions of the carrying words whose stem stands nowhere in the evidence."""
        return [i for i, word in enumerate(claim.words) if word.carries and not self.exact[i]]


def align(claim: Reading, evidence: Sequence[Reading]) -> Alignment:
    """Word by word, by stems alone; ``meant`` is 1 where the stem stands and 0 elsewhere."""
    stems = {word.stem for reading in evidence for word in reading.words}
    values = {word.value for reading in evidence for word in reading.words if word.value}
    exact = tuple(word.stem in stems or word.value in values for word in claim.words)
    return Alignment(exact, tuple(float(known) for known in exact))


def align_by_meaning(
    claim: Reading, encoded: Encoded, evidence: Sequence[Reading], encodings: Sequence[Encoded]
) -> Alignment:
    """The same with contextual vectors: how like a word is to the likest word of the evidence."""
    plain = align(claim, evidence)
    vectors = word_vectors([claim, *evidence], [encoded, *encodings])
    mine, theirs = vectors[: len(claim.words)], vectors[len(claim.words) :]
    if not len(theirs) or not len(mine):
        return plain
    likest = products(mine, theirs).max(axis=1)
    return Alignment(plain.exact, tuple(float(x) for x in likest))


def word_vectors(readings: Sequence[Reading], encodings: Sequence[Encoded]) -> NDArray[np.float32]:
    """One vector of length one for each word of each text in order (w, 384): the mean of its tokens' states.

    All texts at once, as if they stood one after the other: it is a few steps of numpy either way.
    """
    from footnoted.native import numpy as np

    bases = np.cumsum([0, *(len(reading.text) + 1 for reading in readings)])
    spans = [(w.start + base, w.end + base) for r, base in zip(readings, bases.tolist(), strict=False) for w in r.words]
    vectors = np.zeros((len(spans), encodings[0].states.shape[1]), dtype=np.float32)
    starts_of_tokens = np.concatenate([e.offsets[:, 0] + base for e, base in zip(encodings, bases, strict=False)])
    if spans and len(starts_of_tokens):
        starts, ends = np.asarray(spans).T
        place = np.searchsorted(starts, starts_of_tokens, side="right") - 1
        inside = (place >= 0) & (starts_of_tokens < ends[place])
        owned = place[inside]  # ascending, as tokens and words both stand in order
        if len(owned):
            first = np.flatnonzero(owned[1:] != owned[:-1]) + 1
            first = np.concatenate([[0], first])
            states = np.concatenate([e.vectors for e in encodings])[inside].astype(np.float32)
            vectors[owned[first]] = np.add.reduceat(states, first, axis=0)
    vectors /= np.maximum(np.sqrt(np.einsum("ij,ij->i", vectors, vectors)), 1e-6)[:, None]
    return vectors
