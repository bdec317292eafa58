"""Packages that moved are found under their old names for one version, with a warning, and are the same modules."""

import importlib
import subprocess
import sys
import warnings

import pytest

MOVED = {
    "footnoted.relevance.rank": "footnoted.retrieval.relevance.rank",
    "footnoted.adapters._documents": "footnoted.integrations._documents",
    "footnoted.mcp.told": "footnoted.integrations.mcp.told",
}


@pytest.mark.parametrize("old", MOVED)
def test_an_old_name_gives_the_very_module(old):
    """A class of it is the class of today, and the module keeps the name it has today."""
    found = _imported(old)
    assert found is importlib.import_module(MOVED[old])
    assert found.__spec__.name == found.__name__ == MOVED[old]


def test_the_warning_names_both_and_whoever_imports():
    """It points at the line that has to be changed, and public names can be had from the old package."""
    code = "from footnoted.mcp import make_server; print(make_server.__module__)"
    done = subprocess.run([sys.executable, "-W", "default", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "footnoted.integrations.mcp.server"
    assert "<string>:1: DeprecationWarning: footnoted.mcp is footnoted.integrations.mcp now" in done.stderr


def test_what_was_never_there_is_an_import_error():
    """An old name hides no typing slip."""
    with pytest.raises(ModuleNotFoundError, match="langchian"):
        importlib.import_module("footnoted.integrations.langchian")
    with pytest.raises(ModuleNotFoundError, match="langchian"):
        _imported("footnoted.adapters.langchian")


def _imported(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return importlib.import_module(name)
