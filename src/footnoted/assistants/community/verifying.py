"""Decides whether a draft may be posted. A separate call, always: nothing can switch it off.

Before anybody is asked, what a draft shows exactly (code, commands, options, figures, addresses) must stand in its
sources or in the question, and in a sentence that is nearly a source's own, where the source has it: a wrong detail
between right words is what a reader of meaning overlooks.
"""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

from footnoted.assistants.community import metrics
from footnoted.assistants.community.state import ReplyState, Verification
from footnoted.assistants.community.unaided import verify_unaided
from footnoted.text import runs, sentences
from footnoted.types import Source

if TYPE_CHECKING:
    from footnoted.assistants.community.run import Run

_MARKER = re.compile(r"\[\d{1,3}\]|(?m:^[ \t]*\d{1,3}[.)][ \t])")  # a citation, or the number of an item
_SOURCE = re.compile(r"-# (?:\[\d{1,3}\] )+")
_CODE = re.compile(r"```(?:\w*\n)?(.*?)(?:```|\Z)|`([^`\n]+)`|(https?://[^\s)>\]]+)", re.DOTALL)
_FIGURE = re.compile(r"\w*\d\w*|\b\w+_\w+\b|\b[A-Z]{2,}\b|\b[A-Za-z]*[a-z][A-Z]\w*\b")
_NEARLY = 2  # words in which a nearly quoted sentence may differ, and
_ALIKE = 4  # words at least in which it does not
_LONGEST_SOURCES = 60_000  # code points of the sources a verifier is shown


async def verify(run: Run, state: ReplyState) -> ReplyState:
    """The verifier's decision on a draft, its sources beside it."""
    question, draft = run.question(state["gate"]), state["draft"]["text"]
    missing = await asyncio.to_thread(_missing, run, question, draft)
    swapped = await asyncio.to_thread(_swapped, run, draft)
    if missing or swapped:
        issues = [f"stands in no source: {', '.join(missing[:10])}"[:500]] if missing else []
        decision = Verification(is_good_enough=False, issues=[*issues, *swapped[:10]])
    elif run.has_model("verification"):
        ask = f"The question: {question}\nMay THE DRAFT, the last of the texts above, be posted?"
        shown = _shown(run, draft)
        decision = await run.decide("verification", Verification, question, shown=shown, ask=ask, tokens=600)
    else:
        decision = verify_unaided(run)
    metrics.VERIFICATIONS.labels(good_enough=str(decision.is_good_enough).lower()).inc()
    fields = {f"verification.{name}": value for name, value in decision.model_dump().items()}
    run.log.info("verified", **fields, **{"verification.issues_count": len(decision.issues)})
    return {"verification": decision, "stopped": "" if decision.is_good_enough else "not good enough"}


def _shown(run: Run, draft: str) -> list[Source]:
    """The texts of the sources, as far as there is room, and the draft."""
    shown: list[Source] = []
    room = _LONGEST_SOURCES
    for source in run.sources.values():
        text = "\n\n".join(passage.text for passage in source.passages)[: max(0, room)]
        room -= len(text)
        if text:
            shown.append(Source(id=source.entry.id, title=source.entry.title, text=text))
    return [*shown, Source(id="draft", title="THE DRAFT", text=draft)]


def _missing(run: Run, question: str, draft: str) -> list[str]:
    """What a draft shows exactly and neither its sources nor the conversation hold."""
    body = _without_sources(draft)
    if any(code[0].startswith("```") and not (code[1] or "").strip() for code in _CODE.finditer(body)):
        return ["a listing that was taken out"]  # the core withheld what stood between its fences
    messages = (message.text for message in run.conversation.messages)
    titles = (source.entry.title for source in run.sources.values())
    passages = (passage.text for source in run.sources.values() for passage in source.passages)
    held = set(runs("\n".join([question, *messages, *titles, *passages])))
    folded = {part.casefold() for part in held}
    shown = runs("\n".join("".join(code) for code in _CODE.findall(body)))
    exact = [part for part in shown if part not in held]
    prose = _MARKER.sub(" ", _CODE.sub(" ", body))
    figures = [figure for figure in _FIGURE.findall(prose) if figure.casefold() not in folded]
    return list(dict.fromkeys([*exact, *figures]))


def _swapped(run: Run, draft: str) -> list[str]:
    """What stands exactly in a sentence of the draft where a source, in the same words, has something else."""
    passages = (passage for source in run.sources.values() for passage in source.passages)
    held = dict.fromkeys(tuple(_words(line)) for passage in passages for line in _lines(passage.text))
    found = []
    for line in _lines(_without_sources(draft)):
        said = tuple(_words(_MARKER.sub(" ", line)))
        if said in held:
            continue
        code = (part for parts in _CODE.findall(line) for part in parts)
        exact = {*_words(" ".join(code)), *_words(" ".join(_FIGURE.findall(line)))}
        for words in held:
            if len(words) != len(said):
                continue
            unlike = [(mine, theirs) for mine, theirs in zip(said, words, strict=True) if mine != theirs]
            if len(unlike) <= min(_NEARLY, len(said) - _ALIKE):
                found += [f"{mine!r} where a source says {theirs!r}" for mine, theirs in unlike if mine in exact]
    return list(dict.fromkeys(found))


def _without_sources(draft: str) -> str:
    """The draft without the list of its sources, in small print at its end."""
    return "\n".join("" if _SOURCE.match(line) else line for line in draft.split("\n"))


def _lines(text: str) -> list[str]:
    """The sentences of a text, a line of code being one."""
    return [line for span in sentences(text) for line in text[span.start : span.end].split("\n")]


def _words(text: str) -> list[str]:
    return [word.casefold() for word in runs(text)]
