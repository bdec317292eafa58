"""The catalogue's identifiers against the published catalogues, where the shared data lies beside the project."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from footnoted.assistants.security.catalogue import load_catalogue
from footnoted.assistants.security.findings.hub import TODAY

DATA = Path(os.environ.get("FOOTNOTED_DATA") or Path(__file__).parents[5] / "shared" / "data")
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="FOOTNOTED_DATA does not lead to the shared data")


@needs_data
def test_nist_controls_are_in_the_published_baselines():
    """Every NIST 800-53 identifier is a control of a published baseline of revision 5."""
    known: set[str] = set()
    for path in (DATA / "oscal-800-53").glob("*.json"):
        for found in re.finditer(r'"id":"([a-z]{2}-\d+)(?:\.(\d+))?"', path.read_text(encoding="utf-8")):
            known.add(found[1].upper() + (f"({found[2]})" if found[2] else ""))
    assert len(known) > 300
    for control in load_catalogue():
        assert set(control.frameworks["nist-800-53"]) <= known, control.id


@needs_data
def test_checks_are_ones_scanners_have():
    """Every Prowler check id is Prowler's, and every Security Hub id is one of its standards or of its samples."""
    lines = (DATA / "prowler" / "aws_checks_metadata.jsonl").read_text(encoding="utf-8").splitlines()
    prowler = {json.loads(line)["CheckID"] for line in lines}
    standard = DATA / "prowler" / "compliance_aws" / "aws_foundational_security_best_practices_aws.json"
    hub = {one["Id"] for one in json.loads(standard.read_text(encoding="utf-8"))["Requirements"]}
    for path in (DATA / "asff-samples").glob("*.json"):
        hub |= set(re.findall(r'"Title": "((?:PCI\.)?\w+\.\d+) ', path.read_text(encoding="utf-8")))
    hub |= set(TODAY.values())  # what older standards' ids are called today
    for control in load_catalogue():
        for check in control.checks:
            assert check in (prowler if "_" in check else hub), f"{control.id}: {check}"


@needs_data
def test_hipaa_requirements_are_ones_the_published_map_has():
    """Every HIPAA identifier is a section the published map of checks knows."""
    published = json.loads((DATA / "prowler" / "compliance_aws" / "hipaa_aws.json").read_text(encoding="utf-8"))
    known = {one["Name"].split()[0] for one in published["Requirements"]}
    for control in load_catalogue():
        assert set(control.frameworks.get("hipaa", ())) <= known, control.id
