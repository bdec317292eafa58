"""What an operator allows: one schema for file and environment, a misspelt name refused, tenants kept to what they may."""

from types import SimpleNamespace

import pytest

from footnoted.contract import GenerationConfig, GenerationRequest
from footnoted.errors import ConfigurationError
from footnoted.service.asking import Asked
from footnoted.service.chatting import _talking
from footnoted.service.faults import Fault
from footnoted.service.policy import permitted, understood
from footnoted.service.settings import Settings, read_settings
from footnoted.service.store import Store
from footnoted.service.store.keys import Keys
from footnoted.service.tenants import Tenants

FILE = """
models = ["small", "large"]
answer_tokens = 2000
[tenants.acme]
models = ["small"]
checking_locked = true
[tenants.bakery]
answer_tokens = 500
"""


@pytest.fixture
def settings(tmp_path, monkeypatch):
    (tmp_path / "footnoted.toml").write_text(FILE)
    monkeypatch.setenv("FOOTNOTED_SETTINGS", str(tmp_path / "footnoted.toml"))
    return read_settings()


@pytest.mark.parametrize(
    ("tenant", "config", "refused"),
    [
        ("any", {"model": "large", "max_tokens": 2000, "require_grounding": False}, None),
        ("any", {"model": "huge"}, "small, large"),
        ("any", {"max_tokens": 900_000}, "2000"),
        ("any", {"context_tokens": 10**9}, "200000"),
        ("acme", {"model": "small"}, None),
        ("acme", {"model": "large"}, "small"),
        ("acme", {"require_grounding": False}, "checking"),
        ("acme", {"max_tokens": 2000}, None),
        ("bakery", {"max_tokens": 501}, "500"),
        ("bakery", {"model": "large"}, None),
    ],
)
def test_requests_are_kept_to_the_policy(settings, tenant, config, refused):
    """What is more than allowed is refused, with what is; a tenant's own policy wins over everybody's."""
    asked = Asked(GenerationRequest(query="q", config=GenerationConfig(**config)), (), tenant, "answer")
    if refused is None:
        found = permitted(asked, settings).request.config
        assert found.model_copy(update={"max_tokens": 0}) == asked.request.config.model_copy(update={"max_tokens": 0})
        return
    with pytest.raises(Fault) as told:
        permitted(asked, settings)
    assert told.value.status in (403, 422)
    assert refused in told.value.message


def test_where_checking_is_locked_no_mode_loosens_it(settings):
    """A mode that marks what others hold is held like any other, where checking is the operator's to turn."""
    config = GenerationConfig(mode="simple")
    assert not config.is_strict
    asked = Asked(GenerationRequest(query="q", config=config), (), "acme", "answer")
    assert permitted(asked, settings).request.config.is_strict
    loose = Asked(GenerationRequest(query="q", config=config), (), "bakery", "answer")
    assert not permitted(loose, settings).request.config.is_strict


@pytest.mark.parametrize("config", [{}, {"mode": "simple"}, {"template": "analytical"}])
def test_a_follow_up_is_held_as_strictly_as_the_first_question(config):
    """Where a conversation goes on, its own template is chosen, no other mode; what the client chose stays."""
    first = GenerationConfig(**config)
    later = _talking(first, [("Who pays?", "You do [1].")])
    assert later.is_strict == first.is_strict
    assert later.template == config.get("template", None if config else "conversational")


def test_what_nobody_asked_for_is_cut_to_the_cap(settings):
    """A default above the cap is no wish of the client's: it is lowered, not refused."""
    asked = Asked(GenerationRequest(query="q"), (), "bakery", "answer")
    assert permitted(asked, settings).request.config.max_tokens == 500
    assert asked.request.config.max_tokens == 1000


@pytest.mark.parametrize(
    ("file", "variables", "said"),
    [
        ("answer_token = 5", {}, "there is no setting answer_token; did you mean answer_tokens?"),
        ("xyzzy = 5", {}, "there is no setting xyzzy"),
        ("[tenants.acme]\nmodel = 5", {}, "no setting tenants.acme.model; did you mean tenants.acme.models?"),
        ("[prices.m]\ninput = 1\noutptu = 2", {}, "did you mean prices.m.output?"),
        ('[tenants."a b"]\nmodels = ["x"]', {}, "tenants.a b"),
        ("uploads = 'everybody'", {}, "uploads"),
        ("languages = ['English']", {}, "languages"),
        ("keep_answers_days = 0", {}, "keep_answers_days"),
        ("answer_tokens = 5 # \udcff", {}, "cannot be read"),
        ("", {"FOOTNOTED_REDIS_URL": "localhost:6379"}, "REDIS_URL: an address that begins with redis://"),
        ("", {"FOOTNOTED_INSURANCE_VOCABULARY": "/nowhere.toml"}, "there is no file /nowhere.toml"),
        ("answer_tokens = 0", {}, "answer_tokens"),
        ("", {"FOOTNOTED_CONCURENT_STREAMS": "5"}, "did you mean FOOTNOTED_CONCURRENT_STREAMS?"),
        ("", {"FOOTNOTED_JWT_SECRET": "short-and-secret"}, "jwt_secret"),
        ("", {"FOOTNOTED_TEMPLATES": "/nowhere/at/all"}, "there is no folder /nowhere/at/all"),
        ("answer_tokens = = 5", {}, "cannot be read"),
    ],
)
def test_what_cannot_be_is_one_line(tmp_path, monkeypatch, file, variables, said):
    """Unknown names with the nearest known one, impossible values with their name; never a secret, never a traceback."""
    (tmp_path / "footnoted.toml").write_bytes(file.encode("utf-8", "surrogateescape"))
    monkeypatch.setenv("FOOTNOTED_SETTINGS", str(tmp_path / "footnoted.toml"))
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ConfigurationError) as told:
        read_settings()
    assert said in str(told.value)
    assert "\n" not in str(told.value)
    assert "short-and-secret" not in str(told.value)


def test_retention_is_each_tenants_own(tmp_path, monkeypatch):
    """Days of a tenant's table, and of the older setting, which wins; the others keep everybody's."""
    told = "keep_answers_days = 10\n[keep_answers_days_of]\nzoo = 3\n[tenants.acme]\nkeep_answers_days = 5\n"
    told += "[tenants.zoo]\nkeep_answers_days = 9\n[tenants.bakery]\nanswer_tokens = 5\n"
    (tmp_path / "footnoted.toml").write_text(told)
    monkeypatch.setenv("FOOTNOTED_SETTINGS", str(tmp_path / "footnoted.toml"))
    found = read_settings()
    assert found.retention == {"acme": 5, "zoo": 3}
    assert (found.policy_of("acme").keep_answers_days, found.policy_of("bakery").keep_answers_days) == (5, 10)


@pytest.mark.parametrize(
    ("tenant", "question", "refused"),
    [
        ("acme", "Wie hoch ist die Selbstbeteiligung für die Windschutzscheibe?", False),
        ("acme", "What is the excess for the windscreen, and when is it paid?", True),
        ("acme", "Quelle est la franchise pour le pare-brise de ma voiture ?", True),
        ("acme", "ГИБДД: какова франшиза по стеклу моего автомобиля?", True),
        ("acme", "§ 7?", False),  # of no language for sure
        ("any", "Quelle est la franchise pour le pare-brise de ma voiture ?", False),
    ],
)
async def test_questions_are_asked_in_the_languages_that_are_allowed(tenant, question, refused):
    """What is surely in another language is refused with those that are allowed; what is unsure is not."""
    settings = Settings(tenants={"acme": {"languages": ["de"]}})
    asked = Asked(GenerationRequest(query=question), (), tenant, "answer")
    if not refused:
        await understood(asked, settings)
        return
    with pytest.raises(Fault) as told:
        await understood(asked, settings)
    assert (told.value.status, told.value.code) == (403, "not_allowed")
    assert "in de;" in told.value.message


async def test_only_whom_the_policy_trusts_changes_what_answers_rest_on(model, tmp_path):
    """Members of one tenant add, of another only administrators, of a third nobody; all may ask and read."""
    from tests.service.replicas import SOURCES, Client, Replica, start

    told = "[tenants.acme]\nuploads = 'admins'\n[tenants.zoo]\nuploads = 'nobody'\nlanguages = ['de']\n"
    (tmp_path / "footnoted.toml").write_text(told)
    url = f"sqlite:///{tmp_path}/trust.db"
    store = Store(url)
    await store.open()
    names = [(tenant, role) for tenant in ("acme", "zoo", "bakery") for role in ("member", "admin")]
    keys = {name: await Keys(store).add(name[0], role=name[1]) for name in names}
    await store.aclose()
    replica = Replica(tmp_path, "trust", **model, database_url=url, settings=tmp_path / "footnoted.toml")
    await start(replica)
    try:
        for (tenant, role), key in keys.items():
            trusted = tenant == "bakery" or (tenant, role) == ("acme", "admin")
            async with Client(replica.url, key=key) as client:
                status, _ = await client.upload(f"# {role}\n\nThe excess is £75.", f"{role}.md")
                assert status == (201 if trusted else 403), (tenant, role)
                for path in ("/api/v1/documents/00000000-0000-0000-0000-000000000000", "/api/v1/findings"):
                    status, _ = await client.json("DELETE", path)
                    assert (status == 403) is not trusted, (tenant, role, path)
                added = {"url": "http://127.0.0.1:9/x.html"}
                assert (await client.json("POST", "/api/v1/documents/url", added))[0] in (
                    (403, 422) if trusted else (403,)
                )
                assert (await client.json("GET", "/api/v1/documents"))[0] == 200
                asked = {"question": "What is the excess for a broken windscreen?", "sources": SOURCES}
                status, _ = await client.json("POST", "/api/v1/answers", asked)
                assert status == (403 if tenant == "zoo" else 200)  # which answers in German alone
    finally:
        replica.stop()


async def test_revoking_the_last_key_opens_nothing(tmp_path):
    """A service that had keys asks for one, whether any is left or not."""
    store = Store(f"sqlite:///{tmp_path}/keys.db")
    await store.open()
    keys = Keys(store)
    here = SimpleNamespace(client=SimpleNamespace(host="127.0.0.1"), headers={"host": "127.0.0.1:8000"})
    assert (await Tenants(keys, Settings()).prove(here, None)).open
    key = await keys.add("acme")
    assert await keys.revoke(key.split("_")[1])
    for token in (None, key):
        with pytest.raises(Fault) as told:
            await Tenants(keys, Settings()).prove(here, token)
        assert told.value.status == 401
    await store.aclose()
