"""Numbers as lists count with them: 4, iv, D, bb."""

from __future__ import annotations

_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"),
          (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip
_MOST = 999  # what is counted further is told in digits: a letter stands for each 26, however large a file says it is


def counted(number: int, form: str) -> str:
    """A number in one of the forms that Word counts in; in digits where it is no such form, or the number is large.

    >>> counted(4, "lowerRoman"), counted(28, "upperLetter"), counted(7, "decimalZero"), counted(10**6, "lowerRoman")
    ('iv', 'BB', '07', '1000000')
    """
    said = str(number)
    if number > _MOST:
        return said
    if form.endswith("Roman"):
        rest, said = number, ""
        for worth, letters in _ROMAN:
            said += letters * (rest // worth)
            rest %= worth
    elif form.endswith("Letter") and number > 0:
        said = chr(ord("a") + (number - 1) % 26) * (1 + (number - 1) // 26)
    elif form == "decimalZero":
        said = said.zfill(2)
    return "" if form == "none" else said.upper() if form.startswith("upper") else said
