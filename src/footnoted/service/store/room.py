"""Opens sessions whose failures are faults a client understands, with the tables up to date."""

from __future__ import annotations

import weakref
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import tuple_
from sqlalchemy.event import listen

from footnoted.service.faults import disk_full, full, is_away, is_disk_full, is_full, not_found, unavailable
from footnoted.service.ground import PATIENCE, Ask, Ground
from footnoted.service.store.tables import ShelfRow
from footnoted.store import Database

if TYPE_CHECKING:
    from sqlalchemy import Result, Select
    from sqlalchemy.ext.asyncio import AsyncSession

MIGRATIONS = Path(__file__).parent / "migrations"
_NOBODY = " "  # no tenant's name


class Store:
    """The service's database. Other rooms may keep their own tables in the same one: ``database``.

    ``seconds``: how long a connection may take to open, half of what a request waits for a place or for a reply.
    """

    def __init__(self, url: str, *, connections: int = 10, seconds: float = 5.0) -> None:
        # An error's text must not carry what was stored into a log.
        options: dict[str, Any] = {"hide_parameters": True}
        self._lines: weakref.WeakSet[Any] = weakref.WeakSet()  # asyncpg's own connections
        self.ground: Ground | None = None
        self.disk_full = False  # the last that was to be kept found no room
        if url.startswith("postgres"):
            # A database that hangs must not hang a request: bounded waits for a connection and for a reply.
            options |= {
                "pool_size": connections,
                "max_overflow": connections,
                "pool_timeout": 2 * seconds,
                "pool_recycle": 1800,
                "connect_args": {"timeout": seconds, "command_timeout": 2 * seconds},
            }
        self.database = Database(url, **options)
        if not self.database.is_sqlite:
            self.ground = Ground("the database", self._line, when_silent=self._hang_up)
            listen(self.database.engine.sync_engine, "connect", self._connected)
            listen(self.database.engine.sync_engine, "do_connect", self._connecting)

    async def open(self) -> None:
        """Bring the tables up to date."""
        with _reached():
            await self.database.migrate(MIGRATIONS, name="service")

    async def watch(self) -> None:
        """Notice within seconds when the database stops answering."""
        if self.ground is not None:
            self.ground.open()

    async def aclose(self) -> None:
        """Close every connection."""
        if self.ground is not None:
            await self.ground.aclose()
        await self.database.aclose()

    @asynccontextmanager
    async def session(self) -> AsyncIterator[AsyncSession]:
        """One transaction; raises `Fault` 503 while the database is away or has no place left, 507 when its disk is."""
        if self.ground is not None:
            self.ground.check()
        try:
            async with self.database.session() as session:
                yield session
        except Exception as error:
            if is_disk_full(error):
                self.disk_full = True
                raise disk_full() from error
            if is_full(error):
                raise full("the database") from error
            if is_away(error):
                raise unavailable("the database") from error
            raise

    async def check(self) -> None:
        """Raise `Fault`: 503 when the database is away, 507 when nothing more can be kept in it."""
        from sqlalchemy import delete, text, update

        async with self.session() as session:
            await session.execute(text("SELECT 1"))
        if self.disk_full:  # whether there is room again is found out by writing
            async with self.session() as session:
                await session.execute(delete(ShelfRow).where(ShelfRow.tenant == _NOBODY))
                session.add(ShelfRow(tenant=_NOBODY, version=0))
                await session.flush()
                await session.execute(update(ShelfRow).where(ShelfRow.tenant == _NOBODY).values(version=1))
            self.disk_full = False

    def _connected(self, connection: Any, _: object) -> None:
        self._lines.add(connection.driver_connection)

    def _connecting(self, *_: object) -> None:
        if self.ground is not None and self.ground.silent:
            raise ConnectionRefusedError  # whoever was let in before it fell silent need not try again

    def _hang_up(self) -> None:
        """Nobody waits for a server that does not answer: whoever does finds the line closed, and is told."""
        for line in list(self._lines):
            line.terminate()

    @asynccontextmanager
    async def _line(self) -> AsyncIterator[Ask]:
        from sqlalchemy import NullPool, text
        from sqlalchemy.ext.asyncio import create_async_engine

        engine = create_async_engine(
            self.database.url,
            poolclass=NullPool,
            connect_args={"timeout": 2 * PATIENCE, "command_timeout": 2 * PATIENCE},
        )
        async with engine.connect() as connection:

            async def ask() -> None:
                await connection.execute(text("SELECT 1"))
                await connection.rollback()

            yield ask


async def newest(
    session: AsyncSession,
    found: Select[*tuple[Any, ...]],
    table: Any,
    *,
    after: str | None,
    limit: int,
    of: str | None = None,
) -> Result[*tuple[Any, ...]]:
    """What was found, the newest first, from the one after ``after`` on, which is of the tenant ``of``, if given.

    Raises `Fault` 404 where there is no such row.
    """
    if after is not None:
        last = await session.get(table, after)
        if last is None or of not in (None, last.tenant):
            raise not_found(f"there is no such {table.called} to go on after")
        found = found.where(tuple_(table.created_at, table.id) < tuple_(last.created_at, last.id))
    return await session.execute(found.order_by(table.created_at.desc(), table.id.desc()).limit(limit))


class _reached:  # noqa: N801 — reads as what it says
    def __enter__(self) -> None:
        return None

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if error is not None and is_away(error):
            from footnoted.errors import ConfigurationError

            raise ConfigurationError(
                "the database of DATABASE_URL cannot be reached; start it, or set sqlite:///footnoted.db"
            ) from error
