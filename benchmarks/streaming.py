"""What a paced streamed answer costs: footnoted beside a bare aiohttp loop and the openai SDK, few and many at once.

    python benchmarks/streaming.py [--peers-python PATH] [--counts 20 60 200] [--most 1000] [--rounds 5]

A server of its own process sends each stream 200 chunks at 50 a second. Every measurement is a fresh process at the
ordinary priority, and what is told is the CPU (user and system) of that process alone, divided by its streams; imports
and a first pass over the code are paid before. footnoted runs with checking off, answers whose sources all requests
share and answers each from sources never met before. Clients take turns in an order that rotates; a ratio is the
median of the ratios within each round, which a busy machine disturbs less than either figure.

With ``--most`` so many streams at once are begun together: wall time, and the growth of the resident set at its highest
while they are open, divided by the streams. ``--together`` begins all others together too, so that their chunks come
in step; ``--ahead`` takes real-time priority (as root), for a machine with other work.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from _many_server import many_server
from _priority import ahead_of_others
from _table import goals, heading, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    Figures = dict[str, float]
    Found = dict[str, list[Figures]]

NAMES = {
    "bare": "bare aiohttp loop",
    "footnoted": "footnoted, sources shared",
    "footnoted-new": "footnoted, sources never met before",
    "openai": "openai SDK",
}
CHUNKS, PACE = 200, 50
MOST_CPU = 1.35  # times the bare loop
MOST_SHARE = 0.25  # of the openai SDK
MOST_WALL = 1.25  # times the bare loop, of very many
MOST_MEMORY = 80  # KB a stream
MOST_LATER = 1.0  # ms behind the bare loop's first text


def measure(client: str, address: str, python: str, options: Sequence[str]) -> dict[str, object]:
    """One client in a process of its own; its figures."""
    command = [python, str(Path(__file__).with_name("_stream_clients.py")), client, address, *options]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"the client {client!r} failed:\n{done.stderr[-3000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def rounds(clients: Sequence[str], peers_python: str, count: int, options: Sequence[str]) -> Found:
    """Every client's figures, ``count`` rounds of all of them, in turns."""
    found: Found = {client: [] for client in clients}
    with many_server() as address:
        for number in range(count):
            turn = number % len(clients)
            for client in (*clients[turn:], *clients[:turn]):
                python = peers_python if client == "openai" else sys.executable
                found[client].append(measure(client, address, python, options))
    return found


def median(found: Found, client: str, name: str) -> float:
    """Of one figure over the rounds."""
    return statistics.median(figures[name] for figures in found[client])


def ratio(found: Found, one: str, other: str, name: str) -> float:
    """The median over the rounds of one client's figure by the other's."""
    return statistics.median(a[name] / b[name] for a, b in zip(found[one], found[other], strict=True))


def main() -> int:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers-python", default=sys.executable, help="a Python that has the openai SDK")
    parser.add_argument("--counts", type=int, nargs="*", default=[20, 60, 200], help="streams at once")
    parser.add_argument("--most", type=int, default=1000, help="very many at once; 0 for none")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--together", action="store_true", help="begin all streams together")
    parser.add_argument("--ahead", action="store_true", help="take real-time priority")
    parser.add_argument("--report", action="store_true", help="exit 0 even when a goal is missed")
    args = parser.parse_args()
    priority = ahead_of_others() if args.ahead else "ordinary"
    begun = ["--together"] if args.together else []
    reached: list[tuple[str, str, bool]] = []
    rows = []
    by_count = {
        count: rounds(list(NAMES), args.peers_python, args.rounds, ["--streams", str(count), "--shorts", "0", *begun])
        for count in args.counts
    }
    for count, found in by_count.items():
        for client, name in NAMES.items():
            figures = (
                median(found, client, "cpu_ms"),
                *(ratio(found, client, x, "cpu_ms") for x in ("bare", "openai")),
            )
            wall = median(found, client, "wall_s")
            rows.append(
                (f"{count}: {name}", f"{figures[0]:.1f}", f"{figures[1]:.2f}", f"{figures[2]:.2f}", f"{wall:.2f}")
            )
        over, share = ratio(found, "footnoted", "bare", "cpu_ms"), ratio(found, "footnoted", "openai", "cpu_ms")
        reached.append((f"{count}: CPU at most {MOST_CPU} × the bare loop", f"{over:.2f} ×", over <= MOST_CPU))
        reached.append((f"{count}: CPU at most {MOST_SHARE} × the openai SDK", f"{share:.2f} ×", share <= MOST_SHARE))
    first = rounds(["bare", "footnoted"], args.peers_python, args.rounds, ["--streams", "0"])
    later = median(first, "footnoted", "first_ms") - median(first, "bare", "first_ms")
    reached.append((f"first text within {MOST_LATER:g} ms of the bare loop", f"+{later:.2f} ms", later <= MOST_LATER))
    many: Found = {}
    if args.most:
        options = ["--streams", str(args.most), "--shorts", "0", "--together"]
        many = rounds(["bare", "footnoted", "footnoted-new"], args.peers_python, args.rounds, options)
        over, size = ratio(many, "footnoted", "bare", "wall_s"), median(many, "footnoted", "kb")
        reached.append(
            (f"{args.most}: wall time at most {MOST_WALL} × the bare loop", f"{over:.2f} ×", over <= MOST_WALL)
        )
        reached.append((f"{args.most}: at most {MOST_MEMORY} KB a stream", f"{size:.0f} KB", size <= MOST_MEMORY))
    one = next(iter(by_count.values()), first)
    used = {name: number for client in one for name, number in one[client][0]["versions"].items()}
    heading(f"Paced streamed answers: {CHUNKS} chunks at {PACE}/s, {priority} priority, {args.rounds} rounds", used)
    table(("streams at once: client", "CPU ms/stream", "× bare", "× SDK", "wall s"), rows)
    table(
        (f"{args.most} at once", "wall s", "× bare", "CPU ms/stream", "× bare", "KB/stream"),
        [
            (
                NAMES[client],
                f"{median(many, client, 'wall_s'):.2f}",
                f"{ratio(many, client, 'bare', 'wall_s'):.2f}",
                f"{median(many, client, 'cpu_ms'):.1f}",
                f"{ratio(many, client, 'bare', 'cpu_ms'):.2f}",
                f"{median(many, client, 'kb'):.0f}",
            )
            for client in many
        ],
    )
    return goals(reached, report=args.report)


if __name__ == "__main__":
    sys.exit(main())
