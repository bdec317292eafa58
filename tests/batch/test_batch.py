"""A whole file of questions and checks: one row each, resumable, one failure costing one row, on either engine."""

import asyncio
import csv
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict

import pytest
from pyarrow import parquet

from footnoted.batch import COLUMNS, Row, Task, Work, read_tasks, run_local, write_table
from footnoted.batch.journal import Journal
from footnoted.errors import ConfigurationError, SourceError
from footnoted.testing import Reply, ScriptedLLM
from tests.conftest import COMMAND, run

POLICY = {"title": "Car", "text": "Windscreen. The excess is £75 for a repair and £115 for a replacement."}


def _lines(count):
    yield {"id": "q", "question": "What is the excess for a repair?", "passages": [POLICY]}
    yield {"id": "moon", "question": "Who walked on the moon?", "passages": [POLICY]}
    yield {"id": "stands", "answer": "The excess is £75 for a repair.", "sources": [POLICY["text"]]}
    yield {"id": "falls", "answer": "The excess is £95 for a repair.", "sources": [POLICY["text"]]}
    for number in range(count):
        yield {"id": number, "question": f"What is the excess for a repair, case {number}?", "passages": [POLICY]}


@pytest.fixture
def tasks_file(tmp_path):
    path = tmp_path / "tasks.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in _lines(6)), encoding="utf-8")
    return path


def _table(path):
    return {row["id"]: row for row in parquet.read_table(path).to_pylist()}


def _same(row):
    """A row less what differs from run to run."""
    record = json.loads(row.record) if row.record else {}
    for key in ("latency_ms", "time_to_first_token_ms", "attempts"):
        record.pop(key, None)
    return row.model_dump(exclude={"latency_ms", "record"}) | {"record": record}


def test_a_file_becomes_a_table(tasks_file, tmp_path, env):
    """Answers, refusals and checks, in the file's order, with their records whole; the journal is gone."""
    out = tmp_path / "answers.parquet"
    done = run("batch", tasks_file, "-o", out, env=env)
    assert done.returncode == 0, done.stderr
    table = parquet.read_table(out)
    assert table.column_names == list(COLUMNS)
    assert table["id"].to_pylist() == ["q", "moon", "stands", "falls", *map(str, range(6))]
    rows = _table(out)
    assert [rows[each]["status"] for each in ("q", "moon", "stands", "falls")] == [
        "answered",
        "refused",
        "stands",
        "falls",
    ]
    assert "£75" in rows["q"]["text"]
    assert json.loads(rows["q"]["record"])["citations"]
    assert not list(tmp_path.glob("*.journal"))


def test_lines_without_sources_are_answered_from_the_folder(tmp_path, folder, env):
    """The same folder the other commands read."""
    path = tmp_path / "tasks.jsonl"
    path.write_text('{"id": "w", "question": "What is the windscreen excess for a repair?"}', encoding="utf-8")
    out = tmp_path / "answers.jsonl"
    assert run("batch", path, folder, "-o", out, env=env).returncode == 0
    assert "£75" in json.loads(out.read_text(encoding="utf-8"))["text"]


async def test_one_failure_costs_one_row_and_the_next_run_does_only_that(tmp_path):
    """Four rows stand, one failed; asked again, the provider hears of one question only."""
    path, out = tmp_path / "tasks.jsonl", tmp_path / "answers.jsonl"
    path.write_text(
        "\n".join(json.dumps({"id": n, "question": f"Excess {n}?", "passages": [POLICY]}) for n in range(5)),
        encoding="utf-8",
    )
    good = Reply(text="The excess is £75 for a repair [1].")
    async with ScriptedLLM(good, good, Reply(status=400), good, good) as llm:
        environment = {**os.environ, "OPENAI_API_KEY": "k"}
        command = [*COMMAND, "batch", path, "-o", out, "--provider", "openai", "--model", "m", "--concurrency", "1"]
        command = [*map(str, command), "--base-url", llm.url("openai"), "--price-in", "2", "--price-out", "8"]

        async def once():
            process = await asyncio.create_subprocess_exec(*command, env=environment, stderr=asyncio.subprocess.PIPE)
            _, said = await process.communicate()
            return process.returncode, said.decode()

        status, said = await once()
        assert status == 1, said
        rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
        assert [row["status"] for row in rows] == ["answered", "answered", "error", "answered", "answered"]
        assert all(row["cost"] > 0 for row in rows if row["status"] == "answered")
        asked = len(llm.requests)
        status, said = await once()
        assert status == 0, said
        assert "4 of 5 were done before" in said
        assert len(llm.requests) == asked + 1
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [row["status"] for row in rows] == ["answered"] * 5


def test_a_killed_run_goes_on_where_it_stopped(tmp_path, env):
    """Killed with some rows done: the next run keeps them, and the table is whole."""
    path, out = tmp_path / "tasks.jsonl", tmp_path / "answers.parquet"
    long = {
        "title": "Long",
        "text": "\n\n".join(f"Section {n}. {POLICY['text']} Rule {n} applies." for n in range(250)),
    }
    path.write_text(
        "\n".join(json.dumps({"id": n, "question": f"What is rule {n}?", "passages": [long]}) for n in range(20)),
        encoding="utf-8",
    )
    journal = tmp_path / "answers.parquet.journal"
    process = subprocess.Popen([*COMMAND, "batch", str(path), "-o", str(out), "--concurrency", "1"], env=env)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and (not journal.exists() or journal.read_bytes().count(b"\n") < 3):
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept = journal.read_bytes().count(b"\n")
    assert 3 <= kept < 20
    assert not out.exists()
    done = run("batch", path, "-o", out, env=env)
    assert done.returncode == 0, done.stderr
    assert f"{kept} of 20 were done before" in done.stderr
    assert parquet.read_table(out).num_rows == 20


def test_half_a_line_of_a_killed_run_is_done_again(tmp_path):
    """The whole lines stand; what was half written does not."""
    row = Row(place=1, id="a", kind="answer", question="q", status="answered")
    journal = Journal.beside(tmp_path / "t.parquet")
    journal.write("m1", row)
    journal.close()
    with journal.path.open("a", encoding="utf-8") as lines:
        lines.write('{"mark": "m2", "row": {"pl')
    again = Journal.beside(tmp_path / "t.parquet")
    assert again.done("m1")
    assert not again.done("m2")
    again.write("m2", row)
    again.close()
    assert Journal.beside(tmp_path / "t.parquet").done("m2")


def test_another_question_or_way_is_another_task():
    """What was done before counts only if it is the same in every part."""
    work, task = Work(), Task(1, "a", "q")
    assert work.mark(task) == work.mark(Task(9, "a", "q"))
    others = {work.mark(Task(1, "a", "other")), work.mark(Task(1, "a", "q", sources=(("t", "x"),)))}
    others |= {Work(provider="openai").mark(task), Work(passages=3).mark(task)}
    assert len(others | {work.mark(task)}) == 5


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "not JSON"),
        ("[]", "write"),
        ('{"id": 1}', "it has neither"),
        ('{"question": 3}', "question is not text"),
        ('{"question": "q", "sources": [7]}', "source 1 has no text"),
        ('{"question": "q", "id": []}', "the id"),
    ],
)
def test_a_line_that_is_no_task_is_named_and_the_rest_goes_on(tmp_path, line, said):
    """One bad line costs one row."""
    path = tmp_path / "tasks.jsonl"
    path.write_text(line + '\n{"id": "ok", "question": "q"}', encoding="utf-8")
    bad, good = read_tasks(path)
    assert isinstance(bad, SourceError)
    assert f"line 1: {said}" in str(bad)
    assert good.id == "ok"


def test_the_output_is_named_for_what_it_is(tmp_path, tasks_file, env):
    """A name that says nothing is a usage error before anything is asked."""
    done = run("batch", tasks_file, "-o", tmp_path / "answers.xlsx", env=env)
    assert done.returncode == 2
    assert ".parquet" in done.stderr


def test_a_spreadsheet_runs_nothing(tmp_path):
    """A cell that would be a formula is text in the CSV."""
    row = Row(place=1, id="a", kind="answer", question='=HYPERLINK("http://x")', status="answered", text="@SUM(A1)")
    write_table([row], tmp_path / "t.csv")
    with (tmp_path / "t.csv").open(encoding="utf-8", newline="") as file:
        (told,) = csv.DictReader(file)
    assert told["question"].startswith("'=")
    assert told["text"].startswith("'@")
    with pytest.raises(ConfigurationError, match="cannot be written"):
        write_table([row], tmp_path / "none" / "t.csv")


async def test_a_reader_who_leaves_stops_the_work(tasks_file):
    """No task goes on after the rows are no longer read."""
    rows = run_local([each for each in read_tasks(tasks_file) if isinstance(each, Task)], Work(), concurrency=4)
    await anext(rows)
    await rows.aclose()
    assert not [task for task in asyncio.all_tasks() if "Worker.do" in repr(task)]


_ON_RAY = """
import json, os, signal, sys, threading, time
from pathlib import Path
from footnoted.batch import Task, Work
from footnoted.batch.on_ray import run_on_ray

killed = []

def actors():
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if place.read_bytes().startswith(b"ray::MapWorker"):
                yield int(place.parent.name)
        except OSError:
            continue

def kill():
    deadline = time.monotonic() + 280
    while not killed and time.monotonic() < deadline:
        for process in actors():
            time.sleep(1)
            os.kill(process, signal.SIGKILL)
            killed.append(process)
            return
        time.sleep(0.05)

tasks = [Task(**(task | {"sources": tuple(map(tuple, task["sources"]))})) for task in json.loads(sys.stdin.read())]
threading.Thread(target=kill, daemon=True).start()
rows = [row.model_dump() for _, row in run_on_ray(tasks, Work(provider="openai", model="m", base_url=sys.argv[1]), actors=1)]
from ray._common.usage.usage_lib import usage_stats_enabled
print(json.dumps({"killed": len(killed), "rows": rows, "telling": usage_stats_enabled()}))
"""


@pytest.mark.timeout(600)
async def test_ray_gives_the_same_rows_and_a_killed_worker_loses_none(tmp_path, monkeypatch):
    """An actor is killed in the middle: every task has exactly one row, and each is what this process says."""
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    sources = ((POLICY["title"], POLICY["text"]),)
    tasks = [Task(n, str(n), f"What is excess {n}?", sources=sources) for n in range(60)]
    async with ScriptedLLM(Reply(text="The excess is £75 for a repair [1].", delay=0.2)) as llm:
        work = Work(provider="openai", model="m", base_url=llm.url("openai"))
        here = {task.id: _same(row) async for task, row in run_local(tasks, work, concurrency=30)}
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", _ON_RAY, llm.url("openai")),
            # A machine under load starts its cluster slowly.
            env={**os.environ, "RAY_raylet_start_wait_time_s": "150", "RAY_USAGE_STATS_ENABLED": "1"},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        told, said = await process.communicate(json.dumps([asdict(task) for task in tasks]).encode())
    assert process.returncode == 0, said.decode()[-2000:]
    found = json.loads(told.decode().splitlines()[-1])
    assert found["killed"] == 1
    assert not found["telling"], "Ray would tell its makers of this use"
    assert len(found["rows"]) == 60
    assert {row["id"]: _same(Row.model_validate(row)) for row in found["rows"]} == here
