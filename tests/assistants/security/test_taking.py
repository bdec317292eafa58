"""A file too large to be read in passing is read by a child, with the same result; whatever happens to the child."""

import itertools
import json
import os
import signal
import subprocess
from contextlib import closing

import pytest

from footnoted.assistants.security.findings import taking
from footnoted.assistants.security.findings.taking import batches
from footnoted.errors import SourceError
from tests.assistants.security.conftest import EXAMPLES
from tests.assistants.security.test_importing import PROWLER, all_of, changed, take

LARGE = 300_000  # bytes of one record's detail


def large_file(count=30):
    """JSON lines of over four MiB, each a finding of its own, one among them twice."""
    found = [
        changed(PROWLER[n % len(PROWLER)], finding_info__uid=f"one-{n}", resources__0__uid=f"bucket-{n}")
        for n in range(count)
    ]
    rows = [json.dumps({**one, "unmapped": {**one["unmapped"], "notes": "x" * LARGE}}) for one in found]
    return "\n".join([*rows, rows[3]]).encode()


def in_pieces(data, size=100_000):
    return [data[at : at + size] for at in range(0, len(data), size)]


def children():
    """The children of this process that read findings."""
    command = ["ps", "-ww", "-o", "pid=,args=", "--ppid", str(os.getpid())]
    listed = subprocess.run(command, capture_output=True, text=True, check=True)
    return [int(line.split()[0]) for line in listed.stdout.splitlines() if "findings.taking" in line]


@pytest.fixture
def in_this_process(monkeypatch):
    def switch():
        monkeypatch.setattr(taking, "_SMALL", 1 << 40)

    return switch


def test_a_child_takes_what_this_process_takes(in_this_process):
    data = large_file()
    by_child = list(batches(in_pieces(data), "clinic"))
    in_this_process()
    here = list(batches(in_pieces(data), "clinic"))
    assert by_child == here
    assert sum(batch.read for batch in by_child) == 31
    assert sum(batch.duplicates for batch in by_child) == 1
    assert children() == []


async def test_a_large_file_is_kept_like_a_small_one(either):
    report = await take(either, large_file())
    assert (report.read, report.added, report.duplicates, report.skipped) == (31, 30, 1, 0)
    again = await take(either, large_file())
    assert (again.added, again.updated, again.unchanged) == (0, 0, 30)
    assert len(await all_of(either)) == len({one["metadata"]["event_code"] for one in PROWLER})


async def test_a_bad_record_keeps_its_line_and_an_account_its_owner(database):
    lines = large_file().split(b"\n")
    lines[10:10] = [b"{not json", b'{"a": 1}']
    report = await take(database, b"\n".join(lines))
    assert (report.added, report.skipped) == (30, 2)
    assert [one.line for one in report.problems] == [11, 12]
    none_of_mine = await take(database, large_file(), tenant="other", accounts=frozenset({"999988887777"}))
    assert (none_of_mine.added, none_of_mine.skipped) == (0, 31)


async def test_what_the_upload_raises_is_raised(database):
    """A connection that breaks is told as that, not as a damaged file."""

    def breaking():
        yield from in_pieces(large_file())
        raise ConnectionResetError("the browser was closed")

    with pytest.raises(ConnectionResetError):
        for _ in batches(breaking(), "clinic"):
            pass
    assert children() == []


def test_a_child_that_is_ended_is_told_as_an_error():
    def ending():
        for at, piece in enumerate(in_pieces(large_file())):
            if at == 60:
                (child,) = children()
                os.kill(child, signal.SIGKILL)
            yield piece

    with pytest.raises(SourceError, match="the file cannot be read"):
        for _ in batches(ending(), "clinic"):
            pass


def test_whoever_stops_early_leaves_no_child():
    endless = itertools.cycle(in_pieces(large_file() + b"\n"))
    with closing(batches(endless, "clinic")) as found:
        assert next(found).read
        assert len(children()) == 1
    assert children() == []


def test_a_child_is_told_the_tenant_where_nobody_else_reads_it(monkeypatch):
    """Neither on its command line nor in its environment."""
    started = []
    popen = subprocess.Popen

    def noted(words, **options):
        started.append((words, options["env"]))
        return popen(words, **options)

    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-nobody-else")
    monkeypatch.setattr(subprocess, "Popen", noted)
    list(batches(in_pieces(large_file()), "clinic-of-nobody-else"))
    assert len(started) == 1
    assert "of-nobody-else" not in str(started)


def test_what_is_no_findings_is_told():
    noise = (EXAMPLES / "prowler.ocsf.json").read_bytes()[1:200] + b"\0" * (5 << 20)
    told = [one for batch in batches(in_pieces(noise), "clinic") for one in batch.left_out]
    assert told
