"""The fault table: every way a wire fails × four protocols, through our providers, with times.

    python benchmarks/faults.py [--only WORDS]

Exits 1 when any row is not as it must be. The rows are `footnoted.testing.trials`, the same the tests hold.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from contextlib import aclosing
from typing import TYPE_CHECKING

from _table import goals, heading, versions
from rich.console import Console
from rich.progress import track
from rich.table import Table

from footnoted.providers import build, patient
from footnoted.testing import Reply, ScriptedLLM, faults
from footnoted.testing.trials import DEADLINES, RETRY, Outcome, Told, trials, undergo
from footnoted.types import Prompt, Source

if TYPE_CHECKING:
    from footnoted.testing import Fault
    from footnoted.types import Provider

PROTOCOLS = ("openai", "anthropic", "gemini", "responses")
PROMPT = Prompt(question="What is green?", ask="What is green?", sources=(Source("a", "Grün ist das 漢字."),))


def asked(protocol: str, base_url: str) -> Provider:
    """Our provider for a protocol."""
    if protocol == "responses":
        return build("openai", api="responses", api_key="k-test", base_url=base_url, model="m")
    return build(protocol, api_key="k-test", base_url=base_url, model="m")


async def tell(protocol: str, base_url: str, told: Told) -> None:
    """Ask through provider and patience."""
    provider = asked(protocol, base_url)
    deltas = patient(provider, PROMPT, deadlines=DEADLINES, retry=RETRY, attempts=told.attempts)
    async with aclosing(provider), aclosing(deltas):
        async for delta in deltas:
            told.text += delta.text
            told.finish = delta.finish_reason
            told.usage = delta.usage or told.usage


def cell(outcome: Outcome) -> str:
    """How it ended, how much text came, after how long, and how soon upstream was closed."""
    ending = type(outcome.error).__name__ if outcome.error else str(outcome.told.finish)
    colour = "red" if outcome.wrong else "green"
    closed = "open!" if outcome.closing is None else f"closed +{outcome.closing * 1000:.0f} ms"
    words = f"[{colour}]{ending}[/] · {len(outcome.told.text)} ch · {outcome.seconds * 1000:.0f} ms · {closed}"
    return "\n".join([words, *(f"[red]{wrong}[/]" for wrong in outcome.wrong)])


async def leaving(protocol: str, fault: Fault | None, *, reads: int) -> float:
    """Seconds from the moment the reader is cancelled, after ``reads`` words, until upstream sees it gone."""
    async with ScriptedLLM(Reply("Grün ist das, und blau ist jenes.", delay=0.05, fault=fault)) as llm:
        provider = asked(protocol, llm.url(protocol))
        enough = asyncio.Event()

        async def read() -> None:
            words = 0
            async with aclosing(patient(provider, PROMPT)) as deltas:
                async for _ in deltas:
                    words += 1
                    if words == reads:
                        enough.set()

        async with aclosing(provider):
            reading = asyncio.create_task(read())
            await llm.asked()
            if reads:
                await enough.wait()
            began = asyncio.get_running_loop().time()
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
            try:
                await llm.closed_within(1)
            except AssertionError:
                return 9.0
            return asyncio.get_running_loop().time() - began


LEAVING = {
    "reader leaves before the headers": (faults.hang_before_headers(), 0),
    "reader leaves before the first word": (faults.hang_after_headers(), 0),
    "reader leaves between words": (None, 2),
    "reader leaves a silent stream": (faults.silence(), 2),
}


async def main(only: str) -> int:
    """Play all trials, one at a time, so that the times mean something."""
    heading(
        "The fault table: how each fault ends, with what text, when, and how soon upstream is closed",
        versions("aiohttp"),
    )
    table = Table("fault", *PROTOCOLS, title=f"{DEADLINES}, {RETRY}", show_lines=True)
    chosen = [trial for trial in trials() if only in trial.name]
    outcomes, left = [], []
    for trial in track(chosen, "faults", transient=True):
        row = [await undergo(trial, protocol, tell) for protocol in PROTOCOLS]
        table.add_row(trial.name, *map(cell, row))
        outcomes += row
    Console(width=max(170, Console().width)).print(table)
    for name, (fault, reads) in LEAVING.items():
        if only in name:
            row = [await leaving(protocol, fault, reads=reads) for protocol in PROTOCOLS]
            print(
                f"{name:<38}",
                *(f"{protocol} +{seconds * 1000:.1f} ms  " for protocol, seconds in zip(PROTOCOLS, row, strict=True)),
            )
            left += row
    print()
    right = sum(not outcome.wrong for outcome in outcomes)
    slowest = max([*left, *(9.0 if outcome.closing is None else outcome.closing for outcome in outcomes)])
    reached = [
        ("every fault has its one right ending", f"{right} of {len(outcomes)}", right == len(outcomes)),
        ("upstream closed within 100 ms", f"{slowest * 1000:.1f} ms at the latest", slowest <= 0.1),
    ]
    return goals(reached, report=False)


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--only", default="", help="rows whose name holds these words")
    sys.exit(asyncio.run(main(arguments.parse_args().only)))
