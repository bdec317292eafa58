"""Labelled claims in; every sentence of them beside its evidence out: features, token states, what is known of it.

    python training/weigh_claims.py DATA KEPT [--part 0/2]

Small talk is left out, as the check leaves it out. Every third record is weighed a second time among passages about something else, because that is how sources come.
Runs with different parts share the work, ten minutes in all on two cores; what they made lies in
``KEPT/rows-*.pickle`` and is not made again.
"""

from __future__ import annotations

import argparse
import pickle
import random
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from claims_data import SETS, Record, records

from footnoted.encoder import Encoder
from footnoted.grounding.exact import decide
from footnoted.grounding.features import lexical, semantic
from footnoted.grounding.kinds import is_small_talk
from footnoted.grounding.scales import Weighed, weigh
from footnoted.grounding.shelf import Shelf
from footnoted.types import Source

AMID, CROWDS = 3, (2, 6, 12, 24, 40)  # one record in so many; how many passages stand around it
STRANGERS = 250  # passages of which the crowds are drawn
CLAIM, EVIDENCE = 120, 200  # tokens beyond which what the network is tuned on is cut


@dataclass(frozen=True, slots=True)
class Tokens:
    """The ids (t,) and states (t, 384) of a text's tokens, as the encoder keeps them."""

    ids: np.ndarray
    states: np.ndarray


@dataclass(slots=True)
class Row:
    """One sentence of a record beside its evidence.

    ``values`` are its features in the order of ``LEXICAL``, ``SEMANTIC``; ``label`` is -1 where it is not known;
    ``exact`` is what the exact tier says; ``doubts`` tells of each token of the claim whether it is wrong (1), right
    (0) or not known (-1); ``twin`` is -1, or which row is the same sentence without passages about something else.
    """

    record: int
    sentence: int
    values: list[float]
    label: int
    exact: str
    claim: Tokens
    evidence: Tokens
    doubts: np.ndarray
    twin: int = -1


def kept(folder: Path) -> list[Row]:
    """All rows, in the order of the records, once every part is there."""
    made: list[Row] = []
    for path in sorted(folder.glob("rows-*.pickle")):
        part = pickle.loads(path.read_bytes())
        for row in part:
            row.twin = row.twin if row.twin < 0 else row.twin + len(made)
        made += part
    return made


def weighed(found: list[Record], mine: list[int]) -> list[Row]:
    """The rows of the records whose numbers are ``mine``."""
    encoder, shelf = Encoder(threads=1, kept_bytes=2 << 30), Shelf(400_000_000)
    strange = [s.text[:1200] for record in found if record.set in ("bump", "summedits") for s in record.sources]
    strange = [*dict.fromkeys(strange)]
    random.Random(5).shuffle(strange)
    made: list[Row] = []
    for count, number in enumerate(mine):
        record = found[number]
        passages = [record.sources]
        if number % AMID == 0 and record.set in SETS:
            passages.append([*_crowd(record, strange[:STRANGERS], random.Random(number)), *record.sources])
        for place, sentence in enumerate(record.sentences):
            if is_small_talk(sentence):
                continue
            twin = -1
            for sources in passages:
                one = weigh(sentence, sources, range(len(sources)), shelf=shelf, encoder=encoder)
                made.append(_row(record, number, place, one, encoder))
                made[-1].twin = twin
                twin = len(made) - 1
        if count % 500 == 0:
            print(count, "of", len(mine), flush=True)
    return made


def _crowd(record: Record, strange: list[str], dice: random.Random) -> list[Source]:
    drawn = [Source(id=f"n{n}", text=text) for n, text in enumerate(dice.sample(strange, dice.choice(CROWDS)))]
    return [one for one in drawn if all(one.text[:60] not in source.text for source in record.sources)]


def _row(record: Record, number: int, place: int, one: Weighed, encoder: Encoder) -> Row:
    assert one.encoded is not None
    verdict, label = decide(one), record.labels[place]
    values = lexical(one.claim, one.found, one.alignment, one.clashes)
    values += semantic(one.claim, [found.like for found in one.found], one.alignment)
    claim = Tokens(one.encoded.ids[:CLAIM], one.encoded.states[:CLAIM])
    beside = one.encodings or encoder.encode([""])
    ids, states = (np.concatenate([getattr(x, part) for x in beside])[:EVIDENCE] for part in ("ids", "states"))
    doubts = _doubts(record, place, len(claim.ids), one.encoded.offsets)
    known = -1 if label is None else label
    return Row(number, place, values, known, verdict.ruling if verdict else "", claim, Tokens(ids, states), doubts)


def _doubts(record: Record, place: int, count: int, offsets: np.ndarray) -> np.ndarray:
    """Of each of the claim's tokens, marks included: 1 wrong, 0 right, -1 not known."""
    known = np.full(count, -1.0, dtype=np.float32)
    wrong = [] if record.labels[place] == 1 else record.wrong[place]
    if record.labels[place] is None or wrong is None or (record.labels[place] == 0 and not wrong):
        return known
    known[1:-1] = 0
    for token, (start, end) in enumerate(offsets[: count - 2]):
        if any(start < last and first < end for first, last in wrong):
            known[token + 1] = 1
    return known


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("kept", type=Path)
    parser.add_argument("--part", default="0/1", help="which of how many processes this is")
    options = parser.parse_args()
    part, of = map(int, options.part.split("/"))
    target = options.kept / f"rows-{part}.pickle"
    if target.exists():
        return
    found = records(options.data)
    mine = [number for number, record in enumerate(found) if zlib.crc32(b"x" + record.doc.encode()) % of == part]
    made = weighed(found, mine)
    options.kept.mkdir(parents=True, exist_ok=True)
    target.with_suffix(".part").write_bytes(pickle.dumps(made))
    target.with_suffix(".part").rename(target)


if __name__ == "__main__":
    import weigh_claims  # so that the kept rows name this module and not the script that was run

    weigh_claims.main()
