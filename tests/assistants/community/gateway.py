"""A Discord that is not Discord: a gateway and a REST server on loopback, which discord.py takes for the real one."""

import asyncio
import json
from contextlib import asynccontextmanager

import discord
import yarl
from aiohttp import WSMsgType, web

BOT, PERSON, GUILD, CHANNEL, OTHER_CHANNEL = 900, 500, 1, 100, 101
EPOCH = "2026-01-01T00:00:00+00:00"


class Discord:
    """What it was sent: `posted` messages and `threads`, `identified` sessions and `resumed` ones."""

    def __init__(self):
        self.posted = []
        self.threads = {}
        self.identified = 0
        self.resumed = 0
        self.refuse_threads = False
        self._sockets = set()
        self._sequence = 0
        self._next_id = 10_000
        self._ready = asyncio.Event()
        self._changed = asyncio.Event()
        self.port = 0

    async def say(
        self, text, *, id_=None, author=PERSON, bot=False, channel=CHANNEL, mentions=(), webhook=None, type_=0
    ):
        """Somebody posts a message."""
        self._next_id += 1
        data = {
            "id": str(id_ or self._next_id),
            "channel_id": str(channel),
            "guild_id": str(GUILD),
            "author": user(author, bot=bot),
            "member": {"roles": [], "joined_at": EPOCH, "deaf": False, "mute": False, "flags": 0},
            "content": text,
            "timestamp": EPOCH,
            "edited_timestamp": None,
            "tts": False,
            "mention_everyone": False,
            "mentions": [user(one, bot=True) for one in mentions],
            "mention_roles": [],
            "attachments": [],
            "embeds": [],
            "pinned": False,
            "type": type_,
        }
        if webhook:
            data["webhook_id"] = str(webhook)
        await self._dispatch("MESSAGE_CREATE", data)
        return int(data["id"])

    async def drop(self, code=4000):
        """The gateway closes every connection."""
        self._ready.clear()
        for socket in list(self._sockets):
            await socket.close(code=code)

    async def ready(self):
        await asyncio.wait_for(self._ready.wait(), 60)

    async def until(self, condition, seconds=60):
        """Wait until something that was sent makes a condition true."""
        async with asyncio.timeout(seconds):
            while not condition():
                self._changed.clear()
                await self._changed.wait()

    async def _dispatch(self, event, data):
        self._sequence += 1
        for socket in list(self._sockets):
            await socket.send_str(json.dumps({"op": 0, "t": event, "s": self._sequence, "d": data}))

    async def gateway(self, request):
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.send_str(json.dumps({"op": 10, "d": {"heartbeat_interval": 41_250}, "s": None, "t": None}))
        async for frame in socket:
            if frame.type is not WSMsgType.TEXT:
                continue
            told = json.loads(frame.data)
            if told["op"] == 1:
                await socket.send_str(json.dumps({"op": 11}))
            elif told["op"] == 2:
                self.identified += 1
                self._sockets.add(socket)
                await self._welcome()
            elif told["op"] == 6:
                self.resumed += 1
                self._sockets.add(socket)
                await self._dispatch("RESUMED", {})
                self._ready.set()
                self._changed.set()
        self._sockets.discard(socket)
        return socket

    async def _welcome(self):
        ready = {
            "v": 10,
            "user": user(BOT, bot=True),
            "guilds": [{"id": str(GUILD), "unavailable": True}],
            "session_id": "s",
            "resume_gateway_url": f"ws://127.0.0.1:{self.port}/",
            "shard": [0, 1],
            "application": {"id": str(BOT), "flags": 0},
        }
        await self._dispatch("READY", ready)
        channels = [
            {
                "id": str(one),
                "type": 0,
                "name": name,
                "position": 0,
                "permission_overwrites": [],
                "guild_id": str(GUILD),
            }
            for one, name in ((CHANNEL, "help"), (OTHER_CHANNEL, "lounge"))
        ]
        everyone = {
            "id": str(GUILD), "name": "@everyone", "color": 0, "colors": {"primary_color": 0}, "hoist": False,
            "position": 0, "permissions": "8", "managed": False, "mentionable": False, "flags": 0,
        }  # fmt: skip
        guild = {
            "id": str(GUILD), "name": "Lantern", "owner_id": str(PERSON), "roles": [everyone], "emojis": [],
            "features": [], "channels": channels, "threads": [], "members": [member(BOT, bot=True)],
            "member_count": 2, "large": False, "unavailable": False, "joined_at": EPOCH, "voice_states": [],
            "presences": [], "stage_instances": [], "guild_scheduled_events": [], "verification_level": 0,
            "default_message_notifications": 0, "explicit_content_filter": 0, "mfa_level": 0, "premium_tier": 0,
            "preferred_locale": "en-US", "afk_timeout": 300, "system_channel_flags": 0, "nsfw_level": 0,
            "premium_progress_bar_enabled": False, "stickers": [], "soundboard_sounds": [],
        }  # fmt: skip
        await self._dispatch("GUILD_CREATE", guild)
        self._ready.set()
        self._changed.set()

    async def rest(self, request):
        """The few routes the bot needs."""
        path, method = request.path.removeprefix("/api/v10"), request.method
        body = await request.json() if request.can_read_body else {}
        if path == "/users/@me":
            return answer(user(BOT, bot=True))
        if path == "/oauth2/applications/@me":
            return answer(
                {"id": str(BOT), "flags": 0, "name": "Lantern", "description": "", "icon": None, "rpc_origins": [],
                 "bot_public": False, "bot_require_code_grant": False, "owner": user(PERSON), "verify_key": "",
                 "summary": "", "team": None}
            )  # fmt: skip
        if path == "/gateway/bot":
            limit = {"total": 1000, "remaining": 999, "reset_after": 1000, "max_concurrency": 1}
            url = f"ws://127.0.0.1:{self.port}/"
            return answer({"url": url, "shards": 1, "session_start_limit": limit})
        parts = path.strip("/").split("/")
        if method == "POST" and parts[0] == "channels" and parts[-1] == "threads":
            if self.refuse_threads:
                return answer({"code": 50013, "message": "Missing Permissions"}, status=403)
            id_ = int(parts[3])
            self.threads[id_] = body["name"]
            self._changed.set()
            return answer(thread(id_, int(parts[1]), body["name"]), status=201)
        if method == "POST" and parts[0] == "channels" and parts[-1] == "messages":
            self.posted.append((int(parts[1]), body))
            self._next_id += 1
            self._changed.set()
            sent = {
                "id": str(self._next_id), "channel_id": parts[1], "author": user(BOT, bot=True),
                "content": body["content"], "timestamp": EPOCH, "edited_timestamp": None, "tts": False,
                "mention_everyone": False, "mentions": [], "mention_roles": [], "attachments": [], "embeds": [],
                "pinned": False, "type": 0,
            }  # fmt: skip
            return answer(sent)
        if method == "GET" and parts[-1] == "messages":
            return answer([])
        return answer({"code": 0, "message": f"unknown route {method} {path}"}, status=404)


async def eventually(condition):
    """Wait until something inside the bot is true; a minute at most."""
    for _ in range(3_000):
        if condition():
            return
        await asyncio.sleep(0.02)
    raise TimeoutError("it never became true")


def answer(data, status=200):
    # discord.py reads JSON only under this very content type, without a charset.
    return web.Response(body=json.dumps(data).encode(), status=status, content_type="application/json")


def user(id_, *, bot=False):
    return {
        "id": str(id_),
        "username": f"u{id_}",
        "discriminator": "0",
        "avatar": None,
        "bot": bot,
        "global_name": None,
    }


def member(id_, *, bot=False):
    return {"user": user(id_, bot=bot), "roles": [], "joined_at": EPOCH, "deaf": False, "mute": False, "flags": 0}


def thread(id_, parent, name):
    return {
        "id": str(id_), "guild_id": str(GUILD), "parent_id": str(parent), "owner_id": str(BOT), "name": name, "type": 11,
        "message_count": 0, "member_count": 1, "rate_limit_per_user": 0, "flags": 0, "total_message_sent": 0,
        "thread_metadata": {"archived": False, "auto_archive_duration": 1440, "archive_timestamp": EPOCH, "locked": False},
    }  # fmt: skip


@asynccontextmanager
async def stand_in(monkeypatch):
    """The server, with discord.py pointed at it."""
    told = Discord()
    app = web.Application()
    app.router.add_get("/", told.gateway)
    app.router.add_route("*", "/api/v10/{rest:.*}", told.rest)
    runner = web.AppRunner(app, shutdown_timeout=0.5)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    told.port = runner.addresses[0][1]
    monkeypatch.setattr(discord.http.Route, "BASE", f"http://127.0.0.1:{told.port}/api/v10")
    monkeypatch.setattr(discord.gateway.DiscordWebSocket, "DEFAULT_GATEWAY", yarl.URL(f"ws://127.0.0.1:{told.port}/"))
    try:
        yield told
    finally:
        await runner.cleanup()
