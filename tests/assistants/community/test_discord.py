"""The bot against discord.py's own objects, a gateway and a REST server on a real socket."""

import asyncio
import contextlib
import json
import os
import signal
import socket
import urllib.request
from contextlib import asynccontextmanager

import aiohttp
import pytest
import structlog

from footnoted.assistants.community import discord_bot
from footnoted.assistants.community.config import AIConfig, CommunityConfig, DiscordConfig, read_config
from footnoted.assistants.community.discord_bot import CommunityBot, metrics_served, serve
from footnoted.assistants.community.labelled import read_labelled
from footnoted.assistants.community.rehearsing import rehearse
from footnoted.errors import ConfigurationError, SourceError
from footnoted.testing.discord import BOT_ID, CHANNEL, FORUM, DiscordDouble

from .conftest import ASKED, EXAMPLE, saying

OTHER_CHANNEL = CHANNEL + 1


@pytest.fixture
def running(brain):
    """A bot that is connected to the double, with a model and keys of section `discord`."""

    @asynccontextmanager
    async def run(llm=None, *, refuse_commands=False, **where):
        config = DiscordConfig(channels=[CHANNEL, FORUM], **where)
        heard = {}
        async with DiscordDouble() as server:
            server.refuse_commands = refuse_commands
            with server.in_place():
                async with CommunityBot(brain(llm or saying()), config, heard.__setitem__) as bot:
                    task = asyncio.create_task(bot.start("a.made-up.token"))
                    await server.ready()
                    try:
                        yield server, heard
                    finally:
                        await bot.close()
                        await asyncio.wait_for(task, 20)

    return run


async def eventually(condition):
    """Wait until something inside the bot is true; a minute at most."""
    for _ in range(3_000):
        if condition():
            return
        await asyncio.sleep(0.02)
    raise TimeoutError("it never became true")


async def test_a_message_is_answered_once_in_a_thread_of_its_own(running):
    """What `reply_text` says, nobody pinged, no preview unfolded."""
    async with running() as (server, _):
        asked = await server.say(ASKED)
        await server.until(lambda: server.posted)
        await server.say(ASKED, id_=asked)  # told twice
        await asyncio.sleep(0.3)
        (posted,) = server.posted
    assert server.threads == {asked: "Answer"}
    assert posted.channel == asked
    assert posted.text.startswith("Run the command `!sold` in the thread of your offer. [1]")
    assert posted.body["allowed_mentions"] == {"parse": []}
    assert posted.body["flags"] & 4


async def test_only_people_in_configured_channels_are_answered(running):
    """Not bots, not itself, not webhooks, not other channels, not joins; and then a person."""
    async with running() as (server, _):
        await server.say(ASKED, bot=True)
        await server.say(ASKED, author=server.bot)
        await server.say(ASKED, webhook=77)
        await server.say(ASKED, channel=OTHER_CHANNEL)
        await server.say(ASKED, type_=7)
        asked = await server.say(ASKED)
        await server.until(lambda: server.posted)
        await asyncio.sleep(0.3)
        assert [one.channel for one in server.posted] == [asked]


async def test_silence_posts_nothing(running):
    """No reply, no thread."""
    async with running(saying(gating={"is_question": False, "is_answerable": False})) as (server, heard):
        seen = await server.say("thanks all")
        await eventually(lambda: seen in heard)
        assert server.posted == []
        assert server.threads == {}


async def test_in_a_thread_the_reply_goes_there(running):
    """A thread below a configured channel counts, and no thread is opened within it."""
    calls = []
    async with running(saying(calls)) as (server, _):
        thread = await server.open_thread("brakes")
        await server.say(ASKED, channel=thread)
        await server.until(lambda: server.posted)
        assert [one.channel for one in server.posted] == [thread]
        assert server.threads == {}


async def test_only_mentions_where_it_is_told_so(running):
    """With `only_when_mentioned`, and the mention is no part of the question."""
    calls = []
    async with running(saying(calls), only_when_mentioned=True) as (server, _):
        await server.say(ASKED)
        asked = await server.say(f"@{server.bot} {ASKED}", mentions=[server.bot])
        await server.until(lambda: server.posted)
        assert [one.channel for one in server.posted] == [asked]
    assert f"<@{BOT_ID}>" not in calls[0].prompt.context
    assert "@[THE BOT]" in calls[0].prompt.context


async def test_what_was_said_while_the_gateway_was_gone_is_answered_once(running):
    """The connection breaks, discord.py resumes the session, and is told what it missed."""
    async with running() as (server, _):
        await server.drop()
        missed = await server.say(ASKED)
        await server.ready()
        assert (server.identified, server.resumed) == (1, 1)
        await server.until(lambda: server.posted)
        await server.say(ASKED, id_=missed)
        later = await server.say(ASKED)
        await server.until(lambda: len(server.posted) > 1)
        assert [one.channel for one in server.posted] == [missed, later]


async def test_a_session_that_cannot_be_resumed_begins_anew(running):
    """The gateway no longer knows it; the bot identifies again and goes on."""
    async with running() as (server, _):
        server.forgets = True
        await server.drop()
        await server.ready()
        assert (server.identified, server.resumed) == (2, 0)
        asked = await server.say(ASKED)
        await server.until(lambda: server.posted)
        assert [one.channel for one in server.posted] == [asked]


async def test_what_was_said_before_goes_along(running):
    """Replies, mentions and the bot's own words are the conversation; a picture is named, a short text is read."""
    calls = []
    async with running(saying(calls)) as (server, _):
        first = await server.say("which oil?", unheard=True)
        second = await server.say("Any thin oil.", author=server.bot, reply_to=first, unheard=True)
        files = {"log.txt": b"E42 no oil", "a.png": b"PNG"}
        await server.say("@bo and this?", reply_to=second, mentions=["bo"], files=files)
        await server.until(lambda: server.posted)
    told = calls[0].prompt.context
    assert "2. THE BOT (replying to message 1 of member 1): Any thin oil." in told
    assert "3. member 1 (replying to message 2 of THE BOT): @bo and this?" in told
    assert "E42 no oil" in told
    assert "[image: a.png]" in told


async def test_a_reply_to_an_old_message_knows_whose_it_was(running):
    """Discord tells the message that is replied to, however much was said since; another bot is not this one."""
    calls = []
    async with running(saying(calls)) as (server, _):
        old = await server.say("I took the thin oil.", author="bo", unheard=True)
        for _ in range(9):
            await server.say("and on it went", author="news", bot=True, unheard=True)
        await server.say("why not a thicker one?", reply_to=old)
        await server.until(lambda: server.posted)
    told = calls[0].prompt.context
    assert "1. member 1: I took the thin oil." in told
    assert "(replying to message 1 of member 1): why not a thicker one?" in told
    assert "THE BOT" not in told


async def test_a_large_or_unknown_file_is_only_named(running):
    """What is no short text is not read."""
    calls = []
    async with running(saying(calls)) as (server, _):
        await server.say("why this?", files={"big.txt": b"x" * 20_000, "core.bin": b"\x00"})
        await server.until(lambda: server.posted)
    told = calls[0].prompt.context
    assert "[file: big.txt]" in told
    assert "xxx" not in told


async def test_a_post_in_a_forum_is_answered_with_its_title(running):
    """The title is half of the question, and the reply goes into the post."""
    calls = []
    async with running(saying(calls)) as (server, _):
        post = await server.open_post("Marking an offer as sold", "how?", forum=FORUM)
        await server.until(lambda: server.posted)
        assert [one.channel for one in server.posted] == [post]
        assert server.threads == {}
    assert "Marking an offer as sold" in calls[0].prompt.context


async def test_the_slash_command_answers_whoever_asks(running):
    """The reply, or in words that there is none; nobody is pinged."""
    async with running() as (server, _):
        await server.until(lambda: server.commands)
        token = await server.ask(ASKED)
        await server.until(lambda: server.answered)
        (answer,) = server.answered
    assert answer["token"] == token
    assert "`!sold`" in answer["content"]
    assert answer["allowed_mentions"] == {"parse": []}
    async with running(saying(gating={"is_question": True, "is_answerable": False})) as (server, _):
        await server.until(lambda: server.commands)
        await server.ask("who will win?")
        await server.until(lambda: server.answered)
        assert server.answered[0]["content"] == AIConfig().redirect_text


async def test_the_slash_command_is_private_where_the_bot_is_not_at_home(running):
    """In another channel the asker alone sees the reply; in a thread of its own it is everybody's, and logged as such."""
    async with running() as (server, _):
        await server.until(lambda: server.commands)
        for channel, flags in ((OTHER_CHANNEL, 64), (CHANNEL, 0)):
            with structlog.testing.capture_logs() as logs:
                token = await server.ask(ASKED, channel=channel)
                await server.until(lambda token=token: any(one["token"] == token for one in server.answered))
            assert server.deferred[-1].get("flags", 0) & 64 == flags
            assert {log["channel_id"] for log in logs if "channel_id" in log} == {str(channel)}
        thread = await server.open_thread("brakes")
        with structlog.testing.capture_logs() as logs:
            await server.ask(ASKED, channel=thread)
            await server.until(lambda: len(server.answered) == 3)
        assert {(log["channel_id"], log["thread_id"]) for log in logs if "channel_id" in log} == {
            (str(CHANNEL), str(thread))
        }


async def test_a_rate_limit_is_waited_out_wherever_it_comes(running):
    """At the new thread, at the reply in it, and at the words to a slash command: each comes once."""
    async with running() as (server, _):
        await server.until(lambda: server.commands)
        server.limited = 2
        asked = await server.say(ASKED)
        await server.until(lambda: server.posted)
        assert server.limited == 0
        assert [one.channel for one in server.posted] == [asked]
        assert list(server.threads) == [asked]
        server.limited = 1
        await server.ask(ASKED)
        await server.until(lambda: server.answered)
        assert len(server.answered) == 1


async def test_a_slash_command_that_cannot_be_set_up_is_logged_and_messages_are_heard(running):
    """Discord refuses the command; the bot is there all the same."""
    with structlog.testing.capture_logs() as logs:
        async with running(refuse_commands=True) as (server, _):
            asked = await server.say(ASKED)
            await server.until(lambda: server.posted)
            assert [one.channel for one in server.posted] == [asked]
    assert any("slash command" in log["event"] for log in logs)


async def test_a_thread_that_is_there_already_is_used(running):
    """Somebody opened one on the message while the bot was thinking."""
    seen = asyncio.Event()
    go_on = asyncio.Event()

    async def slow(call):
        seen.set()
        await go_on.wait()
        return json.dumps({"is_question": True, "is_answerable": True})

    async with running(saying(gating=slow)) as (server, _):
        asked = await server.say(ASKED)
        await asyncio.wait_for(seen.wait(), 60)
        await server.open_thread("by a member", on=asked)
        go_on.set()
        await server.until(lambda: server.posted)
        assert [one.channel for one in server.posted] == [asked]
        assert server.threads == {}


async def test_a_reply_may_stand_in_the_channel(running):
    """With `reply_in: channel` it is a reply to the message, and a rate limit is waited out."""
    async with running(reply_in="channel", command="") as (server, _):
        server.limited = 2
        asked = await server.say(ASKED)
        await server.until(lambda: server.posted)
        assert [(one.channel, one.reply_to) for one in server.posted] == [(CHANNEL, asked)]
        assert server.threads == {}
        assert server.commands == []


async def test_a_rehearsal_says_what_would_be_posted(tmp_path):
    """Threads through the same bot and brain: one answered, one left alone."""
    lines = [
        {"id": "a", "thread": [{"author": "ann", "text": ASKED}]},
        {"id": "b", "thread": [{"author": "ann", "text": ASKED}, {"author": "ann", "text": "nvm found it"}]},
    ]
    (tmp_path / "threads.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    config = read_config(EXAMPLE / "config.yaml")
    played = [one async for one in rehearse(config, read_labelled(tmp_path / "threads.jsonl"))]
    assert [one.thread.id for one in played] == ["a", "b"]
    assert "`!sold`" in played[0].posts[0]
    assert played[1].posts == ()


async def test_a_refused_thread_is_logged_and_the_bot_goes_on(running):
    """No permission: nothing is posted anywhere else, and the next message is answered."""
    async with running() as (server, heard):
        server.refuse_threads = True
        first = await server.say(ASKED)
        await eventually(lambda: first in heard)
        server.refuse_threads = False
        second = await server.say(ASKED)
        await server.until(lambda: server.posted)
        assert [one.channel for one in server.posted] == [second]


async def test_a_brain_that_breaks_says_nothing(running):
    """A failing model is silence in the channel."""
    async with running(saying(gating=RuntimeError("broken"))) as (server, heard):
        seen = await server.say(ASKED)
        await eventually(lambda: seen in heard)
        assert server.posted == []


async def test_the_bot_says_what_is_missing_before_it_starts(monkeypatch):
    """A token, a channel: named, not guessed."""
    monkeypatch.delenv("LANTERN_TOKEN", raising=False)
    config = CommunityConfig(discord=DiscordConfig(token_env="LANTERN_TOKEN", channels=[1]))
    with pytest.raises(ConfigurationError, match="LANTERN_TOKEN"):
        await serve(config)
    monkeypatch.setenv("LANTERN_TOKEN", "x")
    with pytest.raises(ConfigurationError, match=r"discord\.channels"):
        await serve(CommunityConfig(discord=DiscordConfig(token_env="LANTERN_TOKEN")))


@pytest.fixture
def served(monkeypatch):
    """Make a configuration of the example's documents for `serve`, its token set; its way of logging ends with it."""
    monkeypatch.setenv("LANTERN_TOKEN", "a.made-up.token")
    discord = {"token_env": "LANTERN_TOKEN", "channels": [CHANNEL]}
    given = {"knowledge": {"index": str(EXAMPLE / "index.md")}, "metrics": {"port": None}, "discord": discord}
    yield lambda **sections: CommunityConfig.model_validate({**given, **sections})
    structlog.reset_defaults()


async def test_the_whole_bot_runs_until_it_is_told_to_stop(served, capsys):
    """Metrics, reading ahead, Discord; what it logs is JSON, and SIGTERM ends all of it."""
    async with DiscordDouble() as server:
        with server.in_place():
            running = asyncio.create_task(serve(served(metrics={"port": 0})))
            await server.ready()
            asked = await server.say(ASKED)
            await server.until(lambda: server.posted)
            assert server.posted[0].channel == asked
            assert "`!sold`" in server.posted[0].text
            os.kill(os.getpid(), signal.SIGTERM)
            await asyncio.wait_for(running, 60)
    logs = [json.loads(line) for line in capsys.readouterr().err.splitlines() if line.startswith("{")]
    assert any(log["event"] == "reply" and log["result"] == "answered" for log in logs)


async def test_the_webhook_alone_needs_no_discord(served, monkeypatch):
    """Without a channel and with a port, the bot is a webhook until it is told to stop."""
    monkeypatch.setenv("COMMUNITY_WEBHOOK_SECRET", "s")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    running = asyncio.create_task(serve(served(discord={}, webhook={"port": port})))
    async with aiohttp.ClientSession() as http:
        for _ in range(3_000):
            with contextlib.suppress(aiohttp.ClientConnectionError):
                async with http.post(f"http://127.0.0.1:{port}/reply", data=b"{}") as reply:
                    break
            await asyncio.sleep(0.02)
    assert reply.status == 401  # it is there, and nothing was signed
    os.kill(os.getpid(), signal.SIGTERM)
    await asyncio.wait_for(running, 60)


# what Discord refuses → what is said
REFUSALS = {"refuse_login": "does not accept the token", "refuse_intents": "message content intent"}


@pytest.mark.parametrize("refused", REFUSALS)
async def test_what_discord_refuses_is_told_in_words(served, refused):
    """A wrong token, an intent that is not switched on: named with where to mend it."""
    async with DiscordDouble() as server:
        setattr(server, refused, True)
        with server.in_place(), pytest.raises(ConfigurationError, match=REFUSALS[refused]):
            await serve(served())


async def test_a_metrics_port_that_is_taken_is_told(brain):
    """With the key it stands under."""
    with metrics_served("127.0.0.1", 0) as port, pytest.raises(ConfigurationError, match=f"metrics.port: .*{port}"):
        with metrics_served("127.0.0.1", port):
            pass


async def test_metrics_are_served_while_the_bot_runs(brain):
    """`/metrics` speaks Prometheus' text, with the names of the contract."""
    from footnoted.assistants.community import Conversation

    from .conftest import WHERE

    await brain(saying()).generate_reply(Conversation(ASKED), WHERE)
    with metrics_served("127.0.0.1", 0) as port:
        url = f"http://127.0.0.1:{port}/metrics"
        text = await asyncio.to_thread(lambda: urllib.request.urlopen(url, timeout=10).read().decode())
    assert 'ai_requests_total{result="answered"}' in text
    assert 'ai_gate_total{answerable="true"}' in text
    assert 'ai_verification_total{good_enough="true"}' in text
    assert "ai_selected_sources_histogram_count" in text
    with metrics_served("127.0.0.1", None) as port:
        assert port is None


async def test_reading_ahead_ends_with_the_bot_and_its_failure_stops_nothing():
    """It runs beside the bot, is cancelled with it, and what goes wrong in it is logged."""
    ended = []

    class Slow:
        async def read_ahead(self):
            try:
                await asyncio.sleep(3600)
            finally:
                ended.append("cancelled")

    class Broken:
        async def read_ahead(self):
            raise SourceError("the folder is gone")

    async with discord_bot._reading_ahead(Slow()):
        await asyncio.sleep(0)
    assert ended == ["cancelled"]
    with structlog.testing.capture_logs() as logs:
        async with discord_bot._reading_ahead(Broken()):
            await asyncio.sleep(0)
    assert any("the folder is gone" in str(log) for log in logs)
