"""Requests a hair away from right ones, over a socket, to every endpoint: the same ones each time; the long run is ``make fuzz``."""

import json
import random

import pytest

from tests import fuzz
from tests.laws import THOROUGH
from tests.service import bytewise
from tests.service.replicas import start
from tests.service.schemas import document

SEED = 22
CASES = 60 if THOROUGH else 6  # to each operation


@pytest.fixture(scope="module")
def fuzzed(room_loop, tmp_path_factory):
    """A service with all that is installed, without a model, that weighs what it says."""
    replica = fuzz.replica(tmp_path_factory.mktemp("fuzzed"))
    room_loop(start(replica))
    yield replica
    replica.stop()


@pytest.mark.timeout(1200 if THOROUGH else 300)
async def test_nothing_that_is_sent_breaks_it(fuzzed):
    """Bodies, headers, forms, ids and paths: no 500, no stream that breaks, nothing in the log, and it answers after it."""
    fire = fuzz.Fuzz(fuzzed, seed=SEED)
    await fire.round(0, CASES)
    print(dict(sorted(fire.statuses.items())))
    assert fire.sent == CASES * len(bytewise.operations(document()))
    assert fire.statuses[200] > fire.sent / 20
    assert {400, 404, 413, 422} <= fire.statuses.keys()


async def test_large_bodies_are_refused_in_words(fuzzed):
    """400,000 unknown fields, 100,000 levels, a number of two million digits, a megabyte of half surrogates."""
    fire = fuzz.Fuzz(fuzzed, seed=SEED)
    await fire.large(["/api/v1/answers/stream", "/v1/responses"])
    assert fire.statuses.keys() <= {400, 413, 422}


def test_the_same_seed_sends_the_same():
    """Every operation has a right request of its own, and what is made of it is the same again."""
    known = dict.fromkeys(("document_id", "answer_id", "stream_id", "chunk_id", "conversation_id"), "0")
    for method, path in bytewise.operations(document()):
        one, two = (
            bytewise.wronged(bytewise.right(document(), method, path, known, dice), dice)
            for dice in (random.Random(1), random.Random(1))
        )
        assert one.wire() == two.wire()


def test_what_breaks_is_found():
    """A 500, a stream that broke, and an error without words are told, with what was sent."""
    sent = bytewise.Sent("GET /", b"GET", b"/", ())
    for status, body in [
        (500, b""),
        (503, b"{}"),
        (200, b'data: {"code":"internal"}'),
        (404, json.dumps({"error": {"message": ""}}).encode()),
    ]:
        with pytest.raises(fuzz.Found, match="GET /"):
            fuzz.judged(sent, status, body)
    for status, body in [
        (200, b"{}"),
        (404, b'{"error": {"message": "no"}}'),
        (0, b""),
        (502, b'{"error": {"message": "no"}}'),
    ]:
        fuzz.judged(sent, status, body)
