"""What is read off a thread: whose turn it is, what they ask in all of it, and whom for."""

import pytest

from footnoted.assistants.community import Conversation, Message
from footnoted.assistants.community.thread import as_told, read_thread

BOT = "docs-bot"


def thread(*messages, bot=BOT):
    keys = ("author", "text", "reply_to", "mentions")
    return Conversation([dict(zip(keys, one, strict=False)) for one in messages], bot=bot)


# messages → what is looked up
QUESTIONS = {
    "one message": ([("ann", "how do i oil a chain?")], "how do i oil a chain?"),
    "in two messages": ([("ann", "my chain squeaks"), ("ann", "what do i do?")], "my chain squeaks\nwhat do i do?"),
    "somebody between": ([("ann", "my chain squeaks"), ("bo", "hi"), ("ann", "what do i do?")], "what do i do?"),
    "a follow-up to the bot": (
        [("ann", "which oil?"), (BOT, "Any thin oil.", 0), ("ann", "and how often?", 1)],
        "which oil?\nand how often?",
    ),
    "somebody else after the bot": (
        [("ann", "which oil?"), (BOT, "Any thin oil.", 0), ("bo", "where is the toilet?")],
        "where is the toilet?",
    ),
    "code and links": ([("ann", "see https://x.example\n```py\nx = 1\n```\nwhy?")], "see\nx = 1\nwhy?"),
    "a picture": ([("ann", "[image: a.png]\n[file: b.zip]")], ""),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_is_read_from_the_whole_turn(name):
    """Split over messages it is joined; after the bot's reply, the question before goes with it."""
    messages, asked = QUESTIONS[name]
    read = read_thread(thread(*messages))
    assert read.question == asked
    assert read.wordless == (asked == "")


def test_a_pause_ends_a_turn():
    """What somebody said an hour ago is no part of what they ask now."""
    talk = [Message("my chain squeaks", "ann", at=0.0), Message("which oil?", "ann", at=3600.0)]
    assert read_thread(Conversation(talk)).question == "which oil?"


# messages → features that must be set, and those that must not
SHAPES = {
    "called first": ([("ann", "@bo which oil did you take?", None, ["bo"])], {"calls_member_first"}, {"calls_member"}),
    "called by its name alone": ([("ann", "@bo which oil?")], {"calls_member_first"}, set()),
    "only named": ([("ann", "like @bo said, which oil?", None, ["bo"])], {"calls_member"}, {"calls_member_first"}),
    "the bot is no member": ([("ann", f"@{BOT} which oil?", None, [BOT])], {"names_bot"}, {"calls_member_first"}),
    "everyone is no member": ([("ann", "@everyone which oil?")], set(), {"calls_member_first", "calls_member"}),
    "to a member": (
        [("bo", "i oiled it"), ("ann", "with what?", 0)],
        {"to_member", "joins", "after_member"},
        {"to_bot"},
    ),
    "to the bot": ([("ann", "oil?"), (BOT, "Yes.", 0), ("ann", "which?", 1)], {"to_bot", "returns"}, {"to_member"}),
    "to oneself": ([("ann", "oil?"), ("ann", "which oil i mean?", 0)], {"turn", "marked"}, {"to_member"}),
}


@pytest.mark.parametrize("name", SHAPES)
def test_the_shape_of_a_thread(name):
    """Who replies to whom, who is called, who spoke before."""
    messages, present, absent = SHAPES[name]
    shape = read_thread(thread(*messages)).shape
    assert {feature for feature in present if not shape[feature]} == set()
    assert {feature for feature in absent if shape[feature]} == set()


def test_names_teach_nothing():
    """What the speech act is read from holds nobody's name."""
    read = read_thread(thread(("ann", f"@bo and {BOT}, which oil?", None, ["bo"])))
    assert set(read.acts) == {"@member and bot, which oil?"}


def test_a_model_is_told_who_speaks_to_whom():
    """Members without their names, the bot as the bot, replies with their places."""
    told = as_told(thread(("ann", "oil?"), (BOT, "Yes.", 0), ("bo", "@ann which?", 0, ["ann"])))
    assert told.splitlines() == [
        "1. member 1: oil?",
        "2. THE BOT (replying to message 1 of member 1): Yes.",
        "3. member 2 (replying to message 1 of member 1): @[member 1] which?",
    ]


def test_a_reply_to_what_is_no_longer_there_is_a_reply_to_nothing():
    """Of a long talk only the latest messages are kept, and places are counted among them."""
    messages = [{"author": "ann", "text": str(i)} for i in range(30)]
    talk = Conversation(
        [*messages, {"author": "bo", "text": "a", "reply_to": 2}, {"author": "bo", "text": "b", "reply_to": 29}]
    )
    assert [one.reply_to for one in talk.messages[-2:]] == [None, 17]
    assert talk.messages[17].text == "29"
    assert Conversation([{"text": "x", "reply_to": "first", "mentions": None}]).latest.reply_to is None
