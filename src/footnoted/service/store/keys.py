"""Tenants' keys: made once and shown once, kept as hashes, found again, revoked."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from dataclasses import dataclass
from typing import Literal, cast

from sqlalchemy import func, select, update

from footnoted.errors import ConfigurationError
from footnoted.service.settings import TENANT
from footnoted.service.store.room import Store
from footnoted.service.store.tables import KeyRow

Role = Literal["member", "admin"]  # who may ask, and who may besides see to keys and usage
_KEY = re.compile(r"fn_([0-9a-f]{12})_([A-Za-z0-9_-]{43})")


@dataclass(frozen=True, slots=True)
class Key:
    """A key without its secret."""

    id: str
    tenant: str
    label: str
    role: Role
    created_at: float
    revoked_at: float | None


class Keys:
    """The keys in a store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def add(self, tenant: str, *, label: str = "", role: Role = "member") -> str:
        """A new key for a tenant, in the only moment it can be read."""
        if not TENANT.fullmatch(tenant):
            raise ConfigurationError(f"a tenant's name is 1 to 64 letters, digits, dots, dashes; got {tenant!r}")
        key_id, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
        async with self._store.session() as session:
            session.add(
                KeyRow(
                    id=key_id,
                    tenant=tenant,
                    label=label[:200],
                    hash=_hash(secret),
                    role=role,
                    created_at=time.time(),
                )
            )
        return f"fn_{key_id}_{secret}"

    async def all(self) -> list[Key]:
        """Every key, the oldest first."""
        async with self._store.session() as session:
            rows = (await session.scalars(select(KeyRow).order_by(KeyRow.created_at))).all()
        return [_key(row) for row in rows]

    async def revoke(self, key_id: str) -> bool:
        """End a key by its id (the part between the underscores); whether there was a live one."""
        async with self._store.session() as session:
            done = await session.execute(
                update(KeyRow)
                .where(KeyRow.id == key_id, KeyRow.revoked_at.is_(None))
                .values(revoked_at=time.time())
                .returning(KeyRow.id)
            )
            return done.first() is not None

    async def any(self) -> bool:
        """Whether any key was ever made: a service that had keys is not opened by revoking the last of them."""
        async with self._store.session() as session:
            count = await session.scalar(select(func.count()).select_from(KeyRow))
        return bool(count)

    async def find(self, key: str) -> Key | None:
        """A live key by its secret; nothing for one that is unknown, wrong or revoked."""
        found = _KEY.fullmatch(key)
        if found is None:
            return None
        async with self._store.session() as session:
            row = await session.get(KeyRow, found[1])
        if row is None or row.revoked_at is not None or not hmac.compare_digest(row.hash, _hash(found[2])):
            return None
        return _key(row)


def _key(row: KeyRow) -> Key:
    return Key(row.id, row.tenant, row.label, cast("Role", row.role), row.created_at, row.revoked_at)


def _hash(secret: str) -> str:
    # 256 random bits cannot be guessed, so a slow hash would protect nothing more.
    return hashlib.sha256(secret.encode()).hexdigest()
