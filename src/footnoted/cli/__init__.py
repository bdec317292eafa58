"""The ``footnoted`` command: runs what was typed, and gives an exit status however it ends.

Nothing heavy is opened by this module, so that an end that comes while the rest is opened is met here too.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from footnoted.cli.commands import app
else:

    def __getattr__(name: str) -> Any:
        """``app``, the commands, opened when they are asked for."""
        if name != "app":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from footnoted.cli.commands import app

        return app


__all__ = ["app", "main"]

_FAILED, _INTERRUPTED = 1, 130  # the latter as a shell tells a program that ended by SIGINT


def main() -> None:
    """The ``footnoted`` command: one line for what went wrong, never a traceback."""
    ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    threading.excepthook = partial(_hear_of_threads, threading.excepthook)
    if ours:  # nothing has begun yet that would have to be ended with care
        signal.signal(signal.SIGINT, _leave)
    try:
        status = _run(ours=ours)
    except KeyboardInterrupt:
        status = _INTERRUPTED
    finally:
        if ours:
            signal.signal(signal.SIGINT, _leave)
    sys.exit(status)


def _run(*, ours: bool) -> int | str | None:
    """Open the commands and do what was asked; the exit status."""
    try:
        from footnoted.cli.commands import app

        if ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            app()
        except SystemExit as ending:
            sys.stdout.flush()
            return ending.code
        sys.stdout.flush()
        return 0
    except ModuleNotFoundError as error:
        from footnoted.cli.show import missing

        return missing(error)
    except BrokenPipeError:
        return _ended("")
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _ended(where + (error.strerror or str(error)).lower())
    except Exception as error:
        reason = _of_a_database(error)
        if reason is None:
            raise
        return _ended(f"the database: {reason}")


def _leave(_signal: int, _frame: FrameType | None) -> None:
    os._exit(_INTERRUPTED)


def _hear_of_threads(tell: Callable[[threading.ExceptHookArgs], object], failed: threading.ExceptHookArgs) -> None:
    """Tell a thread's failure, unless all that failed is that nobody waits for its result any more."""
    if str(failed.exc_value) != "Event loop is closed":
        tell(failed)


def _of_a_database(error: Exception) -> str | None:
    """What a database said, if it was a database: full, read-only, away."""
    library = sys.modules.get("sqlalchemy.exc")
    if library is None or not isinstance(error, library.DBAPIError):
        return None
    return str(error.orig).strip().partition("\n")[0]


def _ended(reason: str) -> int:
    """One line on standard error, if anybody reads it; what is still unwritten goes nowhere."""
    from footnoted.cli.show import err, words

    with suppress(OSError):
        if reason:
            err.print(words(f"error: {reason}", "bold red"))
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:  # Python would try once more at its end, and complain
            os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
    return _FAILED
