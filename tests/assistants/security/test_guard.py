import pytest

from footnoted.assistants.security.advice.compose import UNVERIFIED
from footnoted.assistants.security.advice.guard import Facts, Guard
from footnoted.assistants.security.severity import Severity
from tests.tables import every

FACTS = Facts(
    named={
        "s3_bucket_public_access": Severity.CRITICAL,
        "clinic-scans": Severity.CRITICAL,
        "s3.8": Severity.HIGH,
        "s3_bucket_object_versioning": Severity.LOW,
    },
    by_source={2: Severity.CRITICAL, 3: Severity.HIGH, 4: Severity.LOW},
    total=3,
    counts={"critical": 1, "high": 1, "low": 1},
    allowed=frozenset({1, 3}),
    code=("aws s3api put-public-access-block --bucket my-bucket \\\n  --flag x",),
)


def guarded(text, size=None):
    guard = Guard(FACTS)
    pieces = [text] if size is None else [text[at : at + size] for at in range(0, len(text), size)]
    return "".join(map(guard.decode, pieces)) + guard.flush(), guard.corrections


@every(
    ("said", "stands"),
    [
        # A model that lowers.
        ("Finding s3_bucket_public_access is low severity.", "Finding s3_bucket_public_access is critical severity."),
        ("🟢 [s3_bucket_public_access] can wait.", "🔴 [s3_bucket_public_access] can wait."),
        ("The bucket clinic-scans (LOW) is fine.", "The bucket clinic-scans (CRITICAL) is fine."),
        ("This is only medium [2].", "This is only critical [2]."),
        ("Severity: Low for clinic-scans.", "Severity: Critical for clinic-scans."),
        # A model that raises.
        ("S3.8 is rated critical.", "S3.8 is rated high."),
        ("🔴 **CRITICAL** S3.8 needs you.", "🟠 **HIGH** S3.8 needs you."),
        ("🔴 s3_bucket_object_versioning is high risk.", "🟢 s3_bucket_object_versioning is low risk."),
        # A mark on nothing that is known.
        ("🔴 Everything burns.", "Everything burns."),
        # What is right stays.
        ("🔴 [s3_bucket_public_access] is CRITICAL.", "🔴 [s3_bucket_public_access] is CRITICAL."),
        (
            "S3.8 and clinic-scans are high and critical severity.",
            "S3.8 and clinic-scans are high and critical severity.",
        ),
        # Words that are no severity.
        ("The low cost of S3.8 helps.", "The low cost of S3.8 helps."),
        ("High availability matters to clinic-scans.", "High availability matters to clinic-scans."),
        ("The s3.80 setting is low severity.", "The s3.80 setting is low severity."),
    ],
)
def test_severities_are_the_data_s(said, stands):
    """A model neither raises nor lowers what a finding is; what was changed is said."""
    text, corrections = guarded(said)
    assert text == stands
    assert bool(corrections) == (said != stands)


@pytest.mark.parametrize(
    "said",
    ["You have 14 findings.", "There are 2 critical findings.", "No issues were found.", "We see seven misconfigurations here.",
     "You have 1,400 open failing findings.", "Hundreds of findings wait."],
)  # fmt: skip
def test_a_number_of_findings_nobody_computed_is_left_out(said):
    """Counts come from the database or not at all."""
    text, corrections = guarded(f"First. {said} Last word here.")
    assert text == "First.  Last word here." or said not in text
    assert corrections


@pytest.mark.parametrize(
    "said",
    ["You have 3 findings.", "There is 1 critical finding.", "One high issue is left.", "Rotate keys every 90 days."],
)
def test_a_number_that_was_computed_stays(said):
    """So do numbers of other things."""
    assert guarded(said) == (said, [])


def test_code_the_knowledge_base_does_not_have_is_marked():
    """A block of the model's own carries its warning; one of the knowledge base does not."""
    own = "Do this:\n\n```bash\nrm -rf /\n```\nDone."
    text, corrections = guarded(own)
    assert f"{UNVERIFIED}\n\n```bash\nrm -rf /\n```" in text
    assert corrections == ["code of the model was marked as unverified"]
    known = "Do this:\n\n```bash\naws s3api put-public-access-block --bucket my-bucket --flag x\n```\nDone."
    assert guarded(known) == (known, [])


def test_a_block_that_was_never_closed_is_closed():
    """What stands below is not swallowed by it."""
    text, _ = guarded("```hcl\nresource {}")
    assert text == f"{UNVERIFIED}\n\n```hcl\nresource {{}}\n```"


def test_a_command_in_a_sentence_is_marked():
    """Inline commands are code too."""
    text, _ = guarded("Run `aws s3 rb s3://prod --force` now, see `s3_bucket_public_access`.")
    assert text == "Run `aws s3 rb s3://prod --force` (unverified) now, see `s3_bucket_public_access`."


LONG = (
    "1. 🟢 [s3_bucket_public_access] is low severity [2]. It matters. You have 99 findings [1].\n\n"
    "Then:\n```bash\naws s3 ls\n```\n- S3.8 is CRITICAL [3][4].\nRun `aws s3 ls` e.g. tonight. The end"
)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 13, 40])
def test_the_cut_of_the_stream_makes_no_difference(size):
    """However the pieces come, the same text leaves."""
    assert guarded(LONG, size) == guarded(LONG)


def test_a_sentence_leaves_as_soon_as_it_is_whole():
    """The reader does not wait for the paragraph."""
    guard = Guard(FACTS)
    assert guard.decode("The bucket is open to everyone. And then it") == "The bucket is open to everyone."
