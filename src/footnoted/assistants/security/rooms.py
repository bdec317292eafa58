"""Opens the advisor's database, and brings its tables up to date before anything is read from or written to them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakSet

from footnoted.store import Database

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncSession

MIGRATIONS = Path(__file__).parent / "migrations"
_PREPARED: WeakSet[Database] = WeakSet()


def opened(database: Database | str) -> Database:
    """The database of a URL; one that is open already stays itself."""
    return Database(database) if isinstance(database, str) else database


async def prepare(database: Database) -> None:
    """Bring the advisor's tables up to date, once for each open database."""
    if database not in _PREPARED:
        await database.migrate(MIGRATIONS, name="security")
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
