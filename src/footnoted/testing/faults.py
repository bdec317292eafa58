"""Everything that goes wrong on a wire, done to the events and steps of a good reply.

Each function makes one `Fault` for ``Reply(fault=…)``, good for every protocol, streamed and whole. An error
status needs none (``Reply(status=429, headers={"Retry-After": "1"})``), and a refused connection has no
server: `footnoted.testing.closed_port`. ``after`` counts the pieces of text that still arrive.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from footnoted.testing.dialect import Dialect, Frame, to_json
from footnoted.testing.script import Fault
from footnoted.testing.steps import Close, Hang, Head, Scene, Send, Step, Wait, whole, without_finish


def hang_before_headers() -> Fault:
    """The request is taken, and nothing ever comes."""
    return Fault("hang_before_headers", steps=lambda _steps, _scene: iter((Hang(),)))


def hang_after_headers() -> Fault:
    """Headers with status 200, then nothing."""
    return Fault("hang_after_headers", steps=lambda steps, _: iter((next(steps), Hang())))


def silence(*, after: int = 2, keep_alive: float | None = None) -> Fault:
    """Nothing more after some text; with ``keep_alive``, a comment or ping every so many seconds."""

    def steps(steps: Iterator[Step], scene: Scene) -> Iterator[Step]:
        yield from _until(steps, after)
        if keep_alive is None:
            yield Hang()
            return
        alive = scene.dialect.ping if scene.request.stream else b"\n"
        while True:
            yield Wait(keep_alive)
            yield Send(alive, "noise")

    return Fault("silence_with_keep_alive" if keep_alive else "silence", steps=steps)


def chatter_without_text(*, every: float = 0.02) -> Fault:
    """Headers, then only comments or pings: alive, and never a word."""
    return Fault("chatter_without_text", steps=silence(after=0, keep_alive=every).steps)


def trickle(*, seconds: float = 0.05) -> Fault:
    """One byte of the body every so many seconds."""
    return Fault("trickle", steps=lambda steps, _: _bytewise(steps, seconds))


def cut_anywhere(*, size: int = 1) -> Fault:
    """Chunks of ``size`` bytes, through the middle of characters and line ends. Not wrong, only unkind."""
    return Fault("cut_anywhere", steps=lambda steps, _: _bytewise(steps, 0.0, size))


def disconnect(*, after: int = 2) -> Fault:
    """The connection closes (FIN) in the middle of an event."""
    return Fault("disconnect", steps=lambda steps, _: chain(_until(steps, after, half=True), [Close("fin")]))


def reset(*, after: int = 2) -> Fault:
    """The connection is reset (RST) in the middle of an event."""
    return Fault("reset", steps=lambda steps, _: chain(_until(steps, after, half=True), [Close("reset")]))


def clean_cut(*, after: int = 2) -> Fault:
    """The body ends as HTTP asks, between two events, with no terminal signal: the quietest truncation."""
    return Fault("clean_cut", steps=lambda steps, _: chain(_until(steps, after), [Close()]))


def missing_end() -> Fault:
    """The finish reason comes, the end event (``[DONE]``, ``message_stop``) does not. Gemini has none."""
    return Fault("missing_end", frames=lambda frames, _: [f for f in frames if f.part != "end"])


def missing_finish() -> Fault:
    """All text and the end event come, the finish reason does not."""

    def frames(frames: list[Frame], _: Dialect) -> list[Frame]:
        return [kept for frame in frames if (kept := without_finish(frame))]

    return Fault("missing_finish", frames=frames, body=_unfinished)


def no_terminal() -> Fault:
    """All text comes, then the body ends: neither finish reason nor end event."""

    def frames(frames: list[Frame], _: Dialect) -> list[Frame]:
        return [kept for f in frames if f.part not in {"usage", "end"} and (kept := without_finish(f))]

    return Fault("no_terminal", frames=frames, body=_unfinished)


def garbage_event(*, after: int = 2) -> Fault:
    """An event whose data is no JSON, between good ones."""
    frame = Frame("noise", '{"choices": [{"delta": {"content": "br')
    return Fault(
        "garbage_event",
        frames=lambda frames, _: _inserted(frames, after, [frame]),
        body=lambda body, _: b"{{" + to_json(body),
    )


def error_event(*, after: int = 2, message: str = "The server is overloaded.") -> Fault:
    """The vendor's error in the middle of the stream, which then ends; whole, an error under status 200."""
    return Fault(
        "error_event",
        frames=lambda frames, dialect: _inserted(frames, after, [dialect.stream_error(message)], replacing=True),
        body=lambda _, dialect: to_json(dialect.stream_error(message).data),
    )


def html() -> Fault:
    """A proxy's error page, with status 200."""
    page = b"<!DOCTYPE html><html><head><title>502</title></head><body><h1>Bad gateway</h1></body></html>"
    return _instead("html", "text/html; charset=utf-8", page)


def broken_json() -> Fault:
    """JSON that stops in the middle, with status 200."""
    return _instead("broken_json", "application/json", b'{"id": "x", "choices": [{"message": {"conte')


def empty_body() -> Fault:
    """Status 200, the right content type, no byte of body."""
    return Fault("empty_body", steps=lambda steps, _: iter((next(steps), Close())))


def duplicated() -> Fault:
    """Every event that carries no text comes twice, the last ones too."""

    def frames(frames: list[Frame], _: Dialect) -> list[Frame]:
        return [copy for frame in frames for copy in ([frame] if frame.part == "text" else [frame, frame])]

    return Fault("duplicated", frames=frames)


def unknown_events() -> Fault:
    """Events, fields and deltas nobody has heard of, after each piece of text."""

    def frames(frames: list[Frame], dialect: Dialect) -> list[Frame]:
        odd = dialect.unknown()
        return [f for frame in frames for f in ([frame, *odd] if _goes_on(frame) else [frame])]

    return Fault("unknown_events", frames=frames, body=lambda body, _: to_json({**body, "weather": {"celsius": 21}}))


def crlf_with_comments() -> Fault:
    """CRLF line ends, comments, ``id`` and ``retry`` fields, no blank after the colon: all of it allowed."""

    def steps(steps: Iterator[Step], scene: Scene) -> Iterator[Step]:
        for step in steps:
            if isinstance(step, Send) and scene.request.stream and scene.dialect.lines:
                data = step.data.replace(b"data: ", b"data:", 1).replace(b"\n", b"\r\n")
                yield Send(b": a comment\r\n\r\nid: 7\r\nretry: 10\r\n" + data, step.part)
            else:
                yield step

    return Fault("crlf_with_comments", steps=steps)


def not_streamed() -> Fault:
    """A stream was asked for; the whole reply comes as one JSON body, as from a server that cannot stream."""

    def steps(_: Iterator[Step], scene: Scene) -> Iterator[Step]:
        yield Head(200, {"Content-Type": "application/json"})
        yield from whole(scene)
        yield Close()

    return Fault("not_streamed", steps=steps)


def every() -> list[Fault]:
    """One of each, with parameters short enough for a test."""
    return [
        hang_before_headers(),
        hang_after_headers(),
        silence(),
        silence(keep_alive=0.02),
        chatter_without_text(),
        trickle(),
        cut_anywhere(),
        disconnect(),
        reset(),
        clean_cut(),
        missing_end(),
        missing_finish(),
        no_terminal(),
        garbage_event(),
        error_event(),
        html(),
        broken_json(),
        empty_body(),
        duplicated(),
        unknown_events(),
        crlf_with_comments(),
        not_streamed(),
    ]


def _until(steps: Iterator[Step], after: int, *, half: bool = False) -> Iterator[Step]:
    """The steps up to and with ``after`` pieces of text, and ``half`` of the event that follows them."""
    for step in steps:
        if isinstance(step, Close):
            return
        if isinstance(step, Send):
            if (step.part == "text" and not after) or step.part in {"stop", "usage", "end"}:
                if half:
                    yield Send(step.data[: len(step.data) // 2], "noise")
                return
            after -= step.part == "text"
        yield step


def _bytewise(steps: Iterator[Step], seconds: float, size: int = 1) -> Iterator[Step]:
    for step in steps:
        if not isinstance(step, Send):
            yield step
            continue
        for start in range(0, len(step.data), size):
            yield Wait(seconds)  # of zero seconds too: it lets the client read what it has
            yield Send(step.data[start : start + size], step.part)


def _instead(name: str, content_type: str, data: bytes) -> Fault:
    steps = (Head(200, {"Content-Type": content_type}), Send(data, "noise"), Close())
    return Fault(name, steps=lambda _steps, _scene: iter(steps))


def _goes_on(frame: Frame) -> bool:
    """Whether more events follow: Gemini's last text carries the finish reason."""
    if frame.part != "text" or isinstance(frame.data, str):
        return False
    candidates = frame.data.get("candidates")
    return not (candidates and "finishReason" in candidates[0])


def _inserted(frames: list[Frame], after: int, extra: list[Frame], *, replacing: bool = False) -> list[Frame]:
    """The frames with ``extra`` after ``after`` pieces of text, and with or without the rest."""
    texts = [place for place, frame in enumerate(frames) if frame.part == "text"]
    endings = [place for place, frame in enumerate(frames) if frame.part in {"stop", "usage", "end"}]
    place = texts[after] if after < len(texts) else min(endings, default=len(frames))
    return [*frames[:place], *extra, *([] if replacing else frames[place:])]


def _unfinished(body: Mapping[str, Any], _: Dialect) -> bytes:
    """The whole reply with its finish reason missing."""
    body = {
        name: None if name in {"stop_reason", "status", "stopReason", "finish_reason"} else value
        for name, value in body.items()
    }
    for name, reason in (("choices", "finish_reason"), ("candidates", "finishReason")):
        if name in body:
            body[name] = [{key: value for key, value in end.items() if key != reason} for end in body[name]]
    return to_json(body)
