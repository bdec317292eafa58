"""Finds what a JSON Schema says of one field, along the steps that lead to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from footnoted.answering.fields import Step

_SAYS_NOTHING = frozenset({"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"})
_MOST_TURNS = 32  # references followed in a row; a schema that points at itself and nowhere else ends there


@dataclass(frozen=True, slots=True)
class Asked:
    """What a schema asks of one field.

    ``choices`` are the values the schema itself lists; ``default`` what it fills in (`MISSING` when nothing).
    """

    nullable: bool
    choices: tuple[Any, ...]
    default: Any
    description: str

    def offers(self, value: Any) -> bool:
        """Whether ``value`` is one of the schema's own choices."""
        return any(type(choice) is type(value) and choice == value for choice in self.choices)


MISSING = object()
UNASKED = Asked(nullable=False, choices=(), default=MISSING, description="")


class Blueprint:
    """A schema that answers questions about the fields of its objects."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._root = schema

    def field(self, steps: Sequence[Step]) -> Asked | None:
        """What is asked of the field at ``steps``; ``None`` where the schema has no such field."""
        nodes = list(self._alternatives(self._root))
        described: Mapping[str, Any] = {}
        for step in steps:
            found = [inner for node in nodes if (inner := _step(node, step)) is not None]
            if not found:
                return None
            if isinstance(step, str):
                described = next((node for node in found if "description" in node or "default" in node), {})
            nodes = [each for node in found for each in self._alternatives(node)]
        choices = [value for node in nodes for value in _choices(node)]
        return Asked(
            nullable=any(map(_nullable, nodes)) or None in choices,
            choices=tuple(choices),
            default=described.get("default", MISSING),
            description=str(described.get("description", "")),
        )

    def _alternatives(self, node: Any, turns: int = 0) -> Iterator[Mapping[str, Any]]:
        """The plain schemas a node stands for: references followed, ``anyOf`` and its kin laid out."""
        if node is True:
            node = {}
        if not isinstance(node, dict) or turns > _MOST_TURNS:
            return
        if "$ref" in node:
            yield from self._alternatives(self._referred(node["$ref"]), turns + 1)
            return
        several = [inner for key in ("anyOf", "oneOf", "allOf") for inner in node.get(key, ())]
        if not several:
            yield node
        for inner in several:
            yield from self._alternatives(inner, turns + 1)

    def _referred(self, reference: str) -> Any:
        node: Any = self._root
        for name in reference.removeprefix("#").strip("/").split("/"):
            if name:
                node = node.get(name.replace("~1", "/").replace("~0", "~")) if isinstance(node, dict) else None
        return node


def _step(node: Mapping[str, Any], step: Step) -> Any:
    if node.keys() <= _SAYS_NOTHING:
        return {}
    if isinstance(step, int):
        if node.get("type") != "array" or step >= node.get("maxItems", step + 1):
            return None
        first = node.get("prefixItems", ())
        return _known(first[step] if step < len(first) else node.get("items", {}))
    if step in node.get("properties", {}):
        return node["properties"][step]
    return _known(node.get("additionalProperties")) if node.get("type") == "object" else None


def _known(node: Any) -> Any:
    if node is True:
        return {}
    return node if isinstance(node, dict) else None


def _nullable(node: Mapping[str, Any]) -> bool:
    kind = node.get("type")
    return kind == "null" or (isinstance(kind, list) and "null" in kind) or node.keys() <= _SAYS_NOTHING


def _choices(node: Mapping[str, Any]) -> tuple[Any, ...]:
    return (*node.get("enum", ()), *((node["const"],) if "const" in node else ()))
