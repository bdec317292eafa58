"""JavaScript clients from their registry, for tests that speak to us through them: installed once, in a temp folder."""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from tests.commands import printed

HERE = Path(__file__).parent
UNHURRIED = pytest.mark.timeout(420)  # whoever asks first installs the packages
PACKAGES = HERE / "package.json"


def installed() -> Path:
    """The folder with `package.json`'s packages in it; made when first asked for, shared by all who ask."""
    name = hashlib.sha256(PACKAGES.read_bytes()).hexdigest()[:12]
    folder = Path(tempfile.gettempdir()) / f"footnoted-node-{os.getuid()}-{name}"
    folder.mkdir(mode=0o700, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "done").exists():
            shutil.copy(PACKAGES, folder / "package.json")
            asked = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
            subprocess.run(asked, cwd=folder, check=True, capture_output=True, text=True, timeout=300)
            (folder / "done").touch()
    return folder


async def node(script: str, given: object):
    """What a script beside this file prints, as JSON; ``given`` is its argument, as JSON too."""
    folder = await asyncio.to_thread(installed)
    copy = folder / f"{os.getpid()}-{script}"  # beside the packages, and nobody else's
    copy.write_text((HERE / script).read_text(encoding="utf-8"), encoding="utf-8")
    try:
        return json.loads(await printed("node", copy, json.dumps(given), cwd=folder))
    finally:
        copy.unlink()
