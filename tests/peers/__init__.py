"""Libraries whose pins are not ours, for tests that speak to us through them: installed once, in a temp folder.

Each script beside this file runs in an environment with the released libraries of `requirements.txt`; what they do not
bring (footnoted and what it needs) it takes from the environment of the tests.
"""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import json
import os
import subprocess
import sys
import sysconfig
import tempfile
import venv
from pathlib import Path

import pytest

from tests.commands import printed

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
UNHURRIED = pytest.mark.timeout(900)  # whoever asks first installs the libraries
LIBRARIES = HERE / "requirements.txt"
QUIET = {"DEEPEVAL_TELEMETRY_OPT_OUT": "YES", "RAGAS_DO_NOT_TRACK": "true", "NEMO_GUARDRAILS_NO_USAGE_STATS": "1"}


def installed() -> Path:
    """The environment's Python; made when first asked for, shared by all who ask."""
    name = hashlib.sha256(LIBRARIES.read_bytes() + sys.version.encode()).hexdigest()[:12]
    folder = Path(tempfile.gettempdir()) / f"footnoted-peers-{os.getuid()}-{name}"
    folder.mkdir(mode=0o700, exist_ok=True)
    python = folder / "venv" / "bin" / "python"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "done").exists():
            venv.create(folder / "venv", clear=True, with_pip=False)
            asked = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "-r", str(LIBRARIES)]
            subprocess.run(asked, check=True, capture_output=True, text=True, timeout=800)
            (folder / "done").touch()
    return python


def packages() -> Path:
    """Where its libraries are."""
    return next((installed().parent.parent / "lib").glob("python*/site-packages"))


def pinned(name: str) -> str:
    """The version of a library that the tests run with."""
    lines = LIBRARIES.read_text(encoding="utf-8").splitlines()
    found = (line.partition("==")[2] for line in lines if line.partition("==")[0].partition("[")[0] == name)
    return next(found, "")


def environment(**more: str) -> dict[str, str]:
    """The variables its programs run with: its own libraries first, then this checkout and the tests' own."""
    ours = [str(packages()), str(ROOT / "src"), str(ROOT), sysconfig.get_paths()["purelib"]]
    kept = {key: value for key, value in os.environ.items() if not key.endswith("_API_KEY")}
    return {**kept, **QUIET, "PYTHONPATH": os.pathsep.join(ours), **more}


async def peer(script: str, given: object):
    """What a script beside this file prints last, as JSON; ``given`` is its argument, as JSON too."""
    python = await asyncio.to_thread(installed)
    told = await printed(python, HERE / script, json.dumps(given), env=await asyncio.to_thread(environment))
    return json.loads(told.strip().splitlines()[-1])
