"""A warning of Security Hub is kept as one; it was taken for a check that is to be made by hand."""

from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Security Hub knows no check by hand, so whatever is kept of it as one was a warning."""
    op.execute("UPDATE security_findings SET status = 'warning' WHERE status = 'manual' AND scanner = 'security-hub'")
    op.execute(
        "UPDATE security_states SET status = 'warning' WHERE status = 'manual'"
        " AND finding_id IN (SELECT id FROM security_findings WHERE scanner = 'security-hub')"
    )
