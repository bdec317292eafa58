"""Verifies tokens of an OpenID Connect issuer by the issuer's own keys, fetched and kept within bounds.

Follows OpenID Connect Discovery 1.0 and RFC 8725: the issuer's name is compared letter by letter, only algorithms with
a public key are taken, and each key verifies with its own algorithm, whatever a token's header says.
"""

from __future__ import annotations

import asyncio
import json
import time
from typing import TYPE_CHECKING, Any

import structlog

from footnoted.service.faults import unavailable
from footnoted.service.settings import Settings

if TYPE_CHECKING:
    import aiohttp
    from jwt import PyJWK

log = structlog.get_logger("footnoted.issuer")

ALGORITHMS = frozenset({"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"})
LONGEST_TOKEN = 16_384
_MOST_BYTES = 512 * 1024  # of a document of the issuer's
_MOST_KEYS = 100
_LEAST_RSA = 2048  # bits (RFC 7518, 3.3)
_STALE = 86_400.0  # seconds for which keys are still believed when the issuer cannot be reached
_AGAIN = 15.0  # seconds between fetches for keys that are not known, once the first few are spent
_FIRST_FEW = 4.0
_REST = 2.0  # seconds an issuer that failed is left alone
_LEEWAY = 10  # seconds two clocks may differ


class Unproven(Exception):
    """A token that does not hold."""


class Issuer:
    """One issuer: its discovery document and its keys. ``oidc_keys_seconds`` is how long they are kept unasked."""

    def __init__(self, settings: Settings) -> None:
        self.name = settings.oidc_issuer or ""
        self._audience = settings.oidc_audience
        self._lasts = settings.oidc_keys_seconds
        self._seconds = settings.oidc_seconds
        self._keys: list[PyJWK] = []
        self._fetched = -float("inf")
        self._rests_until = -float("inf")
        self._fetching: asyncio.Task[None] | None = None
        self._tries = _FIRST_FEW
        self._tried = time.monotonic()

    async def claims(self, token: str) -> dict[str, Any]:
        """What a token says. Raises `Unproven`, or `Fault` 503 while there are no keys to hold it to."""
        import jwt

        if len(token) > LONGEST_TOKEN:
            raise Unproven("this token is too long")
        try:
            header = jwt.get_unverified_header(token)
        except (jwt.PyJWTError, ValueError):
            raise Unproven("this is no token") from None
        if "crit" in header:  # demands an extension, of which this knows none (RFC 7515, 4.1.11)
            raise Unproven("this token demands an extension that is not known here")
        if header.get("alg") not in ALGORITHMS:
            raise Unproven("a token is signed with the issuer's private key: RS256, ES256 or their like")
        key = await self._key(header.get("kid"), header["alg"])
        return verified(token, key.key, [key.algorithm_name], issuer=self.name, audience=self._audience)

    async def aclose(self) -> None:
        """End a fetch that is under way."""
        if self._fetching is not None:
            self._fetching.cancel()
            await asyncio.gather(self._fetching, return_exceptions=True)

    async def _key(self, kid: Any, algorithm: str) -> PyJWK:
        age = time.monotonic() - self._fetched
        if age > self._lasts:
            # Keys that are not too old serve while they are fetched anew.
            await self._fetch(wait=age > self._lasts + _STALE or not self._keys)
        found = self._find(kid, algorithm)
        if found is None and self._may_try():
            await self._fetch(wait=True)
            found = self._find(kid, algorithm)
        if found is not None:
            return found
        if not self._keys:
            raise unavailable("the issuer of these tokens")
        raise Unproven("this token's key is none of the issuer's")

    def _find(self, kid: Any, algorithm: str) -> PyJWK | None:
        fitting = [key for key in self._keys if key.algorithm_name == algorithm]
        if kid is None:  # which only one that has a single key may leave out
            return fitting[0] if len(fitting) == 1 and len(self._keys) == 1 else None
        return next((key for key in fitting if key.key_id == kid), None)

    def _may_try(self) -> bool:
        """Tokens that name keys nobody has ever seen must not make this ask the issuer all the time."""
        now = time.monotonic()
        self._tries = min(_FIRST_FEW, self._tries + (now - self._tried) / _AGAIN)
        self._tried = now
        if self._tries < 1.0:
            return False
        self._tries -= 1.0
        return True

    async def _fetch(self, *, wait: bool) -> None:
        """One fetch for all who need it."""
        if (self._fetching is None or self._fetching.done()) and time.monotonic() >= self._rests_until:
            self._fetching = asyncio.create_task(self._fetched_anew(), name="footnoted-issuer")
        if wait and self._fetching is not None:
            await asyncio.shield(self._fetching)

    async def _fetched_anew(self) -> None:
        import aiohttp

        try:
            async with asyncio.timeout(self._seconds), aiohttp.ClientSession(trust_env=True) as session:
                about = await self._document(session, f"{self.name.rstrip('/')}/.well-known/openid-configuration")
                if about.get("issuer") != self.name:
                    raise ValueError("it names another issuer")
                where = about.get("jwks_uri")
                if not isinstance(where, str) or not may_be_asked(where, like=self.name):
                    raise ValueError("its keys are at no address that may be asked")
                keys = _usable(await self._document(session, where))
        except (aiohttp.ClientError, OSError, TimeoutError, ValueError) as error:
            log.warning("issuer not reached", issuer=self.name, error=type(error).__name__, words=str(error)[:200])
            self._rests_until = time.monotonic() + _REST
            if time.monotonic() - self._fetched > self._lasts + _STALE:
                self._keys = []
            return
        self._keys, self._fetched = keys, time.monotonic()

    async def _document(self, session: aiohttp.ClientSession, url: str) -> dict[str, Any]:
        async with session.get(url, allow_redirects=False) as response:
            if response.status != 200:
                raise ValueError(f"{response.status} for {url}")
            text = await response.content.read(_MOST_BYTES + 1)
            while len(text) <= _MOST_BYTES and (more := await response.content.read(_MOST_BYTES + 1 - len(text))):
                text += more
        if len(text) > _MOST_BYTES:
            raise ValueError("more than is read of it")
        found = json.loads(text)
        if not isinstance(found, dict):
            raise ValueError("no JSON object")  # noqa: TRY004 — it is what was sent that is wrong
        return found


def _usable(document: dict[str, Any]) -> list[PyJWK]:
    """The public keys that sign, of those a document has."""
    import jwt

    told = document.get("keys")
    found = []
    for data in told[:_MOST_KEYS] if isinstance(told, list) else []:
        if not isinstance(data, dict) or data.get("kty") not in ("RSA", "EC", "OKP") or data.get("use", "sig") != "sig":
            continue
        try:
            key = jwt.PyJWK(data)
        except (jwt.PyJWTError, ValueError, TypeError):
            continue
        long_enough = data["kty"] != "RSA" or getattr(key.key, "key_size", _LEAST_RSA) >= _LEAST_RSA
        if key.algorithm_name in ALGORITHMS and long_enough:
            found.append(key)
    if not found:
        raise ValueError("it has no key that can be used")
    return found


def verified(
    token: str, key: Any, algorithms: list[str], *, issuer: str | None, audience: str | None
) -> dict[str, Any]:
    """What a token says that holds: signed with the key, not expired, of the issuer and audience if they are given.

    Raises `Unproven`.
    """
    import jwt

    needed = {"exp": True, "iss": issuer is not None, "aud": audience is not None}
    try:
        claims: dict[str, Any] = jwt.decode(
            token,
            key,
            algorithms=algorithms,
            issuer=issuer,
            audience=audience,
            options={"require": [name for name, is_needed in needed.items() if is_needed], "verify_aud": needed["aud"]},
            leeway=_LEEWAY,
        )
    except (jwt.PyJWTError, ValueError, TypeError):
        raise Unproven("this token does not hold: its signature, expiry, issuer or audience") from None
    return claims


def may_be_asked(url: str, *, like: str = "") -> bool:
    """Whether keys may be trusted that come from an address: over TLS, or on this very machine if their issuer is.

    >>> may_be_asked("https://id.example"), may_be_asked("http://id.example"), may_be_asked("http://127.0.0.1:9/x")
    (True, False, True)
    """
    from urllib.parse import urlsplit

    from footnoted.service.settings import is_loopback

    try:
        parts = urlsplit(url)
        here = is_loopback(parts.hostname or "")
    except ValueError:
        return False
    if parts.scheme == "http":
        return here and (not like or like.startswith("http://"))
    return parts.scheme == "https" and bool(parts.hostname)


def named_issuer(token: str) -> Any:
    """The issuer a token names; that alone proves nothing."""
    import jwt

    if len(token) > LONGEST_TOKEN:
        return None
    try:
        return jwt.decode(token, options={"verify_signature": False}).get("iss")
    except (jwt.PyJWTError, ValueError):
        return None


def claim_of(claims: dict[str, Any], name: str) -> Any:
    """A claim by its name, or by the path to it: ``realm_access.roles``.

    >>> claim_of({"a": {"b": 1}, "https://x.example/a.b": 2}, "a.b"), claim_of({"https://x.y/z": 2}, "https://x.y/z")
    (1, 2)
    """
    if name in claims:
        return claims[name]
    found: Any = claims
    for part in name.split("."):
        found = found.get(part) if isinstance(found, dict) else None
    return found
