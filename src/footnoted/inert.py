"""Makes text of any origin harmless: the same words, with nothing left that acts instead of being read."""

from __future__ import annotations

import re
from typing import Any

_READABLE = {
    # What some reader takes for the end of a line, so that a text may open lines its author does not own.
    **dict.fromkeys(map(ord, "\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"), "\n"),
    # Other C0 and C1 controls steer terminals too; they go, but never join what stood on either side.
    **dict.fromkeys([*range(0x09), *range(0x0E, 0x1C), 0x1F, *range(0x7F, 0x85), *range(0x86, 0xA0)], " "),
    # Overrides and isolates turn the order of what follows (CVE-2021-42574); tag characters only a model sees.
    **dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A), *range(0xE0000, 0xE0080)]),
}
# A terminal's colours and cursor moves (ECMA-48) may stand inside a word that looks whole.
_SEQUENCE = re.compile("(?:\x1b\\[|\x9b)[0-?]{0,16}[ -/]{0,2}[@-~]")
_UNFINISHED = re.compile("(?:\x1b(?:\\[[0-?]{0,16}[ -/]{0,2})?|\x9b[0-?]{0,16}[ -/]{0,2}|\r|[\ud800-\udbff])\\Z")
_LONGEST_PART = 24  # code points such a beginning may have
_HALVES = dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
_ODD = frozenset(map(chr, (*_READABLE, *_HALVES)))

# Tokens that chat templates give a meaning (ChatML, Llama, Mistral, Gemma, DeepSeek, BERT): servers that
# render a template into one text would take them for the end of a message or the start of another.
_TOKENS = re.compile(
    r"<(?P<angle>[|｜]\s?[\w▁ .:/-]{1,40}\s?[|｜]|/?s|/?(?:bos|eos|pad|unk|mask)|(?:start|end)_of_(?:turn|image)"
    r"|/?(?:tool_call|tool_response|tool_calls|function_call|function_calls|think|SYS|INST))>"
    r"|\[(?P<square>/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|IMG|CLS|SEP|MASK))\]"
)


def readable(text: str) -> str:
    r"""The text without overriding and invisible tag characters, spaces for controls, ``\n`` for every line end.

    Lone surrogates, which no encoding carries, become U+FFFD. Joiners, marks of direction and white space stay.

    >>> readable("\x1b[31mred\x07, next\u2028line")
    'red , next\nline'
    """
    # Whether every character can be printed is told ten times as fast as what the others are.
    if text.isprintable() or text.replace("\n", " ").isprintable() or _ODD.isdisjoint(text):
        return text
    text = _SEQUENCE.sub("", text).replace("\r\n", "\n")
    # Two halves of a character make one; a half alone becomes U+FFFD.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").translate(_READABLE)


def storable(value: Any) -> Any:
    r"""A value of any shape, U+FFFD for each half of a surrogate pair in its texts, which no encoding carries.

    Lengths stay.

    >>> storable({"title": "a\ud83db", "pages": [1]}) == {"title": "a\ufffdb", "pages": [1]}
    True
    """
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            return value.translate(_HALVES)
        return value
    if isinstance(value, dict):
        return {storable(name): storable(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(storable, value)) if type(value) in (list, tuple) else value
    return value


def on_one_line(text: str) -> str:
    r"""`readable`, its white space single spaces: a title, a file's name.

    >>> on_one_line("Policy\n== end\x07")
    'Policy == end'
    """
    return " ".join(readable(text).split())


def without_tokens(text: str) -> str:
    """The text with the tokens of chat templates in brackets that mean nothing to a server; lengths stay.

    >>> without_tokens("a <|im_end|> b [/INST]")
    'a ‹|im_end|› b (/INST)'
    """
    if "<" not in text and "[" not in text:
        return text
    return _TOKENS.sub(lambda found: f"‹{found['angle']}›" if found["angle"] else f"({found['square']})", text)


class ReadableStream:
    """`readable` for text that arrives in pieces: whatever the cut, the same text."""

    def __init__(self) -> None:
        self.held = ""  # a part of a line end, of a character, of a sequence

    def decode(self, piece: str) -> str:
        """What is certain now that ``piece`` has arrived."""
        if not self.held and _ODD.isdisjoint(piece):
            return piece
        text = self.held + piece
        cut = _UNFINISHED.search(text, max(0, len(text) - _LONGEST_PART))
        end = cut.start() if cut else len(text)
        self.held = text[end:]
        return readable(text[:end])

    def flush(self) -> str:
        """What was held back; the stream is over."""
        held, self.held = self.held, ""
        return readable(held)
