"""Revisions of the responder's own tables, oldest first."""
