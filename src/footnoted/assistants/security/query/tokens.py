"""Cuts a question into its words, with the signs that people write for words spelt out."""

from __future__ import annotations

import re

from footnoted.assistants.security.query.mentions import Token
from footnoted.assistants.security.query.words import FUNCTION_WORDS, NUMBERS, ROLES

_EDGES = " \t\n.,;:!?\"'“”‘’()[]{}<>–—-…"
_UNIT_OF = {"d": "day", "w": "week", "m": "month", "y": "year"}
_PARTS = {"half a year": "6 months", "half a month": "15 days", "a year and a half": "18 months"}
_PARTS |= {"a quarter of a year": "3 months", "three quarters of a year": "9 months", "a quarter": "3 months"}
_SHORTHAND = [(re.compile(pattern), words) for pattern, words in (
    (rf"(?i)(?<!\S)(?:{'|'.join(_PARTS)})(?=[\s,;.:?!]|$)(?!\s+of\b)", lambda found: _PARTS[found[0].casefold()]),
    (r"(?i)(?<!\S)(one|two|three|four|\d)\s+quarters(?=[\s,;.:?!]|$)(?!\s+of\b)",
     lambda found: f"{3 * NUMBERS.get(found[1].casefold(), int(found[1]) if found[1].isdigit() else 0)} months"),
    (r"(?:≥|>=)\s*(?=\d)", "at least "), (r"(?:≤|<=)\s*(?=\d)", "at most "),
    (r"(?<!\S)>\s*(?=\d)", "more than "), (r"(?<!\S)<\s*(?=\d)", "less than "),
    (r"(?<!\S)(\d+)\+(?=\s|$)", r"at least \1"),
    (r"(?<=[^\W\d])\+(?=[\s,;.:?]|$)", " or above"), (r"(?<!\S)#(?=\s)", "number"), (r"(?<!\S)%(?=\s)", "percentage"),
    (r"(?<!\S)(\d+)\s?h(?:(?:ou)?rs?)?(?![\w-])",
     lambda found: found[0] if int(found[1]) % 24 or found[1] == "0" else f"{int(found[1]) // 24} days"),
    (r"(?i)(?<!\S)w/(?:o(?:ut)?)?(?=\s)", lambda found: "without" if len(found[0]) > len("w/") else "with"),
    (r"(?<!\S)(\d+)[- ]?(d|wk|w|mo|yr|y|day|week|month|year)s?(?:[- ]olds?)?(?![\w-])",
     lambda found: f"{found[1]} {_UNIT_OF.get(found[2][0], found[2])}s" + (" old" if "old" in found[0] else "")),
)]  # fmt: skip


def spelt_out(question: str) -> str:
    """A question with the signs that people write for words spelt out: ">90d" is "more than 90 days"."""
    for pattern, words in _SHORTHAND:
        question = pattern.sub(words, question)
    return question


def tokens_of(question: str) -> list[Token]:
    """The words, without the marks around them; a closing bracket stays where it was opened within."""
    found, at = [], 0
    for written in question.split():
        text, start = written, question.index(written, at)
        at = end = start + len(written)
        while text and text[0] in _EDGES and not (text[0] == "<" and ">" in text):
            text, start = text[1:], start + 1
        while text and text[-1] in _EDGES and not (text[-1] == ")" and text.count("(") == text.count(")")):
            text, end = text[:-1], end - 1
        if any(map(str.isalnum, text)):
            found.append(Token(text, start, end))
    return found


def parted(token: Token) -> list[Token]:
    """A word without what is drawn together in it: "aren't" is "are not", "we've" is "we have"."""
    if found := re.fullmatch(r"(?i)(\w+)n't|(do|does|did|is|are|have|has|had)nt", token.text):
        verb = found[1] or found[2]
        at = token.start + len(verb)
        verb = {"ca": "can", "wo": "will", "sha": "shall"}.get(verb.casefold(), verb)
        return [Token(verb, token.start, at), Token("not", at, token.end)]
    if (found := re.fullmatch(r"(?i)(\w+)'(?:s|re|ve|ll|d|m)", token.text)) and (
        found[1].casefold() in {*FUNCTION_WORDS, *ROLES} and token.word not in ROLES
    ):
        return [Token(found[1], token.start, token.end)]
    return [token]
