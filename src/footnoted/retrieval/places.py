"""Where in its file a stretch of a passage stands: the rectangles on a page, the cells of a sheet, the page or line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_MOST_CELLS = 3  # cells that are named one by one


def places_of(metadata: Mapping[str, Any], start: int, end: int) -> list[dict[str, Any]]:
    """The places of ``text[start:end]`` of the passage this metadata belongs to, in order; none where none are known.

    Each has ``start`` and ``end``, clipped to the stretch, and ``page`` with ``box`` (left, bottom, right, top in
    points from the page's lower left corner), or ``sheet`` with ``cell``.
    """
    places = metadata.get("places")
    if not isinstance(places, list):
        return []
    return [
        {**place, "start": max(start, place["start"]), "end": min(end, place["end"])}
        for place in places
        if isinstance(place, dict) and place.get("start", end) < end and start < place.get("end", start)
    ]


def place_name(metadata: Mapping[str, Any], start: int, end: int) -> str:
    """What people call the place of ``text[start:end]``: its cells, its page or pages, or its line; empty if unknown.

    >>> place_name({"places": [{"start": 0, "end": 4, "sheet": "Prices", "cell": "B7"}]}, 0, 4)
    'Prices!B7'
    """
    places = places_of(metadata, start, end)
    cells = [place["cell"] for place in places if place.get("cell")]
    if cells:
        sheet = places[0].get("sheet")
        named = ", ".join(cells) if len(cells) <= _MOST_CELLS else f"{cells[0]} to {cells[-1]}"
        return f"{sheet}!{named}" if sheet else named
    pages = [place["page"] for place in places if place.get("page") is not None] or [metadata.get("page")]
    if isinstance(pages[0], int):
        return f"page {pages[0]}" if pages[0] == pages[-1] else f"pages {pages[0]}–{pages[-1]}"
    return f"line {metadata['line']}" if isinstance(metadata.get("line"), int) else ""
