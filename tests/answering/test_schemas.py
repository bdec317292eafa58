"""JSON Schemas of strangers: what fits is an object, what does not says why, and nothing is fetched or runs for ever."""

import pytest
from pydantic import ValidationError

from footnoted.answering.schemas import model_of
from footnoted.errors import ConfigurationError

SCHEMA = {
    "type": "object",
    "properties": {"n": {"type": "integer"}, "s": {"type": "string", "pattern": "^(a+)+$"}},
    "required": ["n"],
    "additionalProperties": False,
}


def test_what_fits_is_an_object():
    """The schema is told as it came."""
    model = model_of(SCHEMA, "Excess")
    assert model.model_validate_json('{"n": 1}').model_dump() == {"n": 1}
    assert model.model_json_schema() == SCHEMA
    assert model.__name__ == "Excess"


@pytest.mark.parametrize(
    ("given", "word"),
    [('{"n": "x"}', "integer"), ("{}", "required"), ('{"n": 1, "m": 2}', "dditional"), ("[1]", "object")],
)
def test_what_does_not_fit_says_why(given, word):
    with pytest.raises(ValidationError, match=word):
        model_of(SCHEMA).model_validate_json(given)


def test_a_pattern_does_not_run_for_ever():
    """One that backtracks for hours elsewhere is answered at once."""
    with pytest.raises(ValidationError):
        model_of(SCHEMA).model_validate({"n": 1, "s": "a" * 5000 + "b"})


DEEP: dict = {}
for _ in range(200):
    DEEP = {"type": "object", "properties": {"a": DEEP}}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1:9/x"}}},
        {"type": "object", "properties": {"a": {"type": "nonsense"}}},
        {"type": "object", "properties": {"a": {"pattern": "("}}},
        {"type": "array"},
        DEEP,
    ],
    ids=["elsewhere", "no type", "no pattern", "no object", "deep"],
)
def test_what_is_no_schema_is_refused(schema):
    with pytest.raises(ConfigurationError):
        model_of(schema)
