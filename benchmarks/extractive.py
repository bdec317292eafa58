"""Which sentence answers, and when does none? Top-1, top-3 and refusal on labelled sets, BM25 in the same run.

    python benchmarks/extractive.py                     the shipped weights, all and kept-aside parts
    python benchmarks/extractive.py --encoder           the same with the encoder's second look

``training/fit_relevance.py`` fits the weights. Data: ``--data DIR``, else ``$FOOTNOTED_DATA``, else ``../shared/data``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import sys
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from footnoted.retrieval.relevance import ShippedMeaning, answerability, rank
from footnoted.retrieval.relevance.layout import read
from footnoted.retrieval.relevance.rarity import rarity
from footnoted.text import content_stems, stem, words
from footnoted.types import Source

ROOT = Path(__file__).resolve().parent.parent
SETS = ("clapnq", "squad2", "xquad", "covid", "clapnq8", "squad8", "swapped8")
FOLDS = 5
POOLED_EVERY = 3  # one SQuAD question in so many is also asked of eight passages of its article


@dataclass(frozen=True, slots=True)
class Case:
    """A question, its sources, where the evidence stands (source, start, end), and whether it is answerable.

    Cases of one ``group`` (an article) are never split between fitting and reporting.
    """

    set: str
    group: str
    question: str
    sources: tuple[Source, ...]
    gold: tuple[tuple[int, int, int], ...]
    answerable: bool

    @property
    def fold(self) -> int:
        """0 is the part kept aside; the shipped weights are fitted on the others."""
        return int(hashlib.md5(self.group.encode()).hexdigest(), 16) % FOLDS

    def is_gold(self, source: int, start: int, end: int) -> bool:
        """Whether the stretch holds the answer's start or overlaps an evidence sentence."""
        return any(
            source == where and min(end, to) - max(start, begin) >= min(6, to - begin) for where, begin, to in self.gold
        )


def load(data: Path) -> list[Case]:
    answering = data / "answering"
    rows = {
        name: [json.loads(line) for line in (answering / f"{name}.jsonl").open(encoding="utf-8")]
        for name in ("clapnq", "squad2", "xquad", "covid_qa", "covid_articles")
    }
    cases = [_clapnq(row) for row in rows["clapnq"]]
    squad = [_squad(name, row) for name in ("squad2", "xquad") for row in rows[name]]
    articles = {row["article"]: row["text"] for row in rows["covid_articles"]}
    covid = [
        Case(
            "covid",
            row["article"],
            row["question"],
            (_article(row["article"], articles),),
            _starts(row),
            answerable=True,
        )
        for row in rows["covid_qa"]
    ]
    return [*cases, *squad, *covid, *_pooled([case for case in (*cases, *squad) if case.set in ("clapnq", "squad2")])]


def _clapnq(row: dict) -> Case:
    sources = tuple(Source(str(i), p["text"], p["title"]) for i, p in enumerate(row["passages"]))
    gold = [
        (i, at, at + len(sentence))
        for sentence in row["evidence"]
        for i, source in enumerate(sources)
        if (at := source.text.find(sentence)) >= 0
    ]
    return Case("clapnq", row["passages"][0]["title"], row["question"], sources, tuple(gold), row["answerable"])


def _squad(name: str, row: dict) -> Case:
    title = row["article"].replace("_", " ")
    sources = tuple(Source(str(i), p["text"], title) for i, p in enumerate(row["passages"]))
    return Case(name, title, row["question"], sources, _starts(row), row["answerable"])


def _starts(row: dict) -> tuple[tuple[int, int, int], ...]:
    return tuple((0, start, start + 1) for start in row["answer_starts"])


def _article(name: str, articles: dict[str, str]) -> Source:
    return Source(name, articles[name], articles[name].partition("\n")[0])


def _pooled(cases: list[Case]) -> list[Case]:
    """Questions asked of the eight passages nearest in words, as retrieval would hand them over.

    ClapNQ's among all its passages. SQuAD's among those of the article: answerable ones with the passage that
    answers and, others, without it; and its unanswerable ones.
    """
    passages: dict[str, dict[str, Source]] = {}
    for case in cases:
        passages.setdefault(_shelf(case), {}).setdefault(case.sources[0].text, case.sources[0])
    bags = {text: Counter(content_stems(text)) for shelf in passages.values() for text in shelf}
    pooled = []
    for number, case in enumerate(cases):
        if case.set != "clapnq" and number % POOLED_EVERY:
            continue
        own = case.sources[0].text
        keep = case.set == "clapnq" or not case.answerable or number // POOLED_EVERY % 2 == 0
        asked = Counter(content_stems(case.question))
        others = [source for text, source in passages[_shelf(case)].items() if text != own]
        others.sort(key=lambda source: (-(asked & bags[source.text]).total(), source.text))
        chosen = [*([case.sources[0]] if keep else []), *others[: 7 if keep else 8]]
        chosen.sort(key=lambda source: source.text)
        at = next((i for i, source in enumerate(chosen) if source.text == own), -1)
        gold = tuple((at, start, end) for _, start, end in case.gold) if keep else ()
        answerable = case.answerable and keep
        name = "clapnq8" if case.set == "clapnq" else "squad8"
        pooled.append(Case(name, case.group, case.question, tuple(chosen), gold, answerable))
    return [*pooled, *_swapped([case for case in pooled if case.answerable])]


def _swapped(pooled: list[Case]) -> list[Case]:
    """The same questions about something else: the word that tells most gives way to one no source holds, or,
    one time in four, to one that stands in another passage than the answer's.
    """
    dice = random.Random(11)
    tellings = [[word for word, _, _ in words(case.question) if rarity(stem(word)) >= 6] for case in pooled]
    swapped = []
    for number, (case, telling) in enumerate(zip(pooled, tellings, strict=True)):
        shown = {i for i, _, _ in case.gold} if number % 4 == 3 else set(range(len(case.sources)))
        held = {one for i in shown for one in content_stems(f"{case.sources[i].title} {case.sources[i].text}")}
        if number % 4 == 3:
            elsewhere = " ".join(source.text for i, source in enumerate(case.sources) if i not in shown)
            others = [word for word, _, _ in words(elsewhere) if word.islower() and rarity(stem(word)) >= 6]
        else:
            others = dice.choice(tellings)
        others = [word for word in others if stem(word) not in held]
        if telling and others:
            old = max(telling, key=lambda word: rarity(stem(word)))
            question = case.question.replace(old, dice.choice(others), 1)
            swapped.append(Case("swapped8", case.group, question, case.sources, (), answerable=False))
            swapped.append(replace(case, set="swapped8"))
    return swapped


def _shelf(case: Case) -> str:
    return "clapnq" if case.set == "clapnq" else case.group


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one case: was the first, or one of the first three, gold; the chance; BM25's own."""

    case: Case
    first: bool
    third: bool
    chance: float
    bm25_first: bool
    bm25_third: bool
    bm25_score: float


def ask(case: Case, likeness: ShippedMeaning | None) -> Outcome:
    ranked = rank(case.question, case.sources, likeness=likeness)
    gold = [case.is_gold(one.source_index, one.start, one.end) for one in ranked]
    plain, score = bm25(case)
    return Outcome(
        case, any(gold[:1]), any(gold[:3]), answerability(case.question, ranked), any(plain[:1]), any(plain[:3]), score
    )


def bm25(case: Case) -> tuple[list[bool], float]:
    """The floor: BM25 (k1 1.2, b 0.75) over the same sentences' stems; gold flags in its order, its best score."""
    import math

    found = [one for i, source in enumerate(case.sources) for one in _read(i, source)]
    spread = Counter(one for _, bag in found for one in bag)
    mean = sum(bag.total() for _, bag in found) / max(1, len(found)) or 1.0
    scores = []
    for _, bag in found:
        score = 0.0
        for one in set(content_stems(case.question)) & bag.keys():
            idf = math.log(1 + (len(found) - spread[one] + 0.5) / (spread[one] + 0.5))
            score += idf * bag[one] * 2.2 / (bag[one] + 1.2 * (0.25 + 0.75 * bag.total() / mean))
        scores.append(score)
    order = sorted(range(len(found)), key=lambda i: -scores[i])
    flags = [case.is_gold(*found[i][0]) for i in order[:3]]
    return flags, max(scores, default=0.0)


_BAGS: dict[tuple[int, str], list] = {}


def _read(index: int, source: Source) -> list:
    key = (index, source.sha256)
    if key not in _BAGS:
        _BAGS[key] = [((index, one.start, one.end), Counter(content_stems(one.text))) for one in read(source, index)]
    return _BAGS[key]


def balanced(outcomes: list[Outcome], chances: list[float], threshold: float) -> float:
    """Balanced accuracy (%) of answering where the chance reaches the threshold."""
    sides: dict[bool, list[bool]] = {True: [], False: []}
    for outcome, chance in zip(outcomes, chances, strict=True):
        sides[outcome.case.answerable].append((chance >= threshold) == outcome.case.answerable)
    return 50 * sum(sum(side) / len(side) for side in sides.values())


def floor_refusal(outcomes: list[Outcome]) -> float:
    """The best any threshold on BM25's score could do, chosen in hindsight."""
    scores = [outcome.bm25_score for outcome in outcomes]
    return max(
        balanced(outcomes, scores, threshold) for threshold in sorted(set(scores))[:: max(1, len(scores) // 200)]
    )


def interval(values: list, figure, rounds: int = 400) -> tuple[float, float]:
    """The bootstrap's 95 % interval of a figure, resampling articles and, within each, questions."""
    dice = random.Random(7)
    groups: dict[str, list] = {}
    for value in values:
        groups.setdefault(value.case.group, []).append(value)
    parts = list(groups.values())
    found = []
    for _ in range(rounds):
        sample = [value for part in dice.choices(parts, k=len(parts)) for value in dice.choices(part, k=len(part))]
        try:
            found.append(figure(sample))
        except ZeroDivisionError:  # a sample of one kind only
            continue
    found.sort()
    return found[int(0.025 * len(found))], found[int(0.975 * len(found))]


def share(name: str):
    return lambda outcomes: 100 * sum(getattr(one, name) for one in outcomes) / len(outcomes)


def table(outcomes: list[Outcome], title: str) -> None:
    print(f"\n{title}")
    print(
        f"{'set':8} {'n':>5}  {'top-1 (95 %)':20} {'BM25':>5}  {'top-3':>5} {'BM25':>5}  {'refusal (95 %)':20} {'BM25*':>5}"
    )
    for name in SETS:
        mine = [one for one in outcomes if one.case.set == name]
        answered = [one for one in mine if one.case.answerable]
        if not answered:
            continue
        low, high = interval(answered, share("first"))
        line = f"{name:8} {len(mine):5}  {share('first')(answered):5.1f} ({low:.1f}–{high:.1f})".ljust(36)
        line += f"{share('bm25_first')(answered):5.1f}  {share('third')(answered):5.1f} {share('bm25_third')(answered):5.1f}  "
        if len(answered) < len(mine):

            def at_half(sample):
                return balanced(sample, [one.chance for one in sample], 0.5)

            low, high = interval(mine, at_half)
            line += f"{at_half(mine):5.1f} ({low:.1f}–{high:.1f})".ljust(21) + f"{floor_refusal(mine):5.1f}"
        print(line, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--data", type=Path, default=Path(os.environ.get("FOOTNOTED_DATA", ROOT.parent / "shared" / "data"))
    )
    parser.add_argument("--encoder", action="store_true")
    arguments = parser.parse_args()
    if not (arguments.data / "answering").is_dir():
        sys.exit(f"no labelled data in {arguments.data}; say where with --data")
    cases = load(arguments.data)
    likeness = ShippedMeaning() if arguments.encoder else None
    outcomes = [ask(case, likeness) for case in cases]
    table([one for one in outcomes if one.case.fold == 0], "kept aside (a fifth of the articles, never fitted on)")
    table(outcomes, "all articles (four fifths were fitted on)")
    print("* the best threshold on BM25's score in hindsight; ours is fixed at 0.5")


if __name__ == "__main__":
    main()
