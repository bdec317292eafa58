"""Fit what orders sentences, what says whether any answers, and what kind of answer a question wants. Needs scikit-learn.

    python training/fit_relevance.py [--data DIR] [--kept DIR]

Four sorts of questions: people's, over documentation (`questions/`); search queries (ClapNQ); adversarial ones over one
paragraph (SQuAD 2); and XQuAD's in twelve languages, asked in the paragraphs' own language and across languages. A
question is unanswerable because its writer meant it so, because the page that answers was taken away, or because it is
another article's. Documents kept aside (crc32 % 5 == 0; of ClapNQ, SQuAD and COVID-QA the fold of
``benchmarks/extractive.py``) are not looked at. Writes ``weights.json`` and ``wants.npz`` into ``footnoted.retrieval.relevance``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import pickle
import random
import sys
import zlib
from collections import Counter
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

import footnoted.retrieval.relevance
from footnoted.providers.extractive import before
from footnoted.retrieval import Index
from footnoted.retrieval.relevance import ShippedMeaning
from footnoted.retrieval.relevance.rank import Scored, answer_features, measured
from footnoted.types import Source, Turn

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "training" / "reader")]
import extractive  # noqa: E402
import finding  # noqa: E402
from fit_reading import READ, REFUSED, reading  # noqa: E402
from parts import asked_written  # noqa: E402

PACKAGE = Path(footnoted.retrieval.relevance.__file__).parent
# How much a set weighs, whatever its size: in the order, and on each side (answered, not answered) of the second model.
ORDER = {
    "people": 5.0,
    "removed": 0.0,
    "asked": 0.0,
    "clapnq8": 2.0,
    "squad2": 0.5,
    "squad8": 0.7,
    "covid": 1.0,
    "xquad": 2.0,
    "across": 1.0,
    "single": 0.0,
}
ANSWER = {
    "people": 3.0,
    "removed": 1.0,
    "asked": 0.0,
    "clapnq8": 1.0,
    "squad2": 0.3,
    "squad8": 0.7,
    "covid": 0.2,
    "xquad": 1.5,
    "across": 0.7,
    "single": 1.5,
}
PAPERS = {"clapnq8": 300, "squad2": 400, "squad8": 100, "covid": 40}
ORDER_C, ANSWER_C = 0.05, 0.02
# What a set's own habits could ride on.
NOT_ANSWER = {
    "best_row",
    "best_item",
    "best_code",
    "best_short",
    "best_links",
    "best_length",
    "best_rank",
    "best_early",
    "best_asks",
    "best_like_gap",
    "best_bm25",
}


@dataclass
class Asked:
    """A question, the passages it is asked of, whether they answer, and which of their stretches do."""

    set: str
    group: str
    question: str
    about: str
    sources: list[Source]
    gold: list[tuple[int, int, int]]
    answerable: bool
    aside: bool = False


class Remembered:
    """The encoder, its vectors kept in a file."""

    def __init__(self, path: Path) -> None:
        self.path, self.inner, self.new = path, ShippedMeaning(), 0
        self.known: dict[bytes, np.ndarray] = pickle.loads(path.read_bytes()) if path.exists() else {}

    def queries(self, texts):
        return self._of("q", texts, self.inner.queries)

    def passages(self, texts):
        return self._of("p", texts, self.inner.passages)

    def _of(self, kind, texts, made):
        keys = [hashlib.sha1((kind + text).encode()).digest() for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self.known}
        if missing:
            for key, vector in zip(missing, made(list(missing.values())), strict=True):
                self.known[key] = vector.astype(np.float16)
            self.new += len(missing)
        if self.new > 3000:
            self.save()
        return np.array([self.known[key] for key in keys], dtype=np.float32).reshape(len(keys), -1 if keys else 384)

    def save(self) -> None:
        self.path.write_bytes(pickle.dumps(self.known))
        self.new = 0


def people(data: Path) -> list[Asked]:
    """The questions over documentation, with what is found for them; and again without the page that answers."""
    items = [json.loads(line) for line in (data / "questions" / "questions.jsonl").open(encoding="utf-8")]
    asked = []
    for name, folder in finding.collections(data).items():
        index = Index.open(folder)
        for item in items:
            if item["corpus"] != name or item["answerable"] is None or item["kind"] == "collection":
                continue
            about = before(item["question"], [Turn(*turn) for turn in item.get("history", ())])
            found = index.search(f"{about} {item['question']}".strip(), 20)
            gold = finding.gold_of(item)
            aside = finding.kept_aside(item["id"])
            first = found[:8]
            places = [(n, s, e) for n, source in enumerate(first) for s, e in stretches(source, gold)]
            asked.append(
                Asked(
                    "people",
                    item["id"],
                    item["question"],
                    about,
                    first,
                    places,
                    bool(item["answerable"]) and bool(places),
                    aside,
                )
            )
            if item["answerable"] and not places:
                asked.pop()
            if item["answerable"]:
                pages = {one["path"] for one in gold}
                rest = [s for s in found if not any(finding.same_page(p, s.metadata["file"]) for p in pages)][:8]
                asked.append(Asked("removed", item["id"], item["question"], about, rest, [], False, aside))
    return asked


def asked_of_passages(data: Path) -> list[Asked]:
    """Questions written as people ask, and near misses, each of one passage beside the five likest of the others.

    They are the ones that the reader is not trained on (`training/twins/asked02.jsonl`).
    """
    rows = asked_written(ROOT / "training" / "twins", data, "asked02.jsonl")
    shelf = list(dict.fromkeys(passage for _, passage, _, _ in rows))
    bags = {passage: {w for w in passage.casefold().split() if len(w) > 3} for passage in shelf}
    asked = []
    for question, passage, sentence, miss in rows:
        for text, answerable in ((question, True), (miss, False)):
            own = {w for w in text.casefold().split() if len(w) > 3}
            likest = sorted((p for p in shelf if p != passage), key=lambda p: -len(bags[p] & own))[:5]
            texts = [passage, *likest]
            sources = [Source(str(n), each, "") for n, each in enumerate(texts)]
            at = passage.find(sentence)
            gold = [(0, at, at + len(sentence))] if answerable else []
            asked.append(
                Asked("asked", hashlib.sha1(passage.encode()).hexdigest(), text, "", sources, gold, answerable)
            )
    return asked


def singles(seen: list, most: int) -> list[Asked]:
    """Questions asked of one sentence alone, the one that answers or the next best: a caller's own short texts."""
    asked = []
    for one, found, gold in seen:
        if (
            one.set in ("xquad", "people")
            and one.answerable
            and gold.any()
            and not gold.all()
            and len(asked) < 2 * most
        ):
            best = max(range(len(found)), key=lambda i: (gold[i], found[i][1].get("like", found[i][1]["soft"])))
            other = max(range(len(found)), key=lambda i: (not gold[i], found[i][1].get("like", found[i][1]["soft"])))
            for at, answers in ((best, True), (other, False)):
                text = found[at][0].text
                source = Source("0", text, "")
                asked.append(
                    Asked("single", one.group, one.question, one.about, [source], [(0, 0, len(text))], answers)
                )
    return asked


def stretches(source: Source, gold: list[dict]) -> list[tuple[int, int]]:
    from footnoted.retrieval.relevance import read

    return [
        (sentence.start, sentence.end)
        for one in gold
        if finding.same_page(one["path"], source.metadata["file"])
        for sentence in read(source)
        if sentence.kind != "heading" and finding.overlaps(one["quote"], sentence.text)
    ]


def languages(data: Path, dice: random.Random, each: int) -> list[Asked]:
    folder = data / "questions" / "xquad"
    articles = {
        code: json.loads((folder / f"{code}.json").read_text(encoding="utf-8"))["data"] for code in finding.LANGUAGES
    }
    asked = []
    for code, those in articles.items():
        for number, article in enumerate(those):
            aside = finding.kept_aside(str(number))
            if code != "en" and number % 2:
                continue
            shelf = [Source(f"{number}-{n}", p["context"]) for n, p in enumerate(article["paragraphs"])]
            english = [
                Source(f"{number}-{n}", p["context"]) for n, p in enumerate(articles["en"][number]["paragraphs"])
            ]
            own = [(n, k) for n, p in enumerate(article["paragraphs"]) for k in range(len(p["qas"]))]
            for m, (n, k) in enumerate(dice.sample(own, min(each, len(own)))):
                qa = article["paragraphs"][n]["qas"][k]
                asked.append(Asked("xquad", f"{code}{number}", qa["question"], "", shelf, places(n, qa), True, aside))
                if m % 3 == 0:
                    without = [source for j, source in enumerate(shelf) if j != n]
                    asked.append(Asked("xquad", f"{code}{number}", qa["question"], "", without, [], False, aside))
                if m % 3 == 1 and code != "en":
                    same = articles["en"][number]["paragraphs"][n]["qas"]
                    there = next((one for one in same if one["id"] == qa["id"]), None)
                    if there:
                        asked.append(
                            Asked(
                                "across", f"{code}{number}", qa["question"], "", english, places(n, there), True, aside
                            )
                        )
            other = those[(number + 1) % len(those)]
            strange = [qa for p in other["paragraphs"] for qa in p["qas"]]
            for m, qa in enumerate(dice.sample(strange, min(each // 2, len(strange)))):
                asked.append(Asked("xquad", f"{code}{number}", qa["question"], "", shelf, [], False, aside))
                if m == 0 and code != "en":
                    asked.append(Asked("across", f"{code}{number}", qa["question"], "", english, [], False, aside))
    return asked


def places(n: int, qa: dict) -> list[tuple[int, int, int]]:
    return [(n, one["answer_start"], one["answer_start"] + 1) for one in qa["answers"]]


def papers(data: Path, dice: random.Random, most: dict[str, int]) -> list[Asked]:
    cases = extractive.load(data)
    asked = []
    for name, count in most.items():
        those = [case for case in cases if case.set == name]
        asked += [
            Asked(name, c.group, c.question, "", list(c.sources), list(c.gold), c.answerable, c.fold == 0)
            for c in dice.sample(those, min(count, len(those)))
        ]
    return asked


def wants(data: Path, meaning: Remembered) -> dict[str, np.ndarray]:
    """From a question's vector: does a number answer it, a name? XQuAD's English answers say so for all twelve languages."""
    folder = data / "questions" / "xquad"
    sort: dict[str, tuple[bool, bool]] = {}
    questions, labels = [], []
    for code in finding.LANGUAGES:
        for number, article in enumerate(json.loads((folder / f"{code}.json").read_text(encoding="utf-8"))["data"]):
            if finding.kept_aside(str(number)):
                continue
            for qa in (qa for p in article["paragraphs"] for qa in p["qas"]):
                if code == "en":
                    said = qa["answers"][0]["text"].split()
                    sort[qa["id"]] = (
                        any(c.isdigit() for w in said for c in w),
                        all(w[0].isupper() for w in said if len(w) > 3),
                    )
                if qa["id"] in sort:
                    questions.append(qa["question"])
                    labels.append(sort[qa["id"]])
    vectors = meaning.queries(questions)
    heads = {}
    for column, name in enumerate(("figure", "name")):
        model = LogisticRegression(C=30.0, max_iter=2000, class_weight="balanced").fit(
            vectors, [row[column] for row in labels]
        )
        print(
            f"wants {name}: right on its own {model.score(vectors, [row[column] for row in labels]):.3f} of {len(labels)}"
        )
        heads[name] = np.append(model.coef_[0], model.intercept_).astype(np.float16)
    return heads


def kinds(data: Path, meaning: Remembered) -> dict[str, np.ndarray]:
    """From a question's vector: is it asked of the matter, of the collection, of one whole page, or only polite?"""
    rows = [
        line.split("\t")
        for line in (Path(__file__).parent / "asked_of_collections.tsv").read_text("utf-8").splitlines()
    ]
    matter = [json.loads(line) for line in (data / "questions" / "questions.jsonl").open(encoding="utf-8")]
    rows += [
        ("matter", one["question"])
        for one in matter
        if one["kind"] != "collection" and not finding.kept_aside(one["id"])
    ]
    wordings = sorted((Path(__file__).parent / "policies").glob("*.jsonl"))
    rows += [("matter", json.loads(line)["question"]) for file in wordings for line in file.open(encoding="utf-8")]
    dice = random.Random(5)
    for code in finding.LANGUAGES:
        articles = json.loads((data / "questions" / "xquad" / f"{code}.json").read_text(encoding="utf-8"))["data"]
        questions = [
            qa["question"]
            for n, a in enumerate(articles)
            if not finding.kept_aside(str(n))
            for p in a["paragraphs"]
            for qa in p["qas"]
        ]
        rows += [("matter", question) for question in dice.sample(questions, 60)]
    names = ("matter", "collection", "page", "greeting", "thanks")
    vectors = meaning.queries([text for _, text in rows])
    truth = np.array([names.index(kind) for kind, _ in rows])
    model = LogisticRegression(C=60.0, max_iter=3000, class_weight="balanced")
    halves = np.array([zlib.crc32(text.encode()) % 2 for _, text in rows])
    for side in (0, 1):
        model.fit(vectors[halves == side], truth[halves == side])
        told = model.predict(vectors[halves != side])
        there = truth[halves != side]
        for number, name in enumerate(names):
            mask = there == number
            print(
                f"kind {name}: told {np.mean(told[mask] == number):.2f}, else taken for it {np.mean(told[~mask] == number):.3f}"
            )
    model.fit(vectors, truth)
    return {
        f"kind_{name}": np.append(model.coef_[n], model.intercept_[n]).astype(np.float16)
        for n, name in enumerate(names)
    }


def gold_flags(one: Asked, rows: list) -> np.ndarray:
    return np.array(
        [
            any(
                s.source_index == where and min(s.end, to) - max(s.start, begin) >= min(6, to - begin)
                for where, begin, to in one.gold
            )
            for s, _ in rows
        ],
        dtype=bool,
    )


def fit_order(seen: list) -> dict[str, float]:
    """Logistic regression over sentences: in each question the gold ones together weigh as much as all the others.

    Fitted so, it puts gold first more often than pairs of a gold and another sentence do (46 against 37 of 100 of
    people's questions, cross-validated), and as often as boosted trees.
    """
    used = [x for x in seen if ORDER[x[0].set] and x[2].any() and not x[2].all()]
    names = list(used[0][1][0][1])
    counts = Counter(one.set for one, _, _ in used)
    matrix = np.array([[features[name] for name in names] for _, found, _ in used for _, features in found])
    truth = np.concatenate([gold for _, _, gold in used])
    weights = np.concatenate(
        [
            np.where(gold, 0.5 / gold.sum(), 0.5 / (~gold).sum()) * 1000 * ORDER[one.set] / counts[one.set]
            for one, _, gold in used
        ]
    )
    mean, scale = matrix.mean(axis=0), matrix.std(axis=0) + 1e-6
    model = LogisticRegression(C=ORDER_C, max_iter=3000).fit((matrix - mean) / scale, truth, weights)
    slopes = model.coef_[0] / scale
    return {"": float(model.intercept_[0] - slopes @ mean), **dict(zip(names, slopes.tolist(), strict=True))}


def ranked(found: list, weights: dict[str, float]) -> list[Scored]:
    scored = [
        Scored(
            s.source_index,
            s.start,
            s.end,
            weights[""] + sum(weights.get(n, 0.0) * v for n, v in features.items()),
            features,
            s,
        )
        for s, features in found
    ]
    return sorted(scored, key=lambda one: -one.score)


def fit_answer(seen: list, order: dict[str, float]) -> dict[str, float]:
    held = [answer_features(ranked(found, order)) for _, found, _ in seen]
    names = [name for name in held[0] if name not in NOT_ANSWER]
    matrix = np.array([[each[name] for name in names] for each in held])
    truth = np.array([one.answerable for one, _, _ in seen])
    sets = np.array([one.set for one, _, _ in seen])
    weights = np.zeros(len(seen))
    for name, weight in ANSWER.items():
        for side in (True, False):
            mask = (sets == name) & (truth == side)
            weights[mask] = 500 * weight / max(1, mask.sum())
    mean, scale = matrix.mean(axis=0), matrix.std(axis=0) + 1e-6
    model = LogisticRegression(C=ANSWER_C, max_iter=3000).fit((matrix - mean) / scale, truth, weights)
    slopes = model.coef_[0] / scale
    return {"": float(model.intercept_[0] - slopes @ mean), **dict(zip(names, slopes.tolist(), strict=True))}


def set_at(answer: dict[str, float], order: dict[str, float], seen: list) -> dict[str, float]:
    """The same model with its constant moved: at one half it refuses `REFUSED` of people's questions that have an answer."""
    chances = [row[3] for row in judged([x for x in seen if x[0].set == "people" and x[0].answerable], order, answer)]
    line = float(np.quantile(chances, REFUSED))
    return {**answer, "": answer[""] - float(np.log(line / (1 - line)))}


def judged(seen: list, order: dict, answer: dict) -> list[tuple[str, bool, bool, float]]:
    """Of each question: its set, whether it is answerable, whether the gold sentence comes first, the chance."""
    out = []
    for one, found, _ in seen:
        best = ranked(found, order)
        flags = gold_flags(one, [(each.sentence, None) for each in best[:1]])
        held = answer_features(best)
        odds = answer[""] + sum(answer.get(name, 0.0) * value for name, value in held.items())
        out.append((one.set, one.answerable, bool(flags.any()), 1 / (1 + np.exp(-odds))))
    return out


def table(title: str, rows: list) -> None:
    print(f"\n{title}\n{'set':10} {'n':>5} {'first':>6} {'refused, answerable':>20} {'answered, not':>14} {'AUROC':>6}")
    for name in dict.fromkeys(row[0] for row in rows):
        those = [row for row in rows if row[0] == name]
        yes, no = [r for r in those if r[1]], [r for r in those if not r[1]]
        first = f"{100 * np.mean([r[2] for r in yes]):.1f}" if yes else ""
        refused = f"{100 * np.mean([r[3] < 0.5 for r in yes]):.1f}" if yes else ""
        answered = f"{100 * np.mean([r[3] >= 0.5 for r in no]):.1f}" if no else ""
        area = ""
        if yes and no:
            area = f"{100 * np.mean([(a[3] > b[3]) + 0.5 * (a[3] == b[3]) for a in yes for b in no]):.1f}"
        print(f"{name:10} {len(those):5} {first:>6} {refused:>20} {answered:>14} {area:>6}")


def validated(seen: list) -> list:
    """Every question judged by weights that were fitted without its group."""
    out = []
    for fold in range(4):
        inside = [x for x in seen if zlib.crc32(x[0].group.encode()) // 5 % 4 != fold]
        outside = [x for x in seen if zlib.crc32(x[0].group.encode()) // 5 % 4 == fold]
        order = fit_order(inside)
        out += judged(outside, order, fit_answer(inside, order))
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--data", type=Path, default=Path(os.environ.get("FOOTNOTED_DATA") or ROOT.parent / "shared" / "data")
    )
    parser.add_argument("--kept", type=Path, default=Path("kept"))
    parser.add_argument("--papers", type=float, default=1.0, help="how large a share of the papers' questions")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--read", action="store_true", help="only what the reader's own share is, after another reader")
    parser.add_argument("--english", action="store_true", help="with --read: only what is in English")
    options = parser.parse_args()
    options.kept.mkdir(exist_ok=True)
    meaning = Remembered(options.kept / "vectors.pickle")
    if options.read:
        weights = json.loads((PACKAGE / "weights.json").read_text(encoding="utf-8"))
        asked = [
            *people(options.data),
            *asked_of_passages(options.data),
            *([] if options.english else languages(options.data, random.Random(11), 2)),
        ]
        pairs = (
            (one, measured(one.question, one.sources, about=one.about, likeness=meaning))
            for one in asked
            if one.set in READ and not one.aside
        )
        seen = [(one, found, gold_flags(one, found)) for one, found in pairs if found]
        meaning.save()
        weights |= reading(
            seen, partial(ranked, weights=weights["order_meant"]), weights["answer_meant"], meaning.inner
        )
        print({name: weights[name] for name in weights if "read" in name})
        if options.write:
            write(weights)
        return
    heads = wants(options.data, meaning) | kinds(options.data, meaning)
    meaning.save()
    np.savez(PACKAGE / "wants.npz", **heads)
    sys.modules[measured.__module__]._heads.cache_clear()
    dice = random.Random(11)
    asked = [
        *people(options.data),
        *asked_of_passages(options.data),
        *languages(options.data, dice, 5),
        *papers(options.data, dice, {name: int(count * options.papers) for name, count in PAPERS.items()}),
    ]
    weights: dict[str, dict[str, float]] = {}
    for suffix, likeness in (("_meant", meaning), ("", None)):
        pairs = (
            (one, measured(one.question, one.sources, about=one.about, likeness=likeness))
            for one in asked
            if not one.aside
        )
        seen = [(one, found, gold_flags(one, found)) for one, found in pairs if found]
        alone = (
            (one, measured(one.question, one.sources, about=one.about, likeness=likeness)) for one in singles(seen, 400)
        )
        seen += [(one, found, gold_flags(one, found)) for one, found in alone if found]
        meaning.save()
        (options.kept / f"seen{suffix}.pickle").write_bytes(pickle.dumps(seen))
        table(f"cross-validated{suffix}", validated(seen))
        weights[f"order{suffix}"] = fit_order(seen)
        order = weights[f"order{suffix}"]
        weights[f"answer{suffix}"] = set_at(fit_answer(seen, order), order, seen)
        if likeness is not None:
            weights |= reading(seen, partial(ranked, weights=order), weights[f"answer{suffix}"], meaning.inner)
    if options.write:
        write(weights)


def write(weights: dict[str, dict[str, float]]) -> None:
    rounded = {name: {key: round(value, 4) for key, value in part.items()} for name, part in weights.items()}
    (PACKAGE / "weights.json").write_text(json.dumps(rounded, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
