"""Rewrites a JSON Schema in the strict dialect of constrained decoding, or in words for a prompt."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

# Keywords the vendors refuse in strict schemas; what they ask is still held by whoever validates the reply.
_BOUNDS = frozenset(
    """minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems
    uniqueItems minProperties maxProperties default examples format pattern""".split()
)


def strict(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Every object closed, every property required, bounds left out.

    See OpenAI "Structured Outputs: supported schemas" and Anthropic "JSON Schema limitations".

    >>> strict({"type": "object", "properties": {"n": {"type": "integer", "minimum": 0}}})["required"]
    ['n']
    """
    told: dict[str, Any] = _strict(dict(schema))
    return told


def closed(schema: Any) -> bool:
    """Whether the strict dialect can say it: no object with free keys, no ``allOf``, no conditions."""
    if isinstance(schema, list):
        return all(map(closed, schema))
    if not isinstance(schema, dict):
        return True
    free = schema.get("type") == "object" and not schema.get("properties")
    return not free and not schema.keys() & {"allOf", "not", "if", "patternProperties"} and closed([*schema.values()])


def in_words(schema: Mapping[str, Any]) -> str:
    """The request for such a reply, for a server that has no mechanism for it."""
    return "Reply with one JSON object and nothing else. It satisfies this JSON Schema:\n" + json.dumps(
        schema, ensure_ascii=False, separators=(",", ":")
    )


def _strict(node: Any) -> Any:
    if isinstance(node, list):
        return [_strict(item) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return {"$ref": node["$ref"]}
    told: dict[str, Any] = {}
    for key, value in node.items():
        if key in ("properties", "$defs", "definitions"):
            told[key] = {name: _strict(part) for name, part in value.items()}
        elif key in ("enum", "const", "required"):
            told[key] = value
        elif key == "oneOf":
            told["anyOf"] = _strict(value)
        elif key not in _BOUNDS:
            told[key] = _strict(value)
    if "properties" in told:
        told["additionalProperties"] = False
        told["required"] = list(told["properties"])
    return told
