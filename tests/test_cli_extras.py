"""Commands whose extra is not installed say which one to install, whatever they meet first."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("hidden", "command", "extra"),
    [
        ("sqlalchemy", "findings list", "store"),
        ("sqlalchemy", "advise x", "store"),
        ("structlog", "community hello", "community"),
        ("pydantic_settings", "serve", "service"),
        ("pyarrow", "batch none.jsonl", "batch"),
        ("mcp", "mcp --http --port 0", "mcp"),
    ],
)
def test_a_missing_extra_is_named(tmp_path, hidden, command, extra):
    """Status 2 and one line; no traceback."""
    code = (
        "import sys\n"
        "class Hidden:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name.partition('.')[0] == {hidden!r}:\n"
        "            raise ModuleNotFoundError(f'No module named {name!r}', name=name)\n"
        "sys.meta_path.insert(0, Hidden())\n"
        f"sys.argv = ['footnoted', *{command.split()!r}]\n"
        "from footnoted.cli import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 2, done.stderr
    assert f"footnoted[{extra}]" in done.stderr
    assert "Traceback" not in done.stderr
