"""How often answers are cut and named right, by language; and what a chunk of five characters costs.

    python benchmarks/segmentation.py [--failures]

Accuracy counts a case as right only when every claim and every kind in it is. Costs are the median of
several rounds in one thread; "flat" compares an answer of 1,600 characters with one of 160,000.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections import defaultdict
from pathlib import Path

from footnoted.grounding.claims import ClaimSegmenter, segment

CASES = Path(__file__).parent.parent / "tests" / "grounding" / "segmentation_cases.json"
CHUNK = 5
ROUNDS = 7


def accuracy(cases, *, failures):
    """Right cases by language, and right claims over all."""
    right, found, expected = defaultdict(list), 0, 0
    for case in cases:
        got = [[claim.text, claim.kind] for claim in segment(case["text"])]
        right[case["language"]].append(got == case["claims"])
        found += sum(claim in got for claim in case["claims"])
        expected += len(case["claims"])
        if failures and got != case["claims"]:
            print(f"{case['id']} ({case['about']})")
            for claim in case["claims"]:
                if claim not in got:
                    print("   want", claim)
            for claim in got:
                if claim not in case["claims"]:
                    print("   got ", claim)
    print(f"{'language':10}{'cases':>7}{'right':>8}")
    for language, results in sorted(right.items()):
        print(f"{language:10}{len(results):7}{sum(results) / len(results):8.1%}")
    everything = [result for results in right.values() for result in results]
    print(f"{'all':10}{len(everything):7}{sum(everything) / len(everything):8.1%}")
    print(f"claims right, text and kind: {found} of {expected} = {found / expected:.1%}")


def microseconds_per_chunk(text):
    """The median cost of a chunk of `CHUNK` characters over a whole answer, `flush` included."""
    pieces = [text[at : at + CHUNK] for at in range(0, len(text), CHUNK)]
    rounds = []
    for _ in range(ROUNDS):
        segmenter = ClaimSegmenter()
        begin = time.perf_counter()
        for piece in pieces:
            segmenter.decode(piece)
        segmenter.flush()
        rounds.append((time.perf_counter() - begin) / len(pieces) * 1e6)
    return statistics.median(rounds)


def costs(cases):
    """Cost by language, and whether it stays flat as the answer grows."""
    texts = defaultdict(list)
    for case in cases:
        texts[case["language"]].append(case["text"])
    print(f"\n{'µs a chunk of 5':20}")
    for language, parts in sorted(texts.items()):
        print(f"{language:10}{microseconds_per_chunk((chr(10) * 2).join(parts)):8.2f}")
    paragraph = (
        "The windscreen excess is £75 for repair and £115 for replacement, which the policyholder pays directly "
        "to the repairer [1]. Claims must reach the insurer within 14 days of the accident, by phone or online [2]. "
        "Cover for keys and locks is limited to £300 a year unless the optional extension was bought [3].\n\n"
    )
    for times in (5, 50, 500):
        text = paragraph * times
        print(f"prose, {len(text):>7,} characters: {microseconds_per_chunk(text):.2f}")
    unbroken = "a word and another word " * 1300
    print(f"one sentence of {len(unbroken):,} characters: {microseconds_per_chunk(unbroken):.2f}")


def main():
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--failures", action="store_true", help="show every case that is not right")
    cases = json.loads(CASES.read_text(encoding="utf-8"))
    accuracy(cases, failures=parser.parse_args().failures)
    costs(cases)


if __name__ == "__main__":
    main()
