import json

import pytest

from footnoted.assistants.security import FindingFilters, FindingsService, KnowledgeBaseService, Severity
from footnoted.errors import ConfigurationError
from tests.assistants.security.conftest import EXAMPLES, take_in


async def take(database, name, tenant="clinic"):
    return await KnowledgeBaseService(database).import_file(tenant, (EXAMPLES / name).read_bytes())


async def test_the_shipped_controls_are_there_without_a_database():
    """By framework and by service, by any of their names, gravest first."""
    service = KnowledgeBaseService()
    s3 = await service.get_for_service("Amazon S3")
    assert len(s3) >= 10
    assert {entry.service for entry in s3} == {"s3"}
    assert s3[0].severity is Severity.CRITICAL
    pci = await service.get_for_framework("PCI")
    assert all("pci-dss" in entry.frameworks for entry in pci)
    assert [entry.id for entry in await service.get_for_framework("pci-dss")] == [entry.id for entry in pci]
    assert await service.get_for_service("no such service") == []
    assert (await service.count(""))["shipped"] >= 120


async def test_what_a_scanner_reports_leads_to_its_remediation():
    """Prowler's and Security Hub's names of one breach lead to the same control."""
    service = KnowledgeBaseService()
    (one,) = await service.get_for_checks(["PCI.S3.6"])
    assert (one.id, one.has_remediation) == ("s3-block-public-access", True)
    assert one in await service.get_for_checks(["s3_account_level_public_access_blocks"])


async def test_an_oscal_catalogue_becomes_entries(either):
    """Statements have their letters, parameters their labels, enhancements their numbers, guidance its place."""
    report = await take(either, "catalog.oscal.json")
    assert (report.format, report.read, report.added) == ("oscal-catalog", 2, 2)
    (entry,) = await KnowledgeBaseService(either).get_by_ids(["AC-2"], tenant_id="clinic")
    assert entry.title == "AC-2 Accounts"
    assert entry.description == (
        "a. Name who may open an account; b. Close accounts within [time period] of a leaver's last day."
    )
    assert entry.check == "Accounts of machines count too."
    assert dict(entry.frameworks) == {"nist-800-53": ("AC-2",)}
    assert entry.notes == ("family: Access", "in the LOW baseline")
    (enhanced,) = await KnowledgeBaseService(either).get_by_ids(["ac-2.3"], tenant_id="clinic")
    assert enhanced.label == "AC-2(3)"


async def test_a_profile_adds_to_what_is_known_and_takes_nothing_away(database):
    """A selection names controls: those known keep their words, the others are at least named."""
    await take(database, "catalog.oscal.json")
    report = await take(database, "profile.oscal.json")
    assert (report.format, report.added, report.updated) == ("oscal-profile", 1, 1)
    known, named = await KnowledgeBaseService(database).get_by_ids(["ac-2", "sc-7"], tenant_id="clinic")
    assert known.description.startswith("a. Name who")
    assert "selected by The clinic's own selection" in known.notes
    assert named.label == "SC-7"


async def test_a_compliance_map_makes_findings_serve_its_framework(clinic):
    """What a tenant imports counts at once for the findings it has."""
    filters = FindingFilters(services=("lambda",), frameworks=("hipaa",))
    service = FindingsService(clinic)
    before = await service.get_findings("clinic", filters)
    report = await take(clinic, "compliance.prowler.json")
    assert (report.format, report.title, report.read) == ("prowler-compliance", "A clinic's reading of HIPAA", 1)
    assert (await service.get_findings("clinic", filters)).total >= max(1, before.total)
    (entry,) = [
        one
        for one in await KnowledgeBaseService(clinic).get_for_framework("HIPAA", tenant_id="clinic")
        if one.origin != "shipped"
    ]
    assert (entry.label, entry.title) == ("164.312(b)", "164.312(b) Audit controls")


async def test_metadata_of_a_check_becomes_an_entry(database):
    """Its code comes out of its fences, its steps apart, its emphasis plain."""
    report = await take(database, "checks.prowler.jsonl")
    assert (report.format, report.added) == ("prowler-check", 1)
    (entry,) = await KnowledgeBaseService(database).get_for_service("appstream", tenant_id="clinic")
    assert (
        entry.description
        == "Fleets are looked at for internet access of their own. A user's session can carry data out."
    )
    assert entry.terraform.startswith('resource "aws_appstream_fleet"')
    assert entry.console == ("Stop the fleet", "Switch default internet access off", "Start it")
    assert entry.checks == ("appstream_fleet_default_internet_access_disabled",)


async def test_importing_twice_changes_nothing(either):
    """All kinds of files are idempotent."""
    for name in ("catalog.oscal.json", "compliance.prowler.json", "checks.prowler.jsonl", "profile.oscal.json"):
        await take(either, name)
    for name in ("compliance.prowler.json", "checks.prowler.jsonl", "catalog.oscal.json", "profile.oscal.json"):
        report = await take(either, name)
        assert (report.added, report.updated) == (0, 0), name


async def test_a_tenant_s_knowledge_is_its_own(clinic):
    """What one tenant imported neither shows nor counts for another."""
    await take_in(clinic, tenant="bakery")
    await take(clinic, "compliance.prowler.json")
    await take(clinic, "checks.prowler.jsonl")
    service = KnowledgeBaseService(clinic)
    assert await service.get_for_service("appstream", tenant_id="bakery") == []
    assert all(one.origin == "shipped" for one in await service.get_for_framework("hipaa", tenant_id="bakery"))
    assert set(await service.count("bakery")) == {"shipped"}


@pytest.mark.parametrize(
    "data",
    [b"", b"{}", b"[1]", b'{"catalog": {}}', b'{"catalog": 7}', b'{"profile": {}}', b'{"Framework": "X", "Requirements": []}',
     b'{"Framework": "X", "Requirements": [7]}', b'{"CheckID": "", "CheckTitle": ""}', b"not json", b'{"catalog": {"groups": [[]]}}'],
)  # fmt: skip
async def test_what_is_no_knowledge_is_told(database, data):
    """Nothing is kept and nothing raised; the reason is said where there was anything."""
    report = await KnowledgeBaseService(database).import_file("clinic", data)
    assert report.read == 0
    assert bool(report.problems) == bool(data)


async def test_nesting_without_end_is_refused(database):
    """Groups within groups stop somewhere."""
    group = {"controls": []}
    for _ in range(40):
        group = {"groups": [group]}
    report = await KnowledgeBaseService(database).import_file("clinic", json.dumps({"catalog": group}).encode())
    assert report.skipped == 1


async def test_importing_needs_a_database():
    """The words say what to do."""
    with pytest.raises(ConfigurationError, match="no database"):
        await KnowledgeBaseService().import_file("clinic", b"{}")
