"""The page of figures says what the results say."""

import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from .conftest import BENCHMARKS

ROOT = BENCHMARKS.parent
RESULTS = sorted((BENCHMARKS / "results").glob("*.json"))


def test_the_page_and_its_pictures_are_what_the_results_make():
    """Who measures again, or edits a figure by hand, must run the command."""
    import figures

    made = figures.files(BENCHMARKS / "results", ROOT / "research")
    assert {"figures.md", "figures-faults.svg", "figures-cost.svg"} <= {path.name for path in made}
    for path, text in made.items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name}: run python benchmarks/figures.py"


def test_a_changed_page_is_noticed(tmp_path):
    """`--check` exits 1 and names the file."""
    command = [sys.executable, str(BENCHMARKS / "figures.py"), "--out", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True)
    assert subprocess.run([*command, "--check"], check=False, capture_output=True).returncode == 0
    page = tmp_path / "figures.md"
    page.write_text(page.read_text(encoding="utf-8").replace("1", "2"), encoding="utf-8")
    done = subprocess.run([*command, "--check"], check=False, capture_output=True, text=True)
    assert done.returncode == 1
    assert "figures.md" in done.stderr


@pytest.mark.parametrize(
    "picture", sorted((ROOT / "research" / "images").glob("figures-*.svg")), ids=lambda path: path.stem
)
def test_a_picture_holds_its_words_within_its_frame(picture):
    """It parses, names itself for a screen reader, and nothing starts outside of it."""
    drawn = ET.parse(picture).getroot()  # noqa: S314 - our own picture
    width, height = float(drawn.get("width")), float(drawn.get("height"))
    assert drawn.get("aria-label")
    words = [one for one in drawn.iter("{http://www.w3.org/2000/svg}text") if one.get("x")]
    assert len(words) > 5
    for word in words:
        assert 0 < float(word.get("x")) <= width, word.text
        assert 0 < float(word.get("y")) <= height, word.text


@pytest.mark.parametrize("results", RESULTS, ids=lambda path: path.stem)
def test_results_tell_nothing_of_the_machine_but_its_kind(results):
    """No path of a home or of this checkout, no address, in a file that is published."""
    text = results.read_text(encoding="utf-8")
    assert str(Path.home()) + "/" not in text
    assert str(ROOT) not in text
    assert not re.search(r"https?://(?!127\.0\.0\.1)", text)
