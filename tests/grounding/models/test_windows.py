"""The law of windows: whatever the source and the model, every sentence is in some window, and all windows fit."""

from hypothesis import given
from hypothesis import strategies as st

from footnoted.grounding.evidence import passage
from footnoted.grounding.models.windows import fitting, windows
from footnoted.grounding.reading import read
from footnoted.types import Source, Span
from tests.laws import tried

SENTENCES = st.lists(
    st.sampled_from(
        [
            "The excess is 75 pounds. ",
            "Racing is not covered.\n\n",
            "- an item of a list\n",
            "ค่าเสียหายส่วนแรกคือเจ็ดสิบห้าปอนด์ ",
            "One very long sentence, " + "with many clauses, " * 40 + "that ends here. ",
            "🪟 [SEP] </s> {claim} ",
        ]
    ),
    min_size=1,
    max_size=60,
)


@tried(100)
@given(text=SENTENCES.map("".join), tokens=st.integers(1, 400))
def test_every_sentence_stands_in_a_window(text, tokens):
    """Nothing is cut away, however little a model reads at once; the likeliest window comes first."""
    made = passage(Source("s", text))
    found = windows(read("The excess is 75 pounds."), [(0, made)], tokens)
    for sentence in made.spans:
        assert any(one.span.start <= sentence.start and sentence.end <= one.span.end for one in found)
    likely = [one.likely for one in found]
    assert likely == sorted(likely, reverse=True)
    assert all(0.0 <= one <= 1.0 + 1e-9 for one in likely)


@tried(100)
@given(text=st.text(min_size=1, max_size=400), room=st.integers(1, 50))
def test_pieces_fit_and_make_the_whole(text, room):
    """A stretch that does not fit is halved until it does; put together, the halves are the stretch."""
    pieces = list(fitting(text, Span(0, len(text)), lambda piece: len(piece) <= room))
    assert "".join(text[piece.start : piece.end] for piece in pieces) == text
    assert all(piece.end - piece.start <= room for piece in pieces)


@tried(100)
@given(text=st.text(max_size=50))
def test_what_never_fits_is_still_told(text):
    """Down to single letters, each is handed on, so that whoever reads refuses it and it counts as unread."""
    pieces = list(fitting(text, Span(0, len(text)), lambda _: False))
    assert "".join(text[piece.start : piece.end] for piece in pieces) == text
