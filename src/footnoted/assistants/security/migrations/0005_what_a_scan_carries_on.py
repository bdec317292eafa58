"""Which states of a scan are an earlier scan's word carried on, and how many imports a scan is made of."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add both; of what was carried before nothing tells any more."""
    op.add_column("security_states", sa.Column("carried", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("security_scans", sa.Column("imports", sa.Integer, nullable=False, server_default="1"))
