"""What a schema says of a field, through references, alternatives, lists and free keys."""

from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from footnoted.answering.blueprint import MISSING, Blueprint


class Leg(BaseModel):
    to: str
    minutes: int | None = None
    kind: Literal["rail", "road"] = Field(default="rail", description="how one gets there")
    next: "Leg | None" = None


class Trip(BaseModel):
    legs: list[Leg] = Field(description="in order")
    pair: tuple[int, str]
    fares: dict[str, float]
    anything: Any = None
    paid: bool


BLUEPRINT = Blueprint(Trip.model_json_schema())


def test_fields_are_found_through_lists_references_and_recursion():
    """A leg of a leg of a leg is a leg."""
    for steps in (("legs", 0), ("legs", 7, "next"), ("legs", 0, "next", "next", "next")):
        assert BLUEPRINT.field((*steps, "to")).nullable is False
        assert BLUEPRINT.field((*steps, "minutes")).nullable is True


@pytest.mark.parametrize("steps", [("leg",), ("legs", "to"), ("legs", 0, "from"), ("paid", 0), ("paid", "a"), (0,)])
def test_what_the_schema_does_not_have_is_none(steps):
    """An unknown name, a name in a list, a place in an object."""
    assert BLUEPRINT.field(steps) is None


def test_free_keys_places_and_anything():
    """A mapping takes any key; a tuple has a schema a place; Any takes everything, null too."""
    assert BLUEPRINT.field(("fares", "adult")).nullable is False
    assert BLUEPRINT.field(("pair", 1)) is not None
    assert BLUEPRINT.field(("pair", 2)) is None
    assert BLUEPRINT.field(("anything", "at", 3, "all")).nullable is True


def test_choices_defaults_and_descriptions():
    """What the schema itself says is known to be its own."""
    kind = BLUEPRINT.field(("legs", 0, "kind"))
    assert kind.offers("road")
    assert not kind.offers("sea")
    assert kind.default == "rail"
    assert kind.description == "how one gets there"
    assert BLUEPRINT.field(("paid",)).default is MISSING
    assert BLUEPRINT.field(("legs", 3)).description == "in order"


def test_a_choice_is_the_same_value_of_the_same_kind():
    """Yes is not 1."""
    asked = Blueprint({"type": "object", "properties": {"n": {"enum": [1, None]}}}).field(("n",))
    assert [asked.offers(value) for value in (1, True, 1.0)] == [True, False, False]
    assert asked.nullable


def test_an_open_object_takes_more():
    """With extra="allow" unknown names are fields too."""

    class Loose(BaseModel):
        model_config = ConfigDict(extra="allow")

    assert Blueprint(Loose.model_json_schema()).field(("more",)) is not None


def test_a_schema_that_points_only_at_itself_has_no_fields():
    """And asking it ends."""
    loop = Blueprint({"$ref": "#/$defs/a", "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}]}}})
    assert loop.field(("x",)) is None
