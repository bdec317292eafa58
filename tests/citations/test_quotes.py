"""Markers that quote their source: what the reader sees, what they point at, and that no cut shows a quote."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnoted.citations.quotes import LONGEST, Piece, QuoteReader
from footnoted.citations.spans import SourceSpans
from footnoted.types import Pointer
from tests.laws import tried

TEXTS = [
    "Motor. The excess is £75 for a repair, and £115\nfor a replacement. It's “free” for members.",
    'Travel. Racing is "never" covered, nor is war. Delays pay £50.',
]
SAID = [
    ('It is £75 [1 "The excess is £75"].', "It is £75.", ["The excess is £75"]),
    ("Mending: £75[1 “the EXCESS is £75”].", "Mending: £75.", ["The excess is £75"]),
    ('New glass is £115 [1: "and £115 for a replacement"].', "New glass is £115.", ["and £115\nfor a replacement"]),
    ('No races [Source 2, "Racing is "never" covered"].', "No races.", ['Racing is "never" covered']),
    (
        'Both [1 "The excess is £75"][2 "Delays pay £50"].',
        "Both.",
        ["The excess is £75", "Delays pay £50"],
    ),
    (
        'Both [1 "The excess is £75", 2 "Delays pay £50"] stand.',
        "Both stand.",
        ["The excess is £75", "Delays pay £50"],
    ),
    (
        'Twice [1 "The excess is £75" "free" "It\'s “free” for members"].',
        "Twice.",
        ["The excess is £75", "It's “free” for members"],
    ),
    ('One bare [1, 2 "Delays pay £50"].', "One bare [1].", ["Delays pay £50"]),
    ('Too short [2 "£50"].', "Too short [2].", []),
    ('Elsewhere [2 "The excess is £75"].', "Elsewhere.", ["The excess is £75"]),
    ('Nowhere [1 "The excess is £95"].', "Nowhere.", []),
    ('Nowhere [1 "The excess is £95"], it goes on.', "Nowhere, it goes on.", []),
    ('No such source [7 "Delays pay for nothing"] here.', "No such source here.", []),
    ('Cut off [1 "The excess is £75', "Cut off", ["The excess is £75"]),
    ('Cut off [1 "The excess is £75"', "Cut off", ["The excess is £75"]),
    ('Cut off [1 "The exc', "Cut off [1]", []),
    ('Cut off [1 "', "Cut off [1]", []),
    ("Plain [1]. And [2, 1].", "Plain [1]. And [2, 1].", []),
    ("Cut off [1", "Cut off [1", []),
    ('In code `[1 "The excess is £75"]` it stays.', 'In code `[1 "The excess is £75"]` it stays.', []),
    ('```\n[1 "The excess is £75"]\n```\nOut [1 "Delays pay £50"].', None, ["Delays pay £50"]),
    ('An aside [the "excess"] stays.', 'An aside [the "excess"] stays.', []),
    ('Never closed [1 "The excess\n\nis £75.', 'Never closed [1 "The excess\n\nis £75.', []),
    ('Too long [1 "' + "a " * LONGEST + '"].', 'Too long [1 "' + "a " * LONGEST + '"].', []),
    ("Spaces" + " " * 40 + '[1 "The excess is £75"] end', "Spaces" + " " * 32 + " end", ["The excess is £75"]),
    ('- [1 "The excess is £75"] First\n- [2 "nothing of it"] Second', "- First\n- Second", ["The excess is £75"]),
]


def reading(pieces: list[str]) -> list[Piece]:
    """What comes out, text between pointers put together."""
    reader = QuoteReader(len(TEXTS), lambda index: SourceSpans(TEXTS[index]))
    out: list[Piece] = []
    for text, pointers in [piece for one in pieces for piece in reader.decode(one)] + reader.flush():
        begun = out.pop()[0] if out and not out[-1][1] else ""
        out.append((begun + text, pointers))
    return [one for one in out if one != ("", ())]


def quotes(read: list[Piece]) -> list[str]:
    """The words pointed at."""
    return [TEXTS[one.source][one.start : one.end] for _, pointers in read for one in pointers]


@pytest.mark.parametrize(("said", "seen", "pointed"), SAID)
def test_a_quote_is_taken_out_and_found(said, seen, pointed):
    """Whole, letter by letter and cut in two anywhere: the same text, the same words of the sources."""
    whole = reading([said])
    if seen is not None:
        assert "".join(text for text, _ in whole) == seen
    assert quotes(whole) == pointed
    assert reading(list(said)) == whole
    for at in range(0, len(said), 1 if len(said) < 200 else 97):
        assert reading([said[:at], said[at:]]) == whole


@tried(300)
@given(
    st.lists(st.sampled_from([*(said for said, _, _ in SAID[:22]), " ", "\n", "a", '"', "]", "[", "[1", ", 2 ", "`"])),
    st.lists(st.integers(0, 400)),
)
def test_no_cut_changes_anything(parts, cuts):
    """The law, over replies put together of all of them."""
    said = "".join(parts)
    places = [0, *sorted(at for at in cuts if at < len(said)), len(said)]
    assert reading([said[a:b] for a, b in pairwise(places)]) == reading([said])


def test_a_quote_that_stands_in_two_other_sources_points_at_neither():
    """A wrong number is mended only where there is one place it can mean."""
    texts = ["Nothing.", "Delays pay £50.", "Delays pay £50."]
    reader = QuoteReader(3, lambda index: SourceSpans(texts[index]))
    assert reader.decode('Paid [1 "Delays pay £50"].') + reader.flush() == [("Paid.", ())]
    assert reader.decode('Paid [3 "Delays pay £50"].') == [("Paid", (Pointer(2, 0, 14),)), (".", ())]
