"""The commands as people use them: an index, a message, a bot without a token."""

import json
import shutil

from typer.testing import CliRunner

from footnoted.cli import app
from tests.conftest import run

from .conftest import ASKED, EXAMPLE


def test_a_folder_becomes_an_index_and_a_message_a_reply(tmp_path, env):
    """Index, ask, explain; again, and nothing is done anew."""
    shutil.copytree(EXAMPLE / "docs", tmp_path / "docs")
    index = tmp_path / "index.md"
    made = run("index", tmp_path / "docs", "-o", index, env=env)
    assert made.returncode == 0, made.stderr
    assert "4 sources, 4 summarised, 0 unchanged" in made.stdout
    assert "4 unchanged" in run("index", tmp_path / "docs", "-o", index, env=env).stdout
    (tmp_path / "config.yaml").write_text("ai:\n  max_sources: 2\n", "utf-8")
    done = run("community", ASKED, "--config", tmp_path / "config.yaml", "--explain", env=env)
    assert done.returncode == 0, done.stderr
    assert "`!sold`" in done.stdout
    assert "[1] The market" in done.stdout
    for node in ("gating", "selection", "loading", "generation", "verification", "outcome"):
        assert node in done.stderr


def test_silence_exits_3_and_json_is_the_result(env):
    """Scripts can tell."""
    done = run("community", "good morning", "--config", EXAMPLE / "config.yaml", "--json", env=env)
    assert done.returncode == 3
    result = json.loads(done.stdout)
    assert result["should_reply"] is False
    assert result["reply_text"] is None
    assert result["debug"]["stopped"] == "not answerable"


def test_what_is_missing_is_said_in_one_line(tmp_path, env):
    """No index, no folder, no token: exit status 2, and what to do."""
    empty = tmp_path / "config.yaml"
    empty.write_text("discord:\n  channels: [1]\n  token_env: LANTERN_TOKEN\n", "utf-8")
    for arguments, words in (
        (("community", ASKED, "--config", empty), "footnoted index"),
        (("index", tmp_path / "nowhere"), "no such file or folder"),
        (("index", "-o", tmp_path / "new.md"), "name a folder"),
        (("bot", "--config", empty), "LANTERN_TOKEN"),
        (("community", ASKED, "--config", tmp_path / "none.yaml"), "there is no such file"),
    ):
        done = CliRunner().invoke(app, [*map(str, arguments)], env=env)  # in this process: a start each would take long
        assert done.exit_code == 2, (arguments, done.output)
        assert words in " ".join(done.stderr.split())
        assert "Traceback" not in done.stderr
