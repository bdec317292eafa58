"""What is said of a client is computed, by rules that tell good from bad."""

import pytest

GOOD_TEXT = "The excess for a new windscreen is seventy-five pounds , as the policy says . "


@pytest.mark.parametrize(
    ("told", "recoverable", "expected"),
    [
        ({"ended": "ends", "text": GOOD_TEXT, "finish": "stop"}, True, "whole"),
        ({"ended": "ends", "text": GOOD_TEXT, "finish": "stop"}, False, "as if whole"),
        ({"ended": "ends", "text": "The excess", "finish": "stop"}, True, "as if whole"),
        ({"ended": "ends", "text": "The excess", "finish": None}, False, "unsaid"),
        ({"ended": "ends", "text": "The excess", "finish": "truncated"}, False, "says so"),
        ({"ended": "ends", "text": " ", "finish": None}, False, "empty"),
        ({"ended": "ends", "text": "", "finish": "stop"}, False, "empty"),
        ({"ended": "ends", "text": "", "finish": "error"}, False, "says so"),
        ({"ended": "raises", "text": ""}, False, "raises"),
        ({"ended": "waits", "text": ""}, False, "waits"),
        ({"ended": "leaves", "text": "", "left": True, "closing": 0.01}, False, "closed"),
        ({"ended": "leaves", "text": "", "left": True, "closing": None}, False, "open"),
        ({"ended": "leaves", "text": "", "left": False, "closing": 0.01}, False, "unclear"),
    ],
)
def test_what_a_caller_saw(told, recoverable, expected):
    """The class of an ending, where a good answer ends with "stop"."""
    from _peers.faulty import saw

    assert saw(told, finish="stop", recoverable=recoverable) == expected


async def test_footnoted_tells_of_faults_a_bare_loop_hides(pythons):
    """The same broken answers through two clients, each in a process of its own."""
    from _peers import faulty

    slow = {"silence", "no headers", "keep-alives", "429"}
    plays = [play for play in faulty.PLAYS if not any(word in play.name for word in slow)]
    ours = (await faulty.played(pythons, "footnoted", limits=False, wait=20, plays=plays))["rows"]
    bare = (await faulty.played(pythons, "bare", limits=False, wait=20, plays=plays))["rows"]
    assert set(ours) == set(bare) == {play.name for play in plays}
    assert {name: row["saw"] for name, row in ours.items() if row["saw"] not in faulty.GOOD} == {}
    leavers = (await faulty.played(pythons, "footnoted", limits=False, wait=20, plays=faulty.LEAVING))["rows"]
    assert [leavers[play.name]["saw"] for play in faulty.LEAVING] == ["whole", "closed", "closed"]
    assert ours["nothing wrong"]["saw"] == bare["nothing wrong"]["saw"] == "whole"
    assert bare["body ends in mid-answer, no terminal signal"]["saw"] == "unsaid"
    assert bare["an HTML page with status 200"]["saw"] == "empty"


@pytest.mark.parametrize(
    ("text", "cites", "flags", "logged", "expected"),
    [
        ("It is reached within 30 days of the damage [9].", [{"at": 44, "source": None}], [], [], "shown"),
        ("It is reached within 30 days of the damage [9].", [], [], ["index '8' is out of range"], "logged"),
        ("It is reached within 30 days of the damage.", [], [], [], "unmarked"),
        ("It is reached within 30 days of the damage [2].", [{"at": 44, "source": 4}], [], [], "corrected"),
        ("It is reached within 30 days of the damage [9].", [], ["within 30 days of"], [], "flagged"),
        ("The excess is £75 [1].", [{"at": 18, "source": 1}], [], [], "withheld"),
    ],
)
def test_what_became_of_a_marker_to_no_source(text, cites, flags, logged, expected):
    """The fate of the planted [9], whose true source is the fourth."""
    from _peers.citing import SENTENCES, fate

    planted = next(one for one in SENTENCES if one.cited == 9)
    assert fate(planted, {"text": text, "cites": cites, "flags": flags, "logged": logged}) == expected


async def test_footnoted_withholds_what_was_planted(pythons):
    """The default lets the true sentences out, each on its own source, and nothing else."""
    from _peers import citing

    fates = (await citing.cited(pythons, "footnoted", "openai-hold"))["fates"]
    assert [fates[one.name] for one in citing.SENTENCES][:3] == ["kept", "corrected", "corrected"]
    assert {fates[one.name] for one in citing.SENTENCES[3:]} <= {"withheld", "flagged"}


def test_a_spread_is_the_median_and_the_range():
    """Rounds that gave nothing count for nothing; ratios are taken round by round."""
    from _figures.spread import ratio, spread

    assert spread([3.0, None, 1.0, 2.0]).words() == "2.0 [1.0, 3.0]"
    assert spread([None]) is None
    mine, theirs = [{"cpu_ms": 2.0}, {"cpu_ms": 30.0}], [{"cpu_ms": 1.0}, {"cpu_ms": 10.0}]
    assert ratio(mine, theirs, "cpu_ms").words() == "2.5 [2.0, 3.0]"
