"""Tokens in place of keys, which expire and are fetched again: Microsoft Entra's, Google's."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Mapping
from inspect import isawaitable
from typing import Any

from footnoted.errors import ConfigurationError, FootnotedError, ProviderRejected
from footnoted.providers._faults import shorten
from footnoted.providers._wire import Wire, bearer

Token = str | Callable[[], str | Awaitable[str]]
_SCOPE = "https://www.googleapis.com/auth/cloud-platform"


def missing(error: ModuleNotFoundError, extra: str, instead: str) -> ConfigurationError:
    """The error that names the extra which brings a library, and what does without."""
    return ConfigurationError(
        f"this needs {error.name}, which is not installed; run: pip install 'footnoted[{extra}]', or {instead}"
    )


async def fetched(token: Token) -> str:
    """The token's text: itself, or what the function gives, called in a thread since most of them wait.

    Raises `ProviderRejected` where none could be had.
    """
    if isinstance(token, str):
        return token
    try:
        fetching = await asyncio.to_thread(token)
        text = await fetching if isawaitable(fetching) else fetching
    except FootnotedError:
        raise
    except Exception as error:
        said = shorten(str(error))
        raise ProviderRejected(f"no token could be fetched: {type(error).__name__}: {said}") from error
    if not text or not isinstance(text, str):
        raise ProviderRejected(f"no token could be fetched: the function gave {type(text).__name__}")
    return text


class Tokened(Wire):
    """A provider that takes a token instead of a key: fetched for each request, since it runs out."""

    _token: Token | None

    def _found_key(self, given: str | None) -> tuple[str, str]:
        return ("", "token=") if self._token is not None else super()._found_key(given)

    async def _authorised(self, url: str, body: bytes) -> Mapping[str, str]:
        headers = await super()._authorised(url, body)
        if self._token is None:
            return headers
        self._secrets[0] = await fetched(self._token)
        return {**headers, **bearer(self._secrets[0])}


class GoogleToken:
    """Google's application default credentials, by google-auth; called for a token that is valid now."""

    def __init__(self) -> None:
        try:
            import google.auth
            import google.auth.transport.requests  # noqa: F401 - missing now is better than at the first question
        except ModuleNotFoundError as error:
            raise missing(error, "vertex", "pass token= or api_key=") from error
        self._lock = threading.Lock()
        self._found: tuple[Any, str | None] | None = None

    @property
    def project(self) -> str | None:
        """The project that the credentials name."""
        with self._lock:
            return self._default()[1]

    def __call__(self) -> str:
        from google.auth.transport.requests import Request

        with self._lock:
            credentials, _ = self._default()
            if not credentials.valid:
                credentials.refresh(Request())
            return str(credentials.token)

    def _default(self) -> tuple[Any, str | None]:
        if self._found is None:
            import google.auth

            try:
                self._found = google.auth.default(scopes=[_SCOPE])
            except google.auth.exceptions.DefaultCredentialsError as error:
                raise ConfigurationError(f"vertex has no credentials: {shorten(str(error))}") from error
        return self._found
