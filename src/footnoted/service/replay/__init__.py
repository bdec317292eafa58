"""Keeps numbered events for whoever rejoins, in this process or through Redis."""

from typing import TYPE_CHECKING, TypeAlias

from footnoted.service.replay.base import Record, Tape

if TYPE_CHECKING:
    from footnoted.service.replay.memory import MemoryReplay
    from footnoted.service.replay.redis import RedisReplay

    Replay: TypeAlias = MemoryReplay | RedisReplay

__all__ = ["Record", "Tape"]
