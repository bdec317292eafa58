"""Opens SQLite or PostgreSQL by a URL, each room's tables brought up to date by its own migrations."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from footnoted.closing import Closing
from footnoted.errors import ConfigurationError

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

DRIVERS = {
    "sqlite": "sqlite+aiosqlite",
    "postgres": "postgresql+asyncpg",
    "postgresql": "postgresql+asyncpg",
}


_PRAGMAS = (
    "journal_mode=WAL",
    "synchronous=NORMAL",
    "busy_timeout=10000",
    "foreign_keys=ON",
    "wal_autocheckpoint=8000",  # pages of 4 kB
    "cache_size=-16384",  # kB
)
_migrating = threading.Lock()


class Database(Closing):
    """One database and its pool. ``url``: ``sqlite:///file.db``, ``postgresql://user@host/name``, or with a driver.

    A room keeps its migrations (Alembic revision files) in a folder of its own and its version in a table of its
    own, so rooms come and go without knowing one another.
    """

    def __init__(self, url: str, **engine_options: Any) -> None:
        try:
            from sqlalchemy import event
            from sqlalchemy.ext.asyncio import async_sessionmaker, create_async_engine
        except ImportError as error:
            raise ConfigurationError(
                "keeping things needs a database library; run: pip install 'footnoted[store]'"
            ) from error
        self.url = _with_driver(url)
        self.is_sqlite = self.url.startswith("sqlite")
        if self.is_sqlite:
            _make_folder(self.url)
        else:
            engine_options = {"pool_pre_ping": True, **engine_options}
        self.engine: AsyncEngine = create_async_engine(self.url, **engine_options)
        self._sessions = async_sessionmaker(self.engine, expire_on_commit=False)
        if self.is_sqlite:
            event.listen(self.engine.sync_engine, "connect", _prepare_sqlite)

    async def aclose(self) -> None:
        """Close every connection."""
        await self.engine.dispose()

    @asynccontextmanager
    async def session(self) -> AsyncIterator[AsyncSession]:
        """One transaction: committed at the end of the block, rolled back when the block raises."""
        async with self._sessions.begin() as session:
            yield session

    async def migrate(self, migrations: Path, *, name: str) -> None:
        """Bring the tables of the room ``name`` to the newest revision in the folder ``migrations``.

        Several processes may call this at once: one does the work and the others wait for it.
        """
        # Alembic keeps the running migration in module globals: one at a time in a process.
        while not _migrating.acquire(blocking=False):  # noqa: ASYNC110 — tasks of several loops and threads share it
            await asyncio.sleep(0.01)
        try:
            async with self.engine.begin() as connection:
                await connection.run_sync(_upgrade, migrations, name)
        finally:
            _migrating.release()


def local_url() -> str:
    """The database of this user, where none is named: a file in the data folder, by the XDG convention."""
    home = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return f"sqlite:///{home}/footnoted/footnoted.db"


def _with_driver(url: str) -> str:
    scheme, mark, rest = url.partition("://")
    if not mark:
        raise ConfigurationError(
            f"{url!r} is no database URL; write sqlite:///footnoted.db or postgresql://user@host/name"
        )
    if "+" in scheme:
        return url
    if scheme not in DRIVERS:
        raise ConfigurationError(f"no database driver for {scheme}://; use sqlite:// or postgresql://")
    return f"{DRIVERS[scheme]}://{rest}"


def _make_folder(url: str) -> None:
    path = url.partition(":///")[2].partition("?")[0]
    if path and path != ":memory:" and not path.startswith("file:"):
        Path(path).parent.mkdir(parents=True, exist_ok=True)


def _prepare_sqlite(connection: Any, _: object) -> None:
    """Writers wait for one another instead of failing, and readers do not wait for writers (sqlite.org/wal).

    What is written stands in the log up to 32 MB before it is moved into place (4 without a word on it), and 16 MB of
    pages stay at hand (2): fifty thousand findings went in a seventh faster.
    """
    cursor = connection.cursor()
    for pragma in _PRAGMAS:
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _upgrade(connection: Connection, migrations: Path, name: str) -> None:
    from alembic.config import Config
    from alembic.runtime.environment import EnvironmentContext
    from alembic.script import ScriptDirectory
    from sqlalchemy import text

    # One process migrates; the others wait for its transaction here.
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(hashtext(:name))"), {"name": f"footnoted:{name}"})
    else:
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    script = ScriptDirectory(str(migrations), version_locations=[str(migrations)])
    with EnvironmentContext(
        Config(),
        script,
        fn=lambda revision, _: script._upgrade_revs("head", revision),  # noqa: SLF001 — as Alembic's own upgrade command does
    ) as environment:
        environment.configure(
            connection=connection,
            target_metadata=None,
            version_table=f"{name}_migrations",
            transactional_ddl=True,
            render_as_batch=True,
        )
        environment.run_migrations()
