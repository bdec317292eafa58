"""`footnoted check`: a saved answer or any text, and sources, in; what stands and what does not, out."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from pydantic import BaseModel, ValidationError
from rich.text import Text

from footnoted.answering.proof import PointerCheck, check_pointers
from footnoted.cli.show import ANSWERED, REFUSED, err, open_index, out, run, words, write_json
from footnoted.contract import GenerationResponse
from footnoted.errors import ConfigurationError
from footnoted.retrieval.index import Index
from footnoted.types import Ruling, Source, Tier, Verdict

MAX_TEXT = 5_000_000  # bytes of a file to check
_UNHEARD_OF = Verdict("unsupported", score=0.0, tier="exact", reason="no passage speaks of any of this")
_PATIENCE = 60.0  # seconds for one sentence; nobody waits for a stream here
_COLOURS = {
    "supported": "green",
    "partial": "yellow",
    "unsupported": "red",
    "contradicted": "bold red",
    "not_checked": "dim",
    "stands": "green",
    "moved": "yellow",
    "changed": "red",
    "missing": "red",
}


class EvidenceFound(BaseModel):
    """The words a verdict rests on: ``start``/``end`` are code points of the passage called ``source``."""

    source: str
    start: int
    end: int
    quote: str


class ClaimCheck(BaseModel):
    """One sentence and its verdict."""

    text: str
    start: int
    end: int
    verdict: Ruling
    score: float | None
    tier: Tier
    reason: str
    evidence: list[EvidenceFound]


class CheckReport(BaseModel):
    """Everything a check found; ``stands`` is whether all of it does."""

    stands: bool
    pointers: list[PointerCheck]
    claims: list[ClaimCheck]


def check(
    answer: Annotated[Path, typer.Argument(help="A saved answer (JSON from ask --json), or any text; - reads stdin.")],
    sources: Annotated[list[Path], typer.Option("--sources", "-s", help="Files or folders it should rest on.")],
    pointers_only: Annotated[
        bool, typer.Option("--pointers-only", help="Check hashes and quotes, no verdicts.")
    ] = False,
    passages: Annotated[
        int, typer.Option("--passages", "-k", min=1, max=50, help="Passages a sentence is held against.")
    ] = 5,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Check an answer against its sources. Exit status: 0 all of it stands, 3 something does not, 2 usage."""

    async def work() -> int:
        text, saved = _read(answer)
        if pointers_only and saved is None:
            raise ConfigurationError("only a saved answer (JSON from ask --json) has pointers; drop --pointers-only")
        index = open_index(sources)
        pointers = check_pointers(saved, index.sources()) if saved else []
        claims = [] if pointers_only else await _weigh(text, index, passages)
        stands = all(each.standing in ("stands", "moved") for each in pointers)
        stands = stands and all(each.verdict == "supported" for each in claims)
        report = CheckReport(stands=stands, pointers=pointers, claims=claims)
        if as_json:
            write_json(report.model_dump_json(indent=2))
        else:
            _print(report, text)
        return ANSWERED if stands else REFUSED

    run(work())


def _read(path: Path) -> tuple[str, GenerationResponse | None]:
    try:
        raw = sys.stdin.buffer.read(MAX_TEXT + 1) if str(path) == "-" else path.read_bytes()[: MAX_TEXT + 1]
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}") from error
    if len(raw) > MAX_TEXT:
        raise ConfigurationError(f"{path} is larger than {MAX_TEXT // 1_000_000} MB; check it in parts")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path} is not UTF-8 text") from error
    if not text.strip():
        raise ConfigurationError(f"{path} is empty; there is nothing to check")
    try:
        data = json.loads(text)
    except ValueError:
        return text, None
    if not (isinstance(data, dict) and "citations" in data and "response" in data):
        return text, None
    try:
        saved = GenerationResponse.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        raise ConfigurationError(
            f"{path} looks like a saved answer but is not one: {'.'.join(map(str, first['loc']))}: {first['msg']}"
        ) from error
    return saved.response, saved


async def _weigh(text: str, index: Index, passages: int) -> list[ClaimCheck]:
    from footnoted.answering.watch import Watch
    from footnoted.answering.weighing import NEEDS_SUPPORT, Checking, bare
    from footnoted.grounding.check import Checker
    from footnoted.grounding.claims import segment

    checking = Checking(Checker(), wait=_PATIENCE)
    found = []
    for claim in segment(text):
        if claim.kind != NEEDS_SUPPORT:
            continue
        words = bare(claim.text)
        held_against = index.search(words, k=passages)
        how = replace(checking, watch=Watch("", held_against))
        verdict = await how.verdict(words, held_against, ()) if held_against else _UNHEARD_OF
        found.append(_told(claim.text, claim.start, claim.end, verdict, held_against))
    return found


def _told(text: str, start: int, end: int, verdict: Verdict, sources: list[Source]) -> ClaimCheck:
    return ClaimCheck(
        text=text,
        start=start,
        end=end,
        verdict=verdict.ruling,
        score=verdict.score,
        tier=verdict.tier,
        reason=verdict.reason,
        evidence=[
            EvidenceFound(
                source=str(sources[each.source].metadata.get("file") or sources[each.source].title),
                start=each.start,
                end=each.end,
                quote=each.quote,
            )
            for each in verdict.evidence
        ],
    )


def _print(report: CheckReport, text: str) -> None:
    shown = Text()
    at = 0
    for claim in report.claims:
        shown.append(words(text[at : claim.start], "dim"))
        shown.append(words(text[claim.start : claim.end], _COLOURS[claim.verdict]))
        at = claim.end
    if report.claims:
        shown.append(words(text[at:].rstrip(), "dim"))
        out.print(shown)
        out.print()
    for claim in report.claims:
        line = Text(f"  {claim.verdict:<13}", style=_COLOURS[claim.verdict])
        line.append(words(" ".join(claim.text.split()), "default"))
        out.print(line)
        if claim.reason and claim.verdict != "supported":
            out.print(words(f"                {claim.reason}", "dim"))
        for evidence in claim.evidence[:1]:
            quote = " ".join(evidence.quote.split())
            out.print(words(f"                {evidence.source}: “{quote}”", "italic dim"))
    for pointer in report.pointers:
        line = Text(f"  {pointer.standing:<13}", style=_COLOURS[pointer.standing])
        line.append(words(f"[{pointer.number}] {pointer.source}: “{' '.join(pointer.quote.split())}”", "default"))
        out.print(line)
    claims = sum(each.verdict == "supported" for each in report.claims)
    pointers = sum(each.standing in ("stands", "moved") for each in report.pointers)
    told = []
    if report.claims:
        told.append(f"{claims} of {len(report.claims)} sentences are supported")
    if report.pointers:
        told.append(f"{pointers} of {len(report.pointers)} pointers stand")
    err.print(
        Text("; ".join(told) or "nothing here needs support", style="bold green" if report.stands else "bold red")
    )
