"""Schemas in the strict dialect of constrained decoding."""

from __future__ import annotations

import json

from pydantic import BaseModel, Field

from footnoted.providers._schema import closed, in_words, strict


class Part(BaseModel):
    name: str = Field(default="x", max_length=9, pattern="^x")


class Answer(BaseModel):
    answer: str
    confidence: float = Field(ge=0, le=1)
    required: list[Part] = Field(default_factory=list, max_length=3)
    limitations: str | None = None
    best: Part = Field(default=Part(), description="the best part")


def test_every_object_is_closed_and_every_property_required():
    """Defaults, bounds and words beside a $ref go; names of properties are not mistaken for keywords."""
    told = strict(Answer.model_json_schema())
    assert told["required"] == ["answer", "confidence", "required", "limitations", "best"]
    assert told["additionalProperties"] is False
    assert told["properties"]["confidence"] == {"title": "Confidence", "type": "number"}
    assert told["properties"]["best"] == {"$ref": "#/$defs/Part"}
    assert told["properties"]["limitations"]["anyOf"] == [{"type": "string"}, {"type": "null"}]
    assert told["$defs"]["Part"] == {
        "properties": {"name": {"title": "Name", "type": "string"}},
        "required": ["name"],
        "additionalProperties": False,
        "title": "Part",
        "type": "object",
    }
    assert "default" not in json.dumps(told)


def test_values_are_not_mistaken_for_keywords():
    """What stands in an enum or const stays as it is, and a property may be called ``default`` or ``pattern``."""
    schema = {
        "type": "object",
        "properties": {"default": {"enum": [{"minimum": 1}]}, "pattern": {"const": {"oneOf": 1}}},
    }
    assert strict(schema)["properties"] == schema["properties"]
    assert strict(schema)["required"] == ["default", "pattern"]


def test_the_schema_given_is_not_changed():
    """A strict copy is made."""
    schema = Answer.model_json_schema()
    before = json.dumps(schema)
    strict(schema)
    assert json.dumps(schema) == before


def test_what_the_dialect_cannot_say():
    """Objects with free keys and combined schemas are not closed; models are."""
    assert closed(Answer.model_json_schema())
    assert not closed({"type": "object", "additionalProperties": {"type": "string"}})
    assert not closed({"type": "object", "properties": {"a": {"allOf": [{"type": "string"}]}}})


def test_in_words_it_is_all_there():
    """A server without the mechanism is shown the schema as it is, bounds included."""
    assert json.dumps(Part.model_json_schema(), separators=(",", ":")) in in_words(Part.model_json_schema())
