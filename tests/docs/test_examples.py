"""What the documentation shows is what happens: every block of every page is typed, in order, as a reader would."""

import re
from pathlib import Path

import pytest

from footnoted.cli import app
from tests.docs.pages import ROOT, blocks, pages, says
from tests.docs.reader import Reader

ALL = {page.relative_to(ROOT).as_posix(): blocks(page) for page in pages()}
RUN = {name: found for name, found in ALL.items() if any(block.not_run is None for block in found)}
ONLY_SHOWN = [block for found in ALL.values() for block in found if block.not_run is not None]


@pytest.mark.parametrize("page", RUN)
def test_every_block_of_the_page_does_what_it_shows(page, tmp_path):
    """Commands end well and print what stands below them; code runs, and prints what stands below it."""
    reader = Reader(tmp_path)
    try:
        for block in RUN[page]:
            reader.read(block)
    finally:
        reader.close()


def test_few_blocks_are_only_shown_and_each_says_why():
    """Installations, Docker, a cluster, a chat's token, several services at once: no more than these, and each with its reason."""
    told = "\n".join(f"{block.place}: {block.not_run}" for block in ONLY_SHOWN)
    assert len(ONLY_SHOWN) <= 13, told
    assert sum(len(found) for found in RUN.values()) >= 5 * len(ONLY_SHOWN), told
    for block in ONLY_SHOWN:
        assert len(block.not_run.split()) >= 3, told
        for test in re.findall(r"tests/[\w/.]+", block.not_run):
            assert (ROOT / test.rstrip(".")).exists(), f"{block.place} names {test}, which is not there"


def test_every_command_shown_is_one_of_the_program():
    """Each ``footnoted …`` of any page, the blocks that are only shown among them."""
    known = {command.name or command.callback.__name__ for command in app.registered_commands}
    known |= {group.name for group in app.registered_groups}
    typed = "\n".join(command.typed for found in ALL.values() for block in found for command in _shell(block))
    used = set(re.findall(r"(?:^|[\s;|&/])footnoted ([a-z]+)\b", typed))
    assert len(used) >= 10
    assert used <= known


def _shell(block):
    return block.commands() if block.kind == "shell" else []


@pytest.mark.parametrize(
    ("page", "complaint"),
    [
        ("```console\n$ echo one\ntwo\n```\n", "the page says"),
        ("```console\n$ false\n$ true\n```\n", "status 1 of false"),
        ("```console\n$ footnoted ask\n```\n", "status 2"),
        ("```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n", "the page says"),
        ("```python\nimport asyncio\n\nawait asyncio.sleep(0)\nassert False, 'as written'\n```\n", "as written"),
    ],
)
def test_a_page_that_is_wrong_is_found_out(page, complaint, tmp_path, monkeypatch):
    """Another output, another status, an assertion of the page's own that does not hold."""
    written = tmp_path / "page.md"
    written.write_text(page, encoding="utf-8")
    monkeypatch.setattr("tests.docs.pages.ROOT", tmp_path)
    found = blocks(written)
    reader = Reader(_folder(tmp_path / "reader"))
    try:
        with pytest.raises(AssertionError, match=complaint):
            for block in found:
                reader.read(block)
    finally:
        reader.close()


def _folder(place: Path) -> Path:
    place.mkdir()
    return place


def test_what_one_command_leaves_is_there_for_the_next(tmp_path):
    """Variables, folders, statuses and files, from the shell to Python and back."""
    reader = Reader(tmp_path)
    page = tmp_path / "page.md"
    page.write_text(
        "```console\n$ export COLOUR=blue; mkdir inner; cd inner\n$ footnoted ask\n…\n$ echo $?\n2\n$ echo $COLOUR > told\n```\n\n"
        '```python\nimport os\nfrom pathlib import Path\n\nprint(os.environ["COLOUR"], Path("inner/told").read_text().strip())\n```\n\n```text\nblue blue\n```\n',
        encoding="utf-8",
    )
    try:
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("tests.docs.pages.ROOT", tmp_path)
            found = blocks(page)
        for block in found:
            reader.read(block)
    finally:
        reader.close()


def test_an_ellipsis_stands_for_anything_and_nothing_else_does():
    """A shown output holds the printed one to every other letter."""
    assert says("a … d", "a b c d  \n")
    assert says("…\nlast", "first\nlast")
    assert not says("a … d", "a b c")
    assert not says("£75", "£175")
