"""Does the security advisor answer what was asked? 110 questions against an oracle of raw files.

    python benchmarks/advisor.py --data ../shared/data/security [--part dev|exam|all] [--show] [--model well|badly]
    python benchmarks/advisor.py --data ../shared/data/security --wordings SEED
    python benchmarks/advisor.py --data ../shared/data/security --replies

The findings of both scans are imported into a SQLite file of its own, beside Prowler's checks and compliance maps where
``../prowler`` has them. Each answer is judged by its words, as the data's README says: a number by the number, a list by
its names, what cannot be answered by a refusal. ``dev`` is four fifths of the questions by a hash of their ids, ``exam``
the rest. ``told`` is an answer that is not right and says which words of the question it did not use. ``--model``: a
scripted model on loopback fills the query from the data's own typed one, or spoils it: a field left out or mistaken, an
account made up, JSON cut off. ``--wordings``: other wordings over the same grammar (`_wordings.py`). ``--replies``: the data's true and false sentences, held against the rows.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import random
import re
import sys
import tempfile
import zlib
from collections import Counter
from pathlib import Path

from footnoted.assistants.security import AnswerService, FindingsService, KnowledgeBaseService
from footnoted.assistants.security.query.claims import Rows
from footnoted.assistants.security.query.vocabulary import vocabulary_of
from footnoted.store import Database
from footnoted.testing import ScriptedLLM

TENANT = "halden"
NUMBER = re.compile(r"(?<![\w.:/-])(\d{1,3}(?:,\d{3})+|\d+)(?:\.(\d+))?(?![\w:/-]|\.\d)")
TOLD = ("not used:", "cannot filter by", "cannot be asked")


def is_exam(identity):
    return zlib.crc32(identity.encode()) % 5 == 0


def lines_of(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


async def fill(database, data):
    """Both scans, the older first; the maps and checks that are at hand."""
    findings, knowledge = FindingsService(database), KnowledgeBaseService(database)
    await findings.prepare()
    for scan in sorted((data / "findings").iterdir()):
        for path in sorted(scan.iterdir()):
            content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
            report = await findings.import_file(TENANT, [content])
            assert not report.skipped, report.problems
    prowler = data.parent / "prowler"
    for path in [*sorted((prowler / "compliance_aws").glob("*.json")), prowler / "aws_checks_metadata.jsonl"]:
        if path.exists():
            await knowledge.import_file(TENANT, path.read_bytes())


def numbers_in(text):
    """Whole numbers and decimals of an answer, without list marks, citation marks and what is part of a name."""
    plain = re.sub(r"\[\d+\]", "", re.sub(r"^\s*\d+\. ", "", text, flags=re.MULTILINE))
    return {one[0].replace(",", "") + (f".{one[1]}" if one[1] else "") for one in NUMBER.findall(plain)}


def says(text, word):
    """Whether a word, a number or a name stands in an answer."""
    word = str(word)
    if found := re.fullmatch(r"(\S+) on (.+) \((.+), (.+)\)", word):
        return all(part.casefold() in text.casefold() for part in found.groups())
    if re.fullmatch(r"\d+(\.\d+)?", word):
        return word in numbers_in(text)
    return word.casefold() in text.casefold()


class Names:
    """Every resource of the raw files, to tell a wrong name from a right one."""

    def __init__(self, rows):
        self.all = {row["resource"] for row in rows} - {row["account"] for row in rows}

    def told(self, text):
        text = text.replace("‹", "<").replace("›", ">")  # what would be markup is told so
        return {name for name in self.all if re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", text)}


def matches(result, how, text, names):
    """Whether an answer says a result, as its kind of query is judged."""
    if how == "number":
        value = result["value"] if "value" in result else result["failing"]
        sources = result.get("by_source", {})
        named = {"prowler": "prowler", "securityhub": "security hub"}
        one = [count for source, count in sources.items() if named[source] in text.casefold()]
        return says(text, value) or (len(sources) > 1 and any(says(text, count) for count in one))
    if how == "names":
        wanted = {item.split(": ")[0].split(" on ")[-1].split(" (")[0] for item in result["items"]}
        wanted, told = wanted & names.all, names.told(text)
        if result["value"] == 0:
            return says(text, 0) or re.search(r"\b(?:no|none|nothing)\b", text.casefold()) is not None
        if not result.get("complete", True) and len(result["items"]) < 6:
            return wanted <= told
        enough = wanted <= told if len(wanted) <= 10 else len(wanted & told) >= 5 and says(text, result["value"])
        return enough and not (told - wanted if result.get("complete") else set())
    if how == "groups":
        return all(says(text, count) for count in list(result["groups"].values())[:1])
    if how == "percent":
        return any(abs(float(one) - result["pass_percent"]) <= 0.5 for one in numbers_in(text))
    if how == "days":
        return any(says(text, result[key]) for key in ("oldest_days", "median_days", "mean_days"))
    if how == "ids":
        ids = [one for those in result["mapping"].values() for one in those]
        compact = re.sub(r"[\W_]", "", text.casefold())
        return all(re.sub(r"[\W_]", "", one.casefold()) in compact for one in ids[:10])
    if how == "meaning":
        return True
    return True


def judge(question, advice, names):
    """right, told (wrong or nothing, and the answer says what it lacks), refused, or wrong without a word."""
    text = advice.response.response
    refused = advice.response.finish_reason.value == "refused"
    expect, how = question["expect"], question["expect"]["check"]
    if question["cannot"]:
        return "right" if refused else "told" if any(one in text.casefold() for one in TOLD) else "wrong"
    if how.startswith("asks"):
        readings = [one["right"] for one in expect.get("accept_also", [])]
        named = any("value" in one and says(text, one["value"]) for one in readings)
        named |= any("total" in one and says(text, one["total"]) for one in readings)
        query = getattr(advice.asked, "query", None)
        named |= bool(getattr(query, "group_by", ""))  # each part with its own name and number
        asks = "?" in text and "mean" in text.casefold()
        return "right" if asks or named or refused else "wrong"
    if refused:
        return "refused"
    parts = expect["right"].get("each") or [expect["right"]]
    part_how = {"value": "number", "pass_percent": "percent"}
    good = all(
        any(says(text, one) for one in (must if isinstance(must, list) else [must])) for must in question["must_say"]
    )
    for part in parts:
        kind = (
            how
            if how != "all parts"
            else "names"
            if "items" in part
            else part_how[next(k for k in part_how if k in part)]
        )
        others = [one["right"] for one in expect.get("accept_also", [])] if how != "all parts" else []
        good &= any(matches(one, kind, text, names) for one in [part, *others])
    if good:
        return "right"
    return "told" if any(one in text.casefold() for one in TOLD) else "wrong"


FIELDS = {"source": "scanner", "older_than_days": "open_for_more_than", "first_seen_after": "first_seen_from",
          "requirement_prefix": "requirement"}  # fmt: skip
GROUPS = {"source": "scanner", "resource_uid": "resource", "team": "tag:team"}
WORDS = {"open": "fail", "securityhub": "security-hub"}
SINGLE = ("framework", "version", "requirement", "change", "untagged", "first_seen_from", "first_seen_before",
          "open_for_more_than")  # fmt: skip


def typed_where(where):
    """The data's own conditions under the names of `Where`."""
    made = {}
    for name, value in where.items():
        field = FIELDS.get(name, name)
        if field in ("not", "seen_in_scan"):
            continue
        values = [WORDS.get(one, one) for one in (value if isinstance(value, list) else [value])]
        made[field] = values[0] if field in SINGLE else values
    if where.get("seen_in_scan") == 1:
        made["scan"] = "previous"
    return made


def typed(question):
    """The data's own typed query as the JSON a model would fill."""
    query = question["query"]
    if question["cannot"] or query["select"] == "clarify":
        return {"cannot": [question["question"]]}
    if query["select"] == "each":
        first, *others = query["queries"]
        sides = [typed_where(one["where"]) for one in query["queries"]]
        if any(one.get("scan") for one in sides):
            kept = {name: value for name, value in sides[0].items() if name != "scan"}
            return {"select": "diff", "where": kept}
        if others and first["select"] in ("count", "rate") and len(sides[0]) == len(sides[1]):
            more = {"status": []} if first["select"] == "rate" else {}
            return {"select": "compare", "measure": first["select"], "where": more, "sides": sides}
        return {"select": first["select"], "where": sides[0]}
    select = {"check": "remediation"}.get(query["select"], query["select"])
    made = {"select": select, "where": typed_where(query["where"])}
    if "not" in query["where"]:
        made["exclude"] = {"status": [], **typed_where(query["where"]["not"])}
    if query.get("group_by"):
        made["group_by"] = GROUPS.get(query["group_by"], query["group_by"])
    if query.get("order") == "first_seen":
        made["order_by"] = "oldest"
    made |= {name: query[name] for name in ("limit", "of") if name in query and query[name] != "accounts"}
    return made


def spoilt(query, chance):
    """The query as a model that is not up to it fills it."""
    where = query.get("where", {})
    kind = chance.choice(("left out", "mistaken", "made up", "cut"))
    if kind == "cut":
        return json.dumps(query)[: len(json.dumps(query)) // 2]
    if kind == "made up" or not where:
        return json.dumps({**query, "where": {**where, "account": ["999988887777"]}})
    name = chance.choice(sorted(where))
    rest = {key: value for key, value in where.items() if key != name}
    if kind == "mistaken":
        rest |= {"region" if name != "region" else "service": where[name]}
    return json.dumps({"select": query["select"], "where": rest})


def scripted(questions, how):
    """What a model replies: a query where one is asked for, and else nothing of its own."""
    by_text = {question["question"]: question for question in questions}

    def reply(request):
        if "FindingQuery" not in json.dumps(request.json):
            return "NO_ANSWER"
        asked = [one for one in by_text if f"Question: {one}" in request.prompt_text]
        question = by_text[max(asked, key=len)]
        chance = random.Random(question["id"])
        return json.dumps(typed(question)) if how == "well" else spoilt(typed(question), chance)

    return reply


async def replies(given, database):
    """How many of the data's true sentences the rows deny, and of its false ones they carry."""
    rows, counts = Rows(database, TENANT, await vocabulary_of(database, TENANT)), Counter()
    for one in lines_of(given.data / "advice_replies.jsonl"):
        held = await rows.hold(one["reply"])
        word = "not told by rows" if held is None else "carried" if held.right else "denied"
        counts[f"{'true' if one['true'] else 'false'} {word}"] += 1
        if given.show and (held is None or held.right is not one["true"]):
            print(f"{one['id']} {one['true']} {word}: {one['reply']}\n   {one['truth']} | {held}")
    print(", ".join(f"{name} {count}" for name, count in sorted(counts.items())))


async def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--part", choices=("dev", "exam", "all"), default="dev")
    parser.add_argument("--database", help="a database that is filled already, or is to be kept")
    parser.add_argument("--show", action="store_true", help="print what was not right")
    parser.add_argument("--model", choices=("well", "badly"), help="how a scripted model fills the query")
    parser.add_argument("--replies", action="store_true", help="hold the data's sentences against the rows instead")
    parser.add_argument(
        "--wordings", type=int, metavar="SEED", help="ask in other wordings, with names drawn by a seed"
    )
    parser.add_argument("--only", help="ids of questions, separated by commas")
    given = parser.parse_args()
    sys.path.insert(0, str(given.data))
    import oracle

    folder = tempfile.TemporaryDirectory()
    with folder as place:
        raw = Path(place) / "findings"
        for path in sorted((given.data / "findings").rglob("*.gz")):
            target = raw / path.parent.name / path.stem
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(gzip.decompress(path.read_bytes()))
        rows = oracle.load(str(raw))
        names = Names(rows)
        asked = lines_of(given.data / "questions.jsonl")
        if given.wordings is not None:
            from benchmarks._wordings import drawn

            asked = list(drawn(rows, oracle, given.wordings))
        async with Database(given.database or f"sqlite:///{place}/advisor.db") as database:
            if not await FindingsService(database).count(TENANT):
                await fill(database, given.data)
            shelves = KnowledgeBaseService(database), FindingsService(database)
            async with ScriptedLLM(scripted(asked, given.model)) as llm:
                options = {"base_url": llm.url("openai"), "model": "scripted"} if given.model else {}
                provider = "compatible" if given.model else "extractive"
                if given.replies:
                    await replies(given, database)
                else:
                    await questions(given, asked, AnswerService(provider, *shelves, **options), names)


async def questions(given, asked, service, names):
    """Ask each question and print how many were answered, by kind."""
    counts, kinds = Counter(), {}
    for question in asked:
        if given.wordings is None and given.part != "all" and is_exam(question["id"]) != (given.part == "exam"):
            continue
        if given.only and question["id"] not in given.only.split(","):
            continue
        history = [tuple(turn) for turn in question.get("history", [])]
        advice = await service.answer(question["question"], None, TENANT, history)
        verdict = judge(question, advice, names)
        counts[verdict] += 1
        kinds.setdefault("cannot" if question["cannot"] else question["kind"], Counter())[verdict] += 1
        if given.show and verdict != "right":
            words = json.dumps(question["query"])
            print(f"{question['id']} {verdict}: {question['question']}\n   wanted {words} {question['must_say']}")
            print("   " + advice.response.response[:700].replace("\n", "\n   "))
    total = sum(counts.values())
    for kind, found in sorted(kinds.items()):
        print(f"{kind:<22} {dict(found)}")
    shares = ", ".join(
        f"{name} {counts[name]} ({100 * counts[name] / total:.0f} %)" for name in ("right", "told", "refused", "wrong")
    )
    print(f"{given.part if given.wordings is None else 'wordings'}: {total} questions: {shares}")


if __name__ == "__main__":
    asyncio.run(main())
