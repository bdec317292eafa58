"""The questions the reader is taught with, each beside the sentences that the package itself puts first for it.

    python training/rerank_groups.py DATA KEPT [--english]

What a reader must tell apart is what comes near: the sentence that answers from the next best of the page, and from those
of the pages that share its words. So the passages are ranked as for a user, and of each the first ten sentences are
written as they are read (`relevance.rank.alone`), a line a question: ``{"set", "question", "texts", "answers"}``. A clause that
decides a customer's question stands beside clauses of the same policy. No document kept aside is among them.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator
from pathlib import Path

from fit_relevance import ROOT, Asked, Remembered, languages, papers
from parts import asked_written, part
from rich.progress import track

from footnoted.retrieval import Index
from footnoted.retrieval.relevance.rank import _scored, alone, measured
from footnoted.types import Source

PAPERS = {"clapnq8": 600, "squad2": 1500, "squad8": 500}
MOST = 10  # sentences of a question
OF_A_WORDING = 16  # clauses beside a customer's question
TAUGHT = "asked0[013-9].jsonl"  # `asked02` is what `fit_relevance.py` fits on
_BOOK = 8_000  # code points; among longer texts none is a passage


def bag(text: str) -> set[str]:
    """The longer words of a text, to find what is near it."""
    return {word for word in text.casefold().split() if len(word) > 3}


def asked_of_documentation(data: Path) -> Iterator[Asked]:
    """Written questions, each of its passage and the five likest of the others; and near misses, of two."""
    rows = [row for row in asked_written(ROOT / "training" / "twins", data, TAUGHT) if part(row[1]) == "taught"]
    shelf = list(dict.fromkeys(passage for _, passage, _, _ in rows))
    bags = [bag(passage) for passage in shelf]
    for question, passage, sentence, miss in rows:
        for text, answerable in ((question, True), (miss, False)):
            own = bag(text)
            order = sorted(range(len(shelf)), key=lambda i: -len(bags[i] & own))
            near = [shelf[i] for i in order if shelf[i] != passage][: 5 if answerable else 1]
            at = passage.find(sentence)
            gold = [(0, at, at + len(sentence))] if answerable else []
            sources = [Source(str(n), each, "") for n, each in enumerate([passage, *near])]
            yield Asked("asked", "", text, "", sources, gold, answerable)


def of_policies(dice: random.Random) -> Iterator[dict]:
    """A customer's question beside the clause that decides it, the one that only comes near, and others of the policy."""
    for file in sorted((ROOT / "training" / "twins").glob("asked_policies*.jsonl")):
        rows = [json.loads(line) for line in file.open(encoding="utf-8")]
        clauses = list(dict.fromkeys(row[key] for key in ("gold", "near") for row in rows))
        for row in rows:
            others = [clause for clause in clauses if clause not in (row["gold"], row["near"])]
            likest = sorted(others, key=lambda clause: -len(bag(row["question"]) & bag(clause)))[:4]
            texts = [row["gold"], row["near"], *likest, *dice.sample(others, min(4, len(others)))]
            answers = [True] + [False] * (len(texts) - 1)
            yield {"set": "policies", "question": row["question"], "texts": texts, "answers": answers}
            two = {"texts": [row["gold"], row["near"]], "answers": [False, False]}
            yield {"set": "policies", "question": row["miss"], **two}


def of_wordings() -> Iterator[dict]:
    """Customers' questions over whole wordings, each beside the clauses that words and meaning put nearest."""
    from fit_clauses import UNREAD, decides

    from footnoted.assistants.insurance.clauses import read_policy
    from footnoted.assistants.insurance.passages import Clauses, passages_of, said_of

    for file in sorted((ROOT / "training" / "policies").glob("*.md")):
        if file.stem in UNREAD:
            continue
        clauses = Clauses(passages_of(read_policy(Index.open([file], cache="off").sources())))
        for line in map(json.loads, file.with_suffix(".jsonl").open(encoding="utf-8")):
            scores = clauses.scores(line["question"])
            order = sorted(range(len(scores)), key=lambda place: -scores[place])
            read = [clauses.read[place][1] for place in order]
            right = [any(decides(quote, clause.cited) for quote in line["decide"]) for clause in read]
            near = [n for n in range(len(read)) if n < OF_A_WORDING or right[n]]
            if any(right) or not line["answerable"]:
                texts, answers = [said_of(read[n]) for n in near], [right[n] for n in near]
                yield {"set": "policies", "question": line["question"], "texts": texts, "answers": answers}


def group(asked: Asked, meaning: Remembered) -> dict | None:
    """One question's line; None where no sentence that answers was found."""
    if not any(len(source.text) <= _BOOK for source in asked.sources):
        return None
    found = measured(asked.question, asked.sources, about=asked.about, likeness=meaning)
    best = sorted((_scored(*one) for one in found), key=lambda one: -one.score)
    right = [any(n == b.source_index and b.start < end and start < b.end for n, start, end in asked.gold) for b in best]
    if not best or (asked.answerable and not any(right)):
        return None
    top = sorted({*range(min(MOST, len(best))), *([right.index(True)] if asked.answerable else [])})
    return {
        "set": asked.set,
        "question": asked.question,
        "texts": [alone(best[i].sentence, asked.sources) for i in top],
        "answers": [right[i] for i in top],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("kept", type=Path)
    parser.add_argument("--english", action="store_true", help="what is in English alone")
    options = parser.parse_args()
    dice, meaning = random.Random(1), Remembered(options.kept / "vectors.pkl")
    others = [*papers(options.data, dice, PAPERS)] + ([] if options.english else [*languages(options.data, dice, 5)])
    every = [*asked_of_documentation(options.data), *(one for one in others if not one.aside)]
    dice.shuffle(every)
    with (options.kept / "groups.jsonl").open("w", encoding="utf-8") as file:
        for one in track(every, "ranking"):
            if (line := group(one, meaning)) is not None:
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
        for line in (*of_policies(dice), *of_wordings()):
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
    meaning.save()


if __name__ == "__main__":
    main()
