"""What docs/insurance.md shows runs."""

import os
import re
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_the_pages_first_example_runs(capsys, monkeypatch, tmp_path):
    """From question to printed answer, with sources and confidence."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setitem(os.environ, "FOOTNOTED_CACHE", str(tmp_path))
    page = (ROOT / "docs" / "insurance.md").read_text(encoding="utf-8")
    example = re.search(r"```python\n(.*?)```", page, re.DOTALL)
    exec(compile(example[1], "docs/insurance.md", "exec"), {})  # noqa: S102
    said = capsys.readouterr().out
    assert "**Sources:**" in said
    assert "*Confidence: " in said
