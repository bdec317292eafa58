"""The face of the package: its names, and what opening it costs."""

import importlib
import re
import subprocess
import sys
from typing import get_args

import pytest
from pydantic import BaseModel

import footnoted

PACKAGES = (
    "footnoted",
    "footnoted.assistants.community",
    "footnoted.assistants.insurance",
    "footnoted.assistants.security",
)
PUBLIC = """
import importlib, sys
package = importlib.import_module(sys.argv[1])
own = {"TYPE_CHECKING", "annotations", "lazily"}
print(*(name for name in dir(package) if not name.startswith("_") and name not in own))
"""


@pytest.mark.parametrize("package", PACKAGES)
def test_the_public_names_are_sorted_and_real(package):
    """Each name of __all__ can be had, and before any was asked for dir() shows these and no other."""
    face = importlib.import_module(package)
    done = subprocess.run([sys.executable, "-c", PUBLIC, package], capture_output=True, text=True, check=True)
    assert done.stdout.split() == face.__all__ == sorted(face.__all__)
    for name in face.__all__:
        assert getattr(face, name).__name__ == name


@pytest.mark.parametrize("package", PACKAGES)
def test_an_unknown_name_is_an_attribute_error(package):
    """A typing slip fails as in any module."""
    with pytest.raises(AttributeError, match="GroundedGenerater"):
        importlib.import_module(package).GroundedGenerater  # noqa: B018


def test_importing_opens_no_heavy_room():
    """Neither the HTTP client nor the model, the index or the terminal is loaded by the import."""
    heavy = "aiohttp", "onnxruntime", "tokenizers", "tantivy", "typer", "rich", "pypdfium2", "docx", "numpy"
    code = f"import sys, footnoted; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_contract_alone_opens_no_heavy_room():
    """Describing a request needs pydantic and nothing else."""
    code = (
        "import sys; from footnoted import GenerationRequest, GroundedGenerator; "
        "print([m for m in ('aiohttp', 'onnxruntime', 'tantivy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_help_fits_on_five_screens():
    """help(footnoted) names everything public in a line each, and writes out none of it."""
    code = "import footnoted; footnoted.GenerationResponse; help(footnoted)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert len(done.stdout.splitlines()) <= 120
    told = re.findall(r"^ +(\w+)  +\w", done.stdout, re.MULTILINE)
    assert set(footnoted.__all__) <= set(told)


def test_every_field_of_a_public_model_says_what_it_is():
    """The models that are public, and those in them, describe each field: a schema tells as much as the code."""
    met: set[type[BaseModel]] = set()
    waiting = [value for name in footnoted.__all__ if _is_model(value := getattr(footnoted, name))]
    waiting.append(importlib.import_module("footnoted.grounding.detector").GroundingResult)
    while waiting:
        model = waiting.pop()
        met.add(model)
        for name, field in model.model_fields.items():
            assert field.description, f"{model.__name__}.{name}"
            inner = [field.annotation, *_parts(field.annotation)]
            waiting += [part for part in inner if _is_model(part) and part not in met]
    assert len(met) > 15


def _is_model(value: object) -> bool:
    return isinstance(value, type) and issubclass(value, BaseModel)


def _parts(annotation: object) -> list[object]:
    found = list(get_args(annotation))
    return found + [inner for part in found for inner in _parts(part)]
