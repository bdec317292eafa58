"""A replica's sign of life in Redis, given by a thread of its own: a busy event loop is not a dead one."""

from __future__ import annotations

import contextlib
import threading
import time

_HUNG = 20.0  # seconds without a turn of the event loop after which a process counts as dead all the same


class Lease:
    """A key that lapses ``seconds`` after the last renewal. `beat` is called from the event loop."""

    def __init__(self, url: str, key: str, *, seconds: float) -> None:
        self._url = url
        self._key = key
        self._ms = int(seconds * 1000)
        self._seconds = seconds
        self._beaten = time.monotonic()
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to renew."""
        self._beaten = time.monotonic()
        self._thread = threading.Thread(target=self._renew, name="footnoted-lease", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Renew no more."""
        self._over.set()
        if self._thread is not None:
            self._thread.join(timeout=3)

    def beat(self) -> None:
        """The event loop turns."""
        self._beaten = time.monotonic()

    def _renew(self) -> None:
        from redis import Redis
        from redis.backoff import NoBackoff
        from redis.exceptions import RedisError
        from redis.retry import Retry

        # Short waits: a renewal that hangs is worth less than the next one.
        wait = min(1.0, self._seconds / 3)
        client = Redis.from_url(
            self._url, socket_timeout=wait, socket_connect_timeout=wait, retry=Retry(NoBackoff(), 0)
        )
        try:
            while not self._over.is_set():
                if time.monotonic() - self._beaten < _HUNG:
                    with contextlib.suppress(RedisError, OSError):
                        client.set(self._key, b"1", px=self._ms)
                self._over.wait(self._seconds / 4)
        finally:
            client.close()
