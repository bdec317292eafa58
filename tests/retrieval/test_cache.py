"""Keeping the index: used again when nothing changed, mended when something did, whole whatever happens."""

import json
import multiprocessing
import os
import shutil
import time
from pathlib import Path

import pytest

from footnoted.errors import SourceError
from footnoted.retrieval import Index, cache


@pytest.fixture
def folder(tmp_path) -> Path:
    """Three small documents, last touched an hour ago."""
    place = tmp_path / "docs"
    place.mkdir()
    for name in ("car", "home", "travel"):
        write(place / f"{name}.md", f"# {name.title()}\n\nThe {name} excess is £75.")
    return place


@pytest.fixture
def kept(tmp_path) -> Path:
    """Where indexes are kept."""
    return tmp_path / "cache"


def write(path: Path, text: str, *, age: float = 3600) -> None:
    path.write_text(text)
    then = time.time() - age
    os.utime(path, (then, then))


def texts(index: Index) -> list[str]:
    return [source.text for source in index.sources()]


def generations(kept: Path) -> list[Path]:
    return [path.parent for path in kept.glob("*/*/manifest.json")]


def current(kept: Path) -> Path:
    (pointer,) = kept.glob("*/current")
    return pointer.parent / pointer.read_text()


def test_an_unchanged_folder_is_not_read_again(folder, kept):
    """The second opening reads no file and finds the same."""
    first = Index.open(folder, cache=kept)
    heard: list[tuple[int, int, str]] = []
    second = Index.open(folder, cache=kept, progress=lambda *step: heard.append(step))
    assert (first.reused, first.read) == (False, 3)
    assert (second.reused, second.read, heard) == (True, 0, [])
    assert first.sources() == second.sources()
    assert first.search("car excess") == second.search("car excess")
    assert second.location == current(kept)


def test_only_changed_files_are_read(folder, kept):
    """A file changed, one added, one gone: two are read, and the index is as if made anew."""
    Index.open(folder, cache=kept)
    write(folder / "car.md", "# Car\n\nThe car excess is £115 now.")
    write(folder / "boat.md", "# Boat\n\nThe boat excess is £20.")
    (folder / "travel.md").unlink()
    heard: list[tuple[int, int, str]] = []
    mended = Index.open(folder, cache=kept, progress=lambda *step: heard.append(step))
    assert (mended.reused, mended.read) == (False, 2)
    assert heard == [(1, 2, "boat.md"), (2, 2, "car.md")]
    anew = Index.open(folder, cache="off")
    assert mended.sources() == anew.sources()
    assert [hit.id for hit in mended.search("excess")] == [hit.id for hit in anew.search("excess")]
    assert Index.open(folder, cache=kept).reused


def test_a_deleted_file_alone_is_noticed(folder, kept):
    """Nothing is quoted from a file that is gone."""
    Index.open(folder, cache=kept)
    (folder / "travel.md").unlink()
    assert Index.open(folder, cache=kept).count == 2


def test_a_touched_file_is_told_by_its_contents(folder, kept):
    """A new date alone costs a hash, not a reading; a changed text of the same size and date is noticed."""
    Index.open(folder, cache=kept)
    os.utime(folder / "car.md", (0, 0))
    assert Index.open(folder, cache=kept).reused
    before = (folder / "car.md").stat()
    (folder / "car.md").write_text("# Car\n\nThe car excess is £99.")
    os.utime(folder / "car.md", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert "The car excess is £99." in texts(Index.open(folder, cache=kept))


def test_a_change_right_after_the_indexing_is_noticed(folder, kept):
    """Two writes within the clock's grain look alike to the file system, not to the index."""
    path = folder / "car.md"
    path.write_text("# Car\n\nThe car excess is £11.")
    Index.open(folder, cache=kept)
    status = path.stat()
    path.write_text("# Car\n\nThe car excess is £22.")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert "The car excess is £22." in texts(Index.open(folder, cache=kept))


def test_problems_are_remembered_and_forgotten(folder, kept):
    """A file that could not be read is told of again without reading it, until it changes."""
    write(folder / "scan.txt", " ")
    for _ in range(2):
        index = Index.open(folder, cache=kept)
        assert [(problem.path, problem.reason) for problem in index.problems] == [("scan.txt", "is empty")]
    assert index.read <= 1
    write(folder / "scan.txt", "Words after all.")
    assert Index.open(folder, cache=kept).problems == []


def test_another_limit_judges_anew(folder, kept):
    """A file refused as too large is read once the limit allows it."""
    write(folder / "long.txt", "word " * 300)
    small = Index.open(folder, cache=kept, limit_bytes=1000)
    assert [problem.path for problem in small.problems] == ["long.txt"]
    assert Index.open(folder, cache=kept).problems == []
    assert len(Index.open(folder, cache=kept, limit_bytes=1000).problems) == 1


def test_sets_of_paths_do_not_mix(folder, kept):
    """Each set of paths has its own index; their order and spelling do not matter."""
    Index.open(folder, cache=kept)
    assert Index.open(folder / "car.md", cache=kept).count == 1
    assert Index.open([folder / "car.md", folder / "home.md"], cache=kept).count == 2
    assert Index.open([folder / "home.md", folder / ".." / "docs" / "car.md"], cache=kept).reused


@pytest.mark.parametrize("damage", ["truncate", "flip", "remove", "manifest", "pointer", "old format", "empty"])
def test_a_damaged_cache_is_made_anew(folder, kept, damage):
    """Whatever happened to the kept files, the answer is right, and the next opening is quick again."""
    expected = Index.open(folder, cache=kept).sources()
    place = current(kept)
    largest = max((path for path in place.iterdir() if path.suffix == ".store"), key=lambda path: path.stat().st_size)
    if damage == "truncate":
        _replace(largest, largest.read_bytes()[: largest.stat().st_size // 2])
    elif damage == "flip":
        data = bytearray(largest.read_bytes())
        data[len(data) // 3] ^= 0xFF
        _replace(largest, data)
    elif damage == "remove":
        largest.unlink()
    elif damage == "manifest":
        (place / "manifest.json").write_text("{not json")
    elif damage == "pointer":
        (place.parent / "current").write_bytes(b"../../etc\xff")
    elif damage == "old format":
        _rewrite_format(place / "manifest.json")
    else:
        shutil.rmtree(place)
        place.mkdir()
    again = Index.open(folder, cache=kept)
    assert again.sources() == expected
    assert not again.reused
    assert Index.open(folder, cache=kept).reused


def _replace(path: Path, data: bytes) -> None:
    """Another file in its place: the first index, still open, has the old one mapped into its memory."""
    other = path.with_name("other")
    other.write_bytes(data)
    other.replace(path)


def _rewrite_format(path: Path) -> None:
    data = json.loads(path.read_bytes().partition(b"\n")[2])
    data["format"] = cache.FORMAT - 1
    body = json.dumps(data).encode()
    path.write_bytes(b"%08x\n" % cache.zlib.crc32(body) + body)


def test_a_place_that_cannot_be_written_keeps_nothing(folder, tmp_path):
    """Without a place to write, the index lives in memory and works the same."""
    (tmp_path / "a file").write_text("in the way")
    for _ in range(2):
        index = Index.open(folder, cache=tmp_path / "a file" / "cache")
        assert (index.count, index.location, index.reused) == (3, None, False)


def test_the_environment_names_the_place(folder, tmp_path, monkeypatch):
    """``FOOTNOTED_CACHE`` moves the cache, ``off`` switches it off, else the platform's folder is used."""
    monkeypatch.setenv("FOOTNOTED_CACHE", str(tmp_path / "named"))
    assert Index.open(folder).location.is_relative_to(tmp_path / "named")
    monkeypatch.setenv("FOOTNOTED_CACHE", "off")
    assert Index.open(folder).location is None
    monkeypatch.delenv("FOOTNOTED_CACHE")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.setattr(cache.sys, "platform", "linux")
    assert Index.open(folder).location.is_relative_to(tmp_path / "xdg" / "footnoted")


def test_what_is_kept_is_private(folder, kept):
    """The kept texts are for their owner only."""
    Index.open(folder, cache=kept)
    assert current(kept).stat().st_mode & 0o077 == 0


def test_an_interrupted_building_leaves_nothing_behind(folder, kept):
    """A building broken off in the middle is cleared away, and the next one is whole."""

    def stop(_done: int, _total: int, _path: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Index.open(folder, cache=kept, progress=stop)
    assert generations(kept) == []
    assert Index.open(folder, cache=kept).count == 3


def test_a_reader_keeps_its_index_while_others_replace_it(folder, kept):
    """An index that is open answers as before, though newer generations took its place."""
    reader = Index.open(folder, cache=kept)
    write(folder / "car.md", "# Car\n\nThe car excess is £115 now.")
    Index.open(folder, cache=kept)
    for generation in generations(kept):
        if generation == reader.location:
            shutil.rmtree(generation)
    assert reader.search("car excess")[0].text == "The car excess is £75."


def test_old_generations_are_swept(folder, kept):
    """What no pointer names and nobody touched for an hour goes at the next building."""
    Index.open(folder, cache=kept)
    old = current(kept)
    os.utime(old, (time.time() - 7200,) * 2)
    write(folder / "car.md", "# Car\n\nNew.")
    Index.open(folder, cache=kept)
    assert generations(kept) == [current(kept)]


def test_a_folder_with_nothing_readable_raises_every_time(tmp_path, kept):
    """The kept index of nothing does not turn the error into silence."""
    place = tmp_path / "docs"
    place.mkdir()
    (place / "empty.md").touch()
    for _ in range(2):
        with pytest.raises(SourceError, match=r"empty\.md is empty"):
            Index.open(place, cache=kept)


def _open_often(folder: str, kept: str, number: int, seen: "multiprocessing.Queue[object]") -> None:
    try:
        for turn in range(6):
            Path(folder, f"mine{number}.md").write_text(f"# Mine\n\nTurn {turn} of process {number}.")
            index = Index.open(folder, cache=kept)
            found = index.search(f"turn process {number}", 50)
            seen.put(any(f"Turn {turn} of process {number}." == hit.text for hit in found))
    except BaseException as error:
        seen.put(repr(error))


def test_processes_that_open_at_once_do_not_harm_each_other(folder, kept):
    """Three processes write files and open the same cache at once; each finds its own words every time."""
    context = multiprocessing.get_context("spawn")
    seen = context.Queue()
    crowd = [context.Process(target=_open_often, args=(str(folder), str(kept), n, seen)) for n in range(3)]
    for process in crowd:
        process.start()
    outcomes = [seen.get(timeout=60) for _ in range(18)]
    for process in crowd:
        process.join(timeout=60)
    assert outcomes == [True] * 18
    assert Index.open(folder, cache=kept).sources() == Index.open(folder, cache="off").sources()
