"""Opens a database, or takes an open one, and brings the advisor's tables up to date."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from weakref import WeakSet

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncSession

    from footnoted.store import Database

_PREPARED: WeakSet[Database] = WeakSet()


def opened(database: Database | str) -> Database:
    """The database of a URL; one that is open already stays itself."""
    if isinstance(database, str):
        from footnoted.store import Database

        return Database(database)
    return database


async def prepare(database: Database) -> None:
    """Bring the room's tables up to date, once for each open database."""
    if database in _PREPARED:
        return
    from footnoted.assistants.security.tables import MIGRATIONS, ROOM

    await database.migrate(MIGRATIONS, name=ROOM)
    _PREPARED.add(database)


@asynccontextmanager
async def transaction(database: Database) -> AsyncIterator[AsyncSession]:
    """One transaction on a database whose tables are there; whoever forgot to prepare it need not have."""
    await prepare(database)
    async with database.session() as session:
        yield session


@asynccontextmanager
async def reading(database: Database) -> AsyncIterator[AsyncConnection]:
    """A connection to read from, without what a session keeps of objects; nothing is written through it."""
    await prepare(database)
    async with database.engine.connect() as connection:
        yield connection
