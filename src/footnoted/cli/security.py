"""`footnoted findings`, `footnoted kb`, `footnoted advise`: imports scanners' files and answers questions on them."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from footnoted.cli.show import ANSWERED, FAILED, MARKER, REFUSED, USAGE, err, out, run, words, write_json
from footnoted.errors import ConfigurationError, SourceError
from footnoted.inert import on_one_line
from footnoted.types import FinishReason

if TYPE_CHECKING:
    from footnoted.assistants.security.advice.answer import AdviceFinished, AnswerService
    from footnoted.assistants.security.findings.importing import ImportReport
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

    async def work() -> int:
        from footnoted.assistants.security import FindingsService

        statuses = []
        reports = []
        async with _database(database) as opened:
            service = FindingsService(opened)
            await service.prepare()
            for path in files:
                report = await _import_one(
                    service, path, tenant, quiet=as_json, accounts=frozenset(account or ()), complete=complete
                )
                reports.append({"file": str(path), **report.as_json()})
                statuses.append(USAGE if not report.read else FAILED if report.skipped else ANSWERED)
                if not as_json:
                    _tell_import(path, report)
        if as_json:
            write_json(json.dumps(reports, ensure_ascii=False, indent=2))
        return max(statuses, default=USAGE)

    run(work())


async def _import_one(service: Any, path: Path, tenant: str, *, quiet: bool, **options: Any) -> ImportReport:
    from footnoted.assistants.security.findings.reading import open_file, pieces_of

    with open_file(path) as file, _progress(path, quiet=quiet) as advance:
        found: ImportReport = await service.import_file(tenant, pieces_of(file, progress=advance), **options)
    return found


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
    for problem in report.problems[:20]:
        err.print(words(f"  line {problem.line}: {problem.reason}", "yellow"))
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
        from footnoted.assistants.security.severity import read_severity, told

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
            told_ = {
                "total": found.total,
                "counts": dict(found.counts),
                "page": page,
                "findings": [finding_as_json(one) for one in found],
            }
            write_json(json.dumps(told_, ensure_ascii=False, indent=2))
        else:
            for one in found:
                line = words(f"{one.severity.mark} {one.severity.label:<13} ", STYLES[one.severity.value])
                line.append(words(f"[{one.check_id}] ", "bold")).append(words(f"{one.title}"))
                line.append(words(f"  {one.resource}{f' · {one.region}' if one.region else ''}", "dim"))
                out.print(line)
            shown = f"{len(found)} of {found.total}" if found.total > len(found) else str(found.total)
            out.print(words(f"{shown} findings{f': {told(found.counts)}' if found.counts else ''}", "dim"))
        return ANSWERED if found.total else REFUSED

    run(work())


@kb.command("import", epilog="Example: footnoted kb import catalog.oscal.json")
def import_knowledge(files: Files, database: Where = None, tenant: Tenant = TENANT, as_json: AsJson = False) -> None:
    """Import NIST OSCAL catalogues or profiles, Prowler compliance maps, or Prowler check metadata.

    Exit status: 0 all kept, 1 some records were left out, 2 nothing could be read.
    """

    async def work() -> int:
        from footnoted.assistants.security import KnowledgeBaseService

        statuses, reports = [], []
        async with _database(database) as opened:
            service = KnowledgeBaseService(opened)
            await service.prepare()
            for path in files:
                report = await service.import_file(tenant, _bytes(path))
                reports.append({"file": str(path), **report.as_json()})
                statuses.append(USAGE if not report.read else FAILED if report.skipped else ANSWERED)
                if not as_json:
                    kept = f"{report.added} new, {report.updated} updated, {report.unchanged} unchanged"
                    out.print(words(f"{on_one_line(path.name)}: {report.read} entries ({kept})", "bold"))
                    if report.title:
                        out.print(words(f"  {report.title} [{report.format}]", "dim"))
                    for problem in report.problems[:20]:
                        err.print(words(f"  line {problem.line}: {problem.reason}", "yellow"))
        if as_json:
            write_json(json.dumps(reports, ensure_ascii=False, indent=2))
        return max(statuses, default=USAGE)

    run(work())


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise SourceError(f"no such file: {path}") from None
    except OSError as error:
        raise SourceError(f"{path} cannot be read ({(error.strerror or str(error)).lower()})") from None


def advise(
    question: Annotated[str, typer.Argument(help="What you want to know about your findings or duties.")],
    document: Annotated[
        list[Path] | None, typer.Option("--document", help="A document the question is about; repeat for more.")
    ] = None,
    provider: Annotated[
        str,
        typer.Option(
            "--provider",
            envvar="FOOTNOTED_PROVIDER",
            help="extractive (no model), openai, anthropic, gemini, compatible.",
        ),
    ] = "extractive",
    model: Annotated[str | None, typer.Option("--model", envvar="FOOTNOTED_MODEL")] = None,
    base_url: Annotated[str | None, typer.Option("--base-url", envvar="FOOTNOTED_BASE_URL")] = None,
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
                advice = await _answer(service, question, tenant, conversation, show=not as_json)
            finally:
                await service.aclose()
        if as_json:
            told = {**advice.as_json(), "response": advice.response.model_dump(mode="json")}
            write_json(json.dumps(told, ensure_ascii=False, indent=2))
        else:
            _tell_sources(advice)
        return _status(advice)

    run(work())


def _status(advice: AdviceFinished) -> int:
    finish, context = advice.response.finish_reason, advice.context
    if finish is FinishReason.REFUSED or (context.looked_for_findings and not context.tenant_total):
        return REFUSED
    return ANSWERED if finish in (FinishReason.COMPLETE, FinishReason.LENGTH) else FAILED


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


async def _answer(
    service: AnswerService, question: str, tenant: str, conversation: str, *, show: bool
) -> AdviceFinished:
    from footnoted.assistants.security.advice.answer import AdviceFinished
    from footnoted.events import TextDelta

    advice = service.advise(question, None, tenant, (), conversation_id=conversation)
    async with aclosing(advice) as events:
        async for event in events:
            if isinstance(event, AdviceFinished):
                if show:
                    out.print()
                return event
            if show and isinstance(event, TextDelta):
                _write(event.text)
    raise AssertionError("unreachable")


def _write(text: str) -> None:
    style = MARKER if text.strip().startswith("[") and text.strip().rstrip("]").lstrip("[").isdigit() else ""
    out.print(words(text, style), end="")
    out.file.flush()


def _tell_sources(advice: AdviceFinished) -> None:
    shown: dict[int, None] = {}
    for one in sorted(advice.citations, key=lambda each: each["number"]):
        if one["number"] in shown:
            continue
        if not shown:
            out.print("\n[bold]Sources[/bold]")
        shown[one["number"]] = None
        line = words(f"  [{one['number']}] ", MARKER)
        line.append(words(f"{one['kind']} ", "dim")).append(words(on_one_line(one["title"]), "bold"))
        out.print(line)
        out.print(words(f"      “{one['quoted_text'][:300]}”", "italic"))
    for note in advice.corrections:
        err.print(words(f"corrected: {note}", "yellow"))


@asynccontextmanager
async def _database(url: str | None) -> AsyncIterator[Database]:
    """The database of a URL, or a file of this user's own."""
    from footnoted.store import Database

    async with Database(url or f"sqlite:///{_local_file()}") as database:
        yield database


def _local_file() -> Path:
    """Where findings are kept when no database is named: the user's data folder, by the XDG convention."""
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "footnoted" / "footnoted.db"


@contextmanager
def _progress(path: Path, *, quiet: bool) -> Iterator[Callable[[int], None] | None]:
    name, size = path.name, path.stat().st_size if path.is_file() else 0
    if quiet or not err.is_terminal or not size:
        yield None
        return
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("importing {task.fields[file]}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=err, transient=True) as progress:
        task = progress.add_task("importing", total=size, file=on_one_line(name))

        def advance(read: int) -> None:
            progress.update(task, completed=read)

        yield advance
