"""The ``footnoted`` command: one module a family of commands, this one to name them."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from footnoted import __version__
from footnoted.cli.answers import ask, chat
from footnoted.cli.batching import batch
from footnoted.cli.checks import check
from footnoted.cli.community import bot, community, index
from footnoted.cli.evaluating import evaluate
from footnoted.cli.insurance import insurance
from footnoted.cli.mcp import mcp
from footnoted.cli.outcomes import outcomes
from footnoted.cli.security import advise, findings, kb
from footnoted.cli.serving import keys, serve
from footnoted.cli.show import missing, out

app = typer.Typer(
    name="footnoted",
    help="Answers, footnoted: ask your documents, see the exact words each sentence stands on.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def footnoted(
    version: Annotated[bool, typer.Option("--version", help="Print the version and leave.", is_eager=True)] = False,
) -> None:
    """Answers, footnoted: ask your documents, see the exact words each sentence stands on."""
    if version:
        out.print(f"footnoted {__version__}")
        raise typer.Exit


for command in (ask, chat, check, index, community, bot, serve, insurance, outcomes, advise, batch, mcp):
    app.command()(command)
app.command("eval")(evaluate)
app.add_typer(keys, name="keys")
app.add_typer(findings, name="findings")
app.add_typer(kb, name="kb")


def main() -> None:
    """The ``footnoted`` command."""
    try:
        app()
    except ModuleNotFoundError as error:
        sys.exit(missing(error))
