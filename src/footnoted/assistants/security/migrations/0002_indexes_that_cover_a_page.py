"""Indexes from which a page's counts are read without touching the findings themselves."""

from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make them anew, with the rule at their end, and one over a tenant's rules."""
    for name, columns in (
        ("by_service", ["tenant", "service", "status", "severity", "id", "rule_id"]),
        ("by_severity", ["tenant", "status", "severity", "id", "rule_id"]),
    ):
        op.drop_index(f"security_findings_{name}", "security_findings")
        op.create_index(f"security_findings_{name}", "security_findings", columns)
    op.create_index("security_rules_by_check", "security_rules", ["tenant", "check_id"])
