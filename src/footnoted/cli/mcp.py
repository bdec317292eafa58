"""`footnoted mcp`: files in; an MCP server over them, on standard input and output or on loopback HTTP."""

from __future__ import annotations

import ipaddress
from pathlib import Path
from typing import Annotated

import typer

from footnoted.cli.answers import BaseUrl, Mode, Model, Passages, ProviderName, Style
from footnoted.cli.show import ANSWERED, address, err, expect, run, words
from footnoted.contract import CitationStyle, GenerationConfig, GenerationMode
from footnoted.errors import ConfigurationError

_MOST_BYTES = 24_000_000  # of one request: as many characters as a call may bring, in any script


def mcp(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(help="Files or folders to answer from; without any, each call brings its own sources."),
    ] = None,
    http: Annotated[bool, typer.Option("--http", help="Serve HTTP instead of standard input and output.")] = False,
    host: Annotated[str, typer.Option(help="The address of --http; this machine's own only.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port of --http; 0 takes a free one.")] = 8765,
    provider: ProviderName = "extractive",
    model: Model = None,
    base_url: BaseUrl = None,
    style: Style = CitationStyle.NUMBERED,
    mode: Mode = GenerationMode.GROUNDED,
    passages: Passages = 8,
) -> None:
    """Serve the tools ask and check to any MCP client (an editor, an assistant). Ends when the client does."""

    async def work() -> int:
        expect(paths or ())
        if http:
            _on_loopback(host)
        from footnoted.answering.generator import GroundedGenerator

        generator = GroundedGenerator(provider, model=model, base_url=base_url)
        from footnoted.integrations.mcp import make_server

        config = GenerationConfig(mode=mode, citation_style=style, model=model)
        server = make_server(paths or (), generator=generator, config=config, passages=passages)
        if http:
            await _listen(server.streamable_http_app(host=host, max_request_body_size=_MOST_BYTES), host, port)
        else:
            await server.run_stdio_async()
        return ANSWERED

    run(work())


def _on_loopback(host: str) -> None:
    """There are no keys here, so nobody else may reach it."""
    try:
        own = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        own = False
    if not own:
        raise ConfigurationError(
            f"{host} can be reached from elsewhere and this server has no keys; use 127.0.0.1, or: footnoted serve"
        )


async def _listen(app: object, host: str, port: int) -> None:
    import uvicorn

    config = uvicorn.Config(app, host=host, port=port, log_config=None, access_log=False, server_header=False)  # type: ignore[arg-type]
    socket = config.bind_socket()
    socket.listen()  # whoever reads the address may connect at once
    err.print(words(f"footnoted listens on {address(*socket.getsockname()[:2])}/mcp"))
    await uvicorn.Server(config).serve(sockets=[socket])
