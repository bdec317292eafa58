"""Everybody's keys, tenants and feedback, as an operator sees them: whose, how much there is, what was said."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select, true

from footnoted.service.history import feedback_told
from footnoted.service.store.room import Store, newest
from footnoted.service.store.tables import AnswerRow, ConversationRow, DocumentRow, FeedbackRow, KeyRow
from footnoted.service.store.usage import Ledger, Taken
from footnoted.service.told import ToldThought

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

    async def feedback(
        self, *, tenant: str | None, rating: str | None, limit: int, after: str | None
    ) -> list[ToldThought]:
        """What was thought of answers, the newest first. Raises `Fault` 404 where there is none to go on after."""
        wanted = [FeedbackRow.tenant == tenant] if tenant else []
        wanted += [FeedbackRow.rating == rating] if rating else []
        async with self._store.session() as session:
            found = select(FeedbackRow, AnswerRow.question, AnswerRow.response)
            found = found.join(AnswerRow, AnswerRow.id == FeedbackRow.answer_id).where(*wanted)
            rows = await newest(session, found, FeedbackRow, after=after, limit=limit)
            return [_thought(row, question, json.loads(response)) for row, question, response in rows]


def _thought(row: FeedbackRow, question: str, response: dict[str, Any]) -> ToldThought:
    text = str(response.get("response", ""))
    answer = text if len(text) <= _TEXT else f"{text[:_TEXT]}…"
    told = feedback_told(row).model_dump()
    return ToldThought(**told, tenant=row.tenant, question=question, answer=answer)
