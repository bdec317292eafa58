"""``python -m footnoted.testing --port 8099``: a stand-in for three vendors, to try footnoted without a key."""

from __future__ import annotations

import argparse
import asyncio
import contextlib

from footnoted.testing.canned import canned
from footnoted.testing.server import ScriptedLLM


async def serve(port: int) -> None:
    """Answer until interrupted; prints the base_url of each protocol."""
    async with ScriptedLLM(canned, port=port) as llm:
        for protocol in ("openai", "anthropic", "gemini"):
            print(f"{protocol:<10} {llm.url(protocol)}", flush=True)  # noqa: T201
        await asyncio.Event().wait()


def main() -> None:
    """Read the port and serve."""
    parser = argparse.ArgumentParser(prog="python -m footnoted.testing", description=__doc__)
    parser.add_argument("--port", type=int, default=8099, help="0 takes any free one")
    port: int = parser.parse_args().port
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve(port))


if __name__ == "__main__":
    main()
