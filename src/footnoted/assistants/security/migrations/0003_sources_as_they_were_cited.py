"""A table of what answers were cited from, as it was then."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make it."""
    op.create_table(
        "security_sources",
        sa.Column("tenant", sa.String(200), primary_key=True),
        sa.Column("id", sa.String(40), primary_key=True),
        sa.Column("kind", sa.String(60), nullable=False),
        sa.Column("item", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("kept_at", sa.Float, nullable=False),
    )
    op.create_index("security_sources_by_age", "security_sources", ["kept_at"])
