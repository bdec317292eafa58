"""Streams on two replicas over a real Redis: followed anywhere, ended when their writer dies, kept over a restart."""

import asyncio
import time
from contextlib import AsyncExitStack

import pytest

from footnoted.service import sse
from footnoted.service.replay import Record
from footnoted.service.replay.redis import open_redis
from footnoted.service.settings import Settings
from tests.service.replicas import Client, Replica, collect, events_of, follow, numbered, slow, start, text_of, whole
from tests.services import redis_server


async def test_a_stream_is_followed_on_the_other_replica(two):
    """A reader who saw the first events on one replica gets the rest on the other, each once."""
    async with Client(two[0].url) as first, Client(two[1].url) as second:
        async with first.ask(slow(30, 0.05)) as response:
            events = await collect(response, until=8)
        stream_id = events[0].data["stream_id"]
        assert text_of(await follow([second], stream_id, events)) == numbered(30)
        whole(events)
        assert events[-1].name == "done"


async def test_many_readers_on_both_replicas_see_the_same(two):
    """Whoever reads, wherever and from when on, reads the same events."""
    async with Client(two[0].url) as first, Client(two[1].url) as second:
        async with first.ask(slow(30, 0.03)) as response:
            stream_id = (await collect(response, until=3))[0].data["stream_id"]
        told = await asyncio.gather(*(follow([each], stream_id, []) for each in (first, second) * 5))
        for events in told:
            whole(events)
            assert [(e.id, e.name, e.data) for e in events] == [(e.id, e.name, e.data) for e in told[0]]
        late = await follow([second], stream_id, [])
        assert len(late) == len(told[0])
        async with second.join(stream_id, after=len(late) + 100) as response:
            assert response.status == 204


async def test_a_replica_killed_while_it_writes_leaves_what_it_told_and_an_ending(two, shared, tmp_path):
    """Kill -9: readers elsewhere get all that was told, then an error that says so, within 5 seconds."""
    doomed = Replica(tmp_path, "doomed", **shared)
    await start(doomed)
    async with Client(doomed.url) as first, Client(two[0].url) as second, Client(two[1].url) as third:
        async with first.ask(slow(400, 0.05)) as response:
            events = await collect(response, until=10)
            stream_id = events[0].data["stream_id"]
            async with second.join(stream_id) as watching:
                early = asyncio.create_task(collect(watching))
                await asyncio.sleep(0.3)
                doomed.kill()
                killed = time.monotonic()
                seen = await early
                took = time.monotonic() - killed
            events += [event async for event in events_of(response)]
        doomed.stop()
        assert took < 5
        whole(seen)
        assert seen[-1].data["code"] == "replica_lost"
        rejoined = await follow([third, second], stream_id, events)
        whole(rejoined)
        assert [(e.id, e.name, e.data) for e in rejoined] == [(e.id, e.name, e.data) for e in seen]


@pytest.mark.parametrize("away", [0.2, 3.5])
async def test_a_redis_that_restarts_loses_nothing(two, redis, away):
    """Redis killed and started again while a stream is written: every event once, here and on the other replica."""
    async with Client(two[0].url) as first, Client(two[1].url) as second:
        async with first.ask(slow(80, 0.05)) as response:
            events = await collect(response, until=5)
            stream_id = events[0].data["stream_id"]
            async with second.join(stream_id) as watching:
                elsewhere = asyncio.create_task(collect(watching))
                await asyncio.sleep(0.3)
                await asyncio.to_thread(redis.kill)
                await asyncio.sleep(away)
                await asyncio.to_thread(redis.start)
                events += [event async for event in events_of(response)]
                seen = await elsewhere
        whole(events)
        assert text_of(events) == numbered(80)
        assert [(e.id, e.name, e.data) for e in seen] == [(e.id, e.name, e.data) for e in events]


async def test_while_redis_is_away_nothing_new_begins_and_nothing_breaks(two, redis):
    """503 with Retry-After, then all is well again."""
    async with Client(two[0].url) as client:
        await asyncio.to_thread(redis.kill)
        try:
            status, body = await client.json("POST", "/api/v1/answers/stream", slow(3, 0))
            assert (status, body["error"]["code"]) == (503, "unavailable")
            status, body = await client.json("GET", "/readyz")
            assert status == 503
        finally:
            await asyncio.to_thread(redis.start)
        async with client.ask(slow(3, 0)) as response:
            whole(await collect(response))


async def test_after_a_restart_of_redis_no_replica_is_taken_for_lost_at_once():
    """A restart too short to be noticed takes the leases all the same: each has its time to be renewed."""
    with redis_server() as server:
        began = time.monotonic()
        settings = Settings(redis_url=server.url, lease_seconds=0.4)
        async with AsyncExitStack() as opened:
            replay, *_ = await open_redis(settings, opened)
            opened.push_async_callback(replay.aclose)
            await replay.open()
            written = Record("s_elsewhere", "ada", "answer", time.time(), "another")
            await replay.redis.hset(
                replay.keys.stream(written.stream_id, "record"),
                mapping={
                    "tenant": "ada",
                    "kind": "answer",
                    "created_at": "0",
                    "replica": "another",
                    "state": "running",
                },
            )
            tape = await replay.borrow(written)
            async with asyncio.timeout(20):
                while not tape.ended:
                    await tape.wait()
            assert time.monotonic() - began > 1.0  # the second that Redis' own clock is told in, and the lease
            assert sse.data_of(tape.frames[-1])["code"] == "replica_lost"


async def test_stop_reaches_the_replica_that_writes(two):
    """DELETE on one replica ends a stream of the other, and its readers are told."""
    async with Client(two[0].url) as first, Client(two[1].url) as second:
        async with first.ask(slow(200, 0.05)) as response:
            events = await collect(response, until=4)
            stream_id = events[0].data["stream_id"]
            status, body = await second.json("DELETE", f"/api/v1/chat/stream/{stream_id}")
            assert (status, body) == (200, {"stream_id": stream_id, "stopped": True})
            events += [event async for event in events_of(response)]
        whole(events)
        assert events[-1].data["code"] == "stopped"
        assert (await second.json("DELETE", f"/api/v1/chat/stream/{stream_id}"))[1]["stopped"] is False


async def test_cancel_minds_readers_on_other_replicas(two):
    """A stream that is stopped when nobody reads goes on while somebody reads it elsewhere."""
    async with Client(two[0].url) as first, Client(two[1].url) as second:
        async with first.ask(slow(120, 0.05, reader="cancel")) as response:
            events = await collect(response, until=3)
        assert text_of(await follow([second], events[0].data["stream_id"], events)) == numbered(120)
        whole(events)
