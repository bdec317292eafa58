"""A database by URL: transactions, migrations, and errors that say what to write instead."""

import asyncio
import sys
from pathlib import Path

import pytest
from sqlalchemy import text

from footnoted.errors import ConfigurationError
from footnoted.store import Database

MIGRATIONS = Path(__file__).parent / "example_migrations"


async def _names(database):
    async with database.session() as session:
        return [row[0] for row in await session.execute(text("SELECT name FROM shelves ORDER BY name"))]


async def test_migrations_make_the_tables_and_may_run_again(database):
    """A second start finds nothing to do and loses nothing."""
    await database.migrate(MIGRATIONS, name="example")
    async with database.session() as session:
        await session.execute(text("INSERT INTO shelves (id, name, place) VALUES (1, 'oak', 'hall')"))
    await database.migrate(MIGRATIONS, name="example")
    assert await _names(database) == ["oak"]


async def test_many_tasks_migrate_at_once(database_url):
    """Whoever comes second waits for the first, and finds nothing to do."""
    databases = [Database(database_url) for _ in range(6)]
    await asyncio.gather(*(each.migrate(MIGRATIONS, name="example") for each in databases))
    assert await _names(databases[0]) == []
    for each in databases:
        await each.aclose()


async def test_real_processes_migrate_at_once(database_url):
    """The lock is the database's own, not this process's."""
    code = (
        "import asyncio, pathlib, sys; from footnoted.store import Database\n"
        "async def main():\n"
        "    async with Database(sys.argv[1]) as database:\n"
        "        await database.migrate(pathlib.Path(sys.argv[2]), name='example')\n"
        "asyncio.run(main())"
    )
    processes = [
        await asyncio.create_subprocess_exec(sys.executable, "-c", code, database_url, str(MIGRATIONS))
        for _ in range(4)
    ]
    assert [await process.wait() for process in processes] == [0, 0, 0, 0]


async def test_two_rooms_keep_their_own_versions(database):
    """A room's revision 0001 is not another room's."""
    await database.migrate(MIGRATIONS, name="example")
    async with database.session() as session:
        await session.execute(text("DROP TABLE shelves"))
    await database.migrate(MIGRATIONS, name="other")
    assert await _names(database) == []


async def test_a_block_that_raises_leaves_no_trace(database):
    """A transaction is whole or not at all."""
    await database.migrate(MIGRATIONS, name="example")
    with pytest.raises(RuntimeError):
        async with database.session() as session:
            await session.execute(text("INSERT INTO shelves (id, name) VALUES (1, 'lost')"))
            raise RuntimeError
    assert await _names(database) == []


@pytest.mark.parametrize(("url", "said"), [("footnoted.db", "no database URL"), ("mysql://x/y", "no database driver")])
def test_a_url_it_cannot_use_is_told_what_to_write(url, said):
    """The message names both that work."""
    with pytest.raises(ConfigurationError, match=said) as error:
        Database(url)
    assert "sqlite://" in str(error.value)
    assert "postgresql://" in str(error.value)


async def test_sqlite_makes_its_folder(tmp_path):
    """A fresh machine has no data folder yet."""
    async with Database(f"sqlite:///{tmp_path}/a/b/footnoted.db") as database:
        await database.migrate(MIGRATIONS, name="example")
    assert (tmp_path / "a/b/footnoted.db").exists()
