"""Single sign-on: tokens of a real issuer on loopback, its keys rotated, and every token that must not hold."""

import asyncio
import socket
import time

import jwt
import pytest
from aiohttp import web
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from footnoted.errors import ConfigurationError
from footnoted.service.faults import Fault
from footnoted.service.issuer import Issuer, Unproven, claim_of, may_be_asked
from footnoted.service.settings import Settings, read_settings
from tests.service.conftest import SECRET
from tests.service.issuing import AUDIENCE, issuing
from tests.service.replicas import Client, Replica, start


@pytest.fixture
async def issuer():
    async with issuing() as made:
        yield made


@pytest.fixture
async def held(issuer):
    """The service's side of it."""
    made = Issuer(Settings(oidc_issuer=issuer.url, oidc_audience=AUDIENCE))
    yield made
    await made.aclose()


async def holds(held, token):
    try:
        await held.claims(token)
    except Unproven:
        return False
    return True


async def test_a_good_token_is_held_to_keys_that_are_fetched_once(issuer, held):
    """A hundred tokens at once ask for one discovery document and one set of keys."""
    found = await asyncio.gather(*(held.claims(issuer.token(sub=f"u{n}")) for n in range(100)))
    assert [each["sub"] for each in found] == [f"u{n}" for n in range(100)]
    assert issuer.asked == {"configuration": 1, "keys": 1}


BAD = {
    "another audience": lambda i: i.token(aud="another-service"),
    "no audience": lambda i: i.token(without=("aud",)),
    "expired": lambda i: i.token(exp=time.time() - 60),
    "no expiry": lambda i: i.token(without=("exp",)),
    "not yet": lambda i: i.token(nbf=time.time() + 120),
    "another issuer": lambda i: i.token(iss="https://evil.example"),
    "a slash more": lambda i: i.token(iss=i.url + "/"),
    "no issuer": lambda i: i.token(without=("iss",)),
    "unsigned": lambda i: jwt.encode({"iss": i.url, "aud": AUDIENCE, "exp": time.time() + 60}, None, algorithm="none"),
    "alg none, kid known": lambda i: jwt.encode(
        {"iss": i.url, "aud": AUDIENCE, "exp": time.time() + 60}, None, algorithm="none", headers={"kid": "first"}
    ),
    "HS256 with the public key": lambda i: i.confused(i.pem()),
    "HS256 with the modulus": lambda i: i.confused(i.keys[0]["n"].encode()),
    "HS256 with nothing": lambda i: i.confused(b""),
    "a demanded extension": lambda i: i.token(header={"crit": ["b64"], "b64": False}),
    "cut short": lambda i: i.token()[:-8],
    "signature of another": lambda i: i.token().rpartition(".")[0] + "." + i.token(sub="x").rpartition(".")[2],
    "no token": lambda i: "a.b.c",
    "kid is no text": lambda i: i.token(header={"kid": "../../etc/passwd"}),
    "very long": lambda i: i.token(filling="x" * 20_000),
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
async def test_a_token_that_must_not_hold_does_not(issuer, held, bad):
    """Wrong audience, expired, unsigned, signed with what is public, demanding what is not known."""
    assert await holds(held, issuer.token())
    assert not await holds(held, bad(issuer))


async def test_a_key_that_a_token_brings_along_is_not_heeded(issuer, held):
    """Neither ``jwk`` nor ``jku`` in a header (RFC 8725, 3.10): only what the issuer publishes."""
    issuer.private["mine"] = rsa.generate_private_key(65537, 2048)
    told = issuer.published("mine")
    forged = issuer.token("mine", header={"kid": "first", "jwk": told, "jku": f"{issuer.url}/mine"})
    assert await holds(held, issuer.token())
    assert not await holds(held, forged)


async def test_a_rotated_key_is_learnt_at_its_first_token(issuer, held):
    """The new key holds at once, of another kind too; the old one no more once the new ones are known."""
    assert await holds(held, issuer.token())
    issuer.rotate("second", kind="ec")
    assert await holds(held, issuer.token("second"))
    assert not await holds(held, issuer.token("first"))
    issuer.keys.append(issuer.published("first"))
    assert await holds(held, issuer.token("first"))
    assert await holds(held, issuer.token("second"))


async def test_tokens_of_unknown_keys_do_not_make_it_ask_for_ever(issuer, held):
    """A flood of made-up key names costs the issuer a handful of requests."""
    assert await holds(held, issuer.token())
    for n in range(60):
        assert not await holds(held, issuer.token(header={"kid": f"made-up-{n}"}))
    assert issuer.asked["keys"] <= 6


async def test_one_key_may_go_without_a_name_and_several_may_not(issuer, held):
    """A token without ``kid`` is held to the only key there is."""
    nameless = jwt.encode({"iss": issuer.url, "aud": AUDIENCE, "exp": time.time() + 60}, issuer.private["first"], algorithm="RS256")  # fmt: skip
    assert await holds(held, nameless)
    issuer.private["other"] = ec.generate_private_key(ec.SECP256R1())
    issuer.keys.append(issuer.published("other"))
    assert await holds(held, issuer.token("other"))
    assert not await holds(held, nameless)


async def test_keys_that_must_not_sign_are_left_out(issuer, held):
    """A key for encryption, a shared secret among the public ones, a weak one: none of them holds a token."""
    issuer.private |= {name: rsa.generate_private_key(65537, bits) for name, bits in (("enc", 2048), ("weak", 1024))}
    shared = {"kty": "oct", "kid": "shared", "k": "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LTEyMzQ", "alg": "HS256"}
    issuer.keys += [issuer.published("enc", use="enc"), issuer.published("weak"), shared, "nonsense", {"kty": "RSA"}]
    assert await holds(held, issuer.token())
    assert not await holds(held, issuer.token("enc"))
    with pytest.warns(jwt.warnings.InsecureKeyLengthWarning):
        weak = issuer.token("weak")
    assert not await holds(held, weak)


@pytest.mark.parametrize(
    "about",
    [
        {"issuer": "https://another.example"},
        {"jwks_uri": "http://evil.example/keys"},
        {"jwks_uri": "file:///etc/passwd"},
        {"jwks_uri": None},
        {"filling": "x" * 600_000},
    ],
)
async def test_an_issuer_that_is_not_who_it_should_be_gives_no_keys(issuer, held, about):
    """Another name, keys at an address that cannot be trusted, a document without end: 503, and no token holds."""
    issuer.about = about
    with pytest.raises(Fault) as told:
        await held.claims(issuer.token())
    assert told.value.status == 503
    assert issuer.asked["keys"] == 0


@pytest.mark.parametrize(
    "reply",
    [
        lambda url: web.Response(status=302, headers={"Location": f"{url}/elsewhere"}),
        lambda url: web.Response(status=500),
        lambda url: web.Response(text="[]", content_type="application/json"),
        lambda url: web.Response(text="{", content_type="application/json"),
    ],
)
async def test_an_issuer_that_fails_is_told_as_away(issuer, held, reply):
    """A redirect, an error, no JSON: 503."""
    issuer.reply = reply(issuer.url)
    with pytest.raises(Fault) as told:
        await held.claims(issuer.token())
    assert told.value.status == 503


async def test_keys_outlive_an_issuer_that_is_away(issuer):
    """Once they are old they are asked for again; until they come, those that are known serve."""
    held = Issuer(Settings(oidc_issuer=issuer.url, oidc_audience=AUDIENCE, oidc_keys_seconds=1e-9))
    assert await holds(held, issuer.token())
    issuer.reply = web.Response(status=500)
    while issuer.asked["configuration"] < 2:
        assert await holds(held, issuer.token())
        await asyncio.sleep(0.01)
    assert await holds(held, issuer.token())
    await held.aclose()


async def test_an_issuer_that_never_answers_is_given_up(issuer):
    """What waits for it is told 503."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        held = Issuer(Settings(oidc_issuer=url, oidc_audience=AUDIENCE, oidc_seconds=0.2))
        with pytest.raises(Fault) as told:
            await held.claims(issuer.token())
        assert told.value.status == 503
        await held.aclose()


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"OIDC_ISSUER": "http://id.example", "OIDC_AUDIENCE": "f"}, "oidc_issuer: an https:// address"),
        ({"OIDC_ISSUER": "https://id.example?x=1", "OIDC_AUDIENCE": "f"}, "oidc_issuer"),
        ({"OIDC_ISSUER": "id.example", "OIDC_AUDIENCE": "f"}, "oidc_issuer"),
        ({"OIDC_ISSUER": "https://id.example"}, "oidc_issuer and oidc_audience belong together"),
        ({"OIDC_AUDIENCE": "f"}, "oidc_issuer and oidc_audience belong together"),
        ({"OIDC_ISUER": "https://id.example"}, "did you mean FOOTNOTED_OIDC_ISSUER?"),
    ],
)
def test_what_could_not_be_trusted_is_one_line(monkeypatch, variables, said):
    """An issuer without TLS or without an audience is refused at the start."""
    for name, value in variables.items():
        monkeypatch.setenv(f"FOOTNOTED_{name}", value)
    with pytest.raises(ConfigurationError) as told:
        read_settings()
    assert said in str(told.value)
    assert "\n" not in str(told.value)


def test_claims_are_found_by_name_or_path():
    """A name with dots in it is a name first."""
    claims = {"realm_access": {"roles": ["a"]}, "https://x.example/roles": ["b"], "tenant": "t"}
    assert claim_of(claims, "realm_access.roles") == ["a"]
    assert claim_of(claims, "https://x.example/roles") == ["b"]
    assert claim_of(claims, "tenant.name") is None
    assert not may_be_asked("http://127.0.0.1/keys", like="https://id.example")


async def test_the_service_takes_tokens_of_the_issuer_beside_keys_and_its_own(issuer, keys, tmp_path):
    """Each is held to its own keys and claims; a token speaks for its tenant, and its role is heeded."""
    told = {"oidc_issuer": issuer.url, "oidc_audience": AUDIENCE, "oidc_tenant_claim": "org.name", "jwt_secret": SECRET}
    replica = Replica(tmp_path, "sso", database_url=keys[0], **told, role_claim="realm_access.roles")
    await start(replica)
    mine = jwt.encode({"exp": time.time() + 60, "tenant": "ada"}, SECRET, algorithm="HS256")
    posing = jwt.encode({"exp": time.time() + 60, "tenant": "ada", "iss": issuer.url, "aud": AUDIENCE}, SECRET, algorithm="HS256")  # fmt: skip
    wrong = {
        "no tenant": issuer.token(),
        "no name": issuer.token(org={"name": "../x"}),
        "posing": posing,
        "bad": "a.b.c",
    }
    try:
        for good in (issuer.token(org={"name": "ada"}), mine, keys[1]["ada"]):
            async with Client(replica.url, key=good) as client:
                status, body = await client.json("GET", "/api/v1/session")
                assert (status, body["tenant"], body["admin"]) == (200, "ada", False), body
        for name, bad in wrong.items():
            async with Client(replica.url, key=bad) as client:
                status, body = await client.json("GET", "/api/v1/session")
                assert (status, body["error"]["code"]) == (401, "unauthorized"), name
        for roles, admin in (
            (["footnoted-admin", "x"], True),
            ("x footnoted-admin", True),
            (["admin"], False),
            (7, False),
        ):
            token = issuer.token(org={"name": "ada"}, realm_access={"roles": roles})
            async with Client(replica.url, key=token) as client:
                assert (await client.json("GET", "/api/v1/session"))[1]["admin"] is admin
    finally:
        replica.stop()
