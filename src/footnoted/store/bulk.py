"""Rows of one table, written by one statement, each value doing no more than its type needs.

SQLAlchemy works through a dictionary of parameters for every row, a tenth of the time of an import. Here a
statement is compiled once, and each row becomes a tuple in its order
(https://docs.sqlalchemy.org/en/20/core/connections.html, "Invoking Driver-Level SQL").
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sqlalchemy import Dialect, Table
    from sqlalchemy.ext.asyncio import AsyncSession

_VARIABLES = 32_000  # of a statement; SQLite takes 32,766 (https://sqlite.org/limits.html)


def insert_of(dialect: Dialect) -> Any:
    """The ``insert`` of a dialect, that can say what becomes of a row which is there already."""
    if dialect.name == "sqlite":
        from sqlalchemy.dialects.sqlite import insert
    else:
        from sqlalchemy.dialects.postgresql import insert  # type: ignore[assignment]
    return insert


class Upsert:
    """An insert of rows, tuples of ``columns``; a row that is there already takes the new values, or stays.

    ``by``: the columns that tell rows apart. ``kept``: those that an update leaves as they are; without it a row
    that is there already stays as it is.
    """

    def __init__(
        self, table: Table | Any, columns: Sequence[str], *, by: Sequence[str], kept: Sequence[str] | None = None
    ) -> None:
        self._table = table
        self._names = list(columns)
        self._by = tuple(by)
        self._kept = None if kept is None else (*by, *kept)
        self._text = ""
        self._order: Callable[[Sequence[Any]], tuple[Any, ...]] = tuple
        self._made: list[tuple[int, Callable[[Any], Any]]] = []  # which values the driver wants otherwise

    async def write(self, session: AsyncSession, rows: Sequence[Sequence[Any]]) -> None:
        """Write them in this transaction."""
        if not rows:
            return
        connection = await session.connection()
        if not self._text:
            self._compile(connection.dialect)
        if connection.dialect.name != "sqlite":
            await connection.exec_driver_sql(self._text, [self._values(row) for row in rows])
            return
        # SQLite is left alone once a statement, not once a row: meanwhile Python reads what is written next.
        group = f"({', '.join('?' * len(self._names))})"
        most = _VARIABLES // len(self._names)
        for at in range(0, len(rows), most):
            part = rows[at : at + most]
            text = self._text.replace(f"VALUES {group}", f"VALUES {', '.join([group] * len(part))}", 1)
            await connection.exec_driver_sql(text, tuple(value for row in part for value in self._values(row)))

    def _values(self, row: Sequence[Any]) -> tuple[Any, ...]:
        values = self._order(row)
        if not self._made:
            return values
        changed = list(values)
        for place, made in self._made:
            changed[place] = made(changed[place])
        return tuple(changed)

    def _compile(self, dialect: Dialect) -> None:
        compiled: Any = self._statement(dialect, self._names).compile(dialect=dialect, column_keys=self._names)
        wanted = list(compiled.positiontup)
        self._order = itemgetter(*(self._names.index(name) for name in wanted))
        processors = [self._table.c[name].type.dialect_impl(dialect).bind_processor(dialect) for name in wanted]
        self._made = [(place, made) for place, made in enumerate(processors) if made is not None]
        self._text = str(compiled)

    def _statement(self, dialect: Dialect, names: list[str]) -> Any:
        statement: Any = insert_of(dialect)(self._table)
        if self._kept is None:
            return statement.on_conflict_do_nothing(index_elements=list(self._by))
        values = {name: statement.excluded[name] for name in names if name not in self._kept}
        return statement.on_conflict_do_update(index_elements=list(self._by), set_=values)
