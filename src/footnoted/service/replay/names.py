"""The names under which Redis holds what belongs to a stream, a replica or a tenant."""

from __future__ import annotations

from typing import Literal


class Keys:
    """The names of everything in Redis, each under the service's prefix."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix

    def stream(self, stream_id: str, what: Literal["events", "record", "reading"]) -> str:
        """A stream's events, what is known of it, or whether a replica that does not write it has a reader on it."""
        return f"{self._prefix}:stream:{{{stream_id}}}:{what}"

    def replica(self, replica: str, what: Literal["lease", "control"]) -> str:
        """A replica's sign of life, or what others ask of it."""
        return f"{self._prefix}:replica:{replica}:{what}"

    def tenant(self, tenant: str, what: str) -> str:
        """A tenant's ``places`` and ``bucket`` (limits), what it has ``taken:PERIOD``, or ``holding`` for answers."""
        return f"{self._prefix}:tenant:{tenant}:{what}"
