"""A conversation as a file of its own: Markdown, JSON or HTML, each answer with the words it stands on.

What a model or a source wrote is data here too: Markdown is read with raw HTML off, and everything else is escaped.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from html import escape

from footnoted.service.conversations import Turn
from footnoted.service.told import ToldConversation

VERDICTS = {
    "supported": "supported",
    "unsure": "not sure",
    "unsupported": "not supported",
    "contradicted": "contradicted",
    "not_checked": "not checked",
}
_STYLE = (
    "body{max-width:44rem;margin:2rem auto;padding:0 1rem;font:17px/1.65 Georgia,serif;color:#1e2229;"
    "background:#faf8f4;overflow-wrap:anywhere}h1,h2{line-height:1.3}article{border-top:1px solid #ccc;padding:1rem 0}"
    "ol{padding-left:1.4rem;font-size:.92em}pre,.table{overflow-x:auto}footer,.soft{color:#5a626e;font-size:.9em}"
    "@media(prefers-color-scheme:dark){body{color:#e9e6df;background:#15171b}a{color:#a5bcff}footer,.soft{color:#a6adb8}}"
)


def as_json(listed: ToldConversation, turns: list[Turn]) -> str:
    """Everything that is kept, as JSON."""
    return json.dumps({**listed.model_dump(), "turns": [asdict(turn) for turn in turns]}, ensure_ascii=False, indent=2)


def as_markdown(listed: ToldConversation, turns: list[Turn]) -> str:
    """Questions as headings, answers as they are, sources below them."""
    parts = [f"# {_line(listed.title) or 'Conversation'}"]
    for turn in turns:
        parts.append(f"## {_line(turn.question)}")
        parts.append(_text(turn) or "*No answer was kept.*")
        notes = [
            f"{number}. {_line(title)}: {' … '.join(f'“{quote}”' for quote in quotes)}"
            for number, title, quotes in _notes(turn)
        ]
        if notes:
            parts.append("### Sources\n\n" + "\n".join(notes))
        if said := summary(turn):
            parts.append(f"*{said}*")
    return "\n\n".join(parts) + "\n"


def as_html(listed: ToldConversation | None, turns: list[Turn], *, stylesheet: str | None = None) -> str:
    """A page that needs nothing else, or its looks from ``stylesheet``. Without ``listed`` it says: nothing here."""
    look = f'<link rel="stylesheet" href="{stylesheet}">' if stylesheet else f"<style>{_STYLE}</style>"
    title = escape(listed.title or "Conversation") if listed else "Nothing here"
    body = "".join(_article(turn, n) for n, turn in enumerate(turns, 1))
    if listed is None:
        body = "<p>This link opens nothing. It may have been withdrawn, or its conversation deleted.</p>"
        when = ""
    else:
        when = f"Last used {datetime.fromtimestamp(listed.updated_at, UTC):%Y-%m-%d}. "
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f'<meta name="referrer" content="no-referrer"><title>{title}</title>{look}</head>'
        f'<body><main><h1 dir="auto">{title}</h1>{body}</main>'
        f"<footer>{when}Answers by footnoted; each number leads to the words it stands on.</footer></body></html>\n"
    )


def summary(turn: Turn) -> str:
    """What became of the answer's sentences, in words that claim no more than was found."""
    response = turn.response or {}
    if response.get("finish_reason") == "refused":
        return "The sources do not say."
    claims = response.get("claims", [])
    shown = [claim for claim in claims if claim.get("kind") == "claim" and claim.get("shown", True)]
    counts = [(sum(claim.get("verdict") == verdict for claim in shown), word) for verdict, word in VERDICTS.items()]
    parts = [f"{count} {word}" for count, word in counts if count]
    held = len([claim for claim in claims if not claim.get("shown", True)])
    if held:
        parts.append(f"{held} left out")
    if not parts:
        return ""
    return f"Of {len(shown)} {'statement' if len(shown) == 1 else 'statements'}: {', '.join(parts)}."


def _article(turn: Turn, n: int) -> str:
    notes = "".join(
        f'<li id="s{n}-{number}" value="{number}"><cite dir="auto">{escape(title)}</cite>: '
        f"{' … '.join(f'<q dir=auto>{escape(quote)}</q>' for quote in quotes)}</li>"
        for number, title, quotes in _notes(turn)
    )
    said = summary(turn)
    answer = _rendered(turn, n) if turn.response else '<p class="soft">No answer was kept.</p>'
    return (
        f'<article><h2 dir="auto">{escape(turn.question)}</h2>{answer}'
        f"{f'<h3>Sources</h3><ol>{notes}</ol>' if notes else ''}"
        f"{f'<p class=soft>{escape(said)}</p>' if said else ''}</article>"
    )


def _rendered(turn: Turn, n: int) -> str:
    """The answer's Markdown as HTML; its markers, taken for letters no text has meanwhile, become links."""
    from markdown_it import MarkdownIt

    marked = [chr(0xF0000 + number) for number in range(1, 1000)]
    text = _text(turn, lambda number: marked[number - 1] if 0 < number < 1000 else "")
    reader = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable("table").disable("image")
    html = reader.render(text)
    for number, _, _ in _notes(turn):
        if 0 < number < 1000:
            html = html.replace(marked[number - 1], f'<sup><a href="#s{n}-{number}">{number}</a></sup>')
    return f'<div dir="auto">{html}</div>'


def _text(turn: Turn, mark: Callable[[int], str] = lambda number: f"[{number}]") -> str:
    """The answer's text with its markers written by ``mark``, without what was taken back."""
    response = turn.response or {}
    text = response.get("response", "")
    cuts = [(cut["start"], cut["end"], "") for cut in response.get("retracted", [])]
    citations = response.get("citations", [])
    cuts += [(marker["start_pos"], marker["end_pos"], mark(marker["number"])) for marker in citations]
    for start, end, instead in sorted(cuts, reverse=True):
        text = text[:start] + instead + text[end:]
    return str(text).strip()


def _notes(turn: Turn) -> list[tuple[int, str, list[str]]]:
    """Number, title and quoted words of each source the answer uses, by number."""
    notes: dict[int, tuple[str, list[str]]] = {}
    for citation in (turn.response or {}).get("citations", []):
        index = citation.get("source_index", -1)
        title = turn.sources[index]["title"] if 0 <= index < len(turn.sources) else ""
        _, quotes = notes.setdefault(
            citation["number"], (title or citation.get("source_title") or f"Source {index + 1}", [])
        )
        quote = _line(citation.get("source_quote") or citation.get("quoted_text") or "")
        if quote and quote not in quotes:
            quotes.append(quote)
    return [(number, title, quotes) for number, (title, quotes) in sorted(notes.items())]


def _line(text: str) -> str:
    return " ".join(text.split())
