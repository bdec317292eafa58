"""What the front page shows is run."""

import re
import subprocess
import sys
from pathlib import Path

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def test_the_first_example_answers_and_its_pointers_are_exact():
    """As pasted into a file: it runs, its own assertion holds, and the amounts come out."""
    example = next(block for block in BLOCKS if "asyncio.run(main())" in block)
    done = subprocess.run([sys.executable, "-c", example], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert "£75" in done.stdout
    assert "complete" in done.stdout


def test_every_name_the_page_imports_is_public():
    """A reader who copies an import line gets the name."""
    for line in re.findall(r"^from footnoted.*$", "\n".join(BLOCKS), re.MULTILINE):
        exec(line, {})  # noqa: S102 - our own page


def test_the_pages_commands_exist():
    """Each `footnoted …` of the page is a command of the program."""
    from footnoted.cli import app

    known = {command.name or command.callback.__name__ for command in app.registered_commands}
    known |= {group.name for group in app.registered_groups}
    typed = " ".join(re.findall(r"^\$ .*$", README, re.MULTILINE))
    used = set(re.findall(r"footnoted (\w+)\b", typed))
    assert len(used) >= 10
    assert used <= known
