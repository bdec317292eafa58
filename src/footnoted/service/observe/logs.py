"""Writes each log record as one JSON line with the request's id, and neither a secret nor a text in it."""

from __future__ import annotations

import logging
import sys
import traceback
from collections.abc import MutableMapping
from typing import Any

import structlog

from footnoted.service.settings import Settings

Line = MutableMapping[str, Any]


def set_up(settings: Settings) -> None:
    """Send structlog and the standard library's loggers, uvicorn's among them, to standard error, a line each."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _without_words,
    ]
    structlog.configure(
        processors=[structlog.stdlib.filter_by_level, *shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )
    renderer: Any = (
        structlog.processors.JSONRenderer() if settings.log_format == "json" else structlog.dev.ConsoleRenderer()
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*shared, _foreign_without_words],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(settings.log_level.upper())
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [], True
    # Every request is logged once, by us; libraries speak when something is wrong.
    logging.getLogger("uvicorn.access").disabled = True
    for name in ("sqlalchemy", "alembic", "aiosqlite", "asyncio", "python_multipart", "redis"):
        logging.getLogger(name).setLevel(logging.WARNING)


def _without_words(_: Any, __: str, line: Line) -> Line:
    """An exception as its type and the places it passed: its message may quote a document or a key."""
    given = line.pop("exc_info", None)
    if not given:
        return line
    error = given if isinstance(given, BaseException) else given[1] if isinstance(given, tuple) else sys.exc_info()[1]
    if error is not None:
        line["error"] = type(error).__name__
        frames = traceback.extract_tb(error.__traceback__)
        own = [frame for frame in frames if "footnoted" in frame.filename] or frames
        line["at"] = [f"{frame.filename.rpartition('footnoted/')[2]}:{frame.lineno} {frame.name}" for frame in own[-8:]]
    return line


def _foreign_without_words(_: Any, __: str, line: Line) -> Line:
    record = line.get("_record")
    if isinstance(line.get("event"), str):
        # asyncio and uvicorn put an exception's own words on the lines after the first.
        line["event"] = line["event"].partition("\n")[0][:300]
    if record is not None and record.exc_info:
        line["exc_info"] = record.exc_info
        record.exc_info = record.exc_text = None
        return _without_words(_, __, line)
    return line
