"""What a unit of an answer is by its form: a claim, a heading, a lead-in, a question, code, a refusal, or mere layout.

The hard thing is not to let form excuse anything: a kind says how something is checked and shown, never that it needs
no check. Only layout (a rule, a lone marker) and the closed list of courtesies (`exempt`) go without.
"""

from __future__ import annotations

from footnoted.grounding.exempt import is_exempt
from footnoted.grounding.refusals import refuses
from footnoted.text.boundaries import FACES
from footnoted.text.markdown import is_emphasis, without_number
from footnoted.text.marks import without_markers

_DECORATION = dict.fromkeys(map(ord, (*"*_~`#>\ufe0f\u200d", *FACES)))
_EMPHASIS = ("**", "__", "*")
_TRAILING = " \t\n.,!…。！।۔\"'”»)）」"
_LONGEST_HEADING = 120  # code points; whatever is longer says something


def kind_of(text: str, *, ends_line: bool = True) -> str:
    """What a sentence is: claim, question, courtesy, refusal, lead_in, heading, code, reference, layout.

    ``ends_line``: nothing follows it on its line, so a colon at its end introduces what comes next.

    >>> kind_of("I could not find the excess in the sources."), kind_of("It is £75 [1].")
    ('refusal', 'claim')
    """
    plain = plain_words(text)
    if not any(char.isalnum() for char in plain):
        return "reference" if without_markers(text) != text else "layout"
    if is_exempt(text):
        return "courtesy"
    if text[0] == "`" and text.count("`") == 2 and text.rstrip(".:").endswith("`"):
        return "code"
    if text[0] in "*_" and is_emphasis(without_markers(text).strip(), _EMPHASIS):
        return heading_kind(text)
    if plain[-1] in ":：":
        short = len(text) <= 2 * _LONGEST_HEADING and without_markers(text) == text
        return "lead_in" if ends_line and short else "claim"
    if plain.rstrip("\"'”»)）」!！")[-1:] in ("?", "？", "؟"):
        return "question"
    return "refusal" if len(text) < 1000 and refuses(plain.strip(_TRAILING + "¡¿")) else "claim"


def heading_kind(text: str) -> str:
    """``heading``, unless the line is too long for one, is a sentence, or holds a figure besides its own number."""
    plain = plain_words(text)
    if not any(char.isalnum() for char in plain):
        return "layout"
    states = plain[-1] in ".。" or any(char.isdigit() for char in without_number(plain))
    return "claim" if states or len(plain) > _LONGEST_HEADING else "heading"


def says_nothing(text: str) -> bool:
    """Whether no word and no number is left without the markers: a rule, a bracket, a lone ``[1]``."""
    return not any(char.isalnum() for char in plain_words(text))


def plain_words(text: str) -> str:
    """The words alone: no markers, emphasis or faces, lower case, straight apostrophes, single spaces.

    >>> plain_words("**It’s** £75 [1].")
    "it's £75 ."
    """
    return " ".join(without_markers(text).translate(_DECORATION).lower().replace("’", "'").split())
