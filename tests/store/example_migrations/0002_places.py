"""A second revision, that adds a column."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade():
    op.add_column("shelves", sa.Column("place", sa.Text))
