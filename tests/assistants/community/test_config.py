"""A config.yaml is read with its lines: a mistake is told with the key and where it stands."""

import subprocess
import sys
from pathlib import Path

import pytest

from footnoted.assistants.community import AIClient, CommunityConfig, read_config
from footnoted.assistants.community.config import AIConfig
from footnoted.assistants.community.prompts import VARIABLES, shipped
from footnoted.errors import ConfigurationError

from .conftest import EXAMPLE

KEYS = """request_timeout_seconds llm_timeout_seconds max_retries gating_prompt selection_prompt summarization_prompt
answer_prompt verification_prompt max_sources max_answer_chars require_citations answer_scope refusal_policy""".split()


def told(tmp_path, text):
    (tmp_path / "config.yaml").write_text(text, "utf-8")
    with pytest.raises(ConfigurationError) as caught:
        read_config(tmp_path / "config.yaml")
    return str(caught.value)


def test_every_key_of_the_contract_is_there():
    """Section `ai` has them all, and none to switch verification off."""
    assert set(KEYS) <= set(AIConfig.model_fields)
    assert not [name for name in AIConfig.model_fields if name.startswith("verif") and name != "verification_prompt"]


def test_the_commented_default_says_what_the_code_does():
    """What ships as config.yaml is the defaults, key by key; the example is the same file."""
    assert read_config().model_dump() == CommunityConfig().model_dump()
    shipped_file = Path(read_config.__code__.co_filename).with_name("config.yaml")
    assert (EXAMPLE / "config.yaml").read_text("utf-8") == shipped_file.read_text("utf-8")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ai:\n  max_souces: 3\n", "line 2: ai.max_souces: there is no such key; did you mean max_sources?"),
        ("ai:\n\n  max_retries: many\n", "line 3: ai.max_retries"),
        ("ai:\n  max_sources: 0\n", "line 2: ai.max_sources"),
        ("ai:\n  verify: false\n", "line 2: ai.verify: there is no such key"),
        ("ai:\n  gating_prompt: |\n    Look at $index\n", "line 2: ai.gating_prompt: uses $index; it may use $scope"),
        ("ai:\n  answer_prompt: costs $ 5\n", "line 2: ai.answer_prompt: has a lone $"),
        ("ai:\n  refusal_policy: shout\n", "line 2: ai.refusal_policy"),
        ("ai:\n  models:\n    gatin: {provider: openai}\n", "line 3: ai.models.gatin"),
        ("ai:\n  models:\n    gating: {provider: nobody}\n", "line 3: ai.models.gating.provider"),
        ("discord:\n  channels:\n    - help\n", "line 3: discord.channels.0"),
        ("ai:\n  a: 1\n  a: 2\n", "line 3: a is said twice"),
        ("ai: [", "line 1: this is not YAML"),
        ("- 1\n", "a config has sections"),
        ("folder: /etc\n", "line 1: folder"),
        ("ai: &x {}\ndiscord: *x\n", "anchors"),
        ("ai: !!python/object:os.system {}\n", "line 1"),
        ("ai:\n  about: !secret x\n", "line 2: tags"),
        ("ai:\n  max_retries: 1\n  seen: 2026-99-99\n", "line 3: month must be in 1..12"),
        ("ai: " + "[" * 30 + "]" * 30, "nested too deeply"),
        ("a: \x00", "this is not YAML"),
        ("# " + "x" * 1_000_001, "larger than a configuration can be"),
    ],
)
def test_a_mistake_is_told_with_its_line_and_key(tmp_path, text, words):
    """File, line, key, and what to do."""
    said = told(tmp_path, text)
    assert "config.yaml" in said
    assert words in said


def test_all_mistakes_are_told_at_once(tmp_path):
    """Nobody should have to start five times."""
    assert len(told(tmp_path, "ai:\n  x: 1\n  max_retries: -1\n  max_sources: 99\n").splitlines()) == 3


def test_without_pyyaml_it_says_what_to_install():
    """The extra is named; nothing is guessed from the file."""
    command = (
        "import sys; sys.modules['yaml'] = None; import footnoted.assistants.community.config as c; c.read_config()"
    )
    done = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=False, timeout=300)
    assert "pip install 'footnoted[community]'" in done.stderr


def test_an_empty_file_and_empty_sections_are_the_defaults(tmp_path):
    """A config may say only what differs."""
    for text in ("", "ai:\n", "# nothing\n"):
        (tmp_path / "config.yaml").write_text(text, "utf-8")
        assert read_config(tmp_path / "config.yaml").ai == AIConfig()
    assert read_config(tmp_path / "config.yaml").index == tmp_path / "index.md"


def test_a_scope_may_be_a_sentence():
    """`answer_scope: text` is its `about`."""
    config = AIClient({"ai": {"answer_scope": "bicycles"}}).config
    assert config.ai.answer_scope.about == "bicycles"
    assert config.ai.answer_scope.holds("anything.md")


@pytest.mark.parametrize("node", VARIABLES)
def test_the_shipped_prompts_keep_to_their_own_rules(node):
    """Each is found, and uses only the variables it may."""
    from footnoted.assistants.community.prompts import fault_in, instructions

    assert fault_in(node, shipped(node)) == ""
    values = {"scope": "bikes", "max_sources": 3, "max_answer_chars": 100, "max_words": 80}
    assert "$" not in instructions(node, None, **values)


def test_a_key_that_is_named_and_not_set_is_said_at_the_start(monkeypatch):
    """`api_key_env` points at a variable that has to be there."""
    monkeypatch.delenv("LANTERN_KEY", raising=False)
    with pytest.raises(ConfigurationError, match="LANTERN_KEY"):
        AIClient({"ai": {"provider": "openai", "api_key_env": "LANTERN_KEY"}})
