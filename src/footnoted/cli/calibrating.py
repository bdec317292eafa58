"""`footnoted calibrate`: the gate fitted to a user's own labelled claims, with what it then promises."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import track

from footnoted.cli.show import ANSWERED, command, err, out, write_json
from footnoted.errors import ConfigurationError, SourceError

_MOST = 200_000  # claims of a file
CasesFile = Annotated[
    Path, typer.Argument(help="JSON lines: claim, sources (a list of texts), supported (true or false).")
]
Share = Annotated[
    float, typer.Option("--share", min=0.001, max=0.5, help="Of false claims at most so many get a tick.")
]
Confidence = Annotated[float, typer.Option("--confidence", min=0.5, max=0.999, help="How sure that is to be.")]
OutFile = Annotated[Path, typer.Option("--out", help="Where the gate goes: Checker(gate=FILE).")]
AsJson = Annotated[bool, typer.Option("--json", help="Print what was found as JSON.")]


@command
async def calibrate(
    cases: CasesFile,
    share: Share = 0.05,
    confidence: Confidence = 0.9,
    out_file: OutFile = Path("gate.json"),
    as_json: AsJson = False,
) -> int:
    """Fit the threshold of a tick to labelled claims of your own. Exit status: 0 written, 2 too few or bad claims."""
    from footnoted.grounding.gate import Gate, fitted_to

    carried, others = _scores(_read(cases))
    gate = fitted_to(Gate.load(), carried, others, share=share, confidence=confidence)
    try:
        out_file.write_text(gate.as_json(), encoding="utf-8")
    except OSError as error:
        raise ConfigurationError(f"{out_file} cannot be written: {error.strerror}") from error
    promise, true, false = gate.promise, len(carried), len(others)
    true_ticked, false_ticked = gate.extra["true_ticked"], promise.seen / false
    if as_json:
        figures = {"threshold": gate.supported, "true": true, "false": false, "true_ticked": true_ticked}
        promised = {"false_ticked": false_ticked, "share": promise.share, "confidence": promise.confidence}
        write_json(json.dumps(figures | promised))
    else:
        out.print(
            f"Of {true} true claims {true_ticked:.1%} get a tick, of {false} false ones "
            f"{false_ticked:.1%}: at most {share:.1%} of such claims, with {confidence:.0%} confidence."
        )
        out.print(f"Checker(gate={str(out_file)!r})", markup=False)
    return ANSWERED


def _read(cases: Path) -> list[tuple[str, list[str], bool]]:
    """The labelled claims. Raises `SourceError` with the line of the first that is none."""
    found: list[tuple[str, list[str], bool]] = []
    try:
        with cases.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    found.append(_case(line, f"{cases}:{number}"))
                if len(found) > _MOST:
                    raise SourceError(f"{cases} holds more than {_MOST:,} claims")
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"{cases} cannot be read: {error}") from error
    if not found:
        raise SourceError(f"{cases} holds no claims; each is a line with claim, sources and supported")
    return found


def _case(line: str, where: str) -> tuple[str, list[str], bool]:
    try:
        given = json.loads(line)
        claim, sources, supported = given["claim"], given["sources"], given["supported"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise SourceError(f"{where} is no JSON object with claim, sources and supported") from None
    fits = isinstance(claim, str) and isinstance(supported, bool) and isinstance(sources, list)
    if not fits or not all(isinstance(text, str) for text in sources):
        raise SourceError(f"{where}: claim is a text, sources a list of texts, supported true or false")
    return claim, sources, supported


def _scores(cases: list[tuple[str, list[str], bool]]) -> tuple[list[float], list[float]]:
    """The scores of the claims that are carried, and of the others, as the shipped reader gives them."""
    from footnoted.grounding.check import Checker
    from footnoted.types import Source

    checker = Checker()
    carried: list[float] = []
    others: list[float] = []
    for claim, texts, supported in track(cases, "Weighing", console=err, transient=True):
        sources = [Source(str(index), text) for index, text in enumerate(texts)]
        (carried if supported else others).append(checker.check(claim, sources).score or 0.0)
    return carried, others
