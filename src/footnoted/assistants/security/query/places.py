"""Where clouds' regions are: the regions of a city, a country, a continent. The table is ``regions.toml``."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path


@lru_cache(maxsize=1)
def places() -> dict[str, tuple[str, ...]]:
    """The regions of each place, whose name is written together in small letters.

    >>> places()["sweden"]
    ('eu-north-1', 'europe-north2', 'swedencentral')
    """
    table = tomllib.loads(Path(__file__).with_name("regions.toml").read_text(encoding="utf-8"))
    found: dict[str, tuple[str, ...]] = {}
    for country, cities in table["regions"].items():
        found |= {city: tuple(regions.split()) for city, regions in cities.items()}
        found[country] = tuple(region for regions in cities.values() for region in regions.split())
    for wider, countries in {**table["countries"], **table["unions"]}.items():
        found[wider] = tuple(region for country in countries.split() for region in found[country])
    found |= {name: found[place] for place, names in table["also"].items() for name in names.split()}
    return found
