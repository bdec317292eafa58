import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parent.parent.parent / "benchmarks"


@pytest.fixture(autouse=True)
def _importable(monkeypatch):
    """Benchmarks are scripts beside one another; they import as they do when they are run."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))


@pytest.fixture
def pythons():
    """This Python stands for the environments of footnoted and of the bare loop; no peer is installed."""
    return {"footnoted": Path(sys.executable), "bare": Path(sys.executable)}
