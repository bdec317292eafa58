"""The bot in a Discord server: which messages are heard, as what conversation, and where a reply is posted.

What is said is the brain's. discord.py reconnects, resumes and waits out rate limits by itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys
from collections import OrderedDict
from datetime import timedelta
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
from footnoted.assistants.community.webhook import webhook_served
from footnoted.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine

    from footnoted.assistants.community.config import CommunityConfig, DiscordConfig
    from footnoted.assistants.community.talk import AIResult

_AT_ONCE = 16  # messages thought about at the same time; the rest wait their turn
_FAILED = "I could not look that up just now. Please ask again in a moment."
_REMEMBERED = 5_000  # ids of messages seen, against a gateway that tells one twice
_EARLIER = 8  # messages before the latest that go with it
_RECENT = timedelta(minutes=20)  # how old they may be in a channel, where talk goes on about something else
_LARGEST_FILE = 16_384  # bytes of an attached text that is read
discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False  # nobody here speaks
_ANSWERED_TYPES = frozenset({discord.MessageType.default, discord.MessageType.reply})


class CommunityBot(discord.Client):
    """Listens in the configured channels, forums and their threads; replies where the brain has a reply.

    ``decided`` is told of each message heard, by its id, and what came of it.
    """

    def __init__(
        self, brain: AIClient, config: DiscordConfig, decided: Callable[[int, AIResult], None] | None = None
    ) -> None:
        intents = discord.Intents(guilds=True, guild_messages=True, message_content=True)
        super().__init__(intents=intents, allowed_mentions=discord.AllowedMentions.none(), max_messages=100)
        self.brain = brain
        self.where = config
        self.tree: discord.app_commands.CommandTree[Any] = discord.app_commands.CommandTree(self)
        self._decided = decided
        self._channels = frozenset(config.channels)
        self._seen: OrderedDict[int, None] = OrderedDict()
        self._turns = asyncio.Semaphore(_AT_ONCE)
        self._log: Any = structlog.get_logger("footnoted.community.discord")
        if config.command:
            asks = "Ask this community's documents"
            self.tree.add_command(
                discord.app_commands.Command(name=config.command, description=asks, callback=self._asked)
            )

    async def setup_hook(self) -> None:
        """Tell Discord of the slash command. Where that fails, the bot still hears messages."""
        if self.where.command:
            try:
                await self.tree.sync()
            except discord.HTTPException as error:
                self._log.warning("the slash command could not be set up", status=error.status, words=error.text[:300])

    async def on_ready(self) -> None:
        """Say that we are there."""
        self._log.info("ready", user=str(self.user), channels=len(self._channels))

    async def on_message(self, message: discord.Message) -> None:
        """Reply once to a message that is meant for us, if there is a reply."""
        if not self._is_ours(message) or not self._first_time(message.id):
            return
        async with self._turns:
            result = await self.brain.generate_reply(
                await self._conversation(message), _context(message.channel, message.id)
            )
            if result.should_reply and result.reply_text:
                await self._post(message, result)
        if self._decided is not None:
            self._decided(message.id, result)

    async def on_error(self, event_method: str, /, *_: Any, **__: Any) -> None:
        """An event that went wrong is told to the log and ends nothing."""
        self._log.error("an event failed", discord_event=event_method, exc_info=True)

    async def _asked(self, interaction: discord.Interaction[Any], question: str) -> None:
        """The slash command: the reply for all to see, or for the asker alone that there is none."""
        at = interaction.channel
        here = at is not None and (at.id in self._channels or getattr(at, "parent_id", None) in self._channels)
        await interaction.response.defer(thinking=True, ephemeral=not here)
        bot = self.user.name if self.user else ""
        message = Message(question, str(interaction.user.name), mentions=(bot,))
        where = _context(at, interaction.id)
        async with self._turns:
            result = await self.brain.generate_reply(Conversation(message, bot=bot), where)
        failed = (result.debug or {}).get("stopped") == "error"
        for part in parts(result.reply_text or (_FAILED if failed else self.brain.config.ai.redirect_text)):
            await interaction.followup.send(part, allowed_mentions=discord.AllowedMentions.none(), suppress_embeds=True)

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
        """The message and what was said before it, as far as it can be read."""
        earlier: list[discord.Message] = []
        with contextlib.suppress(discord.HTTPException):
            earlier = [before async for before in message.channel.history(limit=_EARLIER, before=message)]
        if not isinstance(message.channel, discord.Thread):
            earlier = [before for before in earlier if message.created_at - before.created_at < _RECENT]
        answered = message.reference.resolved if message.reference else None
        if isinstance(answered, discord.Message) and all(before.id != answered.id for before in earlier):
            earlier.append(answered)  # however long ago it was said
        talk = [*reversed(earlier), message]
        places = {said.id: place for place, said in enumerate(talk)}
        return Conversation([await self._said(said, places) for said in talk], bot=self.user.name if self.user else "")

    async def _said(self, message: discord.Message, places: dict[int, int]) -> Message:
        text = message.content
        for user in message.mentions:
            for form in (f"<@{user.id}>", f"<@!{user.id}>"):
                text = text.replace(form, f"@{user.name}")
        channel = message.channel
        if isinstance(channel, discord.Thread) and message.id == channel.id and _is_forum(channel):
            text = f"{channel.name}\n{text}"  # a post in a forum asks in its title
        text = "\n".join([text, *[await self._attached(file) for file in message.attachments]])
        to = message.reference.message_id if message.reference else None
        return Message(
            text.strip(),
            message.author.name,
            message.author == self.user,
            places.get(to) if to is not None else None,
            tuple(user.name for user in message.mentions),
            message.created_at.timestamp(),
        )

    async def _attached(self, file: discord.Attachment) -> str:
        """An attached text that is short, as a listing; of anything else, its name."""
        kind = file.content_type or ""
        if kind.startswith("text/") and file.size <= _LARGEST_FILE:
            with contextlib.suppress(discord.HTTPException, TimeoutError):
                async with asyncio.timeout(5):
                    text = (await file.read())[:_LARGEST_FILE].decode("utf-8", "replace")
                return f"```\n{text.replace('```', chr(39) * 3)}\n```"
        return f"[{'image' if kind.startswith('image/') else 'file'}: {file.filename}]"

    async def _post(self, message: discord.Message, result: AIResult) -> None:
        """Post in the message's thread or as a reply to it, or nowhere."""
        log = self._log.bind(message_id=message.id, channel_id=message.channel.id)
        try:
            place = await self._place(message)
            for number, part in enumerate(parts(result.reply_text or "")):
                how: dict[str, Any] = {"allowed_mentions": discord.AllowedMentions.none(), "suppress_embeds": True}
                if number == 0 and place is message.channel:
                    how["reference"] = message.to_reference(fail_if_not_exists=False)
                await place.send(part, **how)
        except discord.HTTPException as error:
            log.warning("the reply could not be posted", status=error.status, code=error.code, words=error.text[:300])
        else:
            log.info("posted", thread_id=place.id)

    async def _place(self, message: discord.Message) -> discord.abc.MessageableChannel:
        if isinstance(message.channel, discord.Thread) or self.where.reply_in == "channel":
            return message.channel
        if message.thread is not None:
            return message.thread
        return await message.create_thread(name=self.where.thread_name, auto_archive_duration=1440)


def _is_forum(thread: discord.Thread) -> bool:
    return isinstance(thread.parent, discord.ForumChannel)


def _context(channel: Any, message_id: int) -> RequestContext:
    if isinstance(channel, discord.Thread):
        return RequestContext("discord", str(channel.parent_id), str(channel.id), str(message_id))
    return RequestContext("discord", str(channel.id if channel else ""), None, str(message_id))


async def serve(config: CommunityConfig) -> None:
    """Run the bot, and the webhook where one is configured, until stopped.

    Raises `ConfigurationError` for what is missing before it starts.
    """
    token = os.environ.get(config.discord.token_env, "").strip()
    listens = bool(config.discord.channels) or config.webhook.port is None
    if listens and not token:
        raise ConfigurationError(
            f"the bot's token is not set: put it in the environment variable {config.discord.token_env}"
        )
    if listens and not config.discord.channels:
        raise ConfigurationError("discord.channels is empty; name the ids of the channels the bot may answer in")
    _log_as_json()
    async with AIClient(config) as brain:
        await brain.prepare()
        with metrics_served(config.metrics.host, config.metrics.port):
            async with webhook_served(brain, config.webhook) as port, _reading_ahead(brain):
                if port is not None:
                    structlog.get_logger("footnoted.community").info("webhook", host=config.webhook.host, port=port)
                await (_listen(brain, config, token) if listens else _until_stopped())


async def _listen(brain: AIClient, config: CommunityConfig, token: str) -> None:
    async with CommunityBot(brain, config.discord) as bot:
        _on_signal(bot.close)
        try:
            await bot.start(token, reconnect=True)
        except discord.LoginFailure:
            raise ConfigurationError(f"Discord does not accept the token in {config.discord.token_env}") from None
        except discord.PrivilegedIntentsRequired:
            raise ConfigurationError(
                "switch the message content intent on for this bot in Discord's developer portal"
            ) from None


async def _until_stopped() -> None:
    over = asyncio.Event()

    async def stop() -> None:
        over.set()

    _on_signal(stop)
    await over.wait()


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


def _on_signal(stop: Callable[[], Coroutine[Any, Any, None]]) -> None:
    loop = asyncio.get_running_loop()
    closing: set[asyncio.Task[None]] = set()

    def stopping() -> None:
        closing.add(asyncio.ensure_future(stop()))

    for number in (signal.SIGTERM, signal.SIGINT):
        with contextlib.suppress(NotImplementedError, RuntimeError):
            loop.add_signal_handler(number, stopping)
