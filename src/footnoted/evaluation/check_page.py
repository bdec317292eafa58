"""Draws a check as one HTML page: every sentence in its verdict's colour, with what it rests on."""

from __future__ import annotations

from html import escape

from footnoted.evaluation.check import CheckReport, ClaimCheck
from footnoted.evaluation.page import HEAD, highlighted, said, style


def as_check_page(report: CheckReport, text: str, *, name: str) -> str:
    """The page's HTML; it runs and loads nothing, and text from outside stands escaped in it."""
    supported = sum(claim.verdict == "supported" for claim in report.claims)
    verdict = "all of it stands" if report.stands else "not all of it stands"
    shown = highlighted(
        text,
        (
            (claim.start, claim.end, f'<a class="{claim.verdict}" href="#claim-{n}" title="{said(claim)}">', "</a>")
            for n, claim in enumerate(report.claims, start=1)
        ),
    )
    return "\n".join(
        (
            f"{HEAD}<title>{escape(name)} · footnoted check</title><style>{style()}</style></head><body><main>",
            (
                f"<header><h1>{escape(name)}</h1><p>{supported} of {len(report.claims)} sentences are supported; "
                f"{verdict}</p></header>"
            ),
            f"<blockquote>{shown}</blockquote>",
            *(_claim(claim, number) for number, claim in enumerate(report.claims, start=1)),
            *(
                f'<p><span class="{"supported" if pointer.standing in ("stands", "moved") else "unsupported"}">'
                f"{pointer.standing}</span> [{pointer.number}] {escape(pointer.source)}: “{escape(pointer.quote)}”</p>"
                for pointer in report.pointers
            ),
            "</main></body></html>",
        )
    )


def _claim(claim: ClaimCheck, number: int) -> str:
    state = "right" if claim.verdict == "supported" else "unknown" if claim.verdict == "not_checked" else "wrong"
    quotes = "".join(
        f"<p><mark>{escape(' '.join(evidence.quote.split()))}</mark> <small>{escape(evidence.source)}</small></p>"
        for evidence in claim.evidence
    )
    return (
        f'<section class="case {state}" id="claim-{number}"><p><span class="{claim.verdict}">{claim.verdict}</span> '
        f"{escape(claim.text)}</p><p class=said>{escape(claim.reason)}</p>{quotes}</section>"
    )
