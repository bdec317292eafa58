"""Finds the tenant that a request's key or token speaks for, or raises 401."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import urlsplit

from fastapi import Depends, Request
from fastapi.security import APIKeyHeader, HTTPBearer
from fastapi.security.http import HTTPAuthorizationCredentials

from footnoted.errors import ConfigurationError
from footnoted.grounding.lanes import ON_BEHALF_OF
from footnoted.service.faults import Fault
from footnoted.service.issuer import Issuer, Unproven, claim_of, named_issuer, verified
from footnoted.service.settings import TENANT, Settings, is_loopback
from footnoted.service.store.keys import Keys

LOCAL = "local"
_REMEMBER = 30.0  # seconds a key is believed without asking the database again
_REMEMBERED = 10_000
_FRESH, _STALE = 1.0, 2.0  # seconds for which "there are no keys" is believed, and then while it is looked up again


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks. ``open``: nobody had to prove anything, on this machine only; ``admin``: may see to keys and usage."""

    tenant: str
    open: bool = False
    admin: bool = False


class Tenants:
    """Proves callers: by key, by token, or, on this machine and as long as there is neither, by nothing."""

    def __init__(self, keys: Keys, settings: Settings) -> None:
        self._keys = keys
        self._settings = settings
        self._known: OrderedDict[bytes, tuple[Caller | None, float]] = OrderedDict()
        self._asked: dict[bytes, asyncio.Task[Caller | None]] = {}  # one look-up for all who bring the same key at once
        self._any: tuple[bool, float] = (True, -_STALE)
        self._looking: asyncio.Task[None] | None = None
        self._key, self._algorithms = _own_key(settings)
        self._issuer = Issuer(settings) if settings.oidc_issuer else None

    async def prove(self, request: Request, token: str | None) -> Caller:
        """The caller of a request. Raises `Fault` 401."""
        # Where no key was ever made, any that comes is as good as none: OpenAI's clients cannot start without one.
        if await self.open():
            _from_this_machine(request)
            return Caller(LOCAL, open=True)
        if token is None:
            raise _unauthorized("a key is needed: Authorization: Bearer KEY")
        if self._settings.takes_jwt and token.count(".") == 2:
            return await self._by_token(token)
        if len(token) > 200:
            raise _unauthorized("this key is not known here")
        found = await self._by_key(token)
        if found is None:
            raise _unauthorized("this key is not known here")
        return found

    async def aclose(self) -> None:
        """End what is under way."""
        if self._issuer is not None:
            await self._issuer.aclose()

    def forget(self) -> None:
        """Believe no key any more without asking the database; and that there are keys."""
        self._known.clear()
        self._any = (True, time.monotonic() + _FRESH)

    async def open(self) -> bool:
        """Whether nobody has to prove anything: on this machine alone, no key made, no JWT set up."""
        if not self._settings.on_loopback or self._settings.takes_jwt:
            return False
        known, until = self._any
        now = time.monotonic()
        if now >= until and (self._looking is None or self._looking.done()):
            self._looking = asyncio.create_task(self._look(), name="footnoted-keys")
        if now >= until + _STALE and self._looking is not None:
            # One look for all who wait; while it is fresh enough, nobody waits for the next.
            await asyncio.shield(self._looking)
            known = self._any[0]
        return not known

    async def _look(self) -> None:
        self._any = (await self._keys.any(), time.monotonic() + _FRESH)

    async def _by_token(self, token: str) -> Caller:
        """Of the issuer if it says so, else signed with the key of these settings."""
        settings = self._settings
        try:
            if self._issuer is not None and (not self._key or named_issuer(token) == self._issuer.name):
                return _caller_of(await self._issuer.claims(token), settings.oidc_tenant_claim, settings)
            claims = verified(
                token, self._key, self._algorithms, issuer=settings.jwt_issuer, audience=settings.jwt_audience
            )
            return _caller_of(claims, settings.jwt_tenant_claim, settings)
        except Unproven as error:
            raise _unauthorized(str(error)) from None

    async def _by_key(self, token: str) -> Caller | None:
        name = hashlib.sha256(token.encode("utf-8", "replace")).digest()
        now = time.monotonic()
        known = self._known.get(name)
        if known is not None and known[1] > now:
            return known[0]
        looking = self._asked.get(name)
        if looking is None:
            looking = self._asked[name] = asyncio.create_task(self._find(token), name="footnoted-key")
            looking.add_done_callback(lambda _: self._asked.pop(name, None))
        caller = await asyncio.shield(looking)
        self._known[name] = (caller, now + _REMEMBER)
        self._known.move_to_end(name)
        while len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        return caller

    async def _find(self, token: str) -> Caller | None:
        key = await self._keys.find(token)
        return None if key is None else Caller(key.tenant, admin=key.role == "admin")


def _caller_of(claims: dict[str, Any], tenant_claim: str, settings: Settings) -> Caller:
    tenant = claim_of(claims, tenant_claim)
    if not isinstance(tenant, str) or not TENANT.fullmatch(tenant):
        raise _unauthorized(f"this token names no tenant in its claim {tenant_claim!r}")
    roles = claim_of(claims, settings.role_claim)
    if isinstance(roles, str):  # several as one text, as in a scope (RFC 8693, 4.2)
        roles = roles.split()
    return Caller(tenant, admin=isinstance(roles, list) and settings.admin_role in roles)


def _own_key(settings: Settings) -> tuple[str, list[str]]:
    """The key that these settings have for tokens, none set is empty; and the algorithms that go with it."""
    given = settings.jwt_algorithms
    if settings.jwt_public_key:
        key, fitting = settings.jwt_public_key, {"RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "EdDSA"}
    else:
        key = settings.jwt_secret.get_secret_value() if settings.jwt_secret else ""
        fitting = {"HS256", "HS384", "HS512"}
    # A public key must never be taken for a shared secret (RFC 8725, 3.1).
    if key and set(given) - fitting:
        raise ConfigurationError(f"setting jwt_algorithms: with this kind of key, of {', '.join(sorted(fitting))}")
    return key, given or sorted(fitting)


def _from_this_machine(request: Request) -> None:
    """Without a key, only pages of this very host may ask: no other site, no rebound name (DNS rebinding)."""
    if request.client is not None and not is_loopback(request.client.host):
        # Whoever runs the application on another address by other means than `footnoted serve`.
        raise _unauthorized("without a key this service answers this machine only")
    host = request.headers.get("host", "")
    origin = request.headers.get("origin")
    if not is_loopback(_name_of(host)):
        raise _unauthorized("without a key this service answers on its own address only; make a key to use it by name")
    if origin is not None and origin.partition("://")[2] != host:
        raise _unauthorized("without a key this service answers its own page only")


def _name_of(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _unauthorized(message: str) -> Fault:
    return Fault(401, "unauthorized", message)


_bearer = HTTPBearer(auto_error=False, description="A key from `footnoted keys add`, or a token")
_header = APIKeyHeader(name="X-API-Key", auto_error=False)


async def caller(
    request: Request,
    bearer: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
    header: Annotated[str | None, Depends(_header)],
) -> Caller:
    """Who asks; the request counts against its tenant's rate."""
    service = request.app.state.service
    found: Caller = await service.tenants.prove(request, bearer.credentials if bearer else header)
    request.scope["footnoted.tenant"] = found.tenant
    ON_BEHALF_OF.set(found.tenant)
    await service.limits.request(found.tenant)
    return found


async def administrator(found: Annotated[Caller, Depends(caller)]) -> Caller:
    """Who asks, where only those may who see to keys and usage. Raises `Fault` 403."""
    if not found.admin:
        raise Fault(403, "not_allowed", "this is for administrators: a key of `footnoted keys add --role admin`")
    return found


def may_add(settings: Settings, found: Caller) -> bool:
    """Whether the policy trusts this caller with what answers rest on."""
    trusted = settings.policy_of(found.tenant).uploads
    return trusted == "members" or (trusted == "admins" and found.admin)


async def adder(request: Request, found: Annotated[Caller, Depends(caller)]) -> Caller:
    """Who asks, where only those may whom the policy trusts with what answers rest on. Raises `Fault` 403."""
    settings: Settings = request.app.state.service.settings
    if not may_add(settings, found):
        who = "administrators" if settings.policy_of(found.tenant).uploads == "admins" else "nobody"
        raise Fault(403, "not_allowed", f"documents and findings are added and deleted by {who} here")
    return found


Asking = Annotated[Caller, Depends(caller)]
Adding = Annotated[Caller, Depends(adder)]
