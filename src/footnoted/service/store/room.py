"""A database in; sessions whose failures are faults a client understands, and the tables up to date, out."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from footnoted.service.faults import is_away, unavailable
from footnoted.store import Database

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncSession

MIGRATIONS = Path(__file__).parent / "migrations"


class Store:
    """The service's database. Other rooms may keep their own tables in the same one: ``database``."""

    def __init__(self, url: str, *, connections: int = 10, seconds: float = 5.0) -> None:
        # An error's text must not carry what was stored into a log.
        options: dict[str, Any] = {"hide_parameters": True}
        if url.startswith("postgres"):
            # A database that hangs must not hang a request: bounded waits for a connection and for a reply.
            options |= {
                "pool_size": connections,
                "max_overflow": connections,
                "pool_timeout": seconds,
                "pool_recycle": 1800,
                "connect_args": {"timeout": seconds, "command_timeout": 2 * seconds},
            }
        self.database = Database(url, **options)

    async def open(self) -> None:
        """Bring the tables up to date."""
        with _reached():
            await self.database.migrate(MIGRATIONS, name="service")

    async def aclose(self) -> None:
        """Close every connection."""
        await self.database.aclose()

    @asynccontextmanager
    async def session(self) -> AsyncIterator[AsyncSession]:
        """One transaction; raises `Fault` 503 while the database is away."""
        try:
            async with self.database.session() as session:
                yield session
        except Exception as error:
            if is_away(error):
                raise unavailable("the database") from error
            raise

    async def check(self) -> None:
        """Raise `Fault` 503 when the database is away."""
        from sqlalchemy import text

        async with self.session() as session:
            await session.execute(text("SELECT 1"))


class _reached:  # noqa: N801 — reads as what it says
    def __enter__(self) -> None:
        return None

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if error is not None and is_away(error):
            from footnoted.errors import ConfigurationError

            raise ConfigurationError(
                "the database of DATABASE_URL cannot be reached; start it, or set sqlite:///footnoted.db"
            ) from error
