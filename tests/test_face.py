"""The face of the package: its names, and what opening it costs."""

import subprocess
import sys

import footnoted


def test_the_public_names_are_sorted_and_real():
    """Each name of __all__ can be had, and dir() shows it."""
    assert footnoted.__all__ == sorted(footnoted.__all__)
    assert set(footnoted.__all__) == set(footnoted._HOME)
    for name in footnoted.__all__:
        assert getattr(footnoted, name).__name__ == name
        assert name in dir(footnoted)


def test_an_unknown_name_is_an_attribute_error():
    """A typing slip fails as in any module."""
    assert not hasattr(footnoted, "GroundedGenerater")


def test_importing_opens_no_heavy_room():
    """Neither the HTTP client nor the model, the index or the terminal is loaded by the import."""
    heavy = "aiohttp", "onnxruntime", "tokenizers", "tantivy", "typer", "rich", "pypdf", "docx", "numpy"
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
