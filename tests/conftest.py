"""A folder to ask, an environment without keys, and the command as a child process."""

import os
import sys

import pytest
import structlog

from tests import services
from tests.commands import run

__all__ = ["COMMAND", "POLICY", "run"]

os.environ.setdefault("HAYSTACK_TELEMETRY_ENABLED", "False")  # before haystack is opened: tests phone nobody

SHARING = ("tests/service/page/", "tests/service/", "tests/store/")
COMMAND = [sys.executable, "-m", "footnoted.cli"]
POLICY = """# Car policy

## Windscreen

The windscreen excess is £75 for a repair. A replacement costs you £115.

## Exclusions

Racing on any track is not covered.
"""


def pytest_configure(config):
    """What is shared belongs to the run: its workers only use it."""
    if not hasattr(config, "workerinput"):
        services.begin()


def pytest_unconfigure(config):
    if not hasattr(config, "workerinput"):
        services.end()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """A file goes to one worker, and so does a room whose tests share servers or a browser: each is started once."""
    from xdist.scheduler import LoadScopeScheduling

    class Rooms(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return next((room for room in SHARING if nodeid.startswith(room)), nodeid.partition("::")[0])

    return Rooms(config, log)


@pytest.fixture(autouse=True)
def _logging_as_it_was():
    """A command run inside the test sets up its own logs; the next test finds them as they were."""
    before = structlog.get_config()
    yield
    structlog.configure(**before)


@pytest.fixture
def folder(tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "car.md").write_text(POLICY, encoding="utf-8")
    return docs


@pytest.fixture
def env(tmp_path):
    """A home of its own, and no key from outside."""
    kept = {k: v for k, v in os.environ.items() if not k.endswith("_API_KEY") and not k.startswith("FOOTNOTED_")}
    return {**kept, "FOOTNOTED_CACHE": str(tmp_path / "cache"), "COLUMNS": "100", "PYTHONUTF8": "1"}
