"""What Markdown's marks are in a sentence or a line: links, emphasis, list marks, a table's cells, listings.

Texts of anybody's flow in, their words flow out. Whole documents are read by `retrieval.load`, answers as they arrive
by `grounding.blocks` and `citations.blocks`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from footnoted.text.lines import behind_hashes, behind_mark
from footnoted.text.marks import skip_space

_LINK = re.compile(
    r"!?\[([^\]\n]*)\]\((?:<[^>\n]*>|(?!<)(?:[^()\s]|\([^()\s]*\))*)(?:\s+\"[^\"\n]*\")?\)",
)
_EMPHASIS = re.compile(r"[*`]+|(?<!\w)_+|_+(?!\w)")
_BOXES = ("[ ] ", "[x] ", "[X] ")
_TAG = re.compile(r"<[^>\n]{1,80}>")


def without_links(text: str) -> str:
    """The words of links and pictures in their place.

    >>> without_links('See [the wording](a.md "As of May").')
    'See the wording.'
    """
    return _LINK.sub(r"\1", text) if "](" in text else text


def without_emphasis(text: str) -> str:
    """The text without the marks of emphasis and code; an underscore inside a name stays.

    >>> without_emphasis("**Never** set `max_age`, _ever_.")
    'Never set max_age, ever.'
    """
    return _EMPHASIS.sub("", text)


def as_read(text: str) -> str:
    """What a reader of the page sees of a heading or a sentence, on one line: no links, emphasis, tags.

    >>> as_read("Use [`CORSMiddleware`](cors.md)<br>")
    'Use CORSMiddleware'
    """
    return " ".join(without_emphasis(_TAG.sub("", without_links(text))).split())


def is_emphasis(text: str, marks: Sequence[str] = ("**", "__")) -> bool:
    """Whether a text is one stretch of bold, or of another of these ``marks``, with or without a colon behind it.

    >>> is_emphasis("**What max_age covers**:"), is_emphasis("**Never** and **always**")
    (True, False)
    """
    bare = text.removesuffix(":")
    mark = next((one for one in marks if bare.startswith(one) and bare.endswith(one)), "")
    inside = bare[len(mark) : -len(mark)] if mark else ""
    return bool(inside) and not inside[0].isspace() and mark not in inside and "\n" not in inside


def list_mark(text: str) -> tuple[str, str]:
    """What a list's item is marked with, without brackets and points, and its words; no mark where it is no item.

    >>> list_mark("3) Close the lid."), list_mark("Close it.")
    (('3', 'Close the lid.'), ('', 'Close it.'))
    """
    bare = text.lstrip()
    words = behind_mark(bare)
    return (bare[:words].strip().strip("(.)"), bare[words:]) if words else ("", text)


def without_opening(line: str) -> str:
    """The words of a line, behind the marks of its heading, its quotation and its list's item, a ticked box among them.

    >>> without_opening("> 2. Theft"), without_opening("## Theft"), without_opening("- [x] Theft")
    ('Theft', 'Theft', 'Theft')
    """
    begin = skip_space(line, 0, len(line))
    at = begin
    while (words := max(behind_mark(line, at), behind_hashes(line, at), _behind_quote(line, at))) > at:
        at = words
    at = skip_space(line, at + 3, len(line)) if at > begin and line.startswith(_BOXES, at) else at
    return line[at:] if at > begin else line


def _behind_quote(line: str, at: int) -> int:
    words = skip_space(line, at + 1, len(line)) if line.startswith(">", at) else at
    return words if words > at + 1 else at


def without_number(heading: str) -> str:
    """A heading without the number of its own.

    >>> without_number("3.1 Excess"), without_number("Excess")
    ('Excess', 'Excess')
    """
    number, _, words = heading.partition(" ")
    return words.lstrip() if number.rstrip(".)").replace(".", "").isdecimal() else heading


def cells(row: str) -> list[str]:
    r"""The cells of a table's row as written, their white space folded; an escaped bar ends none.

    >>> cells("| Theft |  £75  | |")
    ['Theft', '£75', '']
    """
    bare = row.strip().removeprefix("|").replace(r"\|", "\0").removesuffix("|")
    return [" ".join(cell.split()).replace("\0", r"\|") for cell in bare.split("|")]


def is_separator(row: str) -> bool:
    """Whether a table's row is the line of dashes under its header."""
    return all(set(cell.removeprefix(":").removesuffix(":")) == {"-"} for cell in cells(row.strip("> \t\r")))


def stretches(text: str) -> list[tuple[str, bool]]:
    r"""A text cut at its fences: each stretch, and whether it is a listing's code. The last may still be open.

    >>> stretches("Run:\n```sh\nmake\n```\nNow.")
    [('Run:\n', False), ('make\n', True), ('\nNow.', False)]
    """
    cut = text.split("```")
    return [(_without_language(piece) if place % 2 else piece, place % 2 == 1) for place, piece in enumerate(cut)]


def _without_language(code: str) -> str:
    named, newline, rest = code.partition("\n")
    return rest if newline and (not named or named.replace("_", "a").isalnum()) else code
