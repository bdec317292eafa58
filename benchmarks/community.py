"""How often the community responder is right on real-looking threads, how much it answers, and where it must be silent.

python benchmarks/community.py                 without a model: the table; a fifth of the threads is left aside
python benchmarks/community.py --exam          the fifth that was left aside, to be looked at once
python benchmarks/community.py --fitted DIR    each community with parameters fitted on the other (DIR/<held>.json)
python benchmarks/community.py --written       150 threads that fit nothing, two thirds of them of a third community
python benchmarks/community.py --steps         what each certainty costs and gains
python benchmarks/community.py --model         with a scripted model that writes well, and 30 drafts with a false detail
python benchmarks/community.py --load 200      so many messages at once: how long, and how many were lost
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import time
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

from _table import heading, versions
from _writer import Writer

from footnoted.assistants.community import AIClient, RequestContext
from footnoted.assistants.community.fitted import Fitted
from footnoted.assistants.community.indexing import build_index
from footnoted.assistants.community.labelled import Labelled, Outcome, _flat, curve, play, read_labelled
from footnoted.assistants.community.unaided import owner_of
from footnoted.retrieval.cache import default_folder
from footnoted.testing import Reply, ScriptedLLM
from footnoted.testing.script import Request

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("FOOTNOTED_DATA") or ROOT.parent / "shared" / "data")
FOLDERS = {
    "fastapi": DATA / "questions" / "fastapi",
    "python-discord": DATA / "python-discord-docs",
    "prowler": DATA / "questions" / "prowler",
}
LABELLED = ("fastapi", "python-discord")  # those whose threads are among the shared ones
WRITTEN = (
    ROOT / "training" / "community" / "written.jsonl"
)  # by a writer who knew nothing of the responder; fits nothing
GOALS = {"precision": 0.85, "recall": 0.45, "spoke": 0.02}


def threads(community: str, *, exam: bool) -> list[Labelled]:
    """The labelled threads of a community: all but a fifth, or that fifth."""
    every = read_labelled(DATA / "community" / "messages.jsonl")
    held = [one for one in every if (zlib.crc32(one.id.encode()) % 5 == 0) == exam]
    return [one for one in held if one.record["community"] == community]


def written() -> dict[str, list[Labelled]]:
    """The threads of `WRITTEN` by community."""
    every = read_labelled(WRITTEN)
    return {name: [one for one in every if one.record["community"] == name] for name in ("prowler", "fastapi")}


async def indexed(community: str) -> Path:
    """The index of a community's documents, and what its passages mean, made once and kept in the cache."""
    folder = (default_folder() or ROOT / ".cache") / "community-benchmark" / community
    out = folder / "index.md"
    async with AIClient() as client:

        async def summarise(id_: str, text: str) -> str:
            return await client.summarize_for_kb_index(id_, text, 60)

        await build_index([FOLDERS[community]], [], out, summarise=summarise)
    async with AIClient(knowledge=out) as client:
        await client.read_ahead()
    return out


async def outcomes(community: str, asked: list[Labelled], ai: dict[str, Any], **how: Any) -> list[Outcome]:
    """Each thread of a community put to the responder as an adapter would."""
    index = await indexed(community)
    async with AIClient({"ai": {"request_timeout_seconds": 300, **ai}}, knowledge=index, **how) as client:
        return await play(client, asked)


def table(name: str, found: list[Outcome]) -> dict[str, float]:
    """Precision, recall and needless replies, printed."""
    replies = sum(one.result.should_reply for one in found)
    good = sum(one.right for one in found)
    wanted = sum(one.thread.should_reply for one in found)
    silent = [one for one in found if not one.thread.should_reply]
    spoke = Counter(one.thread.record["kind"] for one in silent if one.result.should_reply)
    figures = {
        "precision": good / max(1, replies),
        "recall": good / max(1, wanted),
        "spoke": sum(spoke.values()) / max(1, len(silent)),
    }
    print(
        f"{name:16} {len(found):3} threads  replies {replies:3}  right {good:3}  "
        f"precision {figures['precision']:6.1%}  recall {figures['recall']:6.1%} of {wanted}  "
        f"spoke where silent {figures['spoke']:5.1%} of {len(silent)}  {dict(spoke) or ''}",
        flush=True,
    )
    return figures


def tell(found: list[Outcome]) -> None:
    """The threads that went wrong, with what was decided."""
    for one in found:
        if one.right or (not one.result.should_reply and not one.thread.should_reply):
            continue
        debug = one.result.debug or {}
        last = one.thread.talk.latest.text.replace("\n", " / ")
        print(f"\n== {one.thread.id} {one.thread.record['kind']} {one.thread.pages} | {last[:160]}")
        print(
            f"   {debug.get('stopped') or 'replied'} {debug.get('selected')} {(debug.get('gate') or {}).get('reason')}"
        )
        if one.result.reply_text:
            print("   " + one.result.reply_text[:900].replace("\n", "\n   "))


async def measure(given: argparse.Namespace) -> bool:
    """The table of all communities, and whether the goals are met."""
    every: list[Outcome] = []
    asked = written() if given.written else {name: threads(name, exam=given.exam) for name in LABELLED}
    for community, some in asked.items():
        how = {"fitted": Fitted.read(given.fitted / f"{community}.json")} if given.fitted else {}
        ai = {"certainty": given.certainty} if given.certainty is not None else {}
        found = await outcomes(community, some, ai, **how)
        table(community, found)
        every += found
    figures = table("together", every)
    if given.steps:
        for one in curve(every):
            print(f"  {one.certainty:.3f}  precision {one.precision:6.1%}  recall {one.recall:6.1%}  spoke {one.spoke}")
    if given.verbose:
        tell(every)
    return (
        figures["precision"] >= GOALS["precision"]
        and figures["recall"] >= GOALS["recall"]
        and figures["spoke"] <= GOALS["spoke"]
    )


async def with_model() -> bool:
    """A model that writes well over loopback: the table, and how many drafts with one false detail are posted."""
    every: list[Outcome] = []
    false: Counter[str] = Counter()
    for community in LABELLED:
        found = await written_well(community, false)
        table(community, found)
        every += found
    figures = table("together", every)
    tell(every)
    print(dict(false))
    return figures["precision"] >= 0.95 and figures["recall"] >= 0.8 and not false["posted, judge is honest"]


async def written_well(community: str, false: Counter[str]) -> list[Outcome]:
    """Each thread of a community with the model, and 15 of those that came out right again with a false detail."""
    os.environ["COMMUNITY_BENCHMARK_KEY"] = "k"
    now: list[Writer] = []
    index = await indexed(community)

    def says(request: Request) -> Reply:
        return now[-1].says(request)

    def judges(request: Request) -> Reply:
        return now[-1].judges(request)

    async with ScriptedLLM(says, judge=judges) as server:
        ai = {"provider": "openai", "base_url": server.url("openai"), "api_key_env": "COMMUNITY_BENCHMARK_KEY"}
        ai |= {"model": "scripted", "request_timeout_seconds": 300, "llm_timeout_seconds": 60}
        async with AIClient({"ai": ai}, knowledge=index) as client:
            await client.prepare()

            async def one(thread: Labelled, **how: bool) -> Outcome:
                near = client.knowledge.matches(thread.talk.latest.text, Fitted.read().match)
                now.append(Writer(thread, list(client.knowledge.entries), owner_of(near[0]), **how))
                (outcome,) = await play(client, [thread])
                return outcome

            found = [await one(thread) for thread in threads(community, exam=False)]
            for thread in [outcome.thread for outcome in found if outcome.right][:15]:
                for agrees in (False, True):
                    outcome = await one(thread, false=True, agrees=agrees)
                    changed = now[-1].changed
                    name = "judge agrees to all" if agrees else "judge is honest"
                    posted = bool(changed) and _flat(changed) in _flat(outcome.result.reply_text or "")
                    false[f"drafts, {name}"] += bool(changed)
                    false[f"posted, {name}"] += posted
                    if posted:
                        print(f"  posted ({name}): {changed}  for: {now[-1].truths}")
    return found


async def load(count: int) -> bool:
    """So many of a community's messages at once, everything read ahead; whether none was lost or late."""
    asked = threads("python-discord", exam=False)
    took: list[float] = []
    async with AIClient(knowledge=await indexed("python-discord")) as client:
        await client.prepare()
        began = time.perf_counter()

        async def one(number: int) -> bool:
            where = RequestContext("trial", "c", None, number)
            result = await client.generate_reply(asked[number % len(asked)].talk, where)
            took.append(time.perf_counter() - began)
            return "error" in (result.debug or {})

        errors = sum(await asyncio.gather(*map(one, range(count))))
    print(f"{count} messages: {errors} errors, median {sorted(took)[count // 2]:.1f} s, slowest {max(took):.1f} s")
    return errors == 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--exam", action="store_true", help="the fifth that was left aside")
    parser.add_argument(
        "--written", action="store_true", help="150 threads of another writer, two thirds of another community"
    )
    parser.add_argument("--fitted", type=Path, help="a folder of parameters, a file for each community held out")
    parser.add_argument("--certainty", type=float, help="instead of the default")
    parser.add_argument("--steps", action="store_true", help="what each certainty costs and gains")
    parser.add_argument("--model", action="store_true", help="with a scripted model that writes well")
    parser.add_argument("--load", type=int, help="so many messages at once")
    parser.add_argument("--verbose", action="store_true", help="show the threads that went wrong")
    parser.add_argument("--report", action="store_true", help="only print, never fail")
    given = parser.parse_args()
    import structlog

    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    how = "with a scripted model" if given.model else "without a model"
    heading(f"Community responder {how}", versions("langgraph", "onnxruntime"))
    met = asyncio.run(load(given.load) if given.load else with_model() if given.model else measure(given))
    sys.exit(0 if met or given.report else 1)


if __name__ == "__main__":
    main()
