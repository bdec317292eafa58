"""Opens sessions whose failures are faults a client understands, with the tables up to date."""

from __future__ import annotations

import weakref
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import NullPool, Result, Select, delete, text, tuple_, update
from sqlalchemy.event import listen
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine

from footnoted.errors import ConfigurationError
from footnoted.service.faults import not_found, storage_fault
from footnoted.service.ground import PATIENCE, Ask, Ground
from footnoted.service.store.tables import ShelfRow
from footnoted.store import Database

MIGRATIONS = Path(__file__).parent / "migrations"
_NOBODY = " "  # no tenant's name
Row = TypeVar("Row")


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
        try:
            await self.database.migrate(MIGRATIONS, name="service")
        except Exception as error:
            fault = storage_fault(error)
            if fault is None or fault.code != "unavailable":
                raise
            raise ConfigurationError(
                "the database of DATABASE_URL cannot be reached; start it, or set sqlite:///footnoted.db"
            ) from error

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
            fault = storage_fault(error)
            if fault is None:
                raise
            self.disk_full = self.disk_full or fault.code == "disk_full"
            raise fault from error

    async def check(self) -> None:
        """Raise `Fault`: 503 when the database is away, 507 when nothing more can be kept in it."""
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


async def owned(session: AsyncSession, table: type[Row], row_id: str, *, of: str, what: str) -> Row:
    """A row of the tenant ``of``. Raises `Fault` 404, the same for what never was and for what is another's."""
    row: Any = await session.get(table, row_id)
    if row is None or row.tenant != of:
        raise not_found(f"there is no such {what}")
    found: Row = row
    return found


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
