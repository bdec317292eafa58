"""The provider for Gemini on Vertex AI: Gemini's protocol in a Google Cloud project.

Protocol: cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference.
"""

from __future__ import annotations

import os
from typing import ClassVar, Unpack
from urllib.parse import quote

from footnoted.errors import ConfigurationError
from footnoted.providers._tokens import GoogleToken, Token, Tokened
from footnoted.providers._wire import Options
from footnoted.providers.gemini import Gemini


class Vertex(Tokened, Gemini):
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
        effort: str | None = None,
        project: str | None = None,
        location: str | None = None,
        token: Token | None = None,
        **options: Unpack[Options],
    ) -> None:
        self._token = token
        self._location = location or os.environ.get("GOOGLE_CLOUD_LOCATION") or "global"
        if not options.get("base_url") and self._location != "global":
            here = f"https://{self._location}-aiplatform.googleapis.com"
            options["base_url"] = self._setting("BASE_URL") or here
        super().__init__(effort=effort, **options)
        self._project = project or os.environ.get("GOOGLE_CLOUD_PROJECT")
        if self._token is not None and not self._project:
            self._project = self._token.project if isinstance(self._token, GoogleToken) else None
            if not self._project:
                raise ConfigurationError("provider 'vertex' needs project= or GOOGLE_CLOUD_PROJECT")

    def _without_key(self, places: list[str]) -> tuple[str, str]:  # noqa: ARG002
        self._token = GoogleToken()
        return "", "the application default credentials"

    def _credentials(self, key: str) -> dict[str, str]:
        return super()._credentials(key) if key else {}

    def _url(self, model: str) -> str:
        name = model.removeprefix("models/")
        if not name.startswith(("projects/", "publishers/")):
            name = f"publishers/google/models/{name}"
        if self._token is not None and not name.startswith("projects/"):
            name = f"projects/{self._project}/locations/{self._location}/{name}"
        return self._at(f"/v1/{quote(name)}:streamGenerateContent", drop="/v1", query="alt=sse")
