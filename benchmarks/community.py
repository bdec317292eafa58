"""Labelled messages of a community in; how often the responder without a model is right, and how many it answers, out.

python benchmarks/community.py                    precision and recall, development and both held-out parts apart
python benchmarks/community.py --curve FILE.svg   the two over the gate's threshold, drawn
python benchmarks/community.py --fit              fit the weights again on the development messages
python benchmarks/community.py --load 200         so many messages at once: time and memory
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from _table import heading, versions

from footnoted.assistants.community import AIClient, Conversation, RequestContext
from footnoted.assistants.community.indexing import build_index
from footnoted.assistants.community.matching import measured
from footnoted.assistants.community.speech import questions, tells_something

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("FOOTNOTED_DATA") or ROOT.parent / "shared" / "data")
MESSAGES = ROOT / "tests" / "assistants" / "community" / "messages.jsonl"
WEIGHTS = ROOT / "src" / "footnoted" / "assistants" / "community" / "weights.json"
GOALS = {"precision": 0.95, "recall": 0.60}
# "held_out" was measured, then looked at; "second" was written after that, before anything was changed again.
SPLITS = ("dev", "held_out", "second")
_PULL = 3.0  # L2


def read_messages(splits: tuple[str, ...] = SPLITS) -> list[dict]:
    every = (json.loads(line) for line in MESSAGES.read_text("utf-8").splitlines())
    return [one for one in every if one["split"] in splits]


async def indexed(folder: Path) -> Path:
    """The index of the shared docs and tags, built anew."""
    out = folder / "index.md"
    async with AIClient() as client:
        await build_index(
            [DATA / "python-discord-docs" / "docs", DATA / "python-discord-tags" / "tags"],
            [],
            out,
            summarise=lambda id_, text: client.summarize_for_kb_index(id_, text, 60),
        )
    return out


def right(message: dict, result) -> bool:
    """A reply is right when one was wanted, cites a source that answers, and says what the answer is known by."""
    if not message["reply"] or not result.should_reply:
        return False
    cited = {one.source_id.rsplit("/", 1)[-1] for one in result.citations}
    said = result.reply_text.casefold()
    return bool(cited & set(message["sources"])) and any(words.casefold() in said for words in message["says"])


async def answered(index: Path, certainty: float, messages: list[dict]) -> list:
    async with AIClient({"ai": {"certainty": certainty}}, knowledge=index) as client:
        await client.prepare()
        return [
            (await client.generate_reply(Conversation(one["text"]), RequestContext("trial", "c", None, one["id"])))
            for one in messages
        ]


def figures(messages: list[dict], results: list) -> dict[str, tuple[int, int, int]]:
    """Per split: replies, right ones, messages that want one."""
    found = {}
    for split in SPLITS:
        rows = [(m, r) for m, r in zip(messages, results, strict=True) if m["split"] == split]
        replies = sum(r.should_reply for _, r in rows)
        if not rows:
            continue
        found[split] = (replies, sum(right(m, r) for m, r in rows), sum(m["reply"] for m, _ in rows))
    return found


def told(name: str, replies: int, ok: int, wanted: int) -> str:
    precision, recall = ok / max(1, replies), ok / max(1, wanted)
    return (
        f"{name:10} replies {replies:3}   right {ok:3}   precision {precision:6.1%}   recall {recall:6.1%} of {wanted}"
    )


async def measure(index: Path, splits: tuple[str, ...], *, verbose: bool) -> bool:
    messages = read_messages(splits)
    default = AIClient().config.ai.certainty
    results = await answered(index, default, messages)
    met = True
    print(f"certainty {default}, {len(messages)} messages")
    for split, (replies, ok, wanted) in figures(messages, results).items():
        print(told(split, replies, ok, wanted))
        if split == SPLITS[-1]:
            met = ok / max(1, replies) >= GOALS["precision"] and ok / wanted >= GOALS["recall"]
    kinds = sorted({m["kind"] for m in messages})
    for kind in kinds:
        rows = [(m, r) for m, r in zip(messages, results, strict=True) if m["kind"] == kind]
        replies, ok = sum(r.should_reply for _, r in rows), sum(right(m, r) for m, r in rows)
        print(f"  {kind:12} {len(rows):3} messages   replies {replies:3}   right {ok:3}")
    if verbose:
        for message, result in zip(messages, results, strict=True):
            if (result.should_reply or message["reply"]) and not right(message, result):
                print("\n==", message["id"], repr(message["text"][:100]), result.debug.get("stopped"))
                print("  ", result.debug["gate"]["reason"], "|", (result.reply_text or "")[:400].replace("\n", " / "))
    return met


async def curve(index: Path, out: Path) -> None:
    """Every message answered at any certainty; then what each threshold would have let out."""
    messages = read_messages()
    results = await answered(index, 0.0, messages)
    async with AIClient(knowledge=index) as client:
        chances = []
        for message, result in zip(messages, results, strict=True):
            gate = result.debug.get("gate", {})
            asked = gate.get("rewrite_query") or message["text"]
            found = client.knowledge.matches(asked) if gate.get("is_answerable") else []
            chances.append(found[0].chance if found else 0.0)
    points: dict[str, list[tuple[float, float, float]]] = {split: [] for split in SPLITS}
    for split in SPLITS:
        rows = [
            (c, r.should_reply, right(m, r), m["reply"])
            for m, r, c in zip(messages, results, chances, strict=True)
            if m["split"] == split
        ]
        wanted = sum(row[3] for row in rows)
        for threshold in np.linspace(0.05, 0.9, 35):
            let_out = [row for row in rows if row[1] and row[0] >= threshold]
            ok = sum(row[2] for row in let_out)
            points[split].append((float(threshold), ok / max(1, len(let_out)), ok / wanted))
    for split in SPLITS:
        print(split, " ".join(f"{t:.2f}:{p:.0%}/{r:.0%}" for t, p, r in points[split]))
    await asyncio.to_thread(out.write_text, drawn(points, AIClient().config.ai.certainty), "utf-8")


def drawn(points: dict[str, list[tuple[float, float, float]]], default: float) -> str:
    """Precision and recall over the threshold, the last held-out part in full lines, development in thin ones."""
    wide, high, left, top = 720, 380, 60, 30
    across, down = 480, 290

    def place(x: float, y: float) -> str:
        return f"{left + x * across:.1f},{top + (1 - y) * down:.1f}"

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" font-family="sans-serif" font-size="13">',
        "<title>Precision and recall of replies over the gate's threshold</title>",
        f'<rect width="{wide}" height="{high}" fill="#ffffff"/>',
    ]
    for tick in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0):
        x, y = left + tick * across, top + (1 - tick) * down
        lines.append(f'<path d="M{left} {y:.1f}H{left + across}" stroke="#e3e3e3"/>')
        lines.append(f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end" fill="#444">{tick:.0%}</text>')
        lines.append(f'<text x="{x:.1f}" y="{top + down + 20}" text-anchor="middle" fill="#444">{tick:.1f}</text>')
    x = left + default * across
    lines.append(f'<path d="M{x:.1f} {top}V{top + down}" stroke="#888" stroke-dasharray="4 4"/>')
    lines.append(f'<text x="{x:.1f}" y="{top - 8}" text-anchor="middle" fill="#444">default {default:g}</text>')
    for split, width, opacity in (("dev", 1.2, 0.55), (SPLITS[-1], 2.6, 1.0)):
        for column, colour in ((1, "#0b6e4f"), (2, "#b3541e")):
            path = " ".join(place(point[0], point[column]) for point in points[split])
            lines.append(
                f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}" opacity="{opacity}"/>'
            )
    for row, (name, colour, width, opacity) in enumerate(
        (
            ("precision, held out", "#0b6e4f", 2.6, 1.0),
            ("recall, held out", "#b3541e", 2.6, 1.0),
            ("precision, development", "#0b6e4f", 1.2, 0.55),
            ("recall, development", "#b3541e", 1.2, 0.55),
        )
    ):
        y = top + 20 + 24 * row
        lines.append(
            f'<path d="M{left + across + 15} {y}h24" stroke="{colour}" stroke-width="{width}" opacity="{opacity}"/>'
        )
        lines.append(f'<text x="{left + across + 45}" y="{y + 4}" fill="#222">{name}</text>')
    lines.append(
        f'<text x="{left + across / 2}" y="{top + down + 44}" text-anchor="middle" fill="#222">ai.certainty</text>'
    )
    return "\n".join([*lines, "</svg>", ""])


def fit(index: Path) -> None:
    """Logistic regression over pairs of a development message's question and a passage near it."""
    client = AIClient(knowledge=index)
    opened = client.knowledge._searched()
    rows, labels = [], []
    for message in read_messages():
        if message["split"] != "dev":
            continue
        for question in questions(message["text"])[:4]:
            if not tells_something(question):
                continue
            near = opened.index.search(question, 12)
            for passage, features in zip(
                near, measured(question, near, opened.vocabulary, client.knowledge._vectors), strict=True
            ):
                file = str(passage.metadata["source_id"]).rsplit("/", 1)[-1]
                text = passage.text.casefold()
                rows.append(features)
                labels.append(
                    message["reply"]
                    and file in message["sources"]
                    and any(words.casefold() in text for words in message["says"])
                )
    names = list(rows[0])
    weights = fitted(np.array([[row[name] for name in names] for row in rows]), np.array(labels, float))
    told_weights = {"": round(float(weights[-1]), 3)} | {
        name: round(float(weight), 3) for name, weight in zip(names, weights, strict=False)
    }
    WEIGHTS.write_text(json.dumps(told_weights) + "\n", encoding="utf-8")
    print(f"{len(rows)} pairs, {int(sum(labels))} right; {WEIGHTS.relative_to(ROOT)}: {told_weights}")


def fitted(values: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Weights and the constant, last, by Newton's method with an L2 pull on standardised values."""
    mean, spread = values.mean(0), values.std(0) + 1e-9
    rows = np.c_[(values - mean) / spread, np.ones(len(values))]
    pull = np.eye(rows.shape[1]) * _PULL
    pull[-1, -1] = 1e-6
    weights = np.zeros(rows.shape[1])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (chance - labels) + pull @ weights
        weights -= np.linalg.solve((rows * (chance * (1 - chance))[:, None]).T @ rows + pull, slope)
    return np.r_[weights[:-1] / spread, weights[-1] - (weights[:-1] * mean / spread).sum()]


async def load(index: Path, count: int) -> bool:
    """So many messages at once: just after the start, then three times with the sources read ahead, as a bot does."""
    messages = read_messages()
    texts = [messages[i % len(messages)]["text"] for i in range(count)]
    async with AIClient(knowledge=index) as client:
        await client.prepare()
        await one_lot(client, texts, "just started")
        began = time.perf_counter()
        print(f"{await client.read_ahead()} headings and sentences read ahead in {time.perf_counter() - began:.1f} s")
        lots = [await one_lot(client, texts, f"lot {number}") for number in (1, 2, 3)]
        limit = client.config.ai.request_timeout_seconds
    grown = lots[-1][2] - lots[0][2]
    print(f"memory from the first lot to the last: {grown:+.0f} MB")
    return all(errors == 0 and slowest < limit for errors, slowest, _ in lots) and grown < 40


async def one_lot(client: AIClient, texts: list[str], name: str) -> tuple[int, float, float]:
    """Errors, the seconds of the slowest, megabytes resident after it."""
    began, used = time.perf_counter(), time.process_time()
    took: list[float] = []

    async def one(number: int, text: str):
        result = await client.generate_reply(Conversation(text), RequestContext("trial", "c", None, number))
        took.append(time.perf_counter() - began)
        return result

    results = await asyncio.gather(*(one(i, text) for i, text in enumerate(texts)))
    errors = sum("error" in (r.debug or {}) for r in results)
    replies = sum(r.should_reply for r in results)
    resident = _resident()
    print(
        f"{name}: {len(texts)} messages, {replies} replies, {errors} errors, p50 {np.median(took):.1f} s, "
        f"slowest {max(took):.1f} s (deadline {client.config.ai.request_timeout_seconds:g} s), "
        f"{(time.process_time() - used) / len(texts) * 1000:.0f} ms of processor a message, {resident:.0f} MB resident"
    )
    return errors, max(took), resident


def _resident() -> float:
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
        return pages * resource.getpagesize() / 1e6
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--curve", type=Path)
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--load", type=int)
    parser.add_argument("--split", choices=SPLITS, help="measure this part of the messages alone")
    parser.add_argument("--report", action="store_true", help="only print, never fail")
    parser.add_argument("--verbose", action="store_true", help="show the messages that went wrong")
    given = parser.parse_args()
    import structlog

    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    heading("Community responder without a model", versions("langgraph", "onnxruntime"))
    met = True
    with tempfile.TemporaryDirectory() as folder:
        index = asyncio.run(indexed(Path(folder)))
        if given.fit:
            fit(index)
        elif given.curve:
            asyncio.run(curve(index, given.curve))
        elif given.load:
            met = asyncio.run(load(index, given.load))
        else:
            met = asyncio.run(measure(index, (given.split,) if given.split else SPLITS, verbose=given.verbose))
    sys.exit(0 if met or given.report else 1)


if __name__ == "__main__":
    main()
