"""Reads the blocks of a Terraform text with the names of their arguments. Enough of HCL for a catalogue's snippets."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_TOKEN = re.compile(
    r"(?P<space>[ \t\r]+|#[^\n]*|//[^\n]*)|(?P<line>\n)|(?P<heredoc><<-?(\w+)\n)|(?P<quote>\")"
    r"|(?P<name>[A-Za-z_][\w-]*)|(?P<number>\d[\d.]*)|(?P<mark>=>|==|!=|<=|>=|&&|\|\||[-+*/%<>!?:=.,{}()\[\]])"
)
_CLOSES = {"{": "}", "(": ")", "[": "]"}


@dataclass
class Block:
    """``resource "type" "name" { … }``: its words, its arguments' names, and the blocks inside it."""

    words: list[str]
    arguments: set[str] = field(default_factory=set)
    blocks: list[Block] = field(default_factory=list)


def parse(text: str) -> Block:
    """The text as one nameless block; raises `ValueError` with the line where it is no HCL."""
    reader = _Reader(text)
    return reader.body(Block([]), end="")


class _Reader:
    def __init__(self, text: str) -> None:
        self.tokens = list(_tokens(text))
        self.at = 0

    def next(self) -> tuple[str, str, int]:
        token = self.tokens[self.at]
        self.at += 1
        return token

    def body(self, block: Block, *, end: str) -> Block:
        while True:
            kind, value, line = self.next()
            if kind == "line":
                continue
            if value == end and kind in {"mark", "end"}:
                return block
            if kind != "name":
                raise ValueError(f"line {line}: an argument or a block was expected, not {value!r}")
            self._entry(block, value, line)

    def _entry(self, block: Block, name: str, line: int) -> None:
        words = [name]
        while True:
            kind, value, line = self.next()
            if value == "=" and kind == "mark" and len(words) == 1:
                if name in block.arguments:
                    raise ValueError(f"line {line}: {name} is given twice")
                block.arguments.add(name)
                self._expression()
                return
            if value == "{" and kind == "mark":
                block.blocks.append(self.body(Block(words), end="}"))
                return
            if kind not in {"string", "name"}:
                raise ValueError(f"line {line}: {value!r} stands where = or {{ was expected")
            words.append(value)

    def _expression(self) -> None:
        """Everything up to the end of the line, brackets closed; a bracket that never closes is an error."""
        open_marks: list[str] = []
        taken = 0
        while True:
            kind, value, line = self.tokens[self.at]
            if not open_marks and (kind in {"line", "end"} or value == "}"):
                if not taken:
                    raise ValueError(f"line {line}: an argument has no value")
                return
            if kind == "end":
                raise ValueError(f"line {line}: {open_marks[-1]} is never closed")
            self.at += 1
            taken += 1
            if kind == "mark" and value in _CLOSES:
                open_marks.append(value)
            elif kind == "mark" and value in _CLOSES.values() and _CLOSES[open_marks.pop()] != value:
                raise ValueError(f"line {line}: {value} closes nothing")


def _tokens(text: str):
    at, line = 0, 1
    while at < len(text):
        found = _TOKEN.match(text, at)
        if not found:
            raise ValueError(f"line {line}: {text[at]!r} is no HCL")
        kind = found.lastgroup if found.lastgroup != "heredoc" else "heredoc"
        start, at = at, found.end()
        if found["quote"]:
            at = _string_end(text, at, line)
            yield "string", text[start + 1 : at - 1], line
        elif found["heredoc"]:
            close = re.compile(rf"^\s*{found[4]}$", re.MULTILINE).search(text, at)
            if not close:
                raise ValueError(f"line {line}: the text {found[4]} never ends")
            at = close.end()
            yield "string", text[start:at], line
        elif kind != "space":
            yield str(kind), found[0], line
        line += text.count("\n", start, at)
    yield "end", "", line


def _string_end(text: str, at: int, line: int) -> int:
    depth = 0
    while at < len(text):
        if text[at] == "\\":
            at += 2
            continue
        if text.startswith("${", at):
            depth, at = depth + 1, at + 2
            continue
        if text[at] == "}" and depth:
            depth -= 1
        elif text[at] == '"' and not depth:
            return at + 1
        elif text[at] == "\n":
            break
        at += 1
    raise ValueError(f"line {line}: a string is never closed")
