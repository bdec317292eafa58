"""
title: footnoted
author: The footnoted authors
version: 0.6.0
license: Apache-2.0
description: Answers from your documents in footnoted, every sentence checked, each citation at its exact words.
requirements: aiohttp
"""

import json
from typing import Any

import aiohttp
from pydantic import BaseModel, Field


class Pipe:
    """A model of Open WebUI's that is `footnoted serve`: text as it comes, sources as citations, verdicts as status."""

    class Valves(BaseModel):
        """What an administrator sets."""

        base_url: str = Field(default="http://127.0.0.1:8000/v1", description="footnoted's address")
        api_key: str = Field(default="", description="a key of `footnoted keys add`, where it wants one")
        show_verdicts: bool = Field(default=True, description="say at the end what was checked and what was held back")
        seconds: float = Field(default=300.0, description="how long one answer may take")

    def __init__(self) -> None:
        self.valves = self.Valves()

    def pipes(self) -> list[dict[str, str]]:
        """The one model."""
        return [{"id": "footnoted", "name": "footnoted"}]

    async def pipe(
        self, body: dict[str, Any], __event_emitter__: Any = None, __metadata__: dict[str, Any] | None = None
    ) -> Any:
        """The answer's text, piece by piece."""

        async def emit(kind: str, **data: Any) -> None:
            if __event_emitter__ is not None:
                await __event_emitter__({"type": kind, "data": data})

        await emit("status", description="Looking for what answers this", done=False)
        asked: dict[str, Any] = {"model": "footnoted", "messages": body.get("messages", []), "stream": True}
        chat = str((__metadata__ or {}).get("chat_id") or "")
        if chat:
            asked["footnoted"] = {"conversation_id": chat[:64]}
        headers = {"Authorization": f"Bearer {self.valves.api_key}"} if self.valves.api_key else {}
        timeout = aiohttp.ClientTimeout(total=self.valves.seconds)
        url = f"{self.valves.base_url.rstrip('/')}/chat/completions"
        own: dict[str, Any] = {}
        links: dict[int, str] = {}
        try:
            async with (
                aiohttp.ClientSession(timeout=timeout) as session,
                session.post(url, json=asked, headers=headers) as response,
            ):
                if response.status != 200:
                    raise RuntimeError(_words(await response.text(), response.status))
                async for data in _events(response):
                    if "error" in data:
                        raise RuntimeError(data["error"].get("message") or "the answer broke off")
                    own = data.get("footnoted") or own
                    for choice in data.get("choices", []):
                        for note in choice["delta"].get("annotations") or []:
                            cited = note["url_citation"]
                            links[cited["start_index"]] = cited["url"]
                        if text := choice["delta"].get("content"):
                            yield text
        except (RuntimeError, aiohttp.ClientError, TimeoutError) as error:
            words = f"footnoted: {error or 'no answer in time'}"
            await emit("status", description=words, done=True)
            yield f"\n\n{words}"
            return
        for source in _sources(own, links):
            await emit("source", **source)
        await emit("status", description=_verdicts(own, self.valves.show_verdicts), done=True)


async def _events(response: aiohttp.ClientResponse) -> Any:
    async for line in response.content:
        if line.startswith(b"data: ") and line.strip() != b"data: [DONE]":
            yield json.loads(line[6:])


def _sources(own: dict[str, Any], links: dict[int, str]) -> list[dict[str, Any]]:
    """Open WebUI's sources: one a document, in the order of its numbers, with the exact words that were cited."""
    by_number: dict[int, dict[str, Any]] = {}
    for cited in own.get("citations", []):
        place = own["sources"][cited["source_index"]]
        name = cited["source_title"] or place["title"] or f"Source {cited['number']}"
        url = links.get(cited["start_pos"], "")
        source = by_number.setdefault(
            cited["number"], {"source": {"name": name, "url": url}, "document": [], "metadata": []}
        )
        if cited["source_quote"] not in source["document"]:
            source["document"].append(cited["source_quote"])
            source["metadata"].append({"source": place["id"], "name": name, "url": url})
    return [by_number[number] for number in sorted(by_number)]


def _verdicts(own: dict[str, Any], shown: bool) -> str:
    if own.get("refusal"):
        return "The documents do not say"
    if (ended := own.get("finish_reason", "broken off")) != "complete":
        return f"The answer is not whole: {ended}"
    if not shown:
        return "Done"
    weighed = [each for each in own.get("claims", []) if each.get("kind") == "claim"]
    stand = sum(each["verdict"] == "supported" for each in weighed)
    held = sum(not each["shown"] for each in weighed)
    said = f"{stand} of {len(weighed)} sentences stand on the documents' words" if weighed else "Nothing was checked"
    return f"{said}; {held} held back" if held else said


def _words(text: str, status: int) -> str:
    try:
        return str(json.loads(text)["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return f"it answered with status {status}"
