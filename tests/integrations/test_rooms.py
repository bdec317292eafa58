"""Each adapter opens its own library and nobody else's, and says what to install where that is missing."""

import subprocess
import sys

import pytest

LIBRARIES = {
    "footnoted.integrations.langchain": ("langchain_core", "langchain"),
    "footnoted.integrations.llamaindex": ("llama_index", "llamaindex"),
    "footnoted.integrations.haystack": ("haystack", "haystack"),
    "footnoted.integrations.pydantic_ai": ("pydantic_ai", "pydantic-ai"),
    "footnoted.integrations.mcp": ("mcp", "mcp"),
    "footnoted.grounding.models": ("huggingface_hub", "models"),
}
HIDING = """
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in sys.argv[1].split(","):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Hidden())
"""


def python(code, hidden=""):
    return subprocess.run(
        [sys.executable, "-c", HIDING + code, hidden], capture_output=True, text=True, timeout=100, check=False
    )


@pytest.mark.parametrize("room", LIBRARIES)
def test_a_room_needs_no_other_library_than_its_own(room):
    """With all the others hidden it opens; of the package's face not one of them is opened."""
    others = ",".join(library for name, (library, _) in LIBRARIES.items() if name != room)
    done = python(f"import {room}", others)
    assert done.returncode == 0, done.stderr
    libraries = [library for library, _ in LIBRARIES.values()]
    done = python(f"import footnoted; print([m for m in {libraries!r} if m in sys.modules])")
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("room", [room for room in LIBRARIES if not room.endswith("models")])
def test_a_missing_library_names_its_extra(room):
    """An import error, as a missing module is, that says what to type."""
    library, extra = LIBRARIES[room]
    done = python(f"import {room}", library)
    assert done.returncode == 1
    assert f"ModuleNotFoundError: this needs {library}" in done.stderr
    assert f"pip install 'footnoted[{extra}]'" in done.stderr


def test_a_model_by_name_names_its_extra():
    """A folder needs no hub; a name does."""
    code = "from footnoted.grounding.models import EntailmentModel; EntailmentModel.load('minicheck')"
    done = python(code, "huggingface_hub")
    assert "ConfigurationError" in done.stderr
    assert "footnoted[models]" in done.stderr
