"""Prompts in, deltas out, from Azure OpenAI: OpenAI's protocol at a resource's own address, by deployment.

Protocol: learn.microsoft.com/azure/ai-foundry/openai/reference. With an ``api_version`` the deployment stands in the
path; without one the resource's version 1 is asked, which takes it as the model.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import quote

from footnoted.errors import ConfigurationError
from footnoted.providers._tokens import Token, fetched
from footnoted.providers.openai import OpenAI

if TYPE_CHECKING:
    from collections.abc import Mapping

    import aiohttp


class Azure(OpenAI):
    """A resource's deployments; ``model`` is the deployment's name. ``token`` is an Entra token or what fetches one.

    ``azure.identity.get_bearer_token_provider(…)`` is such a function, its async twin too.
    """

    name = "azure"
    home = ""
    usual_model = ""
    key_variables: ClassVar[tuple[str, ...]] = ("AZURE_OPENAI_API_KEY",)

    def __init__(
        self,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        model: str | None = None,
        headers: Mapping[str, str] | None = None,
        session: aiohttp.ClientSession | None = None,
        effort: str | None = None,
        api: str | None = None,
        api_version: str | None = None,
        token: Token | None = None,
    ) -> None:
        self._token = token
        self._version = api_version or os.environ.get("OPENAI_API_VERSION") or ""
        base_url = base_url or self._setting("BASE_URL") or os.environ.get("AZURE_OPENAI_ENDPOINT")
        super().__init__(
            api_key=api_key, base_url=base_url, model=model, headers=headers, session=session, effort=effort, api=api
        )

    def _found_key(self, given: str | None) -> tuple[str, str]:
        return ("", "token=") if self._token is not None else super()._found_key(given)

    def _credentials(self, key: str) -> dict[str, str]:
        return {"api-key": key} if key else {}

    async def _authorised(self, url: str, body: bytes) -> Mapping[str, str]:
        headers = await super()._authorised(url, body)
        if self._token is None:
            return headers
        self._secrets[0] = await fetched(self._token)
        return {**headers, "Authorization": f"Bearer {self._secrets[0]}"}

    def _checked_url(self, url: str) -> str:
        if not url:
            raise ConfigurationError(
                "provider 'azure' needs base_url= or AZURE_OPENAI_ENDPOINT, such as https://RESOURCE.openai.azure.com"
            )
        return super()._checked_url(url)

    def _url(self, model: str) -> str:
        what = "/responses" if self._responds(model) else "/chat/completions"
        if not self._version:
            return self._at("/openai/v1" + what, drop="/openai/v1")
        path = f"/openai/deployments/{quote(model, safe='')}{what}"
        return self._at(path, drop="/openai/v1", query=f"api-version={quote(self._version)}")
