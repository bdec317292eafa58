"""`footnoted index`, `footnoted community`, `footnoted bot`: documents, a message, a chat in; an index, replies out."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

import typer

from footnoted.cli.show import ANSWERED, FAILED, MARKER, REFUSED, err, out, run, words, write_json
from footnoted.errors import ConfigurationError
from footnoted.inert import on_one_line

if TYPE_CHECKING:
    from footnoted.assistants.community import AIResult, CommunityConfig
    from footnoted.assistants.community.indexing import Indexed

_SUMMARY_SECONDS = 60.0
ConfigFile = Annotated[
    Path | None, typer.Option("--config", "-c", help="config.yaml; without one, the commented default.")
]


def index(
    paths: Annotated[
        list[Path] | None, typer.Argument(help="Files or folders (Markdown, HTML, PDF, DOCX, text).")
    ] = None,
    url: Annotated[list[str] | None, typer.Option("--url", help="A page to fetch; may be given again.")] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="The index to write.")] = Path("index.md"),
    config: ConfigFile = None,
    again: Annotated[bool, typer.Option("--again", help="Summarise everything anew, edited summaries too.")] = False,
    allow_http: Annotated[bool, typer.Option("--allow-http", help="Fetch http: pages too.")] = False,
    allow_private: Annotated[bool, typer.Option("--allow-private", help="Fetch from private addresses too.")] = False,
) -> None:
    """Write or refresh a knowledge base's index: one summarised entry a source, only what changed done again."""

    async def work() -> int:
        from footnoted.assistants.community.client import AIClient
        from footnoted.assistants.community.fetching import Manners
        from footnoted.assistants.community.indexing import build_index

        missing = [str(path) for path in paths or () if not path.exists()]
        if missing:
            raise ConfigurationError(f"no such file or folder: {', '.join(missing)}")
        if not (paths or url or output.exists()):
            raise ConfigurationError("name a folder, a file or --url to index")
        async with AIClient(_read(config)) as client:

            async def summarise(source_id: str, text: str) -> str:
                return await client.summarize_for_kb_index(source_id, text, _SUMMARY_SECONDS)

            with _Progress() as progress:
                told = await build_index(
                    paths or [],
                    url or [],
                    output,
                    summarise=summarise,
                    manners=Manners(http=allow_http, private=allow_private),
                    advance=progress.advance,
                    again=again,
                )
        return _told_index(told, output)

    _quiet()
    run(work())


def community(
    message: Annotated[str, typer.Argument(help="A message as somebody would post it.")],
    config: ConfigFile = None,
    index: Annotated[Path | None, typer.Option("--index", help="The index, instead of the config's.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the AIResult as JSON.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Tell what each node decided.")] = False,
) -> None:
    """Run one message through the responder. Exit status: 0 replied, 3 stayed silent, 2 usage, 1 failed."""

    async def work() -> int:
        from footnoted.assistants.community.client import AIClient
        from footnoted.assistants.community.talk import Conversation, RequestContext

        async with AIClient(_read(config), knowledge=index) as client:
            _ = client.knowledge  # a missing index is told, not kept silent about
            result = await client.generate_reply(Conversation(message), RequestContext("cli", "terminal"))
        if as_json:
            write_json(result.model_dump_json(indent=2))
        else:
            _show(result)
        if explain and not as_json:
            _explain(result)
        if "error" in (result.debug or {}):
            return FAILED
        return ANSWERED if result.should_reply else REFUSED

    _quiet()
    run(work())


def bot(config: ConfigFile = None) -> None:
    """Listen in the configured Discord channels and reply in threads, until stopped."""

    async def work() -> int:
        from footnoted.assistants.community.discord_bot import serve

        await serve(_read(config))
        return ANSWERED

    run(work())


def _read(config: Path | None) -> CommunityConfig:
    from footnoted.assistants.community.config import read_config

    return read_config(config)


def _quiet() -> None:
    """Logs are for a bot that runs; a command at a terminal says what it has to say itself."""
    import structlog

    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))


class _Progress:
    """A bar on a terminal, nothing elsewhere."""

    def __enter__(self) -> Self:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        columns = (
            TextColumn("indexing"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[source]}", markup=False),
        )
        self._bar = Progress(*columns, console=err, transient=True, disable=not err.is_terminal)
        self._task = self._bar.add_task("indexing", total=None, source="")
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def advance(self, done: int, total: int, source: str) -> None:
        self._bar.update(self._task, completed=done, total=total, source=on_one_line(source))


def _told_index(told: Indexed, output: Path) -> int:
    for source, reason in told.failed.items():
        err.print(words(f"failed: {source}: {reason}", "yellow"))
    for source in told.gone:
        err.print(words(f"gone: {source}", "yellow"))
    parts = [f"{len(told.entries)} sources", f"{len(told.done)} summarised", f"{len(told.kept)} unchanged"]
    if told.failed:
        parts.append(f"{len(told.failed)} failed")
    out.print(words(f"{output}: {', '.join(parts)}"))
    return ANSWERED


def _show(result: AIResult) -> None:
    if not result.should_reply or result.reply_text is None:
        err.print(words("(no reply)", "dim"))
        return
    text, at = result.reply_text, 0
    for start, end in sorted({(one.start_pos, one.end_pos) for one in result.citations}):
        out.print(words(text[at:start]), end="")
        out.print(words(text[start:end], MARKER), end="")
        at = end
    out.print(words(text[at:]))


def _explain(result: AIResult) -> None:
    debug: dict[str, Any] = result.debug or {}
    for node, key in (
        ("gating", "gate"),
        ("selection", "selected"),
        ("loading", "loaded"),
        ("generation", "draft"),
        ("verification", "verification"),
    ):
        if key in debug:
            err.print(words(f"{node:<13}", "bold"), words(_in_words(debug[key])), sep="")
    if debug.get("error"):
        err.print(words(f"{'error':<13}", "bold red"), words(f"{debug['error']}: {debug['words']}"), sep="")
    err.print(words(f"{'outcome':<13}", "bold"), words(debug.get("stopped") or "replied"), sep="")


def _in_words(decided: Any) -> str:
    if isinstance(decided, dict):
        return on_one_line(
            "; ".join(f"{name}: {value}" for name, value in decided.items() if value not in (None, "", []))
        )
    return ", ".join(map(str, decided)) if decided else "none"
