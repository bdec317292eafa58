"""A database by URL, SQLite or PostgreSQL: what every room that keeps something stands on."""

from footnoted.store.database import Database

__all__ = ["Database"]
