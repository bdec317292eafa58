"""Fits how the insurance responder orders clauses, and how sure it is of them, and writes them to its ``fitted.json``.

    python training/fit_clauses.py [--data ../shared/data] [--write]

Questions of customers over those wordings of ``training/policies`` that the reader was not taught with, and four fifths of the shared ones, in English, each retrieved
as the desk does it; what was fitted for other languages stays. Two logistic regressions (ridge): whether a clause decides, over all candidates of a question;
and whether one that decides is among those that are quoted, on scores of a fit without that wording. Printed: on each wording,
fitted on the others, how often such a clause is quoted, the AUROC of the chance, and how many are answered rightly while 4 %
of all are answered wrongly.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from rich.progress import track
from sklearn.linear_model import LogisticRegression

from footnoted.assistants.insurance import RetrievalAgent
from footnoted.assistants.insurance.deciding import Candidate, chance_features, quoted
from footnoted.assistants.insurance.desk import InsuranceDesk
from footnoted.assistants.insurance.quoting import weighed

ROOT = Path(__file__).parents[1]
OUT = ROOT / "src" / "footnoted" / "assistants" / "insurance" / "fitted.json"
UNREAD = (
    "autous",
    "expat",
    "gadget",
    "homeus",
    "househ",
    "income",
    "smile",
    "voyage",
)  # the others the reader is taught with
WRONG = 0.04  # of all questions that may be answered wrongly


@dataclass(frozen=True)
class Asked:
    """A question's candidates, as they were retrieved, and which of them decide."""

    wording: str
    question: str
    found: list[Candidate]
    right: list[bool]
    answerable: bool


def bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()


def decides(quote: str, clause: str) -> bool:
    """Whether a clause holds the deciding words; of a table's row, all its cells."""
    text = bare(clause)
    return all(bare(cell) in text for cell in quote.strip("| ").split(" | ")) or (
        len(text) > 25 and text in bare(quote)
    )


def asked(name: str, files: list[Path], questions: list[dict]) -> list[Asked]:
    """What the desk finds for each question over some wordings."""
    desk, rows = InsuranceDesk(RetrievalAgent(files, cache="off")), []
    for one in track(questions, name):
        _, request = asyncio.run(desk.prepare(one["question"], history=one.get("history", [])))
        _, found = weighed(request.query, request.context_chunks)
        if not found or not found[0].english:  # too few in other languages to fit anything on
            continue
        right = [any(decides(quote, candidate.clause.cited) for quote in one["decide"]) for candidate in found]
        rows.append(Asked(name, request.query, found, right, one["answerable"]))
    return rows


def gathered(data: Path) -> list[Asked]:
    """All questions that are fitted on."""
    rows = []
    for file in (ROOT / "training" / "policies" / f"{name}.md" for name in UNREAD):
        lines = [json.loads(line) for line in file.with_suffix(".jsonl").open(encoding="utf-8")]
        rows += asked(file.stem, [file], lines)
    folder = data / "insurance"
    shared = []
    for line in (folder / "questions.jsonl").open(encoding="utf-8"):
        item = json.loads(line)
        if zlib.crc32(item["id"].encode()) % 5 and item["verdict"] != "ask back":
            said = [turn["content"] for turn in item.get("history") or ()]
            decide = [gold["quote"] for gold in item["gold"]] if item["answerable"] else []
            shared.append({**item, "decide": decide, "history": list(zip(said[::2], said[1::2], strict=False))})
    files = [folder / name for name in ("motor.pdf", "travel.pdf", "health.docx", "home.html")]
    return [*rows, *asked("shared", files, shared)]


def regression(rows: list[dict[str, float]], labels: list[bool]) -> dict[str, float]:
    """Weights by name, the constant under ""."""
    names = list(rows[0])
    values = np.array([[row[name] for name in names] for row in rows])
    mean, spread = values.mean(0), values.std(0) + 1e-6
    made = LogisticRegression(C=0.1, max_iter=1000).fit((values - mean) / spread, labels)
    weights = made.coef_[0] / spread
    return {"": round(float(made.intercept_[0] - weights @ mean), 4)} | {
        name: round(float(weight), 4) for name, weight in zip(names, weights, strict=True)
    }


def ordered(weights: dict[str, float]) -> Callable[[Asked], tuple[list[Candidate], bool]]:
    """Candidates in the order of these weights, and whether one that decides is quoted."""

    def order(one: Asked) -> tuple[list[Candidate], bool]:
        scores = [weights[""] + sum(weights[name] * v for name, v in c.features.items()) for c in one.found]
        pairs = sorted(zip(one.found, scores, one.right, strict=True), key=lambda pair: -pair[1])
        right = {id(candidate.clause) for candidate, _, is_right in pairs if is_right}
        found = [replace(candidate, score=score) for candidate, score, _ in pairs]
        return found, any(id(candidate.clause) in right for candidate in quoted(found))

    return order


def fit(rows: list[Asked]) -> dict[str, dict[str, float]]:
    """Both regressions; the second on orders of a fit that has not seen the wording."""

    def order_of(some: list[Asked]) -> dict[str, float]:
        told = [(c.features, right) for one in some for c, right in zip(one.found, one.right, strict=True)]
        return regression([dict(features) for features, _ in told], [right for _, right in told])

    chances, labels = [], []
    for name in sorted({one.wording for one in rows}):
        order = ordered(order_of([one for one in rows if one.wording != name]))
        for one in rows:
            if one.wording == name:
                found, right = order(one)
                chances.append(chance_features(found))
                labels.append(right)
    return {"order": order_of(rows), "chance": regression(chances, labels)}


def told(weights: dict[str, dict[str, float]], rows: list[Asked]) -> tuple[np.ndarray, np.ndarray]:
    """Each question's chance, and whether a clause that decides is quoted."""
    order, chances, labels = ordered(weights["order"]), [], []
    for one in rows:
        found, right = order(one)
        features = chance_features(found)
        odds = weights["chance"][""] + sum(weights["chance"][name] * value for name, value in features.items())
        chances.append(1 / (1 + np.exp(-odds)))
        labels.append(right)
    return np.array(chances), np.array(labels, bool)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = Path(os.environ.get("FOOTNOTED_DATA") or ROOT.parent / "shared" / "data")
    parser.add_argument("--data", type=Path, default=default)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    rows = gathered(options.data)
    every, right = [], []
    for name in sorted({one.wording for one in rows}):
        weights = fit([one for one in rows if one.wording != name])
        chances, labels = told(weights, [one for one in rows if one.wording == name])
        print(f"{name}: quoted {labels.sum()} of {sum(one.answerable for one in rows if one.wording == name)}")
        every.append(chances)
        right.append(labels)
    chances, labels = np.concatenate(every), np.concatenate(right)
    order = np.argsort(-chances)
    higher = chances[labels][:, None] - chances[~labels][None]
    wrong = np.cumsum(~labels[order])
    last = int(np.flatnonzero(wrong <= WRONG * len(order)).max())
    print(f"AUROC {((higher > 0).mean() + (higher == 0).mean() / 2):.3f}, {len(order)} questions")
    print(f"from {chances[order][last]:.3f} on {labels[order][: last + 1].sum()} right and {wrong[last]} wrong")
    weights = json.loads(OUT.read_text(encoding="utf-8")) | fit(rows)
    print(json.dumps(weights, indent=1))
    if options.write:
        OUT.write_text(json.dumps(weights, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
