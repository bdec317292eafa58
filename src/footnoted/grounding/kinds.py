"""A sentence of an answer in; what kind it is, out: a claim, or one of the things that need no support.

Whoever is named anything but ``claim`` goes unchecked, so each kind is recognised narrowly: a greeting is
made of social words only, a refusal carries no other clause, a question asks, a heading asserts nothing.
"""

from __future__ import annotations

import re

from footnoted.boundaries import FACES
from footnoted.grounding.phrases import (
    ASKING,
    BARE_REPLIES,
    COURTESY,
    COURTESY_WORDS,
    GREETING,
    INTRODUCING,
    QUESTION_STARTS,
    REFUSAL,
    RHETORICAL,
    SOCIAL_WORDS,
)

_MARKER = re.compile(
    r"\[\^?(?:[A-Z][a-z]+\s?)?\d{1,4}(?:[ ]?[,;–-][ ]?(?:Source )?\d{1,4})*\]|【\d[^】\s]*】|[⁰¹²³⁴⁵⁶⁷⁸⁹]+"
    r"|\((?:Source|Quelle|Fuente|Sumber):[^()]*\)"
)
_DECORATION = re.compile(rf"[*_~`#>{FACES}\ufe0f\u200d]+")
_CODE = re.compile(r"`[^`\n]+`[.:]?")
_BOLD = re.compile(r"(\*\*|__)(?!\s)(?:(?!\1).)+\1:?|\*(?!\s|\*)[^*]+\*:?")
_END = re.compile(r"""[\s.,!…。！।۔'"’”»)）」]+\Z""")
_ASKED = re.compile(r"""[?？؟]["'’”»)）」*_!！]*\Z""")
_COLON = re.compile(r"[:：][*_\s]*\Z")
_FIGURE = re.compile(r"\d")
_AMOUNT = re.compile(
    r"[£$€¥₹฿]\s?\d|\d\s?(?:%|£|€|¥|฿|percent|per cent|prozent|pour ?cent|por ciento|euros?|dollars?|pounds?|baht|ringgit)"
    r"|\bRM\s?\d|\d[\d,.]*\s?(?:days?|hours?|weeks?|months?|years?|km|miles|tage?n?|stunden|jours|días|hari|日|天|วัน|円|元)\b",
    re.IGNORECASE,
)
_ASSERTS = re.compile(
    r"\b(?:is|are|was|were|isn't|aren't|has|have|had|does|do|doesn't|don't|can|can't|cannot|will|won't|must|may|should"
    r"|covers|covered|costs|pays|applies|includes|excludes|requires|ist|sind|hat|kann|muss|wird|est|sont|es|son)\b",
    re.IGNORECASE,
)
_OTHER_CLAUSE = re.compile(
    r"[,;，；،]\s*(?:and|or|as|which|und|et|y)\s+|[;；—–:]\s*|[,，،]?\s*\b(?:but|however|so|therefore|thus|hence|because|since"
    r"|although|though|while|whereas|yet|except|aber|sondern|weil|denn|jedoch|deshalb|daher|mais|cependant|donc|car"
    r"|pero|porque|aunque|tetapi|namun|kerana)\b\s*|(?:但是?|不过|因此|所以|แต่|เพราะ|ดังนั้น|लेकिन|क्योंकि|इसलिए|لكن|لأن|ولكن)",
    re.IGNORECASE,
)
_WORDS = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)?")
_BARE = re.compile(r"[^\W\d_]")


def kind_of(text: str, *, ends_line: bool = True) -> str:
    """What a sentence is: claim, question, greeting, courtesy, refusal, lead_in, heading, code, reference, layout.

    ``ends_line``: nothing follows it on its line, so a colon at its end introduces what comes next.

    >>> kind_of("I could not find the excess in the sources."), kind_of("It is £75 [1].")
    ('refusal', 'claim')
    """
    if says_nothing(text):
        return "reference" if _MARKER.search(text) else "layout"
    stripped = text.strip()
    if _CODE.fullmatch(stripped):
        return "code"
    bare = " ".join(_DECORATION.sub("", _MARKER.sub("", stripped)).split())
    if _BOLD.fullmatch(_MARKER.sub("", stripped).strip()):
        return heading_kind(bare)
    if ends_line and _COLON.search(stripped):
        return "claim" if _MARKER.search(stripped) or _states_a_figure(bare) else "lead_in"
    if _ASKED.search(bare):
        return "question" if _asks(bare) else "claim"
    if not _FIGURE.search(bare):
        return _social_kind(bare)
    return "refusal" if _refuses(bare) else "claim"


def heading_kind(text: str) -> str:
    """``heading``, unless the line states something: an amount, or a sentence with its verb."""
    bare = _DECORATION.sub("", _MARKER.sub("", text)).strip()
    if says_nothing(bare):
        return "layout"
    if _AMOUNT.search(bare):
        return "claim"
    asserts = _ASSERTS.search(bare) is not None and not ASKING.match(bare) and not _COLON.search(bare)
    return "claim" if asserts and len(_WORDS.findall(bare)) > 2 else "heading"


def says_nothing(text: str) -> bool:
    """Whether no word and no number is left without the markers: a rule, a bracket, a lone ``[1]``."""
    return not any(char.isalnum() for char in _MARKER.sub("", text))


def is_bare_reply(text: str) -> bool:
    """Whether a sentence is a "Yes." or "No." that rests on the next one."""
    if len(text) > 40:
        return False
    bare = _END.sub("", _DECORATION.sub("", text)).strip(" ,").casefold()
    return bare in BARE_REPLIES


def _states_a_figure(bare: str) -> bool:
    return _AMOUNT.search(bare) is not None or (_FIGURE.search(bare) is not None and not INTRODUCING.search(bare))


def _asks(bare: str) -> bool:
    """A question seeks; "Did you know it costs £75?" and "It costs £75, right?" tell."""
    if RHETORICAL.search(bare):
        return False
    return QUESTION_STARTS.search(bare) is not None or _AMOUNT.search(bare) is None


def _social_kind(bare: str) -> str:
    plain = _END.sub("", bare)
    used = {word.casefold().replace("’", "'") for word in _WORDS.findall(plain)}
    if GREETING.match(plain) and _only(used, SOCIAL_WORDS, plain):
        return "greeting"
    if _refuses(bare):
        return "refusal"
    if COURTESY.match(plain) and _only(used, SOCIAL_WORDS | COURTESY_WORDS, plain):
        return "courtesy"
    if INTRODUCING.match(plain) and not _ASSERTS.search(INTRODUCING.sub("", plain, count=1)):
        return "lead_in"
    return "claim"


def _only(used: set[str], allowed: frozenset[str], plain: str) -> bool:
    """Whether a sentence is made of social words; scripts without spaces and case are judged by length."""
    if _BARE.match(plain) and not plain.isascii() and not re.match(r"[\u0000-\u024f]", plain):
        return len(plain) <= 60
    names = {word.casefold() for word in re.findall(r"(?:(?<=\w )|(?<=, ))[A-Z][a-z]+\Z", plain)}
    return used - names <= allowed


def _refuses(bare: str) -> bool:
    """Whether every clause of a sentence only says that there is no answer."""
    plain = _END.sub("", bare)
    if not REFUSAL.search(plain):
        return False
    clauses = [clause.strip(" ,") for clause in _OTHER_CLAUSE.split(plain) if clause.strip(" ,")]
    return all(REFUSAL.search(clause) or _needless(clause) for clause in clauses)


def _needless(clause: str) -> bool:
    used = {word.casefold().replace("’", "'") for word in _WORDS.findall(clause)}
    return not _FIGURE.search(clause) and used <= SOCIAL_WORDS | COURTESY_WORDS
