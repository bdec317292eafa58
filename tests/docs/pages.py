"""Reads the code blocks of a Markdown page in order, with what each is said to print and what is played around them.

What a reader does not need to see stands in comments before a block:

    <!-- not run: REASON -->       the next block is shown and not run
    <!-- status: 3 -->             the next block's last command ends with this status
    <!-- in the background: 8000 -->   the next block's command goes on running; the port tells that it is there
    <!-- a model is played: openai [at 11434] [JSON] -->   from here on a model of ours answers in that protocol, with
                                   the sources' best sentence or with the JSON; without a port, the environment names
                                   it, until another or "none" is played
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
RUN = {"python": "python", "py": "python", "console": "shell", "bash": "shell", "sh": "shell", "shell": "shell"}
_FENCE = re.compile(r"(?P<indent> *)(?P<ticks>`{3,})(?P<language>[\w+-]*).*")
_NOTE = re.compile(r"\s*<!-- (not run|status|in the background|a model is played): (.*?) -->\s*")


@dataclass
class Command:
    """A line typed at a prompt, and what the page says it prints; ``None`` where it says nothing."""

    typed: str
    shown: str | None


@dataclass
class Block:
    """One block of a page: ``kind`` is python or shell, ``notes`` and ``played`` the comments before it."""

    page: str
    line: int
    kind: str
    code: str
    shown: str | None = None
    notes: dict[str, str] = field(default_factory=dict)
    played: list[str] = field(default_factory=list)

    @property
    def place(self) -> str:
        """Where it stands, as editors open it."""
        return f"{self.page}:{self.line}"

    @property
    def not_run(self) -> str | None:
        """Why it is only shown, if it is."""
        return self.notes.get("not run")

    def commands(self) -> list[Command]:
        """What is typed: what stands after a prompt, or without prompts every line.

        A command goes on in the next line after a backslash, while a quote is open, and after ``> ``.
        """
        lines = self.code.splitlines()
        prompts = any(line.startswith("$ ") for line in lines)
        typed: list[Command] = []
        for line in lines:
            if typed and typed[-1].shown is None and (_open(typed[-1].typed) or (prompts and line.startswith("> "))):
                typed[-1].typed += "\n" + (line.removeprefix("> ") if prompts else line)
            elif line.startswith("$ ") or not prompts:
                if line.strip() and not line.startswith("#"):
                    typed.append(Command(line.removeprefix("$ "), None))
            else:
                typed[-1].shown = line if typed[-1].shown is None else f"{typed[-1].shown}\n{line}"
        return typed


def _open(typed: str) -> bool:
    """Whether a command goes on in the next line."""
    try:
        shlex.split(typed, comments=True)
    except ValueError:
        return True
    return typed.endswith("\\")


def pages() -> list[Path]:
    """The front page and every page of the documentation."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(page: Path) -> list[Block]:
    """The page's blocks that are code of ours; a block of text right after a Python one is what that prints."""
    name = str(page.relative_to(ROOT))
    found: list[Block] = []
    notes: dict[str, str] = {}
    played: list[str] = []
    last: Block | None = None
    lines = iter(enumerate(page.read_text(encoding="utf-8").splitlines(), 1))
    for number, line in lines:
        if note := _NOTE.fullmatch(line):
            if note[1] == "a model is played":
                played.append(note[2])
            else:
                notes[note[1]] = note[2]
            continue
        fence = _FENCE.fullmatch(line)
        if fence is None:
            last = None if line.strip() else last
            continue
        inside: list[str] = []
        for _, within in lines:
            if within.strip() == fence["ticks"]:
                break
            inside.append(within.removeprefix(fence["indent"]))
        kind = RUN.get(fence["language"])
        if kind is not None:
            last = Block(name, number, kind, "\n".join(inside), notes=notes, played=played)
            found.append(last)
            notes, played = {}, []
        elif last is not None and last.kind == "python" and fence["language"] == "text":
            last.shown = "\n".join(inside)
            last = None
    if notes or played:
        raise ValueError(f"{name} ends with a note that belongs to no block: {notes or played}")
    return found


def says(shown: str, printed: str) -> bool:
    """Whether a command printed what the page shows.

    ``…`` or ``...`` stands, with the space around it, for anything or nothing; spaces at a line's end say nothing.

    >>> says("a … d", "a b c d  ")
    True
    """
    wanted, got = (re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE).strip() for text in (shown, printed))
    pattern = ".*?".join(map(re.escape, re.split(r"\s*(?:…|\.\.\.)\s*", wanted)))
    return re.fullmatch(pattern, got, re.DOTALL) is not None
