"""Everything the service may be told, by environment variables and a file, validated."""

from __future__ import annotations

import contextlib
import ipaddress
import os
import re
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AliasChoices,
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from footnoted.errors import ConfigurationError
from footnoted.service.prices import ANY, Price
from footnoted.store.database import local_url
from footnoted.types import Deadlines

FILE_VARIABLE = "FOOTNOTED_SETTINGS"
_PREFIX = "FOOTNOTED_"
# Variables that other parts of footnoted read, and those of its tests.
_OTHERS = frozenset(
    {
        FILE_VARIABLE,
        "FOOTNOTED_CACHE",
        "FOOTNOTED_DATA",
        "FOOTNOTED_TENANT",
        "FOOTNOTED_TESTS",
        "FOOTNOTED_TEST_SERVICES",
    }
)
Positive = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(ge=1)]
TENANT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
TenantName = Annotated[str, Field(pattern=f"^{TENANT.pattern}$")]
Uploads = Literal["members", "admins", "nobody"]  # who may add and take away what answers rest on
Language = Annotated[str, Field(pattern=r"^[a-z]{2,3}$")]  # ISO 639-1, as "en"
Port = Annotated[int, Field(ge=1, le=65535)]
_WEB_PORTS = (80, 443)


class Policy(BaseModel):
    """What requests may ask for. In the settings for all tenants, and as ``[tenants.NAME]`` in the file for one."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    models: Annotated[list[str], NoDecode] = Field(default_factory=list)  # that may be named; without any, all may
    answer_tokens: Count = 32_000
    context_tokens: Count = 200_000
    checking_locked: bool = False  # a request cannot turn the check off
    url_ports: Annotated[list[Port], NoDecode] = Field(default_factory=lambda: [*_WEB_PORTS])  # of web addresses
    tokens_per_day: Count | None = None  # days and months are UTC's
    tokens_per_month: Count | None = None
    money_per_day: Positive | None = None  # in the currency of the prices
    money_per_month: Positive | None = None
    keep_answers_days: Positive = 30.0
    uploads: Uploads = "members"
    languages: Annotated[list[Language], NoDecode] = Field(default_factory=list)  # of questions; without any, all


class Settings(BaseSettings, Policy):
    """Each field is ``FOOTNOTED_`` and its name in capitals in the environment, or its name in a TOML file.

    The environment wins over the file, and what is passed by hand over both. ``DATABASE_URL`` and ``REDIS_URL`` are
    heeded without the prefix as well.
    """

    model_config = SettingsConfigDict(
        env_prefix="FOOTNOTED_", env_ignore_empty=True, extra="ignore", frozen=False, populate_by_name=True
    )

    # Where it listens, and what it stands on.
    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 8000
    workers: Annotated[int, Field(ge=1, le=64)] = 1
    database_url: str = Field(
        default_factory=local_url, validation_alias=AliasChoices("FOOTNOTED_DATABASE_URL", "DATABASE_URL")
    )
    redis_url: str | None = Field(default=None, validation_alias=AliasChoices("FOOTNOTED_REDIS_URL", "REDIS_URL"))
    redis_prefix: str = "footnoted"
    redis_connections: Count = 32
    redis_seconds: Positive = 30.0
    database_connections: Count = 10
    database_seconds: Positive = 5.0

    # Who writes the answers.
    provider: str = "extractive"
    model: str | None = None
    base_url: str | None = None
    api_key: SecretStr | None = None
    fallback: Annotated[list[str], NoDecode] = Field(default_factory=list)
    templates: Path | None = None
    checking: Literal["hold", "mark", "amend", "off"] | None = None
    first_token_seconds: Positive = 30.0
    between_tokens_seconds: Positive = 20.0
    pace_seconds: Annotated[float, Field(ge=0, le=1)] = 0.05

    # The insurance responder: words of your own, ways of answering that are compared, a model for unclear messages.
    insurance_vocabulary: Path | None = None
    insurance_experiment: Path | None = None
    insurance_intent_model: bool = False

    # Who may ask: keys live in the database; a JWT is taken when one of these is set.
    jwt_secret: SecretStr | None = None
    jwt_public_key: str | None = None
    jwt_algorithms: Annotated[list[str], NoDecode] = Field(default_factory=list)
    jwt_issuer: str | None = None
    jwt_audience: str | None = None
    jwt_tenant_claim: str = "tenant"
    # Single sign-on: bearer tokens of an OpenID Connect issuer, held to the keys it publishes.
    oidc_issuer: str | None = None
    oidc_audience: str | None = None
    oidc_tenant_claim: str = "tenant"
    oidc_keys_seconds: Positive = 3600.0  # how long its keys are kept before they are asked for again
    oidc_seconds: Positive = 5.0  # how long it may take to tell them
    # In tokens of either kind: who may see to keys and usage. A dot leads into an object: realm_access.roles
    role_claim: str = "roles"
    admin_role: str = "footnoted-admin"

    # Limits of one tenant and one request.
    requests_per_minute: Count = 120
    concurrent_streams: Count = 8
    question_characters: Count = 8_000
    sources: Count = 200
    source_characters: Count = 1_000_000
    body_bytes: Count = 8_000_000
    file_bytes: Count = 50 * 1024 * 1024
    reading_seconds: Positive = 60.0
    documents: Count = 2_000
    url_hosts: Annotated[list[str], NoDecode] = Field(default_factory=list)  # documents are added from; * is all
    url_seconds: Positive = 30.0
    stream_seconds: Positive = 300.0
    stream_bytes: Count = 4_000_000

    # Other answers for some tenants to what requests may ask for, and what answers cost.
    tenants: dict[TenantName, Policy] = Field(default_factory=dict)
    prices: dict[str, Price] = Field(default_factory=dict)  # by model, of a million tokens; * is all others
    currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$")] = "USD"

    # The process: how much at once, and how long things are kept.
    generations: Count = 2_000
    queue_seconds: Positive = 30.0
    keep_stream_seconds: Positive = 600.0
    keep_grace_seconds: Positive = 300.0
    cancel_grace_seconds: Annotated[float, Field(ge=0)] = 1.0
    heartbeat_seconds: Positive = 15.0
    stall_seconds: Positive = 30.0
    lease_seconds: Positive = 2.4
    shutdown_seconds: Annotated[float, Field(ge=0)] = 20.0
    keep_answers_days_of: dict[str, Positive] = Field(default_factory=dict)  # by tenant, instead of keep_answers_days
    history_turns: Annotated[int, Field(ge=0, le=50)] = 6

    # What is told about it.
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    log_format: Literal["json", "text"] = "json"
    traces: bool | None = None
    metrics_tenants: bool = False  # whether /metrics, which asks for no key, tells what each tenant took

    @field_validator("fallback", "jwt_algorithms", "models", "url_hosts", "url_ports", "languages", mode="before")
    @classmethod
    def _listed(cls, value: Any) -> Any:
        """``a, b`` in an environment variable is a list."""
        return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value

    @field_validator("jwt_secret")
    @classmethod
    def _long_enough(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None and len(value.get_secret_value()) < 32:
            raise ValueError("32 characters at least")
        return value

    @field_validator("oidc_issuer")
    @classmethod
    def _can_be_trusted(cls, value: str | None) -> str | None:
        from footnoted.service.issuer import may_be_asked

        if value is not None and (not may_be_asked(value) or "?" in value or "#" in value):
            raise ValueError("an https:// address without a query, as the issuer writes it in its tokens")
        return value

    @field_validator("redis_url")
    @classmethod
    def _is_redis(cls, value: str | None) -> str | None:
        if value is not None and not value.startswith(("redis://", "rediss://", "unix://")):
            raise ValueError("an address that begins with redis://, rediss:// or unix://")
        return value

    @field_validator("insurance_vocabulary", "insurance_experiment", "templates")
    @classmethod
    def _is_there(cls, value: Path | None, field: ValidationInfo) -> Path | None:
        kind = "folder" if field.field_name == "templates" else "file"
        if value is not None and not (value.is_dir() if kind == "folder" else value.is_file()):
            raise ValueError(f"there is no {kind} {value}")
        return value

    @model_validator(mode="after")
    def _issuer_has_audience(self) -> Self:
        """Else a token the issuer made for any other service would do here."""
        if (self.oidc_issuer is None) != (self.oidc_audience is None):
            raise ValueError("oidc_issuer and oidc_audience belong together; set both")
        return self

    @model_validator(mode="after")
    def _money_has_prices(self) -> Self:
        """Where money is limited, the service's own model and those that may be named have a price."""
        policies: list[Policy] = [self, *self.tenants.values()]
        limited = any(policy.money_per_day or policy.money_per_month for policy in policies)
        if not limited or self.provider == "extractive" or ANY in self.prices:
            return self
        named = {name for policy in policies for name in policy.models}
        for model in sorted({self.model or "", *named}):
            if model not in self.prices:
                what = f"the model {model}" if model else "the provider's own choice of a model"
                raise ValueError(f"money is limited and {what} has no price; add it to prices, or * for all others")
        return self

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """By hand, then the environment, then the file."""
        path = os.environ.get(FILE_VARIABLE)
        file = [TomlConfigSettingsSource(settings_cls, toml_file=Path(path))] if path else []
        return (init_settings, env_settings, dotenv_settings, *file)

    def policy_of(self, tenant: str) -> Policy:
        """What this tenant's requests may ask for: its own where the file says so, else what holds for all."""
        own = self.tenants.get(tenant)
        return self._common.model_copy(update=own.model_dump(exclude_unset=True)) if own else self._common

    @cached_property
    def _common(self) -> Policy:
        return Policy(**{name: getattr(self, name) for name in Policy.model_fields})

    @property
    def provider_options(self) -> dict[str, Any]:
        """What the provider is opened with."""
        key = self.api_key.get_secret_value() if self.api_key else None
        return {"api_key": key, "base_url": self.base_url, "model": self.model}

    @property
    def deadlines(self) -> Deadlines:
        """How long a provider may take."""
        return Deadlines(
            first_token=self.first_token_seconds, between_tokens=self.between_tokens_seconds, total=self.stream_seconds
        )

    @property
    def retention(self) -> dict[str, float]:
        """The days for which answers of some tenants are kept, where that is not the same as for all."""
        own = {
            tenant: policy.keep_answers_days
            for tenant, policy in self.tenants.items()
            if "keep_answers_days" in policy.model_fields_set
        }
        return own | self.keep_answers_days_of

    @property
    def on_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return is_loopback(self.host)

    @property
    def takes_jwt(self) -> bool:
        """Whether a token can prove a tenant."""
        return self.jwt_secret is not None or bool(self.jwt_public_key) or self.oidc_issuer is not None


def is_loopback(host: str) -> bool:
    """Whether a name or address means this very machine."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def read_settings(**given: Any) -> Settings:
    """The settings, or a `ConfigurationError` that says which one is wrong and never shows a secret's value."""
    path = os.environ.get(FILE_VARIABLE)
    if path and not Path(path).is_file():
        raise ConfigurationError(f"{FILE_VARIABLE}: there is no file {path}")
    _refuse_unknown(path)
    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        wrong = error.errors()
        first = next((problem for problem in wrong if problem["type"] == "extra_forbidden"), wrong[0])
        name = ".".join(str(part) for part in first["loc"])
        if first["type"] == "extra_forbidden":
            raise ConfigurationError(f"there is no setting {name}{_near_of(first['loc'])}") from None
        what = first["msg"].removeprefix("Value error, ")
        raise ConfigurationError(f"setting {name}: {what}" if name else f"settings: {what}") from None
    except ValueError as error:  # a TOML file that is none
        raise ConfigurationError(f"the settings file cannot be read: {error}") from None


def _near_of(where: tuple[int | str, ...]) -> str:
    """The known name nearest to an unknown one of a tenant's or a price's table."""
    import difflib

    tables: dict[str, type[BaseModel]] = {"tenants": Policy, "prices": Price}
    table = tables.get(str(where[0]))
    near = difflib.get_close_matches(str(where[-1]), table.model_fields if table else (), 1)
    return f"; did you mean {'.'.join([*map(str, where[:-1]), near[0]])}?" if near else ""


def _refuse_unknown(path: str | None) -> None:
    """A misspelt name would be a setting that silently does nothing."""
    import difflib
    import tomllib

    known = set(Settings.model_fields)
    found = []
    if path:
        with Path(path).open("rb") as file, contextlib.suppress(ValueError):  # told where it is read
            found = [(name, name) for name in tomllib.load(file)]
    for variable in os.environ:
        if variable.startswith(_PREFIX) and variable not in _OTHERS:
            found.append((variable, variable.removeprefix(_PREFIX).lower()))
    for shown, name in found:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            form = f"{_PREFIX}{near[0].upper()}" if near and shown != name else "".join(near)
            raise ConfigurationError(f"there is no setting {shown}" + (f"; did you mean {form}?" if near else ""))
