"""`footnoted proxy`: runs a server that checks what comes from another."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Annotated

import typer

from footnoted.cli.show import ANSWERED, address, err, run, words


def proxy(
    upstream: Annotated[str, typer.Option(help="The model's address, as its client takes it.")],
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen on.")] = 8010,
    checking: Annotated[str, typer.Option(help="mark, hold, amend, off; X-Footnoted-Checking wins.")] = "mark",
    public_url: Annotated[str | None, typer.Option(help="What citations link to, if not this address.")] = None,
) -> None:
    """Stand before a model, and check its answers against what each conversation holds. Clients keep their keys."""

    async def serve_it() -> int:
        from footnoted.integrations.proxy.server import ProxySettings, serve

        settings = ProxySettings(upstream, mode=checking, public_url=public_url)  # type: ignore[arg-type]
        err.print(words(f"footnoted proxy listens on {address(host, port)}, before {upstream}"))
        with contextlib.suppress(asyncio.CancelledError):
            await serve(settings, host=host, port=port)
        return ANSWERED

    run(serve_it())
