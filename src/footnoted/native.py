"""Opens numpy, onnxruntime and tokenizers: here and nowhere else, one thread at a time.

Two threads that open them at once, one of them from compiled code, may each wait for what the other has begun; Python
then hands one of them a half-made module, and the start fails. So whoever needs one asks for it here, in the function
that first needs it (``from footnoted.native import numpy as np``), and an import of ours never meets another.
"""

from __future__ import annotations

import os
import threading
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy  # noqa: ICN001 - the name it is asked for by
    import onnxruntime
    import tokenizers
else:
    _opening = threading.RLock()

    def __getattr__(name: str) -> Any:
        """The library, opened at the first call. Raises `ImportError` where it is not installed."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        with _opening:
            if name == "onnxruntime":
                globals()[name] = _silent_onnxruntime()
            else:
                globals()[name] = import_module(name)
            return globals()[name]


__all__ = ["numpy", "onnxruntime", "tokenizers"]


def _silent_onnxruntime() -> Any:
    """onnxruntime, which tells its makers nothing.

    From 1.29 on its Linux and macOS wheels keep a device id and a database of events under the user's cache and send
    them, unless this variable is set when the library is loaded; the call is for one loaded before, and for Windows.
    """
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    opened = import_module("onnxruntime")
    opened.disable_telemetry_events()
    return opened
