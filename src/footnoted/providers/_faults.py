"""Turns what a provider answers when it will not serve (status, headers, body) into one of our errors."""

from __future__ import annotations

import email.utils
import json
import time
from typing import TYPE_CHECKING, Any

from footnoted.errors import ProviderError, ProviderRejected, ProviderUnavailable, RateLimited

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MAX_MESSAGE = 400  # code points of a provider's own words that an error repeats
_BAD_KEY = ("api_key_invalid", "api key not valid", "invalid api key")
_FILTER_CODES = ("content_filter", "content_policy_violation", "ResponsibleAIPolicyViolation")
_FILTERS = ("content_filter", "content_policy_violation", "blocked input", "blocked output")
_DENIED = 498  # Cohere: a word of the request or of the reply is on a list
_BROKE = ("insufficient_quota", "billing", "credit balance", "payment")
_REJECTED = ("invalid", "authentication", "permission", "not_found", "too_large", "context_length")


class Filtered(ProviderRejected):
    """A content filter stopped the request or the reply: told as an error, and an ending all the same."""


def _is_filter(body: str) -> bool:
    return any(f'"code":"{code}"' in body for code in _FILTER_CODES)


def fault(status: int, headers: Mapping[str, str], body: str, *, key_from: str, where: str) -> ProviderError:
    """The error an HTTP status other than 200 stands for, with the provider's own words in it.

    ``key_from`` says where the key came from, ``where`` which model at which host was asked.
    """
    said = words(body)
    quote = f" It said: {said}" if said else ""
    error: ProviderError
    if status == _DENIED or (400 <= status < 500 and _is_filter("".join(body.split()))):
        error = Filtered(f"the provider's content filter refused this (HTTP {status}, {where}){filters(body)}.{quote}")
    elif status in (401, 403) or (status == 400 and _holds(body, _BAD_KEY)):
        error = ProviderRejected(f"the provider refused the key (HTTP {status}, {where}); check {key_from}.{quote}")
    elif status == 404:
        error = ProviderRejected(f"unknown model or wrong base_url (HTTP 404, {where}).{quote}")
    elif status == 429 and not _holds(body, _BROKE):
        error = RateLimited(f"too many requests ({where}).{quote}")
    elif status in (408, 409, 425) or status >= 500:
        error = ProviderUnavailable(f"the provider failed (HTTP {status}, {where}).{quote}")
    elif 300 <= status < 400:
        error = ProviderRejected(f"the server redirects elsewhere (HTTP {status}, {where}); check base_url.")
    else:
        error = ProviderRejected(f"the provider rejected the request (HTTP {status}, {where}).{quote}")
    error.status = status
    if isinstance(error, RateLimited | ProviderUnavailable):
        error.retry_after = retry_after(headers, body)
    return error


def told(message: str, *kinds: object) -> ProviderError:
    """The error that an in-stream error event stands for; ``kinds`` are its type, code or status, any spelling."""
    kind = " ".join(str(kind).lower() for kind in kinds if kind not in (None, ""))
    said = shorten(message) or kind or "an error without words"
    status = next((int(kind) for kind in map(str, kinds) if kind.isdigit() and 400 <= int(kind) <= 599), None)
    error: ProviderError
    if _holds(f"{kind} {message}", _FILTERS):
        error = Filtered(f"the provider's content filter stopped the reply: {said}")
    elif _holds(kind, _BROKE):
        error = ProviderRejected(f"the provider stopped the reply: {said}")
    elif status == 429 or "rate_limit" in kind or "resource_exhausted" in kind:
        error = RateLimited(f"too many requests: {said}")
    elif (status is not None and status < 500 and status != 408) or _holds(kind, _REJECTED):
        error = ProviderRejected(f"the provider stopped the reply: {said}")
    else:
        error = ProviderUnavailable(f"the provider stopped the reply: {said}")
    error.status = status
    return error


def told_of(error: Any, *names: str) -> ProviderError:
    """The same of an error as the protocols write it: words alone, or an object with a message and these kinds."""
    if isinstance(error, str):
        return told(error)
    return told(str(error.get("message") or ""), *map(error.get, names))


def _holds(text: str, words: Iterable[str]) -> bool:
    """Whether any of the words, in lower case, stands in the text."""
    text = text.lower()
    return any(word in text for word in words)


def filters(results: Any) -> str:
    """Which of Azure's filters stopped something, by their results: " (violence, jailbreak)"; or nothing."""
    if isinstance(results, str):
        try:
            error = json.loads(results)["error"]
            results = (error.get("innererror") or {}).get("content_filter_result")
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return ""
    if not isinstance(results, dict):
        return ""
    named = [name for name, found in results.items() if isinstance(found, dict) and found.get("filtered")]
    return f" ({', '.join(named)})" if named else ""


def words(body: str) -> str:
    """The words for a person in an error body: JSON's message, a page's title, or its beginning.

    >>> words('{"error": {"message": "no such model", "type": "invalid_request_error"}}')
    'no such model'
    """
    try:
        said = _message(json.loads(body))
    except (ValueError, RecursionError):
        title = _title(body) if "<title" in body.lower() else ""
        said = f"an HTML page, {title!r}" if title else body
    return shorten(said)


def _title(page: str) -> str:
    from selectolax.lexbor import LexborHTMLParser

    title = LexborHTMLParser(page).css_first("title")
    return title.text().strip() if title is not None else ""


def shorten(said: str) -> str:
    """One line of at most `MAX_MESSAGE` code points."""
    said = " ".join(said.split())
    return said if len(said) <= MAX_MESSAGE else said[: MAX_MESSAGE - 1] + "…"


def redact(said: str, secrets: Iterable[str]) -> str:
    """The same words without any of the secrets."""
    for secret in secrets:
        if len(secret) > 3:
            said = said.replace(secret, "***")
    return said


def retry_after(headers: Mapping[str, str], body: str = "") -> float | None:
    """Seconds the provider asks to wait (RFC 9110 §10.2.3, ``retry-after-ms``, google.rpc.RetryInfo), if it does."""
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after", "")
    seconds = _number(value)
    if seconds is not None:
        return seconds
    if value:
        try:
            return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
        except ValueError:
            return None
    _, _, behind = body.partition('"retryDelay"')  # google.rpc.RetryInfo: "12s"
    _, _, delay = behind.partition('"')
    return _number(delay.partition('s"')[0]) if delay else None


def _number(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return max(0.0, number) if number < 1e9 else None  # inf and nan are no answer


def _message(value: Any) -> str:
    if isinstance(value, list) and value:
        return _message(value[0])
    if isinstance(value, dict):
        for name in ("error", "message", "detail", "error_description", "msg"):
            if value.get(name):
                return _message(value[name])
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
