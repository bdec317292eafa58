"""The provider for Azure OpenAI: OpenAI's protocol at a resource's own address, by deployment.

Protocol: learn.microsoft.com/azure/ai-foundry/openai/reference. With an ``api_version`` the deployment stands in the
path; without one the resource's version 1 is asked, which takes it as the model.
"""

from __future__ import annotations

import os
from typing import ClassVar, Unpack
from urllib.parse import quote

from footnoted.providers._tokens import Token, Tokened
from footnoted.providers._wire import Options
from footnoted.providers.openai import OpenAI


class Azure(Tokened, OpenAI):
    """A resource's deployments; ``model`` is the deployment's name. ``token`` is an Entra token or what fetches one.

    ``azure.identity.get_bearer_token_provider(…)`` is such a function, its async twin too.
    """

    name = "azure"
    home = ""
    usual_place = "AZURE_OPENAI_ENDPOINT, such as https://RESOURCE.openai.azure.com"
    usual_model = ""
    key_variables: ClassVar[tuple[str, ...]] = ("AZURE_OPENAI_API_KEY",)

    def __init__(
        self,
        *,
        effort: str | None = None,
        api: str | None = None,
        api_version: str | None = None,
        token: Token | None = None,
        **options: Unpack[Options],
    ) -> None:
        self._token = token
        self._version = api_version or os.environ.get("OPENAI_API_VERSION") or ""
        endpoint = self._setting("BASE_URL") or os.environ.get("AZURE_OPENAI_ENDPOINT")
        options["base_url"] = options.get("base_url") or endpoint
        super().__init__(effort=effort, api=api, **options)

    def _credentials(self, key: str) -> dict[str, str]:
        return {"api-key": key} if key else {}

    def _url(self, model: str) -> str:
        what = "/responses" if self._responds(model) else "/chat/completions"
        if not self._version:
            return self._at("/openai/v1" + what, drop="/openai/v1")
        path = f"/openai/deployments/{quote(model, safe='')}{what}"
        return self._at(path, drop="/openai/v1", query=f"api-version={quote(self._version)}")
