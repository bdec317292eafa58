import pytest

from footnoted.assistants.security import Entities, NLUResult
from footnoted.assistants.security.advice.asked import read_asked, turns_of
from footnoted.assistants.security.advice.topic import topic_of
from footnoted.types import Turn

LISTED = "**2 findings**\n\n1. 🔴 [S3.1] Open bucket (CRITICAL)\n   Frameworks: HIPAA\n2. 🟠 [iam_root_mfa_enabled] Root (HIGH)\n"


def test_what_was_understood_is_read_in_any_shape():
    """An `NLUResult`, a mapping, or an object with the same fields."""
    result = NLUResult(
        "comply", Entities(aws_services=("awslambda",), compliance_frameworks=("PCI",)), requires_findings=True
    )
    mapping = {
        "intent": "comply",
        "entities": {"aws_services": ["AWS Lambda"], "compliance_frameworks": ["pci-dss"]},
        "requires_findings": True,
    }
    for given in (result, mapping):
        asked = read_asked("?", given)
        assert (asked.intent, asked.services, asked.frameworks, asked.requires_findings) == (
            "comply",
            ("lambda",),
            ("pci-dss",),
            True,
        )


def test_without_it_the_question_is_understood_here():
    """No model is needed for that."""
    asked = read_asked("Which S3 findings break HIPAA?")
    assert (asked.services, asked.frameworks) == (("s3",), ("hipaa",))


@pytest.mark.parametrize(
    "history",
    [
        [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}, {"role": "user", "content": "c"}, {"role": "assistant", "content": "d"}],
        [("a", "b"), ("c", "d")],
        [("user", "a"), ("assistant", "b"), ("user", "c"), ("assistant", "d")],
        [Turn("a", "b"), Turn("c", "d")],
    ],
)  # fmt: skip
def test_history_is_read_in_any_shape(history):
    """Messages, pairs or turns."""
    assert turns_of(history) == (Turn("a", "b"), Turn("c", "d"))


def test_the_last_ten_messages_count():
    """Older ones are left."""
    history = [{"role": role, "content": f"{role}{at}"} for at in range(30) for role in ("user", "assistant")]
    assert turns_of(history) == tuple(Turn(f"user{at}", f"assistant{at}") for at in range(25, 30))


@pytest.mark.parametrize(
    ("ordinals", "ids"),
    [
        ([2], ("iam_root_mfa_enabled",)),
        ([1], ("S3.1",)),
        ([-1], ("iam_root_mfa_enabled",)),
        ([1, 2], ("S3.1", "iam_root_mfa_enabled")),
    ],
)
def test_the_second_one_is_the_second_of_the_list_shown(ordinals, ids):
    """A follow-up resolves from the numbered list before it."""
    asked = read_asked("and the second one?", {"context": {"ordinals": ordinals}}, [("list them", LISTED)])
    assert (asked.ids, asked.beyond_list) == (ids, False)


def test_past_the_end_of_the_list_nothing_is_meant():
    """And that is known."""
    assert read_asked("and the ninth?", {"context": {"ordinals": [9]}}, [("list", LISTED)]).beyond_list


@pytest.mark.parametrize(
    ("question", "stems"),
    [
        ("Which of our S3 findings break HIPAA, and what do I fix first?", set()),
        ("What are the worst problems in our account?", set()),
        ("How do I encrypt S3 buckets at rest?", {"encrypt", "bucket"}),
        ("Show critical IAM findings about MFA", {"mfa"}),
    ],
)
def test_the_topic_is_what_is_no_name_and_in_no_other_question(question, stems):
    """Services, frameworks and the words questions are made of tell no topic."""
    assert topic_of(read_asked(question)).stems == stems
