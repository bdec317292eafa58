"""What passes from node to node: ids, decisions and the draft, never a source's text."""

from __future__ import annotations

from typing import TypedDict

from footnoted.assistants.community.decisions import Gate, Verification


class Draft(TypedDict):
    """A reply that is not verified yet: its text, and the ids of the sources it cites."""

    text: str
    cited: list[str]


class ReplyState(TypedDict, total=False):
    """The state of one reply. ``stopped`` says, in a word, where and why nothing will be said."""

    message_id: str
    gate: Gate
    selected: list[str]
    loaded: list[str]
    draft: Draft
    verification: Verification
    stopped: str
