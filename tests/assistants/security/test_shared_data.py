"""Every file of the shared data, its counts and fields held against the file itself."""

import csv
import json

import pytest

from footnoted.assistants.security import FindingFilters, FindingsService, KnowledgeBaseService, Pagination
from footnoted.assistants.security.severity import read_severity
from tests.assistants.security.conftest import DATA, needs_data

pytestmark = needs_data
EVERYTHING = FindingFilters(statuses=())


def files(folder, pattern):
    return sorted((DATA / folder).glob(pattern)) if (DATA / folder).is_dir() else []


async def kept(database, path):
    report = await FindingsService(database).import_file("t", [path.read_bytes()])
    page = await FindingsService(database).get_findings("t", EVERYTHING, Pagination(page_size=200))
    return report, list(page)


@pytest.mark.parametrize("path", files("prowler/examples_output", "*.ocsf.json"), ids=lambda path: path.name)
async def test_prowler_ocsf(database, path):
    """As many findings as records, each with the check, title, severity, status and frameworks of its record."""
    records = json.loads(path.read_text())
    report, found = await kept(database, path)
    assert (report.read, report.added, report.skipped) == (len(records), len(records), 0)

    for one in found:
        record = next(r for r in records if r["metadata"]["event_code"] == one.check_id)
        assert one.title == " ".join(record["finding_info"]["title"].split())
        assert one.severity is read_severity(record["severity"])
        assert one.status in {r["status_code"].lower() for r in records if r["metadata"]["event_code"] == one.check_id}
        told_ids = {identity for those in record["unmapped"]["compliance"].values() for identity in those}
        assert {identity for those in one.frameworks.values() for identity in those} == told_ids
        assert one.region == (record["resources"][0].get("region") or record["resources"][0].get("namespace") or "")
        assert one.resource_id == record["resources"][0]["uid"]


@pytest.mark.parametrize("path", files("prowler/examples_output", "*.csv"), ids=lambda path: path.name)
async def test_prowler_csv(database, path):
    """As many findings as rows, each with the fields of its row."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file, delimiter=";"))
    report, found = await kept(database, path)
    assert (report.read, report.added, report.skipped) == (len(rows), len(rows), 0)
    for one in found:
        row = next(r for r in rows if r["CHECK_ID"] == one.check_id)
        assert (one.title, one.severity.value) == (" ".join(row["CHECK_TITLE"].split()), row["SEVERITY"])
        assert one.status in {r["STATUS"].lower() for r in rows if r["CHECK_ID"] == one.check_id}


async def test_every_security_hub_sample(database):
    """All 109 files, together: one finding a record that is not another's twin, each field from its record."""
    records = {}
    service = FindingsService(database)
    read = 0
    for path in files("asff-samples", "*.json"):
        value = json.loads(path.read_text())
        wrapped = value["detail"]["findings"] if "detail" in value else [value]
        records |= {one["Id"]: one for one in wrapped}
        report = await service.import_file("t", [path.read_bytes()])
        assert (report.format, report.read, report.skipped) == ("asff", len(wrapped), 0), path.name
        read += report.read
    assert read == 109
    found = [*await service.get_findings("t", EVERYTHING, Pagination(page_size=200))]
    assert {one.uid for one in found} == set(records)
    for one in found:
        record = records[one.uid]
        assert one.title == " ".join(record["Title"].split())
        assert one.account == record["AwsAccountId"]
        assert one.resource_type == record["Resources"][0]["Type"]
        assert one.service
        assert one.check_id
        if one.observed_at.isoformat()[:19] == record["UpdatedAt"][:19]:
            assert one.severity is read_severity(record["Severity"]["Label"])
        for requirement in record["Compliance"].get("RelatedRequirements", []):
            assert requirement.removeprefix("PCI DSS ") in one.frameworks["pci-dss"]
    assert all("cis-aws" in one.frameworks for one in found if "cis-aws-foundations" in one.uid)


@pytest.mark.parametrize("path", files("prowler/compliance_aws", "*.json"), ids=lambda path: path.name)
async def test_prowler_compliance(database, path):
    """An entry a requirement, with its checks; a requirement told twice has the checks of both."""
    value = json.loads(path.read_text())
    service = KnowledgeBaseService(database)
    report = await service.import_file("t", path.read_bytes())
    ids = {one["Id"] for one in value["Requirements"]}
    assert (report.read, report.added, report.skipped) == (len(value["Requirements"]), len(ids), 0)
    (key,) = report.frameworks
    entries = [
        one for one in await service.get_for_framework(key, tenant_id="t", limit=1_000) if one.origin != "shipped"
    ]
    by_id = {one.id.rpartition(":")[2]: one for one in entries}
    for requirement in value["Requirements"]:
        if requirement["Id"] in by_id:
            assert set(requirement["Checks"]) <= set(by_id[requirement["Id"]].checks)


async def test_prowler_check_metadata(database):
    """All 645 checks, each with its severity, service and code."""
    path = DATA / "prowler" / "aws_checks_metadata.jsonl"
    records = {one["CheckID"]: one for one in map(json.loads, path.read_text().splitlines())}
    service = KnowledgeBaseService(database)
    report = await service.import_file("t", path.read_bytes())
    assert (report.read, report.added) == (645, len(records))
    found = [
        one for one in await service.get_for_checks(list(records)[:100], tenant_id="t") if one.origin == "prowler-check"
    ]
    assert len(found) == 100
    for one in found:
        record = records[one.label]
        assert one.title == " ".join(record["CheckTitle"].split())
        assert one.severity.value == record["Severity"]
        assert bool(one.terraform) == bool(record["Remediation"]["Code"]["Terraform"].strip())


@pytest.mark.parametrize("path", files("oscal-800-53", "*.json"), ids=lambda path: path.name[21:29])
async def test_oscal_baselines(database, path):
    """A resolved catalogue gives an entry a control and enhancement, with title and statement."""
    catalog = json.loads(path.read_text())["catalog"]

    def controls(part):
        for one in part.get("controls", []):
            yield one
            yield from controls(one)

    records = {one["id"]: one for group in catalog["groups"] for one in controls(group)}
    service = KnowledgeBaseService(database)
    report = await service.import_file("t", path.read_bytes())
    assert (report.read, report.added, report.skipped) == (len(records), len(records), 0)
    for one in await service.get_by_ids(["ac-2", "au-2", "pt-2", "sc-7"], tenant_id="t"):
        record = records[one.id.rpartition(":")[2]]
        assert record["title"] in one.title
        assert "insert: param" not in one.description
        assert len(one.description) > 100


async def test_files_that_hold_no_findings_are_told(database):
    """A licence and a source note are no scanner's output."""
    for path in (DATA / "prowler" / "LICENSE", DATA / "asff-samples" / "SOURCE.txt"):
        report = await FindingsService(database).import_file("t", [path.read_bytes()])
        assert (report.read, report.skipped) == (0, 1)
