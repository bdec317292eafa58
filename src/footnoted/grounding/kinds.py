"""A sentence of an answer in; what kind it is, out: a claim, or one of the things that need no support.

Whatever is named anything but ``claim`` goes unchecked, so each kind is recognised narrowly: a greeting is
made of social words only, a refusal carries no other clause, a question asks, a heading asserts nothing.
"""

from __future__ import annotations

import re

from footnoted.boundaries import FACES
from footnoted.grounding.phrases import (
    AGREEMENT,
    ASKING,
    BARE_REPLIES,
    COURTESY,
    COURTESY_WORDS,
    GREETING,
    INTRODUCING,
    QUESTION_STARTS,
    REMARK,
    RHETORICAL,
    SOCIAL_WORDS,
    TURNS_TO,
)
from footnoted.grounding.refusals import refuses
from footnoted.marks import without_markers

_DECORATION = re.compile(rf"[*_~`#>{FACES}\ufe0f\u200d]+")
_CODE = re.compile(r"`[^`\n]+`[.:]?")
_BOLD = re.compile(r"(\*\*|__)(?!\s)(?:(?!\1).)+\1:?|\*(?!\s|\*)[^*]+\*:?")
_TRAILING = " \t\n.,!…。！।۔\"'”»)）」"
_FIGURE = re.compile(r"\d")
_AMOUNT = re.compile(
    r"[£$€¥₹฿]\s?\d|\d\s?(?:%|£|€|¥|฿|percent|per cent|prozent|pour ?cent|por ciento|euros?|dollars?|pounds?|baht)"
    r"|\brm\s?\d|\d[\d,.]*\s?(?:days?|hours?|weeks?|months?|years?|km|miles|tage?n?|stunden|jours|días|hari|日|天|วัน"
    r"|円|元)\b"
)
_ASSERTS = re.compile(
    r"\b(?:is|are|was|were|isn't|aren't|has|have|had|does|do|doesn't|don't|can|can't|cannot|will|won't|must|may|should"
    r"|covers|covered|costs|pays|applies|includes|excludes|requires|ist|sind|hat|kann|muss|wird|est|sont|es|son)\b"
)
_WORDS = re.compile(r"[^\W_]+(?:'[^\W\d_]+)?")
_LONGEST_NEEDLESS = 1000  # code points; whatever is longer says something
_LONGEST_REPLY = 60  # code points
_ASSENT = re.compile(r"(?:(?:yes|yeah|yea|yep|yup|no|ok|okay|true) )+")
_NAME = re.compile(
    r"(?:Hello|Hi|Hey|Dear|Good \w+|Welcome|Thanks|Thank you|Hallo|Guten \w+|Sehr geehrte[rs]?|Bonjour|Hola|Hai)"
    r"(?: there)?,? "
    r"(?:(?:Mr|Mrs|Ms|Dr|Prof|Frau|Herr|Herrn|Madame|Monsieur|Sra?|Encik|Puan)\.? )?([^\W\d_]+)(?= ?[,.!]|\Z)"
)
_UNSPACED = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_UNLATIN = re.compile("[\u0590-\u109f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def kind_of(text: str, *, ends_line: bool = True) -> str:
    """What a sentence is: claim, question, greeting, courtesy, refusal, lead_in, heading, code, reference, layout.

    ``ends_line``: nothing follows it on its line, so a colon at its end introduces what comes next.

    >>> kind_of("I could not find the excess in the sources."), kind_of("It is £75 [1].")
    ('refusal', 'claim')
    """
    if len(text) > _LONGEST_NEEDLESS:
        return "claim"
    plain = plain_words(text)
    if not any(char.isalnum() for char in plain):
        return "reference" if without_markers(text) != text else "layout"
    if text[0] == "`" and _CODE.fullmatch(text):
        return "code"
    if text[0] in "*_" and _BOLD.fullmatch(without_markers(text).strip()):
        return heading_kind(text)
    if plain[-1] in ":：":
        if ends_line:
            cited = without_markers(text) != text
            introduces = not cited or INTRODUCING.match(plain) is not None
            return "lead_in" if introduces and not _states_a_figure(plain) else "claim"
        return "claim"
    asked = plain.rstrip("\"'”»)）」!！")
    if asked and asked[-1] in "?？؟":
        reported = plain[-1] in '"”»」' and text[0] not in '"“„«「'  # He asked: "Am I covered?"
        return "question" if not reported and _asks(plain) else "claim"
    words = plain.strip(_TRAILING + "¡¿")
    if refuses(words):
        return "refusal"
    return "claim" if _FIGURE.search(words) else _social_kind(words, text)


def heading_kind(text: str) -> str:
    """``heading``, unless the line states something: an amount, or a sentence with its verb."""
    plain = plain_words(text)
    if not any(char.isalnum() for char in plain):
        return "layout"
    if _AMOUNT.search(plain):
        return "claim"
    if plain.endswith(("?", "？", "؟")):
        return "claim" if RHETORICAL.search(plain) else "heading"
    asserts = _ASSERTS.search(plain) is not None and not ASKING.match(plain) and plain[-1] not in ":："
    return "claim" if asserts and len(_WORDS.findall(plain)) > 2 else "heading"


def says_nothing(text: str) -> bool:
    """Whether no word and no number is left without the markers: a rule, a bracket, a lone ``[1]``."""
    return not any(char.isalnum() for char in plain_words(text))


def is_bare_reply(text: str) -> bool:
    """Whether a sentence is a "Yes." or "I agree with that." that rests on the next one."""
    if len(text) > _LONGEST_REPLY:
        return False
    plain = plain_words(text).strip(_TRAILING)
    return plain in BARE_REPLIES or AGREEMENT.fullmatch(_words_alone(plain)) is not None


def is_small_talk(text: str) -> bool:
    """Whether a sentence tells nothing of its matter: a bare reply, or a remark like "Yeah, that's impressive!".

    >>> is_small_talk("I know!"), is_small_talk("That is free.")
    (True, False)
    """
    if len(text) > _LONGEST_REPLY:
        return False
    words = _words_alone(plain_words(text))
    return is_bare_reply(text) or REMARK.fullmatch(_ASSENT.sub("", words)) is not None


def plain_words(text: str) -> str:
    """The words alone: no markers, emphasis or faces, lower case, straight apostrophes, single spaces.

    >>> plain_words("**It’s** £75 [1].")
    "it's £75 ."
    """
    return " ".join(_DECORATION.sub("", without_markers(text)).lower().replace("’", "'").split())


def _words_alone(plain: str) -> str:
    return " ".join(_WORDS.findall(plain))


def _states_a_figure(plain: str) -> bool:
    return _FIGURE.search(plain) is not None and (
        _AMOUNT.search(plain) is not None or INTRODUCING.search(plain) is None
    )


def _asks(plain: str) -> bool:
    """A question seeks; "Did you know it costs £75?" and "It costs £75, right?" tell."""
    if RHETORICAL.search(plain):
        return False
    return QUESTION_STARTS.search(plain) is not None or _AMOUNT.search(plain) is None


def _social_kind(words: str, text: str) -> str:
    greets, offers = GREETING.match(words), COURTESY.match(words)
    if greets or offers:
        if _UNLATIN.search(words):
            if len(words) <= (45 if _UNSPACED.search(words) else 80):
                return "greeting" if greets else "courtesy"
            return "claim"
        used = set(_WORDS.findall(words))
        if greets and (used <= SOCIAL_WORDS or used - _name(text) <= SOCIAL_WORDS):
            return "greeting"
        if offers and used <= COURTESY_WORDS and used & TURNS_TO:
            return "courtesy"
    if len(words) <= _LONGEST_REPLY and REMARK.fullmatch(_words_alone(words)):
        return "courtesy"
    introduces = INTRODUCING.match(words)
    if introduces and not _ASSERTS.search(words, introduces.end()):
        return "lead_in"
    return "claim"


def _name(text: str) -> set[str]:
    """Whom a greeting greets: "Hi Maria,", "Guten Tag, Frau Müller!"."""
    found = _NAME.match(text)
    return set(_WORDS.findall(found.group().lower())) if found and found.group(1)[0].isupper() else set()
