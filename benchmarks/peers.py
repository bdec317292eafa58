"""footnoted beside eight libraries: cost, faults, citations, starting, prompts. One command, one JSON file of results.

    python benchmarks/peers.py                          everything (about 40 minutes)
    python benchmarks/peers.py faults cited             these parts alone, into today's file beside the others
    python benchmarks/peers.py --only openai,langchain  these clients and the floors alone

Each peer is installed from its released packages (pins: `benchmarks/_peers/requirements-*.txt`) into an environment of
its own under ``--envs``, footnoted from this checkout as pip installs it. All meet the same server, sources and prompt
in one run, and take turns within a round, so that the machine's other work falls on all alike. The parts:

- cost: CPU of a paced streamed answer (200 chunks at 50/s), and the wait for its first text
- many: so many streams at once in one process
- faults: what the caller sees of each broken answer, with each client's defaults, and with its own limits set
- leaving: whether the server sees at once that a reader left
- cited: what is made of an answer with planted mistakes
- start: import, memory, disk, first answer from a cold start
- prompt: characters that instructions and framing add
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from _peers import citing, cost, environments, faulty, running, starting
from _peers.recorded import RESULTS, Measuring, keep
from _peers.registry import CLIENTS, LIBRARIES
from _priority import ahead_of_others

PARTS = ("start", "prompt", "cited", "faults", "leaving", "cost", "many")
FLOORS = {"bare", "bare-anthropic", "bare-gemini"}
CITED = {"footnoted, hold (default)": ("footnoted", "openai-hold"), "footnoted, mark": ("footnoted", "openai-mark")}
NATIVE = {"footnoted, over Anthropic's citations": ("footnoted-anthropic", "anthropic-hold")}


def measure_cost(pythons: dict[str, Path], clients: list[str], options: argparse.Namespace) -> dict[str, Any]:
    found = cost.paced(pythons, clients, rounds=options.rounds, streams=options.streams)
    return {"streams": options.streams, "chunks": cost.CHUNKS, "pace": cost.PACE, "rows": found}


def measure_many(pythons: dict[str, Path], clients: list[str], options: argparse.Namespace) -> dict[str, Any]:
    rounds = dict(zip((50, 200, 1000), options.many_rounds, strict=True))
    chosen = cost.comparable(clients)
    found = cost.many(pythons, chosen, rounds={streams: count for streams, count in rounds.items() if count})
    return {"ideal_s": cost.IDEAL, "rows": found}


def measure_faults(pythons: dict[str, Path], clients: list[str], options: argparse.Namespace) -> dict[str, Any]:
    chosen = [client for client in clients if client not in FLOORS - {"bare"} and client != "footnoted-checked"]
    found = {}
    for name, limits, wait in (("defaults", False, options.wait), ("own limits", True, min(45.0, options.wait))):
        found[name] = asyncio.run(faulty.table(pythons, chosen, limits=limits, wait=wait))
    limits = {client: running.limits_of(client) for client in chosen}
    return {"wait_s": options.wait, "limits": limits, "tables": found}


def measure_leaving(pythons: dict[str, Path], clients: list[str], options: argparse.Namespace) -> dict[str, Any]:  # noqa: ARG001
    chosen = [client for client in clients if client not in FLOORS - {"bare"} and client != "footnoted-checked"]
    return {"within_s": faulty.CLOSING, "rows": {client: faulty.left(pythons, client, rounds=3) for client in chosen}}


def measure_cited(pythons: dict[str, Path], clients: list[str], options: argparse.Namespace) -> dict[str, Any]:  # noqa: ARG001
    asked = {CLIENTS[client].title: (client, "") for client in LIBRARIES if client in clients and client != "footnoted"}
    rows = {
        name: asyncio.run(citing.cited(pythons, client, variant))
        for name, (client, variant) in {**CITED, **NATIVE, **asked}.items()
    }
    return {"planted": [f"{one.text} [{one.cited}]." for one in citing.SENTENCES], "rows": rows}


def measure_start(pythons: dict[str, Path], clients: list[str], options: argparse.Namespace) -> dict[str, Any]:
    chosen = ["bare", *(client for client in (*LIBRARIES, "footnoted-checked") if client in clients)]
    return {"rows": starting.started(pythons, chosen, rounds=options.rounds)}


def measure_prompt(pythons: dict[str, Path], clients: list[str], options: argparse.Namespace) -> dict[str, Any]:  # noqa: ARG001
    import prompt_overhead

    rows = {f"footnoted, {form}, titles shown": added for form, added in prompt_overhead.ours().items()}
    if "llamaindex" in pythons:
        command = [str(pythons["llamaindex"]), "prompt_overhead.py", "--peer"]
        said = subprocess.run(
            command,
            check=True,
            capture_output=True,
            text=True,
            cwd=environments.BENCHMARKS,
            env=running.surroundings(),
        ).stdout
        peer = json.loads(said.splitlines()[-1])
        rows["LlamaIndex CitationQueryEngine, its default, no titles"] = peer["default"]
        rows["LlamaIndex CitationQueryEngine, titles shown"] = peer["with titles"]
    return {"rows": rows}


MEASURES = {
    "cost": measure_cost,
    "many": measure_many,
    "faults": measure_faults,
    "leaving": measure_leaving,
    "cited": measure_cited,
    "start": measure_start,
    "prompt": measure_prompt,
}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)}; all unless named")
    parser.add_argument("--only", default="", help="these clients alone, by name, and the floors")
    parser.add_argument("--envs", type=Path, default=environments.default_folder(), help="where environments are kept")
    parser.add_argument("--afresh", action="store_true", help="install every peer again")
    parser.add_argument("--as-installed", action="store_true", help="leave footnoted's environment as it is, too")
    parser.add_argument("--out", type=Path, help="the file; benchmarks/results/peers-DATE.json unless given")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--streams", type=int, default=20, help="at once while CPU is measured")
    parser.add_argument(
        "--many-rounds", type=int, nargs=3, default=(3, 3, 1), help="rounds of 50, 200 and 1,000 streams at once"
    )
    parser.add_argument("--wait", type=float, default=130.0, help="seconds after which a silent client is given up")
    parser.add_argument("--ahead", action="store_true", help="before all other work of the machine (root)")
    options = parser.parse_args()
    unknown = set(options.parts) - set(PARTS) | set(filter(None, options.only.split(","))) - set(CLIENTS)
    if unknown:
        parser.error(
            f"unknown: {', '.join(sorted(unknown))}; parts are {', '.join(PARTS)}; clients {', '.join(CLIENTS)}"
        )
    return options


def main() -> int:
    """Install, measure, keep."""
    options = arguments()
    only = set(filter(None, options.only.split(",")))
    ours = {client for client in CLIENTS if client.startswith("footnoted")}
    clients = [client for client in CLIENTS if not only or client in only | FLOORS | ours]
    names = sorted({CLIENTS[client].env for client in clients})
    pythons = environments.made(options.envs, names, afresh=options.afresh, ours=not options.as_installed)
    if options.ahead:
        ahead_of_others()
    out = options.out or RESULTS / f"peers-{datetime.now(UTC):%Y-%m-%d}.json"
    for part in PARTS:
        if not options.parts or part in options.parts:
            measuring = Measuring()
            found = MEASURES[part](pythons, clients, options)
            versions = {client: running.versions_of(pythons, client) for client in clients}
            keep(out, part, {"measured": measuring.header(), "versions": versions, **found})
            print(f"{part}: kept in {out.name}", file=sys.stderr, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
