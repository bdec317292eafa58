"""What a line begins with, and where its words begin: a list's mark, a heading's hashes, a fence."""

from __future__ import annotations

from collections.abc import Iterator

from footnoted.text.marks import skip, skip_space

BULLETS = "-*+•‣–▪◦●"
_ALONE = ("|", "```", "~~~", "===", "---")
_MOST_DIGITS = 3
_MOST_HASHES = 6
_SHORTEST_FENCE = 3


def behind_mark(text: str, at: int = 0, stop: int | None = None) -> int:
    """Where an item's words begin behind a list's mark and white space: a bullet, "1.", "(12)", "a)". Else ``at``.

    >>> behind_mark("- rust"), behind_mark("(12) rust"), behind_mark("rust")
    (2, 5, 0)
    """
    stop = len(text) if stop is None else stop
    end = _mark_end(text, at, stop)
    words = skip_space(text, end, stop)
    return words if at < end < words else at


def is_item(text: str, at: int = 0, stop: int | None = None) -> bool:
    """Whether a list's mark stands at a place."""
    return behind_mark(text, at, stop) > at


def may_be_mark(text: str) -> bool:
    """Whether all of a line so far may still become a list's mark.

    >>> may_be_mark(" (1"), may_be_mark("- "), may_be_mark("- r")
    (True, True, False)
    """
    bare = text.strip()
    return not bare or bare in ("(", *BULLETS) or _mark_end(bare + ".", 0, len(bare) + 1) >= len(bare)


def _mark_end(text: str, at: int, stop: int) -> int:
    if at >= stop:
        return at
    if text[at] in BULLETS:
        return at + 1
    begin = at + (text[at] == "(")
    end = begin
    while end < stop and end - begin < _MOST_DIGITS and text[end].isdecimal():
        end += 1
    if end == begin and end < stop and "a" <= text[end] <= "z":
        end += 1
    return end + 1 if begin < end < stop and text[end] in ".)" else at


def behind_hashes(text: str, at: int = 0) -> int:
    """Where a heading's words begin behind its hashes and white space; ``at`` where it is no heading."""
    stop = len(text)
    end = skip(text, at, stop, "#")
    words = skip_space(text, end, stop)
    return words if 0 < end - at <= _MOST_HASHES and words > end else at


def fence(line: str) -> str:
    """The run of backticks or tildes that opens a listing; empty where none does.

    >>> fence("  ```sh"), fence("``code``")
    ('```', '')
    """
    bare = line.lstrip(" \t")
    run = bare[: skip(bare, 0, len(bare), bare[:1])] if bare.startswith(("`", "~")) else ""
    return run if len(run) >= _SHORTEST_FENCE else ""


def filled_lines(text: str) -> Iterator[tuple[int, int]]:
    r"""Where each line stands that is not blank, its margin included and its end not.

    >>> list(filled_lines("a\n\n b"))
    [(0, 1), (3, 5)]
    """
    at = 0
    for line in text.split("\n"):
        if line and not line.isspace():
            yield at, at + len(line)
        at += len(line) + 1


def begins_block(line: str) -> str:
    """``alone`` for a heading, a table's row, a fence or a rule, each a block by itself; ``item`` for one or a quote.

    >>> begins_block("## Theft"), begins_block("  > so"), begins_block("so it was")
    ('alone', 'item', '')
    """
    at = skip(line, 0, len(line), " \t")
    if line.startswith(_ALONE, at) or behind_hashes(line, at) > at:
        return "alone"
    return "item" if line.startswith(">", at) or is_item(line, at) else ""
