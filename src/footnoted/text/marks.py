"""Finds where a citation marker ends that may stand at a place of a text, as the reader sees it.

``[1]`` · ``[1, 3]`` · ``[Source 2]`` · ``[^1]`` · ``¹²`` · ``【1】`` · ``(Source: Policy - Section)``.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator

from footnoted.types import Span

LATER = -2  # not known yet
NEVER = -1  # not here
_YEARS = 1000  # sources are fewer than this number, years are not

_MARKER = re.compile(
    r"""\[\^?(?:[Ss]ources?[ ]{0,2}|Quellen?[ ]|Fuentes?[ ])?"""
    r"""(?P<numbers>\d{1,4}(?:[ ]?[,;–-][ ]?(?:[Ss]ource[ ])?\d{1,4}){0,9})\]"""
    r"""|【\d{1,4}[^】\s]{0,40}】|\((?:Source|Quelle|Fuente|Sumber):[^()\n]{1,200}\)""",
)
_MARKER_SO_FAR = re.compile(
    r"""\[\^?(?:[A-Zs][a-z]{0,7}[ ]{0,2})?(?:\d[\w ,;–-]{0,170})?|【(?:\d[^】\s]{0,44})?"""
    r"""|\((?:[SQF]\w{0,5}(?::[^()\n]{0,200})?)?"""
)
_INTEGER = re.compile(r"\d+")
_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⸴"
_SUPERSCRIPT = re.compile(f"[{_RAISED}]+(?:,[{_RAISED}]+)*")


def marker_end(text: str, at: int, stop: int, *, more: bool = False) -> int:
    """Where the citation marker that starts at ``at`` ends; `NEVER` if none does, `LATER` if one may.

    >>> marker_end("[1, 3] next", 0, 11)
    6
    """
    if at >= stop:
        return LATER if more else NEVER
    if text[at] in "[【(":
        found = _MARKER.match(text, at, stop)
        if found:
            return found.end()
        return LATER if more and _MARKER_SO_FAR.fullmatch(text, at, stop) else NEVER
    found = _SUPERSCRIPT.match(text, at, stop)
    if not found:
        return NEVER
    return LATER if more and not text[at:stop].strip(_RAISED + ",") else found.end()


def starts_with_marker(text: str, at: int, stop: int) -> bool:
    """Whether the first thing after white space is a citation marker."""
    return marker_end(text, skip_space(text, at, stop), stop) >= 0


def without_markers(text: str) -> str:
    """The text without its citation markers.

    >>> without_markers("£75 [1].² (Source: Policy)")
    '£75 . '
    """
    return _SUPERSCRIPT.sub("", _MARKER.sub("", text))


def closed_up(text: str) -> str:
    """The text without its markers in square brackets, nor the white space before them; a year in brackets stays.

    >>> closed_up("£75 [1]. See [2026] UKSC 4, m² 【2】.")
    '£75. See [2026] UKSC 4, m².'
    """
    kept, at = "", 0
    for found in _MARKER.finditer(text):
        if not _if_named(found) and max(integers(found["numbers"] or "0")) < _YEARS:
            kept += text[at : found.start()].rstrip()
            at = found.end()
    return kept + text[at:]


def without_numbers(text: str) -> str:
    """The text without the markers that are numbers: what stands in ``(Source: …)`` may be any words.

    >>> without_numbers("£75 [1].² (Source: Policy)")
    '£75 . (Source: Policy)'
    """
    return _SUPERSCRIPT.sub("", _MARKER.sub(lambda found: _if_named(found) or "", text))


def blanked(text: str) -> str:
    """The same with spaces for them; lengths stay.

    >>> blanked("£75 [1].")
    '£75    .'
    """
    return _SUPERSCRIPT.sub(_spaces, _MARKER.sub(lambda found: _if_named(found) or _spaces(found), text))


def _if_named(found: re.Match[str]) -> str:
    return found.group() if found.group().startswith("(") else ""


def _spaces(found: re.Match[str]) -> str:
    return " " * len(found.group())


def cited(text: str) -> Iterator[tuple[list[int], Span]]:
    """The numbers of each marker in square brackets and where it stands; of a range its ends.

    >>> list(cited("It is £75 [1, 3]."))
    [([1, 3], Span(start=10, end=16))]
    """
    for found in _MARKER.finditer(text):
        if found["numbers"]:
            yield integers(found["numbers"]), Span(*found.span())


def integers(text: str) -> list[int]:
    """Every number of a text."""
    return [int(digits) for digits in _INTEGER.findall(text)]


def skip_space(text: str, at: int, stop: int) -> int:
    """The first place from ``at`` on that is no white space, or ``stop``."""
    while at < stop and text[at].isspace():
        at += 1
    return at


def stripped(text: str, start: int, stop: int) -> tuple[int, int]:
    """The stretch without the white space at its ends."""
    start = skip_space(text, start, stop)
    while stop > start and text[stop - 1].isspace():
        stop -= 1
    return start, stop


def skip(text: str, at: int, stop: int, chars: Container[str]) -> int:
    """The first place from ``at`` on where none of ``chars`` stands, or ``stop``."""
    while at < stop and text[at] in chars:
        at += 1
    return at
