"""A guardrail for LiteLLM's proxy: an answer, whole or streamed, is weighed against what its own request holds.

In its config: ``guardrail: footnoted.integrations.litellm.GroundingGuardrail``, ``mode: post_call``.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from typing import Any

from footnoted.integrations._extra import needed

with needed("litellm"):
    from litellm.integrations.custom_guardrail import CustomGuardrail
    from litellm.types.utils import ModelResponseStream

from footnoted.answering.generator import shipped_checker
from footnoted.answering.weighing import Checking, Mode
from footnoted.integrations.proxy.conversation import Held, held, unharmed
from footnoted.integrations.proxy.replies import ChatReplying, line
from footnoted.integrations.proxy.shelf import Shelf
from footnoted.providers._sse import Event

__all__ = ["GroundingGuardrail"]


class GroundingGuardrail(CustomGuardrail):  # type: ignore[misc] # untyped where it is not installed
    """Citations and verdicts on every answer whose request holds sources; ``checking`` as the proxy's modes.

    Verdicts stand under ``footnoted`` in the ``provider_specific_fields`` of the message, or of a stream's last chunk.
    """

    def __init__(
        self,
        checking: Mode = "mark",
        public_url: str = "urn:footnoted",
        verdict_wait: float = 20.0,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self._wait = verdict_wait  # a check that has to open its model is waited for
        self._mode: Mode = checking
        self._url = public_url

    async def async_post_call_success_hook(self, data: dict[str, Any], user_api_key_dict: Any, response: Any) -> Any:  # noqa: ARG002 - LiteLLM's own signature
        """The response, weighed."""
        found = self._held(data)
        if found is None or not getattr(response, "choices", None) or len(response.choices) != 1:
            return response
        message = response.choices[0].message
        reply = await self._replying(found).whole({"choices": [{"message": {"content": message.content}}]})
        weighed = reply["choices"][0]["message"]
        message.content = weighed["content"]
        if notes := weighed.get("annotations"):
            message.annotations = [*(getattr(message, "annotations", None) or []), *notes]
        fields = getattr(message, "provider_specific_fields", None) or {}
        message.provider_specific_fields = {**fields, "footnoted": reply["footnoted"]}
        return response

    async def async_post_call_streaming_iterator_hook(
        self,
        user_api_key_dict: Any,  # noqa: ARG002 - LiteLLM's own signature
        response: Any,
        request_data: dict[str, Any],
    ) -> AsyncGenerator[Any]:
        """The chunks, weighed; what carries no text passes as it came."""
        found = self._held(request_data)
        replying = self._replying(found) if found is not None else None
        try:
            async for chunk in response:
                if replying is None or not isinstance(chunk, ModelResponseStream):
                    yield chunk
                    continue
                event = Event("message", chunk.model_dump_json(exclude_none=True))
                for sent in await replying.decode(event):
                    yield chunk if sent == line(event) else _chunk(sent)
            if replying is not None and not replying.over:
                for sent in await replying.ended():
                    yield _chunk(sent)
        finally:
            if replying is not None:
                replying.cancel()

    def _held(self, request: dict[str, Any]) -> Held | None:
        """What to weigh a reply by; nothing where it is no running text."""
        found = None if unharmed(request) else held("chat", request)
        return found if found is not None and found.sources else None

    def _replying(self, found: Held) -> ChatReplying:
        record = Shelf().open(self._url, found.sources, found.question, self._mode, keep=False)
        return ChatReplying(record, Checking(shipped_checker(), self._mode, wait=self._wait, doubt="mark"))


def _chunk(event: bytes) -> Any:
    """An event of ours as LiteLLM's chunk."""
    data = json.loads(event.removeprefix(b"data: "))
    if (found := data.pop("footnoted", None)) is not None:
        data["provider_specific_fields"] = {**(data.get("provider_specific_fields") or {}), "footnoted": found}
    return ModelResponseStream(**data)
