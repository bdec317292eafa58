"""The law of reading fields: however the text is cut, the fields are the same, and each is told once it is whole."""

import json
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from footnoted.answering.fields import FieldReader, fields_of, path_of
from tests.laws import tried

TANGLED = {
    "amounts": [{"pounds": 75, "what_for": 'a "repair", {so} [it] \\ is'}, {"pounds": -1.5e3, "in pence": None}],
    "empty": [{}, [], [[]], ""],
    "": {"é\n'": True, "b": [False, [1, [2]]]},
    "last": "line\nbreak é 保",
}

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


def read(*pieces):
    reader = FieldReader()
    return [field for piece in pieces for field in reader.decode(piece)] + reader.flush()


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("plain", [True, False])
def test_every_cut_gives_the_same_fields(indent, plain):
    """One piece, two at any place, or one a character: the fields of the parsed object, in its order."""
    text = json.dumps(TANGLED, indent=indent, ensure_ascii=plain)
    expected = list(fields_of(TANGLED))
    assert read(text) == expected
    assert read(*text) == expected
    for at in range(len(text)):
        assert read(text[:at], text[at:]) == expected


@pytest.mark.no_cover  # the same lines thousands of times
@tried(150)
@given(value=st.dictionaries(st.text(max_size=6), values, max_size=4), cuts=st.lists(st.integers(0, 200), max_size=6))
@example(value={"a": "\\"}, cuts=[7])
def test_any_object_in_any_pieces_is_read_as_a_parser_reads_it(value, cuts):
    """Field for field what parsing the whole gives."""
    text = json.dumps(value, ensure_ascii=False)
    edges = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    assert read(*(text[a:b] for a, b in pairwise(edges))) == list(fields_of(value))


def test_a_field_is_told_as_soon_as_it_is_whole_and_no_sooner():
    """A text with its closing quote, a number with what follows it."""
    reader = FieldReader()
    told = [(piece, [field.path for field in reader.decode(piece)]) for piece in ('{"a":"x', 'y"', ',"b":12', "3", "}")]
    assert [paths for _, paths in told] == [[], ["$.a"], [], [], ["$.b"]]


@pytest.mark.parametrize("cut", ['{"a": "half', '{"a": 12', '{"a": tru', '{"a"', "", "no object at all"])
def test_half_a_value_is_none(cut):
    """What the reply did not finish is not told at its end either."""
    assert read(cut) == []


@pytest.mark.parametrize(
    "wrapping",
    ["```json\n{}\n```", "Here {as asked} it is:\n{}\nDone {1}.", "{{}", '```\n{}\n``` and {"a": 2}', "  {}"],
)
def test_the_object_is_found_in_its_wrapping(wrapping):
    """Fences, words and stray braces around it tell nothing; nor does what follows."""
    text = wrapping.replace("{}", '{"a": 1, "b": ["```"]}')
    for at in range(len(text)):
        assert [(field.path, field.value) for field in read(text[:at], text[at:])] == [("$.a", 1), ("$.b[0]", "```")]


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        ('{"a": 1, oops "b": {"c": 2}}', ["$.a"]),
        ('{"a": 1,, "b": 2}', ["$.a"]),
        ('{"a": [1, 2,], "b": 2}', ["$.a[0]", "$.a[1]"]),
        ('{"a": [1}, "b": 2}', ["$.a[0]"]),
        ('{"a": "\\x", "b": 2}', []),
        ('{"a": 1 "b": 2}', ["$.a"]),
        ('{"a": 12abc, "b": 2}', []),
        ('{"a":' + "[" * 400 + "1" + "]" * 400 + "}", []),
    ],
)
def test_what_stops_being_json_stops_being_read(broken, told):
    """No field is made up out of a reply that no parser takes."""
    assert [field.path for field in read(broken)] == told
    assert [field.path for field in read(*broken)] == told


def test_a_name_given_twice_is_told_twice():
    """The last counts, as it does for every parser; who listens hears of both."""
    assert [(field.path, field.value) for field in read('{"a": 1, "a": 2}')] == [("$.a", 1), ("$.a", 2)]


def test_a_reader_reads_one_object_after_another():
    """After a flush it is new."""
    reader = FieldReader()
    reader.decode('{"a": ["half')
    assert reader.flush() == []
    assert [field.path for field in reader.decode('{"b": 1}')] == ["$.b"]


def test_paths_are_queries():
    """RFC 9535: names that are identifiers after a dot, others in quotes, places in brackets."""
    assert path_of(()) == "$"
    assert path_of(("amounts", 0, "pounds")) == "$.amounts[0].pounds"
    assert (
        path_of(("a b", "it's", "1st", "größe", "x\\\n\x01", ""))
        == "$['a b']['it\\'s']['1st'].größe['x\\\\\\n\\u0001']['']"
    )
