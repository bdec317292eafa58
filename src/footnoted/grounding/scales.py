"""A claim and its sources in; everything the tiers look at out: evidence, alignment, conflicts, vectors."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from footnoted.grounding.alignment import Alignment, align, align_by_meaning
from footnoted.grounding.contraries import conflicts
from footnoted.grounding.reading import Reading, read
from footnoted.grounding.shelf import Shelf, gather

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footnoted.encoder import Encoded, Encoder
    from footnoted.encoder.entailment import Comparing, Entailment
    from footnoted.grounding.conflicts import Conflict
    from footnoted.grounding.evidence import Found
    from footnoted.types import Source


@dataclass(frozen=True, slots=True)
class Weighed:
    """A claim beside its evidence, before anyone decides. Without an encoder there are no vectors."""

    claim: Reading
    found: tuple[Found, ...]
    alignment: Alignment
    clashes: tuple[Conflict, ...]
    encoded: Encoded | None = None
    encodings: tuple[Encoded, ...] = ()

    def entailment(self, comparing: Comparing) -> Entailment:
        """What the network reads out of the claim beside all of its evidence."""
        assert self.encoded is not None  # noqa: S101 - the network is asked where there is an encoder
        return comparing.read(self.encoded, self.encodings)


def weigh(
    text: str, sources: Sequence[Source], indices: Sequence[int], *, shelf: Shelf, encoder: Encoder | None
) -> Weighed:
    """Put a claim beside those of the sources that ``indices`` name; evidence counts sources as given."""
    claim = read(text)
    chosen = [sources[index] for index in indices]
    if encoder is None:
        found = gather(claim, [shelf.take(source) for source in chosen], None, None)
        encoded = None
        encodings: tuple[Encoded, ...] = ()
        alignment = align(claim, [one.reading for one in found])
    else:
        encoded = encoder.encode([text])[0]
        found = gather(claim, [shelf.prepare(source, encoder) for source in chosen], encoded.whole, encoder)
        encodings = tuple(encoder.encode([one.reading.text for one in found]))
        alignment = align_by_meaning(claim, encoded, [one.reading for one in found], encodings)
    clashes = conflicts(claim, [one.reading for one in found])
    placed = tuple(replace(one, source=indices[one.source]) for one in found)
    return Weighed(claim, placed, alignment, tuple(clashes), encoded, encodings)
