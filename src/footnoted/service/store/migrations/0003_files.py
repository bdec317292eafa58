"""The files whose pages are drawn."""  # noqa: INP001 — Alembic reads the folder

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Make the table."""
    op.create_table(
        "service_files",
        sa.Column(
            "document_id",
            sa.String(36),
            sa.ForeignKey("service_documents.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("data", sa.LargeBinary, nullable=False),
    )
