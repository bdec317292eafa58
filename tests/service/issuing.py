"""A real OpenID Connect issuer on loopback: its discovery document, its keys, and tokens signed with them."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import hmac
import json
import time
from collections import Counter

import jwt
from aiohttp import web
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

AUDIENCE = "footnoted"


class Issuing:
    """``keys`` are what it publishes; ``asked`` counts its documents; ``about`` and ``reply`` replace what it tells."""

    def __init__(self) -> None:
        self.url = ""
        self.asked: Counter[str] = Counter()
        self.about: dict = {}
        self.reply: web.Response | None = None
        self.private = {"first": rsa.generate_private_key(65537, 2048)}
        self.keys = [self.published("first")]

    def published(self, kid: str, **more) -> dict:
        """The public part of a key, as it stands among the published ones."""
        key = self.private[kid].public_key()
        kind, algorithm = (RSAAlgorithm, "RS256") if isinstance(key, rsa.RSAPublicKey) else (ECAlgorithm, "ES256")
        return {**json.loads(kind.to_jwk(key)), "kid": kid, "alg": algorithm, "use": "sig", **more}

    def rotate(self, kid: str, *, kind: str = "rsa") -> None:
        """Sign with a new key from now on, and publish that alone."""
        made = rsa.generate_private_key(65537, 2048) if kind == "rsa" else ec.generate_private_key(ec.SECP256R1())
        self.private[kid] = made
        self.keys = [self.published(kid)]

    def token(self, kid: str = "first", *, header: dict | None = None, without: tuple[str, ...] = (), **claims) -> str:
        """A token that holds, but for what is said."""
        now = time.time()
        said = {"iss": self.url, "aud": AUDIENCE, "sub": "u1", "iat": now, "exp": now + 60, "tenant": "ada", **claims}
        said = {name: value for name, value in said.items() if name not in without}
        algorithm = "RS256" if isinstance(self.private[kid], rsa.RSAPrivateKey) else "ES256"
        return jwt.encode(said, self.private[kid], algorithm=algorithm, headers={"kid": kid, **(header or {})})

    def pem(self, kid: str = "first") -> bytes:
        """The public key that anybody can fetch."""
        return self.private[kid].public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)

    def confused(self, secret: bytes) -> str:
        """A token signed with what is public, as if that were a shared secret (RFC 8725, 2.1)."""
        head = _part({"alg": "HS256", "typ": "JWT", "kid": "first"})
        body = _part({"iss": self.url, "aud": AUDIENCE, "exp": time.time() + 60, "tenant": "ada"})
        signed = hmac.new(secret, head + b"." + body, hashlib.sha256).digest()
        return b".".join((head, body, _encoded(signed))).decode()

    async def _configuration(self, request: web.Request) -> web.StreamResponse:
        self.asked["configuration"] += 1
        told = {"issuer": self.url, "jwks_uri": f"{self.url}/keys", **self.about}
        return self.reply or web.json_response(told)

    async def _keys(self, request: web.Request) -> web.Response:
        self.asked["keys"] += 1
        return web.json_response({"keys": self.keys})


def _part(said: dict) -> bytes:
    return _encoded(json.dumps(said).encode())


def _encoded(data: bytes) -> bytes:
    return base64.urlsafe_b64encode(data).rstrip(b"=")


@contextlib.asynccontextmanager
async def issuing():
    """One that listens."""
    made = Issuing()
    app = web.Application()
    app.router.add_get("/.well-known/openid-configuration", made._configuration)
    app.router.add_get("/keys", made._keys)
    runner = web.AppRunner(app, shutdown_timeout=0)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    made.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield made
    finally:
        await runner.cleanup()
