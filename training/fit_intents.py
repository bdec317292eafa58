"""The labelled questions of the security advisor in; the weights that tell an intent by its meaning out.

    .venv/bin/python training/fit_intents.py [--write]

Some seconds. Printed first: how many questions of each part are told right by weights fitted on all other parts. The
part ``blind`` is never read here: ``benchmarks/nlu.py blind`` measures what comes out on it.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from footnoted.assistants.security.nlu import INTENTS
from footnoted.assistants.security.nlu.meaning import WEIGHTS
from footnoted.encoder import Encoder

LABELLED = Path(__file__).parents[1] / "tests" / "assistants" / "security" / "nlu"
PARTS = ("dev", "held", "fresh", "last", "unseen", "more")
DECAY, STEPS, RATE = 0.1, 400, 0.05


def questions() -> list[tuple[str, str, str]]:
    """Part, question and intent of every labelled question that stands by itself."""
    found = []
    for part in PARTS:
        for line in (LABELLED / f"questions_{part}.jsonl").read_text(encoding="utf-8").splitlines():
            case = json.loads(line)
            if not case.get("history"):
                found.append((part, case["question"], case["intent"]))
    return found


def fit(vectors, labels):
    """Weights (385, 8) by Adam (Kingma and Ba 2015) on the mean cross entropy with a squared penalty."""
    inputs = np.hstack([vectors, np.ones((len(vectors), 1))])
    targets = np.eye(len(INTENTS))[labels]
    weights = np.zeros((inputs.shape[1], len(INTENTS)))
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, STEPS + 1):
        scores = inputs @ weights
        shares = np.exp(scores - scores.max(1, keepdims=True))
        shares /= shares.sum(1, keepdims=True)
        decay = DECAY * weights
        decay[-1] = 0.0
        slope = (inputs.T @ (shares - targets) + decay) / len(inputs)
        mean, square = 0.9 * mean + 0.1 * slope, 0.99 * square + 0.01 * slope**2
        weights -= RATE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
    return weights


def right(weights, vectors, labels) -> float:
    """The share told right."""
    return float(((vectors @ weights[:-1] + weights[-1]).argmax(1) == labels).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="replace what ships in the package")
    options = parser.parse_args()
    cases = questions()
    vectors = Encoder.load().sentences([question for _, question, _ in cases]).astype(np.float64)
    labels = np.array([INTENTS.index(intent) for _, _, intent in cases])
    parts = np.array([part for part, _, _ in cases])
    for part in PARTS:
        there = parts == part
        told = right(fit(vectors[~there], labels[~there]), vectors[there], labels[there])
        print(f"{part:<8} {there.sum():>4} questions, {told:.1%} right by weights of the other parts")
    weights = fit(vectors, labels)
    if options.write:
        np.savez_compressed(WEIGHTS, weights=weights.astype(np.float32))
        print(f"{WEIGHTS.name}: {WEIGHTS.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
