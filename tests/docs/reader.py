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
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from footnoted.cli import main
from footnoted.cli.show import err, out
from footnoted.testing import Reply, ScriptedLLM
from footnoted.testing.canned import canned
from tests.docs.pages import ROOT, Block, says
from tests.docs.shell import PATIENCE, Loop, Shell
from tests.services import free_port

KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY", "gemini": "GEMINI_API_KEY"}


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
        told, status = "", 0
        programs = _programs(line)
        if not programs:
            return self.shell.run(line)
        for arguments, into in programs:
            if status == 0:
                printed, status = self._program(arguments)
                if into is not None:
                    Path(self.environment["PWD"], into).write_text(printed, encoding="utf-8")
                told += "" if into is not None else printed
        self.shell.run(f"(exit {status})")  # which is how the page's `echo $?` gets to know
        return told, status

    def _program(self, arguments: list[str]) -> tuple[str, int]:
        """The program's own entry point, here: what it printed on either stream, and how it ended."""
        printed = io.StringIO()
        self.environment = self.shell.environment()
        inside = self._as_reader(self.environment["PWD"])
        with inside, contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            before, widths = (sys.argv, sys.stdin), [console._width for console in (out, err)]
            interrupt = signal.getsignal(signal.SIGINT)
            sys.argv, sys.stdin = ["footnoted", *arguments], io.StringIO()
            out.width = err.width = int(self.environment["COLUMNS"])  # made when they were imported, they know another
            try:
                main()
            except SystemExit as leaving:
                code = leaving.code
                if isinstance(code, str):
                    printed.write(f"{code}\n")
                return printed.getvalue(), code if isinstance(code, int) else int(code is not None)
            finally:
                sys.argv, sys.stdin = before
                signal.signal(signal.SIGINT, interrupt)  # the program keeps it to its own end
                out._width, err._width = widths
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
        with self._as_reader(self.folder), contextlib.redirect_stdout(printed):
            if code.co_flags & inspect.CO_COROUTINE:
                self._runner.run(eval(code, self.names))  # noqa: S307 - our own page
            else:
                exec(code, self.names)  # noqa: S102 - our own page
        if block.shown is not None and not says(block.shown, printed.getvalue()):
            raise AssertionError(f"{block.place} printed\n{printed.getvalue()}\nand the page says\n{block.shown}")

    @contextlib.contextmanager
    def _as_reader(self, folder: str | Path) -> Iterator[None]:
        """In the folder, with the page's environment."""
        before = dict(os.environ)
        with contextlib.chdir(folder):
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


def _programs(line: str) -> list[tuple[list[str], str | None]]:
    """Each `footnoted` command of a line, its arguments and where its output goes; none if the line needs a shell.

    >>> _programs("footnoted ask Why? docs > told && footnoted check told")
    [(['ask', 'Why?', 'docs'], 'told'), (['check', 'told'], None)]
    """
    lexer = shlex.shlex(line.replace("\\\n", " "), posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words = list(lexer)
    programs: list[tuple[list[str], str | None]] = []
    while words:
        end = words.index("&&") if "&&" in words else len(words)
        (name, *rest), words = words[:end] or [""], words[end + 1 :]
        into = rest.pop() if rest[-2:-1] == [">"] else None
        rest = rest[:-1] if into is not None else rest
        if name != "footnoted" or any(set(word) <= set("();<>|&") or set(word) & set("$`*") for word in rest):
            return []
        programs.append((rest, into))
    return programs


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
