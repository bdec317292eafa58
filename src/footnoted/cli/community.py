"""`footnoted index`, `footnoted community` and `footnoted bot`: the community responder at a terminal."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from footnoted.cli.show import (
    ANSWERED,
    FAILED,
    MARKER,
    REFUSED,
    err,
    expect,
    marked,
    out,
    progress,
    run,
    tell_unread,
    words,
    write_json,
)
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
        from footnoted.assistants.community.indexing import Manners, build_index

        expect(paths or ())
        if not (paths or url or output.exists()):
            raise ConfigurationError("name a folder, a file or --url to index")
        async with AIClient(_read(config)) as client:

            async def summarise(source_id: str, text: str) -> str:
                return await client.summarize_for_kb_index(source_id, text, _SUMMARY_SECONDS)

            with progress("indexing") as advance:
                indexed = await build_index(
                    paths or [],
                    url or [],
                    output,
                    summarise=summarise,
                    manners=Manners(http=allow_http, private=allow_private),
                    advance=advance,
                    again=again,
                )
        return _told_index(indexed, output)

    _quiet()
    run(work())


def community(
    message: Annotated[str, typer.Argument(help="A message as somebody would post it; or: fit", metavar="MESSAGE")],
    messages: Annotated[
        Path | None, typer.Argument(help="With fit: labelled threads (JSON lines).", metavar="[FILE]")
    ] = None,
    config: ConfigFile = None,
    index: Annotated[Path | None, typer.Option("--index", help="The index, instead of the config's.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Tell what each node decided.")] = False,
    precision: Annotated[
        float, typer.Option("--precision", min=0.5, max=1.0, help="With fit: the share of replies that must be right.")
    ] = 0.9,
) -> None:
    """Run one message through the responder, or `fit` its certainty to one's own labelled threads.

    Exit status: 0 replied (or fitted), 3 stayed silent (or no certainty is good enough), 2 usage, 1 failed.
    """

    async def work() -> int:
        from footnoted.assistants.community.client import AIClient
        from footnoted.assistants.community.talk import Conversation, RequestContext

        async with AIClient(_read(config), knowledge=index) as client:
            _ = client.knowledge  # a missing index is told, not kept silent about
            await client.prepare()
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

    if messages is not None and message != "fit":
        raise typer.BadParameter("one message, in quotes; or: fit FILE")
    _quiet()
    run(work() if messages is None else _fit(messages, config, index, precision, as_json=as_json))


async def _fit(messages: Path, config: Path | None, index: Path | None, precision: float, *, as_json: bool) -> int:
    """The curve of one's own messages, and the certainty in the config that fits them."""
    from footnoted.assistants.community.client import AIClient
    from footnoted.assistants.community.labelled import certainty_for, curve, play, read_labelled

    threads = read_labelled(messages)
    known = _read(config)
    ai = known.ai.model_copy(update={"certainty": 0.0})
    async with AIClient(known.model_copy(update={"ai": ai}), knowledge=index) as client:
        _ = client.knowledge
        await client.read_ahead()
        points = curve(await play(client, threads))
    best = certainty_for(points, precision)
    if as_json:
        rows = [
            {"certainty": at.certainty, "replies": at.replies, "right": at.right, "spoke_where_silent": at.spoke,
             "precision": round(at.precision, 4), "recall": round(at.recall, 4)}
            for at in points
        ]  # fmt: skip
        write_json(json.dumps({"certainty": best.certainty if best else None, "threads": len(threads), "points": rows}))
    else:
        for point in points:
            bar = "█" * round(24 * point.precision)
            shares = f"precision {point.precision:6.1%} {bar:<24}  recall {point.recall:6.1%} of {point.wanted}"
            needless = f"needless {point.spoke} of {point.unwanted}{' ◄' if point is best else ''}"
            out.print(words(f"{point.certainty:6.3f}  {shares}  {needless}"))
    if best is None:
        err.print(words(f"no certainty makes {precision:.0%} of the replies right; nothing was written", "yellow"))
        return REFUSED
    if config is None:
        err.print(words(f"ai.certainty: {best.certainty:.3f}  (name a config with -c to have it written there)", "dim"))
    else:
        _rewrite(config, best.certainty)
        err.print(words(f"{config}: ai.certainty is now {best.certainty:.3f}", "dim"))
    return ANSWERED


def _rewrite(config: Path, certainty: float) -> None:
    from footnoted.assistants.community.config import with_certainty

    config.write_text(with_certainty(config.read_text("utf-8"), certainty), "utf-8")


def bot(
    config: ConfigFile = None,
    rehearsal: Annotated[
        Path | None, typer.Option("--rehearse", help="Threads (JSON lines) to play through a Discord on loopback.")
    ] = None,
) -> None:
    """Listen in the configured Discord channels and at the webhook, and reply there, until stopped; or rehearse."""

    async def work() -> int:
        from footnoted.assistants.community.discord_bot import serve

        await serve(_read(config))
        return ANSWERED

    async def rehearse_all(path: Path) -> int:
        from footnoted.assistants.community.labelled import read_labelled
        from footnoted.assistants.community.rehearsing import rehearse

        played = posted = failed = 0
        async for rehearsed in rehearse(_read(config), read_labelled(path)):
            played, posted = played + 1, posted + bool(rehearsed.posts)
            latest, debug = rehearsed.thread.talk.latest, rehearsed.result.debug or {}
            out.print(words(f"{rehearsed.thread.id}  {latest.author}: {on_one_line(latest.text)}", "bold"))
            failed += debug.get("stopped") == "error"
            silence = f"(silence: {': '.join(filter(None, map(debug.get, ('stopped', 'words')))) or 'replied'})"
            out.print(words("\n".join(rehearsed.posts) or silence), "")
        out.print(words(f"{played} threads, {posted} would be replied to{f', {failed} failed' if failed else ''}"))
        return FAILED if failed else ANSWERED

    if rehearsal is not None:
        _quiet()
    run(work() if rehearsal is None else rehearse_all(rehearsal))


def _read(config: Path | None) -> CommunityConfig:
    from footnoted.assistants.community.config import read_config

    return read_config(config)


def _quiet() -> None:
    """Logs are for a bot that runs; a command at a terminal says what it has to say itself."""
    import structlog

    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))


def _told_index(indexed: Indexed, output: Path) -> int:
    for source, reason in indexed.failed.items():
        err.print(words(f"failed: {source}: {reason}", "yellow"))
    tell_unread(indexed.passed_over)
    for source in indexed.gone:
        err.print(words(f"gone: {source}", "yellow"))
    parts = [f"{len(indexed.entries)} sources", f"{len(indexed.done)} summarised", f"{len(indexed.kept)} unchanged"]
    if indexed.failed:
        parts.append(f"{len(indexed.failed)} failed")
    if indexed.passed_over:
        parts.append(f"{len(indexed.passed_over)} not read")
    out.print(words(f"{output}: {', '.join(parts)}"))
    return ANSWERED


def _show(result: AIResult) -> None:
    if not result.should_reply or result.reply_text is None:
        err.print(words("(no reply)", "dim"))
        return
    markers = {(citation.start_pos, citation.end_pos): MARKER for citation in result.citations}
    out.print(marked(result.reply_text, markers))


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


def _in_words(decision: Any) -> str:
    if isinstance(decision, dict):
        fields = (f"{name}: {value}" for name, value in decision.items() if value not in (None, "", []))
        return on_one_line("; ".join(fields))
    return ", ".join(map(str, decision)) if decision else "none"
