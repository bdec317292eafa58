"""Reads deltas from the bytes of a reply, however they are cut; the last one says how the reply ended.

What the protocols share: one subclass each says what an event means. Pure: no network, no clock.

An ending is ``complete`` when the protocol gave its own reason for stopping (OpenAI ``finish_reason``,
Anthropic ``stop_reason``, Gemini ``finishReason``): after it no text can follow, so a missing ``[DONE]`` or
``message_stop`` takes nothing away. ``[DONE]`` alone is not such a reason: gateways write it after a failure too.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pydantic_core import from_json

from footnoted.errors import BadProviderReply, ProviderError, ProviderUnavailable
from footnoted.providers._faults import Filtered, shorten
from footnoted.providers._sse import Decoder
from footnoted.types import Delta, FinishReason, Usage

if TYPE_CHECKING:
    from footnoted.providers._eventstream import FrameDecoder
    from footnoted.providers._sse import Event

_SHAPELESS = (KeyError, TypeError, AttributeError, IndexError, ValueError, RecursionError)


def parsed(data: str) -> Any:
    """The value of a JSON text, in half the time `json.loads` takes. Raises `ValueError` as it does."""
    try:
        return from_json(data)
    except ValueError:
        # It takes no lone surrogates, which is how some servers send an emoji that falls between two chunks.
        return json.loads(data)


class Reading:
    """Reads one reply. `decode` each piece, then `flush`; ``over`` once nothing more is worth waiting for."""

    def __init__(self) -> None:
        self.over = False
        self.ending: FinishReason | None = None
        self.detail = ""
        self.usage: Usage | None = None
        self._spoken = False  # text has come
        self._understood = False  # an event of the protocol has come
        self._beginning = b""
        self._sse: Decoder | FrameDecoder = Decoder()

    def take(self, event: Event) -> Delta | None:
        """What one event says; a subclass's own. Any `_SHAPELESS` error means the event is not the protocol's."""
        raise NotImplementedError

    def take_whole(self, reply: Any) -> list[Delta]:
        """What a reply says that came whole, as one JSON value, from a server that does not stream."""
        raise NotImplementedError

    def decode(self, piece: bytes) -> list[Delta]:
        """The deltas this piece completes. Raises a `ProviderError` when the reply fails before any text."""
        if not self._understood and len(self._beginning) < 2000:
            self._beginning += piece[:2000]
        deltas: list[Delta] = []
        try:
            if events := self._sse.decode(piece):
                self._read(events, deltas)
        except ProviderError as error:
            self._fail(error)
        return deltas

    def decode_whole(self, body: bytes) -> list[Delta]:
        """The same for a body that is one JSON value."""
        try:
            deltas = self.take_whole(json.loads(body))
        except _SHAPELESS as error:
            raise BadProviderReply(f"the reply is not the provider's protocol: {_glimpse(body)}") from error
        self._understood = True
        self._spoken = bool(deltas)
        return deltas

    def flush(self, broke: str = "") -> list[Delta]:
        """The last delta: how the reply ended. ``broke`` says why it was cut, where it was.

        Raises `ProviderUnavailable` for a cut before any text, `BadProviderReply` for an empty or foreign reply.
        """
        deltas: list[Delta] = []
        if not self.over:
            try:
                self._read(self._sse.flush(), deltas)
            except BadProviderReply:
                pass  # an event cut in two is part of the cut
            except ProviderError as error:
                self._fail(error)
        if self.ending is None:
            if not self._spoken:
                raise self._nothing(broke)
            self.ending = FinishReason.TRUNCATED
            self.detail = broke or "the stream ended without the protocol's terminal signal"
        elif self.ending is FinishReason.COMPLETE and not self._spoken:
            raise BadProviderReply("the reply is empty: the provider finished without a word")
        deltas.append(Delta(usage=self.usage, finish_reason=self.ending, detail=self.detail))
        return deltas

    def end(self, ending: FinishReason, detail: str = "") -> None:
        """The protocol's terminal signal came; the first one counts."""
        if self.ending is None:
            self.ending = ending
            self.detail = "" if ending is FinishReason.COMPLETE else detail

    def _read(self, events: list[Event], deltas: list[Delta]) -> None:
        for event in events:
            if self.over:
                break
            ended = self.ending is not None
            try:
                delta = self.take(event)
            except _SHAPELESS as error:
                raise BadProviderReply(f"an event is not the protocol's: {_glimpse(event.data)}") from error
            self._understood = True
            if delta is not None and not ended:  # after its terminal signal a protocol can only repeat itself
                self._spoken = True
                deltas.append(delta)

    def _fail(self, error: ProviderError) -> None:
        """After text an error is an ending; before it, it is raised; after the terminal signal it is nothing."""
        self.over = True
        if self.ending is not None:
            return
        if not self._spoken and not isinstance(error, Filtered):
            raise error
        self.end(FinishReason.FILTERED if isinstance(error, Filtered) else FinishReason.ERROR, str(error))

    def _nothing(self, broke: str) -> ProviderError:
        if broke:
            return ProviderUnavailable(broke)
        if self._understood:
            return ProviderUnavailable("the stream ended before its first word")
        begins = _glimpse(self._beginning)
        if not begins:
            return BadProviderReply("the reply is empty")
        return BadProviderReply(f"the reply is not the provider's protocol; check base_url. It begins: {begins}")


def _glimpse(said: str | bytes) -> str:
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else said
    return shorten(text[:120])
