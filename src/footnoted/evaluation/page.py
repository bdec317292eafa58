"""Draws a report as one HTML page that needs nothing else: figures, plots, every failing case with its sources."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from importlib.resources import files

from footnoted.contract import ClaimResult, GenerationResponse
from footnoted.evaluation.check import ClaimCheck
from footnoted.evaluation.compare import Comparison
from footnoted.evaluation.plots import latency_plot, reliability_diagram, risk_coverage_curve
from footnoted.evaluation.report import MEANS, CaseReport, Report, failed

# The page runs nothing and loads nothing, whatever a case's text says.
HEAD = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8">'
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
    '<meta name="viewport" content="width=device-width, initial-scale=1">'
)


def as_page(report: Report, comparison: Comparison | None = None) -> str:
    """The page's HTML. Text of cases, sources and models stands escaped in it."""
    failing = report.failing
    name = report.name or "evaluation"
    made = " · ".join(filter(None, (report.provider, report.model, f"{report.made:%Y-%m-%d %H:%M} UTC")))
    parts = [
        f"{HEAD}<title>{escape(name)} · footnoted</title><style>{style()}</style></head><body><main>",
        (
            f"<header><h1>{escape(name)}</h1><p>{escape(made)} · {len(report.cases)} cases · "
            f"footnoted {escape(report.version)}</p></header>"
        ),
        _figures(report),
        _compared(comparison) if comparison else "",
        _plots(report),
        f"<h2>{len(failing)} of {len(report.cases)} cases to look at</h2>",
        *(_case(case, opened=len(failing) <= 3) for case in failing),
        "<h2>The others</h2>",
        *(_case(case) for case in report.cases if not failed(case)),
        "</main></body></html>",
    ]
    return "\n".join(filter(None, parts))


def style() -> str:
    """The style sheet of every page made here."""
    return files("footnoted.evaluation").joinpath("page.css").read_text(encoding="utf-8")


def highlighted(text: str, stretches: Iterable[tuple[int, int, str, str]]) -> str:
    """A text, escaped, its stretches (start, end, opening and closing tag) between tags, save those that overlap."""
    out, at = [], 0
    for start, end, opening, closing in sorted(stretches):
        if start >= at:
            out.append(f"{escape(text[at:start])}{opening}{escape(text[start:end])}{closing}")
            at = end
    return "".join(out) + escape(text[at:])


def said(claim: ClaimResult | ClaimCheck) -> str:
    """A claim's verdict and its reason, escaped."""
    return escape(f"{claim.verdict}: {claim.reason}" if claim.reason else claim.verdict)


def _figures(report: Report) -> str:
    rows = []
    for metric, means in MEANS.items():
        figure = report.metrics.get(metric)
        if figure is None or figure.value is None:
            continue
        rows.append(
            f"<tr><th>{escape(means)}</th><td class=figure>{figure.value:.1%}</td><td>{figure.range}</td>"
            f"<td>{figure.n}</td></tr>"
        )
    latency, tokens = report.latency, report.tokens
    about = "about " if tokens.estimated else ""
    return (
        "<table><thead><tr><th>what</th><th>figure</th><th>95 % interval</th><th>cases</th></tr></thead><tbody>"
        + "".join(rows)
        + "</tbody></table>"
        + f"<p>whole answers: p50 {latency.p50:.0f} ms, p95 {latency.p95:.0f} ms, longest {latency.longest:.0f} ms · "
        + f"tokens: {about}{tokens.input:,} read ({tokens.cached:,} cached), {tokens.output:,} written</p>"
    )


def _compared(comparison: Comparison) -> str:
    rows = []
    for metric, difference in comparison.metrics.items():
        change = difference.change
        direction = "better" if (change.value or 0) > 0 else "worse"
        verdict = direction if difference.real else "no real difference"
        rows.append(
            f"<tr><th>{escape(MEANS[metric])}</th><td>{difference.before:.1%}</td><td>{difference.after:.1%}</td>"
            f'<td>{change.points}</td><td class="{direction if difference.real else "same"}">{verdict}</td></tr>'
        )
    both = ((comparison.broke, "right before, wrong now"), (comparison.mended, "wrong before, right now"))
    moved = [f"<p>{what}: {escape(', '.join(ids))}</p>" for ids, what in both if ids]
    return (
        f"<h2>Against {escape(comparison.before)}, {comparison.shared} shared cases</h2>"
        "<table><thead><tr><th>what</th><th>before</th><th>now</th><th>points</th><th></th></tr></thead><tbody>"
        + "".join(rows)
        + "</tbody></table>"
        + "".join(moved)
    )


def _plots(report: Report) -> str:
    error = "" if report.calibration_error is None else f"calibration error {report.calibration_error:.3f}"
    area = "" if report.risk_area is None else f"area under it {report.risk_area:.3f}"
    shown = (
        ("Reliability", reliability_diagram(report.reliability), error),
        ("Risk against coverage", risk_coverage_curve(report.risk_coverage), area),
        ("Latency", latency_plot([case.latency_ms for case in report.cases]), "share of answers whole within a time"),
    )
    figures = (
        f"<figure><h3>{escape(title)}</h3>{plot}<figcaption>{escape(caption)}</figcaption></figure>"
        for title, plot, caption in shown
    )
    return f'<section class="plots">{"".join(figures)}</section>'


def _case(case: CaseReport, *, opened: bool = False) -> str:
    state = {True: "right", False: "wrong", None: "unknown"}[case.right]
    body = [f"<p class=said>{escape(_ending(case))}</p>"]
    if case.response is not None:
        body.append(f"<blockquote>{_answer(case.response)}</blockquote>")
        body.extend(_claims(case.response))
    for what, texts in (("evidence", case.case.evidence), ("right answers", case.case.answers)):
        if texts:
            body.append(f"<h4>{what}</h4><ul>{''.join(f'<li>{escape(text)}</li>' for text in texts)}</ul>")
    body.append("<h4>sources</h4>")
    body.extend(_passages(case))
    return (
        f'<details class="case {state}"{" open" if opened else ""}><summary><b>{state}</b> '
        f"{escape(case.case.question)} <small>{escape(case.case.id)}</small></summary>{''.join(body)}</details>"
    )


def _ending(case: CaseReport) -> str:
    if case.response is None:
        return f"{case.error.type}: {case.error.message}" if case.error else "no answer"
    wanted = {True: "answerable", False: "not answerable", None: "unknown whether answerable"}[case.case.answerable]
    ending = f"{case.response.finish_reason} · confidence {case.response.confidence:.0%} · {wanted}"
    return f"{ending} · {case.response.refusal.reason}" if case.response.refusal else ending


def _answer(response: GenerationResponse) -> str:
    """The answer with each claim in its verdict's colour."""
    stretches = (
        (claim.start_pos, claim.end_pos or 0, f'<span class="{claim.verdict}" title="{said(claim)}">', "</span>")
        for claim in response.claims
        if claim.start_pos is not None and claim.kind == "claim"
    )
    return highlighted(response.response, stretches)


def _claims(response: GenerationResponse) -> list[str]:
    """What was held back, and what is not simply supported, with the reason."""
    rows = [
        f'<li><span class="{claim.verdict}">{claim.verdict}</span>{"" if claim.shown else " (withheld)"} '
        f"{escape(claim.text)}{f' <small>{escape(claim.reason)}</small>' if claim.reason else ''}</li>"
        for claim in response.claims
        if claim.kind == "claim" and (not claim.shown or claim.verdict != "supported")
    ]
    return [f"<h4>claims to look at</h4><ul>{''.join(rows)}</ul>"] if rows else []


def _passages(case: CaseReport) -> list[str]:
    cited: dict[int, set[tuple[int, int, str, str]]] = {}
    for citation in case.response.citations if case.response else ():
        quote = (citation.source_start, citation.source_end, "<mark>", "</mark>")
        cited.setdefault(citation.source_index, set()).add(quote)
    return [
        f"<details class=source{' open' if place in cited else ''}><summary>{place + 1}. {escape(passage.title)}"
        f"</summary><p>{highlighted(passage.text, cited.get(place, ()))}</p></details>"
        for place, passage in enumerate(case.case.passages)
    ]
