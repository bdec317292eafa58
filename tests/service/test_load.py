"""More at once than there are connections, limits over replicas, servers that freeze, a disk that is full."""

import asyncio
import time
from collections import Counter
from urllib.parse import urlsplit

import pytest
from sqlalchemy import event

from footnoted.service.faults import Fault
from footnoted.service.store import Store
from footnoted.service.store.keys import Keys
from tests.service.replicas import Client, Line, Replica, collect, slow, start, whole


async def readiness(client, wanted: int) -> None:
    while True:
        status, _ = await client.json("GET", "/readyz")
        if status == wanted:
            return
        await asyncio.sleep(0.1)


async def test_more_streams_than_connections_to_redis(shared, tmp_path):
    """Those without a connection wait their turn; none is refused, none loses an event."""
    replica = Replica(tmp_path, "narrow", **shared, redis_connections=2)
    await start(replica)
    try:
        async with Client(replica.url) as client:

            async def one():
                async with client.ask(slow(5, 0.02)) as response:
                    whole(events := await collect(response))
                    return events[-1].name

            assert Counter(await asyncio.gather(*(one() for _ in range(60)))) == {"done": 60}
    finally:
        replica.stop()


async def test_a_pool_without_a_place_is_not_called_away(redis):
    """`overloaded` is told where no connection came free in time, `unavailable` where there is no Redis."""
    from footnoted.service.replay.line import Line as Redis

    line = Redis(redis.url, connections=1, seconds=0.05)
    async with line.held():
        with pytest.raises(Fault) as told:
            await line.reached(line.redis.ping())
    assert told.value.code == "overloaded"
    assert await line.reached(line.redis.ping())
    await line.aclose()
    nowhere = Redis("redis://127.0.0.1:1/0", connections=1, seconds=1)
    with pytest.raises(Fault) as told:
        await nowhere.reached(nowhere.redis.ping())
    assert told.value.code == "unavailable"
    await nowhere.aclose()


async def test_limits_are_exact_over_replicas_and_nothing_passes_uncounted(shared, redis, tmp_path):
    """A burst over two replicas gets the bucket and what was refilled meanwhile; without Redis, nothing gets through."""
    limited = {**shared, "requests_per_minute": 30, "redis_prefix": "limits"}
    replicas = [Replica(tmp_path, name, **limited) for name in ("first", "second")]
    await start(*replicas)
    try:
        async with Client(replicas[0].url) as first, Client(replicas[1].url) as second:
            began = time.monotonic()
            got = await asyncio.gather(*((first, second)[n % 2].json("GET", "/api/v1/session") for n in range(90)))
            refilled = (time.monotonic() - began) / 2
            statuses = Counter(status for status, _ in got)
            assert set(statuses) == {200, 429}
            assert 30 <= statuses[200] <= 31 + refilled
            redis.kill()
            try:
                got = await asyncio.gather(*(first.json("GET", "/api/v1/session") for _ in range(40)))
                assert {status for status, _ in got} == {503}
            finally:
                await asyncio.to_thread(redis.start)
    finally:
        for replica in replicas:
            replica.stop()


@pytest.mark.parametrize(("which", "path"), [("redis_url", "/api/v1/session"), ("database_url", "/api/v1/feedback")])
async def test_a_server_that_freezes_is_told_and_so_is_its_return(shared, tmp_path, which, path):
    """It closes nothing and says nothing: a request under way and `/readyz` get 503, long before any reply is overdue."""
    address = urlsplit(shared[which])
    line = Line(address.port)
    await line.mend()
    through = address._replace(netloc=address.netloc.replace(f":{address.port}", f":{line.port}")).geturl()
    replica = Replica(tmp_path, "frozen", **{**shared, which: through}, database_seconds=60)
    await start(replica)
    try:
        async with Client(replica.url) as client:
            assert (await client.json("GET", path))[0] == 200
            line.hang()
            async with asyncio.timeout(30):  # a reply may take 20 s from Redis, 120 s from the database
                status, told = await client.json("GET", path)
                assert (status, told["error"]["code"]) == (503, "unavailable")
                await readiness(client, 503)
                assert (await client.json("GET", "/healthz"))[0] == 200
                line.flow()
                await readiness(client, 200)
            assert (await client.json("GET", path))[0] == 200
    finally:
        line.flow()
        replica.stop()
        await line.cut()


async def test_readers_who_leave_are_not_written_for(shared, tmp_path):
    """Forty at once, with `reader=cancel`: each stream ends, and says why."""
    replica = Replica(tmp_path, "left", **shared)
    await start(replica)
    try:
        async with Client(replica.url) as client:

            async def begin() -> str:
                async with client.ask(slow(200, 0.5, reader="cancel")) as response:
                    return (await collect(response, until=1))[0].data["stream_id"]

            streams = await asyncio.gather(*(begin() for _ in range(40)))
            async with asyncio.timeout(30):
                waiting = list(streams)
                while waiting:
                    status, told = await client.json("GET", f"/api/v1/chat/stream/{waiting[-1]}/status")
                    assert status == 200
                    if told["state"] == "error":
                        waiting.pop()
                    await asyncio.sleep(0.02)
            async with client.join(streams[0], 0) as response:
                assert (await collect(response))[-1].data["code"] == "reader_left"
    finally:
        replica.stop()


async def test_a_full_disk_is_told_as_such_and_noticed_when_there_is_room_again(tmp_path):
    """507 `disk_full` to whoever wants something kept, and from the check that `/readyz` makes until it is over."""
    store = Store(f"sqlite:///{tmp_path}/full.db")
    await store.open()

    @event.listens_for(store.database.engine.sync_engine, "connect")
    def _bounded(connection, _):
        connection.execute(f"PRAGMA max_page_count={most[0]}")

    most = [1]  # no more than there is
    await store.database.engine.dispose()
    with pytest.raises(Fault) as told:
        for _ in range(500):
            await Keys(store).add("ada", label="x" * 200)
    assert (told.value.status, told.value.code) == (507, "disk_full")
    assert store.disk_full
    most[0] = 1_000_000
    await store.database.engine.dispose()
    await store.check()
    assert not store.disk_full
    await store.aclose()
