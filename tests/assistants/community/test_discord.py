"""The bot against discord.py's own objects, a gateway and a REST server on a real socket."""

import asyncio
import urllib.request
from contextlib import asynccontextmanager

import pytest
import structlog

from footnoted.assistants.community import discord_bot
from footnoted.assistants.community.config import CommunityConfig, DiscordConfig
from footnoted.assistants.community.discord_bot import CommunityBot, metrics_served, serve
from footnoted.errors import ConfigurationError, SourceError

from .conftest import ASKED, saying
from .gateway import BOT, CHANNEL, GUILD, OTHER_CHANNEL, eventually, stand_in, thread


@pytest.fixture
def running(monkeypatch, brain):
    """A bot that is connected to the stand-in, with a model and keys of section `discord`."""

    @asynccontextmanager
    async def run(llm=None, **where):
        config = DiscordConfig(channels=[CHANNEL], **where)
        async with stand_in(monkeypatch) as server:
            async with CommunityBot(brain(llm or saying()), config) as bot:
                task = asyncio.create_task(bot.start("a.made-up.token"))
                await server.ready()
                try:
                    yield server, bot
                finally:
                    await bot.close()
                    await asyncio.wait_for(task, 20)

    return run


async def test_a_message_is_answered_once_in_a_thread_of_its_own(running):
    """What `reply_text` says, nobody pinged, no preview unfolded."""
    async with running() as (server, _):
        asked = await server.say(ASKED)
        await server.until(lambda: server.posted)
        await server.say(ASKED, id_=asked)  # told twice
        await asyncio.sleep(0.3)
        ((where, body),) = server.posted
    assert server.threads == {asked: "Answer"}
    assert where == asked
    assert body["content"].startswith("Run the command `!sold` in the thread of your offer. [1]")
    assert body["allowed_mentions"] == {"parse": []}
    assert body["flags"] & 4


async def test_only_people_in_configured_channels_are_answered(running):
    """Not bots, not itself, not webhooks, not other channels, not joins; and then a person."""
    async with running() as (server, _):
        await server.say(ASKED, bot=True)
        await server.say(ASKED, author=BOT, bot=True)
        await server.say(ASKED, webhook=77)
        await server.say(ASKED, channel=OTHER_CHANNEL)
        await server.say(ASKED, type_=7)
        asked = await server.say(ASKED)
        await server.until(lambda: server.posted)
        await asyncio.sleep(0.3)
        assert [where for where, _ in server.posted] == [asked]


async def test_silence_posts_nothing(running):
    """No reply, no thread."""
    async with running(saying(gating={"is_question": False, "is_answerable": False})) as (server, bot):
        seen = await server.say("thanks all")
        await eventually(lambda: seen in bot._seen)
        await asyncio.sleep(0.3)
        assert server.posted == []
        assert server.threads == {}


async def test_in_a_thread_the_reply_goes_there(running):
    """A thread below a configured channel counts, and no thread is opened within it."""
    calls = []
    async with running(saying(calls)) as (server, bot):
        await server._dispatch("THREAD_CREATE", thread(4242, CHANNEL, "brakes"))
        await eventually(lambda: bot.get_guild(GUILD).get_thread(4242))
        await server.say(ASKED, channel=4242)
        await server.until(lambda: server.posted)
        assert [where for where, _ in server.posted] == [4242]
        assert server.threads == {}


async def test_only_mentions_where_it_is_told_so(running):
    """With `only_when_mentioned`, and the mention is no part of the question."""
    calls = []
    async with running(saying(calls), only_when_mentioned=True) as (server, _):
        await server.say(ASKED)
        asked = await server.say(f"<@{BOT}> {ASKED}", mentions=[BOT])
        await server.until(lambda: server.posted)
        assert [where for where, _ in server.posted] == [asked]
    assert f"<@{BOT}>" not in calls[0].prompt.context


async def test_a_dropped_gateway_is_survived(running):
    """The connection breaks, discord.py comes back, and the next question is answered."""
    async with running() as (server, _):
        await server.drop()
        await server.ready()
        assert server.identified + server.resumed == 2
        asked = await server.say(ASKED)
        await server.until(lambda: server.posted)
        assert [where for where, _ in server.posted] == [asked]


async def test_a_refused_thread_is_logged_and_the_bot_goes_on(running):
    """No permission: nothing is posted anywhere else, and the next message is answered."""
    async with running() as (server, bot):
        server.refuse_threads = True
        first = await server.say(ASKED)
        await eventually(lambda: first in bot._seen)
        await asyncio.sleep(0.5)
        server.refuse_threads = False
        second = await server.say(ASKED)
        await server.until(lambda: server.posted)
        assert [where for where, _ in server.posted] == [second]


async def test_a_brain_that_breaks_says_nothing(running):
    """A failing model is silence in the channel."""
    async with running(saying(gating=RuntimeError("broken"))) as (server, bot):
        seen = await server.say(ASKED)
        await eventually(lambda: seen in bot._seen)
        await asyncio.sleep(0.3)
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
