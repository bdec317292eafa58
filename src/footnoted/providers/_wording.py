"""Strips list marks, hashes and pipes from a sentence as it stands in a source."""

from __future__ import annotations

import re

from footnoted.retrieval.load.document import fence_for
from footnoted.text import markdown
from footnoted.text.markdown import list_mark, without_links, without_opening
from footnoted.text.marks import closed_up
from footnoted.text.scripts import is_han, is_thai

_EMPHASIS = re.compile(  # or code, in which asterisks are none
    r"(`+)(?!`).+?(?<!`)\1(?!`)|(?<![\w*_])(\*{1,3}|_{1,3})(?=\S)(?P<words>.+?)(?<=\S)\2(?![\w*_])", re.DOTALL
)
_ENDS = tuple(".!?…。！？।؟۔")
_AFTER_ENDS = "\"'”’»)]」』）*_`"


def plain(words: str) -> str:
    """Words without Markdown's marks, markers of their own and line breaks.

    >>> plain("**Theft** is [covered](a.md) [3]"), plain("*Not* `__init__` of `*/2,*/3`")
    ('Theft is covered', 'Not `__init__` of `*/2,*/3`')
    """
    words = closed_up(without_links(words))
    words = _EMPHASIS.sub(lambda found: found["words"] or found[0], words)
    return " ".join(words.split())


def sentence(words: str) -> str:
    """One sentence with a capital at its start and a mark at its end.

    >>> sentence("- your **excess** is £75;")
    'Your excess is £75.'
    """
    words = plain(without_opening(words)).rstrip(" ,;:：；，、")
    if not any(char.isalnum() for char in words):
        return ""
    words = _capital(words)
    if words.rstrip(_AFTER_ENDS).endswith(_ENDS) or is_thai(words[-1]):
        return words
    return words + ("。" if is_han(words[-1]) else ".")


def code(words: str) -> str:
    r"""A line of a program marked as code, several as a listing between fences.

    >>> code("pip install it"), code("if x:\n    y()")
    ('`pip install it`', '```\nif x:\n    y()\n```')
    """
    words = words.strip()
    return listed(words) if "\n" in words else f"`{words}`"


def listed(words: str) -> str:
    """Lines of a program between fences that nothing in them closes."""
    fence = fence_for(words)
    return f"{fence}\n{words}\n{fence}"


def row(words: str, header: str) -> str:
    """A table row as one sentence, each value after its column's name.

    >>> row("| Theft | £250 | |", "| Cover | Excess | Note |")
    'Cover: Theft; Excess: £250.'
    """
    names = cells(header)
    values = cells(words)
    names += [""] * (len(values) - len(names))
    named = [f"{name}: {value}" if name else value for name, value in zip(names, values, strict=False) if value]
    return sentence("; ".join(named))


def listing(lead: str, items: list[str]) -> str:
    """A sentence ending in a colon with the items it introduces, as one sentence.

    >>> listing("We do not pay for:", ["- rust;", "- theft when the keys were left in the car."])
    'We do not pay for: rust; theft when the keys were left in the car.'
    """
    told = [plain(without_opening(item)).rstrip(" .,;:") for item in items]
    return sentence(f"{opening(lead)} {'; '.join(one for one in told if one)}")


def opening(lead: str) -> str:
    """What introduces a list, without marks of its own."""
    return _capital(plain(without_opening(lead)).rstrip())


def _capital(words: str) -> str:
    """The words with a capital at their start, unless they begin with a name: ``infile:``, ``max_age``."""
    first = words.partition(" ")[0]
    return words[0].upper() + words[1:] if first.isalpha() and first.islower() else words


def item(words: str) -> str:
    """One item as it stands in a list, a step with its number.

    >>> item("* rust;"), item("3) Close the **lid**.")
    ('- rust', '3. Close the lid.')
    """
    mark, _ = list_mark(words)
    told = plain(without_opening(words)).rstrip(" ,;:")
    return f"{mark}. {told}" if mark.isdecimal() else f"- {told}"


def cells(words: str) -> list[str]:
    """The cells of a Markdown table row, plain; empty for the rule under a header."""
    return [] if markdown.is_separator(words) else [plain(cell.replace(r"\|", "|")) for cell in markdown.cells(words)]
