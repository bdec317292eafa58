"""Fits what the community responder decides by without a model, and writes it to its ``fitted.json``.

python training/fit_threads.py              on all communities
python training/fit_threads.py --held DIR   for each community one without it, to be measured there: DIR/<held>.json

Four logistic regressions: the speech act of a text from the encoder's vector, whom a thread's latest message is for
from those acts and the thread's shape, whether a passage answers from its likeness, and whether the best
one is good enough to be posted. They read ``training/community``,
the shared threads and questions (all but a fifth, by hash), and the single messages beside it; not ``written.jsonl``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import sys
import zlib
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))

from community import LABELLED, indexed  # noqa: E402

from footnoted.assistants.community import Conversation, KnowledgeBase  # noqa: E402
from footnoted.assistants.community.fitted import ACTS, Fitted, gate_features  # noqa: E402
from footnoted.assistants.community.labelled import Labelled, _flat, read_labelled  # noqa: E402
from footnoted.assistants.community.matching import Match, matches, read_closely, reply_features  # noqa: E402
from footnoted.assistants.community.thread import read_thread  # noqa: E402
from footnoted.assistants.community.unaided import quoted  # noqa: E402
from footnoted.models import Embedder  # noqa: E402
from footnoted.retrieval.relevance import ShippedMeaning  # noqa: E402

DATA = Path(os.environ.get("FOOTNOTED_DATA") or ROOT.parent / "shared" / "data")
SINGLES = ROOT / "training" / "community" / "messages.jsonl"
THREADS = ROOT / "training" / "community" / "threads.jsonl"
TAUGHT = (*LABELLED, "prowler")
OUT = ROOT / "src" / "footnoted" / "assistants" / "community" / "fitted.json"
# What the kinds of the labelled threads and messages are as speech acts; the rest follows from should_reply.
KINDS = {
    "near-miss": "ask", "other-framework": "ask", "off-topic": "ask", "addressed-to-a-member": "person",
    "solved-already": "done", "thanks": "done", "injection": "attack",
    "answered": "ask", "several": "ask", "code": "ask", "not_in_docs": "ask", "off_topic": "ask", "own_code": "ask",
    "language": "ask", "to_people": "person",
}  # fmt: skip
ONCE = {"language"}  # kinds of whose messages some ask and some do not


def logistic(rows: np.ndarray, labels: np.ndarray, weight: np.ndarray, pull: float) -> np.ndarray:
    """Weights and the constant, last, by Newton's method with an L2 pull on standardised values."""
    mean, spread = rows.mean(0), rows.std(0) + 1e-6
    values = np.c_[(rows - mean) / spread, np.ones(len(rows))]
    ridge = np.eye(values.shape[1]) * pull
    ridge[-1, -1] = 1e-6
    found = np.zeros(values.shape[1])
    for _ in range(40):
        guess = 1 / (1 + np.exp(-np.clip(values @ found, -30, 30)))
        slope = values.T @ (weight * (guess - labels)) + ridge @ found
        bend = (values * (weight * guess * (1 - guess))[:, None]).T @ values + ridge
        found -= np.linalg.solve(bend, slope)
    return np.r_[found[:-1] / spread, found[-1] - (found[:-1] * mean / spread).sum()]


def fit_acts(vectors: np.ndarray, acts: list[str]) -> np.ndarray:
    """(384 + 1, 5): one regression an act against the rest, in a space where vectors differ."""
    mean = vectors.mean(0)
    rows = (vectors - mean) * 10
    table = np.zeros((vectors.shape[1] + 1, len(ACTS)))
    for column, act in enumerate(ACTS):
        labels = np.array([one == act for one in acts], float)
        share = labels.mean()
        weight = np.where(labels == 1, 0.5 / share, 0.5 / (1 - share)) ** 0.5
        values = np.c_[rows, np.ones(len(rows))]
        ridge = np.eye(values.shape[1]) * 4.0
        ridge[-1, -1] = 1e-6
        found = np.zeros(values.shape[1])
        for _ in range(15):
            guess = 1 / (1 + np.exp(-np.clip(values @ found, -30, 30)))
            slope = values.T @ (weight * (guess - labels)) + ridge @ found
            found -= np.linalg.solve((values * (weight * guess * (1 - guess))[:, None]).T @ values + ridge, slope)
        table[:-1, column] = found[:-1] * 10
        table[-1, column] = found[-1] - found[:-1] @ mean * 10
    return table


def kept(id_: str) -> bool:
    return zlib.crc32(id_.encode()) % 5 != 0


def act_of(one: Labelled) -> str:
    return KINDS.get(one.record["kind"]) or ("ask" if one.should_reply else "tell")


def made(rng: random.Random, acts: list[tuple[str, str]]) -> list[tuple[str, Conversation]]:
    """Threads put together from single messages: who replies to whom in all the ways there are."""
    by = {act: [text for kind, text in acts if kind == act] for act in ACTS}

    def pick(act: str) -> str:
        return rng.choice(by[act])

    found: list[tuple[str, Conversation]] = []
    for act, text in acts:
        name = rng.choice(("ann", "bo", "cleo"))
        alone: list[dict[str, Any]] = [{"author": "x", "text": text}]
        earlier = {"author": name, "text": pick("tell")}
        asked = {"author": "x", "text": pick("ask")}
        by_bot = {"author": "docs-bot", "text": pick("tell"), "reply_to": 0}
        by_member = {"author": name, "text": pick("tell"), "reply_to": 0}
        to_bot, to_member = {**alone[0], "reply_to": 1}, {**alone[0], "reply_to": 0}
        if act == "person":
            found += [(act, [earlier, to_member]), (act, [asked, by_member, to_bot])]
            if "@" in text:
                found.append((act, alone))
        elif act == "done":
            found += [
                (act, alone),
                (act, [asked, by_member, alone[0]]),
                (act, [asked, by_bot, to_bot]),
                (act, [asked, alone[0]]),
            ]
        elif act == "ask":
            found += [(act, alone), (act, [asked, by_bot, to_bot]), ("person", [asked, by_member, to_bot])]
            found += [(act, [{"author": "x", "text": pick("tell")}, alone[0]]), (act, [earlier, alone[0]])]
            found.append(("person", [earlier, {**alone[0], "text": f"@{name} {text}", "reply_to": 0}]))
        else:
            found += [(act, alone), (act, [asked, {**alone[0], "author": name}])]
    return [(act, Conversation(thread, bot="docs-bot")) for act, thread in found]


def fit_gate(table: np.ndarray, threads: list[tuple[bool, float, Conversation]]) -> dict[str, float]:
    """Whether the latest message asks something of everybody."""
    reader = Fitted(acts=tuple(map(tuple, table)), gate={}, match={}, reply={})
    read = [read_thread(talk) for _, _, talk in threads]
    texts = list(dict.fromkeys(text for one in read for text in one.acts))
    acts = dict(zip(texts, map(reader.act_of, Embedder.load().queries(texts)), strict=True))
    rows = [gate_features(one.shape, [acts[text] for text in one.acts]) for one in read]
    return _named(rows, [label for label, _, _ in threads], [weight for _, weight, _ in threads], 3.0)


def _named(rows: list[dict[str, float]], labels: list[bool], weights: list[float], pull: float) -> dict[str, float]:
    names = list(rows[0])
    values = np.array([[row[name] for name in names] for row in rows])
    found = logistic(values, np.array(labels, float), np.array(weights), pull)
    guess = 1 / (1 + np.exp(-(values @ found[:-1] + found[-1])))
    print(f"  {len(rows)} rows, {sum(labels)} of them yes; right {np.mean((guess > 0.5) == np.array(labels)):.1%}")
    return {"": round(float(found[-1]), 4)} | {n: round(float(w), 4) for n, w in zip(names, found, strict=False)}


Asked = tuple[str, list[tuple[Match, bool]]]


def pairs(community: str, index: Path, threads: list[Labelled]) -> list[Asked]:
    """Each question, the passages near it, and whether each answers."""
    asked: list[tuple[str, Any]] = [
        (read_thread(one.talk).question, partial(_told_on_page, one))
        for one in threads
        if one.record["community"] == community and act_of(one) == "ask"
    ]
    for item in map(json.loads, (DATA / "questions" / "questions.jsonl").read_text("utf-8").splitlines()):
        if item["corpus"] == community and kept(item["id"]) and "history" not in item and item["kind"] != "collection":
            gold = [
                (place["path"], _flat(place["quote"])) for place in [*item.get("gold", ()), *(item.get("alt") or ())]
            ]
            asked.append(
                (item["question"], lambda p, gold=gold: any(_page(p) == a and b in _flat(p.text) for a, b in gold))
            )
    if community == "python-discord":
        old = SINGLES.read_text("utf-8").splitlines()
        singles = [m for m in map(json.loads, old) if KINDS.get(m["kind"]) == "ask" and m["kind"] not in ONCE]
        asked += [(one["text"], partial(_answers, one)) for one in singles if one["split"] == "dev"]
    knowledge = KnowledgeBase.open(index)
    asyncio.run(knowledge.read_ahead())
    near = {"": 0.0, "alike": 1.0, "words": 3.0}
    found = [(question, answers, knowledge.matches(question, near)[:16]) for question, answers in asked]
    return [
        (question, [(one, bool(answers(one.passage))) for one in some]) for question, answers, some in found if some
    ]


def fit_reply(match: dict[str, float], asked: list[Asked]) -> dict[str, float]:
    """Whether what would be quoted answers, a row a question."""
    rows, labels = [], []
    for question, some in asked:
        near = matches(question, match, [one.passage for one, _ in some], [one.features for one, _ in some])
        found = read_closely(question, near, ShippedMeaning())
        answering = {one.passage.id for one, label in some if label}
        rows.append(reply_features(found))
        labels.append(any(one.passage.id in answering for one in quoted(found.matches)))
    return _named(rows, labels, [1.0] * len(rows), 4.0)


def _page(passage: Any) -> str:
    return str(passage.metadata["source_id"])


def _told_on_page(one: Labelled, passage: Any) -> bool:
    return _page(passage) in one.pages and one.told(passage.text)


def _answers(item: dict[str, Any], passage: Any) -> bool:
    if not item["reply"] or _page(passage).rsplit("/", 1)[-1] not in item["sources"]:
        return False
    return any(words.casefold() in passage.text.casefold() for words in item["says"])


def fit(taught: list[str], out: Path) -> None:
    """All three regressions from what some communities teach."""
    lines = (Path(__file__).with_name("community") / "acts.txt").read_text("utf-8").splitlines()
    acts = [(act, text) for act, text in (line.split("\t") for line in lines if not line.startswith("#"))]
    threads = [one for one in read_labelled(DATA / "community" / "messages.jsonl") if kept(one.id)]
    threads = [one for one in (*threads, *read_labelled(THREADS)) if one.record["community"] in taught]
    singles: list[tuple[str, str]] = []
    if "python-discord" in taught:
        old = SINGLES.read_text("utf-8").splitlines()
        singles = [(KINDS.get(m["kind"], "tell"), m["text"]) for m in map(json.loads, old) if m["kind"] not in ONCE]
    teach = [*acts, *singles, *((act_of(one), read_thread(one.talk).acts[0]) for one in threads)]
    table = np.round(fit_acts(Embedder.load().queries([text for _, text in teach]), [act for act, _ in teach]), 3)
    print(f"speech acts: {len(teach)} texts", flush=True)
    rows = [(act == "ask", 0.5, talk) for act, talk in made(random.Random(7), acts)]
    rows += [(act == "ask", 0.5, Conversation(text)) for act, text in singles]
    rows += [(act_of(one) == "ask", 2.0, one.talk) for one in threads]
    gate = fit_gate(table, rows)
    asked = [some for one in taught for some in pairs(one, asyncio.run(indexed(one)), threads)]
    told = [pair for _, some in asked for pair in some]
    match = _named([one.features for one, _ in told], [label for _, label in told], [1.0] * len(told), 1.0)
    reply = fit_reply(match, asked)
    fitted = {"acts": table.tolist(), "gate": gate, "match": match, "reply": reply}
    out.write_text(json.dumps(fitted) + "\n", "utf-8")
    print(f"{out.name}: gate {gate}\nmatch {match}\nreply {reply}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--held", type=Path, help="a folder; for each community, what the others teach")
    given = parser.parse_args()
    if given.held is None:
        fit(list(TAUGHT), OUT)
        return
    given.held.mkdir(parents=True, exist_ok=True)
    for held in TAUGHT:
        fit([one for one in TAUGHT if one != held], given.held / f"{held}.json")


if __name__ == "__main__":
    main()
