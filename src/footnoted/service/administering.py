"""Everybody's keys, tenants and feedback, as an operator sees them: whose, how much there is, what was said."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select, true, tuple_

from footnoted.service.faults import not_found
from footnoted.service.store.room import Store
from footnoted.service.store.tables import AnswerRow, ConversationRow, DocumentRow, FeedbackRow, KeyRow
from footnoted.service.store.usage import Ledger, Taken

_TEXT = 2_000  # code points of an answer told beside what was thought of it


@dataclass(frozen=True, slots=True)
class Tenant:
    """A tenant: what there is of it, and what its answers took this month and this day."""

    name: str
    keys: int
    documents: int
    conversations: int
    month: Taken
    day: Taken


@dataclass(frozen=True, slots=True)
class Thought:
    """What a person thought of an answer, with the question and the answer."""

    feedback_id: str
    tenant: str
    answer_id: str
    rating: str
    comment: str | None
    question: str
    answer: str
    created_at: float


class Administering:
    """What is there of all tenants of one store."""

    def __init__(self, store: Store, ledger: Ledger) -> None:
        self._store = store
        self._ledger = ledger

    async def tenants(self, *, month: str, day: str, named: frozenset[str]) -> list[Tenant]:
        """Every tenant that has anything, or is ``named`` in the settings; who took most this month comes first."""
        counts: dict[str, defaultdict[str, int]] = {}
        async with self._store.session() as session:
            for name, column, wanted in (
                ("keys", KeyRow.tenant, KeyRow.revoked_at.is_(None)),
                ("documents", DocumentRow.tenant, true()),
                ("conversations", ConversationRow.tenant, ConversationRow.deleted_at.is_(None)),
            ):
                query = select(column, func.count()).group_by(column)
                found = await session.execute(query.where(wanted))
                counts[name] = defaultdict(int, {str(tenant): int(count) for tenant, count in found})
            revoked = set(await session.scalars(select(KeyRow.tenant).distinct()))
        months: defaultdict[str, Taken] = defaultdict(Taken)
        days: defaultdict[str, Taken] = defaultdict(Taken)
        for each in await self._ledger.days(month):
            months[each.tenant] += each.taken
            if each.day == day:
                days[each.tenant] += each.taken
        names = set(named) | revoked | set(months) | {name for each in counts.values() for name in each}
        tenants = [
            Tenant(
                name,
                counts["keys"][name],
                counts["documents"][name],
                counts["conversations"][name],
                months[name],
                days[name],
            )
            for name in names
        ]
        return sorted(tenants, key=lambda each: (-each.month.tokens, each.name))

    async def feedback(self, *, tenant: str | None, rating: str | None, limit: int, after: str | None) -> list[Thought]:
        """What was thought of answers, the newest first. Raises `Fault` 404 where there is none to go on after."""
        wanted = [FeedbackRow.tenant == tenant] if tenant else []
        wanted += [FeedbackRow.rating == rating] if rating else []
        async with self._store.session() as session:
            if after is not None:
                last = await session.get(FeedbackRow, after)
                if last is None:
                    raise not_found("there is no such feedback to go on after")
                wanted.append(tuple_(FeedbackRow.created_at, FeedbackRow.id) < tuple_(last.created_at, last.id))
            rows = await session.execute(
                select(FeedbackRow, AnswerRow.question, AnswerRow.response)
                .join(AnswerRow, AnswerRow.id == FeedbackRow.answer_id)
                .where(*wanted)
                .order_by(FeedbackRow.created_at.desc(), FeedbackRow.id.desc())
                .limit(limit)
            )
            return [_thought(row, question, json.loads(response)) for row, question, response in rows]


def _thought(row: FeedbackRow, question: str, response: dict[str, Any]) -> Thought:
    text = str(response.get("response", ""))
    answer = text if len(text) <= _TEXT else f"{text[:_TEXT]}…"
    return Thought(row.id, row.tenant, row.answer_id, row.rating, row.comment, question, answer, row.created_at)
