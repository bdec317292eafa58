"""Finds where a sentence ends, in a whole text and in one that still streams in, by the same rules.

What follows an end mark decides it (a lower-case word runs on, a marker ``[1]`` belongs to the sentence before), and
what stands before it (``Dr.``, ``No. 5``, an initial, an open bracket or quotation). The one hard thing is the stream:
with ``more`` to come, an end that later characters could still change is not told yet.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from footnoted.text.abbreviations import depends_on_next_word, full_stop_closes, lower_case_begins
from footnoted.text.marks import LATER, NEVER, marker_end, skip, skip_space, starts_with_marker
from footnoted.text.scripts import is_han, is_hangul, is_thai
from footnoted.text.thai import space_ends

MARKS = ".!?…‽。！？｡।॥؟۔።။។"
_EAST = frozenset("。！？｡।॥؟۔።။។")
_OTHER_FACES = "\U0001f917\U0001f91d\U0001f923\U0001f929\U0001f970\U0001f389\U0001f38a\U0001f44b\U0001f44d\U0001f44f"
FACES = frozenset((*map(chr, range(0x1F600, 0x1F650)), *_OTHER_FACES))
_FACES = f"\U0001f600-\U0001f64f{_OTHER_FACES}"


def _but_for(notable: str) -> str:
    """A class of these characters and all beyond U+FFFF, inside out: with faces spelled out `re` is 3 times slower."""
    ranges, low = "", 0
    for code in [*sorted(map(ord, notable)), 0x10000]:
        if low < code:
            ranges += f"\\u{low:04x}-\\u{code - 1:04x}"
        low = code + 1
    return f"[^{ranges}]"


_CANDIDATE = re.compile(rf"[{MARKS}]+|[{_FACES}]+|[ \t]+")  # white space in a sentence with Thai in it alone
_IN_FACES = FACES.union("\ufe0f", map(chr, range(0x1F3FB, 0x1F400)))  # what says how a face is drawn, and skins
_CLOSERS = "\"'”’“»«›)]*_~`」』）】〉》"
_OPENERS = "\"'“”‘„«»‹([*_~¿¡「『（【〈《"
_NOTABLE = re.compile(_but_for(MARKS + "".join(map(chr, range(0xE01, 0xE5C)))))
_PAIRED = re.compile(r"""[()\[\]「」『』（）【】《》“”„«»"`]""")
_CLOSES = {")": "(", "]": "[", "」": "「", "』": "『", "）": "（", "】": "【", "》": "《", "”": "“„"}
_SENTENCE_TAIL = 120  # code points
_LONGEST_WORD = 40
_NEXT_WORD = re.compile(rf"[\w'’-]{{0,{_LONGEST_WORD}}}")
_MOST_TRAILING = 16  # markers and faces behind one sentence
_DEEPEST = 16  # nested brackets and quotations
_LONGEST_ASIDE = 300  # code points; a bracket or quotation open for longer was never meant to close


@dataclass(slots=True)
class Cursor:
    """Where reading stands: the open sentence's start, the first code point unread, and what is unclosed.

    ``waiting`` says that an end mark has been read which later characters will decide.
    """

    begin: int
    at: int
    opened: list[tuple[str, int]] = field(default_factory=list)
    thai: bool = False
    waiting: bool = False

    def restart(self, at: int) -> None:
        """Begin a new sentence at ``at``."""
        self.begin = self.at = at
        self.opened.clear()
        self.thai = self.waiting = False


def next_end(text: str, cursor: Cursor, stop: int, *, more: bool = False) -> int | None:
    """Where the open sentence ends within ``text[:stop]``, its markers included; ``None``: not there.

    On an end the cursor restarts behind it. ``more``: ``text`` goes on beyond ``stop``, but is not known yet.
    """
    cursor.waiting = False
    while (match := _next_candidate(text, cursor, stop)) is not None:
        _note_pairs(text, cursor, match.start())
        end = _judge(text, match, cursor, stop, more=more)
        if end == LATER:
            cursor.waiting = True
            return None
        if end == NEVER:
            cursor.at = match.end()
            continue
        cursor.restart(end)
        return end
    _note_pairs(text, cursor, stop)
    return None


def _next_candidate(text: str, cursor: Cursor, stop: int) -> re.Match[str] | None:
    """The next end mark, or in a sentence with Thai in it the next space."""
    at = cursor.at
    while not cursor.thai:
        found = _NOTABLE.search(text, at, stop)
        if found is None:
            return None
        if match := _CANDIDATE.match(text, found.start(), stop):
            return match
        at = found.end()
        cursor.thai = is_thai(found.group())
    return _CANDIDATE.search(text, cursor.at, stop)


def _note_pairs(text: str, cursor: Cursor, stop: int) -> None:
    for match in _PAIRED.finditer(text, cursor.at, stop):
        _pair(cursor.opened, match.group(), match.start())
    cursor.at = stop


def _pair(opened: list[tuple[str, int]], char: str, at: int) -> None:
    """Open or close one bracket or quotation. German „…“ and »…« close with what opens elsewhere."""
    top = opened[-1][0] if opened else ""
    if char in '"`' and any(char == mark for mark, _ in opened):
        while opened.pop()[0] != char:
            pass
    elif (char == "“" and top == "„") or (char == "«" and top == "»") or (char == "»" and top == "«"):
        opened.pop()
    elif char in _CLOSES:
        if top and top in _CLOSES[char]:
            opened.pop()
    else:
        opened.append((char, at))
        del opened[:-_DEEPEST]


def _inside_aside(text: str, cursor: Cursor, closers: str, at: int) -> bool:
    """Whether brackets or a quotation stay open. A bracket round whole sentences does not hold them together."""
    if not cursor.opened:
        return False
    opened = cursor.opened.copy()
    for char in closers:
        if _PAIRED.match(char):
            depth = len(opened)
            _pair(opened, char, at)
            del opened[depth:]
    if opened and opened[0][0] in "([（" and opened[0][1] == skip_space(text, cursor.begin, at):
        del opened[0]
    return any(at - start <= _LONGEST_ASIDE for _, start in opened)


def _judge(text: str, match: re.Match[str], cursor: Cursor, stop: int, *, more: bool) -> int:
    mark = match.group()
    if mark[0] in " \t":
        end = space_ends(text, cursor.begin, match.span(), stop, more=more)
        return NEVER if end >= 0 and _inside_aside(text, cursor, "", end) else end
    after = skip(text, match.end(), stop, _CLOSERS)
    if after >= stop and more:
        return LATER
    end, spaced = _past_markers(text, after, stop, cursor, more=more)
    if end < 0:
        return end
    if _inside_aside(text, cursor, text[match.end() : end], match.start()):
        return NEVER
    if mark[0] in _IN_FACES:
        return _judge_face(text, match, cursor, stop, more=more)
    following = skip_space(text, end, stop)
    if following >= stop:
        if more:
            return LATER
        return end if mark != "." or full_stop_closes(_sentence(text, cursor, match), "") else NEVER
    if any(char in _EAST for char in mark):
        return _judge_east(text, match, after, end, following)
    if following == end:
        return end if end > after or _closes_unspaced(text, match, following) else NEVER
    return _judge_west(text, match, cursor, after, end, following, stop, spaced=spaced, more=more)


def _past_markers(text: str, at: int, stop: int, cursor: Cursor, *, more: bool) -> tuple[int, bool]:
    """Behind the markers and faces that trail a sentence, and whether a space stood before a marker."""
    end, spaced, leading = at, False, None
    for _ in range(_MOST_TRAILING):
        start = skip_space(text, end, stop)
        if start >= stop:
            return (LATER, spaced) if more else (end, spaced)
        if text[start] in _IN_FACES:
            end = skip(text, start, stop, _IN_FACES)
            if end >= stop and more:
                return LATER, spaced
            continue
        found = marker_end(text, start, stop, more=more)
        if found == LATER:
            return LATER, spaced
        if found == NEVER:
            return end, spaced
        if start > end:
            leading = starts_with_marker(text, cursor.begin, stop) if leading is None else leading
            if leading:
                return end, spaced
            spaced = True
        end = skip(text, found, stop, _CLOSERS)
        if end >= stop and more:
            return LATER, spaced
        end = skip(text, end, stop, MARKS)  # "£75 [1].[2]."
    return end, spaced


def _judge_face(text: str, match: re.Match[str], cursor: Cursor, stop: int, *, more: bool) -> int:
    end = skip(text, match.start(), stop, _IN_FACES)
    following = skip_space(text, end, stop)
    if following >= stop:
        return LATER if more else end
    words_before = skip_space(text, cursor.begin, match.start()) < match.start()
    return end if words_before and following > end and text[following].isupper() else NEVER


def _judge_east(text: str, match: re.Match[str], after: int, end: int, following: int) -> int:
    """After 。！？ a sentence is over, unless a closed quotation is taken up by a particle: 「…。」と言う."""
    if end == after:
        quoted = after > match.end()
        if text[end] in "、，," or (quoted and text[end] in "とっのはがをにでも"):
            return NEVER
        if match.group()[-1] == "؟" and _takes_up(text, match.end(), after, following):
            return NEVER
    return end


def _takes_up(text: str, closers: int, after: int, following: int) -> bool:
    """Whether a word in a script without case goes on after a quoted question: «…؟» وقال."""
    quoted = any(char in '"”»“' for char in text[closers:after])
    return quoted and "\u0590" <= text[following] <= "\u109f"  # Hebrew to Burmese


def _closes_unspaced(text: str, match: re.Match[str], following: int) -> bool:
    """Whether a Western mark with no space behind it ends a sentence, as it may between unspaced scripts."""
    mark, quoted = match.group(), following > match.end()
    if mark[0] == "…" or mark.startswith("..") or not _is_unspaced(text[following]):
        return False
    if quoted and is_hangul(text[following]):
        return False  # "…."라고: a particle takes the quotation up
    before = text[max(match.start() - 1, 0)]
    return mark != "." or _is_unspaced(before)


def _is_unspaced(char: str) -> bool:
    return is_han(char) or is_hangul(char)


def _judge_west(
    text: str,
    match: re.Match[str],
    cursor: Cursor,
    after: int,
    end: int,
    following: int,
    stop: int,
    *,
    spaced: bool,
    more: bool,
) -> int:
    """Whether a Western mark ends a sentence: by the word that follows, and by that before a full stop."""
    first = skip(text, following, stop, _OPENERS)
    if first >= stop:
        return LATER if more else end
    found = _NEXT_WORD.match(text, first, stop)
    word = found.group() if found else ""
    whole = not more or first + len(word) < stop or len(word) == _LONGEST_WORD
    sentence = _sentence(text, cursor, match)
    small = text[first] != text[first].upper()  # the sign ℹ is a letter that has no capital
    if small and not (len(word) > 1 and word[1].isupper()):
        if not whole:
            return LATER
        if spaced:
            return after  # "It costs £75. [1] says otherwise."
        if end > after:
            return end
        return end if match.group() == "." and lower_case_begins(sentence, word) else NEVER
    if match.group() != "." or end > after:
        return NEVER if end == after and _takes_up(text, match.end(), after, first) else end
    if not whole and depends_on_next_word(sentence):
        return LATER
    return end if full_stop_closes(sentence, word) else NEVER


def _sentence(text: str, cursor: Cursor, match: re.Match[str]) -> str:
    """The sentence before a mark, or as much of its end as can matter."""
    return text[max(cursor.begin, match.start() - _SENTENCE_TAIL) : match.start()]
