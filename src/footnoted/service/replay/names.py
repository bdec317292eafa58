"""The names under which Redis holds what belongs to a stream, a replica or a tenant."""

from __future__ import annotations


class Keys:
    """The names of everything in Redis."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix

    def events(self, stream_id: str) -> str:
        """A stream's events."""
        return f"{self._prefix}:stream:{{{stream_id}}}:events"

    def record(self, stream_id: str) -> str:
        """What is known of it."""
        return f"{self._prefix}:stream:{{{stream_id}}}:record"

    def reading(self, stream_id: str) -> str:
        """Whether anybody reads it on a replica that does not write it."""
        return f"{self._prefix}:stream:{{{stream_id}}}:reading"

    def lease(self, replica: str) -> str:
        """A replica's sign of life."""
        return f"{self._prefix}:replica:{replica}:lease"

    def control(self, replica: str) -> str:
        """What other replicas ask of one."""
        return f"{self._prefix}:replica:{replica}:control"

    def places(self, tenant: str) -> str:
        """Answers being written for a tenant."""
        return f"{self._prefix}:tenant:{tenant}:places"

    def bucket(self, tenant: str) -> str:
        """A tenant's requests."""
        return f"{self._prefix}:tenant:{tenant}:bucket"

    def taken(self, tenant: str, period: str) -> str:
        """What a tenant's answers took in a day or month."""
        return f"{self._prefix}:tenant:{tenant}:taken:{period}"

    def holding(self, tenant: str) -> str:
        """What is held for those under way."""
        return f"{self._prefix}:tenant:{tenant}:holding"
