"""`footnoted eval`: runs a file of cases, with figures and intervals, a page to look at, and a status for CI."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from footnoted.cli.answers import BaseUrl, Mode, Model, ProviderName, Style
from footnoted.cli.show import ANSWERED, FAILED, command, err, out, progress, save, words, write_json
from footnoted.contract import CitationStyle, GenerationConfig, GenerationMode
from footnoted.errors import ConfigurationError

if TYPE_CHECKING:
    from footnoted.evaluation import Comparison, Report

CasesFile = Annotated[Path, typer.Argument(help="JSON lines: id, question, passages, answerable, evidence, answers.")]
Against = Annotated[Path | None, typer.Option("--against", help="A saved run to compare with, case by case.")]
JsonFile = Annotated[Path | None, typer.Option("--json", help="Save the whole run as JSON; - prints it.")]
HtmlFile = Annotated[Path | None, typer.Option("--html", help="Save one page with plots and every case.")]
Record = Annotated[
    Path | None, typer.Option("--record", help="Write the provider's replies down; known ones are reused.")
]
Replay = Annotated[Path | None, typer.Option("--replay", help="Take replies from this recording; ask nobody.")]
Limit = Annotated[int | None, typer.Option("--limit", min=1, help="Only the first cases.")]
Concurrency = Annotated[int, typer.Option("--concurrency", min=1, max=256, help="Cases asked at once.")]
Least = Annotated[
    list[str] | None,
    typer.Option("--least", help="metric=share that must be reached, else status 1: citation_precision=0.9"),
]


@command
async def evaluate(
    cases: CasesFile,
    provider: ProviderName = "extractive",
    model: Model = None,
    base_url: BaseUrl = None,
    style: Style = CitationStyle.NUMBERED,
    mode: Mode = GenerationMode.GROUNDED,
    against: Against = None,
    json_file: JsonFile = None,
    html_file: HtmlFile = None,
    record: Record = None,
    replay: Replay = None,
    limit: Limit = None,
    concurrency: Concurrency = 4,
    least: Least = None,
) -> int:
    """Measure answers on labelled cases. Exit status: 0 done, 1 below --least or worse than --against, 2 usage."""
    from footnoted.answering.generator import GroundedGenerator
    from footnoted.evaluation import Report, as_page, compare, read_cases, summarise
    from footnoted.evaluation import evaluate as measure

    wanted = _thresholds(least or [])
    found = read_cases(cases, limit=limit)
    before = Report.read(against) if against else None
    config = GenerationConfig(mode=mode, citation_style=style, model=model)
    done = count(1)
    async with GroundedGenerator(_provider(provider, model, base_url, record=record, replay=replay)) as generator:
        with progress("asking") as advance:
            outcomes = await measure(
                found,
                generator,
                config=config,
                concurrency=concurrency,
                progress=lambda _: advance(next(done), len(found)),
            )
    report = summarise(outcomes, name=cases.stem, provider=provider, model=model)
    comparison = compare(before, report) if before else None
    if json_file and str(json_file) == "-":
        write_json(report.model_dump_json(indent=2))
    else:
        _print(report, comparison)
    if json_file and str(json_file) != "-":
        save(json_file, report.model_dump_json(indent=2))
    if html_file:
        save(html_file, as_page(report, comparison))
    return _status(report, comparison, wanted)


def _provider(
    provider: str, model: str | None, base_url: str | None, *, record: Path | None, replay: Path | None
) -> Any:
    from footnoted.answering.generator import chosen_provider
    from footnoted.evaluation import Recording

    if record and replay:
        raise ConfigurationError("choose --record or --replay; --record already reuses the replies it knows")
    if replay:
        return Recording(replay)
    built = chosen_provider(provider, model=model, base_url=base_url)
    return Recording(record, built) if record else built


def _thresholds(wishes: list[str]) -> dict[str, float]:
    from footnoted.evaluation.report import MEANS

    found = {}
    for wish in wishes:
        metric, mark, share = wish.partition("=")
        if metric not in MEANS:
            raise ConfigurationError(f"--least knows no {metric!r}; there are {', '.join(MEANS)}")
        try:
            found[metric] = float(share)
        except ValueError:
            mark = ""
        if not mark or not 0 <= found[metric] <= 1:
            raise ConfigurationError(f"--least {wish!r}: write metric=share with a share from 0 to 1")
    return found


def _status(report: Report, comparison: Comparison | None, wanted: dict[str, float]) -> int:
    status = ANSWERED
    for metric, share in wanted.items():
        got = report.metrics[metric].value
        if got is None or got < share:
            reached = "not measured: no case tells" if got is None else f"{got:.1%}"
            err.print(words(f"below what was asked: {metric} {reached}, at least {share:.1%} wanted", "bold red"))
            status = FAILED
    for metric, difference in comparison.metrics.items() if comparison else ():
        if difference.real and difference.after < difference.before:
            err.print(words(f"really worse: {metric} {difference.before:.1%} → {difference.after:.1%}", "bold red"))
            status = FAILED
    return status


def _print(report: Report, comparison: Comparison | None) -> None:
    from footnoted.evaluation.report import MEANS

    table = Table(
        title=f"{len(report.cases)} cases · {report.provider}", title_justify="left", box=None, pad_edge=False
    )
    for column, side in (("what", "left"), ("figure", "right"), ("95 % interval", "left"), ("cases", "right")):
        table.add_column(column, justify=side, no_wrap=True)  # type: ignore[arg-type]
    for metric, said in MEANS.items():
        figure = report.metrics[metric]
        if figure.value is not None:
            table.add_row(said, f"[bold]{figure.value:.1%}[/bold]", figure.range, str(figure.n))
    out.print(table)
    latency, tokens = report.latency, report.tokens
    out.print(
        f"[dim]answers p50 {latency.p50:.0f} ms, p95 {latency.p95:.0f} ms; tokens {tokens.input:,} read,[/dim]", end=""
    )
    out.print(f"[dim] {tokens.output:,} written{' (estimated)' if tokens.estimated else ''}[/dim]")
    if report.calibration_error is not None:
        out.print(
            f"[dim]calibration error {report.calibration_error:.3f}, area under risk {report.risk_area:.3f}[/dim]"
        )
    errors = [(outcome.case.id, outcome.error) for outcome in report.cases if outcome.error is not None]
    for case, error in errors[:5]:
        err.print(words(f"{case}: {error.type}: {error.message}", "red"))
    if len(errors) > 5:
        err.print(words(f"… and {len(errors) - 5} more cases without an answer", "red"))
    if comparison:
        _print_comparison(comparison, MEANS)


def _print_comparison(comparison: Comparison, means: dict[str, str]) -> None:
    out.print()
    table = Table(
        title=f"against {comparison.before}, {comparison.shared} shared cases", title_justify="left", box=None
    )
    for column in ("what", "before", "now", "points (95 % interval)", ""):
        table.add_column(column, no_wrap=True)
    for metric, difference in comparison.metrics.items():
        change = difference.change
        verdict = "[green]better[/green]" if (change.value or 0) > 0 else "[red]worse[/red]"
        if not difference.real:
            verdict = "[dim]no real difference[/dim]"
        table.add_row(means[metric], f"{difference.before:.1%}", f"{difference.after:.1%}", change.points, verdict)
    out.print(table)
