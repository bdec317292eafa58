"""What checking costs inside a stream: a sentence's wait, answers at once, memory; and nothing when it is off.

Run: python benchmarks/checking.py [--answers 60] [--report]
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import time
from uuid import UUID

from _table import goals, heading, versions
from _texts import ANSWER, QUESTION, SOURCES

from footnoted import GenerationConfig, GenerationRequest, GroundedGenerator, SourceContext
from footnoted.answering.generator import shipped_checker
from footnoted.events import AnswerFinished, ClaimChecked
from footnoted.types import Delta

PACE = 1 / 50


class Timed:
    """The shipped checker with a watch in its hand."""

    def __init__(self):
        self.inner = shipped_checker()
        self.waits = []

    async def acheck(self, claim, sources, *, cited=()):
        began = time.perf_counter()
        verdict = await self.inner.acheck(claim, sources, cited=cited)
        self.waits.append(time.perf_counter() - began)
        return verdict


def request():
    sources = [
        SourceContext(chunk_id=UUID(int=i), document_id=UUID(int=i), content=text, metadata={"title": title})
        for i, (title, text) in enumerate(SOURCES, start=1)
    ]
    return GenerationRequest(query=QUESTION, context=sources, config=GenerationConfig())


def paced(pieces):
    async def model(_prompt):
        begun = time.perf_counter()
        for number, piece in enumerate(pieces):
            await asyncio.sleep(max(0.0, begun + number * PACE - time.perf_counter()))
            yield Delta(piece)

    return model


async def one_answer(pieces, timed, lags, checking):
    """An answer whose text leaves at once: how long after a sentence's last chunk came its verdict."""
    told = {}
    async with GroundedGenerator(paced(pieces), checker=timed, checking=checking) as generator:
        async for event in generator.stream(request()):
            now = time.perf_counter()
            if isinstance(event, ClaimChecked):
                lags.append(now - told.get(event.claim.end, now))
            elif isinstance(event, AnswerFinished):
                break
            elif hasattr(event, "text"):
                for at in range(event.start, event.start + len(event.text) + 1):
                    told.setdefault(at, now)


async def lagging(answers, pieces):
    timed, lags = Timed(), []
    await one_answer(pieces, timed, [], "mark")
    timed.waits.clear()
    await asyncio.gather(*(one_answer(pieces, timed, lags, "mark") for _ in range(answers)))
    return timed.waits, lags


def at(share, values):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def memory(code):
    """Peak resident MB of a fresh process after this code."""
    program = f"{code}\nimport resource; print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000)"
    return float(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--answers", type=int, default=60)
    arguments.add_argument("--report", action="store_true", help="print without failing on a missed goal")
    options = arguments.parse_args()
    heading("What checking costs inside a stream", versions("footnoted", "onnxruntime"))
    pieces = [ANSWER[i : i + 5] for i in range(0, len(ANSWER), 5)]
    reached = []

    def goal(what, found, most, unit):
        reached.append((f"{what} <= {most:g} {unit}", f"{found:.1f} {unit}", found <= most))

    waits, _ = asyncio.run(lagging(1, pieces))
    goal("a sentence's verdict, 5 sources of 200 words, one answer at a time: p50", at(0.5, waits) * 1000, 15, "ms")
    goal("… p95", at(0.95, waits) * 1000, 60, "ms")
    waits, lags = asyncio.run(lagging(options.answers, pieces))
    goal(
        f"{options.answers} answers at once at 50 chunks/s: verdict behind its text, p95",
        at(0.95, lags) * 1000,
        1000,
        "ms",
    )
    loaded = "from footnoted.grounding.check import Checker; from footnoted.types import Source\n"
    loaded += "Checker().check('It costs nine pounds to mend.', [Source('a', 'Mending the thing costs £9 at most.')])"
    goal("a process with the model loaded, resident", memory(loaded), 250, "MB")
    bare = "from footnoted import GroundedGenerator; import footnoted.answering.generator"
    goal(
        "checking off, more than without", memory(f"{bare}; GroundedGenerator(checking='off')") - memory(bare), 1, "MB"
    )
    return goals(reached, report=options.report)


if __name__ == "__main__":
    sys.exit(main())
