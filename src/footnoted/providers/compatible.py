"""The provider for any server that speaks OpenAI's protocol: vLLM, Ollama, llama.cpp, gateways."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from footnoted.providers.openai import OpenAI, finished, messages

if TYPE_CHECKING:
    from footnoted.types import Prompt


class Compatible(OpenAI):
    """A server at ``base_url`` (ending in ``/v1``); the key is optional, ``headers`` are for gateways."""

    name = "compatible"
    home = ""
    usual_place = "FOOTNOTED_BASE_URL, such as http://localhost:11434/v1"
    usual_model = "default"  # servers with one model take any name
    key_variables: ClassVar[tuple[str, ...]] = ()

    def _without_key(self, places: list[str]) -> tuple[str, str]:
        return "", " or ".join(places)

    def _body(self, prompt: Prompt, model: str, without: set[str]) -> dict[str, Any]:
        sampling = prompt.sampling
        body = {
            "model": model,
            "messages": messages(prompt),
            "stream": True,
            "stream_options": {"include_usage": True},
            "max_tokens": sampling.max_tokens,
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "top_k": sampling.top_k,
            "reasoning_effort": self._effort,
        }
        return finished(body, prompt, without)
