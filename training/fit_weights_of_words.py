"""Counts in the training pairs how much each word's stem tells (idf), into ``fitted/words.json``.

python training/fit_weights_of_words.py DATA/training
"""

from __future__ import annotations

import gzip
import json
import math
import sys
from collections import Counter
from pathlib import Path

from footnoted.text import sentences, stem, words

OUT = Path(__file__).parent.parent / "src/footnoted/grounding/fitted/words.json"
SETS = ("wiki_nli_protocols", "mnli", "sad_wiki", "fever_rte", "condaqa_yesno", "drop_nli", "scifact", "onestop")
LEAST = 6  # sentences a stem stands in before it gets a weight of its own


def main() -> None:
    texts: set[str] = set()
    for name in SETS:
        with gzip.open(Path(sys.argv[1]) / f"{name}.jsonl.gz", "rt") as lines:
            for line in lines:
                record = json.loads(line)
                texts |= {record["premise"], record["claim"]}
    counts: Counter[str] = Counter()
    total = 0
    for text in texts:
        for span in sentences(text):
            total += 1
            counts.update({stem(word) for word, _, _ in words(text[span.start : span.end])})
    weights = {s: round(math.log(total / n), 1) for s, n in sorted(counts.items()) if n >= LEAST}
    OUT.write_text(
        json.dumps(
            {"rare": round(math.log(total / 2), 1), "weights": weights}, ensure_ascii=False, separators=(",", ":")
        )
        + "\n"
    )
    print(len(weights), "stems from", total, "sentences;", OUT.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
