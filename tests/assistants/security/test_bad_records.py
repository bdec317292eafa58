"""Records that lack what a finding needs, or say it otherwise: each is told with why, and the rest are kept."""

import json

import pytest

from footnoted.assistants.security import FindingFilters, FindingsService, Pagination
from footnoted.assistants.security.query.claims import Rows
from footnoted.assistants.security.query.vocabulary import vocabulary_of
from tests.assistants.security.conftest import EXAMPLES
from tests.assistants.security.estate import take_in

HUB = json.loads((EXAMPLES / "security-hub.json").read_text())["Findings"][0]
COLUMNS = ("CHECK_ID", "CHECK_TITLE", "STATUS", "SEVERITY", "PROVIDER", "RESOURCE_TYPE", "RESOURCE_UID", "ACCOUNT_UID",
           "REGION", "SERVICE_NAME")  # fmt: skip
ROW = ("s3_x", "A bucket", "FAIL", "high", "aws", "AwsS3Bucket", "arn:aws:s3:::b", "111122223333", "eu-west-1", "s3")


def hub(**changes):
    """The first record of the example, otherwise; ``None`` takes a field away."""
    made = {**HUB, **changes}
    return {name: value for name, value in made.items() if value is not None}


async def taken(database, content):
    report = await FindingsService(database).import_file("t", [content])
    found = await FindingsService(database).get_findings("t", FindingFilters(statuses=()), Pagination(page_size=50))
    return report, list(found)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"Title": None, "ProductFields": {"ControlId": "S3.1"}}, "has no Title"),
        ({"Severity": {}, "FindingProviderFields": {}}, "has no severity"),
        ({"Severity": {"Normalized": True}, "FindingProviderFields": {}}, "has no severity"),
        ({"Severity": {"Normalized": 101}, "FindingProviderFields": {}}, "has no severity"),
        ({"GeneratorId": "", "ProductFields": {}, "Compliance": {"Status": "FAILED"}, "Title": "x"}, "names no check"),
    ],
)
async def test_a_record_that_lacks_something_is_told(database, changes, why):
    """And the record beside it is kept."""
    content = json.dumps({"Findings": [hub(**changes), hub(Id="arn:other")]}).encode()
    report, found = await taken(database, content)
    assert (report.skipped, len(found)) == (1, 1)
    assert why in report.problems[0].reason


@pytest.mark.parametrize(
    ("number", "severity"), [(95, "critical"), (70, "high"), (40.5, "medium"), (1, "low"), (0, "informational")]
)
async def test_a_normalized_severity_is_read_by_its_steps(database, number, severity):
    """Where no label is there."""
    record = hub(Severity={"Normalized": number}, FindingProviderFields={})
    _, (found,) = await taken(database, json.dumps({"Findings": [record]}).encode())
    assert found.severity.value == severity


@pytest.mark.parametrize(
    ("changes", "check"),
    [
        ({"ProductFields": {"RuleId": "2.1", "StandardsGuideArn": "arn:aws:securityhub:::ruleset/cis-aws/v/1.2.0"}}, "CIS.2.1"),
        ({"ProductFields": {"RuleId": "own-rule"}}, "own-rule"),
        ({"ProductFields": {}, "Compliance": {"Status": "FAILED", "SecurityControlId": "EC2.8"}}, "EC2.8"),
        ({"ProductFields": {}, "Compliance": {"Status": "FAILED"}, "GeneratorId": "prowler-s3_bucket_public_access",
          "Title": "A bucket"}, "s3_bucket_public_access"),
    ],
)  # fmt: skip
async def test_a_check_is_named_in_many_ways(database, changes, check):
    """By its rule, its control of today, or what made it."""
    _, (found,) = await taken(database, json.dumps({"Findings": [hub(**changes)]}).encode())
    assert found.check_id == check


def table(*rows):
    return "\n".join(";".join(one) for one in (COLUMNS, *rows)).encode()


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (("", *ROW[1:]), "CHECK_ID or CHECK_TITLE is empty"),
        ((*ROW[:3], "dreadful", *ROW[4:]), "'dreadful'"),
        (ROW[:5], "has 5 columns, and the header names 10"),
    ],
)
async def test_a_row_that_lacks_something_is_told(database, row, why):
    """Empty lines are none, and the row behind is kept."""
    report, found = await taken(database, table(row, ("",), ROW))
    assert (report.skipped, len(found)) == (1, 1)
    assert why in report.problems[0].reason


async def test_a_cell_of_a_megabyte_is_told_and_the_rest_is_read(database):
    """It is no row of a table."""
    report, found = await taken(database, table((*ROW[:1], "x" * 4_000_000, *ROW[2:]), ROW))
    assert report.skipped >= 1
    assert [one.title for one in found] == ["A bucket"]


SENTENCES = [
    ("box-0-eu-west-1 is in clinic-labs, us-east-1.", False),
    ("box-0-eu-west-1 has 2 open findings.", True),
    ("box-0-eu-west-1 has 7 open findings.", False),
    ("iam_root_mfa_enabled on box-4-eu-west-1 is rated low.", False),
    ("s3_bucket_default_encryption on box-3-eu-west-1 passes.", True),
    ("iam_root_mfa_enabled is a finding of critical severity.", True),
    ("iam_root_mfa_enabled is a finding of low severity.", False),
    ("In clinic-prod and clinic-labs there are 29 open findings.", True),
    ("In account clinic-prod, that is clinic-labs, there are 3 open findings.", False),
    ("There are 4 critical and 4 high open findings in clinic-prod.", True),
    ("There are 4 critical and 9 high open findings in clinic-prod.", False),
    ("clinic-prod has the fewest open findings, 14.", True),
    ("There are 3 open findings in sa-north-7.", False),
    ("You are compliant with HIPAA 164.312(a)(1).", False),
]


@pytest.mark.parametrize(("sentence", "right"), SENTENCES)
async def test_more_sentences_against_the_rows(database, sentence, right):
    """Two places, sums, shares of severities, the fewest, and places that are nobody's."""
    await take_in(database)
    held = await Rows(database, "clinic", await vocabulary_of(database, "clinic")).hold(sentence)
    assert (held.right if held else None) is right, held
