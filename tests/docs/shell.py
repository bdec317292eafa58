"""A shell and an event loop that live as long as a page and tell what its commands print and how they end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import threading
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

PATIENCE = 60.0  # seconds a command may take


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
