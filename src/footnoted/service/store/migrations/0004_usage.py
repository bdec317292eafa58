"""What each tenant's answers took, day by day."""  # noqa: INP001 — Alembic reads the folder

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "service_usage",
        sa.Column("tenant", sa.String(64), primary_key=True),
        sa.Column("day", sa.String(10), primary_key=True),
        sa.Column("answers", sa.BigInteger, nullable=False),
        sa.Column("tokens", sa.BigInteger, nullable=False),
        sa.Column("money", sa.BigInteger, nullable=False),
    )
    op.create_index("service_usage_day", "service_usage", ["day"])
