"""A model that says a sentence and calls a tool, in three protocols, as their servers send it: whole, and as events."""

import json

from aiohttp import web

ARGUMENTS = '{"n": 7}'
USAGE = {"input_tokens": 3, "output_tokens": 4, "total_tokens": 7}


def lines(*data, named=False):
    told = [(f"event: {each['type']}\n" if named else "") + f"data: {json.dumps(each)}\n\n" for each in data]
    return "".join(told)


def chat(said):
    call = {"id": "t1", "type": "function", "function": {"name": "look_up", "arguments": ARGUMENTS}}
    head = {"id": "c", "created": 1, "model": "m"}
    message = {"role": "assistant", "content": said, "tool_calls": [call]}
    finish = {"index": 0, "finish_reason": "tool_calls", "logprobs": None}
    whole = {**head, "object": "chat.completion", "choices": [{**finish, "message": message}]}

    def chunk(delta, reason=None):
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
        return {**head, "object": "chat.completion.chunk", "choices": [choice]}

    begun = {**call, "index": 0, "function": {"name": "look_up", "arguments": ""}}
    pieces = [{"index": 0, "function": {"arguments": each}} for each in (ARGUMENTS[:4], ARGUMENTS[4:])]
    calls = [chunk({"tool_calls": [each]}) for each in (begun, *pieces)]
    events = [chunk({"role": "assistant", "content": ""}), chunk({"content": said}), *calls, chunk({}, "tool_calls")]
    return whole, lines(*events) + "data: [DONE]\n\n"


def responses(said):
    part = {"type": "output_text", "text": said, "annotations": [], "logprobs": []}
    message = {"type": "message", "id": "m1", "status": "completed", "role": "assistant", "content": [part]}
    call = {"type": "function_call", "id": "f1", "call_id": "t1", "name": "look_up", "status": "completed"}
    call["arguments"] = ARGUMENTS
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    whole = {"id": "r", "object": "response", "created_at": 1, "model": "m", "status": "completed", "error": None}
    whole |= {
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "parallel_tool_calls": True,
        "tools": [],
    }
    whole |= {
        "tool_choice": "auto",
        "temperature": 1,
        "top_p": 1,
        "output": [message, call],
        "usage": {**USAGE, **details},
    }
    begun = {**whole, "status": "in_progress", "output": [], "usage": None}
    text, item = {"item_id": "m1", "output_index": 0, "content_index": 0}, {"output_index": 1, "item_id": "f1"}
    events = [
        {"type": "response.created", "response": begun},
        {"type": "response.output_item.added", "output_index": 0, "item": {**message, "content": []}},
        {"type": "response.content_part.added", **text, "part": {**part, "text": ""}},
        {"type": "response.output_text.delta", **text, "delta": said, "logprobs": []},
        {"type": "response.output_text.done", **text, "text": said, "logprobs": []},
        {"type": "response.content_part.done", **text, "part": part},
        {"type": "response.output_item.done", "output_index": 0, "item": message},
        {"type": "response.output_item.added", "output_index": 1, "item": {**call, "arguments": ""}},
        {"type": "response.function_call_arguments.delta", **item, "delta": ARGUMENTS},
        {"type": "response.function_call_arguments.done", **item, "name": "look_up", "arguments": ARGUMENTS},
        {"type": "response.output_item.done", "output_index": 1, "item": call},
        {"type": "response.completed", "response": whole},
    ]
    return whole, lines(*({**each, "sequence_number": n} for n, each in enumerate(events)), named=True)


def messages(said):
    call = {"type": "tool_use", "id": "t1", "name": "look_up", "input": json.loads(ARGUMENTS)}
    usage = {"input_tokens": 3, "output_tokens": 4}
    head = {"id": "m", "type": "message", "role": "assistant", "model": "m", "stop_sequence": None}
    whole = {**head, "content": [{"type": "text", "text": said}, call], "stop_reason": "tool_use", "usage": usage}
    pieces = [{"type": "input_json_delta", "partial_json": each} for each in (ARGUMENTS[:4], ARGUMENTS[4:])]
    events = [
        {"type": "message_start", "message": {**head, "content": [], "stop_reason": None, "usage": usage}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": said}},
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": {**call, "input": {}}},
        *({"type": "content_block_delta", "index": 1, "delta": each} for each in pieces),
        {"type": "content_block_stop", "index": 1},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use", "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ]
    return whole, lines(*events, named=True)


class Calling:
    """A server that answers each protocol so. ``asked`` has what came, by path."""

    def __init__(self, said):
        replies = {"/chat/completions": chat, "/responses": responses, "/messages": messages}
        self._replies = {path: reply(said) for path, reply in replies.items()}
        self.asked = []

    async def answer(self, request):
        asked = await request.json()
        self.asked.append(asked)
        whole, events = next(reply for path, reply in self._replies.items() if request.path.endswith(path))
        if asked.get("stream"):
            return web.Response(body=events.encode(), content_type="text/event-stream")
        return web.json_response(whole)
