"""Finds the files under paths that can be read, and tells what was passed over."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path, PurePath

from footnoted.errors import SourceError

FORMATS = {
    ".md": "markdown",
    ".markdown": "markdown",
    ".mdx": "mdx",
    ".txt": "text",
    ".text": "text",
    ".rst": "rst",
    ".adoc": "asciidoc",
    ".asciidoc": "asciidoc",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".pdf": "pdf",
    ".docx": "docx",
    ".odt": "odt",
    ".epub": "epub",
    ".pptx": "pptx",
    ".xlsx": "sheet",
    ".xlsm": "sheet",
    ".xls": "sheet",
    ".ods": "sheet",
    ".csv": "table",
    ".tsv": "table",
    ".eml": "mail",
    ".ipynb": "notebook",
}
READABLE = (
    "Markdown (.md, .mdx), text (.txt, .rst, .adoc), HTML (.html), PDF (.pdf), Word (.docx), "
    "OpenDocument (.odt, .ods), Excel (.xlsx, .xls), tables (.csv, .tsv), PowerPoint (.pptx), EPUB (.epub), "
    "e-mail (.eml) and notebooks (.ipynb)"
)


@dataclass(frozen=True, slots=True)
class Problem:
    """A file or folder that was asked for and could not be read, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Found:
    """A file to read: where it is, its name relative to what was asked for, its format and its state."""

    where: str
    path: str
    format: str
    size: int
    mtime_ns: int
    ctime_ns: int


@dataclass(slots=True)
class Findings:
    """Files in the order of their names; problems; and the files of a kind that is not read."""

    files: list[Found] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    passed_over: list[Problem] = field(default_factory=list)


def as_paths(paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> list[Path]:
    """One path or several, absolute, in a settled order. Raises `SourceError` for none."""
    several = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    if not several:
        raise SourceError("no file or folder was given; name at least one")
    absolute: set[Path] = set()
    for path in several:
        try:
            absolute.add(_absolute(Path(path).expanduser()))
        except FileNotFoundError:
            raise SourceError(f"{path}: there is no such file or folder") from None
        except (OSError, RuntimeError, ValueError) as error:  # a loop of links, a NUL in the name
            raise SourceError(f"{path}: cannot be opened ({_words(error)})") from None
    return sorted(absolute)


def _absolute(path: Path) -> Path:
    """The path with the links above it followed; a link itself keeps its name, which tells the format."""
    path.stat()
    return path.parent.resolve() / path.name if path.name not in {"", ".."} else path.resolve()


def find(paths: list[Path]) -> Findings:
    """Every readable file at or under ``paths``, hidden ones and repeated ones left out.

    A file named outright is taken whatever its ending. A folder reached twice through links is read once.
    """
    findings = Findings()
    base = _base(paths)
    seen: set[tuple[int, int]] = set()
    for path in paths:
        try:
            status = path.stat()
        except OSError as error:
            findings.problems.append(Problem(str(path), f"cannot be opened ({_words(error)})"))
            continue
        if stat.S_ISDIR(status.st_mode):
            _walk(str(path), base, findings, seen)
        else:
            _take(str(path), base, status, findings, seen, named=True)
    findings.files.sort(key=lambda found: found.path)
    findings.passed_over.sort(key=lambda problem: problem.path)
    return findings


def ending_of(path: str) -> str:
    """A file's ending in lower case, its dot included; empty when it has none."""
    return PurePath(path).suffix.lower()


def endings_of(problems: Iterable[Problem]) -> Counter[str]:
    """How many files of each ending these are."""
    return Counter(ending_of(problem.path) or "no ending" for problem in problems)


def _base(paths: list[Path]) -> str:
    folders = [str(path if path.is_dir() else path.parent) for path in paths]
    try:
        return os.path.commonpath(folders)
    except ValueError:  # different drives
        return ""


def _walk(folder: str, base: str, findings: Findings, seen: set[tuple[int, int]]) -> None:
    waiting = [folder]
    while waiting:
        here = waiting.pop()
        try:
            status = Path(here).stat()
            mark = (status.st_dev, status.st_ino)
            if mark in seen:
                continue
            seen.add(mark)
            with os.scandir(here) as entries:
                inside = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            findings.problems.append(Problem(_relative(here, base), f"the folder cannot be opened ({_words(error)})"))
            continue
        for entry in inside:
            if entry.name.startswith("."):
                continue
            try:
                status = entry.stat()
            except OSError as error:  # a link to nowhere, or in a circle
                if ending_of(entry.name) in FORMATS:
                    reason = f"cannot be opened ({_words(error)})"
                    findings.problems.append(Problem(_relative(entry.path, base), reason))
                continue
            if stat.S_ISDIR(status.st_mode):
                waiting.append(entry.path)
            else:
                _take(entry.path, base, status, findings, seen, named=False)


def _take(
    where: str, base: str, status: os.stat_result, findings: Findings, seen: set[tuple[int, int]], *, named: bool
) -> None:
    ending = ending_of(where)
    path = _relative(where, base)
    if ending not in FORMATS and not named:
        findings.passed_over.append(Problem(path, f"is of a kind that is not read ({ending or 'no ending'})"))
        return
    if not stat.S_ISREG(status.st_mode):
        findings.problems.append(Problem(path, "is not a regular file (a device, pipe or socket)"))
        return
    mark = (status.st_dev, status.st_ino)
    if mark in seen and mark != (0, 0):
        return
    seen.add(mark)
    kind = FORMATS.get(ending, "text")
    findings.files.append(Found(where, path, kind, status.st_size, status.st_mtime_ns, status.st_ctime_ns))


def _relative(where: str, base: str) -> str:
    relative = os.path.relpath(where, base) if base else where
    return relative.replace(os.sep, "/").encode("utf-8", "replace").decode("utf-8")


def _words(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error) or type(error).__name__).lower()
