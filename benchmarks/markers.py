"""What reading the citation markers of a streamed answer costs, a chunk, and whether that grows with the answer.

    python benchmarks/markers.py [--rounds 7] [--report]

Chunks are 4 to 6 characters, as models' tokens are. ``typical`` is prose with a marker every two sentences or so, a
heading and a list; ``dense`` strings together the test corpus's answers in every dialect, with their code, maths,
tables and links, which is the worst a model may write; ``plain`` has no marker. CPU time of one thread, the best of
several rounds. The last column is the whole of `CitationStream`: markers read, numbered and rendered, and the exact
words of five sources found for each. With ``--report`` a missed goal does not fail the command.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from pathlib import Path

from _table import goals, heading, table, versions

from footnoted.citations import CitationStream, MarkerDecoder
from footnoted.contract import CitationStyle
from footnoted.types import Source

sys.path.insert(0, str(Path(__file__).parent.parent))
from tests.citations.answers import ANSWERS

SIZES = (500, 2_000, 8_000, 32_000)
LIMIT, FLAT = 2.0, 1.25  # µs a chunk; how much dearer a chunk of the longest answer may be than one of the shortest

TYPICAL = """\
## What is covered

The windscreen excess is £100 for a replacement and £25 for a repair, whichever garage you choose [1]. Theft must be
reported to the police within 24 hours, and to us within 14 days of the day you find out [2, 3]. If you were abroad at
the time, the period runs from the day you return home.

- **Personal belongings** are covered up to £1,500 for each person [2].
- Cash, tickets and documents are not covered unless they were kept in a safe (the hotel's will do) [4].

In short, call the claims line first, keep every receipt, and send photographs of the damage with your form [1][5].

"""
PLAIN = "The policy pays for what was lost and for what it costs to find a place to stay while repairs go on. " * 8
SOURCES = [
    Source(str(number), f"The windscreen excess is £{number}00. Theft is reported to the police. " * 8)
    for number in range(1, 6)
]


def chunks(text: str, count: int) -> list[str]:
    """The first ``count`` pieces of 4 to 6 characters of a text, repeated as often as it takes."""
    chance = random.Random(7)
    text *= count * 6 // len(text) + 1
    pieces: list[str] = []
    at = 0
    while len(pieces) < count:
        size = chance.choice((4, 5, 6))
        pieces.append(text[at : at + size])
        at += size
    return pieces


def best(pieces: list[str], make, rounds: int) -> float:
    """Microseconds of CPU a chunk, ``flush`` included, the best of ``rounds``."""
    found = []
    for _ in range(rounds):
        decoder = make()
        decode = decoder.decode
        before = time.process_time()
        for piece in pieces:
            decode(piece)
        decoder.flush()
        found.append((time.process_time() - before) / len(pieces) * 1e6)
    return min(found)


def main() -> int:
    """Print the table and whether the goals were reached."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--report", action="store_true")
    options = parser.parse_args()
    heading("Marker decoding, µs of CPU a chunk", versions("footnoted"))
    texts = {"plain": PLAIN, "typical": TYPICAL, "dense": "\n\n".join(ANSWERS.values())}
    costs: dict[tuple[str, int], float] = {}
    rows = []
    for size in SIZES:
        row = [f"{size:,} chunks"]
        for name, text in texts.items():
            costs[name, size] = best(chunks(text, size), lambda: MarkerDecoder(5), options.rounds)
            row.append(f"{costs[name, size]:.2f}")
        whole = best(
            chunks(TYPICAL, size), lambda: CitationStream(SOURCES, style=CitationStyle.NUMBERED), options.rounds
        )
        rows.append([*row, f"{whole:.2f}"])
    table(("answer", *texts, "CitationStream, typical"), rows)
    dearest = max(costs["typical", size] for size in SIZES)
    # The corpus behind "dense" takes 1,400 chunks, so its first 500 are other text than the rest.
    growth = max(costs[name, SIZES[-1]] / costs[name, SIZES[name == "dense"]] for name in texts)
    return goals(
        [
            (f"typical ≤ {LIMIT} µs a chunk", f"{dearest:.2f} µs", dearest <= LIMIT),
            (f"flat to {SIZES[-1]:,} chunks (≤ {FLAT} ×)", f"{growth:.2f} ×", growth <= FLAT),
        ],
        report=options.report,
    )


if __name__ == "__main__":
    sys.exit(main())
