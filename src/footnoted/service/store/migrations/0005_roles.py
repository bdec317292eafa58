"""What a key may do besides asking."""  # noqa: INP001 — Alembic reads the folder

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Every key that exists is a member's."""
    op.add_column("service_keys", sa.Column("role", sa.String(16), nullable=False, server_default="member"))
