"""The insurance responder's figures: right sections and refusals, the original's claims, load, reliability.

python benchmarks/insurance.py policies      # four long wordings, 120 questions, 100 replies; --exam: the fifth kept aside
python benchmarks/insurance.py cases         # right section, right refusal; the part tuned on and the parts held back
python benchmarks/insurance.py claims        # facts traceable, citations right, answers inside the context, latency
python benchmarks/insurance.py load          # 100 and 500 answers at once, and the process's memory
python benchmarks/insurance.py reliability   # draws docs/insurance-reliability.svg
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import re
import resource
import statistics
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "src"))

from _policies import DATA, show_policies  # noqa: E402
from _priority import ahead_of_others  # noqa: E402
from _table import heading, versions  # noqa: E402

from footnoted.assistants.insurance import ResponseGenerationAgent, ResponseResult, RetrievalAgent  # noqa: E402
from footnoted.assistants.insurance.desk import InsuranceDesk, Turned  # noqa: E402
from footnoted.assistants.insurance.figures import strange  # noqa: E402
from footnoted.testing import Reply, ScriptedLLM  # noqa: E402

CASES = ROOT / "tests" / "assistants" / "insurance" / "cases.jsonl"
PARTS = ("dev", "more", "held", "unseen", "fresh")
LOOKED_AT = ("dev", "more")  # the parts whose single questions may be looked at
POLICIES = ROOT / "examples" / "policies"
INVENTED = "You also get £4,321 for your trouble."
_NUMBERED = re.compile(r"^== (\w+) (\d+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Judged:
    """One case and what came of it. ``right``: an expected section is cited, or the refusal was due.

    ``first``: the section cited first is an expected one.
    """

    case: dict
    turned: Turned
    right: bool
    first: bool

    @property
    def result(self) -> ResponseResult:
        """The answer."""
        return self.turned.result


def cases() -> list[dict]:
    """Every case of the file."""
    return [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]


def place(citation) -> tuple[str, str]:
    """A citation's file and section, as cases write them."""
    return citation.source_file, " › ".join(citation.section_hierarchy)


def expected(case: dict) -> set[tuple[str, str]]:
    """The places that answer a case."""
    return {(one["file"], one["section"]) for one in case["sections"]}


async def judge(desk: InsuranceDesk, some: list[dict]) -> list[Judged]:
    """Each case asked and judged, one after the other."""
    found = []
    for case in some:
        turned = await desk.answer(case["question"])
        result = turned.result
        cited = [place(citation) in expected(case) for citation in result.citations]
        right = any(cited) if case["answerable"] else not cited
        found.append(Judged(case, turned, right, any(cited[:1])))
    return found


async def show_cases(*, verbose: bool) -> None:
    """The share of right sections and right refusals."""
    desk = InsuranceDesk(RetrievalAgent([POLICIES], cache="off"))
    judged = await judge(desk, cases())
    print("| part | answerable: right section cited | and cited first | unanswerable: refused |\n|---|---|---|---|")
    for part in (*PARTS, "all"):
        rows = [one for one in judged if part in ("all", one.case["split"])]
        asked = [one for one in rows if one.case["answerable"]]
        other = [one for one in rows if not one.case["answerable"]]
        shares = [share(one.right for one in asked), share(one.first for one in asked), share(o.right for o in other)]
        print(f"| {part} | {' | '.join(shares)} |")
    if verbose:
        for one in judged:
            if not one.right and one.case["split"] in LOOKED_AT:
                print("wrong:", one.case["question"], "|", one.result.answer[:120].replace("\n", " "))


def share(found: Iterable[bool]) -> str:
    """How many of them, and in hundred."""
    each = list(found)
    return f"{sum(each)} of {len(each)} ({sum(each) / max(1, len(each)):.1%})"


def model(by_question: dict[str, dict], *, first: float, each: float):
    """A model paced like a real one: it writes a case's evidence, cited, and one sentence it made up."""

    def reply(request) -> Reply:
        case = next((one for question, one in by_question.items() if question in request.prompt_text), None)
        said = []
        for evidence in (case or {}).get("evidence", [])[:3]:
            at = request.prompt_text.find(evidence)
            if at >= 0:
                number = [match[2] for match in _NUMBERED.finditer(request.prompt_text[:at])][-1]
                bare = " ".join(re.sub(r"^(?:[-*]|\d+\.)\s+", "", evidence).split()).rstrip(".;")
                if not bare.startswith("|"):
                    said.append(f"{bare} [{number}].")
        text = " ".join([*said, INVENTED]) if said else "NO_ANSWER this is not in the sections"
        return Reply(text=text, first_delay=first, delay=each)

    return reply


async def show_claims() -> None:
    """The original's claims, measured: extractive, and with a model that also invents in every answer."""
    retrieval = RetrievalAgent([POLICIES], cache="off")
    every = cases()
    async with ScriptedLLM(model({one["question"]: one for one in every}, first=0.45, each=0.02)) as llm:
        agent = ResponseGenerationAgent("openai", api_key="k", base_url=llm.url(), model="paced")
        async with agent:
            rows = [("extractive", await judge(InsuranceDesk(retrieval), every))]
            rows.append(("paced model", await judge(InsuranceDesk(retrieval, agent=agent), every)))
    print("| | facts traceable | citations right | answers inside the context | invented sums shown | mean | p95 |")
    print("|---|---|---|---|---|---|---|")
    for name, judged in rows:
        print(f"| {name} | {' | '.join(figures_of(judged))} |")


def figures_of(judged: list[Judged]) -> list[str]:
    """The shares and times of one way of answering."""
    shown = traced = marks = right = answers = inside = leaked = 0
    times = []
    for one in judged:
        result, request = one.result, one.turned.request
        leaked += "4,321" in result.answer
        times.append(result.latency_ms)
        if result.generation is None or result.refused:
            continue
        answers += 1
        inside += not strange(result.answer, "\n".join(f"{c.product_name} {c.content}" for c in request.context_chunks))
        for claim in result.generation.claims:
            if claim.shown and claim.kind == "claim":
                shown += 1
                traced += any(
                    request.context_chunks[e.source_index].content[e.source_start : e.source_end] == e.source_quote
                    for e in claim.evidence
                )
        for citation in result.generation.citations if one.case["answerable"] else ():
            chunk = request.context_chunks[citation.source_index]
            marks += 1
            right += place(chunk) in expected(one.case)
    times.sort()
    return [
        f"{traced / shown:.1%} of {shown}",
        f"{right / marks:.1%} of {marks}",
        f"{inside / answers:.1%} of {answers}",
        f"{leaked} of {len(judged)}",
        f"{statistics.mean(times):.0f} ms",
        f"{times[int(len(times) * 0.95)]:.0f} ms",
    ]


async def show_load() -> None:
    """Many at once against a paced model, and what the process holds."""
    retrieval = RetrievalAgent([POLICIES], cache="off")
    answerable = [one for one in cases() if one["answerable"]]
    print(
        "| at once | answered by the model | degraded | mean | p95 | all done in | CPU an answer | memory |\n|---|---|---|---|---|---|---|---|"
    )
    async with ScriptedLLM(model({one["question"]: one for one in answerable}, first=0.45, each=0.02)) as llm:
        agent = ResponseGenerationAgent("openai", api_key="k", base_url=llm.url(), model="paced")
        desk = InsuranceDesk(retrieval, agent=agent)
        async with agent:
            await desk.answer(answerable[0]["question"])
            for count in (1, 100, 500):
                began, worked = time.perf_counter(), time.process_time()
                asked = [desk.answer(answerable[n % len(answerable)]["question"]) for n in range(count)]
                results = [turned.result for turned in await asyncio.gather(*asked)]
                took, worked = time.perf_counter() - began, time.process_time() - worked
                times = sorted(result.latency_ms for result in results)
                degraded = sum(result.degraded for result in results)
                memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
                print(
                    f"| {count} | {count - degraded} | {degraded} | {statistics.mean(times):.0f} ms "
                    f"| {times[int(count * 0.95)]:.0f} ms | {took:.1f} s | {worked / count * 1000:.0f} ms | {memory} MB |"
                )


async def show_reliability(path: Path) -> None:
    """Both confidences against how often the answer was right, drawn by hand as SVG."""
    judged = await judge(InsuranceDesk(RetrievalAgent([POLICIES], cache="off")), cases())
    answered = [one for one in judged if not one.result.refused and one.result.citations]
    rules = [(one.result.confidence_score, one.right) for one in answered]
    core = [(one.result.calibrated_confidence, one.right) for one in answered]
    drawn = diagram({"fixed rules": rules, "calibrated": core})
    await asyncio.to_thread(path.write_text, drawn, encoding="utf-8")
    for name, points in (("fixed rules", rules), ("calibrated", core)):
        print(f"{name}: expected calibration error {calibration_error(points):.3f} over {len(points)} answers")


def bins(points: list[tuple[float, bool]], count: int = 5) -> list[tuple[float, float, int]]:
    """Mean confidence, share right and size of each bin that holds any."""
    found = []
    for n in range(count):
        inside = [p for p in points if n / count <= p[0] < (n + 1) / count or (p[0] == 1 and n == count - 1)]
        if inside:
            size = len(inside)
            found.append((sum(p[0] for p in inside) / size, sum(p[1] for p in inside) / size, size))
    return found


def calibration_error(points: list[tuple[float, bool]]) -> float:
    """How far confidence and share right are apart, weighed by the bins' sizes."""
    return sum(abs(said - was) * size for said, was, size in bins(points)) / max(1, len(points))


def diagram(series: dict[str, list[tuple[float, bool]]]) -> str:
    """A reliability diagram: on the diagonal, confidence is how often one is right."""
    size, edge = 360, 50
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size + 2 * edge} {size + 2 * edge + 40}" '
            'font-family="sans-serif" font-size="12">'
        ),
        '<rect width="100%" height="100%" fill="white"/>',
        f'<rect x="{edge}" y="{edge}" width="{size}" height="{size}" fill="none" stroke="#888"/>',
        f'<line x1="{edge}" y1="{edge + size}" x2="{edge + size}" y2="{edge}" stroke="#bbb" stroke-dasharray="4 4"/>',
        f'<text x="{edge + size / 2}" y="{edge + size + 34}" text-anchor="middle">confidence</text>',
        (
            f'<text x="{edge - 34}" y="{edge + size / 2}" text-anchor="middle" '
            f'transform="rotate(-90 {edge - 34} {edge + size / 2})">share of answers from a right section</text>'
        ),
    ]
    for n in range(6):
        at = n / 5
        parts.append(f'<text x="{edge + at * size}" y="{edge + size + 16}" text-anchor="middle">{at:.1f}</text>')
        parts.append(f'<text x="{edge - 6}" y="{edge + size - at * size + 4}" text-anchor="end">{at:.1f}</text>')
    for place_, (name, points) in enumerate(series.items()):
        colour = ("#b3541e", "#1e6fb3")[place_ % 2]
        dots = [(edge + said * size, edge + size - was * size, count) for said, was, count in bins(points)]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in dots)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{3 + count**0.5:.1f}" fill="{colour}" fill-opacity="0.6">'
            f"<title>{name}: {count} answers</title></circle>"
            for x, y, count in dots
        ]
        label = f"{name} (expected calibration error {calibration_error(points):.2f}, {len(points)} answers)"
        parts.append(f'<text x="{edge}" y="{edge + size + 56 + 16 * place_}" fill="{colour}">{label}</text>')
    return "\n".join([*parts, "</svg>\n"])


def main() -> None:
    """One of the five."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("policies", "cases", "claims", "load", "reliability"))
    parser.add_argument("--verbose", action="store_true", help="name the wrong cases of the part tuned on")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "insurance-reliability.svg")
    parser.add_argument("--data", type=Path, default=DATA, help="where the folder insurance/ of the shared data is")
    parser.add_argument("--exam", action="store_true", help="policies: the fifth kept aside instead of the four others")
    given = parser.parse_args()
    work = {
        "policies": lambda: show_policies(given.data, exam=given.exam, verbose=given.verbose),
        "cases": lambda: show_cases(verbose=given.verbose),
        "claims": show_claims,
        "load": show_load,
        "reliability": lambda: show_reliability(given.out),
    }
    logging.disable(logging.WARNING)  # what a stage failed of is counted, not listed
    priority = ahead_of_others() if given.what in ("load", "claims") else "ordinary"
    heading(
        f"Insurance responder: {given.what} (priority {priority})", versions("footnoted", "pydantic", "onnxruntime")
    )
    asyncio.run(work[given.what]())


if __name__ == "__main__":
    main()
