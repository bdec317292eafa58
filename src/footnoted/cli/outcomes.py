"""`footnoted outcomes`: shows how a service's insurance answers fared, by variant and by section."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from footnoted.cli.show import ANSWERED, command, out, words, write_json

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


@command
async def outcomes(
    experiment: Experiment = "", tenant: Tenant = "local", database: DatabaseUrl = None, as_json: AsJson = False
) -> int:
    """Show how insurance answers fared: variants side by side with intervals, sections customers found wrong."""
    from footnoted.assistants.insurance.outcomes import Outcomes
    from footnoted.assistants.insurance.variants import as_json as lines
    from footnoted.service.settings import read_settings
    from footnoted.store import Database

    async with Database(database or read_settings().database_url) as opened:
        kept = Outcomes(opened)
        await kept.prepare()
        variants, sections = await kept.by_variant(tenant, experiment), await kept.by_section(tenant)
    if as_json:
        shown = {"experiment": experiment, "variants": lines(variants)}
        write_json(json.dumps({**shown, "sections": [section.as_json() for section in sections]}, indent=2))
    else:
        _show(variants, sections)
    return ANSWERED


def _show(variants: Sequence[Outcome], sections: Sequence[SectionFeedback]) -> None:
    from rich.table import Table

    from footnoted.assistants.insurance.variants import outcome_rows

    if not variants:
        out.print("No answers are kept for this tenant and experiment.")
        return
    table = Table("variant", "answers", "refused", "degraded", "rated", "helpful", "against the first", "latency")
    for name, *cells in outcome_rows(variants):
        table.add_row(*map(words, (name or "(none)", *cells)))
    out.print(table)
    if sections:
        marked = Table("file", "section", "cited", "helpful", "unhelpful", "wrong", "moved to")
        for section in sections:
            marks = (section.cited, section.helpful, section.unhelpful, section.wrong)
            marked.add_row(words(section.file), words(section.section), *map(str, marks), f"{section.factor:.0%}")
        out.print(marked)
