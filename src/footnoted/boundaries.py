"""A text and a cursor in; the next place where a sentence ends, from a bounded look ahead.

The same rules read a whole text and a stream: with ``more`` to come, an end that later characters could
still change is not told yet. What follows an end mark decides it (a lower-case word runs on, a marker
``[1]`` belongs to the sentence before), and what stands before it (``Dr.``, ``No. 5``, an initial, an open
bracket or quotation).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

LATER = -2  # not known yet
NEVER = -1  # not an end

MARKS = ".!?…‽。！？｡।॥؟۔።။។"
_EAST = frozenset("。！？｡।॥؟۔።။។")
FACES = "\U0001f600-\U0001f64f\U0001f917\U0001f91d\U0001f923\U0001f929\U0001f970\U0001f389\U0001f38a\U0001f44b\U0001f44d\U0001f44f"
_CANDIDATE = re.compile(rf"[{MARKS}]+|[{FACES}]+")
_CANDIDATE_THAI = re.compile(rf"[{MARKS}]+|[{FACES}]+|[ \t]+")
_FACE = re.compile(rf"[{FACES}\ufe0f\U0001f3fb-\U0001f3ff]+")
_THAI = re.compile("[\u0e01-\u0e5b]")
_UNCASED = re.compile("[\u0590-\u109f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_CLOSERS = re.compile(r"""["'”’“»«›)\]*_~`」』）】〉》]*""")
_OPENERS = re.compile(r"""["'“”‘„«»‹(\[*_~¿¡「『（【〈《]*""")
_PAIRED = re.compile(r"""[()\[\]「」『』（）【】《》“”„«»"`]""")
_CLOSES = {")": "(", "]": "[", "」": "「", "』": "『", "）": "（", "】": "【", "》": "《", "”": "“„"}
_LONGEST_WORD = 40
_NEXT_WORD = re.compile(rf"[\w'’-]{{0,{_LONGEST_WORD}}}")
_LONGEST_ASIDE = 300  # code points; a bracket or quotation open for longer was never meant to close

_MARKER = re.compile(
    r"""\[\^?(?:Sources?[ ]{0,2}|Quellen?[ ]|Fuentes?[ ])?\d{1,4}(?:[ ]?[,;–-][ ]?(?:Source[ ])?\d{1,4}){0,9}\]"""
    r"""|【\d{1,4}[^】\s]{0,40}】|\((?:Source|Quelle|Fuente|Sumber):[^()\n]{1,200}\)""",
)
_MARKER_SO_FAR = re.compile(
    r"""\[\^?(?:[A-Z][a-z]{0,7}[ ]{0,2})?(?:\d[\w ,;–-]{0,170})?|【(?:\d[^】\s]{0,44})?"""
    r"""|\((?:[SQF]\w{0,5}(?::[^()\n]{0,200})?)?"""
)
_SUPERSCRIPT = re.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⸴]+(?:,[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⸴]+)*")
_SUPERSCRIPT_SO_FAR = re.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⸴,]+")

# Never the end of a sentence, whatever follows.
_OPEN_ENDED = frozenset(
    """
    e.g i.e cf vs viz approx incl excl ca resp al- z.b d.h u.a bzw ggf inkl zzgl evtl vgl sog p.ex
    c.-à-d env p.ej sr sra srta ud uds dra núm pág aprox ee mr mrs ms dr prof rev hon gov sen capt sgt
    lt messrs mme mlle hr fr bil en pn डॉ श्री प्रो पं कु
    """.split()
)
# Titles and streets: an end only before a word that begins sentences.
_NAMED = frozenset(
    "st mt ft gen col rep pres jr sr ave blvd rd dept u.s u.k u.n e.u u.s.a ph.d b.sc m.sc m.d inc ltd co corp bros est bhd sdn gmbh d.c uu ee.uu s.a".split()
)
# Abbreviations only before a number.
_NUMBERED = frozenset(
    """
    no nos sec secs art arts fig figs eq eqs ch chap vol vols p pp par para paras cl max min tel ext ref
    refs ed eds pt pts jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun nr
    abs s str req reg regs ver app ex ann mio mrd rs रु नं र सं
    """.split()
)
_CLOCK = frozenset("a.m p.m am pm".split())
_AFTER_CLOCK = frozenset(
    """
    monday tuesday wednesday thursday friday saturday sunday january february march april may june july
    august september october november december est edt pst pdt gmt utc bst cet et pt ct mt eastern
    pacific central
    """.split()
)
_MONTHS = frozenset(
    """
    januar februar märz april mai juni juli august september oktober november dezember quartal weltkrieg
    jahrhundert tag monat jahr stock etage absatz
    """.split()
)
_ORDINAL_BEFORE = frozenset("am der die das dem den des vom zum zur bis ab im seit einem einer".split())
_BEGINNERS = frozenset(
    """
    the a an this that these those it its he she they we you your our their his her my i if when while
    where who what which why how in on at by for from with without under over after before during since
    until as to and but or so yet nor also however therefore thus moreover furthermore additionally
    finally then next first second third otherwise instead although though because unless once there
    here please note see all any both each every some most many no not only such claims coverage is are
    was were do does did can could will would should may might must der die das ein eine es er sie wir
    ihr wenn bei im mit für auf nach zu und aber oder bitte ihre dies diese le la les un une il elle ils
    nous vous si en dans pour avec ce cette ces votre el los las uno una usted su este esta estos para
    con por si ini itu anda jika untuk dengan dan sila ia kami
    """.split()
)
_THAI_RUNS_ON = tuple(
    "และ หรือ แต่ ซึ่ง ที่ โดย เพื่อ เช่น ได้แก่ คือ ว่า จึง ก็ รวมถึง รวมทั้ง ตลอดจน กับ ของ ใน จาก ไม่ เป็น จะ ต้อง ภายใน ตาม หลังจาก ก่อน เพราะ เนื่องจาก".split()
)
_THAI_BEGINS = tuple(
    "นอกจากนี้ นอกจากนั้น อย่างไรก็ตาม ทั้งนี้ ดังนั้น หาก ถ้า กรุณา โปรด สำหรับ ในกรณี คุณ ท่าน กรมธรรม์ บริษัท ขอบคุณ".split()
)
_THAI_CONDITION = ("หาก", "ถ้า", "เมื่อ", "ในกรณี", "กรณี", "สำหรับ", "ขอบคุณ")
_THAI_PARTICLES = ("ครับ", "ค่ะ", "คะ", "จ้ะ", "ขอบคุณ")
_THAI_CLAUSE = 40  # code points: Thai has no full stop, so a space ends a sentence only after a clause's worth
_THAI_AHEAD = 12  # code points that tell which word follows


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
    if not cursor.thai:
        cursor.thai = _THAI.search(text, cursor.at, stop) is not None
    candidate = _CANDIDATE_THAI if cursor.thai else _CANDIDATE
    while match := candidate.search(text, cursor.at, stop):
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
    return LATER if more and _SUPERSCRIPT_SO_FAR.fullmatch(text, at, stop) else found.end()


def starts_with_marker(text: str, at: int, stop: int) -> bool:
    """Whether the first thing after white space is a citation marker."""
    return marker_end(text, _skip_space(text, at, stop), stop) >= 0


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


def _inside_aside(cursor: Cursor, closers: str, at: int) -> bool:
    if not cursor.opened:
        return False
    opened = cursor.opened.copy()
    for char in closers:
        if _PAIRED.match(char):
            depth = len(opened)
            _pair(opened, char, at)
            del opened[depth:]
    return any(at - start <= _LONGEST_ASIDE for _, start in opened)


def _judge(text: str, match: re.Match[str], cursor: Cursor, stop: int, *, more: bool) -> int:
    mark = match.group()
    if mark[0] in " \t":
        return _judge_thai_space(text, match, cursor, stop, more=more)
    closed = _CLOSERS.match(text, match.end(), stop)
    after = closed.end() if closed else match.end()
    if after >= stop and more:
        return LATER
    end, spaced = _past_markers(text, after, stop, cursor, more=more)
    if end < 0:
        return end
    if _inside_aside(cursor, text[match.end() : end], match.start()):
        return NEVER
    if _FACE.match(mark):
        return _judge_face(text, match, cursor, stop, more=more)
    following = _skip_space(text, end, stop)
    if following >= stop:
        if more:
            return LATER
        return end if _may_close(text, match, cursor, "") else NEVER
    if any(char in _EAST for char in mark):
        return _judge_east(text, match, after, end, stop, more=more)
    if following == end:
        return end if end > after or _closes_unspaced(text, match, following) else NEVER
    return _judge_west(text, match, cursor, (after, end, following, stop), spaced=spaced, more=more)


def _past_markers(text: str, at: int, stop: int, cursor: Cursor, *, more: bool) -> tuple[int, bool]:
    """Behind the markers and faces that trail a sentence, and whether a space stood before a marker."""
    end, spaced, leading = at, False, None
    while True:
        start = _skip_space(text, end, stop)
        if start >= stop:
            return (LATER, spaced) if more else (end, spaced)
        face = _FACE.match(text, start, stop)
        if face:
            if face.end() >= stop and more:
                return LATER, spaced
            end = face.end()
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
        closed = _CLOSERS.match(text, found, stop)
        end = closed.end() if closed else found
        if end >= stop and more:
            return LATER, spaced
        repeated = _CANDIDATE.match(text, end, stop)  # "£75 [1].[2]."
        if repeated and repeated.group()[0] in MARKS:
            end = repeated.end()


def _judge_face(text: str, match: re.Match[str], cursor: Cursor, stop: int, *, more: bool) -> int:
    face = _FACE.match(text, match.start(), stop)
    end = face.end() if face else match.end()
    following = _skip_space(text, end, stop)
    if following >= stop:
        return LATER if more else end
    words_before = text[cursor.begin : match.start()].strip()
    return end if words_before and following > end and text[following].isupper() else NEVER


def _judge_east(text: str, match: re.Match[str], after: int, end: int, stop: int, *, more: bool) -> int:
    """After 。！？ a sentence is over, unless a closed quotation is taken up by a particle: 「…。」と言う."""
    quoted = text[match.end() : after]
    if end == after and quoted and text[end] in "とっのはがをにでも、，,":
        return NEVER
    if match.group()[-1] in "؟!！？?" and end == after and text[end] in "，、,":
        return NEVER
    return end


def _closes_unspaced(text: str, match: re.Match[str], following: int) -> bool:
    """Whether a Western mark with no space behind it ends a sentence, as it may in scripts without case."""
    if set(match.group()) <= {"…"} or (match.start() > 0 and set(match.group()) == {"."} and len(match.group()) > 1):
        return False
    before = text[match.start() - 1] if match.start() else ""
    return bool(_UNCASED.match(text[following]) and _UNCASED.match(before) and not _THAI.match(before))


def _judge_west(
    text: str, match: re.Match[str], cursor: Cursor, places: tuple[int, int, int, int], *, spaced: bool, more: bool
) -> int:
    after, end, following, stop = places
    opened = _OPENERS.match(text, following, stop)
    first = opened.end() if opened else following
    if first >= stop:
        if more:
            return LATER
        return end
    found = _NEXT_WORD.match(text, first, stop)
    word = found.group() if found else ""
    whole = not more or first + len(word) < stop or len(word) == _LONGEST_WORD
    if text[first].islower() and not (len(word) > 1 and word[1].isupper()):
        if not whole:
            return LATER
        if spaced:
            return after  # "It costs £75. [1] says otherwise."
        if end > after:
            return end
        return end if _begins_in_lower_case(text, match, cursor, word) else NEVER
    if len(match.group()) > 1 or match.group() != ".":
        return end
    if not whole and _needs_next_word(_word_before(text, match, cursor)):
        return LATER
    return end if _may_close(text, match, cursor, word) else NEVER


def _word_before(text: str, match: re.Match[str], cursor: Cursor) -> str:
    start = match.start()
    while start > cursor.begin and not text[start - 1].isspace():
        start -= 1
    return text[start : match.start()].lstrip("([{\"'“‘„«*_<（").casefold()


def _needs_next_word(word: str) -> bool:
    return (
        word in _NAMED
        or word in _CLOCK
        or word in _NUMBERED
        or len(word) <= 2
        or re.fullmatch(r"(?:\w\.)+\w", word) is not None
    )


def _begins_in_lower_case(text: str, match: re.Match[str], cursor: Cursor, word: str) -> bool:
    """Texts written all in lower case: a full stop after a whole word, then a word that begins sentences."""
    if match.group() != ".":
        return False
    before = _word_before(text, match, cursor)
    plain = before not in _OPEN_ENDED and before not in _NAMED and before not in _NUMBERED and "." not in before
    lower = not any(char.isupper() for char in text[cursor.begin : match.start()])
    return lower and plain and len(before) > 3 and word in _BEGINNERS


def _may_close(text: str, match: re.Match[str], cursor: Cursor, word: str) -> bool:
    """Whether what stands before a single full stop lets it end a sentence; ``word`` follows, if known."""
    if match.group() != ".":
        return True
    before, next_word = _word_before(text, match, cursor), word.casefold()
    if before in _OPEN_ENDED:
        return False
    if before in _CLOCK:
        return next_word not in _AFTER_CLOCK
    if before in _NUMBERED and (word[:1].isdigit() or re.fullmatch(r"[IVXLC]+|[A-Z]", word)):
        return False
    if not word:
        return True
    if before in _NAMED or re.fullmatch(r"(?:[^\W\d_]\.)+[^\W\d_]", before):
        return next_word in _BEGINNERS or _UNCASED.match(word) is not None
    if len(before) == 1 and before.isalpha():
        return next_word in _BEGINNERS
    if _THAI.match(before):
        return len(before) > 6
    if before.isdigit():
        return _number_closes(text, match, cursor, next_word)
    return True


def _number_closes(text: str, match: re.Match[str], cursor: Cursor, next_word: str) -> bool:
    """A number and a full stop: not the numbering ``1. First``, not the German ordinal ``am 3. März``."""
    earlier = text[cursor.begin : match.start()].split()
    if len(earlier) <= 1 or (earlier[-2].endswith(":") and len(earlier[-1]) <= 2):
        return False
    if next_word in _MONTHS and len(earlier[-1]) <= 2:
        return False
    return not (earlier[-2].casefold() in _ORDINAL_BEFORE and len(earlier[-1]) <= 2 and next_word not in _BEGINNERS)


def _judge_thai_space(text: str, match: re.Match[str], cursor: Cursor, stop: int, *, more: bool) -> int:
    before = text[match.start() - 1] if match.start() > cursor.begin else ""
    marked = before != "" and before in "]⁰¹²³⁴⁵⁶⁷⁸⁹】" and _THAI.search(text, cursor.begin, match.start()) is not None
    if not (marked or _THAI.match(before)):
        return NEVER
    ahead = text[match.end() : min(stop, match.end() + _THAI_AHEAD)]
    if more and len(ahead) < _THAI_AHEAD and " " not in ahead:
        return LATER
    if not _THAI.match(ahead) or _inside_aside(cursor, "", match.start()):
        return NEVER
    so_far = text[cursor.begin : match.start()].strip()
    if ahead.startswith(_THAI_RUNS_ON):
        return NEVER
    if marked or so_far.endswith(_THAI_PARTICLES):
        return match.start()
    if so_far.startswith(_THAI_CONDITION) and " " not in so_far:
        return NEVER
    long_enough = len(so_far) >= _THAI_CLAUSE or (len(so_far) >= 15 and ahead.startswith(_THAI_BEGINS))
    return match.start() if long_enough else NEVER


def _skip_space(text: str, at: int, stop: int) -> int:
    while at < stop and text[at].isspace():
        at += 1
    return at
