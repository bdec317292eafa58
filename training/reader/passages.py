"""Finds the passages again that natural twins were written about, by the hash of their text.

The twins of `training/twins` name their passage by set, reference and hash: the texts are not ours to keep. They are cut
here as they were for whoever wrote: sections of documentation, six sentences of a paper, the beginning of a retrieved page.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
_ANCHOR = re.compile(r"\{ #[\w-]+ \}|\{\*.*?\*\}")
DOCUMENTS = {
    "fastapi": "questions/fastapi", "prowler": "questions/prowler", "discord": "python-discord-docs",
    "insurance": "insurance/src", "tags": "python-discord-tags",
}  # fmt: skip


def digest(text: str) -> str:
    """What a passage is found again by."""
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def passages(data: Path) -> dict[str, str]:
    """Text by `digest`."""
    return {digest(text): text for text in (text.strip() for text in _cut(data))} | {
        digest(text): text for text in _parallel(data)
    }


def _lines(path: Path) -> Iterator[dict]:
    return map(json.loads, path.open(encoding="utf-8"))


def _cut(data: Path) -> Iterator[str]:
    for name in ("squad2", "clapnq"):
        for row in _lines(data / "answering" / f"{name}.jsonl"):
            yield from (p["text"] for p in row["passages"])
    for row in _lines(data / "answering" / "covid_articles.jsonl"):
        for paragraph in (p for p in re.split(r"\n+", row["text"]) if len(p.split()) > 60):
            parts = _SENTENCE.split(paragraph)
            yield from (" ".join(parts[i : i + 6]) for i in range(0, len(parts), 6))
    for folder in DOCUMENTS.values():
        for file in sorted([*(data / folder).rglob("*.md"), *(data / folder).rglob("*.mdx")]):
            if "release-notes" not in file.name:
                yield from _sections(file.read_text(encoding="utf-8", errors="replace"))
    for row in _lines(data / "grounding" / "mtrag_answers.jsonl"):
        yield from (_retrieved(source) for source in row["source"])
    for row in _lines(data / "grounding" / "summedits.jsonl"):
        for source in row["source"]:
            yield from _stretches(source)
    for row in _lines(data / "grounding" / "bump.jsonl"):
        yield _beginning(" ".join(row["source"]), 150)
    for name in ("condaqa_yesno", "drop_nli"):
        for line in gzip.open(data / "training" / f"{name}.jsonl.gz", "rt"):
            premise = json.loads(line)["premise"]
            yield _beginning(premise, 120) if len(premise.split()) > 230 else premise


def _parallel(data: Path) -> Iterator[str]:
    for file in sorted((data / "questions" / "xquad").glob("*.json")):
        for article in json.loads(file.read_text(encoding="utf-8"))["data"]:
            yield from (paragraph["context"] for paragraph in article["paragraphs"])


def _sections(text: str) -> Iterator[str]:
    text = re.sub(r"^---\n.*?\n---\n", "", text, flags=re.DOTALL)
    found, head, now = [], "", ""
    for line in text.splitlines():
        if re.match(r"#{1,4} ", line):
            if now.strip():
                found.append((head, now))
            head, now = re.sub(r"\{ *#.*?\}", "", line.lstrip("# ")).strip(), ""
        now += line + "\n"
    for title, section in [*found, (head, now)]:
        body = _ANCHOR.sub("", section)
        if len(body.split()) <= 230:
            yield body
            continue
        parts, at = body.split("\n\n"), 0
        while at < len(parts):
            now, at = parts[at], at + 1
            while at < len(parts) and len((now + parts[at]).split()) < 180:
                now, at = f"{now}\n\n{parts[at]}", at + 1
            yield now if now.startswith("#") else f"# {title}\n\n{now}"


def _retrieved(source: str) -> str:
    now = ""
    for part in re.split(r"(?<=[.!?])\s+(?=[A-Z])|\n", source):
        now += f"{part}\n" if len(part) < 60 else f"{part} "
        if len(now.split()) > 140:
            break
    return now


def _stretches(source: str) -> Iterator[str]:
    lined = source.count("\n") > 5
    parts, after = (source.split("\n"), "\n") if lined else (_SENTENCE.split(source), " ")
    at = 0
    while at < len(parts):
        now, next_at = "", at
        while next_at < len(parts) and len((now + parts[next_at]).split()) < 150:
            now, next_at = now + parts[next_at] + after, next_at + 1
        yield now
        at = max(next_at, at + 1)


def _beginning(text: str, words: int) -> str:
    now = ""
    for part in _SENTENCE.split(text):
        now += f"{part} "
        if len(now.split()) > words:
            break
    return now
