"""The index artifact: Markdown people can read and edit, one summarised entry a source."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from footnoted.errors import SourceError
from footnoted.inert import on_one_line

LARGEST = 20_000_000  # bytes
_OPENING = """# Knowledge base index

One section a source; the heading is its id. `footnoted index` writes this file and does again only what changed, so
a summary or title you edit stays until its source changes. Delete a section to have it summarised anew.
"""
_FIELD = re.compile(r"- (title|location|link|sha256): ?(.*)")


@dataclass(frozen=True, slots=True)
class Entry:
    """One source. ``location`` is a URL, or a file relative to the artifact; ``link`` is what readers may open.

    ``sha256`` is of the source's bytes when the summary was made; empty where somebody wrote the entry by hand.
    """

    id: str
    title: str
    location: str
    sha256: str
    summary: str
    link: str = ""

    @property
    def remote(self) -> bool:
        """Whether the source is fetched rather than read from a file."""
        return self.location.startswith(("https://", "http://"))


def written(entries: Iterable[Entry]) -> str:
    """The artifact's text, entries in the order of their ids."""
    sections = [_OPENING]
    for entry in sorted(entries, key=lambda entry: entry.id):
        fields = {"title": entry.title, "location": entry.location, "link": entry.link, "sha256": entry.sha256}
        lines = [f"- {name}: {on_one_line(value)}" for name, value in fields.items() if value]
        # A line that looks like a heading would open a section.
        summary = re.sub(r"(?m)^(?=#)", " ", entry.summary.strip())
        sections.append("\n".join((f"## {on_one_line(entry.id)}", "", *lines, "", summary, "")))
    return "\n".join(sections)


def read_entries(text: str, name: str = "the index") -> list[Entry]:
    """The entries of an artifact. Raises `SourceError` naming the line of what cannot be read."""
    entries: list[Entry] = []
    lines = text.splitlines()
    heads = [number for number, line in enumerate(lines) if line.startswith("## ")]
    for head, end in zip(heads, [*heads[1:], len(lines)], strict=True):
        id_ = lines[head][3:].strip()
        fields: dict[str, str] = {}
        at = head + 1
        while at < end and (not lines[at].strip() or _FIELD.fullmatch(lines[at].rstrip())):
            if found := _FIELD.fullmatch(lines[at].rstrip()):
                fields[found[1]] = found[2].strip()
            at += 1
        if any(entry.id == id_ for entry in entries):
            raise SourceError(f"{name}, line {head + 1}: the id {id_!r} stands twice; give each source its own")
        if not fields.get("location"):
            raise SourceError(f"{name}, line {head + 1}: {id_!r} has no '- location: …' line, a file or a URL")
        summary = "\n".join(lines[at:end]).strip()
        title, location = fields.get("title", ""), fields["location"]
        entries.append(Entry(id_, title or id_, location, fields.get("sha256", ""), summary, fields.get("link", "")))
    return entries


def open_entries(path: Path) -> list[Entry]:
    """The entries of an artifact on disk. Raises `SourceError`."""
    try:
        if path.stat().st_size > LARGEST:
            raise SourceError(f"{path} is larger than an index can be ({LARGEST:,} bytes)")
        return read_entries(path.read_text("utf-8"), str(path))
    except FileNotFoundError:
        raise SourceError(
            f"{path}: there is no index yet; make one with: footnoted index FOLDER -o {path.name}"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"{path} cannot be read: {error}") from None
