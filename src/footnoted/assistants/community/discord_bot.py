"""A Discord server's messages in; at most one reply each, in a thread, out. What is said is the brain's; how, ours."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

try:
    import discord
except ImportError as missing:
    from footnoted.errors import ConfigurationError as _ConfigurationError

    raise _ConfigurationError(
        "the Discord bot needs discord.py; install it with: pip install 'footnoted[community]'"
    ) from missing

import structlog

from footnoted.assistants.community.client import AIClient
from footnoted.assistants.community.posting import parts
from footnoted.assistants.community.talk import Conversation, Message, RequestContext
from footnoted.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from footnoted.assistants.community.config import CommunityConfig, DiscordConfig
    from footnoted.assistants.community.talk import AIResult

_AT_ONCE = 16  # messages thought about at the same time; the rest wait their turn
_REMEMBERED = 5_000  # ids of messages seen, against a gateway that tells one twice
_EARLIER = 8  # messages of a thread that go with the latest
discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False  # nobody here speaks
_ANSWERED_TYPES = frozenset({discord.MessageType.default, discord.MessageType.reply})


class CommunityBot(discord.Client):
    """Listens in the configured channels and in their threads; replies where the brain has a reply."""

    def __init__(self, brain: AIClient, config: DiscordConfig) -> None:
        intents = discord.Intents(guilds=True, guild_messages=True, message_content=True)
        super().__init__(intents=intents, allowed_mentions=discord.AllowedMentions.none(), max_messages=100)
        self.brain = brain
        self.where = config
        self._channels = frozenset(config.channels)
        self._seen: OrderedDict[int, None] = OrderedDict()
        self._turns = asyncio.Semaphore(_AT_ONCE)
        self._log: Any = structlog.get_logger("footnoted.community.discord")

    async def on_ready(self) -> None:
        """Say that we are there."""
        self._log.info("ready", user=str(self.user), channels=len(self._channels))

    async def on_message(self, message: discord.Message) -> None:
        """Reply once to a message that is meant for us, if there is a reply."""
        if not self._is_ours(message) or not self._first_time(message.id):
            return
        async with self._turns:
            result = await self.brain.generate_reply(await self._conversation(message), _context(message))
            if result.should_reply and result.reply_text:
                await self._post(message, result)

    async def on_error(self, event_method: str, /, *_: Any, **__: Any) -> None:
        """An event that went wrong is told to the log and ends nothing."""
        self._log.error("an event failed", discord_event=event_method, exc_info=True)

    def _is_ours(self, message: discord.Message) -> bool:
        """A person's own message, in a configured channel or a thread of one."""
        if message.author.bot or message.author == self.user or message.webhook_id is not None:
            return False
        if message.guild is None or message.type not in _ANSWERED_TYPES:
            return False
        channel = message.channel
        parent = channel.parent_id if isinstance(channel, discord.Thread) else None
        if channel.id not in self._channels and parent not in self._channels:
            return False
        return not self.where.only_when_mentioned or self.user in message.mentions

    def _first_time(self, message_id: int) -> bool:
        if message_id in self._seen:
            return False
        self._seen[message_id] = None
        while len(self._seen) > _REMEMBERED:
            self._seen.popitem(last=False)
        return True

    async def _conversation(self, message: discord.Message) -> Conversation:
        """The message; in a thread, what was said there before it too, as far as it can be read."""
        earlier: list[Message] = []
        if isinstance(message.channel, discord.Thread):
            with contextlib.suppress(discord.HTTPException):
                earlier = [self._said(one) async for one in message.channel.history(limit=_EARLIER, before=message)]
        return Conversation([*reversed(earlier), self._said(message)])

    def _said(self, message: discord.Message) -> Message:
        text = message.content
        if self.user is not None:
            for form in (f"<@{self.user.id}>", f"<@!{self.user.id}>"):
                text = text.replace(form, " ")
        return Message(text.strip(), str(message.author.id), message.author.bot)

    async def _post(self, message: discord.Message, result: AIResult) -> None:
        """Post in the message's thread, or nowhere."""
        log = self._log.bind(message_id=message.id, channel_id=message.channel.id)
        try:
            thread = await self._thread(message)
            for part in parts(result.reply_text or ""):
                await thread.send(part, allowed_mentions=discord.AllowedMentions.none(), suppress_embeds=True)
        except discord.HTTPException as error:
            log.warning("the reply could not be posted", status=error.status, code=error.code, words=error.text[:300])
        else:
            log.info("posted", thread_id=thread.id)

    async def _thread(self, message: discord.Message) -> discord.Thread:
        if isinstance(message.channel, discord.Thread):
            return message.channel
        if message.thread is not None:
            return message.thread
        return await message.create_thread(name=self.where.thread_name, auto_archive_duration=1440)


def _context(message: discord.Message) -> RequestContext:
    channel = message.channel
    if isinstance(channel, discord.Thread):
        return RequestContext("discord", str(channel.parent_id), str(channel.id), str(message.id))
    return RequestContext("discord", str(channel.id), None, str(message.id))


async def serve(config: CommunityConfig) -> None:
    """Run the bot until it is stopped. Raises `ConfigurationError` for what is missing before it starts."""
    token = os.environ.get(config.discord.token_env, "").strip()
    if not token:
        raise ConfigurationError(
            f"the bot's token is not set: put it in the environment variable {config.discord.token_env}"
        )
    if not config.discord.channels:
        raise ConfigurationError("discord.channels is empty; name the ids of the channels the bot may answer in")
    _log_as_json()
    async with AIClient(config) as brain:
        await brain.prepare()
        with metrics_served(config.metrics.host, config.metrics.port):
            async with CommunityBot(brain, config.discord) as bot, _reading_ahead(brain):
                _stop_on_signal(bot)
                try:
                    await bot.start(token, reconnect=True)
                except discord.LoginFailure:
                    raise ConfigurationError(
                        f"Discord does not accept the token in {config.discord.token_env}"
                    ) from None
                except discord.PrivilegedIntentsRequired:
                    raise ConfigurationError(
                        "switch the message content intent on for this bot in Discord's developer portal"
                    ) from None


@contextlib.asynccontextmanager
async def _reading_ahead(brain: AIClient) -> AsyncIterator[None]:
    """The sources are read ahead beside what is done inside; the first questions need not wait for it."""
    ahead = asyncio.create_task(brain.read_ahead())
    try:
        yield
    finally:
        ahead.cancel()
        (failed,) = await asyncio.gather(ahead, return_exceptions=True)
        if isinstance(failed, Exception):
            structlog.get_logger("footnoted.community").warning("not read ahead", **{"error.words": str(failed)[:500]})


@contextlib.contextmanager
def metrics_served(host: str, port: int | None) -> Any:
    """Prometheus' numbers on ``http://host:port/metrics`` while inside; gives the port, or ``None`` where none is."""
    if port is None:
        yield None
        return
    from prometheus_client import start_http_server

    try:
        server, thread = start_http_server(port, addr=host)
    except OSError as error:
        raise ConfigurationError(f"metrics.port: {host}:{port} cannot be listened on ({error.strerror})") from None
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=5)


def _log_as_json() -> None:
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(message)s")
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso"),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(ensure_ascii=False, default=str),
        ],
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )


def _stop_on_signal(bot: discord.Client) -> None:
    loop = asyncio.get_running_loop()
    closing: set[asyncio.Task[None]] = set()

    def stop() -> None:
        closing.add(asyncio.ensure_future(bot.close()))

    for number in (signal.SIGTERM, signal.SIGINT):
        with contextlib.suppress(NotImplementedError, RuntimeError):
            loop.add_signal_handler(number, stop)
