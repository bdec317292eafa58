"""Pages that tell what changed, release by release: they name everything once and explain nothing.

The hard thing is to know one without reading its language: its headings are version numbers or days, which no other
page's are. A question that names a version or asks for a change is answered from them like from any other page.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from footnoted.types import Source

_DAY = r"\(?\d{4}-\d{1,2}-\d{1,2}\)?"
_STAGE = r"(?:[-.+]?(?:a|b|rc|alpha|beta|dev|post)[-.]?\d*)?"
_RELEASE = rf"(?:version |release )?v?\d{{1,4}}\.\d{{1,4}}(?:\.\d{{1,6}})?{_STAGE}(?:\W+{_DAY})?"
_HEADING = re.compile(  # a change log is named as keepachangelog.com and the hosts of code name it
    rf"\W*(?:change\s?log|release notes?|releases|unreleased|{_DAY}"
    rf"|(?=.*(?:\d\.\d+\.\d|v\d|{_DAY}|release |version )){_RELEASE})\W*",
    re.IGNORECASE,
)
_LONGEST = 80  # code points of such a heading
_OF_CHANGES = re.compile(
    r"\bv?\d+\.\d+(?:\.\d+)*\b|\b(?:releases?d?|change\s?log|deprecat\w+|breaking changes?"
    r"|what(?:'s| is)? (?:new|changed)|since (?:when|which|what)|(?:which|what|latest|newest|last) version)\b",
    re.IGNORECASE,
)


def tells_changes(source: Source) -> bool:
    """Whether a passage stands under a heading that is a version, or on a page that is named for its changes.

    >>> from footnoted.types import Source
    >>> tells_changes(Source(id="n", text="Fix typos.", title="Release Notes › 0.65.2 (2021-06-09) › Fixes"))
    True
    >>> tells_changes(Source(id="p", text="We pay for theft.", title="Home policy › 4.2 Theft"))
    False
    """
    return any(len(part) <= _LONGEST and _HEADING.fullmatch(part) for part in source.title.split(" › "))


def asks_for_changes(question: str) -> bool:
    """Whether a question names a version, or asks what changed."""
    return _OF_CHANGES.search(question) is not None
