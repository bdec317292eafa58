"""Plays messages through the bot and a Discord on loopback, to see what would be posted before a community does."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from footnoted.assistants.community.client import AIClient
from footnoted.assistants.community.discord_bot import CommunityBot
from footnoted.assistants.community.talk import AIResult

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from footnoted.assistants.community.config import CommunityConfig
    from footnoted.assistants.community.labelled import Labelled
    from footnoted.testing.discord import DiscordDouble

_FIRST = 1_000  # id of the first channel; each thread has one of its own
_BEYOND = 60  # seconds that hearing a message and posting may take beside the reply


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """A thread, what the brain decided, and the messages that would be posted."""

    thread: Labelled
    result: AIResult
    posts: tuple[str, ...]


async def rehearse(config: CommunityConfig, threads: Sequence[Labelled]) -> AsyncIterator[Rehearsed]:
    """Each thread's latest message said in a channel of its own, those before it being there already."""
    from footnoted.testing.discord import DiscordDouble

    channels = {_FIRST + place: f"rehearsal-{place + 1}" for place in range(len(threads))}
    where = config.discord.model_copy(update={"channels": list(channels), "only_when_mentioned": False})
    decided: dict[int, asyncio.Future[AIResult]] = {}
    name = next((thread.talk.bot for thread in threads if thread.talk.bot), "bot")

    def heard(message_id: int, result: AIResult) -> None:
        decided[message_id].set_result(result)

    async with DiscordDouble(bot=name, channels=channels) as server, AIClient(config) as brain:
        await brain.prepare()
        await brain.read_ahead()
        with server.in_place():
            async with CommunityBot(brain, where, heard) as bot:
                running = asyncio.create_task(bot.start("a.token.of-the-rehearsal"))
                try:
                    await server.ready()
                    for channel, thread in zip(channels, threads, strict=True):
                        if thread.talk.latest.from_bot:
                            own = AIResult(should_reply=False, debug={"stopped": "said by the bot"})
                            yield Rehearsed(thread, own, ())
                            continue
                        already = len(server.posted)
                        ids = [server.new_id() for _ in thread.talk.messages]
                        decided[ids[-1]] = asyncio.get_running_loop().create_future()
                        await _say(server, channel, thread, ids)
                        async with asyncio.timeout(config.ai.request_timeout_seconds + _BEYOND):
                            result = await decided[ids[-1]]
                        yield Rehearsed(thread, result, tuple(message.text for message in server.posted[already:]))
                finally:
                    await bot.close()
                    with contextlib.suppress(asyncio.CancelledError):
                        await asyncio.wait_for(running, 20)


async def _say(server: DiscordDouble, channel: int, thread: Labelled, ids: Sequence[int]) -> None:
    """The thread's messages said under these ids; of the last one alone the bot is told."""
    bot = thread.talk.bot
    for place, (id_, message) in enumerate(zip(ids, thread.talk.messages, strict=True)):
        to = message.reply_to if message.reply_to is not None and message.reply_to < place else None
        await server.say(
            message.text.replace(f"@{bot}", f"@{server.bot}") if bot else message.text,
            author=server.bot if message.from_bot else message.author or "somebody",
            channel=channel,
            id_=id_,
            reply_to=None if to is None else ids[to],
            mentions=message.mentions,
            unheard=id_ != ids[-1],
        )
