"""Decides by what stands around a possible marker whether it is code, maths or a list item instead.

Rules over word shapes, no state. ``before`` is the raw text before it on any line, at most `LOOK_BEHIND` code
points, in which a marker already read is `TAKEN`.
"""

from __future__ import annotations

import re
from string import ascii_letters, digits

from footnoted.text.scripts import is_wordlike

LOOK_BEHIND = 32
TAKEN = "\ufffc"

_IN_TOKEN = f"{ascii_letters}{digits}_.$@"
_CODE_SHAPE = re.compile(r"(?:[a-z]|[a-z]{1,2}\d{1,2})\Z|[a-z]{2,}[A-Z][a-z]")  # x, x1, camelCase
_DOMAINS = tuple(f".{name}" for name in "com org net gov edu info io eu uk de fr us ca au".split())
_ASIDES = ("[...]", "[…]", "[sic]", "[. . .]", "[ ]", "[x]", "[X]")
_CODE_NAMES = frozenset(
    """arr array args argv argc list lst vec vector buf buffer str ptr idx tmp foo bar baz qux df nums num dict
    tuple elem elems obj ret res params kwargs cols mat matrix int vals xs ys zs""".split()
)
_UNITS = frozenset(
    """m cm mm km dm nm µm μm ft in inch inches yd yard yards mi mile miles metre metres meter meters kilometre
    kilometres kilometer kilometers centimetre centimetres centimeter centimeters foot feet acre s ms sec h hr min
    kg g mg µg lb oz l ml hz khz mhz n nm pa kpa kw mw gw kwh mol k c v a w j mc co sin cos tan log ln exp sqrt
    sq px dx dy dt ax bx""".split()
)
_ENUMERATED = frozenset(
    """section sections subsection paragraph paragraphs subparagraph article articles clause clauses item items
    step steps option options point points part parts para no number numbers figure figures fig equation
    equations eq table tables rule rules question questions example examples case cases annex schedule regulation
    appendix grade level type class phase stage tier version chapter page pages line lines row column and or to
    of in at for by from as is are was be the a an see one two three four five six seven eight nine ten eleven
    twelve only formula coordinates vertex pair interval range value x y z n""".split()
)
_INTERVAL_WORDS = ("in", "interval", "range", "between", "from", "to", "within", "∈", "over", "on")
_AMOUNT_OR_YEAR = re.compile(r"(?:[$£€¥₹][\d.,]+|\d%|\A\(*(?:19|20)\d\d)\Z")
_NO_LETTERS = re.compile(r"[\W\d_]+")


def indexes(before: str) -> bool:
    """Whether a bracket right after ``before`` indexes something: ``arr``, ``my_list``, ``f(x)``, ``[text]``.

    Prose may touch its marker too: ``windscreens``, ``£100``, ``HIPAA``, ``2019``, any other script.

    >>> [indexes(text) for text in ("see arr", "covers windscreens", "in 2019", "x", "[text]")]
    [True, False, False, True, True]
    """
    last = before[-1:]
    if last == "]":
        return not before.endswith(_ASIDES)
    if last == ")":
        called, opened, inside = before[:-1].rpartition("(")
        calls = bool(opened) and is_wordlike(called[-1:]) and not any(char == ")" or char.isspace() for char in inside)
        return calls and inside != "s"
    if last in ("/", "=", "@", "_", "$") or "://" in before[before.rfind(" ") + 1 :]:
        return True
    token = before[len(before.rstrip(_IN_TOKEN)) :]
    return token != "" and last not in ".$@" and _is_code_name(token)


def ends_in_word(before: str) -> bool:
    """Whether a Latin letter or a digit touches what follows."""
    return before[-1:].isascii() and before[-1:].isalnum()


def opens(before: str, *, touches: bool) -> bool:
    """Whether nothing visible stands right before a place: a line begins, or a bracket, a cell, emphasis opens.

    ``touches``: no white space stands between ``before`` and the place.
    """
    if before[-1:] in ("", "\n", "(", "[", "{", "“", "‘", "«", "|", " ", "\t"):
        return True
    return touches and before.endswith("*") and before.rstrip("*")[-1:] in ("", " ", "\n")


def _is_code_name(token: str) -> bool:
    token = token.lstrip(".")
    if token.replace(".", "").replace(",", "").isdigit():
        return False
    if "_" in token or token[0] in "$@":
        return True
    if "." in token:
        return not token.endswith(_DOMAINS) and not token[0].isdigit() and token.islower()
    return token in _CODE_NAMES or _CODE_SHAPE.match(token) is not None


def assigns(before: str) -> bool:
    """Whether a bracket after ``before`` is a value: ``x = [1, 2]``, ``"ids": [1, 2]``.

    >>> assigns("nums = "), assigns("the excess ")
    (True, False)
    """
    bare = before.rstrip(" \t")
    return bare.endswith(("=", '":', "':", "∈"))


def reads_as_interval(before: str) -> bool:
    """Whether ``[0, 1]`` after ``before`` is a range of values rather than two sources.

    >>> reads_as_interval("a probability in "), reads_as_interval("the excess ")
    (True, False)
    """
    last = before.rsplit(maxsplit=1)[-1:]
    return bool(last) and last[0].casefold() in _INTERVAL_WORDS


def is_exponent(before: str) -> bool:
    """Whether a superscript right after ``before`` is maths or a unit: ``m``, ``10``, ``(x + y)``.

    >>> [is_exponent(text) for text in ("50 km", "10", "E=mc", "(a + b)", "covered", "£100", "in 2019", "end.")]
    [True, True, True, True, False, False, False, False]
    """
    last = before[-1:]
    if last.isdigit():
        return not _AMOUNT_OR_YEAR.search(before.rsplit(maxsplit=1)[-1])
    if last == ")":
        inside = before[before.rfind("(") + 1 : -1]
        return all(len(word) < 3 for word in _NO_LETTERS.split(inside))
    if last in "]}|⁻⁺" or last in "=+*/^-−×·":
        return last != ""
    if not last.isalpha():
        return False
    last_word = _NO_LETTERS.split(before)[-1]
    touched = before[: -len(last_word)][-1:]
    if touched and touched in "=+*/^√∫∑−×·²³":
        return True
    single = len(last_word) == 1 and (last_word.isascii() or "α" <= last_word <= "ω" or last_word in "ΧΣΔ")
    return single or last_word.casefold() in _UNITS


def can_only_cite(before: str, after: str) -> bool:
    """Whether a bare ``(1)`` between these can only be a citation: it closes a statement of prose.

    ``after``: the next two characters, empty at the end.

    >>> can_only_cite("The excess is £100 ", ". "), can_only_cite("under section ", "."), can_only_cite("f", ".")
    (True, False, False)
    """
    if after[:1] not in ("", "\n", "\r", ".", "!", "?", ";", ",", "。"):
        return False
    if after[1:2] not in ("", " ", "\n", "\r", '"', "”", "»"):
        return False
    words = before[:-1].split()
    touched = words[-1].rpartition("(")[2] if words and before[-1] in " \t" and not before[-2].isspace() else ""
    if not touched:
        return False
    word = touched.strip("\"'“”*_")
    if _AMOUNT_OR_YEAR.search(word):
        return True
    earlier = before[: -1 - len(touched)].split()[-1:]
    if word.replace(".", "").replace(",", "").isdigit() or (
        earlier and earlier[0].casefold() in {"section", "article"}
    ):
        return False
    return len(word) > 1 and word[-1].isalnum() and word.casefold() not in _ENUMERATED
