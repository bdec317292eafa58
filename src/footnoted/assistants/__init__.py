"""Assistants: each wraps the generation layer for one kind of work and one kind of sources."""
