"""Settings in; the real service on a port of its own, its database in a folder of its own, while one looks at it."""

import contextlib
import socket
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jwt
import uvicorn

from footnoted import GroundedGenerator
from footnoted.service.app import create_app
from footnoted.service.settings import Settings

JWT_SECRET = "a secret of the tests alone, long enough"


def token(tenant: str, *roles: str) -> str:
    """A token of one tenant."""
    return jwt.encode({"tenant": tenant, "roles": roles, "exp": time.time() + 3600}, JWT_SECRET, "HS256")


@contextlib.contextmanager
def served(*, generator: GroundedGenerator | None = None, **told: Any) -> Iterator[str]:
    """The URL of a service that ``told`` sets up, in a thread of this process."""
    with tempfile.TemporaryDirectory() as folder, socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(128)
        settings = Settings(database_url=f"sqlite:///{Path(folder) / 'page.db'}", **{"reading_seconds": 300, **told})
        config = uvicorn.Config(
            create_app(settings, generator=generator), log_config=None, access_log=False, timeout_graceful_shutdown=2
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, name="page-service")
        thread.start()
        try:
            _wait_until(lambda: server.started or not thread.is_alive())
            if not server.started:
                raise RuntimeError("the service did not start; its log says why")
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(timeout=20)


def _wait_until(holds, seconds: float = 30.0) -> None:
    until = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > until:
            raise TimeoutError(f"not within {seconds} s")
        time.sleep(0.02)
