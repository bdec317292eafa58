"""Summarises a source for the index: what it covers and when it matters, by a model or without one."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from footnoted.errors import BadProviderReply, SourceError
from footnoted.inert import on_one_line, readable, without_tokens
from footnoted.orders import is_order
from footnoted.prompting.prompt import fence
from footnoted.retrieval.load.markdown import front_matter
from footnoted.text import STOPWORDS, fold, sentences, stem, words
from footnoted.text.markdown import as_read, stretches
from footnoted.types import Prompt, Sampling, Source

if TYPE_CHECKING:
    from footnoted.assistants.community.asking import Asking

MAX_WORDS = 80
_READ = 24_000  # code points of a source a model reads
_LONGEST = 1_200  # code points of a summary
_SENTENCE = 320  # code points of a sentence that is taken into a summary
_TERMS = 12
_HEADING = re.compile(r"(?m)^#{1,6}[ \t]+(.{2,120})$")


async def summary_by_model(asking: Asking, source_id: str, text: str, *, instructions: str) -> str:
    """What a model says the source covers. Raises `FootnotedError` when it says nothing usable."""
    source = Source(id=source_id, text=text[:_READ], title=source_id)
    prompt = Prompt(
        question=f"What does {source_id} cover?",
        system=instructions,
        context=fence([source], [source.text]),
        ask="Describe the document above.",
        sampling=Sampling(max_tokens=300, temperature=0.2),
    )
    summary = on_one_line(without_tokens(await asking.ask("summarization", prompt)))
    if not any(char.isalpha() for char in summary):
        raise BadProviderReply(f"the summary of {source_id} has no words")
    return summary[:_LONGEST]


def summary_by_rules(source_id: str, text: str) -> str:
    """The source's own opening, its headings and telling words. Raises `SourceError` when there are no words."""
    about, begins = front_matter(text)
    body = " ".join(piece for piece, is_code in stretches(text[begins:]) if not is_code)
    headings = [_plain(heading) for heading in _HEADING.findall(body)]
    prose = _HEADING.sub("\n", body)
    parts = ([_plain(about["description"])] if "description" in about else []) + _opening(prose)
    parts = parts[:2]
    if headings:
        parts.append(f"Sections: {'; '.join(dict.fromkeys(headings[:10]))}")
    if terms := _terms(" ".join(word for word in as_read(body).split() if "://" not in word)):
        parts.append(f"Matters for questions about {', '.join(terms)}")
    summary = on_one_line(" ".join(part if part.endswith((".", "!", "?", "…")) else f"{part}." for part in parts))
    if not any(char.isalpha() for char in summary):
        raise SourceError(f"{source_id} holds no words to summarise")
    return summary[:_LONGEST]


def _opening(prose: str) -> list[str]:
    found = []
    for span in sentences(prose[:4_000]):
        raw = prose[span.start : span.end]
        sentence = _plain(raw)
        if len(sentence.split()) >= 5 and len(sentence) <= _SENTENCE and not is_order(raw):
            found.append(sentence)
        if len(found) == 2:
            break
    return found


def _terms(text: str) -> list[str]:
    """Words said often here, small ones aside."""
    telling = [(stem(word), fold(word)) for word, _, _ in words(text) if _tells(word)]
    count = Counter(root for root, _ in telling)
    shown = dict(reversed(telling))  # the form that came first
    return [shown[root] for root, times in count.most_common(_TERMS) if times > 1 or len(count) < _TERMS]


def _tells(word: str) -> bool:
    return fold(word) not in STOPWORDS and len(word) > 2 and any(char.isalpha() for char in word)


def _plain(text: str) -> str:
    """Words without their markup, on one line."""
    return as_read(readable(text)).strip(" #|>-")
