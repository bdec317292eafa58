"""Docstrings as the site shows them: examples are fenced as code, and a model's fields stand below its words."""

from __future__ import annotations

import re
from typing import Any

from griffe import Attribute, Class, Docstring, Extension, Object

_EXAMPLE = re.compile(r"^>>> .*(?:\n(?!\n).+)*", re.MULTILINE)
_FACTORY = re.compile(r"Field\(default_factory=(\w+).*\)", re.DOTALL)
_DEFAULT = re.compile(r"Field\((?!default_factory)(?:default=)?([^=(),]+)(?:,.*)?\)", re.DOTALL)
_MODELS = ("BaseModel", "_Door", "StrEnum", "Enum")


class Shown(Extension):
    """Changes every docstring that is loaded before it is read as Markdown."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """One object of the package, its docstring as it stands in the source."""
        if obj.docstring is not None:
            obj.docstring.value = _EXAMPLE.sub(lambda found: f"```pycon\n{found[0]}\n```", obj.docstring.value)
        if isinstance(obj, Class) and any(str(base).partition("[")[0] in _MODELS for base in obj.bases):
            fields = [_field(one) for one in obj.members.values() if isinstance(one, Attribute) and _open(one)]
            if fields:
                said = obj.docstring.value if obj.docstring is not None else ""
                obj.docstring = Docstring(said + "\n\n```python\n" + "\n".join(fields) + "\n```", parent=obj)


def _open(attribute: Attribute) -> bool:
    return (
        not attribute.name.startswith("_") and attribute.name != "model_config" and "property" not in attribute.labels
    )


def _field(attribute: Attribute) -> str:
    """A field as one writes it: ``top_k: int | None = None``."""
    default = "" if attribute.value is None else str(attribute.value)
    default = _FACTORY.sub(r"\1()", default)
    default = _DEFAULT.sub(r"\1", default)
    default = "" if default.strip() in ("", "...") or default.startswith("Field(") else f" = {default}"
    if attribute.annotation is None:
        return f"{attribute.name}{default}"
    kind = re.sub(r"Annotated\[(.*), Field\(.*\)\]", r"\1", str(attribute.annotation))
    return f"{attribute.name}: {kind}{default}"
