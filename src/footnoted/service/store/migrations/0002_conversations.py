"""Conversations, their turns, the texts sent along; what was answered before becomes conversations too."""  # noqa: INP001 — Alembic reads the folder

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Make the tables, and fill them from the answers that are kept."""
    op.create_table(
        "service_conversations",
        sa.Column("tenant", sa.String(64), primary_key=True),
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("words", sa.Text, nullable=False),
        sa.Column("share", sa.String(64), unique=True),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("updated_at", sa.Double, nullable=False),
        sa.Column("deleted_at", sa.Double),
    )
    op.create_table(
        "service_turns",
        sa.Column("id", sa.String(36), primary_key=True),
        sa.Column("tenant", sa.String(64), nullable=False),
        sa.Column("conversation_id", sa.String(64), nullable=False),
        sa.Column("stream_id", sa.String(64)),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("words", sa.Text, nullable=False),
        sa.Column("sources", sa.Text, nullable=False),
        sa.Column("document_ids", sa.Text, nullable=False),
        sa.Column("replaces", sa.String(36)),
        sa.Column("created_at", sa.Double, nullable=False, index=True),
    )
    op.create_index("service_turns_talk", "service_turns", ["tenant", "conversation_id", "created_at"])
    op.create_table(
        "service_sent",
        sa.Column("tenant", sa.String(64), primary_key=True),
        sa.Column("conversation_id", sa.String(64), primary_key=True),
        sa.Column("sha256", sa.String(64), primary_key=True),
        sa.Column("text", sa.Text, nullable=False),
    )
    op.add_column("service_answers", sa.Column("extras", sa.Text, nullable=False, server_default="{}"))
    op.add_column("service_answers", sa.Column("words", sa.Text, nullable=False, server_default=""))
    op.execute(
        "INSERT INTO service_turns"
        " (id, tenant, conversation_id, kind, question, words, sources, document_ids, created_at)"
        " SELECT id, tenant, conversation_id, kind, question, lower(question), '[]', 'null', created_at"
        " FROM service_answers WHERE conversation_id IS NOT NULL"
    )
    op.execute(
        "INSERT INTO service_conversations (tenant, id, title, words, created_at, updated_at)"
        " SELECT t.tenant, t.conversation_id, substr(t.question, 1, 80), substr(t.words, 1, 80), t.created_at,"
        " span.latest FROM service_turns t JOIN (SELECT tenant, conversation_id, min(created_at) AS first,"
        " max(created_at) AS latest FROM service_turns GROUP BY tenant, conversation_id) span"
        " ON t.tenant = span.tenant AND t.conversation_id = span.conversation_id AND t.created_at = span.first"
        " WHERE t.id = (SELECT min(u.id) FROM service_turns u WHERE u.tenant = t.tenant"
        " AND u.conversation_id = t.conversation_id AND u.created_at = t.created_at)"
    )
