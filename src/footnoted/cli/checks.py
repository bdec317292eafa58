"""`footnoted check`: says which sentences of an answer, or of any text, its sources support."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from footnoted.cli.show import ANSWERED, REFUSED, command, err, open_index, out, save, words, write_json
from footnoted.errors import ConfigurationError

if TYPE_CHECKING:
    from footnoted.evaluation.check import CheckReport

MAX_TEXT = 5_000_000  # bytes of a file to check
_COLOURS = {
    "supported": "green",
    "unsure": "yellow",
    "unsupported": "red",
    "contradicted": "bold red",
    "not_checked": "dim",
    "stands": "green",
    "moved": "yellow",
    "changed": "red",
    "missing": "red",
}


@command
async def check(
    answer: Annotated[
        Path, typer.Argument(help="A saved answer, JSON with an answer and sources, or any text; - is stdin.")
    ],
    sources: Annotated[
        list[Path] | None, typer.Option("--sources", "-s", help="Files or folders it should rest on.")
    ] = None,
    pointers_only: Annotated[
        bool, typer.Option("--pointers-only", help="Check hashes and quotes, no verdicts.")
    ] = False,
    passages: Annotated[
        int, typer.Option("--passages", "-k", min=1, max=50, help="Passages a sentence is held against.")
    ] = 5,
    openinference: Annotated[
        bool, typer.Option("--openinference", help="The file holds OpenInference spans: check each trace's answer.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
    html: Annotated[Path | None, typer.Option("--html", help="Save one page that shows every sentence.")] = None,
    sarif: Annotated[Path | None, typer.Option("--sarif", help="Save SARIF, for editors and code hosts.")] = None,
) -> int:
    """Check an answer against its sources. Exit status: 0 all of it stands, 3 something does not, 2 usage."""
    from footnoted.answering.generator import shipped_checker
    from footnoted.evaluation.check import check_answer, read_answer

    if openinference:
        if sources or pointers_only or html or sarif:
            raise ConfigurationError("--openinference brings its sources, and goes with --json alone")
        return await _traces(answer, as_json=as_json)
    given = read_answer(_read(answer), name=str(answer))
    if pointers_only and given.saved is None:
        raise ConfigurationError("only a saved answer (JSON from ask --json) has pointers; drop --pointers-only")
    if not sources and not given.sources:
        raise ConfigurationError("nothing to hold it against; add --sources PATH, or give JSON with its sources")
    index = open_index(sources) if sources else None
    report = await check_answer(
        given,
        (lambda words: index.search(words, k=passages)) if index else None,
        weigher=shipped_checker(),
        all_sources=index.sources() if index else None,
        pointers_only=pointers_only,
    )
    _write(report, given.text, answer, as_json=as_json, html=html, sarif=sarif)
    return ANSWERED if report.stands else REFUSED


async def _traces(path: Path, *, as_json: bool) -> int:
    """Each trace's answer held against what the trace retrieved."""
    from footnoted.answering.generator import shipped_checker
    from footnoted.evaluation.check import check_answer
    from footnoted.evaluation.traces import TracesReport, annotated, read_traces

    found, passed = read_traces(_read(path), name=str(path))
    checked = []
    for traced in found:
        report = await check_answer(traced.given, weigher=shipped_checker())
        checked.append(annotated(traced, report))
        if not as_json:
            out.print(words(f"{traced.name} · trace {traced.trace}", "bold"))
            _print(report, traced.given.text)
    report_of_all = TracesReport(stands=all(trace.stands for trace in checked), traces=checked, passed_over=passed)
    if as_json:
        write_json(report_of_all.model_dump_json(indent=2))
    for trace, why in passed.items():
        err.print(Text(f"trace {trace} is passed over: {why}", style="dim"))
    if not checked:
        raise ConfigurationError(f"no trace of {path} has an answer and what it retrieved")
    return ANSWERED if report_of_all.stands else REFUSED


def _write(
    report: CheckReport, text: str, answer: Path, *, as_json: bool, html: Path | None, sarif: Path | None
) -> None:
    if as_json:
        write_json(report.model_dump_json(indent=2))
    else:
        _print(report, text)
    name = "standard input" if str(answer) == "-" else answer.name
    if html:
        from footnoted.evaluation.check_page import as_check_page

        save(html, as_check_page(report, text, name=name))
    if sarif:
        from footnoted.evaluation.sarif import as_sarif

        save(sarif, as_sarif(report, text, uri="stdin" if str(answer) == "-" else answer.as_posix()))


def _read(path: Path) -> str:
    name = "standard input" if str(path) == "-" else str(path)
    try:
        raw = sys.stdin.buffer.read(MAX_TEXT + 1) if str(path) == "-" else path.read_bytes()[: MAX_TEXT + 1]
    except OSError as error:
        raise ConfigurationError(f"{name} cannot be read: {error.strerror}") from error
    if len(raw) > MAX_TEXT:
        raise ConfigurationError(f"{name} is larger than {MAX_TEXT // 1_000_000} MB; check it in parts")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{name} is not UTF-8 text") from error
    if not text.strip():
        raise ConfigurationError(f"{name} is empty; there is nothing to check")
    return text


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
    claims = sum(claim.verdict == "supported" for claim in report.claims)
    pointers = sum(pointer.standing in ("stands", "moved") for pointer in report.pointers)
    sums = []
    if report.claims:
        sums.append(f"{claims} of {len(report.claims)} sentences are supported")
    if report.pointers:
        sums.append(f"{pointers} of {len(report.pointers)} pointers stand")
    err.print(
        Text("; ".join(sums) or "nothing here needs support", style="bold green" if report.stands else "bold red")
    )
