"""Makes an endless, seeded, mixed stream of (claim, evidence, label) rows from the shared data.

Every batch holds something of everything: inference pairs, natural twins, labelled claims, edits by rule, questions.
Fine-tuning on one after the other costs what was learnt before. A fifth of every set is kept aside by a hash of its
document for the exam, and of twins a tenth of the rest to choose by (`part`); neither comes out of here.
"""

from __future__ import annotations

import gzip
import json
import random
from collections import defaultdict
from dataclasses import dataclass, field, replace
from pathlib import Path

from evidence import Evidence, words
from parts import asked_written, part, twins, twins_written
from style import weights

CONTRADICTED, NEITHER, CARRIED, NOT_CARRIED, QUESTION = (
    0,
    1,
    2,
    3,
    4,
)  # NOT_CARRIED: which of the first two is not known
LABELS = {"contradicted": CONTRADICTED, "neutral": NEITHER, "supported": CARRIED, "unsupported": NOT_CARRIED}

# What share of the rows comes from where; the sets of a group that are not there leave their share to the others.
SHARES = {
    "twins": 0.15, "written": 0.42, "twin_pairs": 0.015,
    "wiki_nli_protocols": 0.085, "mnli": 0.065, "snli": 0.015, "snli_cad": 0.02, "sad_wiki": 0.025, "fever_rte": 0.03,
    "fever_symmetric": 0.008, "negation_nli": 0.01, "condaqa_yesno": 0.03, "drop_nli": 0.02, "wiki_split": 0.05,
    "onestop": 0.008, "scifact": 0.006, "med": 0.004, "tabfact_pairs": 0.008, "entailment_bank": 0.004,
    "summedits": 0.03, "bump": 0.015, "fool_me_twice": 0.03, "wice": 0.012, "wice_spans": 0.012, "begin_wow": 0.015,
    "mtrag": 0.006, "edits": 0.025,
    "squad2": 0.05, "clapnq": 0.008, "xquad": 0.05, "covid_qa": 0.01, "asked": 0.12, "policies": 0.03,
}  # fmt: skip

MOST_WEIGHT = 2.5


def aside(text: str) -> bool:
    """Whether what belongs to this text is kept for the exam."""
    return part(text) == "exam"


@dataclass(slots=True)
class Row:
    """``label`` is one of the five; for a QUESTION ``answers`` says whether the evidence answers it. ``wrong`` are the
    spans of the claim (code points) that are known not to be carried, None where that is not known."""

    claim: str
    sources: list[str] | Evidence
    label: int
    answers: bool = False
    wrong: list[tuple[int, int]] | None = None
    answer: str = ""  # of a QUESTION, the words of its one source that answer
    gold: list[tuple[int, int]] | None = None  # where the sentence with them stands in the evidence that is read
    kind: str = ""
    weight: float = 1.0  # how often it is drawn
    twin: Row | None = None  # the false sentence about the same matter; both are read in one batch, over one evidence


@dataclass
class Stream:
    """Rows drawn by `SHARES`, each set shuffled anew when it is through; ``drawn`` goes into a checkpoint."""

    sets: dict[str, list[Row]]
    seed: int = 0
    drawn: dict[str, int] = field(default_factory=lambda: defaultdict(int))

    def pool(self, number: int, size: int) -> list[list[tuple[str, str, Row]]]:
        """So many (claim, evidence, row), twins together; the same for the same number, seed and cursors."""
        dice = random.Random(f"{self.seed} {number}")
        names = [n for n in SHARES if self.sets.get(n)]
        weights = [SHARES[n] / (2 if self.sets[n][0].twin else 1) for n in names]  # twins come by two
        drawn: list[list[tuple[str, str, Row]]] = []
        while sum(map(len, drawn)) < size:
            name = dice.choices(names, weights)[0]
            row = self._next(name)
            if dice.random() < row.weight / MOST_WEIGHT:
                drawn.append(self._dressed(row, self.sets[name], dice))
        return drawn

    def _next(self, name: str) -> Row:
        rows, count = self.sets[name], self.drawn[name]
        self.drawn[name] = count + 1
        turn, at = divmod(count, len(rows))
        if at == 0 or name not in self._orders or self._orders[name][0] != turn:
            order = list(range(len(rows)))
            random.Random(f"{self.seed} {name} {turn}").shuffle(order)
            self._orders[name] = (turn, order)
        return rows[self._orders[name][1][at]]

    _orders: dict[str, tuple[int, list[int]]] = field(default_factory=dict)

    def _dressed(self, row: Row, others: list[Row], dice: random.Random) -> list[tuple[str, str, Row]]:
        unit = [row, row.twin] if row.twin else [row]
        asked = " ".join(one.claim for one in unit)
        own = row.sources if isinstance(row.sources, Evidence) else Evidence(row.sources)
        if row.label != QUESTION and dice.random() < 0.03:  # nothing about it: neither
            other = dice.choice(others).sources
            other = other if isinstance(other, Evidence) else Evidence(other)
            if other.sentences and own.sentences and other.sentences[0] != own.sentences[0]:
                text = other.best(asked, budget=120)
                return [(one.claim, text, Row(one.claim, other, NEITHER)) for one in unit]
        if row.label == QUESTION:
            at = own.holding(row.answer) if row.answer else None
            if at is not None and len(own.sentences) > 2 and dice.random() < 0.6:
                return self._picked(row, own, at, dice)
            return [self._asked(row, own, others, dice)]
        budget = dice.choice((30, 50, 80, 110))
        text = own.best(asked, budget=budget)
        if own.length < 60 and dice.random() < 0.35:  # something else beside it changes nothing
            other = dice.choice(others).sources
            more = (other if isinstance(other, Evidence) else Evidence(other)).best(asked, budget=50, most=1)
            if more != text:
                text = dice.choice((f"{more} … {text}", f"{text} … {more}", f"{more}\n{text}"))
        return [(one.claim, text, one) for one in unit]

    def _picked(self, row: Row, own: Evidence, at: int, dice: random.Random) -> list[tuple[str, str, Row]]:
        """A question beside the one sentence that answers, and beside another of its source that does not."""
        asked = words(row.claim)
        away = [i for i in range(len(own.sentences)) if i != at and row.answer not in own.sentences[i][1]]
        if dice.random() < 0.6:
            away.sort(key=lambda i: -sum(own.worth[w] for w in asked & own.words[i]))
            away = away[:2]
        first = own.sentences[0][1]
        heading = f"{first.lstrip('# ')}\n" if len(first.split()) < 12 and dice.random() < 0.6 else ""
        unit = []
        for place, answers in ((at, True), (dice.choice(away) if away else at, False)):
            if place == at and not answers:
                break
            lead = heading if place else ""
            if place > 1 and dice.random() < 0.2:
                lead += f"{own.sentences[place - 1][1]} " if place - 1 != at else ""
            said = own.sentences[place][1]
            gold = [(len(lead), len(lead) + len(said))] if answers else None
            unit.append((row.claim, lead + said, replace(row, answers=answers, gold=gold)))
        return unit

    def _asked(self, row: Row, own: Evidence, others: list[Row], dice: random.Random) -> tuple[str, str, Row]:
        """A question beside a stretch of its source, the answering sentence anywhere in it."""
        budget = dice.choice((30, 60, 90, 120))
        at = own.holding(row.answer) if row.answer else None
        if at is None:
            return row.claim, own.best(row.claim, budget=120), row
        first, last = own.around(at, budget, dice)
        parts = [s for _, s in own.sentences[first:last]]
        before, after = parts[: at - first], parts[at - first + 1 :]
        if dice.random() < 0.3:  # beside something else
            other = dice.choice(others).sources
            other = other if isinstance(other, Evidence) else Evidence(other)
            if own.holding(row.answer) is not None and other.holding(row.answer) is None:
                more = other.best(row.claim, budget=60, most=2)
                before, after = ([more, *before], after) if dice.random() < 0.5 else (before, [*after, more])
        lead = "".join(f"{one}{dice.choice((' ', ' ', chr(10)))}" for one in before)
        text = lead + parts[at - first] + "".join(f" {one}" for one in after)
        gold = [(len(lead), len(lead) + len(parts[at - first]))]
        return row.claim, text, replace(row, gold=gold)


def gather(data: Path, written: Path | None, *, english: bool = False) -> dict[str, list[Row]]:
    """All sets, without what is kept aside. ``written`` is a folder of further twins; ``english``: nothing else."""
    sets: dict[str, list[Row]] = {}

    def taught(rows: list[dict]) -> list[dict]:
        return [
            r
            for r in rows
            if part(r["passage"]) == "taught"
            and not (english and {r.get("lang", "en"), r.get("source_lang", "en")} != {"en"})
        ]

    every = taught([*twins(data), *twins_written(written, data)])
    heavy = weights(every)
    for name, found in (("twins", twins(data)), ("written", twins_written(written, data))):
        rows = taught(found)
        by: dict[str, dict[int, dict]] = defaultdict(dict)
        for r in rows:
            by[r["pair"]][r["label"]] = r
        for both in by.values():
            if len(both) < 2:
                continue
            true, false = both[1], both[0]
            twin = Row(false["claim"], [false["passage"]], _false(false), kind=false["kind"])
            weight = heavy[true["pair"]]
            row = Row(true["claim"], [true["passage"]], CARRIED, kind=true["kind"], weight=weight, twin=twin)
            sets.setdefault(name, []).append(row)
            if true.get("lang") == false.get("lang"):
                sets.setdefault("twin_pairs", []).append(Row(false["claim"], [true["claim"]], _false(false)))
                sets["twin_pairs"].append(Row(true["claim"], [true["claim"]], CARRIED))
    sets |= _pairs(data)
    sets |= _labelled(data)
    sets |= _questions(data, written, english)
    return {name: rows for name, rows in sets.items() if rows}


def _false(row: dict) -> int:
    return {"contradicted": CONTRADICTED, "not_carried": NEITHER}.get(row.get("fault", ""), NOT_CARRIED)


def _pairs(data: Path) -> dict[str, list[Row]]:
    dice = random.Random(3)
    found: dict[str, list[Row]] = defaultdict(list)
    for file in sorted((data / "training").glob("*.jsonl.gz")):
        name = file.name.removesuffix(".jsonl.gz")
        for line in gzip.open(file, "rt", encoding="utf-8"):
            r = json.loads(line)
            if not aside(r["premise"]):
                found[name].append(Row(r["claim"], [r["premise"]], LABELS[r["label"]], kind=r["label"]))
    refuted, made, split = (found.pop(n, []) for n in ("wiki_refuted", "wiki_split_neg_synth", "wiki_split_pos"))
    for rows in (refuted, made, split):
        dice.shuffle(rows)
    found["wiki_split"] = refuted[:9000] + made[:5000] + split[:14000]
    return found


def _labelled(data: Path) -> dict[str, list[Row]]:
    from claims_data import records
    from edits import edited

    found: dict[str, list[Row]] = defaultdict(list)
    dice = random.Random(4)
    kept: dict[tuple[str, ...], Evidence] = {}
    for record in records(data):
        if record.fold == 0:
            continue
        texts = tuple(s.text for s in record.sources)
        own = kept.setdefault(texts, Evidence(list(texts)))
        for n, (sentence, label) in enumerate(zip(record.sentences, record.labels, strict=True)):
            if label is not None and len(sentence.split()) > 2:
                wrong = record.wrong[n]
                found[record.set].append(
                    Row(sentence, own, CARRIED if label else NOT_CARRIED, wrong=wrong, kind=record.kind)
                )
        if record.set in ("summedits", "bump", "fool_me_twice", "mtrag"):
            for sentence in dice.sample([s for _, s in own.sentences if 8 < len(s.split()) < 40] or [""], 1):
                for edit in edited(sentence, own.best(sentence, budget=100), dice, most=1) if sentence else []:
                    found["edits"].append(
                        Row(edit.text, own, NOT_CARRIED, wrong=[(edit.start, edit.end)], kind=edit.kind)
                    )
                    found["edits"].append(Row(sentence, own, CARRIED, wrong=[]))
    for name, rows in found.items():  # either label as often
        by = defaultdict(list)
        for row in rows:
            by[row.label].append(row)
        most = max(len(those) for those in by.values())
        found[name] = [row for those in by.values() for row in those * min(3, max(1, round(most / len(those))))]
    return found


def _questions(data: Path, written: Path | None, english_only: bool) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    dice = random.Random(5)
    for name in ("squad2", "clapnq"):
        rows = list(map(json.loads, (data / "answering" / f"{name}.jsonl").open(encoding="utf-8")))
        by: dict[str, list[str]] = defaultdict(list)
        for r in rows:
            by[r.get("article", "")].extend(
                p["text"] for p in r["passages"] if p["text"] not in by[r.get("article", "")]
            )
        for r in rows:
            if aside(r.get("article", r["id"])):
                continue
            answer = _answer(r) if r["answerable"] else ""
            found[name].append(
                Row(r["question"], [p["text"] for p in r["passages"]], QUESTION, answers=r["answerable"], answer=answer)
            )
            away = [t for t in by[r.get("article", "")] if t != r["passages"][0]["text"]]
            if r["answerable"] and name == "squad2" and away and not any(a in t for a in r["answers"] for t in away):
                near = max(dice.sample(away, min(8, len(away))), key=lambda t: len(_words(t) & _words(r["question"])))
                found[name].append(Row(r["question"], [near], QUESTION, answers=False))
    articles = {
        r["article"]: r["text"]
        for r in map(json.loads, (data / "answering" / "covid_articles.jsonl").open(encoding="utf-8"))
    }
    for line in (data / "answering" / "covid_qa.jsonl").open(encoding="utf-8"):
        r = json.loads(line)
        if aside(r["article"]) or not r["answer_starts"]:
            continue
        text, at = articles[r["article"]], r["answer_starts"][0]
        near = text[max(0, at - 700) : at + 700].partition(" ")[2]
        answer = r["answers"][0].strip()
        found["covid_qa"].append(Row(r["question"], [near], QUESTION, answers=True, answer=answer))
        away = dice.randrange(max(1, len(text) - 900))
        if abs(away - at) > 1800:
            found["covid_qa"].append(Row(r["question"], [text[away : away + 800]], QUESTION, answers=False))
    read: dict[str, list] = {}
    for file in sorted((data / "questions" / "xquad").glob("en.json" if english_only else "*.json")):
        read[file.stem] = json.loads(file.read_text(encoding="utf-8"))["data"]
    english = read.get("en", [])
    for n, article in enumerate(english):
        if aside(article["paragraphs"][0]["context"]):
            continue
        for m, paragraph in enumerate(article["paragraphs"]):
            for k in range(len(paragraph["qas"])):
                for _ in range(3):
                    asked, told = dice.choice([*read]), dice.choice([*read])
                    told = asked if dice.random() < 0.6 else told
                    question = read[asked][n]["paragraphs"][m]["qas"][k]["question"]
                    there = read[told][n]["paragraphs"][m]
                    answer = there["qas"][k]["answers"][0]
                    place = there["context"][max(0, answer["answer_start"] - 1) :][: len(answer["text"]) + 12]
                    answer = place.strip() if len(answer["text"]) < 8 else answer["text"]
                    found["xquad"].append(Row(question, [there["context"]], QUESTION, answers=True, answer=answer))
                other = dice.choice([i for i in range(len(article["paragraphs"])) if i != m] or [m])
                if other != m:
                    found["xquad"].append(
                        Row(question, [read[told][n]["paragraphs"][other]["context"]], QUESTION, answers=False)
                    )
    for question, passage, sentence, miss in asked_written(written, data, "asked0[013-9].jsonl"):
        if part(passage) == "taught":
            found["asked"].append(Row(question, [passage], QUESTION, answers=True, answer=sentence))
            found["asked"].append(Row(miss, [passage], QUESTION, answers=False))
    for line in (one for file in sorted(written.glob("asked_policies*.jsonl")) for one in file.open(encoding="utf-8")):
        r = json.loads(line)
        if (
            part(r["gold"]) == "taught"
        ):  # a clause that decides, one that only speaks of the matter, a question beside it
            found["policies"].append(Row(r["question"], [r["gold"]], QUESTION, answers=True))
            found["policies"].append(Row(r["question"], [r["near"]], QUESTION, answers=False))
            found["policies"].append(Row(r["miss"], [r["gold"]], QUESTION, answers=False))
    return found


def _answer(r: dict) -> str:
    """The words of the passage that answer, with what stands around a short one, so that they stand there once."""
    if "evidence" in r:
        return r["evidence"][0] if r["evidence"] else ""
    text, at, answer = r["passages"][0]["text"], r["answer_starts"][0], r["answers"][0]
    return text[at : at + len(answer) + 12] if len(answer) < 8 else answer


def _words(text: str) -> set[str]:
    return {w for w in text.casefold().split() if len(w) > 3}


def main() -> None:
    """Prints how many rows a set has, and a few of them."""
    import sys

    sets = gather(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None)
    for name, rows in sets.items():
        counts = defaultdict(int)
        for row in rows:
            counts[row.label, row.answers] += 1
        print(f"{name:20} {len(rows):7} {dict(counts)}")
    for claim, evidence, row in (one for unit in Stream(sets).pool(0, 12) for one in unit):
        print("---", row.label, row.kind, "|", claim, "|", evidence[:300])


if __name__ == "__main__":
    main()
