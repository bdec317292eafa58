"""A stand-in for a model: a request with fenced sources in, the source's own best sentence out, cited."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from footnoted.testing.script import Reply
from footnoted.text import content_stems, sentences

if TYPE_CHECKING:
    from footnoted.testing.script import Request

_FENCE = re.compile(r"^== (\w+) (\d+)(?:: [^\n]*)?\n(.*?)(?=^== \1 )", re.MULTILINE | re.DOTALL)


def canned(request: Request) -> Reply:
    """The sentence of the prompt's sources that shares most words with its last line, cited, one word a time."""
    question = set(content_stems(request.prompt_text.strip().rsplit("\n", 1)[-1]))
    best, most = "", 0
    for _, number, text in _FENCE.findall(request.prompt_text):
        for span in sentences(text):
            sentence = " ".join(text[span.start : span.end].split())
            shared = len(question & set(content_stems(sentence)))
            if shared > most and not sentence.startswith(("#", "|")):
                best, most = f"{sentence} [{number}]", shared
    return Reply(best or "The sources do not say.", delay=0.03)
