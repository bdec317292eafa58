"""How often answers are cut and named right, by language; and what a chunk of five characters costs.

    python benchmarks/segmentation.py [--failures]

Accuracy counts a case as right only when every claim and every kind in it is. Costs are CPU time of the
thread, the least of several rounds; prose of 1,500 and of 150,000 characters should cost the same a chunk.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from pathlib import Path

from footnoted.grounding.claims import ClaimSegmenter, segment

CASES = Path(__file__).parent.parent / "tests" / "grounding" / "segmentation_cases.json"
CHUNK = 5
ANSWERS = {
    "prose": (
        "The windscreen excess is £75 for repair and £115 for replacement, which the policyholder pays directly to the "
        "repairer [1]. Claims must reach the insurer within 14 days of the accident, by phone or online [2]. "
        "Cover for keys and locks is limited to £300 a year unless the optional extension was bought [3].\n\n"
    ),
    "Markdown": (
        "## Windscreen cover\n\nThe policy pays for damaged glass as follows:\n\n"
        "| Service | Excess |\n|---|---|\n| Repair by an approved fitter | £75 [1] |\n| Replacement | £115 [1] |\n\n"
        "- **Repairs** are carried out within two working days at home or at work [2].\n"
        "- **Replacement** uses glass of the same quality, e.g. Pilkington or Saint-Gobain [2].\n\n"
    ),
    "German": (
        "Die Selbstbeteiligung für die Windschutzscheibe beträgt 75 € bei einer Reparatur und 115 € bei einem Austausch "
        "[1]. Der Schaden ist innerhalb von 14 Tagen nach dem Unfall telefonisch oder online zu melden [2].\n\n"
    ),
    "Chinese": (
        "挡风玻璃的自付额为维修75英镑、更换115英镑，由投保人直接支付给维修商[1]。"
        "事故发生后，必须在14天内通过电话或网上渠道向保险公司报案，否则可能无法获得赔付[2]。\n\n"
    ),
    "Thai": (
        "ค่าเสียหายส่วนแรกสำหรับกระจกหน้ารถคือ 75 ปอนด์สำหรับการซ่อม และ 115 ปอนด์สำหรับการเปลี่ยน [1] "
        "ผู้เอาประกันต้องแจ้งบริษัทภายใน 14 วันหลังเกิดอุบัติเหตุทางโทรศัพท์หรือทางออนไลน์ [2]\n\n"
    ),
    "Arabic": (
        "مبلغ التحمل لزجاج السيارة الأمامي هو 75 جنيهًا للإصلاح و115 جنيهًا للاستبدال، ويدفعه حامل الوثيقة للورشة [1]. "
        "يجب إبلاغ شركة التأمين خلال 14 يومًا من تاريخ الحادث عبر الهاتف أو الإنترنت [2].\n\n"
    ),
}
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
    """The least cost of a chunk of `CHUNK` characters over a whole answer, `flush` included."""
    pieces = [text[at : at + CHUNK] for at in range(0, len(text), CHUNK)]
    rounds = []
    for _ in range(ROUNDS):
        segmenter = ClaimSegmenter()
        begin = time.thread_time()
        for piece in pieces:
            segmenter.decode(piece)
        segmenter.flush()
        rounds.append((time.thread_time() - begin) / len(pieces) * 1e6)
    return min(rounds)


def costs(cases):
    """Cost by kind of answer, and whether it stays flat as the answer grows."""
    print("\nµs a chunk of 5 characters")
    everything = "\n\n".join(case["text"] for case in cases)
    print(f"{'hard cases':10}{microseconds_per_chunk(everything):8.2f}")
    for name, answer in ANSWERS.items():
        print(f"{name:10}{microseconds_per_chunk(answer * 10):8.2f}")
    for times in (5, 50, 500):
        text = ANSWERS["prose"] * times
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
