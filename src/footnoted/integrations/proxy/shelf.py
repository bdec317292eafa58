"""Keeps answers for a while, to show on the page behind a citation the source's words it stands on, marked."""

from __future__ import annotations

import secrets
from collections import Counter, OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise
from typing import Any

from footnoted.integrations.proxy.weighing import Weighed
from footnoted.types import Source

PATH = "/footnoted/"
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
_MOST_BYTES = 64_000_000  # of texts kept for the page, about
_STYLE = (
    "body{font:1rem/1.6 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}"
    "pre{white-space:pre-wrap;overflow-wrap:anywhere;font:inherit;border-left:3px solid #8886;padding-left:1rem}"
    "mark:target,:target>mark{outline:3px solid #e90}li{margin:.3rem 0}h2{font-size:1.1rem;margin-top:2rem}"
)


@dataclass(slots=True)
class Record:
    """One answer: what it stands on, and what was found of its sentences. ``url`` is its page."""

    url: str
    sources: Sequence[Source]
    question: str
    mode: str
    found: list[Weighed] = field(default_factory=list)

    def note(self, weighed: Weighed) -> int:
        """Take a sentence in; its number on the page."""
        self.found.append(weighed)
        return len(self.found)

    def link(self, number: int) -> str:
        """The page, at the words that this sentence stands on."""
        return f"{self.url}#c{number}"

    def title(self, index: int) -> str:
        """What a reader would call a source."""
        return self.sources[index].title or f"Source {index + 1}"

    @property
    def counts(self) -> dict[str, int]:
        """Verdicts, and how many sentences got each."""
        return dict(sorted(Counter(sentence.verdict.ruling for sentence in self.found).items()))

    def summary(self) -> dict[str, Any]:
        """What stands under ``footnoted`` in the protocol's last word. Offsets are code points."""
        return {
            "url": self.url,
            "checking": self.mode,
            "verdicts": self.counts,
            "claims": list(map(_claim, self.found)),
            "sources": [
                {"index": index, "title": source.title, "sha256": source.sha256}
                for index, source in enumerate(self.sources)
            ],
        }

    def page(self) -> str:
        """The answer's sentences and its sources, the words they stand on marked; no script."""
        rows = [
            f"<li>{_linked(number, sentence)} <small>{escape(sentence.verdict.ruling.replace('_', ' '))}"
            f"{': ' + escape(sentence.verdict.reason) if sentence.verdict.reason else ''}</small></li>"
            for number, sentence in enumerate(self.found, start=1)
        ]
        sources = [
            f"<h2>{escape(self.title(at))}</h2><pre>{self._marked(at)}</pre>" for at, _ in enumerate(self.sources)
        ]
        return (
            '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
            f"<title>footnoted</title><style>{_STYLE}</style><h1>{escape(self.question[:500]) or 'An answer'}</h1>"
            f"<ol>{''.join(rows)}</ol>{''.join(sources)}</html>"
        )

    def _marked(self, index: int) -> str:
        """A source's text with every stretch that a sentence stands on marked, and a target for each sentence."""
        text = self.sources[index].text
        targets: dict[int, list[int]] = {}
        spans = []
        for number, sentence in enumerate(self.found, start=1):
            evidence = sentence.evidence
            if evidence is not None and evidence.source == index:
                targets.setdefault(evidence.start, []).append(number)
                spans.append((evidence.start, evidence.end))
        edges = sorted({0, len(text), *(edge for span in spans for edge in span)})
        parts = []
        for start, end in pairwise(edges):
            words = escape(text[start:end])
            if any(a <= start and end <= b for a, b in spans):
                words = f"<mark>{words}</mark>"
            opening = "".join(f'<span id="c{number}">' for number in targets.get(start, ()))
            parts.append(opening + words + "</span>" * len(targets.get(start, ())))
        return "".join(parts)


class Shelf:
    """The newest records, by ids nobody can guess."""

    def __init__(self, most: int = 500) -> None:
        self._most = most
        self._kept: OrderedDict[str, Record] = OrderedDict()
        self._bytes = 0

    def open(self, base: str, sources: Sequence[Source], question: str, mode: str, *, keep: bool = True) -> Record:
        """A record for an answer that begins; the oldest make room."""
        name = secrets.token_urlsafe(12)
        record = Record(f"{base}{PATH}{name}", sources, question, mode)
        if not keep:
            return record
        self._kept[name] = record
        self._bytes += _size(record)
        while self._kept and (len(self._kept) > self._most or self._bytes > _MOST_BYTES):
            _, gone = self._kept.popitem(last=False)
            self._bytes -= _size(gone)
        return record

    def get(self, name: str) -> Record | None:
        """The record of that id, while it is kept."""
        return self._kept.get(name)


def _size(record: Record) -> int:
    return sum(len(source.text) for source in record.sources)


def _claim(sentence: Weighed) -> dict[str, Any]:
    verdict = sentence.verdict
    return {
        "text": sentence.claim.text,
        "start": sentence.start if sentence.shown else None,
        "end": sentence.end if sentence.shown else None,
        "shown": sentence.shown,
        "verdict": verdict.ruling,
        "score": verdict.score,
        "tier": verdict.tier,
        "reason": verdict.reason,
        "evidence": [
            {"source": words.source, "start": words.start, "end": words.end, "quote": words.quote}
            for words in verdict.evidence
        ],
    }


def _linked(number: int, sentence: Weighed) -> str:
    words = escape(sentence.claim.text)
    return f'<a href="#c{number}">{words}</a>' if sentence.evidence else words
