"""Prompts in, deltas out, from Gemini on Vertex AI: Gemini's protocol in a Google Cloud project.

Protocol: cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import quote

from footnoted.errors import ConfigurationError
from footnoted.providers._tokens import GoogleToken, Token, fetched
from footnoted.providers.gemini import Gemini

if TYPE_CHECKING:
    from collections.abc import Mapping

    import aiohttp


class Vertex(Gemini):
    """Gemini's models in a project.

    Who asks: ``token`` (one, or what fetches one), a key (express mode), or, without either, Google's application
    default credentials by google-auth (``pip install 'footnoted[vertex]'``).
    """

    name = "vertex"
    home = "https://aiplatform.googleapis.com"
    key_variables: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        model: str | None = None,
        headers: Mapping[str, str] | None = None,
        session: aiohttp.ClientSession | None = None,
        effort: str | None = None,
        project: str | None = None,
        location: str | None = None,
        token: Token | None = None,
    ) -> None:
        self._token = token
        self._location = location or os.environ.get("GOOGLE_CLOUD_LOCATION") or "global"
        if not base_url and self._location != "global":
            base_url = self._setting("BASE_URL") or f"https://{self._location}-aiplatform.googleapis.com"
        super().__init__(
            api_key=api_key, base_url=base_url, model=model, headers=headers, session=session, effort=effort
        )
        self._project = project or os.environ.get("GOOGLE_CLOUD_PROJECT")
        if self._token is not None and not self._project:
            self._project = self._token.project if isinstance(self._token, GoogleToken) else None
            if not self._project:
                raise ConfigurationError("provider 'vertex' needs project= or GOOGLE_CLOUD_PROJECT")

    def _found_key(self, given: str | None) -> tuple[str, str]:
        return ("", "token=") if self._token is not None else super()._found_key(given)

    def _without_key(self, places: list[str]) -> tuple[str, str]:  # noqa: ARG002
        self._token = GoogleToken()
        return "", "the application default credentials"

    def _credentials(self, key: str) -> dict[str, str]:
        return super()._credentials(key) if key else {}

    async def _authorised(self, url: str, body: bytes) -> Mapping[str, str]:
        headers = await super()._authorised(url, body)
        if self._token is None:
            return headers
        self._secrets[0] = await fetched(self._token)
        return {**headers, "Authorization": f"Bearer {self._secrets[0]}"}

    def _url(self, model: str) -> str:
        name = model.removeprefix("models/")
        if not name.startswith(("projects/", "publishers/")):
            name = f"publishers/google/models/{name}"
        if self._token is not None and not name.startswith("projects/"):
            name = f"projects/{self._project}/locations/{self._location}/{name}"
        return self._at(f"/v1/{quote(name)}:streamGenerateContent", drop="/v1", query="alt=sse")
