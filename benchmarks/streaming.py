"""What a paced streamed answer costs: footnoted next to a bare aiohttp loop, the openai SDK and LlamaIndex.

    python benchmarks/streaming.py --peers-python PATH

A server of its own process sends 200 chunks at 50 a second; each client is a fresh process with 50 streams at once,
begun apart so that each chunk wakes it; its CPU (user and system, imports excluded) is divided by the streams.
Then 200 one-piece answers after one another: milliseconds from asking to the first text. Clients take turns,
in an order that rotates; a row's ratio is the median of the ratios within each round, which a busy machine disturbs less
than either figure. Where the system permits it everything runs at real-time priority: on a busy machine a wake-up that
comes late finds several chunks at once, and the bare loop, whose cost is mostly the waking, would look cheaper than it is.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

from _paced_server import paced_server
from _priority import ahead_of_others
from _table import goals, heading, table

PEERS = ("openai", "llamaindex")
NAMES = {
    "bare": "bare aiohttp loop",
    "footnoted": "footnoted, citations decoded",
    "footnoted-new": "… sources never met before",
    "openai": "openai SDK",
    "llamaindex": "LlamaIndex OpenAI",
}


def measure(client: str, address: str, python: str, options: list[str]) -> dict[str, object]:
    """One client in a process of its own; its figures."""
    command = [python, str(Path(__file__).with_name("_stream_clients.py")), client, address, *options]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"the client {client!r} failed:\n{done.stderr[-3000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def rounds(clients: list[str], peers_python: str, count: int, options: list[str]) -> dict[str, list[dict[str, object]]]:
    """Every client's figures, ``count`` rounds of all of them."""
    found: dict[str, list[dict[str, object]]] = {client: [] for client in clients}
    with paced_server() as address:
        for number in range(count):
            turn = number % len(clients)
            for client in (*clients[turn:], *clients[:turn]):
                python = peers_python if client in PEERS else sys.executable
                found[client].append(measure(client, address, python, options))
    return found


def ratio(found: dict[str, list[dict[str, object]]], one: str, other: str) -> float:
    """The median over the rounds of one client's CPU by the other's."""
    pairs = zip(found[one], found[other], strict=True)
    return statistics.median(mine["cpu_ms"] / theirs["cpu_ms"] for mine, theirs in pairs)


def median(figures: list[dict[str, object]], name: str) -> float:
    """Of one figure over the rounds."""
    return statistics.median(figure[name] for figure in figures)


def least(figures: list[dict[str, object]], name: str) -> float:
    """The least of one figure: what it costs when nothing else runs."""
    return min(figure[name] for figure in figures)


def main() -> int:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers-python", help="the Python of the peers' environment; see benchmarks/README.md")
    parser.add_argument("--report", action="store_true", help="exit 0 even when a goal is missed")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--ordinary", action="store_true", help="keep the ordinary priority")
    parser.add_argument("--streams", type=int, default=50)
    args = parser.parse_args()
    priority = "ordinary" if args.ordinary else ahead_of_others()
    clients = ["bare", "footnoted", "footnoted-new", *(PEERS if args.peers_python else ())]
    found = rounds(clients, args.peers_python, args.rounds, ["--streams", str(args.streams)])
    used = {name: number for client in clients for name, number in found[client][0]["versions"].items()}
    heading(f"A paced streamed answer: 200 chunks at 50/s, {args.streams} streams a process, {priority} priority", used)
    rows = [
        (
            NAMES[client],
            f"{median(found[client], 'cpu_ms'):.1f}",
            f"{least(found[client], 'cpu_ms'):.1f}",
            f"{ratio(found, client, 'bare'):.2f}",
            f"{ratio(found, client, 'openai'):.2f}" if "openai" in found else "",
            f"{median(found[client], 'first_ms'):.2f}",
            f"{least(found[client], 'first_ms'):.2f}",
        )
        for client in clients
    ]
    table(("client", "CPU ms/stream", "least", "× bare", "× SDK", "first text ms", "least"), rows)
    over = ratio(found, "footnoted", "bare")
    later = median(found["footnoted"], "first_ms") - median(found["bare"], "first_ms")
    reached = [("CPU: at most 1.35 × the bare loop", f"{over:.2f} ×", over <= 1.35)]
    if "openai" in found:
        share = ratio(found, "footnoted", "openai")
        reached.append(("CPU: at most 0.4 × the openai SDK", f"{share:.2f} ×", share <= 0.4))
    reached.append(("first text: within 1 ms of the bare loop", f"+{later:.2f} ms", later <= 1))
    return goals(reached, report=args.report)


if __name__ == "__main__":
    sys.exit(main())
