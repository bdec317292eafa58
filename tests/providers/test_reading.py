"""Replies as bytes: cut anywhere, every protocol says the same words and the same ending."""

from __future__ import annotations

import json

import pytest

from footnoted.errors import BadProviderReply, ProviderRejected, ProviderUnavailable, RateLimited
from footnoted.providers.anthropic import MessageReading
from footnoted.providers.gemini import ContentReading
from footnoted.providers.openai import ChatReading
from footnoted.types import Delta, FinishReason, Pointer, Source, Usage
from tests.tables import every


def lines(*events) -> bytes:
    told = [event if isinstance(event, str) else json.dumps(event, ensure_ascii=False) for event in events]
    return "".join(f"data: {event}\n\n" for event in told).encode()


def chat(content=None, finish=None, **more):
    delta = {} if content is None else {"content": content}
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **more}


def content(text=None, finish=None, **more):
    candidate = {"index": 0, **({"content": {"parts": [{"text": text}]}} if text is not None else {})}
    return {"candidates": [{**candidate, **({"finishReason": finish} if finish else {})}], **more}


def block(kind, index=0, **fields):
    return {"type": f"content_block_{kind}", "index": index, **fields}


def words(text, index=0):
    return block("delta", index, delta={"type": "text_delta", "text": text})


def stop(reason, **usage):
    return {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage}


START = {"type": "message_start", "message": {"usage": {"input_tokens": 5, "cache_read_input_tokens": 3}}}
CHAT = lines(
    chat(""), chat("Grün "), chat("ist es 🌿"), chat(None, "stop"),
    {"choices": [], "usage": {"prompt_tokens": 8, "completion_tokens": 4}}, "[DONE]",
)  # fmt: skip
MESSAGE = lines(
    START, block("start", content_block={"type": "text", "text": ""}), {"type": "ping"}, words("Grün "),
    words("ist es 🌿"), block("stop"), stop("end_turn", output_tokens=4), {"type": "message_stop"},
)  # fmt: skip
CONTENT = lines(
    content("Grün "), content("ist es 🌿", "STOP", usageMetadata={"promptTokenCount": 8, "candidatesTokenCount": 4})
)
STREAMS = {"chat": (ChatReading, CHAT), "message": (MessageReading, MESSAGE), "content": (ContentReading, CONTENT)}


def read(reading, *pieces: bytes, broke: str = "") -> list[Delta]:
    return [delta for piece in pieces for delta in reading.decode(piece)] + reading.flush(broke)


def text(deltas) -> str:
    return "".join(delta.text for delta in deltas)


@pytest.mark.parametrize("protocol", STREAMS)
def test_any_cut_gives_the_same_deltas(protocol):
    """Cut at every position or byte by byte, a reply has the same deltas, the ending among them."""
    made, stream = STREAMS[protocol]
    whole = read(made(), stream)
    assert text(whole) == "Grün ist es 🌿"
    assert whole[-1].finish_reason is FinishReason.COMPLETE
    assert whole[-1].usage.input == 8
    assert read(made(), *(stream[i : i + 1] for i in range(len(stream)))) == whole
    for cut in range(len(stream)):
        assert read(made(), stream[:cut], stream[cut:]) == whole


@pytest.mark.parametrize("protocol", STREAMS)
def test_a_reply_that_ends_anywhere_is_never_silently_short(protocol):
    """Ended after any byte, a reply is complete with all its words, truncated with some, or an error with none."""
    made, stream = STREAMS[protocol]
    for end in range(len(stream)):
        try:
            deltas = read(made(), stream[:end])
        except (BadProviderReply, ProviderUnavailable):
            assert b"Gr" not in stream[: stream[:end].rfind(b"\n\n") + 1]
            continue
        if deltas[-1].finish_reason is FinishReason.COMPLETE:
            assert text(deltas) == "Grün ist es 🌿"
        else:
            assert deltas[-1].finish_reason is FinishReason.TRUNCATED
            assert "terminal signal" in deltas[-1].detail


ENDINGS = [
    (ChatReading, lines(chat("x"), chat(None, "length"), "[DONE]"), FinishReason.LENGTH),
    (ChatReading, lines(chat("x"), chat(None, "content_filter")), FinishReason.FILTERED),
    (ChatReading, lines(chat(None, "content_filter"), "[DONE]"), FinishReason.FILTERED),
    (ChatReading, lines(chat("x"), "[DONE]"), FinishReason.TRUNCATED),
    (ChatReading, lines(chat("x"), chat(None, "abort"), "[DONE]"), FinishReason.TRUNCATED),
    (ChatReading, lines(chat("x", "stop")), FinishReason.COMPLETE),
    (MessageReading, lines(words("x"), stop("max_tokens")), FinishReason.LENGTH),
    (MessageReading, lines(words("x"), stop("model_context_window_exceeded")), FinishReason.LENGTH),
    (MessageReading, lines(START, stop("refusal"), {"type": "message_stop"}), FinishReason.FILTERED),
    (MessageReading, lines(words("x"), stop("pause_turn"), {"type": "message_stop"}), FinishReason.TRUNCATED),
    (MessageReading, lines(words("x"), {"type": "message_stop"}), FinishReason.TRUNCATED),
    (ContentReading, lines(content("x", "MAX_TOKENS")), FinishReason.LENGTH),
    (ContentReading, lines(content("x"), content(None, "SAFETY")), FinishReason.FILTERED),
    (ContentReading, lines({"promptFeedback": {"blockReason": "OTHER"}}), FinishReason.FILTERED),
    (ContentReading, lines(content("x"), content(None, "OTHER")), FinishReason.ERROR),
    (ContentReading, lines(content("x"), content(None, "TOO_MANY_TOOL_CALLS")), FinishReason.TRUNCATED),
    (ContentReading, lines(content("x", "FINISH_REASON_UNSPECIFIED")), FinishReason.TRUNCATED),
]


@every(("made", "stream", "ending"), ENDINGS)
def test_every_terminal_signal_has_its_ending(made, stream, ending):
    """Each vendor's reason becomes one typed ending, with words for a person unless it is complete."""
    last = read(made(), stream)[-1]
    assert last.finish_reason is ending
    assert bool(last.detail) is (ending is not FinishReason.COMPLETE)


@pytest.mark.parametrize(
    ("made", "stream"),
    [
        (ChatReading, lines(chat(""), chat(None, "stop"), "[DONE]")),
        (MessageReading, lines(START, stop("end_turn"), {"type": "message_stop"})),
        (ContentReading, lines(content(None, "STOP"))),
        (ChatReading, b""),
    ],
)
def test_a_complete_reply_without_a_word_is_a_bad_reply(made, stream):
    """A provider that finishes without text has not answered."""
    with pytest.raises(BadProviderReply, match="empty"):
        read(made(), stream)


@pytest.mark.parametrize("body", [b"Not found\n", b"<html>", b'{"hello": 1}', b"\x00\xff" * 50])
def test_a_foreign_body_is_shown_by_its_beginning(body):
    """What is no event stream at all is a bad reply that says how it begins."""
    with pytest.raises(BadProviderReply, match="begins"):
        read(ChatReading(), body)


def test_a_cut_before_the_first_word_can_be_tried_again():
    """Without text a cut is an error, one that a retry may cure; with its reason where there is one."""
    with pytest.raises(ProviderUnavailable, match="before its first word"):
        read(ChatReading(), lines(chat("")))
    with pytest.raises(ProviderUnavailable, match="it broke"):
        read(MessageReading(), lines(START), broke="it broke")


@pytest.mark.parametrize(
    "garbage", ['{"choices": [{"del', "[1, 2]", '"x"', '{"choices": 7}', '{"choices": [{"delta": 1}]}']
)
def test_garbage_is_an_error_before_text_and_an_ending_after(garbage):
    """What is not the protocol's shape raises at first, and ends the reply later, the text so far kept."""
    with pytest.raises(BadProviderReply):
        read(ChatReading(), lines(garbage))
    deltas = read(ChatReading(), lines(chat("kept"), garbage, chat(" lost"), "[DONE]"))
    assert text(deltas) == "kept"
    assert deltas[-1].finish_reason is FinishReason.ERROR


ERRORS = [
    (ChatReading, {"error": {"message": "slow down", "code": "rate_limit_exceeded"}}, RateLimited),
    (ChatReading, {"error": {"message": "boom", "type": "server_error", "code": 500}}, ProviderUnavailable),
    (ChatReading, {"error": {"message": "too long", "code": "context_length_exceeded"}}, ProviderRejected),
    (ChatReading, {"error": {"message": "pay", "type": "insufficient_quota", "code": 429}}, ProviderRejected),
    (ChatReading, {"error": "plain words"}, ProviderUnavailable),
    (MessageReading, {"type": "error", "error": {"type": "overloaded_error"}}, ProviderUnavailable),
    (MessageReading, {"type": "error", "error": {"type": "rate_limit_error", "message": "m"}}, RateLimited),
    (MessageReading, {"type": "error", "error": {"type": "invalid_request_error"}}, ProviderRejected),
    (ContentReading, {"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "m"}}, RateLimited),
    (ContentReading, {"error": {"code": 503, "status": "UNAVAILABLE", "message": "m"}}, ProviderUnavailable),
    (ContentReading, {"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": "m"}}, ProviderRejected),
]
FIRST = {ChatReading: chat("kept"), MessageReading: words("kept"), ContentReading: content("kept")}


@pytest.mark.parametrize(("made", "event", "error"), ERRORS)
def test_an_error_event_is_raised_before_text_and_ends_the_reply_after(made, event, error):
    """In-stream errors are sorted like statuses when nothing was said, and are an ending when something was."""
    with pytest.raises(error):
        made().decode(lines(event))
    with pytest.raises(error):
        made().decode_whole(json.dumps(event).encode())
    deltas = read(made(), lines(FIRST[made], event))
    assert text(deltas) == "kept"
    assert deltas[-1].finish_reason is FinishReason.ERROR
    assert deltas[-1].detail


def test_nothing_is_said_after_the_terminal_signal():
    """Text, errors or garbage after the end change neither words nor ending."""
    for extra in (chat("again"), {"error": {"message": "late"}}, "garbage", chat(None, "length")):
        deltas = read(ChatReading(), lines(chat("once"), chat(None, "stop"), extra, "[DONE]", "[DONE]"))
        assert text(deltas) == "once"
        assert deltas[-1].finish_reason is FinishReason.COMPLETE


def test_numbered_blocks_are_told_once():
    """A message's start, blocks and ends that come twice do not double its words."""
    opened = block("start", content_block={"type": "text", "text": "A"})
    events = [START, START, opened, opened, words("b"), block("stop"), block("stop"), words("b"), stop("end_turn")]
    assert text(read(MessageReading(), lines(*events, *events[-1:]))) == "Ab"


def test_thoughts_are_not_the_answer():
    """Thinking blocks, thought parts and reasoning fields are never told as text."""
    thought = block("delta", delta={"type": "thinking_delta", "thinking": "hm"})
    assert text(read(MessageReading(), lines(thought, words("x", 1), stop("end_turn")))) == "x"
    part = {"candidates": [{"content": {"parts": [{"text": "hm", "thought": True}, {"text": "x"}]}}]}
    assert text(read(ContentReading(), lines(part, content("y", "STOP")))) == "xy"
    reasoning = {"choices": [{"delta": {"reasoning_content": "hm", "content": None}}]}
    assert text(read(ChatReading(), lines(reasoning, chat("x"), chat(None, "stop")))) == "x"


def test_content_in_parts_and_other_choices():
    """A list of text parts is read; a second choice is not mixed in."""
    parts = chat([{"type": "text", "text": "x"}, {"type": "thinking", "thinking": []}])
    second = {"choices": [{"index": 1, "delta": {"content": "NO"}}]}
    assert text(read(ChatReading(), lines(parts, second, chat("y"), chat(None, "stop")))) == "xy"


def test_a_models_refusal_is_a_filtered_ending():
    """OpenAI's refusal field is the reason of the ending, not the answer."""
    refusal = {"choices": [{"delta": {"refusal": "I cannot."}}]}
    (only,) = read(ChatReading(), lines(refusal, chat(None, "stop"), "[DONE]"))
    assert (only.finish_reason, only.detail) == (FinishReason.FILTERED, "I cannot.")


def test_usage_is_counted_by_kind():
    """Input counts everything read, the cached part among it; output counts thoughts too."""
    usage = {"prompt_tokens": 10, "prompt_tokens_details": {"cached_tokens": 4}, "completion_tokens": 2}
    assert read(ChatReading(), lines(chat("x", "stop", usage=usage)))[-1].usage == Usage(10, 4, 2)
    assert read(MessageReading(), lines(START, words("x"), stop("end_turn", output_tokens=2)))[-1].usage == Usage(
        8, 3, 2
    )
    counted = {"promptTokenCount": 10, "cachedContentTokenCount": 4, "candidatesTokenCount": 2, "thoughtsTokenCount": 5}
    assert read(ContentReading(), lines(content("x", "STOP", usageMetadata=counted)))[-1].usage == Usage(10, 4, 7)


def cite(start, end, cited, document=0, kind="char_location"):
    place = {"document_index": document, "start_char_index": start, "end_char_index": end, "cited_text": cited}
    return block("delta", delta={"type": "citations_delta", "citation": {"type": kind, **place}})


def test_native_citations_become_pointers_after_their_text():
    """A citation points at the source's exact words, even when it comes before its text or counts otherwise."""
    documents = [(2, Source("g", "🌿 Grass is green. It grows."))]
    events = [
        cite(2, 17, "Grass is green."),
        words("Green"),
        cite(2, 17, "Grass is green."),
        cite(0, 9, "It grows."),
        block("stop"),
        words(".", 1),
        stop("end_turn"),
    ]
    green, pointed, _, _ = read(MessageReading(documents), lines(*events))
    assert green.text == "Green"
    assert pointed.pointers == (Pointer(2, 2, 17), Pointer(2, 18, 27))


@pytest.mark.parametrize(
    "odd", [cite(0, 5, "Water"), cite(0, 5, "", 9), cite(0, 5, "", kind="page_location"), cite(9, 4, "")]
)
def test_a_citation_of_nothing_points_nowhere(odd):
    """Words the source does not have, unknown documents and other kinds of places give no pointer."""
    deltas = read(MessageReading([(0, Source("g", "Grass."))]), lines(words("x"), odd, block("stop"), stop("end_turn")))
    assert not any(delta.pointers for delta in deltas)


def test_a_tools_arguments_are_the_reply():
    """A structured reply that comes as a tool's input is its JSON text."""
    begun = block("start", content_block={"type": "tool_use", "name": "r", "input": {}})
    pieces = [block("delta", delta={"type": "input_json_delta", "partial_json": p}) for p in ("", '{"a"', ": 1}")]
    deltas = read(MessageReading(), lines(begun, *pieces, stop("tool_use")))
    assert json.loads(text(deltas)) == {"a": 1}
    assert deltas[-1].finish_reason is FinishReason.COMPLETE


WHOLE = [
    (
        ChatReading,
        {"choices": [{"message": {"content": "Hi"}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 1}},
    ),
    (MessageReading, {"type": "message", "content": [{"type": "text", "text": "Hi"}], "stop_reason": "end_turn"}),
    (ContentReading, content("Hi", "STOP")),
    (ContentReading, [content("H"), content("i", "STOP")]),
]


@pytest.mark.parametrize(("made", "body"), WHOLE)
def test_a_whole_reply_is_read_too(made, body):
    """A server that ignores the wish to stream is understood."""
    reading = made()
    deltas = reading.decode_whole(json.dumps(body).encode()) + reading.flush()
    assert (text(deltas), deltas[-1].finish_reason) == ("Hi", FinishReason.COMPLETE)


@every("made", [ChatReading, MessageReading, ContentReading])
@every("body", [b"", b"[]", b"{}", b'{"ok": true}', b'{"choices"', b"null", b"[" * 100_000])
def test_a_whole_reply_of_another_shape_is_a_bad_reply(made, body):
    """JSON that is not the protocol's, or not JSON, raises our own error."""
    with pytest.raises(BadProviderReply):
        made().decode_whole(body)
