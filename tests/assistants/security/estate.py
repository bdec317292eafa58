"""Two scans of two accounts, made from the clinic's records, and what a few lines count in them."""

import copy
import json
from datetime import date, timedelta

from footnoted.assistants.security import FindingsService
from tests.assistants.security.conftest import EXAMPLES

RECORDS = json.loads((EXAMPLES / "prowler.ocsf.json").read_text())
ACCOUNTS = {"111122223333": "clinic-prod", "444455556666": "clinic-labs"}
REGIONS = ("eu-west-1", "us-east-1")
DAYS = (date(2026, 11, 9), date(2026, 11, 16))
TODAY = DAYS[1]


def first_seen(number):
    """Each check was first seen twelve days after the one before it."""
    return date(2026, 7, 1) + timedelta(days=12 * number)


def scan(day):
    """Ten checks in two regions of two accounts; the second scan fixes, mutes, brings and lacks one each."""
    made = []
    for account, name in ACCOUNTS.items():
        for region in REGIONS:
            for number, record in enumerate(RECORDS):
                place = (name, region, number)
                if place == (("clinic-labs", "us-east-1", 8) if day == TODAY else ("clinic-labs", "eu-west-1", 5)):
                    continue
                one = copy.deepcopy(record)
                one["finding_info"] |= {
                    "uid": f"uid-{account}-{region}-{number}",
                    "first_seen_time_dt": f"{first_seen(number)}T06:00:00",
                    "created_time_dt": f"{first_seen(number)}T06:00:00",
                }
                one["cloud"]["account"] |= {"uid": account, "name": name}
                one["cloud"]["region"] = region
                one["resources"][0] |= {
                    "uid": f"arn:aws:x:{region}:{account}:box-{number}-{region}",
                    "name": f"box-{number}-{region}",
                    "region": region,
                    "labels": ["team:web"] if number % 2 else [],
                }
                one["unmapped"]["categories"] = ["internet-exposed"] if number == 6 else []
                one["time_dt"] = f"{day}T06:00:00"
                if day == TODAY and place == ("clinic-prod", "eu-west-1", 1):
                    one["status_code"] = "PASS"
                if day == TODAY and place == ("clinic-prod", "eu-west-1", 2):
                    one["status"] = "Suppressed"
                made.append(one)
    return made


async def take_in(database, tenant="clinic"):
    """Import both scans, the older first."""
    for day in DAYS:
        report = await FindingsService(database).import_file(tenant, [json.dumps(scan(day)).encode()])
        assert not report.skipped, report.problems


def status_of(one):
    return "muted" if one["status"] == "Suppressed" else one["status_code"].lower()


def rows(day=TODAY, status="fail", **where):
    """The records of a day and a state whose fields are as given; a list is any of it."""
    found = []
    for one in scan(day):
        fields = {
            "account": one["cloud"]["account"]["name"],
            "region": one["resources"][0]["region"],
            "service": one["resources"][0]["group"]["name"],
            "severity": one["severity"].lower(),
            "check": one["metadata"]["event_code"],
            "resource": one["resources"][0]["uid"],
            "frameworks": list(one["unmapped"]["compliance"]),
            "tags": one["resources"][0]["labels"],
            "categories": one["unmapped"]["categories"],
            "seen": date.fromisoformat(one["finding_info"]["first_seen_time_dt"][:10]),
        }
        wanted = all(
            fields[name] in value if isinstance(value, list) else fields[name] == value for name, value in where.items()
        )
        if wanted and (not status or status_of(one) == status):
            found.append(fields)
    return found
