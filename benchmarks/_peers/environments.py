"""One virtual environment a peer, made from its pins; and one for footnoted, made from this checkout as pip installs it."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

HERE = Path(__file__).parent
BENCHMARKS = HERE.parent
CHECKOUT = BENCHMARKS.parent


def default_folder() -> Path:
    """Where environments are kept unless said otherwise: the user's cache, outside the checkout."""
    root = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(root) / "footnoted" / "peers"


def pins(name: str) -> Path:
    """The released versions an environment has."""
    return HERE / f"requirements-{name}.txt"


def made(folder: Path, names: list[str], *, afresh: bool = False, ours: bool = True) -> dict[str, Path]:
    """The Python of each environment, made (anew) where its pins have changed; footnoted's each time with ``ours``."""
    return {name: _made(folder / name, name, afresh=ours if name == "footnoted" else afresh) for name in names}


def _made(place: Path, name: str, *, afresh: bool) -> Path:
    python = place / "bin" / "python"
    if name == "footnoted":
        what, mark = [str(CHECKOUT)], "this checkout"
    else:
        what, mark = ["-r", str(pins(name))], hashlib.sha256(pins(name).read_bytes()).hexdigest()
    stamp = place / "made-from"
    if not afresh and stamp.is_file() and stamp.read_text() == mark:
        return python
    print(f"installing {name} …", file=sys.stderr, flush=True)
    shutil.rmtree(place, ignore_errors=True)
    venv.create(place, with_pip=False)
    installed = _run([sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", *what])
    if installed.returncode:
        raise SystemExit(f"{name} could not be installed:\n{installed.stderr[-2000:]}")
    stamp.write_text(mark)
    return python


def _run(command: list[str]) -> subprocess.CompletedProcess[str]:
    own = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return subprocess.run(command, check=False, capture_output=True, text=True, env=own)


def size(python: Path) -> dict[str, float]:
    """Megabytes (10⁶ bytes) of installed files, compiled modules left out, and the number of distributions."""
    packages = next((python.parent.parent / "lib").glob("python*/site-packages"))
    files = [file for file in packages.rglob("*") if file.is_file() and file.suffix != ".pyc"]
    return {
        "mb": sum(file.stat().st_size for file in files) / 1e6,
        "distributions": len(list(packages.glob("*.dist-info"))),
    }
