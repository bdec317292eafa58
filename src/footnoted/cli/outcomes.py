"""`footnoted outcomes`: shows how a service's insurance answers fared, by variant and by section."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from footnoted.cli.show import ANSWERED, out, run, words, write_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from footnoted.assistants.insurance.outcomes import SectionFeedback
    from footnoted.assistants.insurance.variants import Outcome

Experiment = Annotated[str, typer.Argument(help="The experiment's name; without one, answers given outside any.")]
Tenant = Annotated[str, typer.Option("--tenant", help="Whose answers.")]
DatabaseUrl = Annotated[
    str | None,
    typer.Option("--database", envvar=["FOOTNOTED_DATABASE_URL", "DATABASE_URL"], help="The service's database."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print counts, shares and intervals as JSON.")]


def outcomes(
    experiment: Experiment = "", tenant: Tenant = "local", database: DatabaseUrl = None, as_json: AsJson = False
) -> None:
    """Show how insurance answers fared: variants side by side with intervals, sections customers found wrong."""

    async def work() -> int:
        from footnoted.assistants.insurance.outcomes import Outcomes
        from footnoted.assistants.insurance.variants import as_json as lines
        from footnoted.service.settings import read_settings
        from footnoted.store import Database

        async with Database(database or read_settings().database_url) as opened:
            kept = Outcomes(opened)
            await kept.prepare()
            variants, sections = await kept.by_variant(tenant, experiment), await kept.by_section(tenant)
        if as_json:
            import json

            told = {"experiment": experiment, "variants": lines(variants)}
            write_json(json.dumps({**told, "sections": [one.as_json() for one in sections]}, indent=2))
        else:
            _show(variants, sections)
        return ANSWERED

    run(work())


def _show(variants: Sequence[Outcome], sections: Sequence[SectionFeedback]) -> None:
    from rich.table import Table

    from footnoted.assistants.insurance.variants import difference

    if not variants:
        out.print("No answers are kept for this tenant and experiment.")
        return
    table = Table("variant", "answers", "refused", "degraded", "rated", "helpful", "against the first", "latency")
    for one in variants:
        low, high = one.interval
        against = ""
        if one is not variants[0] and one.rated and variants[0].rated:
            apart, down, up = difference(variants[0], one)
            against = f"{apart * 100:+.0f} points ({down * 100:+.0f} to {up * 100:+.0f})"
        helpful = f"{one.share:.0%} ({low:.0%}–{high:.0%})" if one.rated else ""
        counts = (one.answers, one.refused, one.degraded, one.rated)
        cells = (one.variant or "(none)", *map(str, counts), helpful, against, f"{one.latency_ms:.0f} ms")
        table.add_row(*(words(cell) for cell in cells))
    out.print(table)
    if sections:
        marked = Table("file", "section", "cited", "helpful", "unhelpful", "wrong", "moved to")
        for each in sections:
            marks = (each.cited, each.helpful, each.unhelpful, each.wrong)
            marked.add_row(words(each.file), words(each.section), *map(str, marks), f"{each.factor:.0%}")
        out.print(marked)
