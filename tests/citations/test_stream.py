from __future__ import annotations

import json
from collections.abc import Callable
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnoted.citations import CitationStream
from footnoted.citations.stream import as_is
from footnoted.contract import CitationStyle
from footnoted.events import CitationFound, TextDelta
from footnoted.types import Citation, Pointer, Source
from tests.citations.answers import ANSWERS
from tests.citations.dialects import DIALECTS, Case
from tests.laws import tried
from tests.tables import every

NUMBERED, INLINE, FOOTNOTE, ENDNOTE = (
    CitationStyle.NUMBERED,
    CitationStyle.INLINE,
    CitationStyle.FOOTNOTE,
    CitationStyle.ENDNOTE,
)
MOTOR = Source(
    "motor",
    "Motor policy. The windscreen excess is £100 for each claim. Theft must be reported to the police within 24 hours. "
    "Repairs at an approved garage are guaranteed for three years.",
    title="Motor",
)
TRAVEL = Source(
    "travel",
    "Travel policy.\nDelays of more than 12 hours pay £50. Baggage is covered up to £1,500 per person. War is excluded.",
    title="Travel *cover* [2024]",
)
HOME = Source(
    "home", "Home policy. Burst pipes are covered. Flood damage is covered up to £50,000 a year.", title="Home"
)
SOURCES = [MOTOR, TRAVEL, HOME]


def run(
    pieces: list[str],
    sources: list[Source] = SOURCES,
    *,
    style: CitationStyle = NUMBERED,
    show: bool = True,
    encode: Callable[[str], str] = as_is,
    listing: bool = False,
) -> tuple[str, list[Citation], CitationStream]:
    """The text, the citations found and the stream, having checked what always holds."""
    stream = CitationStream(sources, style=style, show=show, encode=encode)
    events = [event for piece in pieces for event in stream.decode(piece)] + stream.flush(listing=listing)
    text = ""
    for event in events:
        if isinstance(event, TextDelta):
            assert event.text
            assert event.start == len(text)
            text += event.text
        else:
            assert event.citation.end <= len(text)  # a citation is told after its marker
    assert stream.length == len(text)
    found = [event.citation for event in events if isinstance(event, CitationFound)]
    assert stream.citations == found
    for one in found:
        source = sources[one.source]
        assert source.text[one.source_start : one.source_end] == one.quote
        assert (one.source_id, one.source_sha256) == (source.id, source.sha256)
        assert 0 <= one.support <= 1
        assert stream.order[one.number - 1] == one.source
    return text, found, stream


def many(count: int) -> list[Source]:
    """Sources with nothing in common."""
    return [Source(str(number), f"Source number {number} speaks.") for number in range(1, count + 1)]


def quotes(text: str, sources: list[Source] = SOURCES) -> list[str]:
    """What each marker of a text is found to stand on."""
    return [one.quote for one in run([text], sources)[1]]


@every("case", DIALECTS, ids=lambda case: case.text[:40])
def test_each_dialect_reads_as_expected(case: Case):
    """What a model writes becomes numbered markers; what only looks like a citation stays."""
    text, found, _ = run([case.text], many(case.count))
    assert text == case.shown
    assert [one.source + 1 for one in found] == case.cited


@every("name", ANSWERS)
def test_an_answer_is_the_same_however_it_arrives(name: str):
    """Text, numbers, marker positions and quotes do not depend on the pieces, in any style."""
    sources = [*SOURCES, Source("four", "A fourth.\n\nIt says little.")]
    for style in CitationStyle:
        whole = run([ANSWERS[name]], sources, style=style, listing=True)[:2]
        assert run(list(ANSWERS[name]), sources, style=style, listing=True)[:2] == whole
    hidden = run([ANSWERS[name]], sources, show=False)[:2]
    assert run(list(ANSWERS[name]), sources, show=False)[:2] == hidden


@tried(150)
@given(
    st.text(alphabet="[12, 3]¹.ab A\n(Source)", max_size=50),
    st.sampled_from(list(CitationStyle)),
    st.booleans(),
    st.integers(1, 7),
)
def test_any_text_is_the_same_however_it_arrives(text: str, style: CitationStyle, show: bool, size: int):
    """The law for the whole stream: pieces of any size, the same text and the same citations."""
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    assert run(pieces, style=style, show=show)[:2] == run([text], style=style, show=show)[:2]


@pytest.mark.parametrize(
    ("style", "shown"), [(INLINE, "[Source 1][Source 2]"), (NUMBERED, "[1][2]"), (FOOTNOTE, "¹,²"), (ENDNOTE, "[1][2]")]
)
def test_each_marker_of_a_group_has_its_own_place(style: CitationStyle, shown: str):
    """``[1, 3]`` is written as two markers side by side, each bounded exactly."""
    text, found, _ = run(["Both are covered [3, 1]."], style=style)
    assert shown in text
    assert text.endswith(".")
    assert [one.source for one in found] == [2, 0]
    assert "".join(text[one.start : one.end] for one in found) == shown.replace(",", "")
    assert all(text[one.start : one.end].strip("[]Source ") in ("1", "2", "¹", "²") for one in found)


def test_numbers_follow_first_use_and_never_move():
    """The first source cited is 1, whatever the model called it, from its first marker to its last."""
    text, found, stream = run(["Pipes [3]. Theft [1]. Flood [3]. War [2]."])
    assert text == "Pipes [1]. Theft [2]. Flood [1]. War [3]."
    assert stream.order == [2, 0, 1]
    assert [(one.number, one.source) for one in found] == [(1, 2), (2, 0), (1, 2), (3, 1)]


def test_a_marker_is_told_once_its_text_is_out():
    """A citation arrives with its marker, not at the end."""
    stream = CitationStream(SOURCES, style=NUMBERED)
    stream.decode("The windscreen excess is £100 [1")
    events = stream.decode("].")
    assert [type(event) for event in events] == [TextDelta, CitationFound, TextDelta]
    assert [event.text for event in events if isinstance(event, TextDelta)] == [" [1]", "."]


@every(
    ("answer", "expected"),
    [
        ("The windscreen excess is £100 [1]. Delays of 12 hours pay £50 [2].", ["The windscreen excess is £100 for each claim.", "Delays of more than 12 hours pay £50."]),
        ("The windscreen excess is £100. [1] Theft goes to the police. [1]", ["The windscreen excess is £100 for each claim.", "Theft must be reported to the police within 24 hours."]),
        ("Burst pipes are covered [3] and so is baggage up to £1,500 [2].", ["Burst pipes are covered.", "Baggage is covered up to £1,500 per person."]),
        ("Report a theft [1], wait 12 hours for a delay [2] or claim £50,000 for a flood [3].", ["Theft must be reported to the police within 24 hours.", "Delays of more than 12 hours pay £50.", "Flood damage is covered up to £50,000 a year."]),
        ("Something long about nothing. Repairs are guaranteed for years [1].", ["Repairs at an approved garage are guaranteed for three years."]),
        ("According to [1], theft must go to the police.", ["Theft must be reported to the police within 24 hours."]),
        ("[2] says that war is excluded. It also pays for baggage [2].", ["War is excluded.", "Baggage is covered up to £1,500 per person."]),
        ("Pipes that burst are covered. [2] says war is excluded.", ["War is excluded."]),
        ("- [3] Flood damage up to £50,000\n- [1] Guarantee of three years", ["Flood damage is covered up to £50,000 a year.", "Repairs at an approved garage are guaranteed for three years."]),
        ("1. [2] War is excluded\n2. [2] £50 for delays", ["War is excluded.", "Delays of more than 12 hours pay £50."]),
        ("| Baggage | £1,500 [2] |\n| Flood | £50,000 [3] |", ["Baggage is covered up to £1,500 per person.", "Flood damage is covered up to £50,000 a year."]),
        ("Reported to the police within 24 hours [1][2].", ["Theft must be reported to the police within 24 hours."]),
        ("War is excluded.\n[2]", ["War is excluded."]),
        ("War is excluded. [2]", ["War is excluded."]),
        ("War is excluded. [2]\n\nPipes burst.", ["War is excluded."]),
    ],
)  # fmt: skip
def test_each_marker_finds_its_own_words(answer: str, expected: list[str]):
    """Inside a sentence, after its full stop, before it, in lists and tables: the source's own sentence."""
    found = quotes(answer)
    assert found[: len(expected)] == expected


def test_a_list_below_follows_first_use():
    """Footnote and endnote answers end with a numbered list: titles that cannot format, quotes in quotation marks."""
    text, _, _ = run(["War is excluded [2]. Pipes are covered [3]."], style=FOOTNOTE, listing=True)
    assert text == (
        "War is excluded¹. Pipes are covered².\n\n"
        "¹ Travel \\*cover\\* \\[2024\\]: “War is excluded.”  \n² Home: “Burst pipes are covered.”"
    )
    assert run(["War is excluded [2]."], style=FOOTNOTE)[0] == "War is excluded¹."
    assert run(["Nothing is cited."], style=ENDNOTE, listing=True)[0] == "Nothing is cited."
    assert "\n\n[1] Home: “" in run(["Pipes [3]."], style=ENDNOTE, listing=True)[0]
    untitled = [Source(str(UUID(int=7)), "It rains."), Source(str(UUID(int=8)), "It snows.")]
    text, _, _ = run(["It snows [2]."], untitled, style=FOOTNOTE, listing=True)
    assert text.endswith("\n\n¹ Source 1: “It snows.”")


def test_hidden_markers_still_point():
    """With ``show=False`` the text has no markers, and each citation stands where its marker would."""
    text, found, _ = run(["War is excluded [2]. Pipes are covered [3]."], style=ENDNOTE, show=False, listing=True)
    assert text == "War is excluded. Pipes are covered."
    assert [(one.start, one.end, one.quote) for one in found] == [
        (15, 15, "War is excluded."),
        (34, 34, "Burst pipes are covered."),
    ]


def test_offsets_count_encoded_text():
    """With an encoding, text is encoded piece by piece and markers are bounded in the encoded text."""
    text, found, _ = run(
        ['He said "war"\nis excluded [2].'], encode=lambda piece: json.dumps(piece, ensure_ascii=False)[1:-1]
    )
    assert json.loads(f'"{text}"') == 'He said "war"\nis excluded [1].'
    assert text[found[0].start : found[0].end] == "[1]"


def point(*pairs: tuple[str, tuple[Pointer, ...]], style: CitationStyle = NUMBERED) -> tuple[str, list[Citation]]:
    """Text and citations for pieces with pointers, the same when the pieces come character by character."""
    results = []
    for fine in (False, True):
        stream = CitationStream(SOURCES, style=style)
        events = []
        for text, pointers in pairs:
            for char in text[:-1] if fine else "":
                events += stream.decode(char)
            events += stream.decode(text[-1:] if fine else text, pointers)
        events += stream.flush(listing=False)
        results.append(("".join(event.text for event in events if isinstance(event, TextDelta)), stream.citations))
    assert results[0] == results[1]
    return results[0]


def test_a_provider_s_pointer_is_kept_exactly():
    """A native citation becomes a marker and points at the span the provider gave."""
    start = TRAVEL.text.index("War")
    text, found = point(
        ("War is excluded.", (Pointer(1, start, start + 3),)), (" Pipes are covered.", (Pointer(2, 13, 36),))
    )
    assert text == "War is excluded. [1] Pipes are covered. [2]"
    assert [(one.quote, one.source_start) for one in found] == [("War", start), (HOME.text[13:36], 13)]
    assert found[0].support == 0.5  # one of the two words it stands for


def test_pointers_to_one_source_share_a_marker():
    """Two spans of one source beside one text: one marker, two citations."""
    text, found = point(("Covered", (Pointer(2, 0, 4), Pointer(2, 13, 18), Pointer(0, 0, 5))), (" and so on.", ()))
    assert text == "Covered [1][2] and so on."
    assert [(one.number, one.quote, text[one.start : one.end]) for one in found] == [
        (1, "Home", "[1]"),
        (1, "Burst", "[1]"),
        (2, "Motor", "[2]"),
    ]


def test_a_pointer_after_a_space_leaves_the_space_after():
    """The marker closes up to the words; the space the text ended with follows it."""
    assert point(("War is excluded. ", (Pointer(1, 0, 6),)), ("Pipes.", ()))[0] == "War is excluded. [1] Pipes."
    assert (
        point(("War is excluded. ", (Pointer(1, 0, 6),)), ("Pipes.", ()), style=FOOTNOTE)[0]
        == "War is excluded.¹ Pipes."
    )


@pytest.mark.parametrize("bounds", [(-1, 5), (5, 5), (9, 2), (0, 10_000)])
def test_a_pointer_out_of_bounds_is_looked_up(bounds: tuple[int, int]):
    """A span that is not in the source is replaced by the sentence that carries the words."""
    text, found = point(("War is excluded.", (Pointer(1, *bounds),)))
    assert text == "War is excluded. [1]"
    assert found[0].quote == "War is excluded."


def test_a_pointer_to_no_source_is_dropped():
    """A provider's index beyond the sources leaves the text alone."""
    assert point(("War is excluded.", (Pointer(7, 0, 3), Pointer(-1, 0, 3)))) == ("War is excluded.", [])


def test_no_sources_no_markers():
    """Without sources whatever looks like a citation vanishes."""
    assert run(["War [1] is¹ excluded【1】 (Source 2)."], [])[0] == "War is excluded."


def test_an_empty_source_can_be_cited():
    """A source without text gives an empty quote and no support."""
    _, found, _ = run(["War is excluded [1]."], [Source("void", "")])
    assert [(one.quote, one.support) for one in found] == [("", 0.0)]


def test_a_stream_that_stops_keeps_what_came():
    """What was held back when the stream ended is given out as text."""
    assert run(["War is excluded [2"])[0] == "War is excluded [2"
    assert run(["War is excluded ["])[0] == "War is excluded ["


def test_long_answers_keep_finding_their_words():
    """After thousands of pieces a marker still stands for the words just before it."""
    filler = ["Nothing to see here. "] * 5_000
    _, found, _ = run([*filler, "War is ", "excluded [2]."])
    assert found[0].quote == "War is excluded."
