"""What a release holds, and that it works where nothing of this checkout is."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

import footnoted

ROOT = Path(__file__).parent.parent
MEGA, MEBI = 1_000_000, 1 << 20
PACKAGED = (  # what is opened at run time, one of each kind
    "py.typed",
    "orders.txt",
    "models/weights/",
    "grounding/fitted/",
    "retrieval/relevance/weights.json",
    "prompting/templates/",
    "service/web/index.html",
    "service/web/app.js",
    "service/web/icon.svg",
    "evaluation/page.css",
    "assistants/insurance/vocabulary.json",
    "assistants/security/catalogue/",
)
CONSUMER = '''\
"""A reader's own code, as their type checker sees it."""

from uuid import uuid4

from footnoted import GenerationRequest, GenerationResponse, GroundedGenerator, SourceContext
from footnoted.evaluation import assert_grounded
from footnoted.testing import ScriptedLLM
from footnoted.types import Verdict


async def ask(question: str, text: str) -> str:
    """The answer's text."""
    source = SourceContext(chunk_id=uuid4(), document_id=uuid4(), content=text)
    async with ScriptedLLM("The excess is £75 [1].") as llm:
        generator = GroundedGenerator("openai", api_key="any", base_url=llm.url("openai"))
        response = await generator.generate(GenerationRequest(query=question, context=[source]))
    await assert_grounded(response, [text])
    reveal_type(response)
    return response.response


def first(response: GenerationResponse) -> Verdict:
    """Not what is declared."""
    return response.claims[0].verdict
'''


def run(*command, cwd=None, **environment):
    """What a command printed; its own words when it fails."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("FOOTNOTED_", "PYTHON"))}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**kept, **environment},
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def build(source, into, *what):
    run(sys.executable, "-m", "build", "--no-isolation", *what, "-o", into, source)
    return into


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    """The folder with the sdist and the wheel."""
    return build(ROOT, tmp_path_factory.mktemp("release"), "--sdist", "--wheel")


@pytest.fixture(scope="module")
def wheel(release):
    return next(release.glob("*.whl"))


@pytest.fixture(scope="module")
def sdist(release):
    return next(release.glob("*.tar.gz"))


def contents(wheel):
    """Each file of a wheel with its bytes; RECORD is the others' hashes."""
    with zipfile.ZipFile(wheel) as opened:
        return {name: opened.read(name) for name in opened.namelist() if not name.endswith("RECORD")}


def test_the_wheel_holds_everything_that_is_opened_at_run_time_and_no_more(wheel):
    """Every file of the package, and beside it only the metadata and the licence."""
    names = set(contents(wheel))
    for part in PACKAGED:
        assert any(name.startswith(f"footnoted/{part}") for name in names), part
    assert any("migrations" in name or "versions" in name for name in names)
    package = {
        file.relative_to(ROOT / "src").as_posix() for file in (ROOT / "src/footnoted").rglob("*") if file.is_file()
    }
    ours = {name for name in package if "__pycache__" not in name}
    assert {name for name in names if name.startswith("footnoted/")} == ours
    beside = {name.split("/", 1)[1] for name in names if not name.startswith("footnoted/")}
    assert beside == {"METADATA", "WHEEL", "entry_points.txt", "licenses/LICENSE"}


def test_nothing_in_a_release_is_large_or_of_this_machine(wheel, sdist):
    """A wheel that the index takes (100 MiB), no file above 64 MB, no tests in it, no path of the machine it was built on."""
    files = contents(wheel)
    print(f"\nwheel {wheel.stat().st_size / MEGA:.1f} MB, sdist {sdist.stat().st_size / MEGA:.1f} MB")
    assert wheel.stat().st_size <= 100 * MEBI
    assert max(map(len, files.values())) <= 64 * MEGA
    assert not [name for name in files if re.search(r"(^|/)tests?/|conftest|__pycache__|\.pyc$", name)]
    with tarfile.open(sdist) as opened:
        held = {one.name: opened.extractfile(one).read() for one in opened.getmembers() if one.isfile()}
    here = {str(ROOT).encode(), str(Path.home()).encode() + b"/"} - {b"/"}
    for name, data in {**files, **held}.items():
        assert not [place for place in here if place in data], name
    root = next(iter(held)).split("/")[0]
    for needed in ("LICENSE", "README.md", "CHANGELOG.md", "pyproject.toml", "tests/test_release.py", "docs/index.md"):
        assert f"{root}/{needed}" in held


def test_the_metadata_says_what_an_index_shows(wheel):
    """Version from one place, licence, classifiers, extras; the description is the README."""
    files = contents(wheel)
    told = Parser().parsestr(next(data for name, data in files.items() if name.endswith("METADATA")).decode())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert told["Version"] == footnoted.__version__
    assert "version" in project["dynamic"]
    assert "version" not in project
    assert told["License-Expression"] == "Apache-2.0"
    assert told["License-File"] == "LICENSE"
    assert told["Requires-Python"] == ">=3.11"
    assert told["Description-Content-Type"] == "text/markdown"
    assert told.get_payload().startswith("# footnoted")
    classifiers = told.get_all("Classifier")
    for needed in (
        "Typing :: Typed",
        "Operating System :: OS Independent",
        "Framework :: AsyncIO",
        "Framework :: Pytest",
    ):
        assert needed in classifiers
    assert set(told.get_all("Provides-Extra")) == set(project["optional-dependencies"])
    scripts = next(data for name, data in files.items() if name.endswith("entry_points.txt")).decode()
    assert "footnoted = footnoted.cli:main" in scripts
    assert "[pytest11]" in scripts


def test_an_index_would_take_it(release):
    """Twine finds nothing to object to, warnings included."""
    assert (
        run(sys.executable, "-m", "twine", "--no-color", "check", "--strict", *release.iterdir()).count("PASSED") == 2
    )


def test_the_sdist_builds_the_same_wheel(sdist, wheel, tmp_path):
    """Who builds from source gets the same files, byte for byte."""
    with tarfile.open(sdist) as opened:
        safely = (
            {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
        )  # Python 3.11.2 has none, and it is our own
        opened.extractall(tmp_path / "source", **safely)  # noqa: S202
    (source,) = (tmp_path / "source").iterdir()
    again = next(build(source, tmp_path / "again", "--wheel").glob("*.whl"))
    assert again.name == wheel.name
    assert contents(again) == contents(wheel)


@pytest.mark.timeout(600)
def test_the_installed_wheel_answers_and_shows_its_types(wheel, tmp_path):
    """Where nothing but the wheel and what it requires is installed: the README's first command, and a strict mypy.

    One test, because one environment is enough and takes a while to make.
    """
    run(sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv")
    python = tmp_path / "venv/bin/python"
    pip = (sys.executable, "-m", "pip", "--python", python, "-q", "--disable-pip-version-check")
    run(*pip, "install", "--no-compile", wheel)
    shutil.copytree(ROOT / "examples" / "policies", tmp_path / "policies")
    program = tmp_path / "venv/bin/footnoted"
    asked = [program, "ask", "What is the windscreen excess?", "policies"]
    told = run(*asked, cwd=tmp_path, FOOTNOTED_CACHE=str(tmp_path / "cache"), NO_COLOR="1", COLUMNS="100")
    assert "£75" in told
    assert "car/comprehensive.md" in told
    assert footnoted.__version__ in run(program, "--version", cwd=tmp_path)

    (tmp_path / "consumer.py").write_text(CONSUMER, encoding="utf-8")
    mypy = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull, "--python-executable", python]
    done = subprocess.run(
        [*mypy, "consumer.py"], cwd=tmp_path, capture_output=True, text=True, timeout=200, check=False
    )
    assert 'Revealed type is "footnoted.contract.GenerationResponse"' in done.stdout
    errors = [line for line in done.stdout.splitlines() if " error: " in line]
    assert len(errors) == 1, done.stdout + done.stderr
    assert "[return-value]" in errors[0]
