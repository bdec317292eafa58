"""Scans, how findings stood in each, mappings with their versions, and the texts of requirements."""

from uuid import uuid4

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

ID = sa.String(40)
NAME = sa.String(200)


def upgrade() -> None:
    """Make them; what was kept before becomes one scan a scanner and account."""
    for name, kind, value in (
        ("account_name", sa.Text, ""), ("family", sa.Text, ""), ("tags", sa.Text, ""), ("categories", sa.Text, ""),
        ("first_seen", sa.String(19), ""), ("seen_in", ID, ""), ("current", sa.Boolean, sa.true()),
    ):  # fmt: skip
        op.add_column("security_findings", sa.Column(name, kind, nullable=False, server_default=value))
    for name, columns in (
        ("by_service", ["tenant", "service", "current", "status", "severity", "id", "rule_id"]),
        ("by_severity", ["tenant", "current", "status", "severity", "id", "rule_id"]),
    ):
        op.drop_index(f"security_findings_{name}", "security_findings")
        op.create_index(f"security_findings_{name}", "security_findings", columns)
    op.create_table(
        "security_scans",
        sa.Column("id", ID, primary_key=True),
        sa.Column("tenant", NAME, nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("scanner", "provider", "account")),
        sa.Column("taken_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("place", sa.Integer, nullable=False),
        *(sa.Column(name, ID, nullable=False) for name in ("earlier", "later")),
        sa.Column("partial", sa.Boolean, nullable=False),
    )
    op.create_index("security_scans_by_tenant", "security_scans", ["tenant", "place"])
    op.create_table(
        "security_states",
        sa.Column("scan_id", ID, primary_key=True),
        sa.Column("finding_id", ID, primary_key=True),
        sa.Column("status", sa.String(20), nullable=False),
        sa.Column("severity", sa.Integer, nullable=False),
        sa.Column("first_seen", sa.String(19), nullable=False),
    )
    op.create_table(
        "security_mappings",
        sa.Column("rule_id", ID, primary_key=True),
        sa.Column("name", NAME, primary_key=True),
        sa.Column("requirement", sa.String(120), primary_key=True),
        sa.Column("tenant", NAME, nullable=False),
        sa.Column("key", sa.String(160), nullable=False),
    )
    op.create_index("security_mappings_by_name", "security_mappings", ["tenant", "name", "key", "rule_id"])
    op.create_table(
        "security_requirements",
        sa.Column("tenant", NAME, primary_key=True),
        sa.Column("name", NAME, primary_key=True),
        sa.Column("provider", sa.String(60), primary_key=True),
        sa.Column("requirement", sa.String(120), primary_key=True),
        sa.Column("key", sa.String(160), nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("title", "text")),
        sa.Column("checks", sa.JSON, nullable=False),
    )
    _one_scan_each()


def _one_scan_each() -> None:
    """The findings of before, as if each scanner had looked once at each account."""
    connection = op.get_bind()
    scopes = connection.execute(
        sa.text(
            "SELECT tenant, scanner, provider, account, max(observed_at) FROM security_findings"
            " GROUP BY tenant, scanner, provider, account"
        )
    ).all()
    for tenant, scanner, provider, account, taken in scopes:
        values = {"id": uuid4().hex, "tenant": tenant, "scanner": scanner, "provider": provider, "account": account}
        connection.execute(
            sa.text(
                "INSERT INTO security_scans VALUES"
                " (:id, :tenant, :scanner, :provider, :account, :taken, 0, '', '', :whole)"
            ),
            {**values, "taken": taken or "1970-01-01 00:00:00", "whole": False},
        )
        connection.execute(
            sa.text(
                "UPDATE security_findings SET seen_in = :id, family = service,"
                " first_seen = coalesce(substr(CAST(observed_at AS text), 1, 10), '1970-01-01')"
                " WHERE tenant = :tenant AND scanner = :scanner AND provider = :provider AND account = :account"
            ),
            values,
        )
    connection.execute(
        sa.text("INSERT INTO security_states SELECT seen_in, id, status, severity, first_seen FROM security_findings")
    )
