"""Resolves a group of markers, as written, to the markers it stands for."""

from __future__ import annotations

from dataclasses import dataclass

from footnoted.citations.groups import Group


@dataclass(frozen=True, slots=True)
class Marker:
    """The sources one marker names: valid 1-based ``numbers`` in the order written.

    ``raw`` is what the model wrote; ``before`` the white space it put before, which belongs to the marker so
    that a superscript may close up to its word.
    """

    numbers: tuple[int, ...]
    raw: str
    before: str = ""


def written(group: Group, text: str, at: int, before: str) -> list[str | Marker]:
    """What a group that begins at ``at`` comes to: neighbours are one marker, a word between them stays."""
    out: list[str | Marker] = []
    if group.lead:
        out.append(before + group.lead)
        before = ""
    start, numbers = at, list[int]()
    for part in group.parts:
        if part.numbers and part.joined_by and numbers:
            out += [
                Marker(tuple(numbers), text[start : part.start].removesuffix(part.joined_by), before),
                part.joined_by,
            ]
            start, numbers, before = part.start, [], ""
        numbers += part.numbers
    out.append(Marker(tuple(numbers), text[start : group.end], before))
    if group.trail:
        out.append(group.trail)
    return out
