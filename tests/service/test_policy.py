"""What an operator allows: one schema for file and environment, a misspelt name refused, tenants kept to what they may."""

from types import SimpleNamespace

import pytest

from footnoted.contract import GenerationConfig, GenerationRequest
from footnoted.errors import ConfigurationError
from footnoted.service.asking import Asked
from footnoted.service.chatting import _talking
from footnoted.service.faults import Fault
from footnoted.service.policy import permitted
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
        ("[tenants.acme]\nmodel = 5", {}, "tenants.acme.model"),
        ("answer_tokens = 0", {}, "answer_tokens"),
        ("", {"FOOTNOTED_CONCURENT_STREAMS": "5"}, "did you mean FOOTNOTED_CONCURRENT_STREAMS?"),
        ("", {"FOOTNOTED_JWT_SECRET": "short-and-secret"}, "jwt_secret"),
        ("", {"FOOTNOTED_TEMPLATES": "/nowhere/at/all"}, "there is no folder /nowhere/at/all"),
        ("answer_tokens = = 5", {}, "cannot be read"),
    ],
)
def test_what_cannot_be_is_one_line(tmp_path, monkeypatch, file, variables, said):
    """Unknown names with the nearest known one, impossible values with their name; never a secret, never a traceback."""
    (tmp_path / "footnoted.toml").write_text(file)
    monkeypatch.setenv("FOOTNOTED_SETTINGS", str(tmp_path / "footnoted.toml"))
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ConfigurationError) as told:
        read_settings()
    assert said in str(told.value)
    assert "\n" not in str(told.value)
    assert "short-and-secret" not in str(told.value)


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
