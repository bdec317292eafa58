"""What runs until it is stopped: `footnoted serve`, `footnoted proxy` and `footnoted mcp`; and `footnoted keys`."""

from __future__ import annotations

import asyncio
import ipaddress
import os
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from footnoted.cli.answers import PROVIDED, BaseUrl, Mode, Model, Passages, ProviderName, Style
from footnoted.cli.show import ANSWERED, FAILED, address, command, err, exit_status, expect, expect_free, out, words
from footnoted.contract import CitationStyle, GenerationConfig, GenerationMode
from footnoted.errors import ConfigurationError

if TYPE_CHECKING:
    from footnoted.service.settings import Settings
    from footnoted.service.store.keys import Keys

_MOST_BYTES = 24_000_000  # of one request to `mcp`: as many characters as a call may bring, in any script
keys = typer.Typer(
    help="Tenants' API keys: add, list, revoke.", no_args_is_help=True, epilog="Example: footnoted keys add bakery"
)
SettingsFile = Annotated[
    Path | None, typer.Option("--settings", envvar="FOOTNOTED_SETTINGS", help="A TOML file of settings.")
]


def serve(
    host: Annotated[str | None, typer.Option(help="The address to listen on. [default: 127.0.0.1]")] = None,
    port: Annotated[int | None, typer.Option(help="The port to listen on. [default: 8000]")] = None,
    workers: Annotated[int | None, typer.Option(help="Processes; more than one need REDIS_URL.")] = None,
    provider: Annotated[str | None, typer.Option(help=PROVIDED)] = None,
    model: Annotated[str | None, typer.Option(help="The model's name.")] = None,
    base_url: Annotated[str | None, typer.Option("--base-url", help="Another server of the same protocol.")] = None,
    settings_file: SettingsFile = None,
) -> None:
    """Answer over HTTP, with a page at /. On any address but this machine's own, keys are needed."""
    given = {"host": host, "port": port, "workers": workers, "provider": provider, "model": model, "base_url": base_url}
    ready: list[Settings] = []

    async def prepare() -> int:
        settings = _settings(settings_file, **given)
        await _may_listen(settings)
        await expect_free(settings.host, settings.port)
        ready.append(settings)
        return ANSWERED

    if status := exit_status(prepare()):
        raise typer.Exit(status)
    _listen(ready[0])


def _listen(settings: Settings) -> None:
    import uvicorn

    from footnoted.service.wire import Protocol

    # A worker is a new process: it reads what was decided here from its environment.
    for name in ("host", "port", "workers", "provider", "model", "base_url"):
        value = getattr(settings, name)
        if value is not None:
            os.environ[f"FOOTNOTED_{name.upper()}"] = str(value)
    if settings.workers > 1:
        os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", tempfile.mkdtemp(prefix="footnoted-metrics-"))
    err.print(words(f"footnoted listens on {address(settings.host, settings.port)}"))
    uvicorn.run(
        "footnoted.service.app:served_app",
        factory=True,
        host=settings.host,
        port=settings.port,
        workers=settings.workers,
        http=Protocol,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=int(settings.shutdown_seconds) + 3,
    )


async def _may_listen(settings: Settings) -> None:
    """Refuse what would lose streams or let strangers in; better now than when it has happened."""
    from footnoted.service.app import make_generator

    if settings.workers > 1 and not settings.redis_url:
        raise ConfigurationError(
            f"{settings.workers} workers would not know one another's streams; set REDIS_URL=redis://…, or --workers 1"
        )
    await make_generator(settings).aclose()  # a missing key or an unknown provider is said here
    async with _keys(settings) as kept:
        if settings.on_loopback or settings.takes_jwt or await kept.any():
            return
    raise ConfigurationError(
        f"{settings.host} can be reached from elsewhere and there is no key: run 'footnoted keys add TENANT', "
        "set FOOTNOTED_OIDC_ISSUER, FOOTNOTED_JWT_SECRET or FOOTNOTED_JWT_PUBLIC_KEY, or listen on 127.0.0.1"
    )


@command
async def proxy(
    upstream: Annotated[str, typer.Option(help="The model's address, as its client takes it.")],
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen on.")] = 8010,
    checking: Annotated[str, typer.Option(help="mark, hold, amend, off; X-Footnoted-Checking wins.")] = "mark",
    public_url: Annotated[str | None, typer.Option(help="What citations link to, if not this address.")] = None,
) -> int:
    """Stand before a model, and check its answers against what each conversation holds. Clients keep their keys."""
    from footnoted.integrations.proxy.server import ProxySettings
    from footnoted.integrations.proxy.server import serve as serve_proxy

    settings = ProxySettings(upstream, mode=checking, public_url=public_url)  # type: ignore[arg-type]
    await expect_free(host, port)
    err.print(words(f"footnoted proxy listens on {address(host, port)}, before {upstream}"))
    with suppress(asyncio.CancelledError):
        await serve_proxy(settings, host=host, port=port)
    return ANSWERED


@command
async def mcp(
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
) -> int:
    """Serve the tools ask and check to any MCP client (an editor, an assistant). Ends when the client does."""
    expect(paths or ())
    if http:
        _on_loopback(host)
    from footnoted.answering.generator import GroundedGenerator

    generator = GroundedGenerator(provider, model=model, base_url=base_url)
    from footnoted.integrations.mcp import make_server

    config = GenerationConfig(mode=mode, citation_style=style, model=model)
    server = make_server(paths or (), generator=generator, config=config, passages=passages)
    if http:
        await _listen_on_loopback(server.streamable_http_app(host=host, max_request_body_size=_MOST_BYTES), host, port)
    else:
        await server.run_stdio_async()
    return ANSWERED


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


async def _listen_on_loopback(app: object, host: str, port: int) -> None:
    import uvicorn

    await expect_free(host, port)  # uvicorn says it in a log, and leaves with a status of its own
    config = uvicorn.Config(app, host=host, port=port, log_config=None, access_log=False, server_header=False)  # type: ignore[arg-type]
    socket = config.bind_socket()
    socket.listen()  # whoever reads the address may connect at once
    err.print(words(f"footnoted listens on {address(*socket.getsockname()[:2])}/mcp"))
    await uvicorn.Server(config).serve(sockets=[socket])


@keys.command(epilog="Example: footnoted keys add bakery --label laptop")
@command
async def add(
    tenant: Annotated[str, typer.Argument(help="Whom the key belongs to.")],
    label: Annotated[str, typer.Option(help="A word to know it by.")] = "",
    role: Annotated[
        Literal["member", "admin"], typer.Option(help="An admin also sees to keys, usage and feedback, at /admin.html.")
    ] = "member",
    settings_file: SettingsFile = None,
) -> int:
    """Make a key and show it, this once."""
    async with _keys(_settings(settings_file)) as kept:
        key = await kept.add(tenant, label=label, role=role)
        out.print(words(key))
        err.print(words(f"keep it: it is shown this once. It speaks for the tenant {tenant}.", "dim"))
        return ANSWERED


@keys.command("list", epilog="Example: footnoted keys list")
@command
async def list_keys(settings_file: SettingsFile = None) -> int:
    """Every key, without its secret."""
    async with _keys(_settings(settings_file)) as kept:
        if not (found := await kept.all()):
            err.print("no keys; add one with: footnoted keys add TENANT")
        for key in found:
            made = datetime.fromtimestamp(key.created_at, UTC).strftime("%Y-%m-%d")
            state = "revoked" if key.revoked_at is not None else "live"
            out.print(words(f"{key.id}  {state:<7}  {key.role:<6}  {made}  {key.tenant}  {key.label}"))
        return ANSWERED


@keys.command(epilog="Example: footnoted keys revoke 3f9a")
@command
async def revoke(
    key_id: Annotated[str, typer.Argument(help="The key's id, as `footnoted keys list` shows it.")],
    settings_file: SettingsFile = None,
) -> int:
    """End a key; running services heed it within half a minute."""
    async with _keys(_settings(settings_file)) as kept:
        if await kept.revoke(key_id):
            err.print(words(f"key {key_id} is revoked"))
            return ANSWERED
        err.print(words(f"there is no live key {key_id}", "bold red"))
        return FAILED


@asynccontextmanager
async def _keys(settings: Settings) -> AsyncIterator[Keys]:
    """The keys in the service's database, which is closed again however the work with them ends."""
    from footnoted.service.store import Store
    from footnoted.service.store.keys import Keys

    store = Store(settings.database_url)
    try:
        await store.open()
        yield Keys(store)
    finally:
        await store.aclose()


def _settings(file: Path | None, **given: Any) -> Settings:
    if file is not None:
        os.environ["FOOTNOTED_SETTINGS"] = str(file)
    try:
        from footnoted.service.settings import read_settings
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"the service needs {error.name}, which is not installed; run: pip install 'footnoted[service]'"
        ) from error
    return read_settings(**given)
