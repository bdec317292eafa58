"""The names a tenant's own findings hold: accounts, regions, services, frameworks, checks, resources, scans.

A question is read against these and nothing else, so what no finding bears is known to be unknown. What is kept is read
once for each newest scan of a tenant.
"""

from __future__ import annotations

import re
import tomllib
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, timedelta
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import select, text

from footnoted.assistants.security.names import SERVICES, framework_key, framework_name, requirement_key, service_key
from footnoted.assistants.security.tables import ScanRow, reading

if TYPE_CHECKING:
    from footnoted.store import Database

_MOST_RESOURCES = 50_000
_MOST_TENANTS = 16
_VERSION = re.compile(r"(?i)^(.+?)[- ]((?:v\d|\d)[\w. ]*|(?:[a-z]{3} )?20\d\d|revision-\d+)(-[a-z]+)?$")
# What Prowler can look at, by the names people use; of a cloud that is not among a tenant's findings it says so.
PROVIDERS = {
    "aws": ("aws", "amazon web services", "amazon"), "azure": ("azure", "microsoft azure"),
    "gcp": ("gcp", "google cloud", "google cloud platform", "google"), "kubernetes": ("kubernetes", "k8s"),
    "m365": ("m365", "microsoft 365", "office 365"), "github": ("github",), "oraclecloud": ("oracle cloud", "oci"),
    "alibabacloud": ("alibaba cloud", "alibaba"), "mongodbatlas": ("mongodb atlas",), "ibm": ("ibm cloud",),
    "cloudflare": ("cloudflare",), "openstack": ("openstack",), "digitalocean": ("digitalocean",),
    "hetzner": ("hetzner",), "googleworkspace": ("google workspace",),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a name may mean: values of a field. ``whole`` is false where the name is only a part of theirs."""

    field: str
    values: tuple[str, ...]
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Check:
    """A check of the tenant's findings: its id, title, and what it is run on."""

    id: str
    title: str
    provider: str
    service: str
    types: frozenset[str] = frozenset()
    categories: frozenset[str] = frozenset()
    scanners: frozenset[str] = frozenset()


@dataclass(slots=True)
class Vocabulary:
    """Everything a question may name."""

    accounts: dict[str, str] = field(default_factory=dict)  # id -> name
    account_providers: dict[str, str] = field(default_factory=dict)
    providers: set[str] = field(default_factory=set)
    regions: set[str] = field(default_factory=set)
    services: dict[str, set[str]] = field(default_factory=dict)  # as the scanner writes them -> providers
    known_services: set[str] = field(default_factory=set)  # of which the catalogue speaks
    scanners: set[str] = field(default_factory=set)
    resource_types: dict[str, set[str]] = field(default_factory=dict)  # -> the services they are of
    tags: set[str] = field(default_factory=set)
    categories: set[str] = field(default_factory=set)
    frameworks: dict[str, dict[str, dict[str, str]]] = field(default_factory=dict)  # family -> version -> key -> id
    checks: dict[str, Check] = field(default_factory=dict)
    controls: dict[str, set[str]] = field(default_factory=dict)  # Security Hub's control of today -> checks
    resources: dict[str, set[str]] = field(default_factory=dict)  # name -> ids
    resource_kinds: dict[str, set[str]] = field(default_factory=dict)  # name -> its types
    scans: tuple[date, ...] = ()  # the days of all scans, newest first
    previous: date | None = None
    names: dict[str, list[Meaning]] = field(default_factory=dict)  # compact name -> what it may mean
    _named: dict[str, str] = field(default_factory=dict, repr=False)  # a resource's id -> its name

    @property
    def today(self) -> date:
        """The day of the newest scan, up to which ages are counted."""
        return self.scans[0] if self.scans else date(1970, 1, 1)

    def is_previous(self, since: date) -> bool:
        """Whether a day is about that of the scan before: no farther from it than a third of the time since."""
        return self.previous is not None and abs((self.previous - since).days) <= (self.today - since).days // 3

    def scan_near(self, days: int) -> date | None:
        """The day of the scan taken about so many days before the newest: no farther from it than a third of them."""
        wanted = self.today - timedelta(days=days)
        nearest = min(self.scans[1:], key=lambda one: abs((one - wanted).days), default=None)
        return nearest if nearest is not None and abs((nearest - wanted).days) <= days // 3 else None

    @property
    def tag_keys(self) -> set[str]:
        """What stands before the colon of tags."""
        return {tag.partition(":")[0] for tag in self.tags}

    def lookup(self, name: str) -> list[Meaning]:
        """What a name means, in singular or plural, with whatever marks between its letters."""
        gram = compact(name)
        for form in (gram, *singulars(gram)):
            if found := self.names.get(form):
                return found
        return []

    def resource_name(self, identity: str) -> str:
        """A resource's name by its id."""
        if not self._named:
            self._named = {each: name for name, ids in self.resources.items() for each in ids}
        return self._named.get(identity, identity)

    def account_name(self, identity: str) -> str:
        """An account as people call it, with its id."""
        name = self.accounts.get(identity, "")
        return f"{name} ({identity})" if name and name != identity else identity


@lru_cache(maxsize=65_536)
def compact(name: str) -> str:
    """A name's letters and digits alone, so that "west europe", "westeurope" and "West-Europe" are one."""
    return re.sub(r"[\W_]+", "", name.casefold())


def singulars(word: str) -> tuple[str, ...]:
    """A word without the ending of a plural."""
    if word.endswith("ies") and len(word) > 5:
        return (word[:-3] + "y", word[:-1])
    if word.endswith("ses") and len(word) > 5:
        return (word[:-2], word[:-1])
    return (word[:-1],) if word.endswith("s") and len(word) > 3 else ()


def parts_of(name: str) -> list[str]:
    """The words of a name: at its marks and where a capital begins one."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return [one.casefold() for one in re.split(r"[\W_]+", spaced) if one]


def family_of(name: str) -> tuple[str, str]:
    """A framework's name and version, as a scanner writes both together.

    >>> family_of("CIS-5.0"), family_of("NIST-800-53-Revision-5"), family_of("HIPAA")
    (('CIS', '5.0'), ('NIST-800-53', 'Revision-5'), ('HIPAA', ''))
    """
    found = _VERSION.match(name)
    if found is None or (re.fullmatch(r"\d+(-\d+)?", found[2]) and found[1].casefold() == "nist"):
        return name, ""
    return found[1], found[2] + (found[3] or "")


_kept: OrderedDict[tuple[str, str, str], Vocabulary] = OrderedDict()


async def vocabulary_of(database: Database, tenant: str) -> Vocabulary:
    """The tenant's vocabulary as of its newest scans."""
    async with reading(database) as connection:
        columns = select(ScanRow.id, ScanRow.taken_at, ScanRow.place, ScanRow.imports).where(ScanRow.tenant == tenant)
        scans = (await connection.execute(columns.order_by(ScanRow.taken_at.desc(), ScanRow.id))).all()
        duties = "SELECT count(*) FROM security_requirements WHERE tenant = :tenant"
        held = (await connection.execute(text(duties), {"tenant": tenant})).scalar_one()
        stamp = str(hash((held, *((row.id, row.place, row.imports) for row in scans))))
        key = (str(database.url), tenant, stamp)
        if key not in _kept:
            _kept[key] = await _read(connection, tenant, scans)
            while len(_kept) > _MOST_TENANTS:
                _kept.popitem(last=False)
        _kept.move_to_end(key)
        return _kept[key]


async def _read(connection: Any, tenant: str, scans: Any) -> Vocabulary:
    async def rows(statement: str) -> Any:
        return (await connection.execute(text(statement), {"tenant": tenant})).all()

    made = Vocabulary()
    days = [row.taken_at.astimezone(UTC).date() for row in scans]
    made.scans = tuple(sorted(set(days), reverse=True))
    made.previous = max((day for day, row in zip(days, scans, strict=True) if row.place == 1), default=None)
    of_tenant = "FROM security_findings WHERE tenant = :tenant"
    columns = "provider, account, account_name, region, family, scanner, resource_type"
    for provider, account, name, region, family, scanner, kind in await rows(f"SELECT DISTINCT {columns} {of_tenant}"):
        made.providers.add(provider)
        if account and (name != account or account not in made.accounts):
            made.accounts[account] = name or account
            made.account_providers[account] = provider
        made.regions.add(region)
        made.services.setdefault(family, set()).add(provider)
        made.scanners.add(scanner)
        made.resource_types.setdefault(kind, set()).add(family)
    for tags, categories in await rows(f"SELECT DISTINCT tags, categories {of_tenant}"):
        made.tags.update(tags.split("\n")[1:-1])
        made.categories.update(categories.split("\n")[1:-1])
    for name, identity, kind in await rows(
        f"SELECT DISTINCT resource_name, resource_id, resource_type {of_tenant} LIMIT {_MOST_RESOURCES}"
    ):
        made.resources.setdefault(name or identity, set()).add(identity)
        made.resource_kinds.setdefault(name or identity, set()).add(kind)
    kinds: dict[tuple[str, str, str, str], set[str]] = {}
    scanners: dict[str, set[str]] = {}
    of: dict[str, set[str]] = {}
    for check, title, provider, family, kind, control, scanner, categories in await rows(
        "SELECT DISTINCT r.check_id, r.title, f.provider, f.family, f.resource_type, f.control_id, f.scanner,"
        " f.categories"
        " FROM security_rules AS r JOIN security_findings AS f ON f.rule_id = r.id WHERE r.tenant = :tenant"
    ):
        kinds.setdefault((check, title, provider, family), set()).add(kind)
        scanners.setdefault(check, set()).add(scanner)
        of.setdefault(check, set()).update(categories.split("\n")[1:-1])
        made.controls.setdefault(control, set()).add(check)
    for (check, title, provider, family), types in kinds.items():
        sets = (frozenset(types), frozenset(of[check]), frozenset(scanners[check]))
        made.checks[check] = Check(check, title, provider, family, *sets)
    for name, key, requirement in await rows(
        "SELECT DISTINCT name, key, requirement FROM security_mappings WHERE tenant = :tenant"
        " UNION SELECT name, key, requirement FROM security_requirements WHERE tenant = :tenant"
    ):
        family, version = family_of(name)
        made.frameworks.setdefault(family, {}).setdefault(version, {})[key] = requirement
    _catalogue(made)
    made.names = dict(_names(made))
    return made


def _catalogue(made: Vocabulary) -> None:
    """What the shipped catalogue speaks of is known too, though no finding bears it."""
    from footnoted.assistants.security.catalogue import load_catalogue

    families = {framework_key(one) for one in made.frameworks}
    for entry in load_catalogue():
        made.known_services.add(entry.service)
        for key, ids in entry.frameworks.items():
            if key not in families:
                versions = made.frameworks.setdefault(framework_name(key), {"": {}})
                versions[""].update({requirement_key(one): one for one in ids})
        for check in entry.checks:
            if check not in made.checks:
                made.checks[check] = Check(check, entry.title, "aws", entry.service)


@lru_cache(maxsize=1)
def known() -> Vocabulary:
    """What is known without any findings: the catalogue's own names."""
    made = Vocabulary()
    _catalogue(made)
    made.names = dict(_names(made))
    return made


def _names(made: Vocabulary) -> Mapping[str, list[Meaning]]:  # noqa: PLR0912 — one loop a kind of name
    """Every name, written together, with what it may mean; whole names before parts of names."""
    found: dict[str, dict[tuple[str, bool], dict[str, None]]] = {}

    def add(name: str, kind: str, values: Iterable[str], *, whole: bool = True) -> None:
        gram = compact(name)
        if gram:
            found.setdefault(gram, {}).setdefault((kind, whole), {}).update(dict.fromkeys(values))

    for provider, aliases in PROVIDERS.items():
        for alias in aliases:
            add(alias, "provider", [provider])
    for provider in made.providers:
        add(provider, "provider", [provider])
    for identity, name in made.accounts.items():
        add(identity, "account", [identity])
        add(name, "account", [identity])
    _account_parts(made, add)
    plain = {"region": made.regions, "scanner": made.scanners, "category": made.categories}
    for kind, names in plain.items():
        for name in names:
            add(name, kind, [name])
    for place, regions in places().items():
        add(place, "region", [one for one in regions if one in made.regions] or regions)
    for service in made.services:
        key = service_key(service)
        add(service, "service", [service])
        for name in {key, SERVICES.get(key, "")} - {service}:
            add(name, "service", [one for one in made.services if service_key(one) == key])
    for service in made.known_services - {service_key(one) for one in made.services}:
        for name in (service, SERVICES.get(service, "")):
            add(name, "service", [service])
    for kind, services in made.resource_types.items():
        words = parts_of(kind)
        for service in services:  # "rds instances", "kms keys" of every cloud
            for name in {service, service_key(service)}:
                add(name + words[-1], "resource_type", [kind])
        for at in range(len(words)):
            add("".join(words[at:]), "resource_type", [kind], whole=at + 1 < len(words))
            for single in singulars("".join(words[at:])):
                add(single, "resource_type", [kind], whole=at + 1 < len(words))
    for tag in made.tags:
        key, _, value = tag.partition(":")
        for name in (tag, f"{value} {key}"):
            add(name, "tag", [tag])
        add(value, "tag", [tag], whole=False)
    for family in made.frameworks:
        add(family, "framework", [family])
        add(framework_name(framework_key(family)), "framework", [family])
    for control, checks in made.controls.items():
        add(control, "check", sorted(checks))
    for check in made.checks:
        if check not in made.controls:
            add(check, "check", [check])
    for name, ids in made.resources.items():
        add(name, "resource", [name])
        for identity in ids:
            add(identity, "resource", [identity])
        stem = re.split(r"[-_.]", name)
        for at in range(1, len(stem)):
            add("".join(stem[:at]), "resource", [name], whole=False)
    return {
        gram: [Meaning(kind, tuple(values), whole) for (kind, whole), values in kinds.items()]
        for gram, kinds in found.items()
    }


@lru_cache(maxsize=1)
def places() -> dict[str, tuple[str, ...]]:
    """The regions of each city, country and continent, by its name written together in small letters.

    >>> places()["sweden"]
    ('eu-north-1', 'europe-north2', 'swedencentral')
    """
    table = tomllib.loads(Path(__file__).with_name("regions.toml").read_text(encoding="utf-8"))
    found: dict[str, tuple[str, ...]] = {}
    for country, cities in table["regions"].items():
        found |= {city: tuple(regions.split()) for city, regions in cities.items()}
        found[country] = tuple(region for regions in cities.values() for region in regions.split())
    for wider, countries in {**table["countries"], **table["unions"]}.items():
        found[wider] = tuple(region for country in countries.split() for region in found[country])
    found |= {name: found[place] for place, names in table["also"].items() for name in names.split()}
    return found


def _account_parts(made: Vocabulary, add: Any) -> None:
    """The words in which accounts' names differ: of "halden-prod" and "halden-staging" it is not "halden"."""
    words = {identity: parts_of(name) for identity, name in made.accounts.items()}
    for identity, parts in words.items():
        for part in parts:
            if sum(part in other for other in words.values()) < max(2, len(words)) and not part.isdigit():
                add(part, "account", [identity], whole=False)
