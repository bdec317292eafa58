"""What the service keeps, by tenant: keys, documents and their passages, answers, feedback."""

from footnoted.service.store.room import Store

__all__ = ["Store"]
