"""Many rows in one statement: as many as there are, new values where asked for, and old ones where not."""

from sqlalchemy import Boolean, Column, DateTime, Integer, MetaData, String, Table, select

from footnoted.store.bulk import Upsert

BOOKS = Table(
    "books",
    MetaData(),
    Column("id", Integer, primary_key=True),
    Column("shelf", String(20)),
    Column("title", String(20)),
    Column("lent", Boolean),
    Column("bought", DateTime(timezone=True)),
)
COLUMNS = ("id", "shelf", "title", "lent", "bought")


def _books(count, *, shelf, title):
    return [(n, shelf, title, False, None) for n in range(count)]


async def test_more_rows_than_a_statement_takes_are_all_written(database):
    """Five values a row: SQLite takes some 6,500 rows a statement."""
    async with database.engine.begin() as connection:
        await connection.run_sync(BOOKS.metadata.create_all)
    async with database.session() as session:
        await Upsert(BOOKS, COLUMNS, by=("id",)).write(session, _books(7_001, shelf="a", title="old"))
        await Upsert(BOOKS, COLUMNS, by=("id",)).write(session, _books(1, shelf="b", title="left"))
        await Upsert(BOOKS, COLUMNS, by=("id",), kept=("shelf",)).write(session, _books(2, shelf="b", title="new")[1:])
    async with database.session() as session:
        rows = (await session.execute(select(BOOKS).order_by(BOOKS.c.id))).all()
    assert len(rows) == 7_001
    assert [(row.shelf, row.title, row.lent) for row in rows[:3]] == [
        ("a", "old", False),
        ("a", "new", False),
        ("a", "old", False),
    ]
