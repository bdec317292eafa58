"""Keeps numbered events for whoever rejoins, in this process or through Redis."""

from footnoted.service.replay.base import Record, Replay, Tape

__all__ = ["Record", "Replay", "Tape"]
