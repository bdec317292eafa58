"""Four long policy wordings, 120 questions and 100 replies (`shared/data/insurance`): the figures of a policy read as one.

An answer without a model is *right* when it shows a clause that decides, with the figures and words a right answer must
have, and says nothing wrong; *incomplete* when the clause is there and a word is missing (a sum, say); *wrong* when it
answers from other clauses, says what is wrong, or answers what the documents do not; else it refused or asked back.
"""

from __future__ import annotations

import json
import os
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from footnoted.assistants.insurance import ChunkResult, ResponseGenerationAgent, ResponseRequest, RetrievalAgent
from footnoted.assistants.insurance.desk import InsuranceDesk, Manner, Turned
from footnoted.testing import Reply, ScriptedLLM

DATA = Path(os.environ.get("FOOTNOTED_DATA") or Path(__file__).parents[2] / "shared" / "data")
FILES = ("motor.pdf", "travel.pdf", "health.docx", "home.html")
FOUND = 6  # clauses among which the deciding one must be
_FIGURE = re.compile(r"\d[\d,.]*\d|\d")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and what came of it. ``ending``: right, incomplete, wrong, refused or asked back.

    ``quoted``: a deciding clause stands among those the customer reads, whatever the ending.
    """

    item: dict
    turned: Turned
    found: bool
    ending: str
    quoted: bool


def items(name: str, folder: Path) -> list[dict]:
    """The lines of one of the files."""
    return [json.loads(line) for line in (folder / name).read_text(encoding="utf-8").splitlines() if line.strip()]


def kept_aside(item: dict) -> bool:
    """Whether an item belongs to the fifth that is looked at once."""
    return zlib.crc32(item["id"].encode()) % 5 == 0


def history_of(item: dict) -> list[tuple[str, str]]:
    """The exchanges before a question."""
    said = [turn["content"] for turn in item.get("history") or ()]
    return list(zip(said[::2], said[1::2], strict=False))


def told_in(quote: str, text: str) -> bool:
    """Whether a clause's words stand in a text, whatever its punctuation; of a table's row, all its cells."""
    bare = _bare(text)
    return all(_bare(cell) in bare for cell in quote.split(" | "))


def says(phrase: str, text: str) -> bool:
    """Whether a text says a phrase, in any case, its figures not within longer ones."""
    edge = r"(?<![\d.,])" if phrase[:1].isdigit() else r"(?<![A-Z])" if re.match(r"\W", phrase) else ""
    return (
        re.search(edge + re.escape(_plain(phrase)) + (r"(?![\d])" if phrase[-1:].isdigit() else ""), _plain(text))
        is not None
    )


def ending_of(item: dict, turned: Turned) -> str:
    """What came of a question without a model."""
    result = turned.result
    if turned.intent.needs_clarification or result.asks:
        return "asked back"
    if result.refused or not result.citations:
        return "refused"
    return told(item, turned)


def told(item: dict, turned: Turned) -> str:
    """What the clauses shown are worth, taken as an answer: right, incomplete or wrong."""
    shown = answer_text(turned)
    if any(says(one, shown) for one in item["must_not_say"]):
        return "wrong"
    if item["verdict"] == "ask back":
        return "right" if all(_stands_on(one["quote"], turned, shown) for one in item["gold"]) else "wrong"
    if not item["answerable"] or not any(_stands_on(one["quote"], turned, shown) for one in item["gold"]):
        return "wrong"
    wanted = item["must_say"]
    if item["lang"] != "en":
        wanted = [figure for one in wanted for figure in _FIGURE.findall(one)]
    return "right" if all(says(one, shown) for one in wanted) else "incomplete"


def answer_text(turned: Turned) -> str:
    """All that a customer reads: the answer and the words quoted under it."""
    return turned.result.answer


def _stands_on(quote: str, turned: Turned, shown: str) -> bool:
    """Whether an answer shows the deciding words: whole, or a sentence of them."""
    if told_in(quote, shown):
        return True
    quotes = [
        one.source_quote or "" for one in (turned.result.generation.citations if turned.result.generation else ())
    ]
    return any(len(_bare(one)) >= 25 and (_bare(one) in _bare(quote) or _bare(quote) in _bare(one)) for one in quotes)


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()


def _plain(text: str) -> str:
    return " ".join(text.replace("’", "'").replace("**", "").casefold().split())


async def ask_all(desk: InsuranceDesk, questions: Iterable[dict]) -> list[Asked]:
    """Every question, one after the other."""
    done = []
    for item in questions:
        turned = await desk.answer(item["question"], history=history_of(item), manner=Manner(max_response_length=4000))
        texts = [one.content for one in turned.request.context_chunks[:FOUND]]
        found = any(told_in(one["quote"], text) for one in item["gold"] for text in texts)
        quoted = any(_stands_on(one["quote"], turned, answer_text(turned)) for one in item["gold"])
        done.append(Asked(item, turned, found, ending_of(item, turned), quoted))
    return done


def share(found: Iterable[bool]) -> str:
    """How many of them, and in hundred."""
    each = list(found)
    return f"{sum(each)} of {len(each)} ({sum(each) / max(1, len(each)):.0%})"


def question_rows(asked: Sequence[Asked]) -> list[tuple[str, str]]:
    """The rows of the table that questions decide."""
    answerable = [one for one in asked if one.item["answerable"]]
    ambiguous = [one for one in asked if one.item["verdict"] == "ask back"]
    plain = [one for one in asked if one.item["verdict"] != "ask back"]
    ends = Counter(one.ending for one in answerable)
    other = [one for one in answerable if one.item["lang"] != "en"]
    # What a refusal quotes counts as what it would be worth: else the threshold would make the confidence look right.
    points = [
        (one.turned.result.calibrated_confidence, told(one.item, one.turned) != "wrong")
        for one in plain
        if one.ending != "asked back" and one.turned.result.citations
    ]
    return [
        (f"a deciding clause among the first {FOUND}", share(one.found for one in answerable)),
        ("answered right", share(one.ending == "right" for one in answerable)),
        ("… its clause shown, a word missing", share(one.ending == "incomplete" for one in answerable)),
        ("… refused / asked back", f"{ends['refused']} / {ends['asked back']}"),
        (
            "a deciding clause among those quoted, as an answer or beside a refusal",
            share(one.quoted for one in answerable),
        ),
        ("answered wrong (all but the ambiguous)", share(one.ending == "wrong" for one in plain)),
        (
            "refused or asked back where nothing is said",
            share(one.ending in ("refused", "asked back") for one in plain if not one.item["answerable"]),
        ),
        ("ambiguous: asked back or compared", share(one.ending in ("asked back", "right") for one in ambiguous)),
        (
            "confidence: AUROC of right or incomplete, refusals by what they quote",
            f"{auroc(points):.2f} over {len(points)}",
        ),
        ("confidence: calibration error", f"{calibration_error(points):.2f}"),
        (f"Malay, Chinese, Tamil: a deciding clause among the first {FOUND}", share(one.found for one in other)),
        ("Malay, Chinese, Tamil: answered right", share(one.ending == "right" for one in other)),
    ]


def auroc(points: Sequence[tuple[float, bool]]) -> float:
    """How often a right one is surer than a wrong one; ties count half."""
    right = [score for score, was in points if was]
    wrong = [score for score, was in points if not was]
    wins = sum((one > other) + 0.5 * (one == other) for one in right for other in wrong)
    return wins / (len(right) * len(wrong)) if right and wrong else float("nan")


def calibration_error(points: Sequence[tuple[float, bool]], count: int = 5) -> float:
    """How far confidence and share right are apart, weighed by the bins' sizes."""
    error = 0.0
    for n in range(count):
        inside = [p for p in points if n / count <= p[0] < (n + 1) / count or (p[0] == 1 and n == count - 1)]
        error += abs(sum(p[0] - p[1] for p in inside))
    return error / max(1, len(points))


def chunk_of(passage: dict, titles: dict[str, str]) -> ChunkResult:
    """A reply's passage as a policy section."""
    return ChunkResult(
        content=passage["text"], product_name=titles[passage["file"]], source_file=passage["file"],
        section_hierarchy=[passage["clause"]], relevance_score=0.8,
    )  # fmt: skip


async def replies(titles: dict[str, str], some: Sequence[dict], *, oracle: bool = False) -> list[tuple[dict, str]]:
    """Each reply put through the gate as a model's own words, and what the customer is shown.

    With an ``oracle`` the model also judges, over loopback, and is always right: the faulty sentence is unsupported.
    """
    shown = []
    asked: list[dict] = []

    def said(_) -> Reply:
        return Reply(text=asked[-1]["reply"])

    def judged(request) -> Reply:
        stated = re.findall(r"== \w+ statement (\d+)\n(.*)", request.prompt_text)
        verdicts = [_ruled(asked[-1], int(number), text) for number, text in stated]
        return Reply(text=json.dumps({"verdicts": verdicts}, ensure_ascii=False))

    async with ScriptedLLM(said, judge=judged) as llm:
        agent = ResponseGenerationAgent("openai", api_key="k", base_url=llm.url(), model="scripted", timeout=60.0,
                                        **({} if oracle else {"judge": None}))  # fmt: skip
        async with agent:
            for item in some:
                asked.append(item)
                chunks = [chunk_of(one, titles) for one in item["passages"]]
                request = ResponseRequest(
                    original_query=item["question"], context_chunks=chunks, max_response_length=4000
                )
                shown.append((item, (await agent.agenerate_response(request)).answer))
    return shown


def _ruled(item: dict, number: int, statement: str) -> dict:
    """What somebody who knows the fault says of a statement, quoting the passage that the reply cites for it."""
    bare = _bare(statement)
    faulty = not item["right"] and (
        bare in _bare(_unmarked(item["sentence"])) or _bare(_unmarked(item["sentence"])) in bare
    )
    cited = next(
        (int(mark) for part, mark in re.findall(r"([^\[\]]+)\[(\d+)\]", item["reply"]) if _bare(part)[-20:] in bare), 1
    )
    text = item["passages"][min(cited, len(item["passages"])) - 1]["text"]
    return {
        "statement": number,
        "verdict": "unsupported" if faulty else "supported",
        "quote": "" if faulty else text[:60].strip(),
        "reason": item["why"] or "it stands there",
    }


def _unmarked(text: str) -> str:
    return re.sub(r"\[\d+\]", "", text)


def shown_in(sentence: str, answer: str) -> bool:
    """Whether a sentence stands in an answer, its marks aside."""
    return _bare(re.sub(r"\[\d+\]", "", sentence)) in _bare(re.sub(r"\[\d+\]", "", answer))


def unmarked(sentence: str, answer: str) -> bool:
    """Whether a sentence stands in an answer and no sign beside it says that it was not verified."""
    if not shown_in(sentence, answer):
        return False
    bare = re.sub(r"\[\d+\]", "", sentence).strip().rstrip(".。 ")
    at = re.sub(r"\[\d+\]", "", answer).find(bare)
    return at < 0 or "unverified" not in re.sub(r"\[\d+\]", "", answer)[at : at + len(bare) + 40]


def reply_rows(shown: Sequence[tuple[dict, str]]) -> list[tuple[str, str]]:
    """The rows of the table that replies decide."""
    right = [(item, answer) for item, answer in shown if item["right"]]
    wrong = [(item, answer) for item, answer in shown if not item["right"]]
    tier = [pair for pair in wrong if pair[0]["fault"] == "wrong tier's figure"]
    foreign = [pair for pair in right if re.search(r"[^\x00-\u2fff]|[\u0b80-\u0bff]", pair[0]["reply"])]

    def whole(item: dict, answer: str) -> bool:
        return shown_in(item["reply"], answer) or all(
            shown_in(one, answer) for one in re.split(r"(?<=[.。!?])\s+|(?<=。)", item["reply"]) if one.strip()
        )

    return [
        ("replies wholly right and shown whole", share(whole(*pair) for pair in right)),
        ("replies with one fault: the fault shown unmarked", share(unmarked(i["sentence"], a) for i, a in wrong)),
        ("another plan's or tier's figure shown unmarked", share(unmarked(i["sentence"], a) for i, a in tier)),
        ("Chinese and Tamil right replies shown whole", share(whole(*pair) for pair in foreign)),
    ]


async def show_policies(data: Path, *, exam: bool, verbose: bool) -> None:
    """The table, of the four fifths developed on, or of the fifth kept aside."""
    folder = data / "insurance"
    retrieval = RetrievalAgent([folder / name for name in FILES], cache="off")
    titles = {
        source.metadata["file"]: str(source.metadata.get("title") or source.title)
        for source in retrieval.index.sources()
    }
    questions = [one for one in items("questions.jsonl", folder) if kept_aside(one) == exam]
    some = [one for one in items("replies.jsonl", folder) if kept_aside(one) == exam]
    asked = await ask_all(InsuranceDesk(retrieval), questions)
    print(f"\n| {'the fifth kept aside' if exam else 'four fifths developed on'} | |\n|---|---|")
    for name, figure in [*question_rows(asked), *reply_rows(await replies(titles, some))]:
        print(f"| {name} | {figure} |", flush=True)
    for name, figure in reply_rows(await replies(titles, some, oracle=True)):
        print(f"| with a judge that is right: {name} | {figure} |", flush=True)
    if verbose and not exam:
        for one in asked:
            gold = ", ".join(f"{g['file'][:3]} {g['clause']}" for g in one.item["gold"])
            sure = one.turned.result.calibrated_confidence
            print(
                f"\n{one.ending} {one.found} {sure:.2f} {one.item['id']} {one.item['question']} [{one.item['verdict']}: {gold}]"
            )
            print("   ", one.turned.result.answer[:600].replace("\n", "\n    "))
