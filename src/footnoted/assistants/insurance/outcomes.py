"""Keeps answers and what customers thought of them, and counts both by variant and by policy section."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import sqlalchemy as sa

from footnoted.assistants.insurance.variants import Outcome
from footnoted.errors import ConfigurationError

if TYPE_CHECKING:
    from footnoted.assistants.insurance.models import ResponseResult
    from footnoted.store import Database

_LONGEST = 4_000  # code points of a question or comment that are kept
_MOST = 0.1  # how far thanks and complaints may move a section's relevance, up or down
_SURE_AFTER = 10  # marks after which a section moves that far


_META = sa.MetaData()
_ANSWERS = sa.Table(
    "insurance_answers",
    _META,
    sa.Column("id", sa.String(36), primary_key=True),
    *(sa.Column(name, sa.Text) for name in ("tenant", "experiment", "variant", "question")),
    *(sa.Column(name, sa.Boolean) for name in ("refused", "degraded", "sufficient")),
    *(sa.Column(name, sa.Float) for name in ("confidence", "latency_ms")),
    sa.Column("created_at", sa.DateTime(timezone=True)),
)
_CITED = sa.Table(
    "insurance_cited",
    _META,
    sa.Column("answer_id", sa.String(36), sa.ForeignKey("insurance_answers.id"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("file", sa.Text),
    sa.Column("section", sa.Text),
)
_FEEDBACK = sa.Table(
    "insurance_feedback",
    _META,
    sa.Column("answer_id", sa.String(36), sa.ForeignKey("insurance_answers.id"), primary_key=True),
    sa.Column("helpful", sa.Boolean),
    sa.Column("wrong_number", sa.Integer),
    sa.Column("comment", sa.Text),
    sa.Column("created_at", sa.DateTime(timezone=True)),
)


@dataclass(frozen=True, slots=True)
class SectionFeedback:
    """What customers thought of answers that cite a section; ``wrong`` of them marked this section as wrong."""

    file: str
    section: str
    cited: int
    helpful: int
    unhelpful: int
    wrong: int
    comments: tuple[str, ...] = ()

    @property
    def factor(self) -> float:
        """What its relevance may be multiplied by: 0.9–1.1. Nothing is ever dropped for a complaint."""
        balance = self.helpful - self.unhelpful - self.wrong
        return 1.0 + _MOST * max(-1.0, min(1.0, balance / _SURE_AFTER))

    def as_json(self) -> dict[str, Any]:
        """Every field and the factor, for a machine."""
        return {**asdict(self), "comments": list(self.comments), "factor": self.factor}


class Outcomes:
    """Keeps answers and feedback of one tenant at a time in a `footnoted.store.Database`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def prepare(self) -> None:
        """Bring the tables up to date."""
        await self._database.migrate(Path(__file__).parent / "migrations", name="insurance")

    async def keep(
        self,
        tenant: str,
        question: str,
        result: ResponseResult,
        *,
        experiment: str = "",
        variant: str = "",
        answer_id: str | None = None,
    ) -> str:
        """Keep an answer; its id, for `rate`: a new one unless it has one already."""
        id_ = answer_id or str(uuid4())
        row = {
            "id": id_,
            "tenant": tenant,
            "experiment": experiment,
            "variant": variant,
            "question": _storable(question),
            "refused": result.refused,
            "degraded": result.degraded,
            "sufficient": result.has_sufficient_context,
            "confidence": result.confidence_score,
            "latency_ms": result.latency_ms,
            "created_at": datetime.now(UTC),
        }
        cited = [
            {"answer_id": id_, "number": number, "file": citation.source_file, "section": citation.section}
            for number, citation in enumerate(result.citations, start=1)
        ]
        async with self._database.session() as session:
            await session.execute(_ANSWERS.insert(), row)
            if cited:
                await session.execute(_CITED.insert(), cited)
        return id_

    async def rate(
        self, tenant: str, answer_id: str, *, helpful: bool, wrong: int | None = None, comment: str = ""
    ) -> None:
        """Keep a customer's word; a later one replaces it. ``wrong`` is the number of a citation that misled."""
        async with self._database.session() as session:
            mine = sa.select(_ANSWERS.c.id).where(_ANSWERS.c.id == answer_id, _ANSWERS.c.tenant == tenant)
            if (await session.execute(mine)).first() is None:
                raise ConfigurationError(f"there is no answer {answer_id!r} to give feedback on")
            await session.execute(sa.delete(_FEEDBACK).where(_FEEDBACK.c.answer_id == answer_id))
            row = {
                "answer_id": answer_id,
                "helpful": helpful,
                "wrong_number": wrong,
                "comment": _storable(comment),
                "created_at": datetime.now(UTC),
            }
            await session.execute(_FEEDBACK.insert(), row)

    async def forget(self, before: datetime) -> None:
        """Let go of answers given before then, and of what was thought of them."""
        await self._drop(_ANSWERS.c.created_at < before)

    async def delete(self, tenant: str, answer_ids: list[str]) -> None:
        """Let go of these answers of a tenant, and of what was thought of them."""
        await self._drop(sa.and_(_ANSWERS.c.tenant == tenant, _ANSWERS.c.id.in_(answer_ids)))

    async def _drop(self, which: sa.ColumnElement[bool]) -> None:
        ids = sa.select(_ANSWERS.c.id).where(which)
        async with self._database.session() as session:
            for table in (_CITED, _FEEDBACK):
                await session.execute(sa.delete(table).where(table.c.answer_id.in_(ids)))
            await session.execute(sa.delete(_ANSWERS).where(which))

    async def by_variant(self, tenant: str, experiment: str) -> list[Outcome]:
        """Each variant's outcomes, by name."""
        asked = (
            sa.select(
                _ANSWERS.c.variant,
                sa.func.count(_ANSWERS.c.id),
                sa.func.sum(sa.cast(_ANSWERS.c.refused, sa.Integer)),
                sa.func.sum(sa.cast(_ANSWERS.c.degraded, sa.Integer)),
                sa.func.count(_FEEDBACK.c.answer_id),
                sa.func.coalesce(sa.func.sum(sa.cast(_FEEDBACK.c.helpful, sa.Integer)), 0),
                sa.func.avg(_ANSWERS.c.confidence),
                sa.func.avg(_ANSWERS.c.latency_ms),
            )
            .select_from(_ANSWERS.outerjoin(_FEEDBACK, _FEEDBACK.c.answer_id == _ANSWERS.c.id))
            .where(_ANSWERS.c.tenant == tenant, _ANSWERS.c.experiment == experiment)
            .group_by(_ANSWERS.c.variant)
            .order_by(_ANSWERS.c.variant)
        )
        async with self._database.session() as session:
            return [Outcome(*row) for row in (await session.execute(asked)).all()]

    async def by_section(self, tenant: str) -> list[SectionFeedback]:
        """Every section that was cited in a rated answer, those marked wrong first: for the policy's owner."""
        asked = (
            sa.select(_CITED.c.file, _CITED.c.section, _CITED.c.number, _FEEDBACK.c.helpful, _FEEDBACK.c.wrong_number)
            .add_columns(_FEEDBACK.c.comment)
            .select_from(
                _CITED.join(_ANSWERS, _ANSWERS.c.id == _CITED.c.answer_id).join(
                    _FEEDBACK, _FEEDBACK.c.answer_id == _ANSWERS.c.id
                )
            )
            .where(_ANSWERS.c.tenant == tenant)
            .order_by(_FEEDBACK.c.created_at)
        )
        async with self._database.session() as session:
            rows = (await session.execute(asked)).all()
        found: dict[tuple[str, str], list[Any]] = {}
        for row in rows:
            found.setdefault((row.file, row.section), []).append(row)
        sections = [_section(*place, marks) for place, marks in found.items()]
        return sorted(sections, key=lambda section: (-section.wrong, -section.unhelpful, section.file, section.section))

    async def factors(self, tenant: str) -> dict[tuple[str, str], float]:
        """What `RetrievalAgent.heed` takes: each rated section's factor."""
        return {(section.file, section.section): section.factor for section in await self.by_section(tenant)}


def _section(file: str, section: str, rows: list[Any]) -> SectionFeedback:
    wrong = [row for row in rows if row.wrong_number == row.number]
    return SectionFeedback(
        file,
        section,
        cited=len(rows),
        helpful=sum(bool(row.helpful) for row in rows),
        unhelpful=sum(not row.helpful for row in rows),
        wrong=len(wrong),
        comments=tuple(row.comment for row in rows if row.comment and (row in wrong or not row.helpful)),
    )


def _storable(text: str) -> str:
    return text[:_LONGEST].replace("\x00", "").encode("utf-8", "replace").decode()
