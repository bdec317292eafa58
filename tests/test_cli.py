"""The command as people and scripts use it: what it prints, and how it exits."""

import asyncio
import json
import os
import pty
import subprocess
from pathlib import Path

import pytest

from footnoted import GenerationConfig
from footnoted.cli.answers import PROVIDED, _request
from footnoted.cli.show import open_index
from footnoted.providers import PROVIDERS
from footnoted.testing import Reply, ScriptedLLM

from .conftest import COMMAND, POLICY, run


def test_an_answer_shows_its_sources_and_exits_0(folder, env):
    """Answer, then file, section and the quoted words."""
    done = run("ask", "What is the windscreen excess?", folder, env=env)
    assert done.returncode == 0, done.stderr
    answer, _, sources = done.stdout.partition("Sources")
    assert "£75" in answer
    assert "[1]" in answer
    assert "car.md" in sources
    assert "Windscreen" in sources
    assert "“The windscreen excess is £75 for a repair.”" in sources
    assert "\x1b[" not in done.stdout


def test_a_refusal_exits_3(folder, env):
    """Scripts can tell that the documents do not hold it."""
    done = run("ask", "Who won the football world cup in 1966?", folder, env=env)
    assert done.returncode == 3
    assert "answer this question" in done.stdout


def test_json_is_the_response_and_nothing_else(folder, env):
    """Machines get the contract's own object, its pointers exact."""
    done = run("ask", "What is the windscreen excess?", folder, "--json", env=env)
    response = json.loads(done.stdout)
    assert done.returncode == 0
    assert response["finish_reason"] == "complete"
    assert response["citations"][0]["source_quote"] == "The windscreen excess is £75 for a repair."


@pytest.mark.parametrize("how", ["--stream", "--no-stream"])
def test_the_format_json_is_the_object_and_nothing_else(folder, env, how):
    """What a program reads can be piped: the object has its citations, and reasons go to standard error."""
    done = run("ask", "What is the windscreen excess?", folder, "--format", "json", how, "--explain", env=env)
    assert json.loads(done.stdout)["citations"][0]["quote"] == "The windscreen excess is £75 for a repair."
    assert "Why" in done.stderr


def test_explain_shows_what_was_weighed(folder, env):
    """The chance beside the one that is needed, the nearest sentences with theirs, the words no passage has; as JSON too."""
    done = run("ask", "What is the windscreen excess?", folder, "--explain", env=env)
    assert done.returncode == 0
    assert "is reached" in done.stdout
    assert "“The windscreen excess is £75 for a repair.”" in done.stdout.partition("Why")[2]
    refused = run("ask", "What does a zeppelin cost?", folder, "--explain", "--json", env=env)
    told = json.loads(refused.stdout)["explanation"]
    assert refused.returncode == 3
    assert told["chance"] < told["threshold"]
    assert told["missing"] == ["zeppelin"]
    best = told["considered"][0]
    assert 0 <= best["answers"] <= 1
    whole = json.loads(run("ask", "What is this about?", folder, "--explain", "--json", env=env).stdout)
    assert whole["finish_reason"] == "complete"
    assert whole["explanation"]["chance"] >= whole["explanation"]["threshold"]
    assert best["score"] == max(one["score"] for one in told["considered"])


def test_json_counts_the_passages_found(folder, tmp_path, env):
    """A repeated passage moves no pointer: each finds its words in the list of passages that the question found."""
    twin = tmp_path / "twin"
    twin.mkdir()
    (twin / "copy.md").write_text(f"# Copy\n\n{POLICY}", encoding="utf-8")
    done = run("ask", "What is the windscreen excess?", folder, twin, "--json", env=env)
    response = json.loads(done.stdout)
    asked = _request("What is the windscreen excess?", open_index([folder, twin]), GenerationConfig(), 8)
    found = asyncio.run(asked).context
    told = response["citations"] + [one for claim in response["claims"] for one in claim["evidence"]]
    assert told
    for one in told:
        source = found[one["source_index"]]
        assert source.content[one["source_start"] : one["source_end"]] == one["source_quote"]
        assert str(source.chunk_id) == one["chunk_id"]


@pytest.mark.parametrize(
    ("options", "seen"),
    [
        (["--style", "inline"], "[Source 1]"),
        (["--style", "footnote"], "¹"),
        (["--format", "bullets"], "- "),
        (["--no-stream"], "£75"),
        (["--mode", "simple"], "£75"),
    ],
)
def test_options_reach_the_answer(folder, env, options, seen):
    """Style, format, mode and streaming are the reader's choice."""
    done = run("ask", "What is the windscreen excess?", folder, *options, env=env)
    assert done.returncode == 0, done.stderr
    assert seen in done.stdout


def test_on_a_terminal_markers_have_colour(folder, env):
    """A real pseudo-terminal gets colour; a pipe does not."""
    parent, child = pty.openpty()
    command = [*COMMAND, "ask", "What is the windscreen excess?", str(folder)]
    with subprocess.Popen(command, env={**env, "TERM": "xterm-256color"}, stdout=child, stderr=child) as process:
        os.close(child)
        shown = b""
        while True:
            try:
                piece = os.read(parent, 4096)
            except OSError:
                break
            if not piece:
                break
            shown += piece
    os.close(parent)
    assert process.returncode == 0
    assert b"\x1b[1;36m[1]" in shown


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["ask", "q", "nowhere"], "no such file or folder: nowhere"),
        (["ask", "  ", "DOCS"], "question is empty"),
        (["ask", "q", "DOCS", "--provider", "opnai"], "did you mean 'openai'"),
        (["ask", "q", "DOCS", "--provider", "openai"], "OPENAI_API_KEY"),
        (["ask", "q", "DOCS", "--provider", "anthropic"], "ANTHROPIC_API_KEY"),
        (["ask", "q", "DOCS", "--style", "loud"], "loud"),
        (["ask", "q"], "Missing argument"),
        (["ask", "q", "EMPTY"], "can be read"),
    ],
)
def test_usage_mistakes_exit_2_and_say_what_to_do(folder, env, tmp_path, arguments, words):
    """Nothing to answer from, no key, a wrong name: one clear line each, no traceback."""
    (tmp_path / "empty").mkdir()
    places = {"DOCS": str(folder), "EMPTY": str(tmp_path / "empty")}
    done = run(*(places.get(argument, argument) for argument in arguments), env=env)
    assert done.returncode == 2, done.stdout + done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stderr


async def test_a_model_over_http_answers_like_any_other(folder, env):
    """Provider, model and base URL by option; a wrong key exits 1 with the way out."""
    import asyncio

    async with ScriptedLLM(Reply(text="The windscreen excess is £75 for a repair [1]."), api_key="right") as llm:
        options = ["--provider", "openai", "--base-url", llm.url("openai"), "--model", "small"]
        command = ["ask", "What is the windscreen excess?", folder, *options]
        done = await asyncio.to_thread(run, *command, env={**env, "OPENAI_API_KEY": "right"})
        assert done.returncode == 0, done.stderr
        assert "£75 for a repair [1]." in done.stdout
        assert llm.requests[0].model == "small"
        done = await asyncio.to_thread(run, *command, env={**env, "OPENAI_API_KEY": "wrong"})
        assert done.returncode == 1
        assert "OPENAI_API_KEY" in done.stderr
        assert "wrong" not in done.stderr.replace("wrong key", "")


def test_a_conversation_goes_on_until_told(folder, env):
    """Questions by line; a follow-up is understood; an empty line leaves."""
    done = run("chat", folder, env=env, given="What is the windscreen excess?\nAnd for a replacement?\n\n")
    assert done.returncode == 0, done.stderr
    assert "£75" in done.stdout
    assert "£115" in done.stdout


def test_a_conversation_survives_a_refusal(folder, env):
    """Not knowing one thing does not end it."""
    done = run("chat", folder, env=env, given="Who is the king of Norway?\nIs racing covered?\n/quit\n")
    assert done.returncode == 0
    assert "answer this question" in done.stdout
    assert "Racing on any track is not covered." in done.stdout


def test_one_bad_file_is_named_and_the_rest_answers(folder, env):
    """A file of zeros is left out, aloud."""
    (folder / "broken.pdf").write_bytes(b"\0" * 100)
    done = run("ask", "What is the windscreen excess?", folder, env=env)
    assert done.returncode == 0
    assert "broken.pdf" in done.stderr


def test_what_is_not_read_is_named_with_its_reason_and_counted(folder, env):
    """On standard error for people, in the notes of the JSON for machines; several of one kind share a line."""
    for name in ("a.jpg", "b.jpg"):
        (folder / name).write_bytes(b"\xff\xd8")
    (folder / "empty.md").touch()
    done = run("ask", "What is the windscreen excess?", folder, "--json", env=env)
    assert "not read (2 files): a.jpg, b.jpg is of a kind that is not read (.jpg)" in done.stderr
    assert "not read: empty.md is empty" in done.stderr
    assert "3 files were not read" in done.stderr
    notes = json.loads(done.stdout)["notes"]
    told = [note for note in notes if note.startswith("not read: ")]
    assert [note.split()[2] for note in told] == ["empty.md", "a.jpg", "b.jpg"]


def test_the_second_question_reuses_the_index(folder, env):
    """Unchanged files are not read again; a changed one is."""
    run("ask", "What is the windscreen excess?", folder, env=env)
    (folder / "car.md").write_text(POLICY.replace("£75", "£99"), encoding="utf-8")
    done = run("ask", "What is the windscreen excess?", folder, env=env)
    assert "£99" in done.stdout


def test_version_and_help():
    """Both answer without reading anything."""
    import footnoted

    assert footnoted.__version__ in run("--version", env=os.environ).stdout
    assert "ask" in run("--help", env=os.environ).stdout
    assert Path(footnoted.__file__).exists()


def test_the_words_of_a_terminal_are_its_own(folder, env):
    """Options and variables where Python has arguments; standard input by its name; every provider in the help."""
    bare = {name: value for name, value in env.items() if not name.endswith("_API_KEY")}
    done = run("ask", "What is the excess?", folder, "--provider", "openai", env=bare)
    assert done.returncode == 2
    assert "OPENAI_API_KEY" in done.stderr
    assert "--provider extractive" in done.stderr
    assert "api_key=" not in done.stderr
    done = run("check", "-", "--sources", folder, env=env, given="")
    assert "standard input is empty" in done.stderr
    assert sorted(PROVIDERS) == sorted(PROVIDED.replace(" (no model)", "").rstrip(".").split(", "))
