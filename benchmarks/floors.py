"""The check beside what needs no training, by set, with intervals, kept as JSON for the page of figures.

    python benchmarks/floors.py [--data ../shared/data] [--fit-on 60] [--out FILE]

Claims of the half of the documents kept aside that the gate's weights have not seen either, all measures in one run. Each has one threshold for all
sets, the best on the other documents (the check's and the cosine's on a sample of them, ``--fit-on`` claims a set); a tick
asks for far more, and how many of the true and of the false claims get one stands beside it:

- footnoted: the check's confidence that every sentence of the claim stands
- word overlap: the share of the claim's content words that stand in its sources
- word pairs: the share of its neighbouring content words that stand so in a source
- encoder cosine: how near each sentence of the claim comes to its nearest sentence of the sources, by the encoder that
  ships; the least over the claim's sentences

Intervals are 95 %, drawing whole documents; "over" is ours less the floor on the same draws.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import random
import statistics
from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from _peers.recorded import RESULTS, Measuring, keep
from _table import table, versions

from footnoted.models import Embedder
from footnoted.text import content_stems, sentences
from grounding import HERE, SETS, Outcome, Record, balanced, records, weigh

ROUNDS = 1000


@cache
def stems(text: str) -> list[str]:
    """The content words of a text, which many claims share."""
    return content_stems(text)


def overlap(record: Record) -> float:
    """The share of the claim's content words that stand in its sources, as `grounding.py` has it."""
    claim = stems(record.claim)
    known = {stem for source in record.sources for stem in stems(source.text)}
    return sum(stem in known for stem in claim) / len(claim) if claim else 0.0


def pairs(record: Record) -> float:
    """The share of the claim's neighbouring content words that are neighbours in a source."""
    claim = list(itertools.pairwise(stems(record.claim)))
    known = set()
    for source in record.sources:
        known |= set(itertools.pairwise(stems(source.text)))
    return sum(pair in known for pair in claim) / len(claim) if claim else 0.0


def cosine(encoder: Embedder) -> Callable[[Record], float]:
    """How near the claim's farthest sentence comes to a sentence of the sources."""

    def measure(record: Record) -> float:
        read = [one.text[s.start : s.end] for one in record.sources for s in sentences(one.text)]
        said = [record.claim[s.start : s.end] for s in sentences(record.claim)]
        if not read or not said:
            return 0.0
        nearest = (encoder.queries(said) @ encoder.queries(read).T).max(axis=1)
        return float(nearest.min())

    return measure


def sample(found: list[Record], size: int) -> list[Record]:
    """So many records a set of the documents that are not kept aside."""
    rng = random.Random(0)
    by_set = defaultdict(list)
    for record in found:
        if record.fold:
            by_set[record.set].append(record)
    return [record for name in SETS for record in rng.sample(by_set[name], min(size, len(by_set[name])))]


def threshold(fitted: list[Record], values: Sequence[float]) -> float:
    """One for all sets: the best mean of the sets' balanced accuracies."""
    by_set = defaultdict(list)
    for record, value in zip(fitted, values, strict=True):
        by_set[record.set].append((record.label, value))

    def mean(level: float) -> float:
        return statistics.mean(balanced([x for x, _ in p], [v >= level for _, v in p]) for p in by_set.values())

    ordered = sorted(set(values))
    return max(ordered[:: max(1, len(ordered) // 150)], key=mean)


def draws(outcomes: list[Outcome]) -> list[list[int]]:
    """Places of the outcomes of whole documents, drawn with replacement."""
    rng = random.Random(0)
    by_doc = defaultdict(list)
    for place, one in enumerate(outcomes):
        by_doc[one.record.doc].append(place)
    docs = list(by_doc.values())
    return [[place for doc in rng.choices(docs, k=len(docs)) for place in doc] for _ in range(ROUNDS)]


def within(values: Sequence[float]) -> list[float]:
    """The middle 95 % of the draws."""
    ordered = sorted(values)
    return [ordered[int(0.025 * len(ordered))], ordered[int(0.975 * len(ordered))]]


def above(right: list[float], wrong: list[float]) -> float:
    """In per cent: how often a true claim has more than a false one (AUROC); ties count half."""
    won = sum((a > b) + 0.5 * (a == b) for a in right for b in wrong)
    return 100 * won / (len(right) * len(wrong)) if right and wrong else float("nan")


def by_set(outcomes: list[Outcome], level: float, floors: dict[str, list[bool]]) -> dict[str, dict]:
    """Each set's figures: ours with its interval, and each floor's with the interval of the difference."""
    rows = {}
    for name in SETS:
        places = [place for place, one in enumerate(outcomes) if one.record.set == name]
        if not places:
            continue
        labels = [outcomes[place].record.label for place in places]
        sure = [outcomes[place].result.confidence for place in places]
        ticked = [outcomes[place].result.grounded for place in places]
        said = {"footnoted": [value >= level for value in sure]}
        said |= {floor: [values[place] for place in places] for floor, values in floors.items()}
        drawn = draws([outcomes[place] for place in places])

        def scores(who: str, labels=labels, said=said, drawn=drawn) -> list[float]:
            return [balanced([labels[i] for i in one], [said[who][i] for i in one]) for one in drawn]

        ours = scores("footnoted")
        rows[name] = {
            "n": len(places),
            "ours": [balanced(labels, said["footnoted"]), *within(ours)],
            "auroc": above([v for v, x in zip(sure, labels, strict=True) if x], [v for v, x in zip(sure, labels, strict=True) if not x]),
            "ticked": [100 * statistics.fmean([t for t, x in zip(ticked, labels, strict=True) if x == side] or [0]) for side in (1, 0)],
            "floors": {},
        }  # fmt: skip
        for floor in floors:
            theirs = scores(floor)
            rows[name]["floors"][floor] = {
                "score": balanced(labels, said[floor]),
                "over": within([a - b for a, b in zip(ours, theirs, strict=True)]),
            }
    return rows


async def measure(options: argparse.Namespace) -> dict[str, dict]:
    """Every set's figures."""
    everything = records(options.data)
    aside = [record for record in everything if not record.fold and not record.weighed and record.set in SETS]
    others = [record for record in everything if record.fold and record.set in SETS]
    few = sample(everything, options.fit_on)
    measures = {"word overlap": overlap, "word pairs": pairs, "encoder cosine": cosine(Embedder.load())}
    floors = {}
    for name, value in measures.items():
        fitted = few if name == "encoder cosine" else others
        level = threshold(fitted, [value(record) for record in fitted])
        floors[name] = [value(record) >= level for record in aside]
        print(f"{name}: threshold {level:.3f}", flush=True)
    level = threshold(few, [one.result.confidence for one in await weigh(few)])
    print(f"footnoted: threshold {level:.3f}", flush=True)
    return by_set(await weigh(aside), level, floors)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = Path(os.environ.get("FOOTNOTED_DATA", HERE.parent / "shared" / "data"))
    parser.add_argument("--data", type=Path, default=default)
    parser.add_argument("--fit-on", type=int, default=60, help="claims a set that the cosine's threshold is fitted on")
    parser.add_argument("--out", type=Path, default=RESULTS / f"grounding-{datetime.now(UTC):%Y-%m-%d}.json")
    options = parser.parse_args()
    measuring = Measuring()
    rows = asyncio.run(measure(options))
    keep(
        options.out,
        "grounding",
        {"measured": measuring.header(), "versions": versions("footnoted", "onnxruntime"), "rows": rows},
    )
    floors = next(iter(rows.values()))["floors"]
    table(
        ("set", "claims", "footnoted", "AUROC", "true / false ticked", *floors),
        [
            (
                name,
                str(row["n"]),
                "{:.1f} [{:.1f}, {:.1f}]".format(*row["ours"]),
                f"{row['auroc']:.1f}",
                "{:.0f} / {:.0f}".format(*row["ticked"]),
                *(f"{row['floors'][floor]['score']:.1f}" for floor in floors),
            )
            for name, row in rows.items()
        ],
    )


if __name__ == "__main__":
    main()
