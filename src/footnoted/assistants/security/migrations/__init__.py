"""The revisions of the security room's tables, oldest first (Alembic)."""
