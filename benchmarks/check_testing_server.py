"""Does the scripted server speak what the vendors' own SDKs expect? Ask it through each of them.

python -m venv ../peers && ../peers/bin/pip install openai anthropic google-genai
python benchmarks/check_testing_server.py ../peers/bin/python
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys

TEXT = "Grün ist das 漢字 🌱 [1]."
FACTS = {"answer": "Grün.", "sources_used": [1]}
ASK = [{"role": "user", "content": "What is green?"}]


def through_openai(url: str) -> dict[str, object]:
    """Streamed, whole, structured and refused, through the openai SDK."""
    import openai

    client = openai.OpenAI(base_url=url, api_key="k", max_retries=0)
    create = client.chat.completions.create
    stream = create(model="m", messages=ASK, stream=True, stream_options={"include_usage": True})
    chunks = list(stream)
    schema = {"type": "json_schema", "json_schema": {"name": "facts", "schema": {"type": "object"}}}
    usage = chunks[-1].usage
    return {
        "streamed": "".join(c.choices[0].delta.content or "" for c in chunks if c.choices),
        "finish": next(c.choices[0].finish_reason for c in chunks if c.choices and c.choices[0].finish_reason),
        "usage": [usage.prompt_tokens, usage.prompt_tokens_details.cached_tokens, usage.completion_tokens],
        "whole": create(model="m", messages=ASK).choices[0].message.content,
        "structured": json.loads(create(model="json", messages=ASK, response_format=schema).choices[0].message.content),
        "busy": raised(lambda: create(model="busy", messages=ASK)),
        "unknown model": raised(lambda: create(model="none", messages=ASK)),
        "wrong key": raised(
            lambda: openai.OpenAI(base_url=url, api_key="x").chat.completions.create(model="m", messages=ASK)
        ),
    }


def through_responses(url: str) -> dict[str, object]:
    """The same through the openai SDK's responses."""
    import openai

    client = openai.OpenAI(base_url=url, api_key="k", max_retries=0)
    create = client.responses.create
    with client.responses.stream(model="m", input=ASK) as stream:
        streamed = "".join(event.delta for event in stream if event.type == "response.output_text.delta")
        response = stream.get_final_response()
    usage = response.usage
    wrong = openai.OpenAI(base_url=url, api_key="x", max_retries=0)
    return {
        "streamed": streamed,
        "finish": response.status,
        "usage": [usage.input_tokens, usage.input_tokens_details.cached_tokens, usage.output_tokens],
        "whole": create(model="m", input=ASK).output_text,
        "structured": json.loads(create(model="json", input=ASK).output_text),
        "busy": raised(lambda: create(model="busy", input=ASK)),
        "unknown model": raised(lambda: create(model="none", input=ASK)),
        "wrong key": raised(lambda: wrong.responses.create(model="m", input=ASK)),
    }


def through_anthropic(url: str) -> dict[str, object]:
    """The same through the anthropic SDK, native citations included."""
    import anthropic

    client = anthropic.Anthropic(base_url=url, api_key="k", max_retries=0)
    common = {"max_tokens": 50, "messages": ASK}
    with client.messages.stream(model="m", **common) as stream:
        streamed = "".join(stream.text_stream)
        message = stream.get_final_message()
    with client.messages.stream(model="cited", **common) as stream:
        cited = stream.get_final_message().content[0].citations[0]
    tools = [{"name": "facts", "input_schema": {"type": "object"}}]
    usage = message.usage
    return {
        "streamed": streamed,
        "finish": message.stop_reason,
        "usage": [
            usage.input_tokens + usage.cache_read_input_tokens,
            usage.cache_read_input_tokens,
            usage.output_tokens,
        ],
        "whole": client.messages.create(model="m", **common).content[0].text,
        "structured": client.messages.create(model="json", tools=tools, **common).content[0].input,
        "citation": [cited.type, cited.start_char_index, cited.end_char_index],
        "busy": raised(lambda: client.messages.create(model="busy", **common)),
        "unknown model": raised(lambda: client.messages.create(model="none", **common)),
        "wrong key": raised(
            lambda: anthropic.Anthropic(base_url=url, api_key="x").messages.create(model="m", **common)
        ),
    }


def through_gemini(url: str) -> dict[str, object]:
    """The same through the google-genai SDK."""
    from google import genai

    # The clients must outlive their calls: a client that is collected closes its connections.
    right, wrong = (genai.Client(api_key=key, http_options={"base_url": url}) for key in "kx")
    models = right.models
    chunks = list(models.generate_content_stream(model="m", contents="What is green?"))
    usage = chunks[-1].usage_metadata
    return {
        "streamed": "".join(c.text or "" for c in chunks),
        "finish": chunks[-1].candidates[0].finish_reason.value,
        "usage": [usage.prompt_token_count, usage.cached_content_token_count, usage.candidates_token_count],
        "whole": models.generate_content(model="m", contents="?").text,
        "structured": json.loads(models.generate_content(model="json", contents="?").text),
        "busy": raised(lambda: models.generate_content(model="busy", contents="?")),
        "unknown model": raised(lambda: models.generate_content(model="none", contents="?")),
        "wrong key": raised(lambda: wrong.models.generate_content(model="m", contents="?")),
    }


def raised(call) -> str:
    """The error a call raises: its class and status."""
    try:
        call()
    except Exception as error:
        return f"{type(error).__name__} {getattr(error, 'status_code', getattr(error, 'code', ''))}"
    return "nothing"


PEERS = {
    "openai": through_openai,
    "responses": through_responses,
    "anthropic": through_anthropic,
    "gemini": through_gemini,
}
COMMON = {"streamed": TEXT, "usage": [120, 80, 9], "whole": TEXT, "structured": FACTS}
EXPECTED = {
    "responses": {
        "finish": "completed",
        "busy": "RateLimitError 429",
        "unknown model": "NotFoundError 404",
        "wrong key": "AuthenticationError 401",
    },
    "openai": {
        "finish": "stop",
        "busy": "RateLimitError 429",
        "unknown model": "NotFoundError 404",
        "wrong key": "AuthenticationError 401",
    },
    "anthropic": {
        "finish": "end_turn",
        "citation": ["char_location", 2, 6],
        "busy": "RateLimitError 429",
        "unknown model": "NotFoundError 404",
        "wrong key": "AuthenticationError 401",
    },
    "gemini": {
        "finish": "STOP",
        "busy": "ClientError 429",
        "unknown model": "ClientError 404",
        "wrong key": "ClientError 400",
    },
}


async def main(python: str) -> int:
    """Ask through each SDK in its own process; print what was right and what was not."""
    from rich.console import Console
    from rich.table import Table

    from footnoted.testing import Pin, Reply, Request, ScriptedLLM

    def reply(request: Request) -> Reply:
        if request.model == "busy":
            return Reply("Slow down.", status=429)
        pins = [Pin(piece=1, document=0, start=2, end=6, quote="ist ")] if request.model == "cited" else []
        return Reply(TEXT, usage=(120, 80, 9), citations=pins, json=FACTS if request.model == "json" else None)

    table = Table("protocol", "check", "through the vendor's SDK", "right")
    wrong = 0
    async with ScriptedLLM(reply, api_key="k", models=["m", "cited", "json", "busy"]) as llm:
        for protocol, own in EXPECTED.items():
            process = await asyncio.create_subprocess_exec(
                python, __file__, "--through", protocol, llm.url(protocol), stdout=asyncio.subprocess.PIPE
            )
            said, _ = await process.communicate()
            found = json.loads(said) if process.returncode == 0 else {}
            for check, right in {**COMMON, **own}.items():
                ok = found.get(check) == right
                wrong += not ok
                table.add_row(protocol, check, str(found.get(check)), "yes" if ok else f"NO, {right}")
    Console().print(table)
    return wrong


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("python", metavar="PEERS_PYTHON", nargs="?", help="the interpreter that has the SDKs")
    parser.add_argument("--through", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.through:
        print(json.dumps(PEERS[options.through[0]](options.through[1])))
    elif not options.python:
        parser.error("which Python has the SDKs?")
    else:
        sys.exit(1 if asyncio.run(main(options.python)) else 0)
