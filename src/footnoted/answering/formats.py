"""Rewrites a model's text, piece by piece, into the format asked for: bullets, plain text or JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from footnoted.contract import OutputFormat
from footnoted.inert import on_one_line
from footnoted.text.lines import behind_hashes, behind_mark, may_be_mark

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from footnoted.types import Citation, FinishReason, Source

_MOST_SPACES = 4
_MARGIN = 3  # white space before a heading or a quote, at most
_MARKS = frozenset(["", ">", "`", "``", *("#" * depth for depth in range(1, 7))])


class LineShaper:
    """Rewrites each line's start (and, for plain text, drops ``**``); any cut of the input gives the same output."""

    def __init__(
        self, undecided: Callable[[str], bool], open_line: Callable[[str], str | None], *, strip_bold: bool = False
    ) -> None:
        self._undecided = undecided
        self._open_line = open_line
        self._strip_bold = strip_bold
        self._head: str | None = ""  # the line's start while undecided; None inside a line
        self._star = ""
        self._skip_newline = False

    def decode(self, piece: str) -> str:
        """The part of the text that is settled once ``piece`` is known."""
        out: list[str] = []
        for part in piece.splitlines(keepends=True) if "\n" in piece else (piece,):
            self._take(part, out)
        return "".join(out)

    def flush(self) -> str:
        """What was held back; the stream is over."""
        out: list[str] = []
        if self._head:
            self._settle(out)
        if self._star:
            out.append(self._star)
            self._star = ""
        return "".join(out)

    def _take(self, part: str, out: list[str]) -> None:
        ended = part.endswith("\n")
        if self._head is not None:
            self._head += part.rstrip("\r\n") if ended else part
            if not ended and self._undecided(self._head):
                if self._head.isspace():
                    self._head = self._head[:_MOST_SPACES]  # more can wait in a list alone, which wants none of it
                elif self._head.lstrip().startswith("```"):
                    self._head = "```"  # the line goes, however long it gets
                return
            self._settle(out)
        else:
            self._write(part.removesuffix("\n") if ended else part, out)
        if ended:
            if self._skip_newline:
                self._skip_newline = False
            else:
                self._write("\n", out)
            self._head = ""

    def _settle(self, out: list[str]) -> None:
        opened = self._open_line(self._head or "")
        self._head = None
        if opened is None:
            self._skip_newline = True  # the whole line goes, its end included
        else:
            self._write(opened, out)

    def _write(self, text: str, out: list[str]) -> None:
        if self._strip_bold:
            text = self._star + text
            self._star = ""
            text = text.replace("**", "")
            if text.endswith("*"):
                text, self._star = text[:-1], "*"
        if text:
            out.append(text)


def shaper(output_format: OutputFormat) -> LineShaper | None:
    """The shaper a format needs, or ``None`` where the model's text goes through as it is."""
    if output_format is OutputFormat.BULLETS:
        return LineShaper(may_be_mark, _as_bullet)
    if output_format in (OutputFormat.PLAIN, OutputFormat.JSON):
        return LineShaper(_may_be_plain, _as_plain, strip_bold=True)
    return None


def _as_bullet(head: str) -> str | None:
    bare = head.lstrip()
    return f"- {bare[behind_mark(bare) :]}" if bare else None


def _may_be_plain(head: str) -> bool:
    """Whether the start of a line may still turn out to be a heading, a quote or a code fence."""
    bare = head.lstrip()
    return len(head) - len(bare) <= _MARGIN and (bare.rstrip() in _MARKS or bare.startswith("```"))


def _as_plain(head: str) -> str | None:
    bare = head.lstrip()
    if bare.startswith("```"):
        return None
    if len(head) - len(bare) > _MARGIN:
        return head
    if bare.startswith(">"):
        return bare[2:] if bare[1:2].isspace() else bare[1:]
    words = behind_hashes(bare)
    return bare[words:] if words else head


JSON_OPENING = '{"answer": "'


def json_escape(text: str) -> str:
    """``text`` as it stands inside a JSON string (RFC 8259), without the quotes."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


def json_unescape(text: str) -> str:
    """The text that `json_escape` made this of."""
    return str(json.loads(f'"{text}"'))


def json_closing(citations: Sequence[Citation], sources: Sequence[Source], finish_reason: FinishReason) -> str:
    """The rest of the JSON object once the answer's text is out."""
    listed = [
        {
            "number": citation.number,
            "source": citation.source_id,
            "title": on_one_line(sources[citation.source].title),
            "start": citation.source_start,
            "end": citation.source_end,
            "quote": citation.quote,
        }
        for citation in citations
    ]
    return f'", "citations": {json.dumps(listed, ensure_ascii=False)}, "finish_reason": "{finish_reason.value}"}}'
