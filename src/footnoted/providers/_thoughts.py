"""Removes from a reply, piece by piece, what the model thought aloud before its answer."""

from __future__ import annotations

import re
from functools import cache

_NAMES = ("think", "thinking", "thought", "thoughts", "reasoning", "reflection")
_CLOSED_BY = {f"<{name}>": f"</{name}>" for name in _NAMES} | {"[think]": "[/think]", "◁think▷": "◁/think▷"}
# gpt-oss (OpenAI's harmony format) writes every message with its channel; only ``final`` is for the reader.
_CHANNEL, _MESSAGE, _START = "<|channel|>", "<|message|>", "<|start|>"
_HEADER = (_MESSAGE, _CHANNEL)  # what follows a message's beginning
_ENDS = ("<|end|>", "<|return|>", "<|call|>", _START, _CHANNEL)
_OPENINGS = (*_CLOSED_BY, _CHANNEL, _START)


class Thoughts:
    """Takes thoughts out of the beginning of a reply: ``<think>…</think>`` and its kin, channels not for the reader.

    Only where a reply begins, after white space or another thought, is such a tag one; elsewhere it is text. However
    the reply is cut, the same comes out.

    >>> thoughts = Thoughts()
    >>> thoughts.decode("<think>75 or 80? ") + thoughts.decode("75.</think>The excess is £75.") + thoughts.flush()
    'The excess is £75.'
    """

    def __init__(self) -> None:
        self._held = ""
        self._until: tuple[str, ...] = ()  # what ends the stretch under way; none before the answer
        self._shown = False  # whether that stretch is a channel's, for the reader
        self.any = False  # whether there was a thought
        self.settled = False  # whether all that follows is the answer

    @property
    def thinking(self) -> bool:
        """Whether a thought is under way."""
        return bool(self._until) and not self._shown

    def decode(self, piece: str) -> str:
        """What of the answer is certain now that ``piece`` has arrived."""
        if self.settled:
            return piece
        self._held += piece
        out: list[str] = []
        while self._step(out):
            pass
        return "".join(out)

    def flush(self) -> str:
        """What was held back; the reply is over. A thought that never ended is none of it."""
        held, self._held = self._held, ""
        self.settled = True
        if self.thinking:
            return ""
        return held.lstrip() if self.any and not self._shown else held

    def _step(self, out: list[str]) -> bool:
        """Take the next stretch off what is held; false when more must arrive first, or nothing more is to be done."""
        if self.settled:
            return False
        if not self._until:
            return self._open(out)
        found = _any_of(self._until).search(self._held)
        if found is not None:
            self._close(out, found.start(), found.group().lower())
            return True
        if self._until != _HEADER:
            keep = len(self._held) - _unfinished(self._held, self._until)
            if self._shown:
                out.append(self._held[:keep])
            self._held = self._held[keep:]
        return False

    def _open(self, out: list[str]) -> bool:
        begun = self._held.lstrip()
        opening = next((one for one in _OPENINGS if begun[: len(one)].lower() == one), "")
        if opening:
            self.any = True
            self._held = begun[len(opening) :]
            self._until = (_CLOSED_BY[opening],) if opening in _CLOSED_BY else _HEADER
            return True
        if any(one.startswith(begun.lower()) for one in _OPENINGS):
            return False
        out.append(begun if self.any else self._held)
        self._held = ""
        self.settled = True
        return False

    def _close(self, out: list[str], at: int, end: str) -> None:
        before, self._held = self._held[:at], self._held[at + len(end) :]
        if self._until == _HEADER:  # a header: "analysis", "final", "assistant" where no channel is named
            named = before.split()
            self._shown = end == _MESSAGE and named[:1] in ([], ["final"], ["assistant"])
            self._until = _ENDS if end == _MESSAGE else self._until
            return
        if self._shown:
            out.append(before)
        self._shown = False
        self._until = _HEADER if end in (_START, _CHANNEL) else ()


@cache
def _any_of(ends: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, ends)), re.IGNORECASE)


def _unfinished(text: str, ends: tuple[str, ...]) -> int:
    """How many code points at the end of a text may be the beginning of one of ``ends``."""
    longest = min(len(text), max(map(len, ends)) - 1)
    return next((n for n in range(longest, 0, -1) if any(end.startswith(text[-n:].lower()) for end in ends)), 0)
