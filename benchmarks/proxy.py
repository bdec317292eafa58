"""What a proxy costs a streamed answer: `footnoted proxy` beside LiteLLM's, and beside no proxy at all.

    python benchmarks/proxy.py [--litellm PATH/TO/litellm] [--streams 40] [--rounds 3]

A server of its own process sends each stream 200 chunks at 50 a second; one client reads them, all begun together. A
proxy is a process of its own, warmed by a stream before it is measured: what is told is the CPU (user and system) that
it took while the streams ran, divided by them, and the median time to a stream's first chunk, less that without a
proxy: among all of them, begun in the same moment, and of one that comes alone, 150 ms after the last. The conversation holds sources; checking is off, where bytes are relayed, and ``mark``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import aiohttp
from _paced_server import paced_server
from _table import heading, table

CHUNKS, PACE = 200, 50
APART = 0.15  # seconds between two that count as coming alone
SOURCE = "The windscreen excess is £75 for a repair. Racing on any track is not covered."
ASKED = f'<document title="Car policy">{SOURCE}</document> What is the windscreen excess?'
CONFIG = """general_settings: {{dangerously_permit_weak_or_unset_master_key: true}}
model_list:
  - model_name: m
    litellm_params: {{model: openai/m, api_base: "{upstream}", api_key: k}}
"""


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


@contextmanager
def running(command, port, patience):
    """A proxy's process, once it listens."""
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            deadline = time.monotonic() + patience
            while time.monotonic() < deadline:
                try:
                    socket.create_connection(("127.0.0.1", port), 1).close()
                    break
                except OSError:
                    time.sleep(0.2)
            else:
                log.seek(0)
                raise SystemExit(f"nobody listens:\n{log.read().decode()[-2000:]}")
            yield process.pid
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(20)


def cpu(pid: int) -> float:
    """Seconds of processor time of a process and those it waited for, and of its children that live."""
    total, pids = 0.0, [pid]
    while pids:
        one = pids.pop()
        fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
        total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        pids += map(int, Path(f"/proc/{one}/task/{one}/children").read_text().split())
    return total


async def read(session, url, headers, *, after=0.0) -> float:
    body = {"model": "m", "stream": True, "messages": [{"role": "user", "content": ASKED}]}
    await asyncio.sleep(after)
    began = time.perf_counter()
    first = 0.0
    async with session.post(f"{url}/chat/completions", json=body, headers=headers) as response:
        assert response.status == 200, await response.text()
        async for piece in response.content.iter_any():
            if not first and b'"content"' in piece:
                first = time.perf_counter() - began
    return first * 1000


async def streams(url, count, headers, *, apart=0.0):
    """Milliseconds to the first chunk of each of so many streams, begun so many seconds apart."""
    connector = aiohttp.TCPConnector(limit=0)
    async with aiohttp.ClientSession(connector=connector, headers={"Authorization": "Bearer k"}) as session:
        return await asyncio.gather(*(read(session, url, headers, after=n * apart) for n in range(count)))


def measured(name, command, port, options, headers=None):
    found = []
    with running(command, port, options.patience) as pid:
        url = f"http://127.0.0.1:{port}/v1"
        asyncio.run(streams(url, 2, headers))
        for _ in range(options.rounds):
            before = cpu(pid)
            firsts = asyncio.run(streams(url, options.streams, headers))
            spent = (cpu(pid) - before) / options.streams
            one = statistics.median(asyncio.run(streams(url, options.alone, headers, apart=APART)))
            found.append({"cpu_ms": spent * 1000, "first_ms": statistics.median(firsts), "alone_ms": one})
    return name, {key: statistics.median(each[key] for each in found) for key in found[0]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--litellm")
    parser.add_argument("--streams", type=int, default=40)
    parser.add_argument("--alone", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--patience", type=float, default=120)
    options = parser.parse_args()
    with paced_server() as root:
        upstream = f"{root.rstrip('/')}/{CHUNKS}/{PACE}/v1"
        direct = [
            statistics.median(asyncio.run(streams(upstream, options.streams, None))) for _ in range(options.rounds)
        ]
        one = statistics.median(asyncio.run(streams(upstream, options.alone, None, apart=APART)))
        found = {"no proxy": {"cpu_ms": 0.0, "first_ms": statistics.median(direct), "alone_ms": one}}
        for mode in ("off", "mark"):
            port = free_port()
            command = [sys.executable, "-m", "footnoted.cli", "proxy", "--upstream", upstream]
            command += ["--port", str(port), "--checking", mode]
            found |= [measured(f"footnoted proxy, checking {mode}", command, port, options)]
        if options.litellm:
            port = free_port()
            with tempfile.NamedTemporaryFile("w", suffix=".yaml") as config:
                config.write(CONFIG.format(upstream=upstream))
                config.flush()
                command = [options.litellm, "--config", config.name, "--port", str(port), "--num_workers", "1"]
                found |= [measured("LiteLLM's proxy", command, port, options)]
    base = found["no proxy"]
    rows = [
        [
            name,
            f"{each['cpu_ms']:.1f}",
            *(
                cell
                for key in ("first_ms", "alone_ms")
                for cell in (f"{each[key]:.1f}", f"{each[key] - base[key]:+.1f}")
            ),
        ]
        for name, each in found.items()
    ]
    heading(f"{options.streams} streams at once, {CHUNKS} chunks at {PACE} a second", {})
    table(["", "CPU ms a stream", "first of all ms", "added", "first alone ms", "added"], rows)
    if "LiteLLM's proxy" in found:
        share = found["footnoted proxy, checking off"]["cpu_ms"] / found["LiteLLM's proxy"]["cpu_ms"]
        print(f"\nfootnoted proxy with checking off takes {share:.2f} of LiteLLM's CPU (goal: at most 0.30)")
    print(json.dumps(found))


if __name__ == "__main__":
    main()
