"""What a text and all that belongs to it are for, decided by a hash of the text alone; and the natural twins, read.

No torch here, so that a benchmark of the package can ask too.
"""

from __future__ import annotations

import json
import zlib
from pathlib import Path

from passages import passages


def part(text: str) -> str:
    """ "exam" (a fifth), "tried" (a tenth of the rest, to choose by), "taught"."""
    if zlib.crc32(f"aside {text}".encode()) % 5 == 0:
        return "exam"
    return "tried" if zlib.crc32(f"tried {text}".encode()) % 10 == 0 else "taught"


def twins(data: Path) -> list[dict]:
    """The shared natural twins: a dict a claim, as their README tells."""
    files = sorted((data / "twins").glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.open(encoding="utf-8")]


def twins_written(folder: Path | None, data: Path) -> list[dict]:
    """The twins of ``folder`` in the shape of the shared ones, their passages found in the data."""
    found, missing = [], 0
    known, strange = passages(data), {r["passage"] for r in twins(data)}
    for file in sorted({*folder.glob("*.jsonl")} - {*folder.glob("asked*")}) if folder else []:
        for n, line in enumerate(file.open(encoding="utf-8")):
            pair = json.loads(line)
            passage = known.get(pair["sha"])
            if passage is None or passage in strange:
                missing += passage is None
                continue
            base = {
                "pair": f"{file.stem}-{n}",
                "set": pair.get("set", ""),
                "passage": passage,
                "lang": pair.get("lang", "en"),
                "source_lang": pair.get("source_lang", "en"),
            }
            found.append(base | {"claim": pair["true"], "label": 1, "kind": pair["true_kind"]})
            false = {"claim": pair["false"], "label": 0, "kind": pair["false_kind"], "fault": pair["fault"]}
            found.append(base | false)
    if missing:
        print(f"{missing} pairs are left out: their passages are not in {data}")
    return found


def asked_written(folder: Path | None, data: Path, name: str = "asked*.jsonl") -> list[tuple[str, str, str, str]]:
    """(question, passage, the sentence of it that answers, a near question that it does not answer) of ``folder``."""
    known, found = passages(data), []
    for file in sorted(folder.glob(name)) if folder else []:
        for r in map(json.loads, file.open(encoding="utf-8")):
            passage = known.get(r["sha"])
            if passage is not None and r["sentence"] in passage:
                found.append((r["question"], passage, r["sentence"], r["miss"]))
    return found
