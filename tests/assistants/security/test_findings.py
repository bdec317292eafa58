from dataclasses import replace

import pytest

from footnoted.assistants.security import FindingFilters, FindingsService, Pagination
from footnoted.errors import ConfigurationError
from tests.assistants.security.conftest import take_in


def ids(page):
    return [one.check_id for one in page]


async def test_a_page_is_ordered_by_severity_and_counted_in_all(either):
    """Gravest first; the counts are of everything that matches, not of the page."""
    await take_in(either, "prowler.ocsf.json")
    page = await FindingsService(either).get_findings("clinic", None, Pagination(page=1, page_size=3))
    assert [one.severity.value for one in page] == ["critical", "critical", "high"]
    assert (page.total, dict(page.counts)) == (8, {"critical": 2, "high": 2, "medium": 3, "low": 1})
    second = await FindingsService(either).get_findings("clinic", None, Pagination(page=2, page_size=3))
    assert not set(ids(page)) & set(ids(second))


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (
            FindingFilters(services=("s3",)),
            {"s3_bucket_public_access", "s3_bucket_secure_transport_policy", "s3_bucket_object_versioning", "S3.8"},
        ),
        (FindingFilters(services=("lambda", "kms")), {"awslambda_function_using_supported_runtimes", "PCI.KMS.1"}),
        (FindingFilters(severities=("critical",)), {"s3_bucket_public_access", "iam_root_mfa_enabled"}),
        (FindingFilters(services=("s3",), severities=("low", "high")), {"s3_bucket_object_versioning", "S3.8"}),
        (FindingFilters(statuses=("manual",)), {"account_maintain_current_contact_details"}),
        (FindingFilters(services=("s3",), statuses=("pass",)), {"s3_bucket_default_encryption"}),
        (FindingFilters(regions=("us-east-1",)), {"iam_root_mfa_enabled", "iam_rotate_access_key_90_days"}),
        (FindingFilters(check_ids=("kms.4",)), {"PCI.KMS.1"}),
        (FindingFilters(accounts=("1",)), set()),
        (
            FindingFilters(services=("rds", "lambda"), excluded_severities=("high",)),
            {"awslambda_function_using_supported_runtimes"},
        ),
    ],
)
async def test_filters_are_held_together(clinic, filters, expected):
    """Each field narrows; several values of one widen."""
    assert set(ids(await FindingsService(clinic).get_findings("clinic", filters, Pagination(page_size=50)))) == expected


async def test_frameworks_come_from_the_scanner_and_from_the_catalogue(clinic):
    """A finding whose scanner names no HIPAA still breaks it where its control serves HIPAA."""
    found = await FindingsService(clinic).get_findings(
        "clinic", FindingFilters(services=("s3",), frameworks=("hipaa",)), Pagination(page_size=50)
    )
    assert {"s3_bucket_public_access", "S3.8"} <= set(ids(found))
    gdpr = await FindingsService(clinic).get_findings(
        "clinic", FindingFilters(frameworks=("gdpr",)), Pagination(page_size=50)
    )
    assert "rds_instance_storage_encrypted" in ids(gdpr)


@pytest.mark.parametrize("name", ["S3.8", "s3.8", " S3.8 "])
async def test_findings_are_named_by_their_ids(clinic, name):
    """A control's id in any capitals; the finding's own id, its resource and its uid will do as well."""
    service = FindingsService(clinic)
    (found,) = await service.get_by_rule_ids("clinic", [name])
    for other in (found.id, found.uid, found.resource_id, found.check_id):
        assert (await service.get_by_rule_ids("clinic", [other])).findings == (found,)


async def test_what_passed_is_shown_when_it_is_named(clinic):
    """A question by id is answered whatever the state; the counts are of what fails."""
    page = await FindingsService(clinic).get_by_rule_ids("clinic", ["RDS.2", "s3_bucket_public_access"])
    assert ids(page) == ["s3_bucket_public_access", "RDS.2"]
    assert (page.total, dict(page.counts)) == (1, {"critical": 1})


async def test_a_tenant_sees_its_own_findings_only(either):
    """Look-alike findings of two tenants never meet, by page, by id or by count."""
    await take_in(either, "prowler.ocsf.json", tenant="clinic")
    await take_in(either, "prowler.ocsf.json", tenant="bakery")
    service = FindingsService(either)
    clinic = await service.get_findings("clinic", None, Pagination(page_size=50))
    bakery = await service.get_findings("bakery", None, Pagination(page_size=50))
    assert clinic.total == bakery.total == 8
    assert not {one.id for one in clinic} & {one.id for one in bakery}
    assert [replace(one, id="") for one in clinic] != []
    assert not (await service.get_by_rule_ids("bakery", [clinic[0].id])).findings
    assert (await service.get_findings("nobody")).total == 0
    assert await service.delete_all("clinic") == 10
    assert await service.count("bakery") == 10
    assert await service.count("clinic") == 0


@pytest.mark.parametrize("tenant", ["", "  ", "x" * 201, None])
async def test_a_tenant_is_always_named(clinic, tenant):
    """No tenant is an error, never everybody."""
    with pytest.raises(ConfigurationError, match="tenant"):
        await FindingsService(clinic).get_findings(tenant)


@pytest.mark.parametrize("hostile", ["' OR 1=1 --", "%", "s3'; DROP TABLE security_findings;--", "\u0000", "🔴" * 50])
async def test_filters_are_data(clinic, hostile):
    """What is asked for is compared, never run."""
    service = FindingsService(clinic)
    filters = FindingFilters(services=(hostile,), frameworks=(hostile,), severities=(hostile,), check_ids=(hostile,))
    assert (await service.get_findings("clinic", filters)).total == 0
    assert not (await service.get_by_rule_ids("clinic", [hostile])).findings
    assert await service.count("clinic") == 15


async def test_pages_are_bounded(clinic):
    """Nobody asks for a million findings at once, nor for page minus one."""
    service = FindingsService(clinic)
    assert (await service.get_findings("clinic", None, Pagination(page=-3, page_size=10_000_000))).page_size == 200
    assert (await service.get_findings("clinic", None, Pagination(page=10_000))).findings == ()


async def test_the_tables_are_made_once_however_often_they_are_prepared(either):
    """Migrations are idempotent."""
    for _ in range(2):
        await FindingsService(either).prepare()
    assert await FindingsService(either).count("clinic") == 0


async def test_tables_need_not_be_asked_for(tmp_path):
    """Whoever forgets to prepare a database is not punished."""
    url = f"sqlite:///{tmp_path}/fresh.db"
    service = FindingsService(url)
    assert (await service.get_findings("clinic")).total == 0
    await service.database.aclose()
