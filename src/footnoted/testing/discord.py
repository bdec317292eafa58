"""A Discord on loopback: its gateway and the REST routes a bot needs, which discord.py takes for the real one.

    async with DiscordDouble() as server:
        with server.in_place():            # discord.py talks to it until the block is left
            ...                            # start a bot with any token
            await server.ready()
            await server.say("How do I install it?", author="ann")
            await server.until(lambda: server.posted)

It keeps what it was sent: `posted`, `threads`, `commands`, and for slash commands `deferred` and `answered`. What it
sends has the fields that discord.py reads and no others. It needs discord.py.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from aiohttp import web

GUILD, BOT_ID, CHANNEL, FORUM = 1, 900, 100, 150
_BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)
_THREAD = 11  # a channel's type
Json = dict[str, Any]
_MEMBER: Json = {"roles": [], "joined_at": _BEGINNING.isoformat(), "deaf": False, "mute": False, "flags": 0}


@dataclass(frozen=True, slots=True)
class Posted:
    """A message the bot posted: where, the whole body it sent, and the message it replies to, if it does."""

    channel: int
    body: Mapping[str, Any]

    @property
    def text(self) -> str:
        """What it says."""
        return str(self.body.get("content", ""))

    @property
    def reply_to(self) -> int | None:
        """The id of the message it replies to."""
        id_ = (self.body.get("message_reference") or {}).get("message_id")
        return int(id_) if id_ else None


@dataclass(slots=True)
class _Place:
    """What the server keeps of a channel, forum or thread: its description, and its messages, oldest first."""

    about: Json
    messages: list[Json] = field(default_factory=list)


class DiscordDouble:
    """A server with one guild. ``channels``: names of text channels by id; ``bot``: the bot's name.

    ``refuse_threads`` refuses new threads, ``refuse_login`` the token, ``refuse_intents`` the message content intent,
    ``refuse_commands`` slash commands; ``limited`` (a count) answers so many posts, new threads and words to a slash
    command with 429 first. A gateway that is resumed tells what was missed; where it ``forgets``, it cannot be resumed.
    """

    def __init__(self, *, bot: str = "docs-bot", channels: Mapping[int, str] | None = None) -> None:
        self.bot = bot
        self.posted: list[Posted] = []
        self.threads: dict[int, str] = {}
        self.answered: list[Json] = []
        self.commands: list[Json] = []
        self.deferred: list[Json] = []
        self.identified = self.resumed = self.limited = 0
        self.refuse_threads = self.refuse_login = self.refuse_intents = self.refuse_commands = False
        self.forgets = False
        self.port = 0
        self._users: dict[str, int] = {bot: BOT_ID}
        named = channels or {CHANNEL: "help", CHANNEL + 1: "lounge"}
        self._places = {id_: _Place(_channel(id_, name, 0)) for id_, name in named.items()}
        self._places[FORUM] = _Place(_channel(FORUM, "questions", 15))
        self._files: dict[str, bytes] = {}
        self._sockets: set[web.WebSocketResponse] = set()
        self._events: list[Json] = []
        self._next_id = 10_000
        self._ready = asyncio.Event()
        self._changed = asyncio.Event()

    async def __aenter__(self) -> Self:
        from aiohttp import web

        app = web.Application()
        app.router.add_get("/", self._gateway)
        app.router.add_get("/files/{name}", self._file)
        app.router.add_route("*", "/api/v10/{rest:.*}", self._rest)
        self._runner = web.AppRunner(app, shutdown_timeout=0.5)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.port = self._runner.addresses[0][1]
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()

    @contextlib.contextmanager
    def in_place(self) -> Iterator[None]:
        """discord.py talks to this server inside the block, in the whole process."""
        import discord
        import yarl

        socket = discord.gateway.DiscordWebSocket
        base, gateway = discord.http.Route.BASE, socket.DEFAULT_GATEWAY
        discord.http.Route.BASE = f"http://127.0.0.1:{self.port}/api/v10"
        socket.DEFAULT_GATEWAY = yarl.URL(f"ws://127.0.0.1:{self.port}/")
        try:
            yield
        finally:
            discord.http.Route.BASE, socket.DEFAULT_GATEWAY = base, gateway

    async def say(
        self, text: str, *, author: str = "ann", channel: int = CHANNEL, id_: int | None = None, bot: bool = False,
        reply_to: int | None = None, mentions: Sequence[str] = (), files: Mapping[str, bytes] | None = None,
        webhook: int | None = None, type_: int | None = None, unheard: bool = False,
    ) -> int:  # fmt: skip
        """Somebody posts a message; gives its id. ``unheard``: it is history, no event tells of it."""
        id_ = id_ or self.new_id()
        for name in mentions:
            text = text.replace(f"@{name}", f"<@{self._user(name)['id']}>")
        data = self._message(id_, channel, author, text, bot=bot or author == self.bot)
        data |= {
            "member": _MEMBER,
            "mentions": [self._user(name) for name in mentions],
            "attachments": [self._attached(name, content) for name, content in (files or {}).items()],
            "type": type_ if type_ is not None else (19 if reply_to else 0),
        }
        messages = self._messages(channel)
        if reply_to:
            data["message_reference"] = {"message_id": str(reply_to), "channel_id": str(channel)}
            data["referenced_message"] = next((said for said in messages if said["id"] == str(reply_to)), None)
        if webhook:
            data["webhook_id"] = str(webhook)
        if all(said["id"] != data["id"] for said in messages):
            messages.append(data)
        if not unheard:
            await self._dispatch("MESSAGE_CREATE", data)
        return id_

    async def open_post(self, title: str, text: str, *, author: str = "ann", forum: int = FORUM) -> int:
        """Somebody opens a post in a forum; gives its id, which is its first message's too."""
        id_ = await self.open_thread(title, channel=forum)
        return await self.say(text, author=author, channel=id_, id_=id_)

    async def open_thread(self, name: str, *, channel: int = CHANNEL, on: int | None = None) -> int:
        """Somebody opens a thread below a channel, ``on`` a message or on none; gives its id."""
        id_ = on or self.new_id()
        self._places[id_] = _Place(_thread(id_, channel, name))
        await self._dispatch("THREAD_CREATE", self._places[id_].about)
        return id_

    async def ask(self, question: str, *, command: str = "ask", author: str = "ann", channel: int = CHANNEL) -> str:
        """Somebody uses the slash command; gives the interaction's token, which the answer carries."""
        token = f"token-{self.new_id()}"
        id_ = next((known["id"] for known in self.commands if known["name"] == command), "1")
        options = [{"name": "question", "type": 3, "value": question}]
        member = {**_MEMBER, "user": self._user(author), "permissions": "8"}
        data = {"id": id_, "name": command, "type": 1, "options": options}
        interaction = {
            "id": str(self.new_id()), "application_id": str(BOT_ID), "type": 2, "token": token, "version": 1,
            "guild_id": str(GUILD), "channel_id": str(channel), "channel": self._places[channel].about,
            "member": member, "data": data, "entitlements": [], "authorizing_integration_owners": {},
            "attachment_size_limit": 0,
        }  # fmt: skip
        await self._dispatch("INTERACTION_CREATE", interaction)
        return token

    async def drop(self, code: int = 4000) -> None:
        """The gateway closes every connection."""
        self._ready.clear()
        gone, self._sockets = self._sockets, set()
        for socket in gone:
            await socket.close(code=code)

    async def ready(self) -> None:
        """Wait until a bot is connected and told of the guild."""
        await asyncio.wait_for(self._ready.wait(), 60)

    async def until(self, condition: Callable[[], Any], seconds: float = 60) -> None:
        """Wait until something that was sent makes a condition true. Raises `TimeoutError`."""
        async with asyncio.timeout(seconds):
            while not condition():
                self._changed.clear()
                await self._changed.wait()

    async def _dispatch(self, event: str, data: Json) -> None:
        self._events.append({"op": 0, "t": event, "s": len(self._events) + 1, "d": data})
        for socket in list(self._sockets):
            await socket.send_str(json.dumps(self._events[-1]))

    async def _gateway(self, request: web.Request) -> web.WebSocketResponse:
        from aiohttp import WSMsgType, web

        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.send_str(json.dumps({"op": 10, "d": {"heartbeat_interval": 41_250}, "s": None, "t": None}))
        async for frame in socket:
            if frame.type is not WSMsgType.TEXT:
                continue
            said = json.loads(frame.data)
            op = said["op"]
            if op == 1:
                await socket.send_str(json.dumps({"op": 11}))
            elif op in (2, 6):
                if self.refuse_intents:
                    await socket.close(code=4014)
                    break
                if op == 6 and self.forgets:
                    await socket.send_str(json.dumps({"op": 9, "d": False}))
                    continue
                for missed in self._events[said["d"]["seq"] :] if op == 6 else ():
                    await socket.send_str(json.dumps(missed))
                self._sockets.add(socket)
                await (self._welcome() if op == 2 else self._resume())
                self._ready.set()
                self._changed.set()
        self._sockets.discard(socket)
        return socket

    async def _resume(self) -> None:
        self.resumed += 1
        await self._dispatch("RESUMED", {})

    async def _welcome(self) -> None:
        self.identified += 1
        me = self._user(self.bot)
        ready = {
            "v": 10, "user": me, "guilds": [{"id": str(GUILD), "unavailable": True}], "session_id": "s",
            "resume_gateway_url": f"ws://127.0.0.1:{self.port}/", "application": {"id": str(BOT_ID), "flags": 0},
        }  # fmt: skip
        await self._dispatch("READY", ready)
        everyone = {"id": str(GUILD), "name": "@everyone", "colors": {"primary_color": 0}, "permissions": "8"}
        places = [place.about for place in self._places.values()]
        guild = {
            "id": str(GUILD), "name": "A guild", "owner_id": "2", "roles": [everyone], "member_count": 2,
            "members": [{**_MEMBER, "user": me}],
            "channels": [place for place in places if place["type"] != _THREAD],
            "threads": [place for place in places if place["type"] == _THREAD],
        }  # fmt: skip
        await self._dispatch("GUILD_CREATE", guild)

    async def _file(self, request: web.Request) -> web.Response:
        from aiohttp import web

        return web.Response(body=self._files[request.match_info["name"]])

    async def _rest(self, request: web.Request) -> web.Response:  # noqa: PLR0911  a route each
        """The few routes a bot needs."""
        path, method = request.path.removeprefix("/api/v10"), request.method
        body = await _body(request)
        parts = path.strip("/").split("/")
        if self.limited > 0 and method == "POST" and parts[0] in ("channels", "webhooks"):
            self.limited -= 1
            return _answer({"message": "You are being rate limited.", "retry_after": 0.05, "global": False}, status=429)
        try:
            match (method, *parts):
                case "GET", "users", "@me":
                    if self.refuse_login:
                        return _answer({"code": 0, "message": "401: Unauthorized"}, status=401)
                    return _answer(self._user(self.bot))
                case "GET", "oauth2", "applications", "@me":
                    return _answer(self._application())
                case "GET", "gateway", "bot":
                    limit = {"total": 1000, "remaining": 999, "reset_after": 1000, "max_concurrency": 1}
                    return _answer({"url": f"ws://127.0.0.1:{self.port}/", "shards": 1, "session_start_limit": limit})
                case "PUT", "applications", _, "commands":
                    return self._commanded(body)
                case "POST", "interactions", _, _, "callback":
                    self.deferred.append(body.get("data") or {})
                    return _answer({"interaction": {"id": parts[1], "type": 2, "activity_instance_id": None}})
                case ("POST", "webhooks", _, token) | ("PATCH", "webhooks", _, token, *_):
                    return self._followed(unquote(token), body)
                case "POST", "channels", channel, "messages", message, "threads":
                    return self._opened(int(channel), int(message), str(body["name"]))
                case "POST", "channels", channel, "messages":
                    return self._received(int(channel), body)
                case "GET", "channels", channel, "messages":
                    return self._history(int(channel), request.query)
                case "GET", "channels", channel, "messages", message:
                    messages = self._places[int(channel)].messages
                    return _answer(next(said for said in messages if said["id"] == message))
        except (KeyError, StopIteration):
            return _answer({"code": 10008, "message": "Unknown"}, status=404)
        return _answer({"code": 0, "message": f"unknown route {method} {path}"}, status=404)

    def _commanded(self, body: Any) -> web.Response:
        if self.refuse_commands:
            return _answer({"code": 50001, "message": "Missing Access"}, status=403)
        self.commands = [
            {**command, "id": str(self.new_id()), "application_id": str(BOT_ID), "version": "1",
             "default_member_permissions": None, "dm_permission": False}
            for command in body
        ]  # fmt: skip
        self._changed.set()
        return _answer(self.commands)

    def _followed(self, token: str, body: Json) -> web.Response:
        self.answered.append({**body, "token": token})
        self._changed.set()
        return _answer(self._message(self.new_id(), CHANNEL, self.bot, str(body.get("content", "")), bot=True))

    def _opened(self, channel: int, message: int, name: str) -> web.Response:
        if self.refuse_threads:
            return _answer({"code": 50013, "message": "Missing Permissions"}, status=403)
        self.threads[message] = name
        self._places[message] = _Place(_thread(message, channel, name))
        self._changed.set()
        return _answer(self._places[message].about, status=201)

    def _received(self, channel: int, body: Json) -> web.Response:
        self.posted.append(Posted(channel, body))
        data = self._message(self.new_id(), channel, self.bot, str(body["content"]), bot=True)
        if body.get("message_reference"):
            data["message_reference"] = body["message_reference"]
        self._messages(channel).append(data)
        self._changed.set()
        return _answer(data)

    def _history(self, channel: int, query: Mapping[str, str]) -> web.Response:
        before = int(query.get("before", 1 << 62))
        earlier = [said for said in self._places[channel].messages if int(said["id"]) < before]
        return _answer(earlier[::-1][: int(query.get("limit", 50))])

    def _messages(self, channel: int) -> list[Json]:
        """What was said in a channel, which is there from then on."""
        return self._places.setdefault(channel, _Place(_channel(channel, "help", 0))).messages

    def _application(self) -> Json:
        return {
            "id": str(BOT_ID), "flags": 0, "name": self.bot, "description": "", "icon": None, "bot_public": False,
            "bot_require_code_grant": False, "owner": self._user("owner"), "verify_key": "",
        }  # fmt: skip

    def _message(self, id_: int, channel: int, author: str, text: str, *, bot: bool) -> Json:
        return {
            "id": str(id_), "channel_id": str(channel), "guild_id": str(GUILD), "type": 0, "content": text,
            "author": {**self._user(author), "bot": bot}, "timestamp": _time(id_), "edited_timestamp": None,
            "tts": False, "pinned": False, "mention_everyone": False, "mentions": [], "mention_roles": [],
            "attachments": [], "embeds": [],
        }  # fmt: skip

    def _user(self, name: str) -> Json:
        id_ = self._users.setdefault(name, 500 + len(self._users))
        return {"id": str(id_), "username": name, "discriminator": "0", "avatar": None, "bot": name == self.bot,
                "global_name": None}  # fmt: skip

    def _attached(self, name: str, content: bytes) -> Json:
        self._files[name] = content
        url = f"http://127.0.0.1:{self.port}/files/{name}"
        kind = "image/png" if name.endswith((".png", ".jpg")) else "text/plain"
        return {"id": str(self.new_id()), "filename": name, "size": len(content), "url": url, "proxy_url": url,
                "content_type": kind}  # fmt: skip

    def new_id(self) -> int:
        """An id nothing has yet."""
        self._next_id += 1
        return self._next_id


async def _body(request: web.Request) -> Any:
    if not request.can_read_body:
        return {}
    if request.content_type.startswith("multipart/"):
        async for part in await request.multipart():
            if getattr(part, "name", None) == "payload_json":
                return json.loads(await part.text())  # type: ignore[union-attr]
        return {}
    return await request.json()


def _answer(data: Any, status: int = 200) -> web.Response:
    from aiohttp import web

    # discord.py reads JSON only under this very content type, without a charset.
    headers = {"Via": "1.1 loopback"}  # without it a 429 is taken for a ban
    body = json.dumps(data).encode()
    return web.Response(body=body, status=status, content_type="application/json", headers=headers)


def _time(number: int) -> str:
    """A later moment for a later id, a second apart."""
    return (_BEGINNING + timedelta(seconds=number)).isoformat()


def _channel(id_: int, name: str, type_: int) -> Json:
    return {
        "id": str(id_), "type": type_, "name": name, "position": 0, "permission_overwrites": [], "guild_id": str(GUILD),
        "parent_id": None, "available_tags": [], "flags": 0,
    }  # fmt: skip


def _thread(id_: int, parent: int, name: str) -> Json:
    state = {"archived": False, "auto_archive_duration": 1440, "archive_timestamp": _time(0), "locked": False}
    return {
        "id": str(id_), "guild_id": str(GUILD), "parent_id": str(parent), "owner_id": str(BOT_ID), "name": name,
        "type": _THREAD, "message_count": 0, "member_count": 1, "rate_limit_per_user": 0, "thread_metadata": state,
    }  # fmt: skip
