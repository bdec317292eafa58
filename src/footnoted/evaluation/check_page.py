"""Draws a check as one HTML page: every sentence in its verdict's colour, with what it rests on."""

from __future__ import annotations

from html import escape

from footnoted.evaluation.check import CheckReport, ClaimCheck
from footnoted.evaluation.page import HEAD, style


def as_check_page(report: CheckReport, text: str, *, name: str) -> str:
    """The page's HTML; it runs and loads nothing, and text from outside stands escaped in it."""
    supported = sum(each.verdict == "supported" for each in report.claims)
    verdict = "all of it stands" if report.stands else "not all of it stands"
    shown, at = [], 0
    for number, claim in enumerate(report.claims, start=1):
        shown.append(escape(text[at : claim.start]))
        shown.append(
            f'<a class="{claim.verdict}" href="#claim-{number}" title="{escape(_said(claim))}">'
            f"{escape(text[claim.start : claim.end])}</a>"
        )
        at = claim.end
    shown.append(escape(text[at:]))
    return "\n".join(
        (
            f"{HEAD}<title>{escape(name)} · footnoted check</title><style>{style()}</style></head><body><main>",
            (
                f"<header><h1>{escape(name)}</h1><p>{supported} of {len(report.claims)} sentences are supported; "
                f"{verdict}</p></header>"
            ),
            f"<blockquote>{''.join(shown)}</blockquote>",
            *(_claim(each, number) for number, each in enumerate(report.claims, start=1)),
            *(
                f'<p><span class="{"supported" if each.standing in ("stands", "moved") else "unsupported"}">'
                f"{each.standing}</span> [{each.number}] {escape(each.source)}: “{escape(each.quote)}”</p>"
                for each in report.pointers
            ),
            "</main></body></html>",
        )
    )


def _claim(claim: ClaimCheck, number: int) -> str:
    state = "right" if claim.verdict == "supported" else "unknown" if claim.verdict == "not_checked" else "wrong"
    quotes = "".join(
        f"<p><mark>{escape(' '.join(each.quote.split()))}</mark> <small>{escape(each.source)}</small></p>"
        for each in claim.evidence
    )
    return (
        f'<section class="case {state}" id="claim-{number}"><p><span class="{claim.verdict}">{claim.verdict}</span> '
        f"{escape(claim.text)}</p><p class=said>{escape(claim.reason)}</p>{quotes}</section>"
    )


def _said(claim: ClaimCheck) -> str:
    return f"{claim.verdict}: {claim.reason}" if claim.reason else claim.verdict
