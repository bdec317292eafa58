"""What a tick is worth: the shipped check on natural sentences, one true and one false about the same passage.

    python benchmarks/truth.py [--data ../shared/data] [--part tried|exam|all] [--judge] [--failures FILE] [--json FILE]

Each claim is weighed alone against its passage (or its numbered passages), as `footnoted check` weighs a sentence of an
answer. Counted: how many true and how many false ones are ticked, how many true ones are held back, how often
`contradicted` is right, in how many pairs the true one scores higher, by kind and by language; intervals (95 %) by
drawing whole passages. Beside it stands what a bag of words makes of the claim alone, fitted on the passages that are
neither in the part nor kept aside. The exam is a fifth of the passages by hash; nothing is fitted on it.

With ``--judge`` each claim is an answer instead: a scripted model says it over loopback, cites every source, and judges
what it is asked about as the label says (an oracle). What then leaves with a tick, with a mark, or not at all is counted.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import statistics
import sys
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "training" / "reader"))
from parts import part, twins
from rich.console import Console
from rich.progress import track
from rich.table import Table

from footnoted import GenerationConfig, GenerationRequest, GroundedGenerator, SourceContext
from footnoted.grounding import Checker
from footnoted.testing import Reply, ScriptedLLM
from footnoted.types import Source

HERE = Path(__file__).parent.parent
NUMBERED = re.compile(r"(?:^|\n\n)\[(\d+)\] ")
HELD_BACK = ("contradicted", "unsupported")


def sources(passage: str) -> list[Source]:
    """The passage, or the numbered passages in it, as sources."""
    cuts = list(NUMBERED.finditer(passage)) if passage.startswith("[1] ") else []
    if not cuts:
        return [Source("1", passage)]
    ends = [*(m.start() for m in cuts[1:]), len(passage)]
    return [Source(m[1], passage[m.end() : end].strip()) for m, end in zip(cuts, ends, strict=True)]


def auroc(rows: list[dict]) -> float:
    """In percent: how often a true claim scores higher than a false one; ties count half."""
    values = sorted((r["score"], r["label"]) for r in rows)
    below, won, place = 0, 0.0, 0
    while place < len(values):
        level = [label for score, label in values[place:] if score == values[place][0]]
        wrong = level.count(0)
        won += level.count(1) * (below + wrong / 2)
        below += wrong
        place += len(level)
    pairs = below * (len(values) - below)
    return 100 * won / pairs if pairs else float("nan")


def pairs_won(rows: list[dict]) -> dict[str, list[float]]:
    """By kind of the false twin: 1 where the true twin scores higher, a half where they are level."""
    both = defaultdict(dict)
    for row in rows:
        both[row["pair"]][row["label"]] = row
    found = defaultdict(list)
    for pair in both.values():
        if len(pair) == 2:
            a, b = pair[1]["score"], pair[0]["score"]
            found[pair[0]["kind"]].append(float(a > b) + 0.5 * float(a == b))
    return found


def share(rows: list[dict], said: tuple[str, ...]) -> float:
    """The share of rows with one of these verdicts, in percent."""
    return 100 * statistics.fmean(r["ruling"] in said for r in rows) if rows else float("nan")


def interval(rows: list[dict], figure, rounds: int = 500) -> tuple[float, float]:
    """The 95 % interval of a figure, by drawing whole passages."""
    by = defaultdict(list)
    for row in rows:
        by[row["passage"]].append(row)
    groups, dice = list(by.values()), random.Random(0)
    drawn = sorted(figure([r for g in dice.choices(groups, k=len(groups)) for r in g]) for _ in range(rounds))
    drawn = [value for value in drawn if value == value]
    if not drawn:
        return float("nan"), float("nan")
    return drawn[int(0.025 * len(drawn))], drawn[int(0.975 * len(drawn)) - 1]


def words_alone(taught: list[dict], asked: list[dict]) -> float:
    """AUROC of naive Bayes over the claim's words and pairs of words: what its style alone gives away."""
    import math

    def said(row):
        words = re.findall(r"\w+", row["claim"].casefold())
        return {*words, *pairwise(words)}

    counts, n = {0: defaultdict(int), 1: defaultdict(int)}, {0: 0, 1: 0}
    for row in taught:
        n[row["label"]] += 1
        for word in said(row):
            counts[row["label"]][word] += 1

    def score(row):
        return sum(
            math.log((counts[1][w] + 1) / (n[1] + 2)) - math.log((counts[0][w] + 1) / (n[0] + 2)) for w in said(row)
        )

    return auroc([{"score": score(r), "label": r["label"]} for r in asked])


FIGURES = {
    "false ticked": lambda rows: share([r for r in rows if not r["label"]], ("supported",)),
    "true ticked": lambda rows: share([r for r in rows if r["label"]], ("supported",)),
    "true held back": lambda rows: share([r for r in rows if r["label"]], HELD_BACK),
    "false held back": lambda rows: share([r for r in rows if not r["label"]], HELD_BACK),
    "a tick is right": lambda rows: 100 * statistics.fmean(ticked) if (ticked := [r["label"] for r in rows if r["ruling"] == "supported"]) else float("nan"),
    "contradicted is right": lambda rows: 100 * statistics.fmean(1 - x for x in denied) if (denied := [r["label"] for r in rows if r["ruling"] == "contradicted"]) else float("nan"),
    "AUROC": auroc,
    "pairs won": lambda rows: 100 * statistics.fmean(w) if (w := [v for those in pairs_won(rows).values() for v in those]) else float("nan"),
}  # fmt: skip


def told_apart(rows: list[dict]) -> dict[str, dict[str, list[float]]]:
    """By kind of the false claim, by language, by length and by form: pairs, % of them won, AUROC, % true and false ticked."""
    kind = {row["pair"]: row["kind"] for row in rows if not row["label"]}
    ways = {
        "kind": lambda row: kind.get(row["pair"], ""),
        "language": lambda row: row.get("lang", "en") + (f" over {of}" if (of := row.get("source_lang", "en")) != row.get("lang", "en") else ""),
        "words of the claim": lambda row: ("up to 15", "16 to 25", "over 25")[(n := len(row["claim"].split())) > 15 and 1 + (n > 25)],
        "form of the source": lambda row: "table" if "\n|" in row["passage"] else "list" if re.search(r"\n(?:[-*•]|\d+[.)]) ", row["passage"]) else "prose",
        "sources": lambda row: "several" if len(sources(row["passage"])) > 1 else "one",
    }  # fmt: skip
    found: dict[str, dict[str, list[float]]] = {}
    for name, key in ways.items():
        groups = defaultdict(list)
        for row in rows:
            groups[key(row)].append(row)
        for group, those in sorted(groups.items(), key=lambda item: -len(item[1])):
            won = [v for each in pairs_won(those).values() for v in each]
            figures = [100 * statistics.fmean(won) if won else float("nan"), auroc(those)]
            figures += [share([r for r in those if r["label"] == label], ("supported",)) for label in (1, 0)]
            found.setdefault(name, {})[group] = [len(won), *(round(value, 1) for value in figures)]
    return found


async def judged(rows: list[dict], console: Console) -> None:
    """Each claim as the answer of a model that also judges, and is right: what left, and how."""
    now: dict = {}

    def verdicts(request) -> Reply:
        asked = [int(n) for n in re.findall(r"== \w+ statement (\d+)\n", request.prompt_text)]
        quote = max(sources(now["passage"])[0].text.split("\n"), key=len)[:80].strip()
        said = {"verdict": "supported", "quote": quote} if now["label"] else {"verdict": "unsupported", "quote": ""}
        return Reply(json={"verdicts": [{"statement": n, "reason": "", **said} for n in asked]})

    def said(_) -> Reply:
        marks = "".join(f"[{n}]" for n, _ in enumerate(sources(now["passage"]), start=1))
        return Reply(text=re.sub(r"([.!?。]?)$", rf" {marks}\1", now["claim"].strip(), count=1))

    async with ScriptedLLM(said, judge=verdicts) as llm:
        how = {"api_key": "k", "base_url": llm.url(), "model": "scripted", "checking": "hold", "doubt": "mark"}
        async with GroundedGenerator("openai", **how) as generator:
            for row in track(rows, "answering", console=console):
                now = row
                given = [SourceContext(content=one.text) for one in sources(row["passage"])]
                request = GenerationRequest(query="What does it say?", context=given, config=GenerationConfig())
                response = await generator.generate(request)
                rulings = {claim.verdict for claim in response.claims}
                gone = bool(response.withheld)
                row["ruling"] = "unsupported" if gone else "supported" if rulings == {"supported"} else "unsure"
                row["calls"] = response.usage.judge.calls if response.usage and response.usage.judge else 0


def show_judged(rows: list[dict], console: Console) -> None:
    """The table of `judged`."""
    table = Table(title=f"the same claims as answers, with a judge that is right: {len(rows)}; % [95 % by passage]")
    for name in ("", "all"):
        table.add_column(name, justify="right" if name else "left")
    for key in ("false ticked", "true ticked", "true held back", "false held back"):
        low, high = interval(rows, FIGURES[key])
        table.add_row(key, f"{FIGURES[key](rows):.1f} [{low:.1f}, {high:.1f}]")
    table.add_row("put to the judge", f"{100 * statistics.fmean(row['calls'] > 0 for row in rows):.0f}")
    console.print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=HERE.parent / "shared" / "data")
    parser.add_argument("--part", choices=("tried", "exam", "all"), default="tried")
    parser.add_argument("--judge", action="store_true", help="as answers of a model, with an oracle as judge")
    parser.add_argument("--failures", type=Path, help="write false claims that were ticked, one JSON a line")
    parser.add_argument("--json", type=Path, help="write every figure")
    options = parser.parse_args()
    every = twins(options.data)
    if not every:
        parser.error(f"no twins under {options.data}")
    chosen = [r for r in every if options.part in ("all", part(r["passage"]))]
    checker, console = Checker(), Console()
    if options.judge:
        asyncio.run(judged(chosen, Console(stderr=True)))
        show_judged(chosen, console)
        if options.failures:
            wrong = [r for r in chosen if r["label"] != (r["ruling"] == "supported")]
            options.failures.write_text(
                "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in wrong), encoding="utf-8"
            )
        return
    for row in track(chosen, "weighing", console=Console(stderr=True)):
        verdict = checker.check(row["claim"], sources(row["passage"]))
        row |= {"ruling": verdict.ruling, "tier": verdict.tier, "reason": verdict.reason}
        row["score"] = verdict.score if verdict.score is not None else 0.5
    groups = defaultdict(list)
    for row in chosen:
        own, of = row.get("lang", "en"), row.get("source_lang", "en")
        groups["English" if own == of == "en" else "other languages" if own == of else "across languages"].append(row)
    table = Table(title=f"natural twins, {options.part}: {len(chosen)} claims; % [95 % interval by passage]")
    table.add_column("")
    figures: dict[str, dict[str, list[float]]] = {}
    for name, rows in groups.items():
        table.add_column(f"{name} ({len(rows)})", justify="right")
        figures[name] = {k: [f(rows), *interval(rows, f)] for k, f in FIGURES.items()}
    for key in FIGURES:
        cells = (figures[name][key] for name in groups)
        table.add_row(key, *(f"{a:.1f} [{b:.1f}, {c:.1f}]" for a, b, c in cells))
    taught = [r for r in every if part(r["passage"]) == "taught" and r not in chosen]
    if taught:
        table.add_row(
            "words of the claim alone: AUROC", *(f"{words_alone(taught, rows):.1f}" for rows in groups.values())
        )
    console.print(table)
    apart = told_apart(groups.get("English", [])) | {"language": told_apart(chosen)["language"]}
    for name, those in apart.items():
        kinds = Table(title=f"by {name}")
        for head in (name, "pairs", "won %", "AUROC", "true ticked %", "false ticked %"):
            kinds.add_column(head, justify="left" if head == name else "right")
        for group, (pairs, *values) in those.items():
            kinds.add_row(group, str(pairs), *(f"{value:.0f}" for value in values))
        console.print(kinds)
    if options.failures:
        wrong = [r for r in chosen if not r["label"] and r["ruling"] == "supported"]
        options.failures.write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in wrong), encoding="utf-8")
    if options.json:
        options.json.write_text(
            json.dumps(
                {
                    "part": options.part,
                    "claims": len(chosen),
                    "shared": len(every) // 2,
                    "figures": figures,
                    "apart": apart,
                },
                indent=1,
            )
        )


if __name__ == "__main__":
    main()
