"""Examples in docstrings as code: a paragraph that begins with ``>>>`` is fenced before it is read as Markdown."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Object

_EXAMPLE = re.compile(r"^>>> .*(?:\n(?!\n).+)*", re.MULTILINE)


class FencedExamples(Extension):
    """Fences the examples of every docstring that is loaded."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """One object of the package, its docstring as it stands in the source."""
        if obj.docstring is not None:
            obj.docstring.value = _EXAMPLE.sub(lambda found: f"```pycon\n{found[0]}\n```", obj.docstring.value)
