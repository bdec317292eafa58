"""Decides by the words around a full stop whether it ends a sentence.

English, German, French, Spanish, Malay, and the commonest of Italian, Portuguese, Russian, Hindi and Arabic.
"""

from __future__ import annotations

from footnoted.text.scripts import is_thai

# Never the end of a sentence, whatever follows.
_OPEN_ENDED = frozenset(
    """
    e.g eg. i.e cf vs viz approx incl excl resp mr mrs ms dr prof rev hon gov sen capt sgt lt messrs
    z.b d.h u.a o.ä bzw ggf inkl zzgl evtl vgl sog ca rd u.u i.d.r s.o hr fr dipl ing mag
    p.ex c.-à-d env mme mlle p.ej sr sra srta ud uds dra núm pág aprox ee dott sig sig.ra dott.ssa
    en pn hj т.е т.к г-н г-жа ул см стр डॉ श्री प्रो पं कु सुश्री
    """.split()
)
# Titles, places and firms: an end only before a word that begins sentences.
_NAMED = frozenset(
    """
    st mt ft gen col rep pres jr sr ave blvd rd dept u.s u.k u.n e.u u.s.a ph.d b.sc m.sc m.d d.c inc ltd
    co corp bros est bhd sdn gmbh uu ee.uu s.a s.p.a mio mrd tsd г
    """.split()
)
# Abbreviations only before a number.
_NUMBERED = frozenset(
    """
    no nos sec secs art arts fig figs eq eqs ch chap vol vols p pp par para paras cl max min tel ext ref
    refs al ed eds pt pts jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun nr
    abs s str req reg regs ver app ex ann rs bil रु नं र सं
    """.split()
)
_CLOCK = frozenset("a.m p.m am pm".split())
_AFTER_CLOCK = frozenset(
    """
    monday tuesday wednesday thursday friday saturday sunday january february march april may june july
    august september october november december est edt pst pdt gmt utc bst cet cest et pt ct mt eastern
    pacific central
    """.split()
)
# German ordinals: "am 3. März", "der 2. Weltkrieg".
_AFTER_ORDINAL = frozenset(
    """
    januar februar märz april mai juni juli august september oktober november dezember quartal weltkrieg
    jahrhundert tag monat jahr stock etage absatz auflage
    """.split()
)
_BEFORE_ORDINAL = frozenset("am der die das dem den des vom zum zur bis ab im seit einem einer".split())
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
_DEPENDENT = _NAMED | _NUMBERED | _CLOCK
_KNOWN = _OPEN_ENDED | _DEPENDENT
_WITHIN = 40  # code points before the full stop that can matter


def full_stop_closes(sentence: str, word: str) -> bool:
    """Whether a full stop right after ``sentence`` ends it; ``word`` follows (empty: none, or a symbol).

    >>> full_stop_closes("He asked Dr", "Lee"), full_stop_closes("It costs £75", "The")
    (False, True)
    """
    before, following = _last_word(sentence), word.casefold()
    if before in _OPEN_ENDED:
        return False
    if before in _CLOCK:
        return following not in _AFTER_CLOCK
    if (before in _NUMBERED and _is_numeral(word)) or (before.endswith("str") and word[:1].isdigit()):
        return False
    if not word:
        return True
    if "." in before and before[0].isalpha() and before[0] == before[0].upper():
        return False  # "कि.मी.", in a script without capitals
    if before in _NAMED or _is_initials(before):
        return following in _BEGINNERS
    if len(before) == 1 and before.isalpha():
        return following in _BEGINNERS
    if is_thai(before[:1]):
        return len(before) > 6  # "น." and "พ.ศ." abbreviate; Thai sentences end without a mark
    return _number_closes(sentence, following) if before.isdigit() else True


def depends_on_next_word(sentence: str) -> bool:
    """Whether the word after the full stop must be known whole before `full_stop_closes` can tell."""
    before = _last_word(sentence)
    return len(before) <= 2 or before in _DEPENDENT or _is_initials(before)


def _is_initials(word: str) -> bool:
    """Letters with full stops between them: "u.s", "j.-p"."""
    parts = word.replace(".-", ".").split(".")
    return len(parts) > 1 and all(len(part) == 1 and part.isalpha() for part in parts)


def lower_case_begins(sentence: str, word: str) -> bool:
    """In texts written all in lower case: a whole word, a full stop, then a word that begins sentences."""
    if word not in _BEGINNERS or any(char.isupper() for char in sentence):
        return False
    before = _last_word(sentence)
    return len(before) > 3 and "." not in before and before not in _KNOWN


def _is_numeral(word: str) -> bool:
    """Whether a word numbers something: ``12a``, ``XIV``, ``B``."""
    letter = len(word) == 1 and word.isascii() and word.isupper()
    return word[:1].isdecimal() or letter or (bool(word) and not word.strip("IVXLC"))


def _last_word(sentence: str) -> str:
    words = sentence[-_WITHIN:].rsplit(None, 1)
    if not words or sentence[-1].isspace():
        return ""
    word = words[-1].lstrip("([{\"'“‘„«*_<（").casefold().replace("’", "'")
    elided, _, rest = word.partition("'")
    return rest if rest and len(elided) <= 2 else word  # "d'env.", "l'art."


def _number_closes(sentence: str, following: str) -> bool:
    """A number and a full stop: not the numbering ``1. First``, not the German ordinal ``am 3. März``."""
    words = sentence.split()
    if len(words) == 1:
        return False
    short = len(words[-1]) <= 2
    if short and (words[-2].endswith(":") or following in _AFTER_ORDINAL):
        return False
    return not (short and words[-2].casefold() in _BEFORE_ORDINAL and following not in _BEGINNERS)
