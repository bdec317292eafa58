"""A claim and its evidence in; how well each of the claim's words is carried, exactly and by meaning, out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

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
    import numpy as np

    plain = align(claim, evidence)
    mine = word_vectors(claim, encoded)
    theirs = [word_vectors(r, e) for r, e in zip(evidence, encodings, strict=True) if r.words]
    if not theirs or not len(mine):
        return plain
    likest = (mine @ np.concatenate(theirs).T).max(axis=1)
    return Alignment(plain.exact, tuple(float(x) for x in likest))


def word_vectors(reading: Reading, encoded: Encoded) -> NDArray[np.float32]:
    """One vector of length one a word (w, 384): the mean of its tokens' states."""
    import numpy as np

    starts = np.fromiter((word.start for word in reading.words), dtype=np.int32, count=len(reading.words))
    ends = np.fromiter((word.end for word in reading.words), dtype=np.int32, count=len(reading.words))
    vectors = np.zeros((len(starts), encoded.states.shape[1]), dtype=np.float32)
    if len(starts) and len(encoded.offsets):
        place = np.searchsorted(starts, encoded.offsets[:, 0], side="right") - 1
        inside = (place >= 0) & (encoded.offsets[:, 0] < ends[np.maximum(place, 0)])
        np.add.at(vectors, place[inside], encoded.vectors[inside].astype(np.float32))
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-6)
    return vectors
