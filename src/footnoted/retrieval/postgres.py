"""The retriever a service with a database has: passages in PostgreSQL, found by words and, with pgvector, by meaning.

The hard thing is that PostgreSQL's full-text rank does not know how rare a word is. So words are cut as everywhere else
here (`terms`), how many passages hold each is counted, and a passage scores what its words tell.
"""

from __future__ import annotations

import asyncio
import json
import math
from typing import TYPE_CHECKING, Any

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from footnoted.errors import ConfigurationError
from footnoted.retrieval.relevance import ShippedMeaning, said_of
from footnoted.retrieval.retriever import CANDIDATES, FUSED, context_of, fuse
from footnoted.retrieval.store import NOWHERE, bound_of
from footnoted.retrieval.terms import index_terms, query_terms
from footnoted.types import Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Self

    from sqlalchemy.ext.asyncio import AsyncSession

    from footnoted.contract import SourceContext
    from footnoted.retrieval.relevance import Meaning
    from footnoted.retrieval.retriever import Filters
    from footnoted.store import Database

_AT_ONCE = 200  # passages written in one statement
_MOST_TERMS = 24  # of a question
_TABLE = """
CREATE TABLE IF NOT EXISTS footnoted_passages (
    shelf text NOT NULL, id text NOT NULL, document text NOT NULL, scope text NOT NULL,
    source jsonb NOT NULL, terms tsvector NOT NULL, PRIMARY KEY (shelf, id));
CREATE INDEX IF NOT EXISTS footnoted_passages_terms ON footnoted_passages USING gin (terms);
CREATE INDEX IF NOT EXISTS footnoted_passages_document ON footnoted_passages (shelf, document);
"""
_MEANING = """
ALTER TABLE footnoted_passages ADD COLUMN IF NOT EXISTS meaning vector(384);
CREATE INDEX IF NOT EXISTS footnoted_passages_meaning ON footnoted_passages USING hnsw (meaning vector_ip_ops);
"""


class PostgresRetriever:
    """Passages kept in a database under the name of a shelf (a tenant's, say), found as `Index` finds them.

    ``await open()`` makes the table, or uses it. ``by_meaning`` then tells whether the database has pgvector; without
    it passages are found by words alone. ``meaning=None`` asks for that too. Raises `ConfigurationError` for SQLite.
    """

    def __init__(self, database: Database, *, shelf: str = "", meaning: Meaning | None = None) -> None:
        if database.is_sqlite:
            raise ConfigurationError("PostgresRetriever needs postgresql://; for SQLite take footnoted.retrieval.Index")
        self._database = database
        self._shelf = shelf
        self._meaning: Meaning = meaning or ShippedMeaning()
        self.by_meaning = False

    async def open(self) -> Self:
        """Make what is missing in the database; several processes may do so at once."""
        async with self._database.session() as session:
            await session.execute(text("SELECT pg_advisory_xact_lock(hashtext('footnoted:passages'))"))
            await _all_of(session, _TABLE)
            known = await session.scalar(text("SELECT count(*) FROM pg_available_extensions WHERE name = 'vector'"))
            self.by_meaning = bool(known) and await _has_vector(session)
            if self.by_meaning:
                await _all_of(session, _MEANING)
        return self

    async def add(self, sources: Iterable[Source]) -> None:
        """Keep passages; one whose id is kept already is replaced."""
        own = list(sources)
        extra, value = (", meaning", ", CAST(:meaning AS vector)") if self.by_meaning else ("", "")
        put = text(
            f"INSERT INTO footnoted_passages (shelf, id, document, scope, source, terms{extra}) "  # noqa: S608 — ours
            f"VALUES (:shelf, :id, :document, :scope, CAST(:source AS jsonb), CAST(:terms AS tsvector){value}) "
            "ON CONFLICT (shelf, id) DO UPDATE SET document = excluded.document, scope = excluded.scope, "
            "source = excluded.source, terms = excluded.terms" + (", meaning = excluded.meaning" if extra else "")
        )
        for start in range(0, len(own), _AT_ONCE):
            some = own[start : start + _AT_ONCE]
            rows = [_row(source, self._shelf) for source in some]
            if self.by_meaning:
                vectors = await asyncio.to_thread(self._meaning.passages, [said_of(source) for source in some])
                for row, vector in zip(rows, vectors, strict=True):
                    row["meaning"] = _vector(vector)
            async with self._database.session() as session:
                await session.execute(put, rows)

    async def remove(self, document_id: str) -> None:
        """Forget the passages of a document."""
        async with self._database.session() as session:
            await session.execute(
                text("DELETE FROM footnoted_passages WHERE shelf = :shelf AND document = :document"),
                {"shelf": self._shelf, "document": document_id},
            )

    async def retrieve(self, question: str, *, k: int = 8, filters: Filters | None = None) -> list[SourceContext]:
        """The ``k`` passages nearest to a question in words and meaning, both orders fused; see `Retriever`."""
        terms = query_terms(question)[:_MOST_TERMS]
        if k < 1 or not question.strip():
            return []
        where, values = _bound(self._shelf, filters)
        most = max(CANDIDATES, 2 * k)
        async with self._database.session() as session:
            orders = [await _by_words(session, terms, where, values, most)]
            if self.by_meaning:
                vector = (await asyncio.to_thread(self._meaning.queries, [question]))[0]
                orders.append(await _by_meaning(session, _vector(vector), where, values, most))
        scores = fuse((order, 1.0) for order in orders)
        sources = {name: source for order in orders for name, source in order.items()}
        best = sorted(sources, key=lambda name: (-scores[name], name))[:k]
        return [context_of(Source(score=scores[name] * FUSED / len(orders), **sources[name])) for name in best]


async def _all_of(session: AsyncSession, statements: str) -> None:
    for statement in filter(str.strip, statements.split(";")):
        await session.execute(text(statement))


async def _has_vector(session: AsyncSession) -> bool:
    """Whether pgvector is there, or could be made to be: not every user of a database may."""
    try:
        async with session.begin_nested():
            await session.execute(text("CREATE EXTENSION IF NOT EXISTS vector"))
    except DBAPIError:
        return bool(await session.scalar(text("SELECT count(*) FROM pg_extension WHERE extname = 'vector'")))
    return True


async def _by_words(
    session: AsyncSession, terms: Sequence[str], where: str, values: dict[str, Any], most: int
) -> dict[str, dict[str, Any]]:
    if not terms:
        return {}
    asked = {f"t{n}": _quoted(term) for n, term in enumerate(terms)}
    counts = ", ".join(f"count(*) FILTER (WHERE terms @@ CAST(:{name} AS tsquery))" for name in asked)
    anyone = {"any": " | ".join(asked.values())}
    held = f"{where} AND terms @@ CAST(:any AS tsquery)"
    row = (
        await session.execute(
            text(f"SELECT (SELECT count(*) FROM footnoted_passages WHERE {where}), {counts} "  # noqa: S608 — ours
                 f"FROM footnoted_passages WHERE {held}"),
            {**values, **asked, **anyone},
        )
    ).one()  # fmt: skip
    total, *each = row
    telling = {f"w{n}": math.log(1 + (total - many + 0.5) / (many + 0.5)) for n, many in enumerate(each)}
    score = " + ".join(
        f"CASE WHEN terms @@ CAST(:t{n} AS tsquery) THEN CAST(:w{n} AS float8) ELSE 0 END" for n in range(len(terms))
    )
    found = await session.execute(
        text(
            f"SELECT id, source FROM footnoted_passages WHERE {held} "  # noqa: S608 — ours
            f"ORDER BY {score} DESC, ts_rank(terms, CAST(:any AS tsquery), 1) DESC, id LIMIT :most"
        ),
        {**values, **asked, **anyone, **telling, "most": most},
    )
    return {row.id: row.source for row in found}


async def _by_meaning(
    session: AsyncSession, vector: str, where: str, values: dict[str, Any], most: int
) -> dict[str, dict[str, Any]]:
    found = await session.execute(
        text(
            f"SELECT id, source FROM footnoted_passages WHERE {where} AND meaning IS NOT NULL "  # noqa: S608 — ours
            "ORDER BY meaning <#> CAST(:vector AS vector) LIMIT :most"
        ),
        {**values, "vector": vector, "most": most},
    )
    return {row.id: row.source for row in found}


def _bound(shelf: str, filters: Filters | None) -> tuple[str, dict[str, Any]]:
    bound = bound_of(filters)
    where = ["shelf = :shelf", *(f"{column} = ANY(:{column})" for column in bound)]
    return " AND ".join(where), {"shelf": shelf, **bound}


def _row(source: Source, shelf: str) -> dict[str, Any]:
    data = source.metadata
    above = f"{source.title} {data.get('section', '')}"
    terms = dict.fromkeys([*index_terms(source.text), *index_terms(above)])
    kept = {"id": source.id, "text": source.text, "title": source.title, "metadata": dict(data)}
    return {
        "shelf": shelf,
        "id": source.id,
        "document": str(data.get("document_id") or source.id),
        "scope": str(data.get("conversation_id") or NOWHERE),
        "source": json.dumps(kept, default=str).replace("\\u0000", "\\ufffd"),
        "terms": " ".join(map(_quoted, terms)),
    }


def _quoted(term: str) -> str:
    return "'" + term.replace("\0", "").replace("\\", "\\\\").replace("'", "''") + "'"


def _vector(vector: Any) -> str:
    return "[" + ",".join(f"{number:.6f}" for number in vector.tolist()) + "]"
