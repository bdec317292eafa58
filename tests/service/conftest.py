"""Real processes, shared by the tests of this room: one on SQLite and memory, two on PostgreSQL and Redis."""

import asyncio

import pytest

from footnoted.service.store import Store
from footnoted.service.store.keys import Keys
from footnoted.testing import ScriptedLLM
from tests.service.replicas import Client, Replica, say, start
from tests.services import postgres_database, redis_server

SECRET = "a secret of thirty-two characters"


@pytest.fixture(scope="session")
def room_loop():
    """A loop that lives as long as the processes it looks after."""
    import threading

    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    def run(work):
        return asyncio.run_coroutine_threadsafe(work, loop).result(timeout=110)

    yield run
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


@pytest.fixture(scope="session")
def model(room_loop):
    """The settings of a model that says what the question asks for, over real HTTP."""
    llm = ScriptedLLM(say)
    room_loop(llm.__aenter__())
    yield {"provider": "compatible", "base_url": llm.url("openai"), "model": "scripted"}
    room_loop(llm.__aexit__(None, None, None))


@pytest.fixture(scope="session")
def one(room_loop, model, tmp_path_factory):
    """One replica on SQLite and memory."""
    replica = Replica(tmp_path_factory.mktemp("one"), "one", **model, stall_seconds=3, heartbeat_seconds=0.5)
    room_loop(start(replica))
    yield replica
    replica.stop()


@pytest.fixture(scope="session")
def checked(room_loop, model, tmp_path_factory):
    """One replica that weighs what it says."""
    replica = Replica(tmp_path_factory.mktemp("checked"), "checked", **model, checking="hold")
    room_loop(start(replica))
    yield replica
    replica.stop()


@pytest.fixture(scope="session")
def keys(room_loop, tmp_path_factory):
    """A database's settings, and a key of each of two tenants in it."""
    url = f"sqlite:///{tmp_path_factory.mktemp('keyed')}/keyed.db"

    async def make():
        store = Store(url)
        await store.open()
        made = {tenant: await Keys(store).add(tenant) for tenant in ("ada", "bob")}
        await store.aclose()
        return made

    return url, room_loop(make())


@pytest.fixture(scope="session")
def keyed(room_loop, keys, tmp_path_factory):
    """One replica that wants keys, or tokens signed with `SECRET`; with small limits, and no model."""
    url, _ = keys
    limits = {"requests_per_minute": 600, "concurrent_streams": 3, "body_bytes": 50_000, "file_bytes": 60_000}
    limits |= {"question_characters": 500, "sources": 5, "source_characters": 20_000, "documents": 20}
    replica = Replica(tmp_path_factory.mktemp("keyed"), "keyed", database_url=url, jwt_secret=SECRET, **limits)
    room_loop(start(replica))
    yield replica
    replica.stop()


@pytest.fixture(scope="session")
def redis():
    with redis_server() as server:
        yield server


@pytest.fixture(scope="session")
def postgres(room_loop):
    context = postgres_database()
    url = room_loop(context.__aenter__())
    yield url
    room_loop(context.__aexit__(None, None, None))


@pytest.fixture(scope="session")
def shared(redis, postgres, model):
    """The settings of replicas that share a PostgreSQL and a Redis."""
    return {**model, "redis_url": redis.url, "database_url": postgres}


@pytest.fixture(scope="session")
def two(room_loop, shared, tmp_path_factory):
    """Two replicas on one PostgreSQL and one Redis."""
    folder = tmp_path_factory.mktemp("two")
    replicas = Replica(folder, "first", **shared), Replica(folder, "second", **shared)
    room_loop(start(*replicas))
    yield replicas
    for replica in replicas:
        replica.stop()


@pytest.fixture
async def client(one):
    async with Client(one.url) as client:
        yield client


@pytest.fixture
async def ada(keyed, keys):
    async with Client(keyed.url, key=keys[1]["ada"]) as client:
        yield client


@pytest.fixture
async def bob(keyed, keys):
    async with Client(keyed.url, key=keys[1]["bob"]) as client:
        yield client
