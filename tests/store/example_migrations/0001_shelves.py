"""The first table of the example room."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade():
    op.create_table(
        "shelves", sa.Column("id", sa.Integer, primary_key=True), sa.Column("name", sa.Text, nullable=False)
    )
