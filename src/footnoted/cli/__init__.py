"""The ``footnoted`` command: one module a family of commands, this one to name them."""

from __future__ import annotations

from typing import Annotated

import typer

from footnoted import __version__
from footnoted.cli.answers import ask, chat
from footnoted.cli.checks import check
from footnoted.cli.show import out

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


for command in (ask, chat, check):
    app.command()(command)


def main() -> None:
    """The ``footnoted`` command."""
    app()
