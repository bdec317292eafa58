"""What tenants may take: held ahead, counted once for all replicas, refused with the day it renews, never forgotten."""

import asyncio
import dataclasses
import re
import time

import pytest
from redis.asyncio import Redis

from footnoted.contract import JudgeUsage, TokenUsage
from footnoted.errors import ConfigurationError
from footnoted.service.counting import Cap, Cost, Count, MemoryCounters, RedisCounters, Unknown, periods_of
from footnoted.service.prices import Price, price_of
from footnoted.service.replay.line import Line
from footnoted.service.replay.names import Keys
from footnoted.service.settings import read_settings
from footnoted.service.store import Store
from footnoted.service.store.usage import Ledger, Taken
from tests.service.replicas import SOURCES, Client, Replica, collect, slow, start
from tests.services import postgres_database

ASKED = {"question": "What is the windscreen excess?", "sources": SOURCES}
NOTHING = Cost()
MONTH, DAY = periods_of(time.time())  # a count is kept for two days after its period: one long past is gone


def caps(*, month=None, day=None, money=None, spent=NOTHING):
    """Limits of a month and a day."""
    return [Cap(MONTH, month, money, spent), Cap(DAY, day, None, spent)]


@pytest.fixture(params=["memory", "redis"])
async def counters(request):
    """Two that count together: the same one twice, or two replicas' over one Redis."""
    if request.param == "memory":
        made = MemoryCounters()
        yield made, made
        return
    redis = request.getfixturevalue("redis")
    lines = [Line(redis.url, connections=8, seconds=20) for _ in range(2)]
    names = Keys(f"spending-{id(request)}")
    made = [RedisCounters(line, names, longest=60) for line in lines]
    yield made
    for each, line in zip(made, lines, strict=True):
        await each.aclose()
        await line.aclose()


async def settled(counters):
    for each in counters:
        await each.aclose()


async def test_a_burst_over_two_replicas_holds_exactly_what_fits(counters):
    """300 answers at once, of 100 tokens each and 1,000 a day: ten are held, however they are spread."""
    limits = caps(month=5_000, day=1_000)
    told = await asyncio.gather(*(counters[n % 2].hold("ada", f"a{n}", Cost(100, 7), limits) for n in range(300)))
    full = [each for each in told if each is not None]
    assert len(told) - len(full) == 10
    assert {(each.cap, each.money, each.count) for each in full} == {(1, False, Count(Cost(1000, 70), Cost(1000, 70)))}
    assert await counters[1].hold("bob", "b", Cost(1_000, 0), limits) is None  # another tenant has its own
    assert await counters[0].counted("ada", limits) == [Count(Cost(1000, 70), Cost(1000, 70))] * 2


async def test_what_was_held_becomes_what_it_took_once(counters):
    """Settling gives back what was not taken, adds what was taken beyond it, and does neither twice."""
    limits = caps(day=1_000)
    assert await counters[0].hold("ada", "one", Cost(600, 60), limits) is None
    assert await counters[0].hold("ada", "two", Cost(400, 40), limits) is None
    assert await counters[1].hold("ada", "three", Cost(1, 0), limits) is not None
    for _ in range(2):
        counters[0].settle("ada", "one", Cost(600, 60), Cost(100, 10), limits)
        await settled(counters)
    assert await counters[1].counted("ada", limits) == [Count(Cost(500, 50), Cost(400, 40))] * 2
    counters[1].settle("ada", "two", Cost(400, 40), Cost(950, 95), limits)
    await settled(counters)
    assert await counters[0].counted("ada", limits) == [Count(Cost(1050, 105))] * 2
    full = await counters[0].hold("ada", "four", Cost(1, 0), limits)
    assert full.count == Count(Cost(1050, 105))  # nothing is under way: it is spent


async def test_money_has_a_limit_of_its_own(counters):
    """Tokens may be left where money is not."""
    limits = caps(month=10**9, money=100)
    assert await counters[0].hold("ada", "one", Cost(5, 60), limits) is None
    full = await counters[1].hold("ada", "two", Cost(5, 60), limits)
    assert (full.cap, full.money) == (0, True)


async def test_counts_begin_at_what_the_ledger_knows(counters):
    """Where nothing was counted yet the ledger is asked; where it was, it is not heeded."""
    unasked = [dataclasses.replace(cap, spent=None) for cap in caps(day=1_000)]
    with pytest.raises(Unknown):
        await counters[0].hold("ada", "one", Cost(10, 0), unasked)
    assert await counters[0].counted("ada", unasked) == [None, None]
    assert await counters[0].hold("ada", "one", Cost(10, 0), caps(day=1_000, spent=Cost(985, 3))) is None
    assert await counters[1].hold("ada", "two", Cost(10, 0), unasked) is not None
    assert (await counters[1].counted("ada", unasked))[1].used == Cost(995, 3)


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
async def test_the_ledger_adds_up_what_replicas_write_at_once(kind, request, tmp_path):
    """Two replicas write the same day: nothing is lost, what is not yet written counts, days come newest first."""
    url = f"sqlite:///{tmp_path}/l.db" if kind == "sqlite" else request.getfixturevalue("postgres")
    stores = [Store(url), Store(url)]
    await stores[0].open()
    ledgers = [Ledger(store) for store in stores]
    for n in range(50):
        ledgers[n % 2].add("ada", "2026-11-22", Taken(1, 10, 3))
        ledgers[n % 2].add("ada", "2026-10-31", Taken(1, 1, 1))
    assert (await ledgers[0].since("ada", "2026-11-01")).tokens >= 250
    for ledger in ledgers:
        await ledger.aclose()
    assert await ledgers[0].since("ada", "2026-11-01") == Taken(50, 500, 150)
    assert [(each.day, each.taken) for each in await ledgers[1].days("2026-10-01", tenant="ada")] == [
        ("2026-11-22", Taken(50, 500, 150)),
        ("2026-10-31", Taken(50, 50, 50)),
    ]
    assert await ledgers[1].days("2026-10-01", tenant="bob") == []
    for store in stores:
        await store.aclose()


def test_a_price_counts_cached_tokens_and_the_checks():
    """In billionths: what was read, what was read from a cache, what was written, and what the judge took of both."""
    usage = TokenUsage(input=1_000, cached=400, output=50, judge=JudgeUsage(calls=1, input=100, output=10))
    assert Price(input=2, output=8, cached=0.5).of(usage) == (700 * 2 + 400 * 0.5 + 60 * 8) * 1_000
    assert Price(input=2, output=8).of(usage) == (1_100 * 2 + 60 * 8) * 1_000
    prices = {"small": Price(input=1, output=1), "*": Price(input=9, output=9)}
    assert price_of(prices, None, "small").input == 1
    assert price_of(prices, "unheard-of", None).input == 9
    assert price_of({}, "small") is None


def test_a_month_is_a_month_and_a_day_a_day():
    """UTC, over the end of a year and of February."""
    told = [(each.name, each.first, each.renews_at) for each in periods_of(1_798_761_599.0)]
    assert told == [
        ("2026-12", "2026-12-01", "2027-01-01T00:00:00.000Z"),
        ("2026-12-31", "2026-12-31", "2027-01-01T00:00:00.000Z"),
    ]
    assert periods_of(1_835_308_800.0)[0].renews_at == "2028-03-01T00:00:00.000Z"


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("money_per_day = 5\nprovider = 'openai'\nmodel = 'small'", "the model small has no price"),
        ("money_per_day = 5\nprovider = 'openai'", "own choice of a model has no price"),
        ("provider = 'openai'\nmodel = 'm'\n[tenants.a]\nmoney_per_month = 5\nmodels = ['b']\n[prices.m]\ninput = 1\noutput = 1", "the model b has no price"),
        ("[prices.m]\ninput = -1\noutput = 1", "prices.m.input"),
        ("[prices.m]\ninput = 1", "prices.m.output"),
        ("currency = 'dollars'", "currency"),
        ("tokens_per_day = 0", "tokens_per_day"),
        ("[tenants.a]\ntoken_per_day = 5", "tenants.a.token_per_day"),
    ],
)  # fmt: skip
def test_limits_that_cannot_be_held_are_said_at_the_start(tmp_path, monkeypatch, file, said):
    """Money without a price, a price below nothing, an unknown name: one line."""
    (tmp_path / "footnoted.toml").write_text(file)
    monkeypatch.setenv("FOOTNOTED_SETTINGS", str(tmp_path / "footnoted.toml"))
    with pytest.raises(ConfigurationError) as told:
        read_settings()
    assert said in str(told.value)
    assert "\n" not in str(told.value)


def taken(usage):
    """All tokens of an answer."""
    return usage["input"] + usage["output"] + usage["judge"]["input"] + usage["judge"]["output"]


async def test_two_replicas_refuse_what_does_not_fit_and_count_what_was_taken(shared, redis, tmp_path):
    """A burst over both: what was answered adds up to the counter, the rest is told when it renews, a lost Redis too."""
    limits = {"tokens_per_day": 30_000, "redis_prefix": "spent", "metrics_tenants": "true"}
    async with postgres_database() as alone:  # what other tests took counts against no limit here
        replicas = [Replica(tmp_path, name, **{**shared, **limits, "database_url": alone}) for name in ("a", "b")]
        await start(*replicas)
        try:
            async with Client(replicas[0].url) as first, Client(replicas[1].url) as second:
                clients = [first, second] * 40
                got = await asyncio.gather(*(client.json("POST", "/api/v1/answers", ASKED) for client in clients))
                answered = [body["response"]["usage"] for status, body in got if status == 200]
                refused = [body["error"] for status, body in got if status == 429]
                assert len(answered) + len(refused) == 80
                assert answered
                assert refused
                assert {each["code"] for each in refused} == {"spend_limit"}
                assert all(each["renews_at"].endswith("T00:00:00.000Z") for each in refused)
                assert sum(map(taken, answered)) <= 30_000
                day = await _counted(first, sum(map(taken, answered)))
                assert (day["most_tokens"], day["tokens_held"]) == (30_000, 0)
                for client in (first, second):  # each replica's ledger is written down
                    await _written(client, day["tokens"])
                async with Redis.from_url(redis.url) as client:
                    await client.flushall()
                status, body = await second.json("POST", "/api/v1/answers", ASKED)
                known = day["tokens"] + (taken(body["response"]["usage"]) if status == 200 else 0)
                assert (await _counted(first, known))["tokens"] == known
                status, body = await first.json("POST", "/api/v1/answers", {**ASKED, "config": {"max_tokens": 31_000}})
                assert (status, body["error"]["code"]) == (429, "spend_limit")
                asked = {"model": "m", "messages": [{"role": "user", "content": "Excess?"}], "max_tokens": 31_000}
                status, body = await first.json("POST", "/v1/chat/completions", asked)
                assert (status, body["error"]["code"]) == (429, "spend_limit")
                figures = [await _figures(client) for client in (first, second)]
                assert 'footnoted_limited_total{code="spend_limit"}' in figures[0]
                spent = re.findall(r'footnoted_spent_tokens_total{tenant="local"} (\S+)', "".join(figures))
                assert sum(map(float, spent)) == known  # either may have answered them all
        finally:
            for replica in replicas:
                replica.stop()


async def _figures(client):
    async with client.session.get("/metrics") as response:
        return await response.text()


async def _written(client, tokens):
    """Wait until the day's sum in the database is this."""
    for _ in range(200):
        if (await client.json("GET", "/api/v1/usage"))[1]["days"][0]["tokens"] == tokens:
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"{tokens} tokens were not written down")


async def _counted(client, tokens):
    """The day, once everything is settled."""
    for _ in range(200):
        _, told = await client.json("GET", "/api/v1/usage")
        day = next(each for each in told["periods"] if each["period"] == "day")
        if day["tokens"] == tokens:
            return day
        await asyncio.sleep(0.05)
    raise AssertionError(f"{tokens} tokens were taken, and {told} is told")


async def test_a_restart_forgets_nothing_and_what_was_cut_counts(model, tmp_path):
    """One process on SQLite: the month goes on where it was; an answer that was stopped counts for what it said."""
    settings = {**model, "tokens_per_month": 9_000, "money_per_month": 1.5, "prices": '{"scripted": {"input": 2, "output": 10}}'}  # fmt: skip
    replica = Replica(tmp_path, "kept", **settings)
    await start(replica)
    async with Client(replica.url) as client:
        async with client.ask(slow(400, 0.05)) as response:
            stream_id = (await collect(response, until=4))[0].data["stream_id"]
            _, told = await client.json("GET", "/api/v1/usage")
            assert told["periods"][0]["tokens_held"] > 1_000
            assert (await client.json("DELETE", f"/api/v1/chat/stream/{stream_id}"))[1]["stopped"]
        _, told = await client.json("GET", "/api/v1/usage")
        month, day = told["periods"]
        assert (month["tokens_held"], day["most_tokens"], told["currency"]) == (0, None, "USD")
        assert 0 < month["tokens"] < 1_500
        assert 2 * month["tokens"] <= month["money"] * 1e6 < 10 * month["tokens"]
        assert told["days"][0]["answers"] == 1
        status, body = await client.json("POST", "/api/v1/answers", {**ASKED, "config": {"max_tokens": 9_000}})
        assert (status, body["error"]["code"]) == (429, "spend_limit")
        assert "tokens of this month" in body["error"]["message"]
    replica.stop()
    await start(replica)
    try:
        async with Client(replica.url) as client:
            _, again = await client.json("GET", "/api/v1/usage")
            assert again["periods"][0]["tokens"] == month["tokens"]
            assert (await client.json("POST", "/api/v1/answers", ASKED))[0] == 200
            _, more = await client.json("GET", "/api/v1/usage")
            assert more["periods"][0]["tokens"] > month["tokens"]
    finally:
        replica.stop()
