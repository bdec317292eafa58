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
from footnoted.assistants.community.decisions import Gate, Verification
from footnoted.assistants.community.prompts import instructions
from footnoted.assistants.community.unaided import verify_unaided
from footnoted.prompting.prompt import fence
from footnoted.text import sentences
from footnoted.types import Prompt, Sampling, Schema, Source

if TYPE_CHECKING:
    from footnoted.assistants.community.run import Run
    from footnoted.assistants.community.state import Draft

_LIST_OF_SOURCES = re.compile(r"(?m)^-# \[\d{1,3}\] .*$")
_MARKER = re.compile(r"\[\d{1,3}\]|(?m:^[ \t]*\d{1,3}[.)][ \t])")  # a citation, or the number of an item
_CODE = re.compile(r"```(?:\w*\n)?(.*?)(?:```|\Z)|`([^`\n]+)`|(https?://[^\s)>\]]+)", re.DOTALL)
_EMPTIED = re.compile(r"(?m)^```\w*\n\s*```")  # what is left of a listing that the core withheld
_PARTS = re.compile(r"\w+")  # of code: names, options, figures; of prose, those that are held against it
_FIGURE = re.compile(r"\w*\d\w*|\b\w+_\w+\b|\b[A-Z]{2,}\b|\b[A-Za-z]*[a-z][A-Z]\w*\b")
_NEARLY = 2  # words in which a nearly quoted sentence may differ, and
_ALIKE = 4  # words at least in which it does not
_LONGEST_SOURCES = 60_000  # code points of the sources a verifier is shown


async def verify(run: Run, gate: Gate, draft: Draft) -> Verification:
    """The verifier's decision on a draft, its sources beside it."""
    question = gate.rewrite_query or run.thread.question
    missing = await asyncio.to_thread(_missing, run, question, draft["text"])
    swapped = await asyncio.to_thread(_swapped, run, draft["text"])
    if missing or swapped:
        issues = [f"stands in no source: {', '.join(missing[:10])}"[:500]] if missing else []
        decided = Verification(is_good_enough=False, issues=[*issues, *swapped[:10]])
    elif run.asking.llms.get("verification") is None:
        decided = await verify_unaided(run)
    else:
        decided = await run.asking.decide("verification", _prompt(run, question, draft), Verification)
    metrics.VERIFICATIONS.labels(good_enough=str(decided.is_good_enough).lower()).inc()
    told_fields = {f"verification.{name}": value for name, value in decided.model_dump().items()}
    run.log.info("verified", **told_fields, **{"verification.issues_count": len(decided.issues)})
    return decided


def _missing(run: Run, question: str, draft: str) -> list[str]:
    """What a draft shows exactly and neither its sources nor the conversation hold."""
    body = _LIST_OF_SOURCES.sub("", draft)
    if _EMPTIED.search(body):
        return ["a listing that was taken out"]
    sources = (one.text for loaded in run.sources.values() for one in loaded.passages)
    titles = (loaded.entry.title for loaded in run.sources.values())
    held = set(
        _PARTS.findall("\n".join([question, *(one.text for one in run.conversation.messages), *titles, *sources]))
    )
    folded = {one.casefold() for one in held}
    shown = _PARTS.findall("\n".join(one[0] or one[1] or one[2] for one in _CODE.findall(body)))
    exact = [one for one in shown if one not in held]
    figures = [one for one in _FIGURE.findall(_MARKER.sub(" ", _CODE.sub(" ", body))) if one.casefold() not in folded]
    return list(dict.fromkeys([*exact, *figures]))


def _swapped(run: Run, draft: str) -> list[str]:
    """What stands exactly in a sentence of the draft where a source, in the same words, has something else."""
    held = {
        tuple(_words(line)): line
        for loaded in run.sources.values()
        for one in loaded.passages
        for line in _lines(one.text)
    }
    found = []
    for line in _lines(_LIST_OF_SOURCES.sub("", draft)):
        said = _words(_MARKER.sub(" ", line))
        if tuple(said) in held:
            continue
        exact = set(_words(" ".join(filter(None, (part for one in _CODE.findall(line) for part in one)))))
        exact |= set(_words(" ".join(_FIGURE.findall(line))))
        for words in held:
            unlike = [pair for pair in zip(said, words, strict=False) if pair[0] != pair[1]]
            if len(words) == len(said) and len(unlike) <= min(_NEARLY, len(said) - _ALIKE):
                found += [f"{mine!r} where a source says {theirs!r}" for mine, theirs in unlike if mine in exact]
    return list(dict.fromkeys(found))


def _lines(text: str) -> list[str]:
    """The sentences of a text, a line of code being one."""
    return [line for span in sentences(text) for line in text[span.start : span.end].split("\n")]


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _PARTS.findall(text)]


def _prompt(run: Run, question: str, draft: Draft) -> Prompt:
    config = run.config
    shown: list[Source] = []
    room = _LONGEST_SOURCES
    for loaded in run.sources.values():
        text = "\n\n".join(one.text for one in loaded.passages)[: max(0, room)]
        room -= len(text)
        if text:
            shown.append(Source(id=loaded.entry.id, title=loaded.entry.title, text=text))
    shown.append(Source(id="draft", title="THE DRAFT", text=draft["text"]))
    scope = config.answer_scope.about or "(any topic of the documents)"
    return Prompt(
        question=question,
        system=instructions(
            "verification", config.verification_prompt, scope=scope, max_answer_chars=config.max_answer_chars
        ),
        context=fence(shown, [one.text for one in shown]),
        ask=f"The question: {question}\nMay THE DRAFT, the last of the texts above, be posted?",
        sampling=Sampling(max_tokens=600, temperature=0.0),
        schema=Schema("Verification", Verification.model_json_schema()),
    )
