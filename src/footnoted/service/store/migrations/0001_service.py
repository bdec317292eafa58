"""Keys, documents, passages, answers, feedback."""  # noqa: INP001 — Alembic reads the folder

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "service_keys",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("tenant", sa.String(64), nullable=False, index=True),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("revoked_at", sa.Double),
    )
    op.create_table(
        "service_documents",
        sa.Column("id", sa.String(36), primary_key=True),
        sa.Column("tenant", sa.String(64), nullable=False, index=True),
        sa.Column("conversation_id", sa.String(64)),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("format", sa.String(32), nullable=False),
        sa.Column("bytes", sa.BigInteger, nullable=False),
        sa.Column("characters", sa.BigInteger, nullable=False),
        sa.Column("passages", sa.Integer, nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("sections", sa.Text, nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
    )
    op.create_table(
        "service_passages",
        sa.Column("id", sa.String(36), primary_key=True),
        sa.Column(
            "document_id",
            sa.String(36),
            sa.ForeignKey("service_documents.id", ondelete="CASCADE"),
            nullable=False,
            index=True,
        ),
        sa.Column("tenant", sa.String(64), nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("start", sa.BigInteger, nullable=False),
        sa.Column("end", sa.BigInteger, nullable=False),
        sa.Column("lead", sa.Integer, nullable=False),
        sa.Column("details", sa.Text, nullable=False),
    )
    op.create_table(
        "service_shelves",
        sa.Column("tenant", sa.String(64), primary_key=True),
        sa.Column("version", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "service_answers",
        sa.Column("id", sa.String(36), primary_key=True),
        sa.Column("tenant", sa.String(64), nullable=False),
        sa.Column("conversation_id", sa.String(64)),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("response", sa.Text, nullable=False),
        sa.Column("sources", sa.Text, nullable=False),
        sa.Column("created_at", sa.Double, nullable=False, index=True),
    )
    op.create_index(
        "service_answers_talk", "service_answers", ["tenant", "conversation_id", "created_at"], unique=False
    )
    op.create_table(
        "service_feedback",
        sa.Column("id", sa.String(36), primary_key=True),
        sa.Column("tenant", sa.String(64), nullable=False, index=True),
        sa.Column("answer_id", sa.String(36), nullable=False, unique=True),
        sa.Column("rating", sa.String(8), nullable=False),
        sa.Column("comment", sa.Text),
        sa.Column("created_at", sa.Double, nullable=False),
    )
