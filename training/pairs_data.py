"""The shared entailment pairs in; a mixed, capped, deduplicated list of claims beside their evidence sentences out.

A pair's premise is cut into sentences as the product cuts sources, and of a long one those are kept that the product
would choose by words. One premise in twelve is kept aside to watch the training by.
"""

from __future__ import annotations

import gzip
import json
import random
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from footnoted.grounding.evidence import MOST
from footnoted.grounding.reading import read
from footnoted.grounding.shelf import Shelf, gather
from footnoted.text import sentences
from footnoted.types import Source

SEED = 7
ASIDE = 12
# How many of each set, what comes first in it; sets of one label only are balanced by what stands beside them.
CAPS = {
    "wiki_nli_protocols": 40_000,
    "mnli": 44_000,
    "fever_rte": 13_200,
    "fever_symmetric": 1_100,
    "snli_cad": 6_000,
    "snli": 10_000,
    "sad_wiki": 12_000,
    "negation_nli": 3_000,
    "scifact": 800,
    "condaqa_yesno": 6_000,
    "drop_nli": 4_000,
    "wiki_split_pos": 12_000,
    "wiki_refuted": 12_000,
    "wiki_split_neg_synth": 6_000,
    "onestop": 3_800,
    "conj_nli": 3_000,
    "breaking_nli": 2_000,
    "wikires": 1_500,
    "help": 1_500,
    "med": 2_000,
    "scone": 1_000,
}
LABELS = {"supported": 0, "contradicted": 1, "neutral": 2, "unsupported": 3}  # 3: contradicted or neutral
_LONGEST = 90  # words of a claim or an evidence sentence; the few that are longer are left out


@dataclass(frozen=True, slots=True)
class Pair:
    """A claim, the sentences of its premise that could carry it, best first, and what they make of it."""

    set: str
    claim: str
    evidence: tuple[str, ...]
    label: int
    aside: bool


def pairs(data: Path) -> list[Pair]:
    """Every chosen pair once, in one fixed mixed order."""
    dice = random.Random(SEED)
    seen: set[tuple[str, str]] = set()
    found: list[Pair] = []
    for name, cap in CAPS.items():
        rows = [*_lines(data / "training" / f"{name}.jsonl.gz")]
        dice.shuffle(rows)
        for row in rows[:cap]:
            key = (row["premise"].casefold(), row["claim"].casefold())
            if key in seen:
                continue
            seen.add(key)
            aside = zlib.crc32(row["premise"].encode()) % ASIDE == 0
            evidence = _evidence(row["claim"], row["premise"])
            if evidence and all(0 < len(text.split()) <= _LONGEST for text in (row["claim"], *evidence)):
                found.append(Pair(name, row["claim"], evidence, LABELS[row["label"]], aside))
    dice.shuffle(found)
    return found


def _lines(path: Path) -> Iterator[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _evidence(claim: str, premise: str) -> tuple[str, ...]:
    spans = sentences(premise)
    if len(spans) <= MOST:
        return tuple(premise[span.start : span.end] for span in spans)
    chosen = gather(read(claim), [Shelf().take(Source(id="0", text=premise))], None, None)
    if chosen:
        return tuple(one.reading.text for one in chosen)
    return (premise,) if len(premise.split()) <= _LONGEST else ()
