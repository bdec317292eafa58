"""The compiled libraries: opened by one thread at a time, not at all where nothing needs them, and silent."""

import ast
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

import footnoted

from .conftest import COMMAND, POLICY
from .services import free_port

LIBRARIES = {"numpy", "onnxruntime", "tokenizers"}
SOURCE = Path(footnoted.__file__).parent
WATCHED = """
import os, sys, threading, time

class Watch:
    '''Tells which thread looks for which library, and lengthens a moment in which another may begin.'''

    def find_spec(name, path=None, target=None):
        library = name.partition(".")[0]
        if library in {"numpy", "onnxruntime", "tokenizers"}:
            os.write(2, f"opens {library} {threading.get_ident()}\\n".encode())
            if name in {"numpy._core", "onnxruntime.capi"}:
                time.sleep(0.5)

sys.meta_path.insert(0, Watch)
"""


def imported(tree):
    """What a module imports when it runs: all but what stands there for the type checker alone."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            yield from itertools.chain.from_iterable(map(imported, node.orelse))
        elif isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
        else:
            yield from imported(node)


def test_one_module_opens_the_compiled_libraries():
    """Whoever else imported one could meet another thread half-way through it."""
    others = [
        f"{path.relative_to(SOURCE)} imports {name}"
        for path in SOURCE.rglob("*.py")
        if any(library in (text := path.read_text(encoding="utf-8")) for library in LIBRARIES)
        for name in imported(ast.parse(text))
        if name.partition(".")[0] in LIBRARIES
    ]
    assert others == []


def test_only_one_thread_at_a_time_opens_a_compiled_library(folder, env, tmp_path):
    """However long one takes: an import that meets another gets a half-made module."""
    (tmp_path / "sitecustomize.py").write_text(WATCHED, encoding="utf-8")
    env = {**env, "PYTHONPATH": os.pathsep.join(filter(None, (str(tmp_path), env.get("PYTHONPATH"))))}
    done = subprocess.run(
        [*COMMAND, "ask", "What is the windscreen excess?", folder],
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    opened = [tuple(line.split()[1:]) for line in done.stderr.splitlines() if line.startswith("opens ")]
    assert {library for library, _ in opened} == LIBRARIES
    turns = [thread for thread, _ in itertools.groupby(thread for _, thread in opened)]
    libraries = [library for library, _ in itertools.groupby(library for library, _ in opened if library != "numpy")]
    assert len(libraries) == len(set(libraries)), turns
    assert len(turns) <= len(LIBRARIES), opened


@pytest.mark.parametrize("words", ["--help", "--version", "ask --help", "ask"])
def test_help_and_usage_open_no_compiled_library(env, words):
    """What needs no model waits for none."""
    code = (
        "import atexit, sys; from footnoted.cli import main; sys.argv = ['footnoted', *sys.argv[1:]]; "
        f"atexit.register(lambda: print([m for m in {sorted(LIBRARIES)} if m in sys.modules])); main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *words.split()], env=env, capture_output=True, text=True, check=False
    )
    assert done.stdout.splitlines()[-1] == "[]"
    assert done.returncode in (0, 2), done.stderr


# System calls that reach the network or make, change or move a file.
CALLS = "%network,open,openat,creat,mkdir,mkdirat,rename,renameat,renameat2,link,linkat,symlink,symlinkat"
MAKES = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|\b(?:creat|mkdir|rename|link|symlink)(?:at2?)?\(")
PATH = re.compile(r'(?:\(|(?:\d+|AT_FDCWD)<(?P<folder>[^>]*)>, )"(?P<path>[^"]+)"')
ADDRESS = re.compile(r'inet_addr\("([^"]+)"\)|inet_pton\(AF_INET6, "([^"]+)"')


def watched(log, *arguments, env):
    """The command as strace starts it, every system call of `CALLS` written to a file."""
    if shutil.which("strace") is None:
        raise RuntimeError("this test watches system calls; install strace (Debian: apt-get install strace)")
    command = ["strace", "-f", "-y", "--seccomp-bpf", "-qq", "-e", f"trace={CALLS}", "-o", log, *COMMAND]
    return subprocess.Popen(
        [*map(str, command), *map(str, arguments)], env=env, stdout=subprocess.DEVNULL, start_new_session=True
    )


def told(log, allowed):
    """What a log has of look-ups, of addresses beyond this machine, and of files outside the folders allowed."""
    found = set()
    for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
        found |= {f"looks up a name: {name}" for name in ("resolv.conf", "nscd", "htons(53)") if name in line}
        found |= {
            f"reaches {one or other}" for one, other in ADDRESS.findall(line) if one not in ("127.0.0.1", "0.0.0.0")
        }
        where = PATH.search(line)
        if where and MAKES.search(line) and "ENOENT" not in line:
            path = os.path.normpath(Path(where["folder"] or "", where["path"]))
            if "__pycache__" not in path and not path.startswith(("/dev/", "/proc/", *map(str, allowed))):
                found.add(f"writes {path}")
    return found


def test_nothing_leaves_the_machine(folder, env, tmp_path):
    """Whatever home and environment say, no name is looked up, nobody is reached, no file made but our own."""
    home, temporary = tmp_path / "home", tmp_path / "temporary"
    home.mkdir()
    temporary.mkdir()
    suppressing = ("CI", "GITHUB_ACTIONS", "GITLAB_CI", "ORT_RUNNING_UNIT_TESTS", "FOOTNOTED_CACHE", "XDG_CACHE_HOME")
    env = {name: value for name, value in env.items() if name not in suppressing and not name.startswith("COV")}
    env |= {"HOME": str(home), "TMPDIR": str(temporary), "ORT_DISABLE_TELEMETRY": "0"}
    text = tmp_path / "answer.txt"
    text.write_text("The windscreen excess is £75 for a repair.", encoding="utf-8")
    allowed = home / ".cache/footnoted", home / ".local/share/footnoted", temporary
    made = *allowed, *(parent for each in allowed[:2] for parent in each.parents if parent.is_relative_to(home))

    logs = {name: tmp_path / f"{name}.strace" for name in ("ask", "check", "serve")}
    port = free_port()
    service = watched(logs["serve"], "serve", "--port", port, env=env)
    for name, arguments in (("ask", ("What is the windscreen excess?", folder)), ("check", (text, "-s", folder))):
        with watched(logs[name], name, *arguments, env=env) as process:
            assert process.wait(60) == 0
    deadline = time.monotonic() + 60
    while not answers(port):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    time.sleep(2)  # a sender of its own would have begun
    os.killpg(service.pid, signal.SIGTERM)
    assert service.wait(30) in (0, -signal.SIGTERM)
    assert {name: told(log, allowed) - {f"writes {one}" for one in made} for name, log in logs.items()} == {
        "ask": set(), "check": set(), "serve": set()
    }  # fmt: skip
    assert sorted(str(each.relative_to(home)) for each in home.glob(".*/*")) == [".cache/footnoted", ".local/share"]


def answers(port):
    """Whether the service has answered a question."""
    body = json.dumps({"question": "What is the excess?", "sources": [{"text": POLICY}]}).encode()
    asked = urllib.request.Request(
        f"http://127.0.0.1:{port}/api/v1/answers", data=body, headers={"Content-Type": "application/json"}
    )
    try:
        with urllib.request.urlopen(asked, timeout=60) as reply:  # noqa: S310 - our own service
            return reply.status == 200
    except urllib.error.URLError:
        return False
