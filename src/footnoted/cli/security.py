"""`footnoted findings`, `footnoted kb`, `footnoted advise`: imports scanners' files and answers questions on them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from footnoted.cli.answers import BaseUrl, Model, ProviderName, status_of
from footnoted.cli.show import (
    ANSWERED,
    FAILED,
    MARKER,
    REFUSED,
    USAGE,
    err,
    out,
    progress,
    run,
    words,
    write,
    write_as_json,
)
from footnoted.errors import ConfigurationError
from footnoted.inert import on_one_line

if TYPE_CHECKING:
    from footnoted.assistants.security.advice.answer import AdviceEvent, AdviceFinished, AnswerService
    from footnoted.assistants.security.findings.importing import ImportReport
    from footnoted.assistants.security.findings.records import BadRecord
    from footnoted.store import Database

TENANT = "local"
STYLES = {"critical": "bold red", "high": "dark_orange", "medium": "yellow", "low": "green", "informational": "dim"}

findings = typer.Typer(
    help="Findings of your cloud scanners: import them, look through them.",
    no_args_is_help=True,
    epilog="Example: footnoted findings import prowler.ocsf.json",
)
kb = typer.Typer(
    help="The knowledge base: the shipped controls, and what you add.",
    no_args_is_help=True,
    epilog="Example: footnoted kb import catalog.oscal.json",
)

Files = Annotated[list[Path], typer.Argument(help="Files to import.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Where = Annotated[
    str | None,
    typer.Option(
        "--database", envvar="DATABASE_URL", help="sqlite:///file.db or postgresql://…; a local file if not given."
    ),
]
Tenant = Annotated[str, typer.Option("--tenant", envvar="FOOTNOTED_TENANT", help="Whose findings.")]


@findings.command("import", epilog="Example: footnoted findings import prowler.ocsf.json")
def import_(
    files: Files,
    account: Annotated[
        list[str] | None, typer.Option("--account", help="Keep only findings of this account; repeat for more.")
    ] = None,
    complete: Annotated[
        bool | None,
        typer.Option("--complete/--part", help="The files are whole scans, or parts of them; if not given, found out."),
    ] = None,
    database: Where = None,
    tenant: Tenant = TENANT,
    as_json: AsJson = False,
) -> None:
    """Import Prowler (OCSF JSON, CSV) or AWS Security Hub (ASFF) files. Twice is the same as once.

    Exit status: 0 all records kept, 1 some were left out (each is named with its line), 2 nothing could be read.
    """
    from footnoted.assistants.security import FindingsService
    from footnoted.assistants.security.findings.reading import open_file, pieces_of

    async def import_one(service: FindingsService, path: Path) -> ImportReport:
        from rich.progress import DownloadColumn

        accounts, size = frozenset(account or ()), _size(path)
        with open_file(path) as file, progress("importing", amount=DownloadColumn(), shown=not as_json) as advance:
            pieces = pieces_of(file, progress=lambda read: advance(read, size, path.name))
            return await service.import_file(tenant, pieces, accounts=accounts, complete=complete)

    run(_import_all(FindingsService, files, import_one, _tell_import, database=database, as_json=as_json))


async def _import_all(
    kind: Callable[[Database], Any],
    files: list[Path],
    import_one: Callable[[Any, Path], Awaitable[Any]],
    tell: Callable[[Path, Any], None],
    *,
    database: str | None,
    as_json: bool,
) -> int:
    """Import files into a service of that kind, and tell of each; the exit status."""
    statuses, reports = [], []
    async with _database(database) as opened:
        service = kind(opened)
        await service.prepare()
        for path in files:
            report = await import_one(service, path)
            reports.append({"file": str(path), **report.as_json()})
            statuses.append(USAGE if not report.read else FAILED if report.skipped else ANSWERED)
            if not as_json:
                tell(path, report)
    if as_json:
        write_as_json(reports)
    read_none = all(status == USAGE for status in statuses)
    return USAGE if read_none else min(max(statuses), FAILED)  # a file that is none costs only itself


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


def _tell_import(path: Path, report: ImportReport) -> None:
    from footnoted.assistants.security.severity import Severity

    kept = f"{report.added} new, {report.updated} updated, {report.unchanged} unchanged"
    more = f", {report.duplicates} twice in the file" if report.duplicates else ""
    out.print(words(f"{on_one_line(path.name)}: {report.kept} findings ({kept}{more})", "bold"))
    counts = {one: report.severities[one.value] for one in Severity if one.value in report.severities}
    if counts:
        out.print(words("  " + "  ".join(f"{one.mark} {count} {one.value}" for one, count in counts.items())))
    if report.partial:
        accounts = ", ".join(map(on_one_line, report.partial[:5])) + (" …" if len(report.partial) > 5 else "")
        out.print(words(f"  no whole scan of {accounts}: what the file does not name stands as before"))
    _tell_problems(report.problems)
    if report.skipped > 20:
        err.print(words(f"  and {report.skipped - 20} more records were left out", "yellow"))


@findings.command("list", epilog="Example: footnoted findings list --severity critical --service s3")
def list_(
    severity: Annotated[
        list[str] | None, typer.Option("--severity", help="critical, high, medium, low, informational.")
    ] = None,
    framework: Annotated[
        list[str] | None, typer.Option("--framework", help="hipaa, soc2, pci-dss, gdpr, cis-aws, nist-800-53 …")
    ] = None,
    service: Annotated[list[str] | None, typer.Option("--service", help="s3, iam, ec2 …")] = None,
    status: Annotated[
        list[str] | None, typer.Option("--status", help="fail (if not given), pass, manual, muted, all.")
    ] = None,
    page: Annotated[int, typer.Option("--page", min=1)] = 1,
    per_page: Annotated[int, typer.Option("--per-page", min=1, max=200)] = 20,
    database: Where = None,
    tenant: Tenant = TENANT,
    as_json: AsJson = False,
) -> None:
    """List findings, gravest first. Exit status: 0 some, 3 none."""

    async def work() -> int:
        from footnoted.assistants.security import FindingFilters, FindingsService, Pagination
        from footnoted.assistants.security.advice.answer import finding_as_json
        from footnoted.assistants.security.names import framework_key, service_key
        from footnoted.assistants.security.severity import counts_in_words, read_severity

        unknown = [one for one in severity or () if read_severity(one) is None]
        if unknown:
            raise ConfigurationError(f"--severity {unknown[0]}: choose critical, high, medium, low or informational")
        filters = FindingFilters(
            services=tuple(service_key(one) for one in service or ()),
            frameworks=tuple(framework_key(one) for one in framework or ()),
            severities=tuple(one.casefold() for one in severity or ()),
            statuses=() if "all" in (status or ()) else tuple(status or ("fail",)),
        )
        async with _database(database) as opened:
            kept = FindingsService(opened)
            await kept.prepare()
            found = await kept.get_findings(tenant, filters, Pagination(page, per_page))
        if as_json:
            listed = [finding_as_json(one) for one in found]
            write_as_json({"total": found.total, "counts": dict(found.counts), "page": page, "findings": listed})
        else:
            for one in found:
                line = words(f"{one.severity.mark} {one.severity.label:<13} ", STYLES[one.severity.value])
                line.append(words(f"[{one.check_id}] ", "bold")).append(words(f"{one.title}"))
                line.append(words(f"  {one.resource}{f' · {one.region}' if one.region else ''}", "dim"))
                out.print(line)
            shown = f"{len(found)} of {found.total}" if found.total > len(found) else str(found.total)
            out.print(words(f"{shown} findings{f': {counts_in_words(found.counts)}' if found.counts else ''}", "dim"))
        return ANSWERED if found.total else REFUSED

    run(work())


@kb.command("import", epilog="Example: footnoted kb import catalog.oscal.json")
def import_knowledge(files: Files, database: Where = None, tenant: Tenant = TENANT, as_json: AsJson = False) -> None:
    """Import NIST OSCAL catalogues or profiles, Prowler compliance maps, or Prowler check metadata.

    Exit status: 0 all kept, 1 some records were left out, 2 nothing could be read.
    """
    from footnoted.assistants.security import KnowledgeBaseService

    async def import_one(service: KnowledgeBaseService, path: Path) -> Any:
        return await service.import_file(tenant, _bytes(path))

    run(_import_all(KnowledgeBaseService, files, import_one, _tell_knowledge, database=database, as_json=as_json))


def _tell_knowledge(path: Path, report: Any) -> None:
    kept = f"{report.added} new, {report.updated} updated, {report.unchanged} unchanged"
    out.print(words(f"{on_one_line(path.name)}: {report.read} entries ({kept})", "bold"))
    if report.title:
        out.print(words(f"  {report.title} [{report.format}]", "dim"))
    _tell_problems(report.problems)


def _tell_problems(problems: Sequence[BadRecord]) -> None:
    for problem in problems[:20]:
        err.print(words(f"  line {problem.line}: {problem.reason}", "yellow"))


def _bytes(path: Path) -> bytes:
    from footnoted.assistants.security.findings.reading import open_file

    with open_file(path) as file:
        return file.read()


def advise(
    question: Annotated[str, typer.Argument(help="What you want to know about your findings or duties.")],
    document: Annotated[
        list[Path] | None, typer.Option("--document", help="A document the question is about; repeat for more.")
    ] = None,
    provider: ProviderName = "extractive",
    model: Model = None,
    base_url: BaseUrl = None,
    database: Where = None,
    tenant: Tenant = TENANT,
    as_json: AsJson = False,
) -> None:
    """Ask an expert on your own findings.

    Exit status: 0 answered, 3 nothing to answer from or no findings imported yet, 2 usage, 1 failed.
    """

    async def work() -> int:
        if not question.strip():
            raise ConfigurationError("the question is empty; ask something in words")
        async with _database(database) as opened:
            service, conversation = await _advisor(opened, tenant, document or [], provider, model, base_url)
            try:
                if as_json:
                    advice = await service.answer(question, None, tenant, conversation_id=conversation)
                else:
                    advice = await _shown(service.advise(question, None, tenant, conversation_id=conversation))
            finally:
                await service.aclose()
        if as_json:
            write_as_json({**advice.as_json(), "response": advice.response.model_dump(mode="json")})
        else:
            _tell_sources(advice)
        nothing_imported = advice.context.looked_for_findings and not advice.context.tenant_total
        return REFUSED if nothing_imported else status_of(advice.response)

    run(work())


async def _advisor(
    database: Database, tenant: str, documents: list[Path], provider: str, model: str | None, base_url: str | None
) -> tuple[AnswerService, str]:
    from footnoted.assistants.security import AnswerService, DocumentService, FindingsService, KnowledgeBaseService

    kept = DocumentService(database)
    await kept.prepare()
    conversation = ""
    if documents:
        from hashlib import blake2b

        conversation = blake2b("\0".join(str(path.resolve()) for path in documents).encode(), digest_size=8).hexdigest()
        for path in documents:
            await kept.add(tenant, conversation, path.name, _bytes(path))
    options: dict[str, Any] = {name: value for name, value in (("model", model), ("base_url", base_url)) if value}
    service = AnswerService(provider, KnowledgeBaseService(database), FindingsService(database), kept, **options)
    return service, conversation


async def _shown(advice: AsyncGenerator[AdviceEvent]) -> AdviceFinished:
    """The whole answer, its text printed as it comes."""
    from footnoted.assistants.security.advice.answer import AdviceFinished
    from footnoted.events import TextDelta

    async with aclosing(advice) as events:
        async for event in events:
            if isinstance(event, AdviceFinished):
                out.print()
                return event
            if isinstance(event, TextDelta):
                bare = event.text.strip()
                write(event.text, MARKER if bare.startswith("[") and bare.rstrip("]").lstrip("[").isdigit() else "")
    raise AssertionError("unreachable")


def _tell_sources(advice: AdviceFinished) -> None:
    first: dict[int, dict[str, Any]] = {}
    for citation in advice.citations:
        first.setdefault(citation["number"], citation)
    if first:
        out.print("\n[bold]Sources[/bold]")
    for number, citation in sorted(first.items()):
        line = words(f"  [{number}] ", MARKER)
        line.append(words(f"{citation['kind']} ", "dim")).append(words(on_one_line(citation["title"]), "bold"))
        out.print(line)
        out.print(words(f"      “{citation['quoted_text'][:300]}”", "italic"))
    for note in advice.corrections:
        err.print(words(f"corrected: {note}", "yellow"))


@asynccontextmanager
async def _database(url: str | None) -> AsyncIterator[Database]:
    """The database of a URL, or a file of this user's own."""
    from footnoted.store import Database
    from footnoted.store.database import local_url

    async with Database(url or local_url()) as database:
        yield database
