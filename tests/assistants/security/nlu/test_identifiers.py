"""Identifiers as their issuers spell them."""

from __future__ import annotations

import pytest

from footnoted.assistants.security.nlu.identifiers import identifiers
from footnoted.assistants.security.nlu.words import is_slip
from tests.tables import every

ARN = "arn:aws:securityhub:us-east-1:111122223333:subscription/aws-foundational-security-best-practices/v/1.0.0/S3.1/finding/5f4d9a18-c148-41cd-81f2-0b5abe5561d1"


@every(
    ("text", "kind", "value", "service"),
    [
        ("s3_bucket_public_access", "check", "s3_bucket_public_access", "s3"),
        ("S3_Bucket_Public_Access", "check", "s3_bucket_public_access", "s3"),
        ("awslambda_function_url_public", "check", "awslambda_function_url_public", "lambda"),
        ("is s3.1 bad", "check", "S3.1", "s3"),
        ("pci.iam.6", "check", "PCI.IAM.6", "iam"),
        ("SecretsManager.3.", "check", "SecretsManager.3", "secretsmanager"),
        (ARN, "finding", ARN, "s3"),
        ("3f2504e0-4f89-11d3-9a0c-0305e82c3301", "finding", "3f2504e0-4f89-11d3-9a0c-0305e82c3301", ""),
        (
            "prowler-aws-rds_snapshots_encrypted-111122223333-eu-west-1-snap",
            "finding",
            "prowler-aws-rds_snapshots_encrypted-111122223333-eu-west-1-snap",
            "rds",
        ),
        ("finding FND-1042", "finding", "FND-1042", ""),
        ("arn:aws:s3:::payroll", "resource", "arn:aws:s3:::payroll", "s3"),
        ("164.312(a)(2)(iv)", "requirement", "164.312(a)(2)(iv)", ""),
        ("sc-28 (1)", "requirement", "SC-28(1)", ""),
    ],
)
def test_an_identifier_is_found_and_spelled_right(text, kind, value, service):
    """One identifier, its kind, its issuer's spelling and its service."""
    (found,) = identifiers(text)
    assert (found.kind, found.value, found.service) == (kind, value, service)


@pytest.mark.parametrize(
    "text", ["version 3.1", "s3.amazonaws.com", "S3.1.2", "my_variable_name", "ec2 10.0.0.1", "AC-DC", "e.g. 2.5"]
)
def test_what_only_looks_like_one_is_none(text):
    """Versions, hosts, addresses and names of variables are no identifiers."""
    assert identifiers(text) == []


@pytest.mark.parametrize("word", ["bukcet", "buckt", "buckett", "bucjet"])
def test_a_slip_of_the_pen_is_forgiven(word):
    """A letter swapped, lost, added or changed."""
    assert is_slip(word, "bucket")


@pytest.mark.parametrize("word", ["basket", "rocket", "buck", "bucket", "bracket"])
def test_another_word_is_no_slip(word):
    """Two changes, another first letter or the word itself."""
    assert not is_slip(word, "bucket")
