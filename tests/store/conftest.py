"""A fresh database of each kind: a SQLite file, and a schema of its own on a real PostgreSQL."""

import pytest

from footnoted.store import Database
from tests.services import postgres_database


@pytest.fixture(params=["sqlite", "postgresql"])
async def database_url(request, tmp_path):
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path}/footnoted.db"
        return
    async with postgres_database() as url:
        yield url


@pytest.fixture
async def database(database_url):
    async with Database(database_url) as database:
        yield database
