"""Is the right page found, the right sentence given first, and refused what nothing answers? As people ask.

    python benchmarks/finding.py                   the questions over four collections, as a reader of the command gets them
    python benchmarks/finding.py --part languages  XQuAD in twelve languages: the sentence, and another article's questions
    python benchmarks/finding.py --exam            only the fifth kept aside (crc32 of the id % 5 == 0), on which nothing is fitted
    python benchmarks/finding.py --wrong           every question that went wrong, beside what was given

Words alone (BM25) and the encoder alone stand beside what ships. Data: ``--data DIR``, else ``$FOOTNOTED_DATA``, else
``../shared/data``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import sys
import time
import zlib
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from _table import heading, table, versions

from footnoted import GenerationRequest, GroundedGenerator
from footnoted.retrieval import Index, gather
from footnoted.types import FinishReason, Source

CHECKOUT = Path(__file__).resolve().parent.parent
LANGUAGES = ("en", "de", "es", "ru", "el", "tr", "vi", "ar", "hi", "th", "zh", "ro")
PASSAGES = 8
_LETTERS = re.compile(r"\w+")


@dataclass
class Outcome:
    """One question, what was found for it and what was answered; ``pages`` by way of finding: the gold page's rank."""

    id: str
    corpus: str
    kind: str
    answerable: bool | None
    pages: dict[str, int | None] = field(default_factory=dict)
    answered: bool = False
    first: bool = False
    anywhere: bool = False
    seconds: float = 0.0
    found_ms: float = 0.0
    told: str = ""


def kept_aside(name: str) -> bool:
    return zlib.crc32(name.encode()) % 5 == 0


def collections(data: Path) -> dict[str, Path]:
    return {
        "fastapi": data / "questions" / "fastapi",
        "prowler": data / "questions" / "prowler",
        "python-discord": data / "python-discord-docs",
        "policies": CHECKOUT / "examples" / "policies",
    }


def same_page(path: str, file: str) -> bool:
    """Whether a found file is the gold page; its ending may differ where a page was converted."""
    return path.rpartition(".")[0] == file.rpartition(".")[0]


def plain(text: str) -> list[str]:
    return _LETTERS.findall(text.casefold())


def overlaps(quote: str, given: str) -> bool:
    """Whether the words given hold half of the gold quote, or are half made of it."""
    gold, said = plain(quote), plain(given)
    if not gold or not said:
        return False
    kept = set(said)
    return sum(word in kept for word in gold) >= 0.5 * len(gold) and len(set(gold) & kept) >= 0.5 * min(
        len(set(gold)), len(kept)
    )


def gold_of(item: dict) -> list[dict]:
    return [*item["gold"], *item.get("alt", ())]


async def ask(item: dict, index: Index, generator: GroundedGenerator) -> Outcome:
    one = Outcome(item["id"], item["corpus"], item["kind"], item["answerable"])
    history = [tuple(turn) for turn in item.get("history", ())]
    gold = gold_of(item)
    begun = time.perf_counter()
    context = await gather(index, item["question"], k=PASSAGES, history=history)
    one.found_ms = 1000 * (time.perf_counter() - begun)
    one.pages["ours"] = rank_of(gold, [source.metadata["file"] for source in context])
    for way in ("words", "meaning"):
        found = index.search(f"{history[-1][0]} {item['question']}" if history else item["question"], PASSAGES, by=way)
        one.pages[way] = rank_of(gold, [source.metadata["file"] for source in found])
    request = GenerationRequest(query=item["question"], context=context, conversation_history=history)
    response = await generator.generate(request)
    one.seconds = time.perf_counter() - begun
    one.answered = response.finish_reason is not FinishReason.REFUSED and bool(response.citations)
    one.told = response.response
    cited = [(context[c.source_index].metadata["file"], c.source_quote) for c in response.citations]
    right = [any(same_page(g["path"], file) and overlaps(g["quote"], quote) for g in gold) for file, quote in cited]
    one.first, one.anywhere = any(right[:1]), any(right)
    return one


def rank_of(gold: list[dict], files: list[str]) -> int | None:
    return next((at for at, file in enumerate(files) if any(same_page(one["path"], file) for one in gold)), None)


def share(values: list[bool]) -> str:
    return f"{100 * sum(values) / len(values):.0f} % of {len(values)}" if values else "–"


def interval(outcomes: list[Outcome], figure) -> str:
    """The bootstrap's 95 % interval, collections and questions within them drawn again."""
    dice = random.Random(7)
    values = [figure(one) for one in outcomes]
    if not values:
        return ""
    found = sorted(sum(dice.choices(values, k=len(values))) / len(values) for _ in range(500))
    return f"{100 * found[12]:.0f}–{100 * found[487]:.0f}"


def print_questions(outcomes: list[Outcome]) -> None:
    asked = [one for one in outcomes if one.kind != "collection"]
    answerable = [one for one in asked if one.answerable]
    near = [one for one in asked if one.answerable is False]
    rows = []
    for way, name in (("ours", "as shipped"), ("words", "words alone"), ("meaning", "encoder alone")):
        values = [one.pages.get(way) is not None for one in answerable]
        rows.append((f"gold page among the first {PASSAGES}, {name}", share(values),
                     interval(answerable, lambda one, way=way: one.pages.get(way) is not None)))  # fmt: skip
    rows.append(("gold sentence first", share([o.first for o in answerable]), interval(answerable, lambda o: o.first)))
    rows.append(("gold sentence in the answer", share([o.anywhere for o in answerable]), ""))
    rows.append(("… first, of those answered", share([o.first for o in answerable if o.answered]), ""))
    rows.append(("answerable and refused", share([not o.answered for o in answerable]),
                 interval(answerable, lambda o: not o.answered)))  # fmt: skip
    rows.append(("near miss and answered", share([o.answered for o in near]), interval(near, lambda o: o.answered)))
    collection = [one for one in outcomes if one.kind == "collection" and one.answerable]
    rows.append(("about the collection, answered", share([one.answered for one in collection]), ""))
    times = sorted(one.found_ms for one in outcomes)
    rows.append(("finding, ms p50 / p95", f"{times[len(times) // 2]:.0f} / {times[int(0.95 * len(times))]:.0f}", ""))
    table(("what", "share", "95 %"), rows)
    groups = defaultdict(list)
    for one in answerable:
        groups[one.corpus].append(one)
        groups["in another language" if one.id.startswith("la-") else one.kind].append(one)
    table(
        ("by collection and kind", "page in 8", "first", "refused"),
        [
            (
                name,
                share([o.pages["ours"] is not None for o in those]),
                share([o.first for o in those]),
                share([not o.answered for o in those]),
            )
            for name, those in groups.items()
        ],
    )


async def questions(data: Path, aside: bool | None) -> list[Outcome]:
    items = [json.loads(line) for line in (data / "questions" / "questions.jsonl").open(encoding="utf-8")]
    outcomes = []
    async with GroundedGenerator() as generator:
        for name, folder in collections(data).items():
            index = Index.open(folder)
            index.understand()
            mine = [i for i in items if i["corpus"] == name and (aside is None or kept_aside(i["id"]) == aside)]
            outcomes += [await ask(item, index, generator) for item in mine]
    return outcomes


@dataclass
class Reading:
    first: bool
    answered: bool


async def language(data: Path, code: str, aside: bool | None, most: int) -> tuple[list[Reading], list[bool]]:
    """Answerable questions over their article's passages; and the same asked of the next article."""
    articles = json.loads((data / "questions" / "xquad" / f"{code}.json").read_text(encoding="utf-8"))["data"]
    kept = [a for n, a in enumerate(articles) if aside is None or kept_aside(f"{n}") == aside]
    given: list[Reading] = []
    strangers: list[bool] = []
    dice = random.Random(3)
    async with GroundedGenerator() as generator:
        for number, article in enumerate(kept):
            texts = [paragraph["context"] for paragraph in article["paragraphs"]]
            index = Index.of(Source(str(n), text, "", {"file": str(n)}) for n, text in enumerate(texts))
            index.understand()
            other = kept[(number + 1) % len(kept)]
            own = [(n, qa) for n, p in enumerate(article["paragraphs"]) for qa in p["qas"]]
            for n, qa in dice.sample(own, min(most, len(own))):
                response, context = await answer(qa["question"], index, generator)
                cited = response.citations[:1]
                hit = any(
                    context[c.source_index].metadata["file"] == str(n)
                    and c.source_start <= a["answer_start"] < c.source_end
                    for c in cited
                    for a in qa["answers"]
                )
                given.append(Reading(hit, bool(cited)))
            strange = [qa for p in other["paragraphs"] for qa in p["qas"]]
            for qa in dice.sample(strange, min(most // 2 + 1, len(strange))):
                response, _ = await answer(qa["question"], index, generator)
                strangers.append(response.finish_reason is FinishReason.REFUSED)
    return given, strangers


async def answer(question: str, index: Index, generator: GroundedGenerator):
    context = await index.retrieve(question, k=PASSAGES)
    return await generator.generate(GenerationRequest(query=question, context=context)), context


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = Path(os.environ.get("FOOTNOTED_DATA") or CHECKOUT.parent / "shared" / "data")
    parser.add_argument("--data", type=Path, default=default)
    parser.add_argument("--part", choices=("questions", "languages"), default="questions")
    parser.add_argument("--exam", action="store_true", help="the fifth kept aside")
    parser.add_argument("--all", action="store_true", help="both parts together")
    parser.add_argument("--most", type=int, default=6, help="questions an article, in each language")
    parser.add_argument("--wrong", action="store_true")
    options = parser.parse_args()
    if not (options.data / "questions").is_dir():
        sys.exit(f"no questions in {options.data}; say where with --data")
    aside = None if options.all else options.exam
    heading("Finding and answering without a model", versions("tantivy", "onnxruntime"))
    print({None: "all questions", True: "the fifth kept aside", False: "four fifths, on which may be fitted"}[aside])
    if options.part == "languages":
        rows = []
        for code in LANGUAGES:
            given, strangers = asyncio.run(language(options.data, code, aside, options.most))
            shown = (share([g.first for g in given]), share([not g.answered for g in given]), share(strangers))
            rows.append((code, *shown))
        table(("language", "gold sentence first", "refused", "another article's refused"), rows)
        return
    outcomes = asyncio.run(questions(options.data, aside))
    print_questions(outcomes)
    if options.wrong:
        for one in outcomes:
            wrong = one.answered != bool(one.answerable) or (one.answerable and not one.first)
            if wrong and one.answerable is not None:
                print(
                    f"{one.id} page {one.pages['ours']} answered {one.answered} first {one.first}: {one.told[:300]!r}"
                )


if __name__ == "__main__":
    main()
