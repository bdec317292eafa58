"""The provider for Amazon Bedrock's ConverseStream, whichever vendor's the model is.

Protocol: docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html. The terminal signal is
``messageStop``; ``metadata`` with the usage comes after it.
"""

from __future__ import annotations

import asyncio
import json
import os
from typing import TYPE_CHECKING, Any, ClassVar, Unpack
from urllib.parse import quote, urlsplit

from footnoted.errors import ConfigurationError, ProviderRejected
from footnoted.providers import anthropic
from footnoted.providers._eventstream import CORRUPT, FrameDecoder
from footnoted.providers._faults import shorten, told
from footnoted.providers._reading import Reading, parsed
from footnoted.providers._schema import in_words, strict
from footnoted.providers._tokens import missing
from footnoted.providers._wire import (
    ROOM_TO_THINK,
    ThinkingOptions,
    ThinkingWire,
    ask_of,
    bearer,
    paragraphs,
    turns_of,
    understood,
)
from footnoted.types import Delta, FinishReason, Usage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from footnoted.providers._sse import Event
    from footnoted.types import Prompt

ENDINGS = {
    **anthropic.ENDINGS,
    "guardrail_intervened": FinishReason.FILTERED,
    "content_filtered": FinishReason.FILTERED,
}
_KINDS = {"throttlingException": "rate_limit", "validationException": "invalid"}


class Bedrock(ThinkingWire):
    """Bedrock's models, by id, inference profile or ARN.

    Who asks: ``api_key`` or ``AWS_BEARER_TOKEN_BEDROCK``; without one, AWS's own chain of credentials, signed by
    botocore (``pip install 'footnoted[bedrock]'``).
    """

    name = "bedrock"
    home = "https://bedrock-runtime.{region}.amazonaws.com"
    usual_model = ""
    key_variables: ClassVar[tuple[str, ...]] = ("AWS_BEARER_TOKEN_BEDROCK",)
    optional: ClassVar[Mapping[str, str]] = {
        "thinking": "thinking",
        "effort": "effort",
        "temperature": "temperature",
        "topP": r"top_?p\b",
        "system": "system (?:message|prompt)",
        "outputConfig": r"output_?config|text_?format|json_?schema|structured output",
    }

    def __init__(
        self,
        *,
        region: str | None = None,
        profile: str | None = None,
        **options: Unpack[ThinkingOptions],
    ) -> None:
        self._profile = profile
        self._aws: Any = None
        options["base_url"] = options.get("base_url") or self._setting("BASE_URL")
        service, _, place = (urlsplit(options["base_url"] or "").hostname or "").partition(".")
        named = place.split(".")[0] if service in ("bedrock-runtime", "bedrock-runtime-fips") else ""
        self._region = region or named or os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
        super().__init__(**options)

    def _found_key(self, given: str | None) -> tuple[str, str]:
        return self._without_key([]) if self._profile else super()._found_key(given)

    def _without_key(self, places: list[str]) -> tuple[str, str]:  # noqa: ARG002
        self._aws = _aws(self._profile)
        return "", "the AWS credentials"

    def _checked_url(self, url: str) -> str:
        if "{region}" in url:
            self._region = self._region or _aws(self._profile).get_config_variable("region")
            if not self._region:
                raise ConfigurationError("provider 'bedrock' needs region= or AWS_REGION, such as eu-central-1")
            url = url.format(region=self._region)
        return super()._checked_url(url)

    def _credentials(self, key: str) -> dict[str, str]:
        accepted = {"Accept": "application/vnd.amazon.eventstream"}
        return {**accepted, **bearer(key)}

    async def _authorised(self, url: str, body: bytes) -> Mapping[str, str]:
        headers = await super()._authorised(url, body)
        return headers if self._aws is None else await asyncio.to_thread(self._signed, url, body, headers)

    def _signed(self, url: str, body: bytes, headers: Mapping[str, str]) -> dict[str, str]:
        """The headers with a signature, version 4, of credentials that are fetched anew when they run out."""
        from botocore.auth import SigV4Auth
        from botocore.awsrequest import AWSRequest
        from botocore.exceptions import BotoCoreError

        try:
            found = self._aws.get_credentials()
            if found is None:
                raise ProviderRejected("no AWS credentials were found; set AWS_BEARER_TOKEN_BEDROCK or log in to AWS")
            frozen = found.get_frozen_credentials()
        except BotoCoreError as error:
            raise ProviderRejected(f"no AWS credentials could be had: {shorten(str(error))}") from error
        self._secrets += [each for each in (frozen.secret_key, frozen.token) if each and each not in self._secrets]
        asked = AWSRequest("POST", url, headers={"Content-Type": "application/json"}, data=body)
        SigV4Auth(frozen, "bedrock", self._region or "us-east-1").add_auth(asked)
        return {**headers, **dict(asked.headers.items())}

    def _url(self, model: str) -> str:
        return self._at(f"/model/{quote(model, safe=':')}/converse-stream")

    def _reading(self, prompt: Prompt) -> Reading:  # noqa: ARG002
        return ConverseReading()

    def _body(self, prompt: Prompt, model: str, without: set[str]) -> dict[str, Any]:
        sampling, system, ask = prompt.sampling, prompt.system, ask_of(prompt)
        config: dict[str, Any] = {"maxTokens": sampling.max_tokens}
        if anthropic.samples(model):
            config |= {"temperature": sampling.temperature}
            config |= {"topP": sampling.top_p if sampling.temperature is None or "claude" not in model else None}
        more, thinks = anthropic.thinking(model, self._effort, without)
        config["maxTokens"] += ROOM_TO_THINK if thinks else 0
        body: dict[str, Any] = {"additionalModelRequestFields": more or None}
        if prompt.schema is not None:
            if "outputConfig" in without:
                ask = paragraphs(ask, in_words(prompt.schema.json))
            schema = {"schema": json.dumps(strict(prompt.schema.json)), "name": prompt.schema.name}
            body["outputConfig"] = {"textFormat": {"type": "json_schema", "structure": {"jsonSchema": schema}}}
        if "system" in without:  # some models take none
            system, ask = "", paragraphs(system, ask)
        messages = [*turns_of(prompt, spoken=True), ("user", ask)]
        body |= {
            "messages": [{"role": role, "content": [{"text": text}]} for role, text in messages],
            "system": [{"text": system}] if system else None,
            "inferenceConfig": understood(config, without),
        }
        return understood(body, without)


def _aws(profile: str | None) -> Any:
    try:
        from botocore.session import Session
    except ModuleNotFoundError as error:
        raise missing(error, "bedrock", "set AWS_BEARER_TOKEN_BEDROCK (and AWS_REGION), or pass api_key=") from error
    return Session(profile=profile)


class ConverseReading(Reading):
    """Reads ConverseStream's events, and a whole Converse reply. Blocks are numbered; what comes twice is told once."""

    def __init__(self) -> None:
        super().__init__()
        self._sse = FrameDecoder()
        self._closed: set[int] = set()

    def take(self, event: Event) -> Delta | None:
        """One event, by its type."""
        kind = event.event
        if kind == CORRUPT:
            raise ValueError("a frame's sums are wrong")
        data = parsed(event.data)
        if kind == "contentBlockDelta":
            text = data["delta"].get("text")
            return Delta(text) if text and data["contentBlockIndex"] not in self._closed else None
        if kind == "contentBlockStop":
            self._closed.add(data["contentBlockIndex"])
        elif kind == "messageStop":
            self._stop(data["stopReason"])
        elif kind == "metadata":
            self._count(data.get("usage") or {})
            self.over = self.ending is not None
        elif kind.endswith("Exception"):
            raise told(str(data.get("message") or kind), _KINDS.get(kind, kind))
        return None

    def take_whole(self, reply: Any) -> list[Delta]:
        """A whole reply."""
        content = reply["output"]["message"]["content"]
        self._count(reply.get("usage") or {})
        if reply.get("stopReason"):
            self._stop(reply["stopReason"])
        return [Delta(block["text"]) for block in content if block.get("text")]

    def _stop(self, reason: str) -> None:
        self.end(ENDINGS.get(reason, FinishReason.ERROR), f"stopReason {reason!r}")

    def _count(self, usage: dict[str, Any]) -> None:
        cached = usage.get("cacheReadInputTokens") or 0
        fresh = (usage.get("inputTokens") or 0) + (usage.get("cacheWriteInputTokens") or 0)
        self.usage = Usage(fresh + cached, cached, usage.get("outputTokens") or 0)
