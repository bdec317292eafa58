"""A JSON Schema from outside as the pydantic model that structured answers are made of.

The hard thing is that the schema is a stranger's: it fetches nothing, and its patterns cannot run for ever.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, RootModel, model_validator

from footnoted.errors import ConfigurationError

_MOST_NESTED = 60  # schemas in schemas; more is nobody's object


def model_of(schema: Mapping[str, Any], name: str = "reply") -> type[BaseModel]:
    """A model whose instances are the JSON objects that satisfy ``schema`` (draft 2020-12 unless it says another).

    Raises `ConfigurationError` where it is no schema of an object, or points outside itself.

    >>> model_of({"type": "object", "properties": {"n": {"type": "integer"}}}).model_validate_json('{"n": 1}').root
    {'n': 1}
    """
    validator = _validator(schema)

    class Reply(RootModel[dict[str, Any]]):
        @model_validator(mode="after")
        def _fits(self) -> Reply:
            faults = [each for _, each in zip(range(3), validator.iter_errors(self.root), strict=False)]
            if faults:
                said = ("/".join(map(str, each.instance_path)) or "object" for each in faults)
                raise ValueError("; ".join(f"{w}: {e.message[:200]}" for w, e in zip(said, faults, strict=True)))
            return self

        @classmethod
        def model_json_schema(cls, *_: Any, **__: Any) -> dict[str, Any]:
            return dict(schema)

    Reply.__name__ = name
    return Reply


def _validator(schema: Mapping[str, Any]) -> Any:
    try:
        import jsonschema_rs
    except ImportError as error:
        raise ConfigurationError("a JSON Schema needs jsonschema-rs; run: pip install 'footnoted[service]'") from error

    def retrieve(uri: str) -> Any:
        raise ValueError(f"the schema points outside itself: {uri[:100]}")

    if _depth(schema) > _MOST_NESTED:
        raise ConfigurationError("the schema is nested too deeply")
    if schema.get("type", "object") != "object":
        raise ConfigurationError("the schema must be one of an object, at its top")
    try:
        # Patterns run in linear time (no backtracking), whatever they are.
        return jsonschema_rs.validator_for(
            dict(schema), retriever=retrieve, pattern_options=jsonschema_rs.RegexOptions()
        )
    except (ValueError, jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError) as error:
        said = " ".join(str(error).split())[:200]
        raise ConfigurationError(f"this is no JSON Schema that can be used here: {said}") from None


def _depth(value: Any) -> int:
    deepest, layer = 0, [value]
    while layer and deepest <= _MOST_NESTED:
        deepest += 1
        layer = [
            inner
            for each in layer
            if isinstance(each, Mapping | list)
            for inner in (each.values() if isinstance(each, Mapping) else each)
        ]
    return deepest
