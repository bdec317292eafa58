"""`footnoted serve` and `footnoted keys`: runs the service, and makes and revokes tenants' keys."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from footnoted.cli.show import ANSWERED, FAILED, address, err, out, run, words
from footnoted.errors import ConfigurationError

if TYPE_CHECKING:
    from footnoted.service.settings import Settings
    from footnoted.service.store.keys import Keys

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
    provider: Annotated[str | None, typer.Option(help="extractive, openai, anthropic, gemini, compatible.")] = None,
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
        ready.append(settings)
        return ANSWERED

    try:
        run(prepare())
    except typer.Exit:
        if not ready:
            raise
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
    from footnoted.service.store import Store
    from footnoted.service.store.keys import Keys

    if settings.workers > 1 and not settings.redis_url:
        raise ConfigurationError(
            f"{settings.workers} workers would not know one another's streams; set REDIS_URL=redis://…, or --workers 1"
        )
    await make_generator(settings).aclose()  # a missing key or an unknown provider is said here
    store = Store(settings.database_url)
    try:
        await store.open()
        if settings.on_loopback or settings.takes_jwt or await Keys(store).any():
            return
    finally:
        await store.aclose()
    raise ConfigurationError(
        f"{settings.host} can be reached from elsewhere and there is no key: run 'footnoted keys add TENANT', "
        "set FOOTNOTED_OIDC_ISSUER, FOOTNOTED_JWT_SECRET or FOOTNOTED_JWT_PUBLIC_KEY, or listen on 127.0.0.1"
    )


@keys.command(epilog="Example: footnoted keys add bakery --label laptop")
def add(
    tenant: Annotated[str, typer.Argument(help="Whom the key belongs to.")],
    label: Annotated[str, typer.Option(help="A word to know it by.")] = "",
    role: Annotated[
        Literal["member", "admin"], typer.Option(help="An admin also sees to keys, usage and feedback, at /admin.html.")
    ] = "member",
    settings_file: SettingsFile = None,
) -> None:
    """Make a key and show it, this once."""

    async def work(found: Keys) -> int:
        key = await found.add(tenant, label=label, role=role)
        out.print(words(key))
        err.print(words(f"keep it: it is shown this once. It speaks for the tenant {tenant}.", "dim"))
        return ANSWERED

    run(_with_keys(settings_file, work))


@keys.command("list", epilog="Example: footnoted keys list")
def list_keys(settings_file: SettingsFile = None) -> None:
    """Every key, without its secret."""

    async def work(found: Keys) -> int:
        from datetime import UTC, datetime

        for key in await found.all():
            made = datetime.fromtimestamp(key.created_at, UTC).strftime("%Y-%m-%d")
            state = "revoked" if key.revoked_at is not None else "live"
            out.print(words(f"{key.id}  {state:<7}  {key.role:<6}  {made}  {key.tenant}  {key.label}"))
        return ANSWERED

    run(_with_keys(settings_file, work))


@keys.command(epilog="Example: footnoted keys revoke 3f9a")
def revoke(
    key_id: Annotated[str, typer.Argument(help="The key's id, as `footnoted keys list` shows it.")],
    settings_file: SettingsFile = None,
) -> None:
    """End a key; running services heed it within half a minute."""

    async def work(found: Keys) -> int:
        if await found.revoke(key_id):
            err.print(words(f"key {key_id} is revoked"))
            return ANSWERED
        err.print(words(f"there is no live key {key_id}", "bold red"))
        return FAILED

    run(_with_keys(settings_file, work))


async def _with_keys(settings_file: Path | None, work: Any) -> int:
    settings = _settings(settings_file)
    from footnoted.service.store import Store
    from footnoted.service.store.keys import Keys

    store = Store(settings.database_url)
    try:
        await store.open()
        status: Coroutine[Any, Any, int] = work(Keys(store))
        return await status
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
