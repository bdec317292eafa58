"""However the command ends, by a full disk, a reader who leaves, a missing right or Ctrl-C: a line, never a traceback."""

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from footnoted.cli import app

from .conftest import COMMAND

# Root goes past a folder's mode, unless it gives that up.
_RIGHTS = "-dac_override,-dac_read_search"
AS_ANYBODY = [] if os.geteuid() else ["setpriv", f"--bounding-set={_RIGHTS}", f"--inh-caps={_RIGHTS}"]
# The moment a module is looked for, the process gets what Ctrl-C sends; in the list are modules of every phase.
CTRL_C = """
import os, signal, sys

signal.signal(signal.SIGINT, signal.default_int_handler)  # a run in the background ignores it, and so would its children

class Interrupt:
    def find_spec(name, path=None, target=None):
        if name == os.environ["INTERRUPT_AT"]:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupt)
"""


@pytest.fixture
def env(env):
    """Without what lets the coverage of children be measured: that writes files of its own, and opens modules."""
    return {name: value for name, value in env.items() if not name.startswith("COV")}


MOMENTS = (
    "footnoted.cli.commands", "typer", "rich.console", "footnoted.cli.answers", "footnoted.retrieval.index", "tantivy",
    "footnoted.answering.generator", "numpy", "onnxruntime", "tokenizers",
)  # fmt: skip


@pytest.mark.parametrize("moment", MOMENTS)
def test_ctrl_c_at_any_moment(folder, env, tmp_path, moment):
    """While modules are opened, files read or words weighed: status 130, and not a word of a traceback."""
    (tmp_path / "sitecustomize.py").write_text(CTRL_C, encoding="utf-8")
    path = os.pathsep.join(filter(None, (str(tmp_path), env.get("PYTHONPATH"))))
    done = subprocess.run(
        [*COMMAND, "ask", "What is the windscreen excess?", folder],
        env={**env, "PYTHONPATH": path, "INTERRUPT_AT": moment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (130, "")


FULL = [
    ("--version",),
    ("--help",),
    ("ask", "What is the windscreen excess?", "docs"),
    ("ask", "What is the windscreen excess?", "docs", "--json"),
    ("check", "docs/car.md", "--sources", "docs", "--json"),
]


@pytest.mark.parametrize("arguments", FULL, ids=lambda arguments: " ".join(arguments[:1] + arguments[3:]))
def test_output_on_a_full_disk(folder, env, arguments):
    """One line says so, and the status is no success."""
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*COMMAND, *arguments],
            cwd=folder.parent,
            env=env,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "error: no space left on device" in done.stderr.splitlines()


def test_a_reader_who_leaves_hears_nothing(folder, env):
    """``| head -1``: the pipe is closed before the first word."""
    reading, writing = os.pipe()
    os.close(reading)
    for arguments in (("ask", "What is the windscreen excess?", folder), ("--help",)):
        done = subprocess.run(
            [*COMMAND, *map(str, arguments)], env=env, stdout=writing, stderr=subprocess.PIPE, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (1, "")
    os.close(writing)


@pytest.mark.parametrize(
    ("closed", "arguments", "status", "reason"),
    [
        ("cache", ("ask", "What is the windscreen excess?", "docs"), 0, ""),
        ("docs/car.md", ("ask", "What is the windscreen excess?", "docs"), 2, "car.md cannot be read: you lack the permission"),
        ("docs", ("ask", "What is the windscreen excess?", "docs"), 2, "not readable"),
        ("kept", ("check", "docs/car.md", "-s", "docs", "--html", "kept/page.html"), 2, "kept/page.html cannot be written"),
        ("kept", ("findings", "list", "--database", "sqlite:///kept/kept.db"), 1, "unable to open database file"),
        ("kept", ("keys", "add", "bakery"), 1, "kept/footnoted: permission denied"),
        ("kept", ("batch", "tasks.jsonl", "docs", "-o", "kept/rows.jsonl"), 2, "cannot be written: permission denied"),
    ],
)  # fmt: skip
def test_what_one_may_not_read_or_write(folder, env, closed, arguments, status, reason):
    """The path and the reason, in a line; a cache that cannot be kept stops nothing."""
    home = folder.parent
    (home / "tasks.jsonl").write_text('{"id": "1", "question": "What is the windscreen excess?"}\n', encoding="utf-8")
    for name in ("kept", "cache"):
        (home / name).mkdir()
    mode = 0o500 if closed in ("kept", "cache") else 0
    (home / closed).chmod(mode)
    command = [*AS_ANYBODY, *COMMAND, *arguments]
    env = {**env, "XDG_DATA_HOME": str(home / "kept")}
    done = subprocess.run(command, cwd=home, env=env, capture_output=True, text=True, check=False)
    (home / closed).chmod(0o700)
    assert (done.returncode, "Traceback" in done.stderr) == (status, False), done.stderr
    assert reason in done.stderr.lower()


@pytest.mark.parametrize(
    ("arguments", "status", "reason"),
    [
        (("ask", "What is the windscreen excess?", "docs"), 0, ""),
        (("check", "docs/car.md", "-s", "docs", "--html", "page.html"), 2, "page.html cannot be written"),
        (("findings", "list", "--database", "sqlite:///kept.db"), 1, "error: the database: "),
        (("batch", "tasks.jsonl", "docs", "-o", "rows.jsonl"), 1, "error: "),
    ],
)
def test_files_that_find_no_room(folder, env, arguments, status, reason):
    """No file may grow past a kilobyte, as on a disk that is nearly full: a line, and what needs no file goes on."""
    question = '{"id": "1", "question": "What is the windscreen excess?"}\n'
    (folder.parent / "tasks.jsonl").write_text(question, encoding="utf-8")
    limited = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)); sys.argv[0] = 'footnoted'; "
        "from footnoted.cli import main; main()"
    )
    command = [sys.executable, "-B", "-c", limited, *arguments]
    done = subprocess.run(command, cwd=folder.parent, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, "Traceback" in done.stderr) == (status, False), done.stderr
    assert reason in done.stderr


@pytest.mark.parametrize("arguments", [("serve",), ("proxy", "--upstream", "http://127.0.0.1:9/v1"), ("mcp", "--http")])
def test_a_port_that_is_taken(env, arguments):
    """One line with the address, status 1 (3 would be a refusal), and nobody is told that it listens."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        done = subprocess.run(
            [*COMMAND, *arguments, "--port", port], env=env, capture_output=True, text=True, check=False
        )
    assert (done.returncode, done.stderr) == (
        1, f"error: http://127.0.0.1:{port} cannot be listened on: something listens there already; choose another with --port\n"
    )  # fmt: skip


def commands(group, before=()):
    """Every command there is, the groups among them."""
    yield before, group
    for name, one in getattr(group, "commands", {}).items():
        yield from commands(one, (*before, name))


def test_every_help_shows_an_example():
    """One line to copy, of the command itself (of one of its own, where it has some)."""
    shown = {words: command.epilog or "" for words, command in commands(typer.main.get_command(app))}
    assert len(shown) > 20
    bare = [
        words for words, said in shown.items() if not re.match(rf"Example: {' '.join(('footnoted', *words))}\b", said)
    ]
    assert bare == []
