"""What the providers that speak HTTP share.

A protocol adds three things: where to post, the body a prompt becomes, and how its events read.
"""

from __future__ import annotations

import asyncio
import os
import re
from contextlib import aclosing
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, TypedDict, Unpack
from urllib.parse import urlsplit

import footnoted
from footnoted.errors import ConfigurationError, ProviderError, ProviderRejected, ProviderUnavailable
from footnoted.providers._faults import Filtered, redact
from footnoted.providers._http import Http, encoded
from footnoted.types import Delta, FinishReason

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Container, Mapping

    import aiohttp

    from footnoted.providers._http import Reply
    from footnoted.providers._reading import Reading
    from footnoted.types import Prompt

ROOM_TO_THINK = 4000  # tokens added to a reply's bound where thinking cannot be switched off: it counts as output
NO_MARKERS = "Your citations are recorded by themselves: write no markers such as [1]."
_AFTERWORD = 0.2  # seconds to wait for usage and the end of the stream once the terminal signal came
_SECRET_HEADERS = ("auth", "key", "token", "secret", "cookie")


class Options(TypedDict, total=False):
    """What every provider that is asked over HTTP takes, beside its own."""

    api_key: str | None
    base_url: str | None
    model: str | None
    headers: Mapping[str, str] | None
    session: aiohttp.ClientSession | None


class Wire:
    """A provider that is asked over HTTP. ``headers`` are added to each request, and win over its own."""

    name: ClassVar[str]
    writes: ClassVar[bool] = True  # it is a model, which can be asked to judge as well
    home: ClassVar[str]  # the vendor's own base_url, as its SDK takes it
    usual_place: ClassVar[str] = ""  # where a base_url is taken from, and what it looks like, where there is no home
    usual_model: ClassVar[str]
    key_variables: ClassVar[tuple[str, ...]]
    # What a model or server may not know, and the words by which its refusal names it: such a request is
    # sent once more without it, and what was learnt is kept. In the order they are given up.
    optional: ClassVar[Mapping[str, str]] = {}

    def __init__(
        self,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        model: str | None = None,
        headers: Mapping[str, str] | None = None,
        session: aiohttp.ClientSession | None = None,
    ) -> None:
        self.base_url = self._checked_url(base_url or self._setting("BASE_URL") or self.home)
        self.model = model or self._setting("MODEL") or self.usual_model
        key, self._key_from = self._found_key(api_key)
        self._headers = {
            "Content-Type": "application/json",
            "Accept": "text/event-stream",
            "Accept-Encoding": "identity",  # a compressed stream waits for its blocks to fill
            "User-Agent": f"footnoted/{footnoted.__version__}",
            **self._credentials(key),
            **(headers or {}),
        }
        self._secrets = [key]
        self._secrets += [
            str(v) for name, v in (headers or {}).items() if any(w in name.lower() for w in _SECRET_HEADERS)
        ]
        self._http = Http(session)
        self._without: dict[str, set[str]] = {}

    def __repr__(self) -> str:
        return f"{type(self).__name__}(model={self.model!r}, host={self._host()!r})"

    async def stream(self, prompt: Prompt) -> AsyncGenerator[Delta]:
        """The reply piece by piece; the last delta says how it ended. Raises `ProviderError` before any text."""
        async with aclosing(self.arriving(prompt)) as arrivals:
            async for deltas in arrivals:
                for delta in deltas:
                    yield delta

    async def arriving(self, prompt: Prompt) -> AsyncGenerator[list[Delta]]:
        """The same, told together as it arrived together; no list is empty, and only the last delta ends."""
        reply = None
        try:
            reading = self._reading(prompt)
            reply = await self._ask(prompt)
            broke = ""
            if "html" in reply.content_type:
                raise await reply.foreign()
            if "json" in reply.content_type:
                if deltas := reading.decode_whole(await reply.whole()):
                    yield deltas
            else:
                until = None
                while not reading.over:
                    try:
                        if reading.ending is None:
                            piece = await reply.piece()
                        else:
                            until = until or asyncio.get_running_loop().time() + _AFTERWORD
                            piece = await _afterword(reply, until)
                    except ProviderUnavailable as error:
                        broke = str(error)
                        break
                    if not piece:
                        break
                    if deltas := reading.decode(piece):
                        yield deltas
            ending = reading.flush(redact(broke, self._secrets))
            await reply.drain()
            yield ending
        except Filtered as error:
            yield [Delta(finish_reason=FinishReason.FILTERED, detail=redact(str(error), self._secrets))]
        except ProviderError as error:
            raise self._ours(error) from error.__cause__
        finally:
            if reply is not None:
                reply.close()

    async def aclose(self) -> None:
        """Close the connections this provider keeps."""
        await self._http.aclose()

    # What a protocol says of itself.

    def _credentials(self, key: str) -> dict[str, str]:
        raise NotImplementedError

    async def _authorised(self, url: str, body: bytes) -> Mapping[str, str]:  # noqa: ARG002
        """A request's headers; whose credentials run out makes them anew here."""
        return self._headers

    def _url(self, model: str) -> str:
        raise NotImplementedError

    def _body(self, prompt: Prompt, model: str, without: set[str]) -> dict[str, Any]:
        raise NotImplementedError

    def _reading(self, prompt: Prompt) -> Reading:
        raise NotImplementedError

    # What they share.

    async def _ask(self, prompt: Prompt) -> Reply:
        model = prompt.model or self.model
        if not model:
            raise ConfigurationError(f"provider {self.name!r} needs the model's name: model= or FOOTNOTED_MODEL")
        without = self._without.setdefault(model, set())
        while True:
            body = self._body(prompt, model, without)
            url, data = self._url(model), encoded(body)
            try:
                return await self._http.post(
                    url,
                    data,
                    await self._authorised(url, data),
                    key_from=self._key_from,
                    where=f"model {model!r} at {self._host()}",
                )
            except ProviderRejected as error:
                if error.status not in (400, 422):
                    raise
                named = (what for what, words in self.optional.items() if re.search(words, str(error), re.IGNORECASE))
                sent = next((what for what in named if self._body(prompt, model, without | {what}) != body), None)
                if sent is None:
                    raise
                without.add(sent)

    def _found_key(self, given: str | None) -> tuple[str, str]:
        """The key and where it came from. Raises `ConfigurationError` that says what to set."""
        places = ["api_key=", "FOOTNOTED_API_KEY", *self.key_variables]
        keys = [given, self._setting("API_KEY"), *map(os.environ.get, self.key_variables)]
        for key, place in zip(keys, places, strict=True):
            if key := (key or "").strip():
                if not (key.isascii() and key.isprintable()) or " " in key:
                    raise ConfigurationError(f"the key in {place} has characters that no key has; copy it again")
                return key, place
        return self._without_key(places)

    def _without_key(self, places: list[str]) -> tuple[str, str]:
        named = " or ".join(places[2:] or places[1:2])
        needed = f"{self.name} needs an API key: set {named} in the environment"
        without = "answers from the sources' own sentences."
        raise ConfigurationError(
            f"{needed}, or pass api_key=. Without any key, provider='extractive' {without}",
            typed=f"{needed}. Without any key, --provider extractive {without}",
        )

    def _setting(self, what: str) -> str | None:
        """FOOTNOTED_MODEL and its kin speak of the provider that FOOTNOTED_PROVIDER names, or of any."""
        if os.environ.get("FOOTNOTED_PROVIDER", self.name) not in (self.name, ""):
            return None
        return os.environ.get(f"FOOTNOTED_{what}") or None

    def _checked_url(self, url: str) -> str:
        if not url:
            needs = f"provider {self.name!r} needs"
            place = self.usual_place
            raise ConfigurationError(f"{needs} base_url= or {place}", typed=f"{needs} --base-url or {place}")
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ConfigurationError(f"base_url must look like {self.home or 'http://localhost:8000/v1'}")
        return url

    def _at(self, path: str, *, drop: str = "", query: str = "") -> str:
        """``path`` under base_url, its query kept; ``drop`` is an ending people add to base_url that SDKs don't."""
        return _at(self.base_url, path, drop, query)

    def _host(self) -> str:
        parts = urlsplit(self.base_url)
        return f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)

    def _ours(self, error: ProviderError) -> ProviderError:
        error.provider = self.name
        error.args = (redact(str(error), self._secrets),)
        return error


class ThinkingWire(Wire):
    """A provider whose models may think first. ``effort`` is how long; by default as little as each can."""

    def __init__(self, *, effort: str | None = None, **options: Unpack[Options]) -> None:
        super().__init__(**options)
        self._effort = effort


class ThinkingOptions(Options, total=False):
    """What every provider of models that think takes, beside its own."""

    effort: str | None


@lru_cache(maxsize=64)
def _at(base_url: str, path: str, drop: str, query: str) -> str:
    parts = urlsplit(base_url)
    base = parts.path.rstrip("/")
    base = base.removesuffix(path).removesuffix(drop)
    asked = "&".join(filter(None, (parts.query, query)))
    return parts._replace(path=base + path, query=asked, fragment="").geturl()


async def _afterword(reply: Reply, until: float) -> bytes:
    """What still comes after the terminal signal; nothing when it does not come before ``until`` (loop time)."""
    try:
        async with asyncio.timeout_at(until):
            return await reply.piece()
    except TimeoutError:
        return b""


def bearer(key: str) -> dict[str, str]:
    """The header that most take a key in; none where there is no key."""
    return {"Authorization": f"Bearer {key}"} if key else {}


def paragraphs(*parts: str) -> str:
    """The parts that say something, a blank line between them."""
    return "\n\n".join(filter(None, parts))


def ask_of(prompt: Prompt) -> str:
    """The user message of a wire without blocks: context, then what is asked."""
    return paragraphs(prompt.context, prompt.ask or prompt.question)


def turns_of(prompt: Prompt, *, spoken: bool = False) -> list[tuple[str, str]]:
    """The turns so far as (role, text), ``user`` and ``assistant`` in turn.

    ``spoken`` leaves out a turn in which one side said nothing, for a wire that refuses empty messages.
    """
    return [
        message
        for turn in prompt.history
        if not spoken or (turn.user.strip() and turn.assistant.strip())
        for message in (("user", turn.user), ("assistant", turn.assistant))
    ]


def understood(fields: Mapping[str, Any], without: Container[str]) -> dict[str, Any]:
    """The fields of a request that are set, and not among those that the server does not know."""
    return {name: value for name, value in fields.items() if value is not None and name not in without}
