"""Whether `confidence` tells right answers from wrong ones, and whether it means what it says.

    python benchmarks/confidence.py [--data ../shared/data] [--part tried|exam] [--write]

Answers of one to four sentences are put together from the natural twins of a passage: half of them of true sentences alone,
half with a false one or more among them. Each sentence is weighed as an answer's is, and `Checker.confidence` says how sure
it is that all stand. Counted: how often a right answer has more of it than a wrong one (AUROC), and how far it is from the
share that is right (expected calibration error over ten equal parts), with intervals (95 %) by drawing whole passages. With
the exam come MTRAG's answers of language models, as people judged them. ``--write`` fits the four numbers of
`grounding/fitted/confidence.json` on the part tried and, weighing as much together, on the half of the labelled sets' kept
documents that the gate may see (`Record.weighed`), and prints what they give on passages left out of the fit.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import zlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "training"))
sys.path.insert(0, str(Path(__file__).parent.parent / "training" / "reader"))
import numpy as np
from claims_data import SETS, balance, records
from parts import part, twins, twins_written
from rich.console import Console
from rich.progress import track
from truth import sources

from footnoted.grounding import Checker
from footnoted.grounding.claims import ClaimSegmenter
from footnoted.grounding.gate import FITTED, Sureness
from footnoted.types import Source

HERE = Path(__file__).parent.parent
ANSWERS, FOLDS, MOST = 4_000, 5, 4


def composed(rows: list[dict]) -> list[dict]:
    """Answers out of weighed twins: the scores of their sentences, whether all are true, and the passage."""
    dice, by = random.Random(1), defaultdict(lambda: defaultdict(dict))
    for row in rows:
        by[row["passage"]][row["pair"]][row["label"]] = row["score"]
    whole = {text: [both for both in pairs.values() if len(both) == 2] for text, pairs in by.items()}
    passages = [text for text, pairs in whole.items() if pairs]
    answers = []
    for _ in range(ANSWERS):
        text = dice.choice(passages)
        pairs = dice.sample(whole[text], dice.randint(1, min(MOST, len(whole[text]))))
        wrong = 0 if dice.random() < 0.5 else 1 if dice.random() < 0.7 else dice.randint(1, len(pairs))
        scores = [both[0 if place < wrong else 1] for place, both in enumerate(pairs)]
        answers.append({"scores": scores, "right": wrong == 0, "passage": text})
    return answers


def judged(checker: Checker, data: Path) -> list[dict]:
    """MTRAG's answers that nothing was fitted on, their sentences weighed."""
    lines = (data / "grounding" / "mtrag_answers.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if part(row["source"][0]) == "exam"]
    return [
        {
            "scores": scores_of(checker, row["claim"], [Source(str(n), text) for n, text in enumerate(row["source"])]),
            "right": bool(row["label"]),
            "passage": row["conversation"],
        }
        for row in track(rows, "judged answers")
    ]


def labelled(checker: Checker, data: Path) -> list[dict]:
    """The sets' answers that the gate's weights may see, and what each weighs: every set, and either label, the same."""
    some = [record for record in records(data) if record.weighed and record.set in SETS]
    heavy = balance(np.array([one.set for one in some]), np.array([one.label for one in some]))
    return [
        {
            "scores": scores_of(checker, one.claim, one.sources),
            "right": bool(one.label),
            "passage": one.doc,
            "weight": weight * ANSWERS / len(some),
        }
        for one, weight in zip(track(some, "labelled answers"), heavy, strict=True)
    ]


def scores_of(checker: Checker, answer: str, shown: Sequence[Source]) -> list[float | None]:
    """What the check makes of each claim of an answer."""
    segmenter = ClaimSegmenter()
    claims = segmenter.decode(answer) + segmenter.flush()
    return [checker.check(one.text, shown).score for one in claims if one.kind == "claim"]


def auroc(answers: list[dict]) -> float:
    """In percent: how often a right answer has the higher confidence; level counts half."""
    said, right = np.array([a["said"] for a in answers]), np.array([a["right"] for a in answers])
    higher = said[right][:, None] - said[~right][None]
    return float(100 * ((higher > 0).mean() + (higher == 0).mean() / 2)) if higher.size else float("nan")


def calibration(answers: list[dict]) -> float:
    """The mean distance of confidence from the share that is right, over ten parts of equally many answers."""
    ranked = sorted(answers, key=lambda a: a["said"])
    parts = [ranked[n * len(ranked) // 10 : (n + 1) * len(ranked) // 10] for n in range(10)]
    apart = [abs(sum(a["said"] - a["right"] for a in some)) for some in parts]
    return sum(apart) / len(ranked)


def interval(answers: list[dict], figure, rounds: int = 200) -> tuple[float, float]:
    """The 95 % interval of a figure, by drawing whole passages."""
    by = defaultdict(list)
    for answer in answers:
        by[answer["passage"]].append(answer)
    groups, dice = list(by.values()), random.Random(0)
    drawn = sorted(figure([a for some in dice.choices(groups, k=len(groups)) for a in some]) for _ in range(rounds))
    return drawn[rounds // 40], drawn[-rounds // 40 - 1]


def fitted(answers: list[dict]) -> tuple[float, ...]:
    """The numbers of a logistic regression (ridge 1, by Newton's method) of being right on what `Sureness` looks at."""
    looked = [(told, a) for a in answers if (told := Sureness.told_by(a["scores"])) is not None]
    asked = np.array([[*told, 1.0] for told, _ in looked])
    right = np.array([float(a["right"]) for _, a in looked])
    heavy = np.array([a.get("weight", 1.0) for _, a in looked])
    weights, ridge = np.zeros(4), np.diag([1.0, 1.0, 1.0, 0.0])
    for _ in range(50):
        said = 1 / (1 + np.exp(-asked @ weights))
        slope = asked.T @ (heavy * (said - right)) + ridge @ weights
        weights -= np.linalg.solve((asked * (heavy * said * (1 - said))[:, None]).T @ asked + ridge, slope)
    return tuple(round(float(one), 4) for one in weights)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=HERE.parent / "shared" / "data")
    parser.add_argument("--part", choices=("tried", "exam"), default="tried")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    rows = twins(options.data)
    if options.part == "tried":
        rows += twins_written(HERE / "training" / "twins", options.data)
    rows = [r for r in rows if r.get("lang", "en") == "en" and r.get("source_lang", "en") == "en"]
    rows = [r for r in rows if part(r["passage"]) == options.part]
    if not rows:
        parser.error(f"no twins under {options.data}")
    checker, console = Checker(), Console()
    for row in track(rows, "twins", console=Console(stderr=True)):
        row["score"] = checker.check(row["claim"], sources(row["passage"])).score
    sets = {"answers of twins": composed(rows)}
    if options.part == "exam":
        sets["MTRAG's answers"] = judged(checker, options.data)
    elif options.write:
        answers, beside = sets["answers of twins"], labelled(checker, options.data)
        passages = len({a["passage"] for a in answers + beside})
        made = Sureness(*fitted(answers + beside), claims=len(rows), passages=passages)
        (FITTED / "confidence.json").write_text(json.dumps(asdict(made), indent=1) + "\n")
        console.print(made)
        for fold in range(FOLDS):
            left_out = [zlib.crc32(a["passage"].encode()) % FOLDS == fold for a in answers]
            own = Sureness(*fitted([a for a, out in zip(answers, left_out, strict=True) if not out] + beside))
            for answer, out in zip(answers, left_out, strict=True):
                if out:
                    answer["said"] = own.of(answer["scores"])
    for name, answers in sets.items():
        for answer in answers:
            answer.setdefault("said", Sureness.shipped().of(answer["scores"]))
        told = f"{sum(a['right'] for a in answers)} right and {sum(not a['right'] for a in answers)} wrong"
        area, error = (f"{f(answers):.3g} [{', '.join(f'{x:.3g}' for x in interval(answers, f))}]" for f in (auroc, calibration))  # fmt: skip
        console.print(f"{options.part}, {name}, {told}: AUROC {area}, calibration error {error}")


if __name__ == "__main__":
    main()
