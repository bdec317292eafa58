"""A reader who types what a page shows: a shell and a Python that live as long as the page.

A line that is one `footnoted` command and no more is run in this process, by the program's own entry point, so that the
models are opened once for all pages; whatever needs a shell gets one. `tests/test_cli.py` runs the program on its own.
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import inspect
import io
import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from footnoted.cli import main
from footnoted.testing import Reply, ScriptedLLM
from footnoted.testing.canned import canned
from tests.docs.pages import ROOT, Block, says
from tests.services import free_port

PATIENCE = 60.0  # seconds a command may take
KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY", "gemini": "GEMINI_API_KEY"}


class Shell:
    """One bash: what is exported or left behind by one command is there for the next."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            ["bash", "--norc", "--noprofile"],
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )
        self._mark = f"=={uuid.uuid4().hex}=="

    def run(self, command: str) -> tuple[str, int]:
        """What it printed on either stream, and how it ended."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        watch = threading.Timer(PATIENCE, self.close)
        watch.start()
        try:
            # The command sees the last one's status in $?, and no input of ours.
            script = f"(exit ${{status:-0}})\n{{ {command}\n}} </dev/null\nstatus=$?; printf '%s%s\\n' '{self._mark}' $status\n"
            process.stdin.write(script)
            process.stdin.flush()
            printed = ""
            for line in process.stdout:
                before, found, status = line.partition(self._mark)
                printed += before
                if found:
                    return printed, int(status)
        finally:
            watch.cancel()
        raise AssertionError(f"the shell ended, or {PATIENCE:g} s passed, in: {command}\n{printed}")

    def environment(self) -> dict[str, str]:
        """What a program started now would find."""
        printed, _ = self.run("env -0")
        return dict(pair.split("=", 1) for pair in printed.split("\0") if "=" in pair)

    def close(self) -> None:
        """End the shell and whatever it left running."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()


class Loop:
    """An event loop in a thread of its own: what is played goes on while the page's own code runs."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def do(self, waited: Any) -> Any:
        """The result of a coroutine."""
        return asyncio.run_coroutine_threadsafe(waited, self._loop).result(PATIENCE)

    def close(self) -> None:
        """Stop."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


class Reader:
    """Types a page's blocks in order; fails where one does not do what the page says."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(ROOT / "examples", folder / "examples")
        self.environment = _environment(folder)
        self.shell = Shell(folder, self.environment)
        self.names: dict[str, Any] = {"__name__": "__main__"}
        self._runner = asyncio.Runner()
        self._played = Loop()
        self._models: list[ScriptedLLM] = []
        self._ports: dict[str, str] = {}

    def read(self, block: Block) -> None:
        """Do what the block shows."""
        for told in block.played:
            self._play(told)
        if block.not_run is not None:
            return
        if block.kind == "python":
            self._python(block)
        elif port := block.notes.get("in the background"):
            self._leave_running(block, port)
        else:
            self._shell(block)

    def close(self) -> None:
        """Everything that was begun ends."""
        self.shell.close()
        self._runner.close()
        for model in self._models:
            self._played.do(model.__aexit__(None))
        self._played.close()

    def _shell(self, block: Block) -> None:
        commands = block.commands()
        for place, command in enumerate(commands):
            printed, status = self._typed(self._with_ports(command.typed))
            if command.shown is not None and not says(self._with_ports(command.shown), printed):
                raise AssertionError(
                    f"{block.place}: $ {command.typed}\nprinted\n{printed}\nand the page says\n{command.shown}"
                )
            last = place == len(commands) - 1
            asked_for = not last and commands[place + 1].typed.startswith("echo $?")
            wanted = int(block.notes.get("status", 0)) if last else 0
            assert asked_for or status == wanted, f"{block.place}: status {status} of {command.typed}\n{printed}"

    def _typed(self, line: str) -> tuple[str, int]:
        words = shlex.split(line.replace("\\\n", " "), comments=True)
        name, *rest = words or [""]
        # The page's status reaches `echo $?` only through the shell.
        if name != "footnoted" or any(sign in line.partition(" #")[0] for sign in ";|&<$`*"):
            return self.shell.run(line)
        into = Path(os.devnull)
        if ">" in rest:
            rest, into = rest[: rest.index(">")], self.folder / rest[rest.index(">") + 1]
        printed, status = self._program(rest)
        if ">" in words:
            into.write_text(printed, encoding="utf-8")
            printed = ""
        self.shell.run(f"(exit {status})")
        return printed, status

    def _program(self, arguments: list[str]) -> tuple[str, int]:
        """The program's own entry point, here: what it printed on either stream, and how it ended."""
        printed = io.StringIO()
        self.environment = self.shell.environment()
        with self._as_reader(), contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            before = sys.argv, sys.stdin
            sys.argv, sys.stdin = ["footnoted", *arguments], io.StringIO()
            try:
                main()
            except SystemExit as leaving:
                code = leaving.code
                if isinstance(code, str):
                    printed.write(f"{code}\n")
                return printed.getvalue(), code if isinstance(code, int) else int(code is not None)
            finally:
                sys.argv, sys.stdin = before
        return printed.getvalue(), 0

    def _leave_running(self, block: Block, port: str) -> None:
        self._ports[port] = str(free_port())  # two pages at once may name the same
        self.shell.run(f"export FOOTNOTED_PORT={self._ports[port]}")
        (command,) = block.commands()
        log = self.folder / "background.log"
        self.shell.run(f"{{ {self._with_ports(command.typed)}\n}} >{log} 2>&1 &")
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", int(self._ports[port])), 1):
                break
            time.sleep(0.05)
        else:
            raise AssertionError(f"{block.place}: nobody listens on {port}:\n{log.read_text()}")
        if command.shown is not None:
            printed = log.read_text(encoding="utf-8")
            assert says(self._with_ports(command.shown), printed), f"{block.place}: it printed\n{printed}"

    def _python(self, block: Block) -> None:
        code = compile(
            self._with_ports(block.code), block.place, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True
        )
        printed = io.StringIO()
        self.environment = self.shell.environment()
        with self._as_reader(), contextlib.redirect_stdout(printed):
            if code.co_flags & inspect.CO_COROUTINE:
                self._runner.run(eval(code, self.names))  # noqa: S307 - our own page
            else:
                exec(code, self.names)  # noqa: S102 - our own page
        if block.shown is not None and not says(block.shown, printed.getvalue()):
            raise AssertionError(f"{block.place} printed\n{printed.getvalue()}\nand the page says\n{block.shown}")

    @contextlib.contextmanager
    def _as_reader(self) -> Iterator[None]:
        """In the page's folder and environment."""
        before = dict(os.environ)
        with contextlib.chdir(self.folder):
            os.environ.clear()
            os.environ.update(self.environment)
            try:
                yield
            finally:
                os.environ.clear()
                os.environ.update(before)

    def _play(self, told: str) -> None:
        protocol, _, rest = told.partition(" ")
        if protocol == "none":
            for name in ("FOOTNOTED_BASE_URL", *KEYS.values()):
                self.shell.run(f"unset {name}")
            return
        port = ""
        if rest.startswith("at "):
            port, _, rest = rest.removeprefix("at ").partition(" ")
        url = self._begin(Reply(json=json.loads(rest)) if rest else canned, int(port or 0)).url(protocol)  # type: ignore[arg-type]
        if port:
            self._ports[port] = url.rpartition(":")[2].partition("/")[0]
            return
        added = {"FOOTNOTED_BASE_URL": url, KEYS[protocol]: "any"}
        for name, value in added.items():
            self.shell.run(f"export {name}='{value}'")

    def _begin(self, script: Any, port: int) -> ScriptedLLM:
        """A model at the port, or where that is somebody else's at any other."""
        model = ScriptedLLM(script, port=port)
        try:
            self._played.do(model.__aenter__())
        except OSError:
            return self._begin(script, 0)
        self._models.append(model)
        return model

    def _with_ports(self, text: str) -> str:
        """What the page names, with the ports that are really used."""
        for shown, real in self._ports.items():
            text = text.replace(shown, real)
        return text


def _environment(folder: Path) -> dict[str, str]:
    """A reader's own: no key, no setting and no colour from outside, and this Python's programs first."""
    kept = {
        k: v for k, v in os.environ.items() if not k.endswith(("_API_KEY", "_URL")) and not k.startswith("FOOTNOTED_")
    }
    return {
        **kept,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(folder),
        "XDG_DATA_HOME": str(folder / "data"),
        "FOOTNOTED_CACHE": str(folder / "cache"),
        "COLUMNS": "100",
        "NO_COLOR": "1",
        "TERM": "dumb",
        "PYTHONUTF8": "1",
    }
