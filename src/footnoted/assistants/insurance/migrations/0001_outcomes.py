"""The first tables: answers with their variant, the sections they cited, and what customers thought of them."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make them."""
    op.create_table(
        "insurance_answers",
        sa.Column("id", sa.String(36), primary_key=True),
        sa.Column("tenant", sa.String(200), nullable=False),
        sa.Column("experiment", sa.String(100), nullable=False),
        sa.Column("variant", sa.String(100), nullable=False),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("refused", sa.Boolean, nullable=False),
        sa.Column("degraded", sa.Boolean, nullable=False),
        sa.Column("sufficient", sa.Boolean, nullable=False),
        sa.Column("confidence", sa.Float, nullable=False),
        sa.Column("latency_ms", sa.Float, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("insurance_answers_by_variant", "insurance_answers", ["tenant", "experiment", "variant"])
    op.create_table(
        "insurance_cited",
        sa.Column("answer_id", sa.String(36), sa.ForeignKey("insurance_answers.id"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("file", sa.Text, nullable=False),
        sa.Column("section", sa.Text, nullable=False),
    )
    op.create_table(
        "insurance_feedback",
        sa.Column("answer_id", sa.String(36), sa.ForeignKey("insurance_answers.id"), primary_key=True),
        sa.Column("helpful", sa.Boolean, nullable=False),
        sa.Column("wrong_number", sa.Integer),
        sa.Column("comment", sa.Text, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
    )
