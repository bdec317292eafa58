"""The fault table: every way a wire fails × three protocols, through our providers, with times.

    python benchmarks/faults.py [--only WORDS]

Exits 1 when any row is not as it must be. The rows are `footnoted.testing.trials`, the same the tests hold.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from contextlib import aclosing

from rich.console import Console
from rich.progress import track
from rich.table import Table

from footnoted.providers import build, patient
from footnoted.testing.trials import DEADLINES, RETRY, Outcome, Told, trials, undergo
from footnoted.types import Prompt, Source

PROTOCOLS = ("openai", "anthropic", "gemini")
PROMPT = Prompt(question="What is green?", ask="What is green?", sources=(Source("a", "Grün ist das 漢字."),))


async def tell(protocol: str, base_url: str, told: Told) -> None:
    """Ask through provider and patience."""
    provider = build(protocol, api_key="k-test", base_url=base_url, model="m")
    deltas = patient(provider, PROMPT, deadlines=DEADLINES, retry=RETRY, attempts=told.attempts)
    async with aclosing(deltas):
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


async def main(only: str) -> int:
    """Play all trials, one at a time, so that the times mean something."""
    table = Table("fault", *PROTOCOLS, title=f"{DEADLINES}, {RETRY}", show_lines=True)
    chosen = [trial for trial in trials() if only in trial.name]
    wrong = 0
    for trial in track(chosen, "faults", transient=True):
        outcomes = [await undergo(trial, protocol, tell) for protocol in PROTOCOLS]
        wrong += sum(bool(outcome.wrong) for outcome in outcomes)
        table.add_row(trial.name, *map(cell, outcomes))
    console = Console(width=max(150, Console().width))
    console.print(table)
    console.print(f"{len(chosen) * len(PROTOCOLS) - wrong} of {len(chosen) * len(PROTOCOLS)} right")
    return wrong


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--only", default="", help="rows whose name holds these words")
    sys.exit(1 if asyncio.run(main(arguments.parse_args().only)) else 0)
