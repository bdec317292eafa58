"""What streaming costs: CPU a paced stream, the wait for its first text, and many streams at once. Clients take turns."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from _many_server import many_server
from _paced_server import paced_server

from _peers.registry import CLIENTS
from _peers.running import measured

CHUNKS, PACE = 200, 50
IDEAL = CHUNKS / PACE
MOST = {"footnoted-checked": 50}  # a checked answer costs a model's time: two cores carry no more at this pace


def turns(clients: list[str], rounds: int) -> list[str]:
    """Every client once a round, in an order that rotates."""
    order = []
    for number in range(rounds):
        turn = number % len(clients)
        order += [*clients[turn:], *clients[:turn]]
    return order


def paced(
    pythons: dict[str, Path], clients: list[str], *, rounds: int, streams: int
) -> dict[str, list[dict[str, Any]]]:
    """For each client, a round's figures after another: ``cpu_ms`` a stream, ``first_ms``, ``first_paced_ms``."""
    found: dict[str, list[dict[str, Any]]] = {client: [] for client in clients}
    with paced_server() as address:
        for number, client in enumerate(turns(clients, rounds), 1):
            figures = measured(
                pythons,
                client,
                part="paced",
                address=address,
                streams=streams,
                chunks=CHUNKS,
                pace=PACE,
                short=1,
                shorts=60,
            )
            found[client].append({**figures, "load": round(os.getloadavg()[0], 1)})
            _progress("streams", number, len(clients) * rounds, client)
    return found


def many(
    pythons: dict[str, Path], clients: list[str], *, rounds: dict[int, int]
) -> dict[str, dict[str, list[dict[str, Any]]]]:
    """For each client and number of streams at once, a round's figures after another."""
    found: dict[str, dict[str, list[dict[str, Any]]]] = {client: {} for client in clients}
    with many_server() as address:
        for streams, count in rounds.items():
            able = [client for client in clients if streams <= MOST.get(client, streams)]
            for number, client in enumerate(turns(able, count), 1):
                figures = measured(
                    pythons, client, part="many", address=address, streams=streams, chunks=CHUNKS, pace=PACE
                )
                rows = found[client].setdefault(str(streams), [])
                rows.append({**figures, "load": round(os.getloadavg()[0], 1)})
                _progress(f"{streams} at once", number, len(able) * count, client)
    return found


def comparable(clients: list[str]) -> list[str]:
    """Those of one protocol, for the figure of many at once."""
    return [client for client in clients if CLIENTS[client].protocol == "openai"]


def _progress(what: str, number: int, of: int, client: str) -> None:
    print(
        f"\r{what}: {number} of {of} ({client})".ljust(70), end="" if number < of else "\n", file=sys.stderr, flush=True
    )
