"""Every check id of the shared data leads to a control, or stands in ``uncovered.toml`` with the reason why not.

The ids are read here from the raw files: Prowler's check metadata, its maps of frameworks, its sample findings, the
Security Hub samples and the ids of Security Hub's foundational standard.
"""

from __future__ import annotations

import json
import re
import tomllib
from functools import cache
from pathlib import Path

from footnoted.assistants.security.catalogue import by_check
from tests.assistants.security.conftest import DATA, needs_data

pytestmark = needs_data
_CIS = re.compile(r"cis-aws-foundations-benchmark/v/[\d.]+/rule/([\d.]+)")
# What AWS calls the rules of the CIS benchmark 1.2.0 and of PCI DSS 3.2.1 among its consolidated controls
# (docs.aws.amazon.com/securityhub), as far as the samples hold them.
CIS = dict(
    pair.split(":")
    for pair in """
    1.3:IAM.8 1.4:IAM.3 1.5:IAM.11 1.6:IAM.12 1.7:IAM.13 1.8:IAM.14 1.9:IAM.15 1.10:IAM.16 1.11:IAM.17 1.13:IAM.9
    1.14:IAM.6 1.16:IAM.2 1.20:IAM.18 1.22:IAM.1 2.1:CloudTrail.1 2.2:CloudTrail.4 2.3:CloudTrail.6 2.4:CloudTrail.5
    2.5:Config.1 2.6:CloudTrail.7 2.7:CloudTrail.2 2.8:KMS.4 2.9:EC2.6 3.1:CloudWatch.2 3.2:CloudWatch.3
    3.3:CloudWatch.1 3.4:CloudWatch.4 3.5:CloudWatch.5 3.6:CloudWatch.6 3.7:CloudWatch.7 3.8:CloudWatch.8
    3.9:CloudWatch.9 3.10:CloudWatch.10 3.11:CloudWatch.11 3.12:CloudWatch.12 3.13:CloudWatch.13 3.14:CloudWatch.14
    4.1:EC2.13 4.2:EC2.14 4.3:EC2.2
    """.split()
)
PCI = {"AutoScaling.1": "AutoScaling.1", "CodeBuild.2": "CodeBuild.2", "Redshift.1": "Redshift.1"}


def loaded(path):
    return json.loads(path.read_text(encoding="utf-8"))


@cache
def prowler():
    """Check id -> its service, of the metadata, the maps and the sample findings."""
    lines = (DATA / "prowler/aws_checks_metadata.jsonl").read_text(encoding="utf-8").splitlines()
    found = {one["CheckID"]: one["ServiceName"] for one in map(json.loads, lines)}
    for path in (DATA / "prowler/compliance_aws").glob("*.json"):
        for requirement in loaded(path)["Requirements"]:
            for check in requirement.get("Checks") or []:
                found.setdefault(check, check.split("_")[0])
    for record in loaded(DATA / "prowler/examples_output/example_output_aws.ocsf.json"):
        check = record["metadata"]["event_code"]
        found.setdefault(check, check.split("_")[0])
    return found


def _records(value):
    """The findings in a file: alone, in a list, in an import's ``Findings``, in an event's ``detail``."""
    if isinstance(value, list):
        return [one for each in value for one in _records(each)]
    for key in ("detail", "Findings", "findings"):
        if isinstance(value.get(key), dict | list):
            return _records(value[key])
    return [value]


def sampled():
    """The control id of today of each Security Hub sample."""
    for path in sorted((DATA / "asff-samples").glob("*.json")):
        for record in _records(loaded(path)):
            if rule := _CIS.search(record["GeneratorId"]):
                yield CIS[rule[1]]
                continue
            control = record["ProductFields"]["ControlId"]
            yield control if not control.startswith("PCI.") else PCI.get(control[4:], control)


@cache
def security_hub():
    """Control id -> its service, of the foundational standard and of the samples."""
    standard = loaded(DATA / "prowler/compliance_aws/aws_foundational_security_best_practices_aws.json")
    ids = {one["Id"] for one in standard["Requirements"]} | set(sampled())
    return {one: one.removeprefix("PCI.").rpartition(".")[0] for one in ids}


def told():
    """The services and the single checks that are left uncovered."""
    table = tomllib.loads(Path(__file__).with_name("uncovered.toml").read_text(encoding="utf-8"))
    assert all(each["reason"] for each in [table["services"], *table["checks"]])
    services = {*table["services"]["prowler"].split(), *table["services"]["security_hub"].split()}
    return services, [one for each in table["checks"] for one in each["ids"]]


def share(ids):
    return sum(one in by_check() for one in ids) / len(ids)


def test_every_check_leads_to_a_control_or_is_left_out_with_a_reason():
    """No id of the shared data is forgotten, and no reason is given for what is covered or does not exist."""
    services, single = told()
    everything = {**prowler(), **security_hub()}
    missed = {one for one, service in everything.items() if one not in by_check() and service not in services}
    assert missed == set(single)
    assert len(single) == len(set(single))
    of_service = {service: [one for one, its in everything.items() if its == service] for service in services}
    assert [service for service, ids in of_service.items() if not ids] == []


def test_the_share_that_is_covered_stays_where_it_was_measured():
    """Of the catalogue's own services nine checks in ten, of the Security Hub samples as many."""
    services, _ = told()
    own = [one for one, service in prowler().items() if service not in services]
    hub = [one for one, service in security_hub().items() if service not in services]
    assert len(own) > 290
    assert share(own) >= 0.82
    assert share(hub) >= 0.92
    assert share(list(prowler())) >= 0.41
    samples = list(sampled())
    assert len(samples) > 100
    assert share(samples) >= 0.88


def test_the_password_policy_answers_for_each_of_its_rules():
    """CIS 1.5 to 1.11, by the ids Security Hub gives them today and by Prowler's."""
    for number in range(11, 18):
        assert [entry.id for entry in by_check()[f"IAM.{number}"]] == ["iam-password-policy"]
    ids = [one for one in prowler() if one.startswith("iam_password_policy")]
    assert len(ids) >= 7
    assert {entry.id for one in ids for entry in by_check()[one]} == {"iam-password-policy"}
