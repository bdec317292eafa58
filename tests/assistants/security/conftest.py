"""Findings of an imaginary clinic in a fresh database, and the shared data where it is at hand."""

import os
from pathlib import Path

import pytest

from footnoted.assistants.security import AnswerService, DocumentService, FindingsService, KnowledgeBaseService
from footnoted.assistants.security.query.meaning import shipped_meanings
from footnoted.assistants.security.query.reading import read
from footnoted.store import Database
from tests.services import postgres_database

ROOT = Path(__file__).parents[3]
EXAMPLES = ROOT / "examples" / "findings"
DATA = Path(os.environ.get("FOOTNOTED_DATA") or ROOT.parent / "shared" / "data")
needs_data = pytest.mark.skipif(not (DATA / "prowler").is_dir(), reason="the shared data is not here (FOOTNOTED_DATA)")


@pytest.fixture
async def database(tmp_path):
    """A SQLite file of this test's own, its tables made."""
    async with Database(f"sqlite:///{tmp_path}/security.db") as opened:
        await FindingsService(opened).prepare()
        yield opened


@pytest.fixture(params=["sqlite", "postgresql"])
async def either(request, tmp_path):
    """A database of each kind."""
    if request.param == "sqlite":
        async with Database(f"sqlite:///{tmp_path}/security.db") as opened:
            await FindingsService(opened).prepare()
            yield opened
        return
    async with postgres_database() as url, Database(url) as opened:
        await FindingsService(opened).prepare()
        yield opened


async def take_in(database, *names, tenant="clinic", folder=EXAMPLES):
    """Import files of the examples; the last report."""
    report = None
    for name in names or ("prowler.ocsf.json", "security-hub.json"):
        report = await FindingsService(database).import_file(tenant, [(folder / name).read_bytes()])
    return report


@pytest.fixture
def asked(vocabulary):
    """How a question is read over the `vocabulary` of a module's own, the encoder at hand."""
    return lambda question, base=None: read(question, vocabulary, base=base, meanings=shipped_meanings())


@pytest.fixture
async def clinic(database):
    """The database with the clinic's findings."""
    await take_in(database)
    return database


@pytest.fixture
def advisor(clinic):
    """The advisor on the clinic's findings, without a model."""
    return advisor_on(clinic)


def advisor_on(database, provider="extractive", **options):
    """The advisor on a database."""
    return AnswerService(
        provider, KnowledgeBaseService(database), FindingsService(database), DocumentService(database), **options
    )


class Model:
    """A model that says what it is told to, in pieces; what it was asked is in ``prompts``. It fills no query."""

    name = "scripted"

    def __init__(self, text, *, wait=0.0, size=9, fails=None):
        self.text, self.wait, self.size, self.fails = text, wait, size, fails
        self.prompts = []

    async def stream(self, prompt):
        import asyncio

        if prompt.schema is not None:
            yield "I fill nothing."
            return
        self.prompts.append(prompt)
        await asyncio.sleep(self.wait)
        for at in range(0, len(self.text), self.size):
            yield self.text[at : at + self.size]
        if self.fails is not None:
            raise self.fails
