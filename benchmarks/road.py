"""How far a word of an answer travels: functions of footnoted entered between the provider's delta and the caller.

    python benchmarks/road.py [--list] [--report]

A scripted provider writes one cited answer, a word a delta, to `GroundedGenerator.stream`, once in each way of checking;
the checker is a stub that ticks everything at once, so what is counted is the road of the text and not the weighing.
From one delta until the next is asked for:

- a **stop** is a function of footnoted that is entered or resumed, counted once however often that happens
  (comprehensions count as their function);
- a **climb** is a stop on a higher floor than the one before it. Floors are those of ARCHITECTURE.md: answering above
  prompting, providers, citations and grounding, these above retrieval and models, these above the modules of the root.

``word`` is a word inside a sentence (the median), ``marker`` the delta that completes a citation, whose words must be
found in the source, ``next`` the word that shows the sentence before to be over, so that it is weighed.
``--list`` names the stops of a word. With ``--report`` a missed goal does not fail the command.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import statistics
import sys
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from _table import goals, heading, table, versions

import footnoted
from footnoted import GenerationRequest, GroundedGenerator, SourceContext
from footnoted.types import Delta, Evidence, FinishReason, Verdict

if TYPE_CHECKING:
    from types import FrameType

    Stop = tuple[str, str]  # the file below footnoted/, and the function

ROOT = f"{Path(footnoted.__file__).parent}/"
FLOORS = {"answering": 3, "prompting": 2, "providers": 2, "citations": 2, "grounding": 2, "retrieval": 1, "models": 1}
SOURCES = ["The windscreen excess is £75 for a repair.", "You must call us within 14 days of the loss."]
ANSWER = "The excess is £75 for a repair [1]. You must call us within 14 days of the loss [2]. All else is free."
WORDS = re.findall(r"\s?\S+", ANSWER)
MODES = ("off", "mark", "hold")
MOST_STOPS, MOST_CLIMBS = 25, 8


class Ticking:
    """A checker that believes everything."""

    async def acheck(self, claim, sources, *, cited=()):  # noqa: ARG002
        quote = sources[0].text
        return Verdict("supported", score=0.99, tier="exact", evidence=(Evidence(0, 0, len(quote), quote, 1.0),))


async def travelled(mode: str) -> list[list[Stop]]:
    """For each word of the answer the stops of its road, in order."""
    roads: list[list[Stop]] = [[] for _ in WORDS]
    under_way: list[Stop] = []

    def note(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(ROOT) and not code.co_name.startswith("<"):
            under_way.append((code.co_filename.removeprefix(ROOT), code.co_qualname))

    async def provider(_):
        nonlocal under_way
        for road, word in zip(roads, WORDS, strict=True):
            under_way = road
            yield Delta(word)
        under_way = []
        yield Delta(finish_reason=FinishReason.COMPLETE)

    generator = GroundedGenerator(provider, checking=mode, checker=Ticking())
    request = GenerationRequest(query="What is the excess?", context=[SourceContext(content=text) for text in SOURCES])
    sys.setprofile(note)
    try:
        async for _ in generator.stream(request):
            pass
    finally:
        sys.setprofile(None)
    return roads


def climbs(road: list[Stop]) -> int:
    """How often the road goes up."""
    floors = [FLOORS.get(file.split("/")[0], 0) for file, _ in road]
    return sum(after > before for before, after in pairwise(floors))


def main() -> int:
    """Measure, print, and say whether the goals were reached."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--report", action="store_true")
    options = parser.parse_args()
    heading("The road of a streamed answer: stops / climbs of one delta", versions("footnoted"))
    rows, usual, rising = [], 0, 0
    for mode in MODES:
        roads = asyncio.run(travelled(mode))
        lengths, rises = [len(set(road)) for road in roads], [climbs(road) for road in roads]
        word = roads[WORDS.index(" for")]
        marker = max(place for place, text in enumerate(WORDS) if "[" in text)
        usual, rising = max(usual, len(set(word))), max(rising, climbs(word))
        told = [(lengths[place], rises[place]) for place in (WORDS.index(" for"), marker, marker + 1)]
        told.append((round(statistics.mean(lengths[1:]), 1), round(statistics.mean(rises[1:]), 1)))
        rows.append((mode, *(f"{stops} / {ups}" for stops, ups in told)))
        if options.list:
            print(mode, *(f"{file}  {name}" for file, name in word), sep="\n  ")
            print()
    table(("checking", "word", "marker", "next", "mean of all"), rows)
    reached = [
        (f"a word passes ≤ {MOST_STOPS} stops, whatever the checking", str(usual), usual <= MOST_STOPS),
        (f"and climbs ≤ {MOST_CLIMBS} times", str(rising), rising <= MOST_CLIMBS),
    ]
    return goals(reached, report=options.report)


if __name__ == "__main__":
    sys.exit(main())
