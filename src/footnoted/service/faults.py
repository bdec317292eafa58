"""Turns whatever goes wrong into a status, a code and words for a person, never a traceback."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from typing import Any

from footnoted.errors import (
    ConfigurationError,
    FootnotedError,
    ProviderError,
    ProviderRejected,
    ProviderTimeout,
    RateLimited,
    SourceError,
)


class Fault(FootnotedError):
    """An answer to a request that says why there is no other. ``retry_after`` in seconds; ``param`` is at fault.

    ``renews_at``: when what was used up is there again, as ISO 8601.
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        retry_after: float | None = None,
        param: str | None = None,
        renews_at: str | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.retry_after = retry_after
        self.param = param
        self.renews_at = renews_at

    @property
    def headers(self) -> dict[str, str]:
        """``Retry-After``, whole seconds, at least one."""
        if self.retry_after is None:
            return {}
        return {"Retry-After": str(max(1, round(self.retry_after + 0.499)))}


def not_found(what: str) -> Fault:
    """The same for what never was and for what is another's."""
    return Fault(404, "not_found", what)


def unavailable(what: str) -> Fault:
    """Something this service stands on is away."""
    return Fault(503, "unavailable", f"{what} cannot be reached; try again", retry_after=2.0)


def full(what: str) -> Fault:
    """Something this service stands on is there, and has no place left for one more."""
    return Fault(503, "overloaded", f"too many requests wait for {what}; try again", retry_after=1.0)


def too_large(what: str) -> Fault:
    """More than may be sent."""
    return Fault(413, "too_large", what)


_PROVIDER_FAULTS: tuple[tuple[type[FootnotedError], int, str, str], ...] = (
    (ProviderTimeout, 504, "provider_timeout", "the model said nothing in time"),
    (RateLimited, 503, "unavailable", "the model's provider is busy; try again"),
    (ProviderRejected, 502, "provider_rejected", "the model's provider refused this request"),
    (ProviderError, 502, "provider_failed", "the model's provider failed"),
    (ConfigurationError, 503, "unavailable", "this service is not set up to answer that"),
)


def fault_of(error: BaseException) -> Fault:
    """The fault an error of the library becomes.

    Words of a provider stay in the log: they may quote a key, an address, or a customer's text.
    """
    if isinstance(error, Fault):
        return error
    if isinstance(error, SourceError):
        return Fault(422, "unreadable_document", str(error))
    for kind, status, code, words in _PROVIDER_FAULTS:
        if isinstance(error, kind):
            wish = getattr(error, "retry_after", None)
            return Fault(status, code, words, retry_after=(2.0 if wish is None else wish) if status == 503 else None)
    if (fault := storage_fault(error)) is not None:
        return fault
    return Fault(500, "internal", "something went wrong here; the log of this service has more")


def storage_fault(error: BaseException) -> Fault | None:
    """What it becomes when the database is away or full, or the disk is; nothing for any other error."""
    from sqlalchemy import exc

    if isinstance(error, exc.TimeoutError):  # all of its connections stayed taken
        return full("the database")
    if isinstance(error, exc.DBAPIError):
        cause: Any = error.orig  # in the words of PostgreSQL (class 53100) or SQLite
        no_room = getattr(cause, "sqlstate", "") == "53100" or getattr(cause, "sqlite_errorname", "") == "SQLITE_FULL"
        away = bool(error.connection_invalidated) or isinstance(error, exc.OperationalError | exc.InterfaceError)
    else:
        no_room = isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)
        away = isinstance(error, OSError | TimeoutError)
    if no_room:
        return Fault(507, "disk_full", "the disk of this service is full; nothing was kept", retry_after=60)
    return unavailable("the database") if away else None


def words_of(errors: Sequence[Any]) -> str:
    """Pydantic's errors in one line a person can act on; the value that was sent is not repeated."""
    said = []
    for error in errors[:5]:
        where = ".".join(str(part) for part in error["loc"] if part not in ("body", "query", "path", "header"))
        what = str(error["msg"]).removeprefix("Value error, ")
        said.append(f"{where}: {what}" if where else what)
    if len(errors) > 5:
        said.append(f"and {len(errors) - 5} more")
    return "; ".join(said)
