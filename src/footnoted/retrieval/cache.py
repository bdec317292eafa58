"""The place where the index of a set of paths is kept, whole or not at all, however many processes write.

A kept index is a *generation*: a folder of its own, written under another name, renamed when it is complete,
and named by the small file ``current``, which is replaced in one step. Readers never see half of one.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import sys
import time
import uuid
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

FORMAT = 11  # raise it whenever passages, terms or this layout change: kept indexes are then made anew
_SUMMED = 64 * 1024 * 1024  # bytes of an index up to which its contents, not only sizes, are verified
_STALE = 3600.0  # seconds after which a generation nobody names may be swept away
_DOUBT = 2_000_000_000  # ns: a file touched this shortly before the scan may have changed since, unseen


@dataclass(frozen=True, slots=True)
class Record:
    """What is known of one file: its state when it was read, and what came of it."""

    path: str
    size: int
    mtime_ns: int
    ctime_ns: int
    sha256: str
    title: str
    format: str
    passages: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Manifest:
    """The files a generation holds; ``scanned_ns`` is when their state was taken."""

    scanned_ns: int
    limit_bytes: int
    records: dict[str, Record]

    def surely_same(self, record: Record, size: int, mtime_ns: int, ctime_ns: int) -> bool:
        """Whether a file in this state cannot have changed since; if not, its hash decides."""
        same = (record.size, record.mtime_ns, record.ctime_ns) == (size, mtime_ns, ctime_ns)
        return same and max(mtime_ns, ctime_ns) < self.scanned_ns - _DOUBT


def default_folder() -> Path | None:
    """``$FOOTNOTED_CACHE`` (nothing for ``off``), else the platform's own place for caches, if there is a home."""
    named = os.environ.get("FOOTNOTED_CACHE")
    if named:
        return None if named == "off" else Path(named)
    with contextlib.suppress(RuntimeError):
        if sys.platform == "darwin":
            return Path.home() / "Library" / "Caches" / "footnoted"
        if sys.platform == "win32":
            return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "footnoted" / "Cache"
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "footnoted"
    return None


class Shelf:
    """Where the index of one set of paths is kept."""

    def __init__(self, folder: Path, paths: Sequence[Path]) -> None:
        key = hashlib.sha256("\0".join(map(str, paths)).encode("utf-8", "surrogatepass")).hexdigest()[:24]
        self.folder = folder / key

    def current(self) -> Iterator[tuple[Path, Manifest]]:
        """The generation in force, if there is a sound one; once more if it was replaced meanwhile."""
        seen = ""
        for _ in range(3):
            try:
                name = (self.folder / "current").read_text("ascii").strip()
            except (OSError, ValueError):
                return
            if name == seen or not name.isalnum():
                return
            seen = name
            manifest = _read_manifest(self.folder / name)
            if manifest is not None:
                yield self.folder / name, manifest

    @contextlib.contextmanager
    def building(self, before: Path | None = None) -> Iterator[Path]:
        """A fresh folder to build a generation in, holding what ``before`` holds; removed when the building fails."""
        place = self.folder / f"new{uuid.uuid4().hex}"
        place.mkdir(parents=True, mode=0o700)
        try:
            if before is not None:
                _share(before, place)
            yield place
        except BaseException:
            shutil.rmtree(place, ignore_errors=True)
            raise

    def publish(self, place: Path, manifest: Manifest) -> Path:
        """Make the generation built in ``place`` the one in force; the one before stays for its readers."""
        _write_manifest(place, manifest, _sums(place))
        final = self.folder / uuid.uuid4().hex
        place.rename(final)
        _replace(self.folder / "current", final.name.encode("ascii"))
        self._sweep(final.name)
        return final

    def confirm(self, place: Path, manifest: Manifest) -> None:
        """Note that the files were found unchanged as of ``manifest.scanned_ns``."""
        with contextlib.suppress(OSError, ValueError, KeyError):
            sums = _manifest_of(place)["sums"]
            _write_manifest(place, manifest, sums)

    def _sweep(self, kept: str) -> None:
        with contextlib.suppress(OSError):
            for entry in os.scandir(self.folder):
                with contextlib.suppress(OSError):
                    old = time.time() - entry.stat().st_mtime > _STALE
                    if entry.name not in {kept, "current"} and old:
                        shutil.rmtree(entry.path, ignore_errors=True)


def _share(before: Path, place: Path) -> None:
    """A generation's files in another folder: segments, which never change, by a second name, the rest as copies."""
    for entry in os.scandir(before):
        if entry.name.startswith("manifest.json") or entry.name.endswith(".lock"):
            continue
        if entry.name.endswith(".json"):
            shutil.copyfile(entry.path, place / entry.name)
            continue
        try:
            os.link(entry.path, place / entry.name)
        except OSError:  # a file system without second names
            shutil.copyfile(entry.path, place / entry.name)


def _read_manifest(place: Path) -> Manifest | None:
    """The manifest of a generation whose every file is as it was written; else nothing."""
    try:
        data = _manifest_of(place)
        if data["format"] != FORMAT or not _sound(place, data["sums"]):
            return None
        records = {values[0]: Record(*values) for values in data["records"]}
        return Manifest(data["scanned_ns"], data["limit_bytes"], records)
    except (OSError, ValueError, KeyError, TypeError, IndexError):
        return None


def _manifest_of(place: Path) -> dict[str, Any]:
    check, _, body = (place / "manifest.json").read_bytes().partition(b"\n")
    if int(check, 16) != zlib.crc32(body):
        raise ValueError("the manifest was damaged")
    data: dict[str, Any] = json.loads(body)
    return data


def _write_manifest(place: Path, manifest: Manifest, sums: object) -> None:
    data = {
        "format": FORMAT,
        "scanned_ns": manifest.scanned_ns,
        "limit_bytes": manifest.limit_bytes,
        "sums": sums,
        "records": [list(asdict(record).values()) for record in manifest.records.values()],
    }
    body = json.dumps(data, ensure_ascii=True, separators=(",", ":")).encode("ascii")
    _replace(place / "manifest.json", f"{zlib.crc32(body):08x}\n".encode("ascii") + body)


def _replace(path: Path, data: bytes) -> None:
    """Write a small file in one step."""
    beside = path.with_name(f"{path.name}-{uuid.uuid4().hex}")
    beside.write_bytes(data)
    beside.replace(path)


def _sums(place: Path) -> dict[str, list[int]]:
    """Name → [size, checksum] of a generation's lasting files."""
    names = sorted(entry.name for entry in os.scandir(place))
    return {name: _sum(place / name) for name in names if not name.startswith((".", "manifest.json"))}


def _sound(place: Path, sums: dict[str, list[int]]) -> bool:
    sizes = {name: (place / name).stat().st_size for name in sums}
    if any(sizes[name] != sums[name][0] for name in sums):
        return False
    return sum(sizes.values()) > _SUMMED or all(_sum(place / name) == sums[name] for name in sums)


def _sum(path: Path) -> list[int]:
    check, size = 0, 0
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            check = zlib.crc32(piece, check)
            size += len(piece)
    return [size, check]
