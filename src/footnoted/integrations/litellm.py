"""A guardrail for LiteLLM's proxy: an answer is weighed against what its own request holds, before it is given.

In its config: ``guardrail: footnoted.integrations.litellm.GroundingGuardrail``, ``mode: post_call``.
"""

from __future__ import annotations

from typing import Any

from footnoted.adapters._extra import needed

with needed("litellm"):
    from litellm.integrations.custom_guardrail import CustomGuardrail

from footnoted.answering.generator import shipped_checker
from footnoted.answering.weighing import Checking, Mode
from footnoted.integrations.proxy.conversation import held
from footnoted.integrations.proxy.replies import ChatReplying
from footnoted.integrations.proxy.shelf import Shelf

__all__ = ["GroundingGuardrail"]


class GroundingGuardrail(CustomGuardrail):  # type: ignore[misc] # untyped where it is not installed
    """Citations and verdicts on every answer whose request holds sources; ``checking`` as the proxy's modes.

    Verdicts stand under ``footnoted`` in the message's ``provider_specific_fields``. Only whole replies are weighed:
    LiteLLM gives this hook no stream; `footnoted proxy` before or behind it weighs those.
    """

    def __init__(
        self,
        checking: Mode = "mark",
        public_url: str = "urn:footnoted",
        verdict_wait: float = 20.0,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self._wait = verdict_wait  # the reply is whole already: a check that has to open its model is waited for
        self._mode: Mode = checking
        self._url = public_url

    async def async_post_call_success_hook(self, data: dict[str, Any], user_api_key_dict: Any, response: Any) -> Any:  # noqa: ARG002 - LiteLLM's own signature
        """The response, weighed."""
        found = held("chat", data)
        if not found.sources or not getattr(response, "choices", None) or len(response.choices) != 1:
            return response
        record = Shelf().open(self._url, found.sources, found.question, self._mode, keep=False)
        replying = ChatReplying(record, Checking(shipped_checker(), self._mode, wait=self._wait, doubt="mark"))
        message = response.choices[0].message
        told = await replying.whole({"choices": [{"message": {"content": message.content}}]})
        weighed = told["choices"][0]["message"]
        message.content = weighed["content"]
        if notes := weighed.get("annotations"):
            message.annotations = [*(getattr(message, "annotations", None) or []), *notes]
        fields = getattr(message, "provider_specific_fields", None) or {}
        message.provider_specific_fields = {**fields, "footnoted": told["footnoted"]}
        return response
