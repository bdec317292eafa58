"""The tests under each Python that pyproject names: ``make check-all``, or ``python -m tests.pythons 3.12 [PYTEST ARGUMENT…]``.

An interpreter comes from uv, which fetches it where it can, or is the ``pythonX.Y`` of the path or of pyenv. Each gets an
environment beside `.venv`, with the versions of requirements.txt; what could not be had is said at the end.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
MAY_FAIL = ("3.14",)  # tried where it can be had; no classifier promises it


def promised() -> list[str]:
    """The versions that pyproject's classifiers name."""
    told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["classifiers"]
    return [found[1] for each in told if (found := re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", each))]


def interpreter(version: str) -> str | None:
    """An interpreter of the version, or ``None``."""
    uv = shutil.which("uv") or shutil.which("uv", path=str(Path(sys.executable).parent))
    if uv is not None:
        subprocess.run([uv, "python", "install", "--quiet", version], capture_output=True, check=False, timeout=300)
        found = subprocess.run([uv, "python", "find", version], capture_output=True, text=True, check=False, timeout=60)
        if found.returncode == 0 and _is(version, found.stdout.strip()):
            return found.stdout.strip()
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    candidates = [shutil.which(f"python{version}"), *map(str, sorted(pyenv.glob(f"{version}.*/bin/python")))]
    return next((each for each in candidates if each and _is(version, each)), None)


def _is(version: str, program: str) -> bool:
    """Whether it is what its name says; pyenv's own names may lead nowhere."""
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run([program, "-c", code], capture_output=True, text=True, check=False)
    return done.stdout.strip() == version


def environment(version: str, program: str) -> Path:
    """The Python of an environment with everything the tests need, made anew when what it needs has changed."""
    place = ROOT / f".venv-{version}"
    ready, python = place / ".ready", place / "bin" / "python"
    wanted = [ROOT / "pyproject.toml", ROOT / "requirements.txt"]
    if not ready.exists() or ready.stat().st_mtime < max(each.stat().st_mtime for each in wanted):
        subprocess.run([program, "-m", "venv", "--clear", str(place)], check=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "-r", str(ROOT / "requirements.txt")], check=True)
        subprocess.run([*pip, "--no-deps", "-e", str(ROOT)], check=True)
        ready.touch()
    return python


def main(arguments: list[str]) -> int:
    """Try each version; the exit status is 1 where tests failed or a promised version could not be tried."""
    versions = [each for each in arguments if re.fullmatch(r"3\.\d+", each)]
    given = arguments[len(versions) :]
    outcomes = {}
    for version in versions or [*promised(), *MAY_FAIL]:
        program = interpreter(version)
        if program is None:
            outcomes[version] = "no interpreter: install one, or let uv fetch it"
            continue
        print(f"Python {version}: {program}", flush=True)
        try:
            command = [str(environment(version, program)), "-m", "pytest", "-n", "2", *given]
            status = subprocess.run(command, cwd=ROOT, check=False).returncode
            outcomes[version] = "passed" if status == 0 else f"pytest ended with {status}"
        except subprocess.CalledProcessError as error:
            outcomes[version] = f"its environment could not be made: {error}"
    for version, outcome in outcomes.items():
        print(f"Python {version}: {outcome}")
    return int(any(outcome != "passed" for version, outcome in outcomes.items() if version not in MAY_FAIL))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
