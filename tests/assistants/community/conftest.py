"""A small knowledge base that ships, fakes of models that are functions, and a brain over both."""

import asyncio
import json
import warnings
from pathlib import Path

import pytest

with warnings.catch_warnings():  # discord.py imports a module that Python 3.13 no longer has
    warnings.simplefilter("ignore", DeprecationWarning)
    import discord  # noqa: F401

from footnoted.assistants.community import AIClient, Conversation, KnowledgeBase, RequestContext

EXAMPLE = Path(__file__).parents[3] / "examples" / "community"
WHERE = RequestContext("discord", "100", "200", "300")
ASKED = "How do I mark my offer as sold?"
GOOD = {
    "gating": {"is_question": True, "is_answerable": True, "rewrite_query": None, "reason": "asks about the market"},
    "selection": {"selected_source_ids": ["market.md"]},
    "answer": "Run the command `!sold` in the thread of your offer. [1]",
    "verification": {"is_good_enough": True, "issues": [], "suggested_fix": None},
    "summarization": "What the market is for, and how to sell in it.",
}


def saying(calls=None, **replies):
    """A model that says its piece at each node; an exception among the replies is raised, a list is used up."""

    async def fake(call):
        if calls is not None:
            calls.append(call)
        reply = {**GOOD, **replies}[call.node]
        if isinstance(reply, list):
            reply = reply.pop(0) if len(reply) > 1 else reply[0]
        if callable(reply):
            reply = await reply(call)
        if isinstance(reply, Exception):
            raise reply
        return reply if isinstance(reply, str) else json.dumps(reply)

    return fake


@pytest.fixture(scope="session")
def knowledge():
    """The example community's own documents; the networks are open, so that no first answer waits for them."""
    opened = KnowledgeBase.open(EXAMPLE / "index.md")
    asyncio.run(AIClient(knowledge=opened).prepare())
    return opened


@pytest.fixture
def brain(knowledge):
    """Make a brain over the example's documents: `brain(llm, **ai)`."""

    def make(llm=None, **ai):
        ai = {"request_timeout_seconds": 600, **ai}  # a busy machine is not on trial
        return AIClient({"ai": ai}, llm=llm, knowledge=knowledge)

    return make


@pytest.fixture
def ask(brain):
    """One message, its reply: `await ask` with a text, a model and keys of section `ai`."""

    async def one(text=ASKED, llm=None, **ai):
        return await brain(llm, **ai).generate_reply(Conversation(text), WHERE)

    return one
