"""Cuts an answer into claims as it arrives, as the reader sees it, each told as soon as it is over.

A sentence closes once its trailing markers are in: at the first character that can no longer belong to it,
or at the end of its line. Headings, list items, table rows and lines of code stand alone. However the text
is cut, the claims are the same, and those told at any time depend on the text so far only.
"""

from __future__ import annotations

from footnoted.grounding.blocks import Line, closes_fence, read_line
from footnoted.grounding.exempt import is_bare_reply
from footnoted.grounding.outline import Outline, Unit
from footnoted.text import UNSPACED
from footnoted.text.boundaries import FACES, MARKS, Cursor, next_end
from footnoted.text.marks import skip_space, stripped
from footnoted.types import Claim

# The only characters that can end anything: inside sentences, inside Thai ones, inside a line that is one unit.
_LIVE_ALONE = frozenset("\n")
_LIVE = FACES.union(MARKS, _LIVE_ALONE, map(chr, range(0xE01, 0xE5C)))
_LIVE_THAI = FACES.union(MARKS, _LIVE_ALONE, " \t")
_SALUTATION = 30  # columns
_WRAPPED_AT_LEAST, _WRAPPED_AT_MOST = 56, 120  # columns of lines that were wrapped, not written as lines
_HANGING = (",", "，", "、", "(", "（", "–", "-")
_HANGING_WORDS = frozenset(
    """a an the of to in for and or with by from on at your our its is are be as that which
    der die das und oder für mit le la les de du des et ou el los las y o del""".split()
)


def segment(text: str) -> list[Claim]:
    r"""The claims of a whole answer, in order.

    >>> [(claim.text, claim.kind) for claim in segment("You need:\n- a form [1]\n- £75. [2] Why?")]
    [('You need:', 'lead_in'), ('a form [1]', 'claim'), ('£75. [2]', 'claim'), ('Why?', 'question')]
    """
    segmenter = ClaimSegmenter()
    return segmenter.decode(text) + segmenter.flush()


class ClaimSegmenter:
    """Cuts a growing answer into claims: `decode` its pieces in order, then `flush`."""

    __slots__ = ("_at", "_base", "_block", "_cursor", "_fence", "_live", "_outline", "_state", "_text", "_unread")

    def __init__(self) -> None:
        self._reset()

    def _reset(self) -> None:
        self._text = ""  # the answer from the open sentence on
        self._base = 0  # where that begins in the answer
        self._unread: list[str] = []
        self._live: frozenset[str] | None = None  # only these characters matter now; None: all do
        self._state = "line"  # line: one begins · prose: inside sentences · alone: inside a line that is one unit
        self._at = 0  # where the line, or the content of a line that stands alone, begins
        self._cursor = Cursor(0, 0)  # the open sentence
        self._block = Line("blank", 0)  # the block the open sentence stands in
        self._fence = ""  # the mark that opened the code we are in
        self._outline = Outline()

    def decode(self, piece: str) -> list[Claim]:
        """The claims that are over now that ``piece`` is in."""
        self._unread.append(piece)
        if self._live is not None and self._live.isdisjoint(piece):
            return []
        return self._read(more=True)

    def flush(self) -> list[Claim]:
        """What is still open when the answer ends; the segmenter is then ready for another answer."""
        claims = self._read(more=False)
        claims += self._outline.finish()
        self._reset()
        return claims

    def _read(self, *, more: bool) -> list[Claim]:
        self._text += "".join(self._unread)
        self._unread = []
        self._live = None
        claims: list[Claim] = []
        going = True
        while going:
            if self._state == "prose":
                going = self._read_prose(claims, more=more)
            elif self._state == "line":
                going = self._begin_line(claims, more=more)
            else:
                going = self._read_alone(claims, more=more)
        self._forget()
        return claims

    def _forget(self) -> None:
        """Drop the text before the open sentence."""
        keep = min(self._at, self._cursor.begin)
        if keep:
            self._text = self._text[keep:]
            self._base += keep
            self._at -= keep
            cursor = self._cursor
            cursor.begin -= keep
            cursor.at -= keep
            if cursor.opened:
                cursor.opened = [(mark, at - keep) for mark, at in cursor.opened]

    def _begin_line(self, claims: list[Claim], *, more: bool) -> bool:
        text = self._text
        if self._at >= len(text):
            if not more:
                self._close(claims, len(text))
            return False
        if self._fence:
            return self._start(Line("fence", self._at, fence=self._fence), "alone")
        line = read_line(text, self._at, more=more)
        if line is None:
            return False
        if line.kind == "blank":
            self._close(claims, self._at)
            self._outline.blank()
            newline = text.find("\n", self._at)
            self._at = newline + 1 if newline >= 0 else len(text)
            self._cursor.restart(self._at)
            return newline >= 0
        if line.kind == "prose" and self._continues(line.content):
            self._cursor.at = line.content
            self._state = "prose"
            return True
        underlined = line.kind == "rule" and text[line.content] in "=-"
        self._close(claims, self._at, underlined=underlined)
        claims += self._outline.follow(line)
        return self._start(line, "prose" if line.kind in ("prose", "item") else "alone")

    def _start(self, line: Line, state: str) -> bool:
        self._block = line
        self._at = line.content
        self._cursor.restart(line.content)
        self._state = state
        return True

    def _read_alone(self, claims: list[Claim], *, more: bool) -> bool:
        newline = self._text.find("\n", self._at)
        if newline < 0 and more:
            self._live = _LIVE_ALONE
            return False
        stop = newline if newline >= 0 else len(self._text)
        if self._block.kind == "fence":
            line = self._text[self._at : stop]
            if not self._fence:
                self._fence = self._block.fence
            elif closes_fence(line, self._fence):
                self._fence = ""
        self._close(claims, stop)
        self._at = stop + 1 if newline >= 0 else stop
        self._cursor.restart(self._at)
        self._state = "line"
        return newline >= 0

    def _read_prose(self, claims: list[Claim], *, more: bool) -> bool:
        text, cursor = self._text, self._cursor
        newline = text.find("\n", cursor.at)
        stop = newline if newline >= 0 else len(text)
        begin = cursor.begin
        while (end := next_end(text, cursor, stop, more=more and newline < 0)) is not None:
            follows = skip_space(text, end, stop) < stop
            if follows and is_bare_reply(text[begin:end]):
                cursor.begin = begin  # "Yes." stands or falls with the sentence that says why
                cursor.at = end + 1
                continue
            cursor.begin = begin
            self._close(claims, end, last=not follows)
            if follows:
                claims += self._outline.follow(None)
            begin = end
        if newline >= 0:
            self._at = newline + 1
            cursor.at = newline
            self._state = "line"
            return True
        if not more:
            self._close(claims, stop)
        elif not cursor.waiting:
            self._live = _LIVE_THAI if cursor.thai else _LIVE
        return False

    def _close(self, claims: list[Claim], end: int, *, last: bool = True, underlined: bool = False) -> None:
        """Tell the open sentence, if any, up to ``end``, and begin the next one there."""
        start, stop = stripped(self._text, self._cursor.begin, end)
        self._cursor.restart(end)
        if stop > start:
            block = Line("heading", 0) if underlined else self._block
            unit = Unit(self._text[start:stop], self._base + start, block.kind, block.depth, last=last)
            claims += self._outline.take(unit)

    def _continues(self, content: int) -> bool:
        """Whether the line that begins is the open sentence wrapped, rather than a line of its own."""
        text, begin = self._text, self._cursor.begin
        hard = text[self._at - 3 : self._at - 1] == "  "
        _, end = stripped(text, begin, self._at - 1)
        if end <= begin or hard:
            return False
        row = text[max(begin, text.rfind("\n", begin, end) + 1) : end]
        if UNSPACED.match(row[-1]) or row[-1] in ":：;" or _is_json(row.strip()):
            return False
        if row[-1] == "," and len(row) <= _SALUTATION and text[content].isupper():
            return False  # "Kind regards,"
        if (row[-1] == "." and not self._cursor.opened) or _hangs(row) or text[content].islower():
            return True  # a full stop that closed nothing is an abbreviation's
        return _WRAPPED_AT_LEAST <= len(row) <= _WRAPPED_AT_MOST


def _is_json(row: str) -> bool:
    """Whether a line is one of a JSON text: a bracket alone, or a name and its value."""
    _, _, value = row[1:].partition('"')
    return row.rstrip(",") in ("{", "}", "[", "]") or (row.startswith('"') and value.lstrip().startswith(":"))


def _hangs(row: str) -> bool:
    """Whether a line ends where no sentence does: with a comma, an article, a preposition."""
    return row.endswith(_HANGING) or row.rsplit(maxsplit=1)[-1].lstrip("([\"'“‘*_").lower() in _HANGING_WORDS
