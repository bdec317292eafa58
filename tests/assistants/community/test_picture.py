"""The graph is drawn into a page between two marks, and into nothing else of it."""

import subprocess
import sys

from footnoted.assistants.community.picture import main, picture, redraw

from .conftest import EXAMPLE

DOCS = EXAMPLE.parents[1] / "docs" / "community.md"


def test_a_page_is_redrawn_between_its_marks_alone(tmp_path):
    """An old picture is replaced; what stands around it stays, and a second time changes nothing."""
    page = DOCS.read_text("utf-8")
    old = tmp_path / "page.md"
    old.write_text(page.replace("gating -.-> selection", "gating --> nowhere"), "utf-8")
    main([str(old)])
    assert old.read_text("utf-8") == page
    assert redraw(page) == page
    assert redraw("no marks") == "no marks"


def test_without_a_page_it_is_printed():
    """As Mermaid, from the command that the docs name."""
    command = [sys.executable, "-m", "footnoted.assistants.community.picture"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    assert done.stdout == picture() + "\n"
    assert done.stdout.startswith("```mermaid\nflowchart LR\n")
