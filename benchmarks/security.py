"""What the security advisor costs: importing, a page of findings, an answer's first words, each timed and counted.

    python benchmarks/security.py [--tenants 100] [--findings 1000] [--postgres postgresql://user@host/name] [--large MB]

Findings are made from the clinic's in examples/findings, each with a resource of its own. Without ``--postgres`` a
SQLite file in a folder of its own is used. ``--large``: a file of that many megabytes is imported too, and the
process's peak memory told.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import resource
import statistics
import tempfile
import time
from contextlib import aclosing
from pathlib import Path

from footnoted.assistants.security import (
    AnswerService,
    DocumentService,
    FindingFilters,
    FindingsService,
    KnowledgeBaseService,
    Pagination,
)
from footnoted.events import TextDelta
from footnoted.store import Database

EXAMPLES = Path(__file__).parents[1] / "examples" / "findings"
RECORDS = json.loads((EXAMPLES / "prowler.ocsf.json").read_text())


def scan(count, *, size=0, name=""):
    """A file of findings, a piece a record."""
    yield b"["
    for number in range(count):
        record = json.loads(json.dumps(RECORDS[number % len(RECORDS)]))
        record["finding_info"]["uid"] += f"-{name}{number}"
        record["resources"][0]["uid"] += f"-{name}{number}"
        record["message"] = "m" * size
        yield (b"," if number else b"") + json.dumps(record).encode()
    yield b"]"


def told(name, values):
    ordered = sorted(values)
    p95 = ordered[int(len(ordered) * 0.95)]
    print(f"{name:<46} p50 {statistics.median(ordered):8.2f} ms   p95 {p95:8.2f} ms   max {ordered[-1]:8.2f} ms")


async def fill(findings, tenants, each):
    began, kept = time.perf_counter(), 0
    for number in range(tenants):
        kept += (await findings.import_file(f"tenant-{number}", [b"".join(scan(each))])).added
    took = time.perf_counter() - began
    print(f"import: {kept} findings of {tenants} tenants in {took:.1f} s, {kept / took:,.0f} a second")
    began = time.perf_counter()
    again = await findings.import_file("tenant-0", [b"".join(scan(each))])
    print(
        f"the same file again: {again.unchanged} unchanged, {again.unchanged / (time.perf_counter() - began):,.0f} a second"
    )


async def pages(findings, tenants):
    draw = random.Random(1)
    for name, filters in (
        ("page of 10 by service and framework", FindingFilters(services=("s3",), frameworks=("hipaa",))),
        ("page of 10 by framework", FindingFilters(frameworks=("pci-dss",))),
        ("page of 10, all", FindingFilters()),
    ):
        times = []
        for _ in range(200):
            tenant = f"tenant-{draw.randrange(tenants)}"
            began = time.perf_counter()
            page = await findings.get_findings(tenant, filters, Pagination(page_size=10))
            times.append((time.perf_counter() - began) * 1000)
            assert len(page) == 10
        told(name, times[5:])


class Slow:
    """A model that thinks for two and a half seconds."""

    name = "slow"

    async def stream(self, _prompt):
        await asyncio.sleep(2.5)
        yield "The bucket clinic-scans is open to everyone through its policy [2]."


async def answers(database):
    question = "Which of our S3 findings break HIPAA, and what do I fix first?"
    for name, provider, times_ in (("without a model", "extractive", 40), ("with a model of 2.5 s", Slow(), 4)):
        service = AnswerService(
            provider, KnowledgeBaseService(database), FindingsService(database), DocumentService(database)
        )
        first, whole = [], []
        for _ in range(times_):
            began, seen = time.perf_counter(), False
            async with aclosing(service.advise(question, None, "tenant-0")) as events:
                async for event in events:
                    if isinstance(event, TextDelta) and not seen:
                        seen = True
                        first.append((time.perf_counter() - began) * 1000)
            whole.append((time.perf_counter() - began) * 1000)
        told(f"first words, {name}", first[1:])
        told(f"whole answer, {name}", whole[1:])


async def large(findings, megabytes):
    size = 20_000
    count = megabytes * 1_000_000 // (size + 2_200)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.perf_counter()
    report = await findings.import_file("large", scan(count, size=size, name="large"))
    took = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(
        f"a file of {megabytes} MB: {report.added} findings in {took:.1f} s; peak memory {before // 1024} -> {after // 1024} MiB"
    )


async def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tenants", type=int, default=100)
    parser.add_argument("--findings", type=int, default=1000, help="a tenant")
    parser.add_argument("--postgres", help="an empty database's URL")
    parser.add_argument("--large", type=int, default=0, metavar="MB")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        async with Database(given.postgres or f"sqlite:///{folder}/security.db") as database:
            findings = FindingsService(database)
            await findings.prepare()
            if given.large:
                await large(findings, given.large)
            await fill(findings, given.tenants, given.findings)
            await pages(findings, given.tenants)
            await answers(database)


if __name__ == "__main__":
    asyncio.run(main())
