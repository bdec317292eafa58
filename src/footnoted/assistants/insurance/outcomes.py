"""Keeps answers and what customers thought of them, and counts both by variant and by policy section."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from footnoted.assistants.insurance.variants import Outcome
from footnoted.errors import ConfigurationError

if TYPE_CHECKING:
    from footnoted.assistants.insurance.models import ResponseResult
    from footnoted.store import Database

_LONGEST = 4_000  # code points of a question or comment that are kept
_MOST = 0.1  # how far thanks and complaints may move a section's relevance, up or down
_SURE_AFTER = 10  # marks after which a section moves that far


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
            {"answer_id": id_, "number": number, "file": one.source_file, "section": one.section}
            for number, one in enumerate(result.citations, start=1)
        ]
        async with self._database.session() as session:
            await session.execute(_tables()["answers"].insert(), row)
            if cited:
                await session.execute(_tables()["cited"].insert(), cited)
        return id_

    async def rate(
        self, tenant: str, answer_id: str, *, helpful: bool, wrong: int | None = None, comment: str = ""
    ) -> None:
        """Keep a customer's word; a later one replaces it. ``wrong`` is the number of a citation that misled."""
        from sqlalchemy import delete, select

        answers, feedback = _tables()["answers"], _tables()["feedback"]
        async with self._database.session() as session:
            mine = select(answers.c.id).where(answers.c.id == answer_id, answers.c.tenant == tenant)
            if (await session.execute(mine)).first() is None:
                raise ConfigurationError(f"there is no answer {answer_id!r} to give feedback on")
            await session.execute(delete(feedback).where(feedback.c.answer_id == answer_id))
            row = {
                "answer_id": answer_id,
                "helpful": helpful,
                "wrong_number": wrong,
                "comment": _storable(comment),
                "created_at": datetime.now(UTC),
            }
            await session.execute(feedback.insert(), row)

    async def forget(self, before: datetime) -> None:
        """Let go of answers given before then, and of what was thought of them."""
        from sqlalchemy import delete, select

        answers, cited, feedback = (_tables()[name] for name in ("answers", "cited", "feedback"))
        old = select(answers.c.id).where(answers.c.created_at < before)
        async with self._database.session() as session:
            for table in (cited, feedback):
                await session.execute(delete(table).where(table.c.answer_id.in_(old)))
            await session.execute(delete(answers).where(answers.c.created_at < before))

    async def delete(self, tenant: str, answer_ids: list[str]) -> None:
        """Let go of these answers of a tenant, and of what was thought of them."""
        from sqlalchemy import delete, select

        answers, cited, feedback = (_tables()[name] for name in ("answers", "cited", "feedback"))
        mine = select(answers.c.id).where(answers.c.tenant == tenant, answers.c.id.in_(answer_ids))
        async with self._database.session() as session:
            for table in (cited, feedback):
                await session.execute(delete(table).where(table.c.answer_id.in_(mine)))
            await session.execute(delete(answers).where(answers.c.id.in_(mine)))

    async def by_variant(self, tenant: str, experiment: str) -> list[Outcome]:
        """Each variant's outcomes, by name."""
        from sqlalchemy import Integer, cast, func, select

        answers, feedback = _tables()["answers"], _tables()["feedback"]
        asked = (
            select(
                answers.c.variant,
                func.count(answers.c.id),
                func.sum(cast(answers.c.refused, Integer)),
                func.sum(cast(answers.c.degraded, Integer)),
                func.count(feedback.c.answer_id),
                func.coalesce(func.sum(cast(feedback.c.helpful, Integer)), 0),
                func.avg(answers.c.confidence),
                func.avg(answers.c.latency_ms),
            )
            .select_from(answers.outerjoin(feedback, feedback.c.answer_id == answers.c.id))
            .where(answers.c.tenant == tenant, answers.c.experiment == experiment)
            .group_by(answers.c.variant)
            .order_by(answers.c.variant)
        )
        async with self._database.session() as session:
            return [Outcome(*row) for row in (await session.execute(asked)).all()]

    async def by_section(self, tenant: str) -> list[SectionFeedback]:
        """Every section that was cited in a rated answer, those marked wrong first: for the policy's owner."""
        from sqlalchemy import select

        answers, cited, feedback = (_tables()[name] for name in ("answers", "cited", "feedback"))
        asked = (
            select(cited.c.file, cited.c.section, cited.c.number, feedback.c.helpful, feedback.c.wrong_number)
            .add_columns(feedback.c.comment)
            .select_from(
                cited.join(answers, answers.c.id == cited.c.answer_id).join(
                    feedback, feedback.c.answer_id == answers.c.id
                )
            )
            .where(answers.c.tenant == tenant)
            .order_by(feedback.c.created_at)
        )
        async with self._database.session() as session:
            rows = (await session.execute(asked)).all()
        found: dict[tuple[str, str], list[Any]] = {}
        for row in rows:
            found.setdefault((row.file, row.section), []).append(row)
        told = [_section(*place, marks) for place, marks in found.items()]
        return sorted(told, key=lambda one: (-one.wrong, -one.unhelpful, one.file, one.section))

    async def factors(self, tenant: str) -> dict[tuple[str, str], float]:
        """What `RetrievalAgent.heed` takes: each rated section's factor."""
        return {(one.file, one.section): one.factor for one in await self.by_section(tenant)}


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


def _tables() -> dict[str, Any]:
    """The tables as SQLAlchemy knows them, made when first needed."""
    if not _known:
        import sqlalchemy as sa

        meta = sa.MetaData()
        key = sa.ForeignKey
        _known["answers"] = sa.Table(
            "insurance_answers",
            meta,
            sa.Column("id", sa.String(36), primary_key=True),
            *(sa.Column(name, sa.Text) for name in ("tenant", "experiment", "variant", "question")),
            *(sa.Column(name, sa.Boolean) for name in ("refused", "degraded", "sufficient")),
            *(sa.Column(name, sa.Float) for name in ("confidence", "latency_ms")),
            sa.Column("created_at", sa.DateTime(timezone=True)),
        )
        _known["cited"] = sa.Table(
            "insurance_cited",
            meta,
            sa.Column("answer_id", sa.String(36), key("insurance_answers.id"), primary_key=True),
            sa.Column("number", sa.Integer, primary_key=True),
            sa.Column("file", sa.Text),
            sa.Column("section", sa.Text),
        )
        _known["feedback"] = sa.Table(
            "insurance_feedback",
            meta,
            sa.Column("answer_id", sa.String(36), key("insurance_answers.id"), primary_key=True),
            sa.Column("helpful", sa.Boolean),
            sa.Column("wrong_number", sa.Integer),
            sa.Column("comment", sa.Text),
            sa.Column("created_at", sa.DateTime(timezone=True)),
        )
    return _known


_known: dict[str, Any] = {}


def _storable(text: str) -> str:
    return text[:_LONGEST].replace("\x00", "").encode("utf-8", "replace").decode()
