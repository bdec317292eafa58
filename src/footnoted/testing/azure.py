# ruff: noqa: D102 - Dialect says what each method is for
"""Azure OpenAI's deployments, spoken by a test server: OpenAI's chunks, with the filters' results in them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from footnoted.testing.dialect import Frame, Message, Refused
from footnoted.testing.openai import OpenAI
from footnoted.testing.script import ProtocolName, Reply, Request

_SAFE = {"filtered": False, "severity": "safe"}
_HIGH = {"filtered": True, "severity": "high"}
_FOUND = {"hate": _SAFE}


class Azure(OpenAI):
    """A first chunk without choices, and the deployment in the path."""

    name: ProtocolName = "azure"

    def read(self, message: Message) -> Request | None:
        folder, _, model = message.path.removesuffix("/chat/completions").rpartition("/")
        request = super().read(message) if folder.endswith("/openai/deployments") else None
        return replace(request, model=model) if request else None

    def complaint(self, request: Request) -> Refused | None:
        if not request.query.get("api-version"):
            return Refused(404, {"error": {"code": "404", "message": "Resource not found"}})
        return super().complaint(request)

    def blocked(self, reply: Reply) -> Refused | None:
        said = reply.whole or "The response was filtered."
        found = {"hate": _SAFE, "violence": _HIGH, "jailbreak": {"filtered": False, "detected": False}}
        inner = {"code": "ResponsibleAIPolicyViolation", "content_filter_result": found}
        error = {"message": said, "type": None, "param": "prompt", "code": "content_filter", "status": 400}
        return Refused(400, {"error": {**error, "innererror": inner}})

    def frames(self, request: Request, reply: Reply) -> list[Frame]:
        first = {"choices": [], "prompt_filter_results": [{"prompt_index": 0, "content_filter_results": _FOUND}]}
        frames = super().frames(request, reply)
        if reply.finish == "filter":  # the last chunk says which filter it was
            frames = [self._filtered(frame) if frame.part == "stop" else frame for frame in frames]
        return [Frame("open", {**self._base(request, ""), **first}), *frames]

    @staticmethod
    def _filtered(frame: Frame) -> Frame:
        data: Any = frame.data
        choice = {**data["choices"][0], "content_filter_results": {**_FOUND, "violence": _HIGH}}
        return replace(frame, data={**data, "choices": [choice]})

    def bad_key(self, key: str | None) -> Refused:  # noqa: ARG002
        said = "Access denied due to invalid subscription key or wrong API endpoint."
        return Refused(401, {"error": {"code": "401", "message": said}})

    def unknown_model(self, model: str) -> Refused:  # noqa: ARG002
        said = "The API deployment for this resource does not exist."
        return Refused(404, {"error": {"code": "DeploymentNotFound", "message": said}})
