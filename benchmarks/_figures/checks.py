"""Draws how often the check is right: a table by set, and a picture with intervals."""

from __future__ import annotations

from typing import Any

from _figures.drawing import Dot, dots
from _figures.words import table

NAMES = {
    "summedits": "SummEdits",
    "bump": "BUMP",
    "wice": "WiCE",
    "fool_me_twice": "fool-me-twice",
    "begin_wow": "BEGIN-WoW",
    "mtrag": "MTRAG",
}
SIGNS = {"word overlap": "circle", "word pairs": "square", "encoder cosine": "diamond"}


def grounding(part: dict[str, Any]) -> str:
    """Balanced accuracy by set, and whether it is over the floors for sure."""
    rows = part["rows"]
    lines = []
    for name, row in rows.items():
        cells = [f"{row['ours'][0]:.1f} [{row['ours'][1]:.1f}, {row['ours'][2]:.1f}]"]
        cells += [f"{row['auroc']:.1f}", "{:.0f} / {:.0f}".format(*row["ticked"])]
        for floor in SIGNS:
            found = row["floors"][floor]
            least, most = found["over"]
            sure = " ▲" if least > 0 else " ▼" if most < 0 else ""
            cells.append(f"{found['score']:.1f}{sure}")
        lines.append((NAMES.get(name, name), str(row["n"]), *cells))
    means = [sum(row["ours"][0] for row in rows.values()) / len(rows)]
    means.append(sum(row["auroc"] for row in rows.values()) / len(rows))
    others = [sum(row["floors"][floor]["score"] for row in rows.values()) / len(rows) for floor in SIGNS]
    lines.append(("mean", "", *(f"**{mean:.1f}**" for mean in means), "", *(f"**{mean:.1f}**" for mean in others)))
    return (
        "## How often the check is right\n\n![Balanced accuracy by set](images/figures-grounding.svg)\n\nBalanced accuracy in "
        "per cent on claims of documents that no weight and no threshold was fitted on, one threshold for all sets, 95 % "
        "intervals by document. The floors need no training and have one threshold each, the best on the other "
        "documents, and so has the check's confidence here. A tick asks for more: how many of the true and of the false "
        "claims get one is told beside it, in per cent. ▲ footnoted is better with 95 % confidence, ▼ worse, by draws of the same documents. LLM judges and "
        "hub-hosted entailment models cannot be asked here, where there is no network; "
        "[what the check knows](checking.md) says what it gets wrong.\n\n"
        + table(("set", "claims", "footnoted", "AUROC", "ticked", *SIGNS), lines)
    )


def grounding_picture(part: dict[str, Any]) -> str:
    """A dot a set with its interval, and the floors."""
    rows = [
        Dot(
            f"{NAMES.get(name, name)} ({row['n']})",
            (row["ours"][0], row["ours"][1], row["ours"][2]),
            {floor: row["floors"][floor]["score"] for floor in SIGNS},
        )
        for name, row in part["rows"].items()
    ]
    below = (
        "Balanced accuracy, per cent (50 is a coin); documents nothing was fitted on; number of claims in brackets\n"
        f"{part['measured']['date'][:10]}; python benchmarks/floors.py"
    )
    return dots("How often the check is right, by set", below, rows, low=40, high=100, signs=SIGNS)
