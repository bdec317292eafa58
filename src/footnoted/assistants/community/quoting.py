"""A provider without a model: the passage that answers, quoted in its own order with its pointers.

A community's page answers a question with a section, not with a sentence: its opening, its list, its example.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, replace
from textwrap import dedent
from typing import TYPE_CHECKING

from footnoted.inert import readable
from footnoted.orders import is_order
from footnoted.retrieval.relevance import ShippedMeaning, rank, read, reread
from footnoted.text import estimate_tokens
from footnoted.text.markdown import list_mark, without_links
from footnoted.types import Delta, FinishReason, Pointer, Usage, Verdict

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from footnoted.grounding.judge import Weigher
    from footnoted.retrieval.relevance import Sentence
    from footnoted.types import Prompt, Source

_FIRST = 0.7  # of the room that is left, for a source that others follow
_IMAGE = re.compile(r"!\[[^\]\n]*\]\([^)\n]*\)(?:\{[^}\n]*\})?")
_TAG = re.compile(r"</?[a-zA-Z][^>\n]{0,200}>|\{:?[^}\n]{0,80}\}(?=\s*$)")


@dataclass(frozen=True, slots=True)
class _Piece:
    """A sentence or a listing, ready to be said: its words, what stands before it, and where it comes from."""

    text: str
    before: str
    pointer: Pointer | None


class Quoting:
    """Quotes of the first sources, within ``characters``: around the sentence that fits best, in order."""

    name = "quoting"
    model = "quoting"

    def __init__(self, *, characters: int) -> None:
        self.characters = characters
        self._meaning = ShippedMeaning()

    async def stream(self, prompt: Prompt) -> AsyncIterator[Delta]:
        """Yield the quotes. Without any, a refusal."""
        pieces = await asyncio.to_thread(self.quotes, prompt)
        written = 0
        for piece in pieces:
            text = piece.before + piece.text
            written += estimate_tokens(text)
            yield Delta(text=text, pointers=(piece.pointer,) if piece.pointer else ())
            await asyncio.sleep(0)
        finish = FinishReason.COMPLETE if pieces else FinishReason.REFUSED
        yield Delta(usage=Usage(output=written), finish_reason=finish)

    async def aclose(self) -> None:
        """Nothing to close."""

    def quotes(self, prompt: Prompt) -> list[_Piece]:
        """What to say, in order."""
        quotes: list[_Piece] = []
        room = self.characters
        ranked = rank(prompt.question, prompt.sources, likeness=self._meaning)
        ranked = reread(prompt.question, ranked, prompt.sources, self._meaning)
        for index, source in enumerate(prompt.sources):
            is_last = index == len(prompt.sources) - 1
            best = [sentence.start for sentence in ranked if sentence.source_index == index]
            pieces = _around_best(_pieces(source, index), best, room if is_last else int(room * _FIRST))
            if pieces:
                starts_list = pieces[0].text.startswith("```") or list_mark(pieces[0].text)[0]
                before = "" if not quotes else "\n" if starts_list else "\n\n"
                quotes += [replace(pieces[0], before=before), *pieces[1:]]
                room -= len(before) + len(pieces[0].text) + sum(len(piece.before + piece.text) for piece in pieces[1:])
        return quotes


class Verbatim:
    """A checker for quotes: what stands in a source letter by letter, markup aside; another checks the rest."""

    def __init__(self, checker: Weigher) -> None:
        self._checker = checker

    async def acheck(self, claim: str, sources: Sequence[Source], *, cited: Sequence[int] = ()) -> Verdict:
        """Supported at once, or what the other checker finds."""
        said = _letters(_plain(claim))
        if said and any(said in _letters(_plain(source.text)) for source in sources):
            return Verdict("supported", score=1.0, tier="exact")
        return await self._checker.acheck(claim, sources, cited=cited)

    async def aprepare(self, sources: Sequence[Source]) -> None:
        """Nothing to prepare: quotes are compared as they come."""


def _letters(text: str) -> str:
    return "".join(char for char in text if char.isalnum())


def _around_best(pieces: list[_Piece], ranked: Sequence[int], room: int) -> list[_Piece]:
    """The run of a source's pieces around the best, as long as fits.

    ``ranked`` is where the source's sentences begin, the best answer first. What introduces something goes with it.
    """
    units = _units(pieces)
    sizes = [sum(len(piece.before) + len(piece.text) + 4 for piece in unit) for unit in units]  # a marker's room
    starts = {piece.pointer.start: at for at, unit in enumerate(units) for piece in unit if piece.pointer is not None}
    fitting = (starts[start] for start in ranked if start in starts and sizes[starts[start]] <= room)
    best = 0 if sum(sizes) <= room else next(fitting, -1)
    if not units or best < 0:
        return []
    low, high = best, best + 1
    room -= sizes[best]
    while True:  # on to what follows, and back to what it follows on, by turns
        after = high < len(units) and sizes[high] <= room
        if after:
            room -= sizes[high]
            high += 1
        before = low > 0 and sizes[low - 1] <= room
        if before:
            low -= 1
            room -= sizes[low]
        if not (after or before):
            break
    while low < best and _goes_on(units, low):
        low += 1
    return [piece for unit in units[low:high] for piece in unit]


def _goes_on(units: list[list[_Piece]], at: int) -> bool:
    """Whether a unit stands inside an item that began before it: without its beginning it tells of nothing."""
    first = at
    while first > 0 and units[first][0].before == " ":
        first -= 1
    return first < at and bool(list_mark(units[first][0].text)[0])


def _units(pieces: list[_Piece]) -> list[list[_Piece]]:
    """The pieces, each that ends in a colon together with what it introduces; an introduction to nothing is none."""
    units: list[list[_Piece]] = []
    opened: list[_Piece] = []
    for piece in pieces:
        opened.append(piece)
        if not piece.text.endswith(":"):
            units.append(opened)
            opened = []
    return units


def _pieces(source: Source, index: int) -> list[_Piece]:
    """A source's sentences and listings as they may be said; headings, tables and orders are left out."""
    found: list[_Piece] = []
    block, number = -1, ""
    listing: list[Sentence] = []

    def told() -> None:
        if listing:
            _add(found, _listing(source, listing))
            listing.clear()

    for sentence in read(source, index):
        if sentence.kind == "code":
            listing.append(sentence)
            continue
        told()
        if sentence.kind in ("rule", "heading"):
            continue
        if sentence.kind not in ("prose", "item") or is_order(sentence.text):
            _add(found, None)
            continue
        if (alone := _plain(sentence.text)).endswith((".", ")")) and alone.strip("(.)").isdecimal():
            number = alone.strip("(.)")  # of an item in a block quote, which the reader of layouts takes for prose
            continue
        piece = _piece(sentence, index, same=sentence.block == block)
        if piece is not None and number:
            piece = replace(piece, text=f"{number}. {piece.text}", before="\n")
        _add(found, piece)
        if piece is not None:
            block, number = sentence.block, ""
    told()
    return found


def _add(found: list[_Piece], piece: _Piece | None) -> None:
    """Take a piece; of one that cannot be said, what introduces it goes too."""
    if piece is not None:
        found.append(piece)
        return
    while found and found[-1].text.endswith(":"):
        found.pop()


def _piece(sentence: Sentence, index: int, *, same: bool) -> _Piece | None:
    mark, words = list_mark(sentence.text) if sentence.kind == "item" else ("", sentence.text)
    if mark.isalpha():  # "a)" is read with the words
        mark, words = "", sentence.text
    words = _plain(words)
    if not any(char.isalnum() for char in words):
        return None
    pointer = Pointer(index, sentence.start, sentence.end)
    if mark:
        return _Piece(f"{mark}. {words}" if mark.isdecimal() else f"- {words}", "\n", pointer)
    return _Piece(words, " " if same else "\n\n", pointer)


def _plain(text: str) -> str:
    """A sentence's words: emphasis and code stay, links become their words, images and tags go."""
    lines = [line.strip().removeprefix(">").strip() for line in readable(text).splitlines()]
    paragraphs = (paragraph.replace("\n", " ") for paragraph in "\n".join(lines).split("\n\n"))  # links go over lines
    parts = without_links(_IMAGE.sub("", "\n\n".join(paragraphs))).split("`")
    code = range(1, len(parts) - 1, 2)  # what stands between two backticks
    return " ".join("`".join(part if n in code else _TAG.sub(" ", part) for n, part in enumerate(parts)).split())


def _listing(source: Source, lines: list[Sentence]) -> _Piece | None:
    """A listing, its lines as they stand."""
    start = source.text.rfind("\n", 0, lines[0].start) + 1
    text = dedent(readable(source.text[start : lines[-1].end])).rstrip()
    if "```" in text or is_order(text):
        return None
    opening = source.text.rfind("```", 0, start)
    language = source.text[opening + 3 : start].strip() if opening >= 0 else ""
    language = language if re.fullmatch(r"[\w+-]{0,15}", language) else ""
    return _Piece(f"```{language}\n{text}\n```", "\n", None)
