"""One tree of errors, sorted by what the caller would do.

FootnotedError
├── ConfigurationError        you: a key, a name, a folder, an argument; fix it and run again
├── SourceError               you: a file that cannot be read as text; names the file and why
├── ProviderError             the world: carries provider, status, attempts
│   ├── RateLimited           wait ``retry_after`` seconds
│   ├── ProviderTimeout       a deadline passed
│   ├── ProviderUnavailable   refused, reset, 5xx: try again later or elsewhere
│   ├── ProviderRejected      the request itself was refused (key, model, size): retrying is vain
│   └── BadProviderReply      what came back is not the protocol
└── StructuredOutputError     the model's reply never fitted the schema, one repair included

A refusal ("the sources do not hold it") is an answer, not an error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from footnoted.types import Attempt


class FootnotedError(Exception):
    """Everything this package raises on purpose."""


class ConfigurationError(FootnotedError):
    """Something you set, or did not set, keeps this from running; the message says what to do.

    ``typed`` says it to whoever sits at a terminal, where options stand for arguments.
    """

    def __init__(self, message: str = "", *, typed: str = "") -> None:
        super().__init__(message)
        self.typed = typed or message


class SourceError(FootnotedError):
    """A source could not be read; the message names it and says why."""


class ProviderError(FootnotedError):
    """A provider failed. ``attempts`` lists every try, the retried ones included."""

    def __init__(
        self,
        message: str,
        *,
        provider: str = "",
        status: int | None = None,
        attempts: tuple[Attempt, ...] = (),
    ) -> None:
        super().__init__(message)
        self.provider = provider
        self.status = status
        self.attempts = attempts

    @property
    def transient(self) -> bool:
        """Whether the same request may succeed later."""
        return isinstance(self, RateLimited | ProviderTimeout | ProviderUnavailable)


class RateLimited(ProviderError):
    """Too many requests. ``retry_after`` is the provider's own wish in seconds, if it said one."""

    retry_after: float | None = None


class ProviderTimeout(ProviderError):
    """A deadline on content passed."""


class ProviderUnavailable(ProviderError):
    """The connection was refused or broke, or the server answered 5xx. ``retry_after`` as above."""

    retry_after: float | None = None


class ProviderRejected(ProviderError):
    """The provider will not serve this request: key, model, size or content."""


class BadProviderReply(ProviderError):
    """The reply is not the protocol's: HTML with status 200, broken JSON, an unknown shape, nothing at all."""


class StructuredOutputError(FootnotedError):
    """The reply did not fit the schema, one repair attempt included, or the sources do not carry what it says.

    ``reply`` holds the last text, ``fields`` the paths of what the sources do not carry.
    """

    def __init__(self, message: str, *, reply: str = "", fields: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.reply = reply
        self.fields = fields
