"""How often the check is right on data nobody here wrote: by set and kind of error, with intervals and the failures.

    python benchmarks/grounding.py [--data ../shared/data] [--all] [--sets wice,bump] [--failures FILE]

Without --all only the documents kept aside are used: no weight and no threshold was ever fitted on them. The floor
is word overlap (the share of the claim's content words that stand in its sources) with one threshold, fitted on the
other documents in the same run.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import statistics
import sys
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "training"))
import _edits
from claims_data import SETS, Record, records

from footnoted.grounding import Checker, GroundingResult, HallucinationDetector
from footnoted.text import content_stems
from footnoted.types import Source

HERE = Path(__file__).parent.parent


@dataclass
class Outcome:
    record: Record
    result: GroundingResult
    overlap: float

    @property
    def right(self) -> bool:
        return self.result.grounded == bool(self.record.label)


def overlap(record: Record) -> float:
    """The share of the claim's content words that stand in its sources."""
    claim = content_stems(record.claim)
    known = {stem for source in record.sources for stem in content_stems(source.text)}
    return sum(stem in known for stem in claim) / len(claim) if claim else 0.0


def balanced(labels: list[int], said: list[bool]) -> float:
    """Balanced accuracy in per cent."""
    parts = [[s == bool(x) for x, s in zip(labels, said, strict=True) if x == side] for side in (0, 1)]
    return 50 * sum(sum(part) / len(part) if part else 0.5 for part in parts)


def interval(outcomes: list[Outcome], said, rounds: int = 400) -> tuple[float, float]:
    """95 % interval of the balanced accuracy, by drawing whole documents."""
    rng = random.Random(0)
    by_doc = defaultdict(list)
    for one in outcomes:
        by_doc[one.record.doc].append((one.record.label, said(one)))
    docs = list(by_doc.values())
    drawn = []
    for _ in range(rounds):
        sample = [pair for doc in rng.choices(docs, k=len(docs)) for pair in doc]
        drawn.append(balanced([x for x, _ in sample], [s for _, s in sample]))
    drawn.sort()
    return drawn[int(0.025 * rounds)], drawn[int(0.975 * rounds)]


def overlap_threshold(found: list[Record]) -> float:
    """One threshold for all sets, best on the documents that are not kept aside."""
    fitted = [(record.set, record.label, overlap(record)) for record in found if record.fold]
    parts = {name: [(x, o) for s, x, o in fitted if s == name] for name in SETS}

    def mean(threshold: float) -> float:
        return statistics.mean(balanced([x for x, _ in p], [o >= threshold for _, o in p]) for p in parts.values() if p)

    return max((t / 100 for t in range(30, 101, 2)), key=mean)


async def weigh(found: list[Record]) -> list[Outcome]:
    detector = HallucinationDetector()
    outcomes = []
    for number, record in enumerate(found):
        result = await detector.check_grounding(record.claim, record.sources)
        outcomes.append(Outcome(record, result, overlap(record)))
        if number % 200 == 199:
            print(f"  … {number + 1} of {len(found)}", file=sys.stderr)
    return outcomes


def accuracy(outcomes: list[Outcome], floor: float) -> None:
    print(f"\nbalanced accuracy (word overlap at {floor:.2f}; 95 % intervals by document)")
    means = []
    for name in SETS:
        mine = [one for one in outcomes if one.record.set == name]
        if not mine:
            continue
        labels = [one.record.label for one in mine]
        score = balanced(labels, [one.result.grounded for one in mine])
        base = balanced(labels, [one.overlap >= floor for one in mine])
        low, high = interval(mine, lambda one: one.result.grounded)
        means.append((score, base))
        print(f"  {name:14} {len(mine):5}  {score:5.1f}  [{low:4.1f}, {high:4.1f}]   overlap {base:5.1f}")
    if means:
        print(
            f"  {'mean':14} {'':5}  {statistics.mean(m for m, _ in means):5.1f}  {'':12}   "
            f"overlap {statistics.mean(b for _, b in means):5.1f}"
        )


def kinds(outcomes: list[Outcome]) -> None:
    print("\nright, by kind of error (only what is not supported; * of a kind with fewer than 10)")
    by_kind = defaultdict(list)
    for one in outcomes:
        if not one.record.label and one.record.kind and one.record.set in ("summedits", "bump", "wice"):
            for kind in one.record.kind.split("+"):
                by_kind[one.record.set, kind].append(one.right)
    for (name, kind), right in sorted(by_kind.items()):
        print(
            f"  {name:10} {kind:32} {len(right):4}  {100 * sum(right) / len(right):5.1f} %{'' if len(right) > 9 else ' *'}"
        )
    tiers = defaultdict(lambda: [0, 0])
    for one in outcomes:
        if len(one.result.claims) == 1:
            claim = one.result.claims[0]
            tiers[claim.tier, claim.verdict][one.right] += 1
    print("\none-claim records: who decided what, and how often rightly")
    for (tier, verdict), (wrong, right) in sorted(tiers.items()):
        print(f"  {tier:6} {verdict:13} {right + wrong:5}  {100 * right / (right + wrong):5.1f} % right")


def calibration(outcomes: list[Outcome]) -> None:
    """Expected calibration error of ``confidence`` in ten bins of equal size."""
    ranked = sorted((one.result.confidence, one.record.label) for one in outcomes)
    size = max(1, len(ranked) // 10)
    bins = [ranked[n : n + size] for n in range(0, len(ranked), size)]
    error = sum(abs(sum(c for c, _ in b) - sum(x for _, x in b)) for b in bins) / len(ranked)
    print(f"\ncalibration error of confidence (ten bins): {error:.3f}")


def evidence(outcomes: list[Outcome]) -> None:
    mine = [o for o in outcomes if o.record.set == "wice" and o.record.label and o.result.grounded]
    hits = tops = 0
    for one in mine:
        cited = [int(one.record.sources[e.source].id) for claim in one.result.claims for e in claim.evidence]
        hits += bool(set(cited) & one.record.gold)
        tops += bool({int(one.record.sources[c.evidence[0].source].id) for c in one.result.claims} & one.record.gold)
    if mine:
        print(
            f"\nevidence on WiCE claims judged supported ({len(mine)}): overlaps a gold sentence "
            f"{100 * hits / len(mine):.1f} %, the first span alone {100 * tops / len(mine):.1f} %"
        )


async def stability(outcomes: list[Outcome], found: list[Record], most: int = 150) -> None:
    """Twenty passages of other documents before and after; how many verdicts change."""
    rng = random.Random(1)
    passages = [s.text[:1200] for record in found if record.set in ("bump", "summedits") for s in record.sources]
    detector = HallucinationDetector()
    sample = rng.sample(outcomes, min(most, len(outcomes)))
    turned = claims = changed = 0
    for one in sample:
        noise = [Source(id=f"n{n}", text=text) for n, text in enumerate(rng.sample(passages, 40))]
        noise = [n for n in noise if all(n.text[:60] not in s.text for s in one.record.sources)]
        among = await detector.check_grounding(one.record.claim, [*noise[:20], *one.record.sources, *noise[20:]])
        turned += among.grounded != one.result.grounded
        for before, after in zip(one.result.claims, among.claims, strict=True):
            claims += 1
            changed += before.supported != after.supported
    print(
        f"\ntwenty irrelevant passages before and after: {100 * turned / len(sample):.1f} % of {len(sample)} answers "
        f"and {100 * changed / max(1, claims):.1f} % of {claims} claims change sides"
    )


def latency(found: list[Record]) -> None:
    checker = Checker()
    taken, prepared = [], []
    for record in [r for r in found if r.set == "summedits" and len(r.sources[0].text.split()) >= 600][:40]:
        words = record.sources[0].text.split()
        sources = [Source(id=str(n), text=" ".join(words[n * 200 : n * 200 + 200])) for n in range(5)]
        start = time.perf_counter()
        checker.prepare(sources)
        prepared.append(time.perf_counter() - start)
        for sentence in record.sentences:
            start = time.perf_counter()
            checker.check(sentence, sources)
            taken.append(time.perf_counter() - start)
    if taken:
        taken.sort()
        print(
            f"\na sentence against 5 prepared sources of 200 words, {len(taken)} sentences: p50 {1e3 * taken[len(taken) // 2]:.1f} ms, "
            f"p95 {1e3 * taken[int(0.95 * len(taken))]:.1f} ms; preparing them p50 {1e3 * statistics.median(prepared):.0f} ms"
        )


def lowest(outcome: Outcome) -> float:
    """The score of an answer's worst claim; what was not checked counts as unsupported."""
    return min((claim.score or 0.0 for claim in outcome.result.claims), default=0.0)


def edits(outcomes: list[Outcome], spans: list[Record]) -> None:
    """Original against edited twin, and the words pointed at on WiCE's labelled tokens."""
    print("\nthe original scores higher than its edited twin (same document, likest claim)")
    scores = {(one.record.set, one.record.id): lowest(one) for one in outcomes}
    pairs = _edits.twins([one.record for one in outcomes], lambda record: scores[record.set, record.id])
    for name in ("summedits", "bump"):
        mine = [pair for pair in pairs if pair.set == name]
        if mine:
            print(f"  {name:10} {len(mine):4}  {_edits.share(mine):5.1f} %  {_edits.interval(mine, _edits.share)}")
    if pairs:
        print(f"  {'both':10} {len(pairs):4}  {_edits.share(pairs):5.1f} %  {_edits.interval(pairs, _edits.share)}")
    ours, floor = _edits.pointed_at(spans)
    print(
        f"unsupported words pointed at, WiCE spans ({len(ours)} claims): F1 {_edits.f1(ours):.1f} "
        f"{_edits.interval(ours, _edits.f1)}; words that no source has {_edits.f1(floor):.1f}"
    )


def failures(outcomes: list[Outcome], path: Path) -> None:
    with path.open("w", encoding="utf-8") as out:
        for one in outcomes:
            if one.right:
                continue
            said = "supported" if one.result.grounded else "not supported"
            out.write(f"## {one.record.set} {one.record.id} ({one.record.kind}): said {said}\n{one.record.claim}\n")
            for claim in one.result.claims:
                out.write(f"  {claim.verdict} {claim.score} {claim.tier} {claim.reason}\n")
                out.writelines(f"    > {e.quote[:300]}\n" for e in claim.evidence[:2])
            out.write("\n")
    print(f"\nfailures: {path}")


async def run(options: argparse.Namespace) -> None:
    everything = records(options.data)
    wanted = options.sets.split(",") if options.sets else [*SETS]
    found = [r for r in everything if r.set in wanted and (options.all or r.fold == 0)]
    outcomes = await weigh(found)
    accuracy(outcomes, overlap_threshold(everything))
    kinds(outcomes)
    calibration(outcomes)
    evidence(outcomes)
    edits(outcomes, [r for r in everything if r.set == "wice_spans" and (options.all or r.fold == 0)])
    await stability(outcomes, everything)
    latency(everything)
    failures(outcomes, options.failures)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = Path(os.environ.get("FOOTNOTED_DATA", HERE.parent / "shared" / "data"))
    parser.add_argument("--data", type=Path, default=default)
    parser.add_argument("--all", action="store_true", help="the documents that were fitted on as well")
    parser.add_argument("--sets", default="")
    parser.add_argument("--failures", type=Path, default=Path("grounding-failures.txt"))
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
