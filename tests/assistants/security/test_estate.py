"""Questions over two scans of two accounts: the advisor's number is the one a few lines count in the files."""

import json
from collections import Counter
from datetime import date, timedelta

import pytest

from footnoted.assistants.security import FindingsService, KnowledgeBaseService
from footnoted.assistants.security.query.claims import Rows
from footnoted.assistants.security.query.vocabulary import vocabulary_of
from tests.assistants.security.conftest import advisor_on
from tests.assistants.security.estate import DAYS, TODAY, first_seen, rows, scan, take_in

PROD, LABS, EU, US = "clinic-prod", "clinic-labs", "eu-west-1", "us-east-1"


@pytest.fixture(params=["sqlite"])
async def estate(database):
    """A database with both scans."""
    await take_in(database)
    return database


async def asked(database, question, history=()):
    return await advisor_on(database).answer(question, None, "clinic", history)


def seen(test, **where):
    return sum(test(one["seen"]) for one in rows(**where))


COUNTED = [
    ("How many high findings in eu-west-1?", len(rows(severity="high", region=EU))),
    ("How many findings in clinic-labs are critical or high?", len(rows(account=LABS, severity=["critical", "high"]))),
    ("How many findings of medium or lower are there?", len(rows(severity=["medium", "low", "informational"]))),
    ("How many findings are not in us-east-1?", len(rows(region=EU))),
    ("How many findings except S3 and IAM?", len([one for one in rows() if one["service"] not in ("s3", "iam")])),
    ("How many S3 findings passed?", len(rows(service="s3", status="pass"))),
    ("How many findings are muted?", len(rows(status="muted"))),
    ("How many findings including the muted ones?", len(rows()) + len(rows(status="muted"))),
    ("How many high+ findings?", len(rows(severity=["critical", "high"]))),
    ("How many manual findings in clinic-prod?", len(rows(status="manual", account=PROD))),
    ("How many findings are tagged team:web?", len([one for one in rows() if one["tags"]])),
    ("How many untagged findings?", len([one for one in rows() if not one["tags"]])),
    ("How many findings have the category internet-exposed?", len([one for one in rows() if one["categories"]])),
    ("How many findings mapped to HIPAA?", len([one for one in rows() if "HIPAA" in one["frameworks"]])),
    ("How many findings have been open for more than 60 days?", seen(lambda day: (TODAY - day).days > 60)),
    ("How many findings are older than 2 months?", seen(lambda day: (TODAY - day).days > 60)),
    ("How many findings were first seen in the last 80 days?", seen(lambda day: day >= TODAY - timedelta(days=80))),
    ("How many findings are newer than 80 days?", seen(lambda day: day >= TODAY - timedelta(days=80))),
    ("How many findings were first seen since 1 September 2026?", seen(lambda day: day >= date(2026, 9, 1))),
    ("How many findings were first seen before 2026-09-01?", seen(lambda day: day < date(2026, 9, 1))),
    ("How many findings were first seen in August 2026?", seen(lambda day: day.month == 8)),
    ("How many findings were first seen between 1 August and 31 August 2026?", seen(lambda day: day.month == 8)),
    ("How many findings were open on 9 November?", len(rows(day=DAYS[0]))),
    ("How many findings were open in the previous scan?", len(rows(day=DAYS[0]))),
    ("How many findings are new since the last scan?", 1),
    ("How many findings were fixed since the 9th?", 1),
    ("How many did we fix this week?", 1),
    ("How many findings got muted since the last scan?", 1),
    ("How many resources have S3 findings?", len({one["resource"] for one in rows(service="s3")})),
    ("How many checks fail in clinic-labs?", len({one["check"] for one in rows(account=LABS)})),
]  # fmt: skip


async def test_numbers_are_the_files(estate):
    """Whatever the fields, the number told first is the one counted."""
    for question, count in COUNTED:
        text = (await asked(estate, question)).response.response
        assert text.startswith(f"**{count} "), (question, count, text[:300])


GROUPED = [
    ("How many findings by account?", "account", {}),
    ("How many high findings per region?", "region", {"severity": "high"}),
    ("Break the findings of clinic-prod down by service", "service", {"account": PROD}),
    ("Rank the checks by number of findings", "check", {}),
]


async def test_what_is_open_is_counted_apart_only_where_it_is_asked_for(estate):
    """A share of what passes has findings of every state, which are not told as open."""
    assert "Counted apart" in (await asked(estate, "How many findings mapped to HIPAA?")).response.response
    assert "Counted apart" not in (await asked(estate, "What is the pass rate for HIPAA?")).response.response


async def test_groups_are_the_files(estate):
    """Each group with its own number."""
    for question, field, where in GROUPED:
        text = (await asked(estate, question)).response.response
        for key, count in Counter(one[field] for one in rows(**where)).items():
            assert any(key in line and f": {count}" in line for line in text.splitlines()), (question, key, count, text)


async def test_other_groups_tell_each_part(estate):
    """Statuses, months, weeks, tags, categories, scanners, clouds, frameworks, resources."""
    told = {
        "How many findings by month first seen?": f"2026-08: {seen(lambda day: day.month == 8)}",
        "How many findings by week?": "2026-W",
        "Findings by status": f"open: {len(rows())}",
        "Findings by category": "internet-exposed: 4",
        "Findings by scanner": f"Prowler: {len(rows())}",
        "Findings per cloud": f"AWS: {len(rows())}",
        "Findings by framework": f"HIPAA (AWS): {len([one for one in rows() if 'HIPAA' in one['frameworks']])}",
        "Findings by team": f"web: {len([one for one in rows() if one['tags']])}",
        "Which resource has the most findings?": "box-",
        "Findings by severity": f"critical: {len(rows(severity='critical'))}",
        "How many findings per resource type?": "AwsS3Bucket: ",
    }
    for question, said in told.items():
        text = (await asked(estate, question)).response.response
        assert said in text, (question, text[:400])


async def test_ages_rates_and_comparisons(estate):
    """Days up to the newest scan; passes over passes and failures; sides beside one another; two scans."""
    days = sorted((TODAY - one["seen"]).days for one in rows(account=PROD))
    text = (await asked(estate, "How old are the findings in clinic-prod on average?")).response.response
    assert f"The oldest is {days[-1]} days old" in text
    assert f"the mean {round(sum(days) / len(days), 1):g}" in text
    passed, failed = len(rows(status="pass", service="s3")), len(rows(service="s3"))
    text = (await asked(estate, "What share of the S3 findings passes?")).response.response
    assert f"{round(100 * passed / (passed + failed), 1)} % pass" in text
    text = (await asked(estate, "Compare clinic-prod and clinic-labs by pass rate")).response.response
    assert "% pass" in text
    text = (await asked(estate, "Does clinic-prod have more medium findings than clinic-labs?")).response.response
    for account in (PROD, LABS):
        count = len(rows(account=account, severity="medium"))
        assert any(account in line and f": {count} open" in line for line in text.splitlines())
    text = (await asked(estate, "What changed since the previous scan?")).response.response
    assert f"{len(rows(day=DAYS[0]))} in the scan of 2026-11-09, {len(rows())} in that of 2026-11-16" in text
    assert "1 new, 0 no longer muted, 1 fixed, 1 muted, 1 no longer reported" in text


async def test_lists_name_what_they_are_of(estate):
    """What is no longer reported too; the oldest; resources and checks by name; the next page."""
    gone = (await asked(estate, "Which findings disappeared since the last scan?")).response.response
    assert "box-8-us-east-1" in gone
    oldest = (await asked(estate, "What is the oldest finding in clinic-labs?")).response.response
    assert f"since {first_seen(0)}" in oldest
    newest = (await asked(estate, "Show the three newest findings")).response.response
    assert newest.count(f"since {first_seen(8)}") == 3
    names = (await asked(estate, "Which resources in clinic-prod have S3 findings?")).response.response
    assert all(one["resource"].rpartition(":")[2] in names for one in rows(account=PROD, service="s3"))
    checks = (await asked(estate, "Which checks fail in clinic-labs?")).response.response
    assert all(one["check"] in checks for one in rows(account=LABS))
    first = "List the findings in clinic-labs"
    page = await asked(estate, "show the next ones", [(first, "")])
    assert page.asked.query.offset == page.asked.query.limit == 10


async def test_duties_are_told_with_where_they_are_written(estate):
    """Mappings by the scanner's file, requirements that are unmet, reasons and remedies."""
    await KnowledgeBaseService(estate).prepare()
    told = {
        "What is s3_bucket_public_access mapped to?": "Mapped by Prowler to HIPAA: 164_312_a_1",
        "Does s3_bucket_object_versioning belong to HIPAA?": "not tied to HIPAA",
        "Which HIPAA requirements do we fail?": "requirements of HIPAA** have an open finding",
        "What does HIPAA 164.312(a)(1) say?": "is not imported",
        "Why is s3_bucket_public_access dangerous?": "Whoever finds the name can download every scan.",
        "How do I fix s3_bucket_public_access?": "Fix",
        "How many findings of HIPAA 164.312(a)(1) are open?": "**4 open findings**",
    }
    for question, said in told.items():
        text = (await asked(estate, question)).response.response
        assert said in text, (question, text[:500])


async def test_what_has_no_field_is_told(estate):
    """Days without a scan, versions nobody mapped, spans of nothing, groups that lack something."""
    for question, said in {
        "How many findings on 3 November?": "our scans are of 2026-11-09 and 2026-11-16",
        "How many findings of CIS 9.7?": "CIS 9.7",
        "How many findings are 5 years?": "5 years",
        "How many findings this month?": "this month",
        "How many accounts have more than 5 sprints?": "more than 5",
        "Which findings are in accounts with no high findings?": "no",
        "How many findings are not failing?": "not failing",
        "How many findings in Azure?": "Azure",
        "How many findings in Frankfurt?": "eu-central-1",
        "How many findings of article 99 of HIPAA?": "99",
        "Who muted those?": "who did something",
    }.items():
        text = (await asked(estate, question)).response.response
        assert said in text, (question, text[:400])
        assert "annot filter by" in text or "ot used" in text or "cannot be asked" in text, (question, text[:400])


SENTENCES = [
    (f"clinic-prod has {len(rows(account=PROD))} open findings.", True),
    (f"clinic-prod has {len(rows(account=PROD)) + 1} open findings.", False),
    (f"There are {len(rows(severity='high'))} open high findings.", True),
    (f"Prowler has {len(rows(severity='critical')) + 2} open critical findings.", False),
    (f"Open findings went from {len(rows(day=DAYS[0]))} to {len(rows())} between the scans.", True),
    (f"Open findings went from {len(rows(day=DAYS[0])) + 5} to {len(rows())} between the scans.", False),
    ("clinic-labs is the account with the most open findings.", len(rows(account=LABS)) >= len(rows(account=PROD))),
    ("clinic-prod is the account with the most open findings.", len(rows(account=PROD)) >= len(rows(account=LABS))),
    (f"The oldest open finding in clinic-prod was first seen on {first_seen(0)}.", True),
    (f"The oldest open finding in clinic-prod was first seen on {first_seen(3)}.", False),
    ("box-0-eu-west-1 is in eu-west-1.", True),
    ("box-0-eu-west-1 is in us-east-1.", False),
    ("s3_bucket_public_access on box-0-eu-west-1 is open.", True),
    ("s3_bucket_public_access on box-0-eu-west-1 was fixed.", False),
    ("s3_bucket_public_access is mapped to HIPAA.", True),
    ("s3_bucket_public_access is mapped to GDPR.", False),
    ("s3_bucket_object_versioning is rated critical.", False),
    ("You comply with HIPAA.", False),
    ("No scan makes you compliant with HIPAA.", None),
    ("Water is wet.", None),
]  # fmt: skip


@pytest.mark.parametrize(("sentence", "right"), SENTENCES)
async def test_sentences_are_held_against_both_scans(estate, sentence, right):
    """A figure, a leader, a day, a place, a state, a mapping, a verdict."""
    held = await Rows(estate, "clinic", await vocabulary_of(estate, "clinic")).hold(sentence)
    assert (held.right if held else None) is right, held


async def test_two_values_of_a_tag_are_alternatives(database):
    """No resource has both: either counts, and another key narrows as before."""
    records = scan(TODAY)
    for number, record in enumerate(records):
        record["resources"][0]["labels"] = [f"team:{('web', 'ops', 'lab')[number % 3]}", f"env:{number % 2}"]
    report = await FindingsService(database).import_file("clinic", [json.dumps(records).encode()])
    assert not report.skipped
    open_ = [
        one["resources"][0]["labels"] for one in records if one["status_code"] == "FAIL" and one["status"] == "New"
    ]
    either = [tags for tags in open_ if {"team:web", "team:ops"} & set(tags)]
    text = (await asked(database, "How many findings are tagged team:web or team:ops?")).response.response
    assert text.startswith(f"**{len(either)} "), text[:300]
    assert "tagged team:web or team:ops" in text
    narrowed = [tags for tags in either if "env:1" in tags]
    question = "How many findings are tagged env:1 and team:web or team:ops?"
    text = (await asked(database, question)).response.response
    assert text.startswith(f"**{len(narrowed)} "), text[:300]


async def test_a_pronoun_with_nothing_before_it_is_asked_back(estate):
    """Which of them is of what, if nothing was asked? After a question it is read with that."""
    text = (await asked(estate, "which of them are public?")).response.response
    assert "“them” is of" in text
    assert not text.startswith("**")
    before = [("List the findings in clinic-labs", "")]
    text = (await asked(estate, "how many of them are critical?", before)).response.response
    assert text.startswith(f"**{len(rows(account=LABS, severity='critical'))} "), text[:300]


async def test_a_count_of_nothing_named_follows_what_was_asked(estate):
    """A third question is still of what the first was of."""
    history = [("Which S3 findings are there in clinic-labs?", ""), ("how many are open", "")]
    text = (await asked(estate, "which one is the oldest?", history)).response.response
    assert "service s3" in text
    assert "account clinic-labs" in text


async def test_what_no_field_means_is_not_answered_by_what_it_is_of(estate):
    """The findings of an account are no answer to what something else of it is; a word aside is only told."""
    for question in (
        "show me the attack path from clinic-prod to clinic-labs",
        "whats the phone number of whoever owns clinic-prod",
        "uptime percentile of clinic-labs",
    ):
        text = (await asked(estate, question)).response.response
        assert not text.startswith("**"), (question, text[:200])
        assert "cannot" in text, (question, text[:200])
    text = (await asked(estate, "show me the nasty findings of clinic-labs")).response.response
    assert text.startswith(f"**{len(rows(account=LABS))} "), text[:200]


async def test_a_time_of_what_became_of_findings_is_not_when_they_were_seen(estate):
    """Two scans tell what became of findings between them; that they tell it of no other time is said."""
    for question in (
        "How many findings were fixed in the last 7 days?",
        "How many findings were fixed since last week?",
    ):
        text = (await asked(estate, question)).response.response
        assert text.startswith("**1 fixed finding**"), (question, text[:300])
        assert "first seen" not in text
    for question in (
        "How many findings were fixed in the last 90 days?",
        "How many findings were fixed since July?",
        "How many findings have been muted since 3 October?",
    ):
        text = (await asked(estate, question)).response.response
        assert "cannot filter by" in text, (question, text[:300])


async def test_the_first_one_is_what_stood_first(estate):
    """Of checks told with their counts it is the first check; of what has no place that can be put right it is said."""
    before = "Top 3 checks by open findings"
    history = [(before, (await asked(estate, before)).response.response)]
    first = history[0][1].split("\n- ")[2].split(":")[0]
    advice = await asked(estate, "How do I fix the first one?", history)
    assert (advice.asked.query.select, advice.asked.query.where.check) == ("remediation", [first])
    before = "Which account has the most findings?"
    history = [(before, (await asked(estate, before)).response.response)]
    text = (await asked(estate, "How do I fix the first one?", history)).response.response
    assert "cannot filter by “number 1 of the list before”" in text


async def test_how_to_fix_them_is_of_what_was_asked_before(estate):
    """What narrowed the question before narrows what is put right."""
    advice = await asked(estate, "How do I fix them?", [("Which critical findings are open in clinic-labs?", "")])
    assert advice.asked.query.where.narrowed() == {"account": ["444455556666"], "severity": ["critical"]}
    assert {(one.account_name, one.severity.value) for one in advice.context.findings} == {(LABS, "critical")}


async def test_whether_one_thing_meets_a_check_is_told_by_its_state(estate):
    """Not by how many of its findings are open: none may mean that it passed, and that nobody looked."""
    records = scan(TODAY)
    for one in records:
        one["status_code"], one["status"] = "PASS", "New"
    await FindingsService(estate).import_file("other", [json.dumps(records).encode()])
    advice = await advisor_on(estate).answer("does box-7-eu-west-1 have encrypted storage", None, "other")
    assert advice.asked.query.where.check == ["rds_instance_storage_encrypted"]
    assert advice.response.response.startswith("**2 passing"), advice.response.response[:300]


async def test_new_in_a_longer_time_is_what_was_first_seen_in_it(estate):
    """Not what the last scan alone brought; of the time since the scan before it is."""
    since = seen(lambda day: day >= TODAY - timedelta(days=60))
    for question, count in (("How many new findings in the last 60 days?", since), ("New in the last 7 days?", 1)):
        text = (await asked(estate, question)).response.response
        assert text.startswith(f"**{count} "), text[:300]


async def test_which_thing_has_the_most_is_counted_by_thing(estate):
    """As an account or a region is; and resources are counted where resources are asked for."""
    text = (await asked(estate, "Which bucket has the most open findings?")).response.response
    assert "By resource" in text
    text = (await asked(estate, "How many resources per account are failing?")).response.response
    for name in (PROD, LABS):
        assert f"{name} (" in text
        assert f"): {len({one['resource'] for one in rows(account=name)})} " in text, text[:400]


@pytest.mark.parametrize("question", ["Did things improve since 3 November?", "how did S3 change since October"])
async def test_a_day_without_a_scan_is_not_compared_with(estate, question):
    """A day would filter what both scans found; which days can be compared is said."""
    advice = await asked(estate, question)
    assert advice.response.finish_reason.value == "refused"
    assert "2026-11-09 and 2026-11-16" in advice.response.response


async def test_what_changed_is_told_of_the_state_that_was_asked_for(estate):
    """The muted are counted as muted in both scans; what got muted, or is new, against the scan before is listed."""
    text = (await asked(estate, "Did the number of muted findings grow?")).response.response
    before, now = len(rows(DAYS[0], "muted")), len(rows(status="muted"))
    assert text.startswith(f"**Muted findings: {before} in the scan of {DAYS[0]}, {now} in that of {TODAY}")
    muted = await asked(estate, "which findings got muted compared to the last scan?")
    assert (muted.asked.query.select, muted.asked.query.where.change) == ("list", "muted")
    assert muted.response.finish_reason.value == "complete"
    new = await asked(estate, "how many new mediums compared with the scan before")
    assert (new.asked.query.where.change, new.asked.reading.unfit) == ("new", [])
