"""Labelled threads: what counts as right, what a certainty costs and gains, and where it is written."""

import json

import pytest
from typer.testing import CliRunner

from footnoted.assistants.community import AIResult, Conversation, ReplyCitation, read_config
from footnoted.assistants.community.config import with_certainty
from footnoted.assistants.community.labelled import Labelled, Outcome, certainty_for, curve, play, read_labelled
from footnoted.cli import app
from footnoted.errors import ConfigurationError, SourceError

from .conftest import ASKED, EXAMPLE

CITED = ReplyCitation(number=1, source_id="guide/market.md", start_pos=0, end_pos=1, source_start=0, source_end=1)


def thread(*, wanted=True, pages=("market.md",), must=("!sold",)):
    return Labelled("t", Conversation(ASKED), wanted, pages, must, {})


# a thread, a reply → whether it is right
RIGHT = {
    "page and words": (thread(), "Run `!sold`.", True),
    "one of two words": (thread(must=("!gone|!sold",)), "Run **!SOLD** there", True),
    "a word is missing": (thread(must=("!sold", "#market")), "Run !sold.", False),
    "another page": (thread(pages=("rules.md",)), "Run !sold.", False),
    "half a name is no page": (thread(pages=("ket.md",)), "Run !sold.", False),
    "no page is asked": (thread(pages=(), must=()), "Whatever.", True),
    "none was wanted": (thread(wanted=False), "Run !sold.", False),
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_reply_is_right_that_was_wanted_and_says_it_from_the_right_page(name):
    """All three, not two of them."""
    asked, text, right = RIGHT[name]
    assert asked.right(AIResult(should_reply=True, reply_text=text, citations=[CITED])) is right
    assert not asked.right(AIResult(should_reply=False))


def outcome(certainty, *, right=True, wanted=True):
    return Outcome(thread(wanted=wanted), AIResult(should_reply=True, debug={"certainty": certainty}), right)


def test_a_curve_has_a_point_for_each_reply_that_falls_away():
    """And the certainty that answers most is taken among those that are right often enough."""
    silent = Outcome(thread(), AIResult(should_reply=False, debug={"certainty": 0.9}), right=False)
    told = [outcome(0.9), outcome(0.7), outcome(0.5, right=False, wanted=False), outcome(0.3), silent]
    points = curve(told)
    assert [(one.certainty, one.replies, one.right, one.spoke) for one in points] == [
        (0.3, 4, 3, 1),
        (0.5, 3, 2, 1),
        (0.7, 2, 2, 0),
        (0.9, 1, 1, 0),
    ]
    assert points[0].precision == 0.75
    assert points[0].recall == 0.75
    assert certainty_for(points, 0.75).certainty == 0.3
    assert certainty_for(points, 0.9).certainty == 0.7
    assert certainty_for(curve([outcome(0.5, right=False)]), 0.9) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "holds no thread"),
        ("{}\n", "line 1"),
        ('{"thread": [{"text": "a"}]}\nnot JSON', "line 2"),
        ('{"thread": "hello"}', "must be a list"),
        ('{"thread": []}', "must be a list"),
    ],
)
def test_what_is_no_labelled_thread_is_told_with_its_line(tmp_path, text, words):
    """One line, no traceback."""
    (tmp_path / "m.jsonl").write_text(text, "utf-8")
    with pytest.raises(SourceError, match=words):
        read_labelled(tmp_path / "m.jsonl")
    with pytest.raises(SourceError, match="cannot be read"):
        read_labelled(tmp_path / "none.jsonl")


async def test_threads_are_played_as_a_platform_would_give_them(tmp_path, brain):
    """With the bot's name, replies and mentions."""
    lines = [
        {
            "id": "a",
            "bot": "b",
            "thread": [{"author": "x", "text": ASKED}],
            "should_reply": True,
            "gold_page": "market.md",
        },
        {"id": "b", "bot": "b", "thread": [{"author": "b", "text": ASKED}], "should_reply": False},
    ]
    (tmp_path / "m.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    found = await play(brain(), read_labelled(tmp_path / "m.jsonl"))
    assert [(one.result.should_reply, one.right) for one in found] == [(True, True), (False, False)]
    assert 0 < found[0].certainty < 1


# a config → what becomes of it
WRITTEN = {
    "another value": ("ai:\n  certainty: 0.4  # ours\n", "ai:\n  certainty: 0.700  # ours\n"),
    "no value": ("ai:\n    max_sources: 2\n", "ai:\n    certainty: 0.700\n    max_sources: 2\n"),
    "an empty section": ("ai:\ndiscord:\n", "ai:\n  certainty: 0.700\ndiscord:\n"),
    "no section": ("# nothing\n", "# nothing\nai:\n  certainty: 0.700\n"),
    "nothing": ("", "ai:\n  certainty: 0.700\n"),
    "on one line": ("ai: {certainty: 0.4, max_sources: 2}\n", "ai: {certainty: 0.700, max_sources: 2}\n"),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_a_certainty_is_written_where_it_belongs(tmp_path, name):
    """Everything else stays as it is, and the result is read with it."""
    text, becomes = WRITTEN[name]
    assert with_certainty(text, 0.7) == becomes
    (tmp_path / "config.yaml").write_text(becomes, "utf-8")
    assert read_config(tmp_path / "config.yaml").ai.certainty == 0.7


def test_a_section_on_one_line_is_left_alone():
    """Rather an error than a broken file."""
    with pytest.raises(ConfigurationError, match="one line"):
        with_certainty("ai: {max_sources: 2}\n", 0.7)


def test_fit_prints_the_curve_and_writes_the_certainty(tmp_path, env):
    """Over the example's documents: the config's certainty is another afterwards; what cannot be had writes nothing."""
    lines = [
        {"thread": [{"author": "x", "text": ASKED}], "should_reply": True, "gold_page": "market.md"},
        {
            "thread": [{"author": "x", "text": "when are the repair evenings?"}],
            "should_reply": True,
            "gold_page": "repairs.html",
        },
        {"thread": [{"author": "x", "text": "thanks all"}], "should_reply": False},
    ]
    messages, config = tmp_path / "m.jsonl", tmp_path / "config.yaml"
    messages.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    config.write_text(f"ai:\n  max_sources: 2\nknowledge:\n  index: {EXAMPLE / 'index.md'}\n", "utf-8")
    done = CliRunner().invoke(app, ["community", "fit", str(messages), "-c", str(config)], env=env)
    assert done.exit_code == 0, done.output
    assert "precision 100.0%" in done.stdout
    assert 0 < read_config(config).ai.certainty < 1
    messages.write_text(json.dumps({**lines[0], "gold_page": "rules.md"}), "utf-8")
    before = config.read_text("utf-8")
    done = CliRunner().invoke(app, ["community", "fit", str(messages), "-c", str(config)], env=env)
    assert done.exit_code == 3
    assert config.read_text("utf-8") == before
    done = CliRunner().invoke(app, ["community", "fitt", str(messages)], env=env)
    assert done.exit_code == 2
