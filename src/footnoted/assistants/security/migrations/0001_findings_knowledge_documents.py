"""The first tables: rules, findings, imported knowledge, documents."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

ID = sa.String(40)
NAME = sa.String(200)
KEY = sa.String(60)


def upgrade() -> None:
    """Make them."""
    op.create_table(
        "security_rules",
        sa.Column("id", ID, primary_key=True),
        sa.Column("tenant", NAME, nullable=False),
        *(
            sa.Column(name, sa.Text, nullable=False)
            for name in ("check_id", "title", "description", "risk", "remediation", "remediation_cli")
        ),
        sa.Column("links", sa.JSON, nullable=False),
        sa.Column("frameworks", sa.JSON, nullable=False),
    )
    op.create_table(
        "security_rule_frameworks",
        sa.Column("tenant", NAME, primary_key=True),
        sa.Column("framework", KEY, primary_key=True),
        sa.Column("rule_id", ID, sa.ForeignKey("security_rules.id"), primary_key=True),
    )
    op.create_table(
        "security_findings",
        sa.Column("id", ID, primary_key=True),
        sa.Column("tenant", NAME, nullable=False),
        sa.Column("rule_id", ID, sa.ForeignKey("security_rules.id"), nullable=False),
        sa.Column("digest", ID, nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("uid", "check_id", "control_id")),
        sa.Column("service", NAME, nullable=False),
        sa.Column("severity", sa.Integer, nullable=False),
        sa.Column("status", sa.String(20), nullable=False),
        *(
            sa.Column(name, sa.Text, nullable=False)
            for name in (
                "scanner", "provider", "account", "region", "resource_id", "resource_name", "resource_type", "detail",
            )
        ),
        sa.Column("observed_at", sa.DateTime(timezone=True)),
    )  # fmt: skip
    for name, columns in (
        ("by_service", ["tenant", "service", "status", "severity", "id"]),
        ("by_severity", ["tenant", "status", "severity", "id"]),
        ("by_check", ["tenant", "check_id"]),
        ("by_control", ["tenant", "control_id"]),
    ):
        op.create_index(f"security_findings_{name}", "security_findings", columns)
    op.create_table(
        "security_kb_entries",
        sa.Column("tenant", NAME, primary_key=True),
        sa.Column("id", NAME, primary_key=True),
        sa.Column("origin", KEY, nullable=False),
        sa.Column("service", NAME, nullable=False),
        sa.Column("severity", sa.Integer, nullable=False),
        sa.Column("body", sa.JSON, nullable=False),
    )
    op.create_index("security_kb_by_service", "security_kb_entries", ["tenant", "service", "severity", "id"])
    op.create_table(
        "security_kb_frameworks",
        sa.Column("tenant", NAME, primary_key=True),
        sa.Column("framework", KEY, primary_key=True),
        sa.Column("entry_id", NAME, primary_key=True),
    )
    op.create_table(
        "security_kb_checks",
        sa.Column("tenant", NAME, primary_key=True),
        sa.Column("check_id", NAME, primary_key=True),
        sa.Column("entry_id", NAME, primary_key=True),
        sa.Column("framework", KEY, primary_key=True),
    )
    op.create_table(
        "security_documents",
        sa.Column("id", ID, primary_key=True),
        sa.Column("tenant", NAME, nullable=False),
        sa.Column("conversation", NAME, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("added_at", sa.DateTime(timezone=True), nullable=False),
        sa.UniqueConstraint("tenant", "conversation", "id"),
    )
    op.create_index("security_documents_by_conversation", "security_documents", ["tenant", "conversation", "added_at"])
