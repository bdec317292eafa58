"""Joins every family of commands, each a module of its own, into the ``footnoted`` command."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from footnoted import __version__
from footnoted.cli.answers import ask, chat
from footnoted.cli.batching import batch
from footnoted.cli.calibrating import calibrate
from footnoted.cli.checks import check
from footnoted.cli.community import bot, community, index
from footnoted.cli.evaluating import evaluate
from footnoted.cli.insurance import insurance
from footnoted.cli.outcomes import outcomes
from footnoted.cli.security import advise, findings, kb
from footnoted.cli.serving import keys, mcp, proxy, serve
from footnoted.cli.show import out

app = typer.Typer(
    name="footnoted",
    help="Answers, footnoted: ask your documents, see the exact words each sentence stands on.",
    epilog='Example: footnoted ask "What is the windscreen excess?" policies/',
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


_EXAMPLES: dict[Callable[..., None], str] = {
    ask: 'ask "What is the windscreen excess?" policies/',
    chat: "chat policies/",
    check: "check answer.txt --sources policies/",
    index: "index docs/ --output index.md",
    community: 'community "How do I install it?" --config community.yaml',
    bot: "bot --config community.yaml",
    serve: "serve --port 8000",
    proxy: "proxy --upstream https://api.openai.com/v1",
    insurance: 'insurance "Is my windscreen covered?" policies/',
    outcomes: "outcomes",
    advise: 'advise "Which of our S3 findings break HIPAA?"',
    batch: "batch questions.jsonl policies/ -o answers.parquet",
    mcp: "mcp policies/",
    calibrate: "calibrate cases.jsonl --share 0.05 --out gate.json",
    evaluate: "eval cases.jsonl",
}

for command, example in _EXAMPLES.items():
    name = example.partition(" ")[0]
    app.command(name, epilog=f"Example: footnoted {example}")(command)
app.add_typer(keys, name="keys")
app.add_typer(findings, name="findings")
app.add_typer(kb, name="kb")
