import json
from dataclasses import replace

import pytest
from sqlalchemy import event

from footnoted.assistants.security import FindingFilters, FindingsService, Pagination
from footnoted.errors import ConfigurationError
from footnoted.store import Database
from tests.assistants.security.conftest import EXAMPLES, take_in


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
async def test_filters_are_data(either, hostile):
    """What is asked for is compared, never run."""
    await take_in(either)
    service, other = FindingsService(either), (hostile, "another")
    for filters in (
        FindingFilters(services=(hostile,), frameworks=(hostile,), severities=(hostile,), check_ids=(hostile,)),
        FindingFilters(services=other),
        FindingFilters(frameworks=other, accounts=other, regions=other),
        FindingFilters(severities=(hostile,)),
        FindingFilters(title_words=(hostile, "another")),
    ):
        assert (await service.get_findings("clinic", filters)).total == 0
    aside = FindingFilters(statuses=(), excluded_services=other, excluded_severities=other)
    assert (await service.get_findings("clinic", aside)).total == 15
    assert not (await service.get_by_rule_ids("clinic", [hostile])).findings
    assert await service.count("clinic") == 15


async def test_titles_are_searched_for_their_words(either):
    """Every word must stand in the title, a per cent sign means itself."""
    await take_in(either)
    service = FindingsService(either)
    found = await service.get_findings("clinic", FindingFilters(title_words=("FACTOR", "root")))
    assert ids(found) == ["iam_root_mfa_enabled"]
    assert not (await service.get_findings("clinic", FindingFilters(title_words=("fac%r",)))).total


async def test_a_check_of_an_older_standard_touches_what_its_control_touches(either):
    """CIS.1.5 of the old benchmark is IAM.11 of today, which serves HIPAA."""
    record = json.loads((EXAMPLES / "security-hub.json").read_text())["Findings"][0]
    record |= {
        "Id": "old",
        "GeneratorId": "arn:aws:securityhub:::ruleset/cis-aws-foundations-benchmark/v/1.2.0/rule/1.5",
    }
    record["ProductFields"] = {}
    await FindingsService(either).import_file("clinic", [json.dumps(record).encode()])
    found = await FindingsService(either).get_findings("clinic", FindingFilters(frameworks=("hipaa",), statuses=()))
    assert [(one.check_id, one.control_id) for one in found] == [("CIS.1.5", "IAM.11")]


async def test_counts_are_read_from_an_index_alone(clinic):
    """What is counted for a page touches no finding's own row, by service, by framework and of everything."""
    seen = []
    event.listen(clinic.engine.sync_engine, "before_cursor_execute", lambda *given: seen.append((given[2], given[3])))
    for filters in (FindingFilters(), FindingFilters(services=("s3",)), FindingFilters(frameworks=("hipaa",))):
        seen.clear()
        await FindingsService(clinic).get_findings("clinic", filters)
        ((statement, values),) = seen
        async with clinic.engine.connect() as connection:
            plan = await connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values)
            steps = [row[3] for row in plan]
        assert any("SEARCH f USING COVERING INDEX security_findings_by" in step for step in steps), steps
        assert not any("SCAN f" in step and "SCAN f LEFT" not in step for step in steps if "f USING" in step), steps
        assert not any("TEMP B-TREE" in step and "GROUP" in step for step in steps), steps


async def test_pages_are_bounded(clinic):
    """Nobody asks for a million findings at once, nor for page minus one."""
    service = FindingsService(clinic)
    assert (await service.get_findings("clinic", None, Pagination(page=-3, page_size=10_000_000))).page_size == 200
    far = await service.get_findings("clinic", None, Pagination(page=10_000))
    assert far.findings == ()
    assert far.total == (await service.get_findings("clinic")).total > 0


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


async def test_what_is_known_is_asked_for_in_one_value_on_postgresql():
    """Hundreds of values of their own are compared with every row one by one: importing slowed from finding to finding."""
    from tests.services import postgres_database

    seen = []
    async with postgres_database() as url, Database(url) as database:
        event.listen(database.engine.sync_engine, "before_cursor_execute", lambda *given: seen.append(given[2:4]))
        await take_in(database)
        assert await FindingsService(database).count("clinic") == 15
    asked = [values for statement, values in seen if statement.startswith("SELECT security_findings.id")]
    assert asked
    assert all(len(values) < 5 for values in asked)
