"""Everybody's keys, tenants and feedback, as an operator sees them: whose, how much there is, what was said."""

from __future__ import annotations

import json
import time
from collections import Counter, defaultdict
from typing import Any

from sqlalchemy import func, select, true

from footnoted.service.counting import periods_of
from footnoted.service.history import feedback_told
from footnoted.service.settings import Settings
from footnoted.service.spending import in_currency
from footnoted.service.store.room import Store, newest
from footnoted.service.store.tables import AnswerRow, ConversationRow, DocumentRow, FeedbackRow, KeyRow
from footnoted.service.store.usage import Ledger, Taken
from footnoted.service.told import TakenOf, ToldTenant, ToldThought

_TEXT = 2_000  # code points of an answer told beside what was thought of it


async def all_tenants(store: Store, ledger: Ledger, settings: Settings) -> list[ToldTenant]:
    """Every tenant that has anything, or is named in the settings; who took most this month comes first."""
    month, day = periods_of(time.time())
    counted = (
        (KeyRow.tenant, KeyRow.revoked_at.is_(None)),
        (DocumentRow.tenant, true()),
        (ConversationRow.tenant, ConversationRow.deleted_at.is_(None)),
    )
    counts: list[Counter[str]] = []
    async with store.session() as session:
        for tenant, wanted in counted:
            found = await session.execute(select(tenant, func.count()).where(wanted).group_by(tenant))
            counts.append(Counter({str(name): int(count) for name, count in found}))
        with_keys = set(await session.scalars(select(KeyRow.tenant).distinct()))
    months: defaultdict[str, Taken] = defaultdict(Taken)
    days: defaultdict[str, Taken] = defaultdict(Taken)
    for spent in await ledger.days(month.first):
        months[spent.tenant] += spent.taken
        if spent.day == day.name:
            days[spent.tenant] += spent.taken
    tenants = []
    for name in {*settings.tenants}.union(with_keys, months, *counts):
        policy = settings.policy_of(name)
        keys, documents, conversations = (count[name] for count in counts)
        tenants.append(
            ToldTenant(
                tenant=name,
                keys=keys,
                documents=documents,
                conversations=conversations,
                month=_taken(months[name], policy.tokens_per_month, policy.money_per_month),
                day=_taken(days[name], policy.tokens_per_day, policy.money_per_day),
            )
        )
    return sorted(tenants, key=lambda tenant: (-tenant.month.tokens, tenant.tenant))


async def all_feedback(
    store: Store, *, tenant: str | None, rating: str | None, limit: int, after: str | None
) -> list[ToldThought]:
    """What was thought of answers, the newest first. Raises `Fault` 404 where there is none to go on after."""
    wanted = [FeedbackRow.tenant == tenant] if tenant else []
    wanted += [FeedbackRow.rating == rating] if rating else []
    async with store.session() as session:
        found = select(FeedbackRow, AnswerRow.question, AnswerRow.response)
        found = found.join(AnswerRow, AnswerRow.id == FeedbackRow.answer_id).where(*wanted)
        rows = await newest(session, found, FeedbackRow, after=after, limit=limit)
        return [_thought(row, question, json.loads(response)) for row, question, response in rows]


def _taken(taken: Taken, tokens: int | None, money: float | None) -> TakenOf:
    return TakenOf(**in_currency(taken), most_tokens=tokens, most_money=money)


def _thought(row: FeedbackRow, question: str, response: dict[str, Any]) -> ToldThought:
    text = str(response.get("response", ""))
    answer = text if len(text) <= _TEXT else f"{text[:_TEXT]}…"
    told = feedback_told(row).model_dump()
    return ToldThought(**told, tenant=row.tenant, question=question, answer=answer)
