"""Plays messages through the bot and a Discord on loopback, to see what would be posted before a community does."""

from __future__ import annotations

import asyncio
import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from footnoted.assistants.community.client import AIClient
from footnoted.assistants.community.discord_bot import CommunityBot

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from footnoted.assistants.community.config import CommunityConfig
    from footnoted.assistants.community.labelled import Labelled
    from footnoted.assistants.community.talk import AIResult
    from footnoted.testing.discord import DiscordDouble

_FIRST = 1_000  # id of the first channel; each thread has one of its own


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
    name = next((one.talk.bot for one in threads if one.talk.bot), "bot")

    def told(message_id: int, result: AIResult) -> None:
        decided[message_id].set_result(result)

    async with DiscordDouble(bot=name, channels=channels) as server, AIClient(config) as brain:
        await brain.prepare()
        await brain.read_ahead()
        with server.in_place():
            async with CommunityBot(brain, where, told) as bot:
                running = asyncio.create_task(bot.start("a.token.of-the-rehearsal"))
                try:
                    await server.ready()
                    for channel, thread in zip(channels, threads, strict=True):
                        posted = len(server.posted)
                        latest = await _said(server, channel, thread, decided)
                        result = await decided[latest]
                        yield Rehearsed(thread, result, tuple(one.text for one in server.posted[posted:]))
                finally:
                    await bot.close()
                    with contextlib.suppress(asyncio.CancelledError):
                        await asyncio.wait_for(running, 20)


async def _said(
    server: DiscordDouble, channel: int, thread: Labelled, decided: dict[int, asyncio.Future[AIResult]]
) -> int:
    """The thread said; gives the id of the latest message, of which alone the bot is told."""
    ids: list[int] = []
    messages = thread.talk.messages
    for place, one in enumerate(messages):
        id_ = server.new_id()
        last = place == len(messages) - 1
        if last:
            decided[id_] = asyncio.get_running_loop().create_future()
        author = server.bot if one.from_bot else one.author or "somebody"
        to = ids[one.reply_to] if one.reply_to is not None and one.reply_to < len(ids) else None
        said = one.text.replace(f"@{thread.talk.bot}", f"@{server.bot}") if thread.talk.bot else one.text
        await server.say(
            said, author=author, channel=channel, id_=id_, reply_to=to, mentions=one.mentions, unheard=not last
        )
        ids.append(id_)
    return ids[-1]
