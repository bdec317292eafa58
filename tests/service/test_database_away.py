"""A real PostgreSQL behind a line that is cut, hangs, and is mended: 503 meanwhile, streams go on, all is well after."""

import asyncio
import contextlib
import time
from urllib.parse import urlsplit

from tests.service.replicas import Client, Line, Replica, collect, numbered, slow, start, text_of, whole


@contextlib.asynccontextmanager
async def behind_a_line(shared, tmp_path):
    address = urlsplit(shared["database_url"])
    line = Line(address.port or 5432)
    await line.mend()
    url = address._replace(netloc=f"{address.username}:{address.password}@127.0.0.1:{line.port}").geturl()
    replica = Replica(tmp_path, "away", **{**shared, "database_url": url}, database_seconds=1)
    await start(replica)
    try:
        async with Client(replica.url) as client:
            yield client, line
    finally:
        replica.stop()
        await line.cut()


async def _comes_back(client):
    deadline = time.monotonic() + 15
    while (status := (await client.json("GET", "/api/v1/documents"))[0]) != 200:
        assert status == 503
        assert time.monotonic() < deadline
        await asyncio.sleep(0.2)


async def test_a_database_that_goes_and_comes_back(shared, tmp_path):
    """Requests that need it get 503 and Retry-After; a stream under way ends well, and its answer is kept later."""
    async with behind_a_line(shared, tmp_path) as (client, line):
        assert (await client.upload("The windscreen excess is £75.", "line.md"))[0] == 201
        async with client.ask(slow(20, 0.05)) as response:
            events = await collect(response, until=3)
            await line.cut()
            async with client.session.get("/api/v1/documents") as refused:
                assert refused.status == 503
                assert int(refused.headers["Retry-After"]) >= 1
                assert (await refused.json())["error"]["code"] == "unavailable"
            assert (await client.json("POST", "/api/v1/chat/message", {"message": "excess?"}))[0] == 503
            assert (await client.json("GET", "/readyz"))[0] == 503
            assert (await client.json("GET", "/healthz"))[0] == 200
            from tests.service.replicas import events_of

            events += [event async for event in events_of(response)]
        whole(events)
        assert text_of(events) == numbered(20)
        assert events[-1].name == "done"
        await line.mend()
        await _comes_back(client)
        deadline = time.monotonic() + 20
        path = f"/api/v1/answers/{events[-1].data['answer_id']}"
        while (await client.json("GET", path))[0] != 200:
            assert time.monotonic() < deadline
            await asyncio.sleep(0.3)


async def test_a_database_that_hangs_holds_nobody_up(shared, tmp_path):
    """A line that swallows everything is as good as cut: 503 within the time set, and all is well when it speaks."""
    async with behind_a_line(shared, tmp_path) as (client, line):
        line.hang()
        began = time.monotonic()
        statuses = await asyncio.gather(*(client.json("GET", "/api/v1/documents") for _ in range(5)))
        assert {status for status, _ in statuses} == {503}
        assert time.monotonic() - began < 20
        line.flow()
        await _comes_back(client)
