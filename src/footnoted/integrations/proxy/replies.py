"""Reads a reply's events in three protocols, and writes them on with citations and verdicts among them.

What carries no text goes on byte for byte in meaning and order. One class a protocol says where its text, its citations
and its last word stand; `Replying` says what becomes of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from footnoted.answering.weighing import Checking
from footnoted.integrations.proxy.shelf import Record
from footnoted.integrations.proxy.weighing import Output, Weighed, Weighing
from footnoted.providers._reading import parsed
from footnoted.providers._sse import Event, line_of

Json = dict[str, Any]


class Replying:
    """One reply under way. ``over``: the protocol's own last word came."""

    def __init__(self, record: Record, checking: Checking) -> None:
        self.over = False
        self._record = record
        self._checking = checking
        self._parts: dict[Any, Weighing] = {}

    async def decode(self, event: Event) -> list[bytes]:
        """What the client is sent for one event. Raises `ValueError` for one that is not the protocol's."""
        if event.data == "[DONE]":
            self.over = True
            return [line(event)]
        try:
            data = parsed(event.data)
            if not isinstance(data, dict):
                raise TypeError("no object")
            return await self._take(event, data)
        except (KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
            raise ValueError(f"an event is not the protocol's: {event.data[:120]}") from error

    async def ended(self) -> list[bytes]:
        """What is still held back when upstream's stream is over without the protocol's last word."""
        return [sent for key, part in self._parts.items() for sent in self._events(await part.flush(), key)]

    async def whole(self, reply: Json) -> Json:
        """A whole reply with what was found in it."""
        for key, part, name in self._texts_of(reply):
            weighing = self._part(key)
            output = [*await weighing.take(part[name]), *await weighing.flush()]
            part[name] = "".join(text for text in output if isinstance(text, str))
            if notes := [self._note(number, sentence) for number, sentence in self._noted(output)]:
                part[self._notes_in] = [*(part.get(self._notes_in) or []), *notes]
        return {**reply, "footnoted": self._record.summary()}

    @staticmethod
    def fault(code: str, message: str) -> Json:
        """The protocol's own error body."""
        return {"error": {"message": message, "type": "server_error", "code": code, "param": None}}

    def broke(self, code: str, message: str) -> bytes:
        """The event by which the protocol says that a stream broke."""
        raise NotImplementedError

    @property
    def counts(self) -> dict[str, int]:
        """Verdicts, and how many sentences got each."""
        return self._record.counts

    def cancel(self) -> None:
        """Stop checks under way."""
        for part in self._parts.values():
            part.cancel()

    def _part(self, key: Any) -> Weighing:
        if key not in self._parts:
            self._parts[key] = Weighing(self._record.sources, self._checking)
        return self._parts[key]

    def _events(self, output: Sequence[Output], key: Any) -> list[bytes]:
        """The events that tell a part's text and what was found of its sentences."""
        sent = []
        for item in output:
            if isinstance(item, str):
                sent.append(self._says(key, item))
            else:
                sent += [self._cites(key, self._note(number, sentence)) for number, sentence in self._noted([item])]
        return sent

    # What a protocol says of itself.

    _notes_in: ClassVar[str]  # where a part keeps its citations

    async def _take(self, event: Event, data: Json) -> list[bytes]:
        raise NotImplementedError

    def _texts_of(self, reply: Json) -> Iterator[tuple[Any, Json, str]]:
        """The texts in a whole reply: each part's key, the part, and the field its text stands in."""
        raise NotImplementedError

    def _says(self, key: Any, text: str) -> bytes:
        """The event that tells more of a part's text."""
        raise NotImplementedError

    def _cites(self, key: Any, note: Json) -> bytes:
        """The event that tells a citation in a part."""
        raise NotImplementedError

    def _note(self, number: int, sentence: Weighed) -> Json:
        """A sentence that stands, as a citation."""
        raise NotImplementedError

    def _noted(self, output: Sequence[Output]) -> list[tuple[int, Weighed]]:
        """Take sentences into the record; those that stand, with their numbers."""
        noted = [(self._record.note(sentence), sentence) for sentence in output if isinstance(sentence, Weighed)]
        return [(number, sentence) for number, sentence in noted if sentence.evidence]

    def _url_citation(self, number: int, sentence: Weighed) -> Json:
        """OpenAI's ``url_citation``: the sentence in the text, and our page at the words it stands on."""
        assert sentence.evidence is not None  # noqa: S101 - only these are told
        return {
            "start_index": sentence.start,
            "end_index": sentence.end,
            "url": self._record.link(number),
            "title": self._record.title(sentence.evidence.source),
        }


class ChatReplying(Replying):
    """Chat completions: one choice, its text in ``delta.content``, its ending in ``finish_reason``."""

    _notes_in = "annotations"

    def __init__(self, record: Record, checking: Checking) -> None:
        super().__init__(record, checking)
        self._head: Json = {"id": "", "object": "chat.completion.chunk", "created": 0, "model": ""}
        self._finished = False

    async def _take(self, event: Event, data: Json) -> list[bytes]:
        if data.get("error"):
            self.over = True
            return [line(event)]
        choice = next((choice for choice in data.get("choices") or () if not choice.get("index")), None)
        if choice is None:
            return [line(event)]
        self._head = {name: data[name] for name in data if name not in ("choices", "usage", "footnoted", "obfuscation")}
        delta = choice.get("delta") or {}
        text, finish = delta.get("content"), choice.get("finish_reason")
        sent: list[bytes] = []
        if isinstance(text, str) and text and not self._finished:
            output = await self._part(0).take(text)
            if output[:1] == [text] and finish is None:
                sent.append(line(event))
                output = output[1:]
            else:
                rest = {name: value for name, value in delta.items() if name != "content"}
                if any(value is not None for value in rest.values()) and finish is None:
                    sent.append(line_of({**data, "choices": [{**choice, "delta": {**rest, "content": ""}}]}))
                choice = {**choice, "delta": rest}
            sent += self._events(output, 0)
        elif finish is None:
            return [line(event)]
        if finish is not None and not self._finished:
            self._finished = self.over = True
            sent += self._events(await self._part(0).flush(), 0)
            choices = [choice if not other.get("index") else other for other in data["choices"]]
            sent.append(line_of({**data, "choices": choices, "footnoted": self._record.summary()}))
        return sent

    def _says(self, key: Any, text: str) -> bytes:  # noqa: ARG002
        return self._chunk({"content": text})

    def _cites(self, key: Any, note: Json) -> bytes:  # noqa: ARG002
        return self._chunk({"annotations": [note]})

    def _note(self, number: int, sentence: Weighed) -> Json:
        return {"type": "url_citation", "url_citation": self._url_citation(number, sentence)}

    def _chunk(self, delta: Json) -> bytes:
        return line_of({**self._head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})

    def _texts_of(self, reply: Json) -> Iterator[tuple[Any, Json, str]]:
        message = reply["choices"][0]["message"]
        if isinstance(message.get("content"), str) and message["content"]:
            yield 0, message, "content"

    async def ended(self) -> list[bytes]:
        """What is still held back."""
        return [] if self._finished else await super().ended()

    def broke(self, code: str, message: str) -> bytes:
        """The event that says so."""
        return line_of(self.fault(code, message))


class ResponseReplying(Replying):
    """Responses: typed, numbered events; the text comes again, whole, in the ``done`` ones."""

    _notes_in = "annotations"

    def __init__(self, record: Record, checking: Checking) -> None:
        super().__init__(record, checking)
        self._next: int | None = None  # the number of the next event: ours are among upstream's, some of which go
        self._places: dict[tuple[int, int], Json] = {}  # what an event of a text part says of where it stands
        self._texts: dict[tuple[int, int], str] = {}
        self._notes: dict[tuple[int, int], list[Json]] = {}
        self._response: Json = {}

    async def _take(self, event: Event, data: Json) -> list[bytes]:
        kind = data["type"]
        if self._next is None:
            self._next = data.get("sequence_number", 0)
        if isinstance(data.get("response"), dict):
            self._response = data["response"]
        key = (data.get("output_index", 0), data.get("content_index", 0))
        if kind == "response.output_text.delta":
            self._places[key] = {"item_id": data.get("item_id"), "output_index": key[0], "content_index": key[1]}
            output = await self._part(key).take(data["delta"])
            if output[:1] == [data["delta"]]:
                self._texts[key] = self._texts.get(key, "") + data["delta"]
                return [self._on(event, data, same=True), *self._events(output[1:], key)]
            return self._events(output, key)
        if kind == "response.output_text.done" and key in self._parts:
            sent = self._events(await self._part(key).flush(), key)
            return [*sent, self._on(event, {**data, "text": self._texts.get(key, "")})]
        if kind == "response.content_part.done":
            return [self._on(event, {**data, "part": self._settled(data["part"], key)})]
        if kind == "response.output_item.done":
            return [self._on(event, {**data, "item": self._item(data["item"], data["output_index"])})]
        if kind in ("response.completed", "response.incomplete", "response.failed"):
            self.over = True
            items = [self._item(item, at) for at, item in enumerate(data["response"].get("output") or ())]
            response = {**data["response"], "output": items, "footnoted": self._record.summary()}
            return [self._on(event, {**data, "response": response})]
        self.over = self.over or kind == "error"
        return [self._on(event, data, same=True)]

    def _says(self, key: Any, text: str) -> bytes:
        self._texts[key] = self._texts.get(key, "") + text
        return self._ours("response.output_text.delta", {**self._places[key], "delta": text, "logprobs": []})

    def _cites(self, key: Any, note: Json) -> bytes:
        notes = self._notes.setdefault(key, [])
        notes.append(note)
        fields = {**self._places[key], "annotation_index": len(notes) - 1, "annotation": note}
        return self._ours("response.output_text.annotation.added", fields)

    def _note(self, number: int, sentence: Weighed) -> Json:
        return {"type": "url_citation", **self._url_citation(number, sentence)}

    def _ours(self, kind: str, fields: Json) -> bytes:
        return line_of({"type": kind, "sequence_number": self._numbered(), **fields}, kind)

    def _on(self, event: Event, data: Json, *, same: bool = False) -> bytes:
        if "sequence_number" in data:
            number = self._numbered()
            if same and number == data["sequence_number"]:
                return line(event)
            data = {**data, "sequence_number": number}
        return line_of(data, event.event if event.event != "message" else "")

    def _numbered(self) -> int:
        number = self._next or 0
        self._next = number + 1
        return number

    def _item(self, item: Json, at: int) -> Json:
        if item.get("type") != "message":
            return item
        parts = item.get("content") or []
        return {**item, "content": [self._settled(part, (at, place)) for place, part in enumerate(parts)]}

    def _settled(self, part: Json, key: tuple[int, int]) -> Json:
        if part.get("type") != "output_text" or key not in self._parts:
            return part
        notes = [*(part.get("annotations") or []), *self._notes.get(key, [])]
        return {**part, "text": self._texts.get(key, ""), "annotations": notes}

    def broke(self, code: str, message: str) -> bytes:
        """The event that says so."""
        error = {"code": code, "message": message}
        response = {**self._response, "status": "failed", "error": error, "footnoted": self._record.summary()}
        return self._ours("response.failed", {"response": response})

    def _texts_of(self, reply: Json) -> Iterator[tuple[Any, Json, str]]:
        for at, item in enumerate(reply.get("output") or ()):
            for place, part in enumerate(item.get("content") or () if item.get("type") == "message" else ()):
                if part.get("type") == "output_text" and part.get("text"):
                    yield (at, place), part, "text"


class MessageReplying(Replying):
    """Anthropic's Messages: text in blocks, citations as ``citations_delta`` of their block."""

    _notes_in = "citations"

    async def _take(self, event: Event, data: Json) -> list[bytes]:
        kind, index = data["type"], data.get("index", 0)
        if kind == "content_block_delta" and data["delta"].get("type") == "text_delta":
            text = data["delta"]["text"]
            output = await self._part(index).take(text)
            if output[:1] == [text]:
                return [line(event), *self._events(output[1:], index)]
            return self._events(output, index)
        if kind == "content_block_stop" and index in self._parts:
            return [*self._events(await self._parts[index].flush(), index), line(event)]
        if kind == "message_delta" and data["delta"].get("stop_reason"):
            self.over = True
            return [line_of({**data, "footnoted": self._record.summary()}, kind)]
        self.over = self.over or kind in ("message_stop", "error")
        return [line(event)]

    def _says(self, key: Any, text: str) -> bytes:
        return _delta(key, {"type": "text_delta", "text": text})

    def _cites(self, key: Any, note: Json) -> bytes:
        return _delta(key, {"type": "citations_delta", "citation": note})

    def _note(self, number: int, sentence: Weighed) -> Json:
        """Anthropic's citation with a link; ``footnoted`` bounds the sentence in the block's text."""
        assert sentence.evidence is not None  # noqa: S101 - only these are told
        return {
            "type": "web_search_result_location",
            "cited_text": sentence.evidence.quote,
            "url": self._record.link(number),
            "title": self._record.title(sentence.evidence.source),
            "encrypted_index": "",
            "footnoted": {"start_index": sentence.start, "end_index": sentence.end},
        }

    @staticmethod
    def fault(code: str, message: str) -> Json:
        """The protocol's own error body."""
        return {"type": "error", "error": {"type": "api_error", "message": f"{code}: {message}"}}

    def broke(self, code: str, message: str) -> bytes:
        """The event that says so."""
        return line_of(self.fault(code, message), "error")

    def _texts_of(self, reply: Json) -> Iterator[tuple[Any, Json, str]]:
        for at, block in enumerate(reply.get("content") or ()):
            if block.get("type") == "text" and block.get("text"):
                yield at, block, "text"


REPLYING: dict[str, type[Replying]] = {
    "chat": ChatReplying,
    "responses": ResponseReplying,
    "messages": MessageReplying,
}


def line(event: Event) -> bytes:
    """An event as it came."""
    head = f"event: {event.event}\n" if event.event != "message" else ""
    data = event.data if "\n" not in event.data else event.data.replace("\n", "\ndata: ")
    return f"{head}data: {data}\n\n".encode("utf-8", "replace")


def _delta(index: int, delta: Json) -> bytes:
    return line_of({"type": "content_block_delta", "index": index, "delta": delta}, "content_block_delta")
