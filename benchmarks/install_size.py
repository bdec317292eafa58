"""What each extra brings: packages, bytes to fetch, bytes installed, seconds to install, each in an empty environment.

    python benchmarks/install_size.py [--extras service,ray] [--write docs/install.md]

The wheel of this checkout is built, its packages for every extra are fetched once into one folder, and each extra is
installed from that folder, so the time is unpacking and compiling and not the network: seconds of processor, which is what
the clock shows too on a machine that does nothing else, for pip works on one core. "Fetched" is the size of the wheels that
were installed, "installed" that of their files, compiled modules among them; pip itself is not counted.
``--write`` puts the table between the marks of a page.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from _table import heading, processor, table, versions

CHECKOUT = Path(__file__).parent.parent
BARE = "none"
NOT_FOR_USERS = frozenset({"dev", "docs"})
LONGEST = 3000  # seconds that fetching or installing one extra may take
MARKS = re.compile(r"(<!-- measured -->\n).*?(<!-- end of the measured -->)", re.DOTALL)
MEGA = 1_000_000
# Asked of the environment's own interpreter: what is installed, and how many bytes its files take.
LISTING = """
import importlib.metadata, json
def size(one):
    places = {one.locate_file(file) for file in one.files or ()}
    return sum(place.stat().st_size for place in places if place.is_file())
print(json.dumps([(one.metadata["Name"], one.version, size(one)) for one in importlib.metadata.distributions()]))
"""


@dataclass(frozen=True)
class Installed:
    """One extra in an environment of its own: each package's version and bytes, its wheels' bytes, seconds by the
    clock and seconds of processor."""

    extra: str
    packages: dict[str, tuple[str, int]]
    fetched: int
    seconds: float
    processor: float

    @property
    def size(self) -> int:
        """Bytes of all packages' files."""
        return sum(size for _, size in self.packages.values())

    def largest(self, but: Iterable[str] = ()) -> list[str]:
        """The three largest packages with their megabytes, those of ``but`` left out: ``["ray 193"]``."""
        sizes = {name: size for name, (_, size) in self.packages.items() if name not in but and size >= MEGA}
        return [f"{name} {sizes[name] / MEGA:.0f}" for name in sorted(sizes, key=sizes.__getitem__, reverse=True)[:3]]


def extras() -> list[str]:
    """The extras users may ask for, as pyproject.toml names them, none at all first."""
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [BARE, *(name for name in project["optional-dependencies"] if name not in NOT_FOR_USERS)]


def run(*command: str | Path) -> str:
    """What a command printed; its own words are shown when it fails."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, timeout=LONGEST, check=False, env=environment
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command[:6]))} … failed:\n{done.stderr[-3000:]}")
    return done.stdout


def measured(extra: str, wheel: Path, wheels: Path, folder: Path) -> Installed:
    """Fetch what the extra needs, then install it from what was fetched, the clock running."""
    python = folder / extra / "bin" / "python"
    run(sys.executable, "-m", "venv", "--without-pip", folder / extra)
    wanted = f"footnoted @ {wheel.as_uri()}" if extra == BARE else f"footnoted[{extra}] @ {wheel.as_uri()}"
    pip = (sys.executable, "-m", "pip", "--python", python, "-q", "--disable-pip-version-check")
    run(*pip, "download", "--find-links", wheels, "-d", wheels, wanted)
    before = _packages(python)
    started, worked = time.perf_counter(), _worked()
    run(*pip, "install", "--no-cache-dir", "--no-index", "--find-links", wheels, wanted)
    took, busy = time.perf_counter() - started, _worked() - worked
    added = {name: told for name, told in _packages(python).items() if name not in before}
    return Installed(extra, added, _fetched(added, wheels), took, busy)


def _worked() -> float:
    """Seconds of processor that finished children took, user and system."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _packages(python: Path) -> dict[str, tuple[str, int]]:
    return {name: (number, size) for name, number, size in json.loads(run(python, "-c", LISTING))}


def _fetched(packages: dict[str, tuple[str, int]], wheels: Path) -> int:
    sizes = {_wheel_key(*file.name.split("-")[:2]): file.stat().st_size for file in wheels.iterdir()}
    return sum(sizes.get(_wheel_key(name, number), 0) for name, (number, _) in packages.items())


def _wheel_key(name: str, number: str) -> tuple[str, str]:
    """`("PyYAML", "6.0")` -> `("pyyaml", "6.0")`: as a wheel's file name and a listing both come to."""
    return re.sub(r"[-_.]+", "-", name).lower(), number.removesuffix(".tar.gz")


def page(rows: Sequence[Installed], command: str) -> str:
    """The table as Markdown, with what it takes to read it."""
    known = versions("footnoted", "pip")
    bare = next((row.packages for row in rows if row.extra == BARE), {})
    lines = [
        "| extra | packages | fetched | installed | time | largest, MB |",
        "|---|--:|--:|--:|--:|---|",
        *(
            f"| {_named(row)} | {len(row.packages)} | {_mb(row.fetched)} | {_mb(row.size)} | {row.processor:.0f} s | "
            f"{', '.join(row.largest(but=bare if row.extra != BARE else ())) or '–'} |"
            for row in rows
        ),
        "",
        (
            f"`{command}`, {datetime.now(UTC):%Y-%m-%d}, {processor()}, {os.cpu_count()} logical cores, "
            f"load {os.getloadavg()[1]:.0f}, Python {known['Python']}, footnoted {known['footnoted']}."
        ),
    ]
    return "\n".join(lines) + "\n"


def _named(row: Installed) -> str:
    return row.extra if row.extra == BARE else f"`{row.extra}`"


def _mb(size: int) -> str:
    return f"{size / MEGA:.0f} MB"


def write(place: Path, rows: Sequence[Installed]) -> None:
    """The table between the marks of a page, as far as it goes: a run that is stopped leaves what it measured."""
    text = place.read_text(encoding="utf-8")
    written, found = MARKS.subn(lambda m: m[1] + page(rows, "python benchmarks/install_size.py") + m[2], text)
    if not found:
        raise SystemExit(f"{place} has no <!-- measured --> marks to write between")
    place.write_text(written, encoding="utf-8")


def main() -> int:
    """Measure, print, and write if asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--extras", help="only these, separated by commas; none is one of them")
    parser.add_argument("--wheels", type=Path, help="a folder that keeps what was fetched for the next run")
    parser.add_argument("--write", type=Path, help="a page with the marks to write between")
    given = parser.parse_args()
    chosen = given.extras.split(",") if given.extras else extras()
    heading("What each extra brings", versions("footnoted", "pip"))
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        wheels = (given.wheels or folder / "wheels").resolve()
        wheels.mkdir(exist_ok=True)
        run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "-o", folder, CHECKOUT)
        wheel = next(folder.glob("footnoted-*.whl"))
        rows = []
        for extra in chosen:
            rows.append(measured(extra, wheel, wheels, folder))
            print(f"{extra}: {len(rows[-1].packages)} packages, {rows[-1].seconds:.1f} s", file=sys.stderr, flush=True)
            shutil.rmtree(folder / extra)
            if given.write:
                write(given.write, rows)
    columns = ("extra", "packages", "fetched", "installed", "processor", "clock")
    table(
        columns,
        [
            (r.extra, str(len(r.packages)), _mb(r.fetched), _mb(r.size), f"{r.processor:.1f} s", f"{r.seconds:.1f} s")
            for r in rows
        ],
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
