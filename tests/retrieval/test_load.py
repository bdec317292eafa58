"""Folders and files: everything readable is read, everything else gets a word."""

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest

from footnoted.errors import SourceError
from footnoted.retrieval import load
from tests.retrieval.paper import paragraphs, pdf


@contextmanager
def as_nobody():
    """Without the rights of root, when the tests run as root: it may read everything."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


@pytest.fixture
def open_folder():
    """A folder that everybody may enter."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


def files(loaded) -> list[str]:
    return [document.path for document in loaded.documents]


def reasons(loaded) -> dict[str, str]:
    return {problem.path: problem.reason for problem in loaded.problems}


def test_a_folder_is_read_in_the_order_of_names(tmp_path):
    """Every known ending, in every subfolder, whatever its case; paths are relative to the folder."""
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "deep.TXT").write_text("Deep words.")
    (tmp_path / "a.md").write_text("# A\n\nWords.")
    (tmp_path / "c.html").write_text("<p>Web words.</p>")
    (tmp_path / "d.pdf").write_bytes(pdf(paragraphs("Printed words.")))
    loaded = load(tmp_path)
    assert files(loaded) == ["a.md", "b/deep.TXT", "c.html", "d.pdf"]
    assert loaded.problems == []
    assert [source.text for source in loaded.sources] == ["Words.", "Deep words.", "Web words.", "Printed words."]


def test_one_bad_file_stops_nothing(tmp_path):
    """Each file that cannot be read is listed with its reason; the others are read."""
    (tmp_path / "good.md").write_text("Words.")
    (tmp_path / "empty.md").write_text(" \n")
    (tmp_path / "binary.txt").write_bytes(b"\x00\x01\x02 some \x00")
    (tmp_path / "broken.docx").write_bytes(b"PK\x03\x04 not really")
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.4 not really")
    (tmp_path / "scan.pdf").write_bytes(pdf([]))
    (tmp_path / "signs.txt").write_text("*** --- ***")
    (tmp_path / "title.md").write_text("# Title only\n")
    loaded = load(tmp_path)
    assert files(loaded) == ["good.md"]
    told = reasons(loaded)
    assert told.keys() == {"empty.md", "binary.txt", "broken.docx", "broken.pdf", "scan.pdf", "signs.txt", "title.md"}
    assert "empty" in told["empty.md"]
    assert "binary" in told["binary.txt"]
    assert "damaged" in told["broken.docx"]
    assert "damaged" in told["broken.pdf"]
    assert "OCR" in told["scan.pdf"]
    assert "no words" in told["signs.txt"]
    assert "headings only" in told["title.md"]


def test_files_over_the_limit_are_named_with_both_sizes(tmp_path):
    """The limit is the caller's; the message tells the size and the limit."""
    (tmp_path / "big.txt").write_text("word " * 1_000_000)
    (tmp_path / "small.txt").write_text("word")
    loaded = load(tmp_path, limit_bytes=1_048_576)
    assert files(loaded) == ["small.txt"]
    assert reasons(loaded)["big.txt"] == "is too large: 4.8 MB, and the limit is 1.0 MB a file"


def test_a_sparse_giant_is_refused_without_reading_it(tmp_path):
    """Fifty megabytes and more are refused by default, at once."""
    with (tmp_path / "huge.txt").open("wb") as file:
        file.truncate(10 * 1024**3)
    with pytest.raises(SourceError, match=r"huge\.txt is too large: 10240\.0 MB, and the limit is 50\.0 MB"):
        load(tmp_path)


def test_hidden_files_are_left_alone_and_unknown_ones_counted(tmp_path):
    """Dot files and folders are not mentioned; unknown endings are counted."""
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "notes.md").write_text("Words.")
    (tmp_path / ".hidden.md").write_text("Words.")
    (tmp_path / "a.md").write_text("Words.")
    (tmp_path / "photo.jpg").write_bytes(b"\xff\xd8")
    (tmp_path / "photo2.JPG").write_bytes(b"\xff\xd8")
    (tmp_path / "LICENCE").write_text("Words.")
    loaded = load(tmp_path)
    assert files(loaded) == ["a.md"]
    assert loaded.skipped == {".jpg": 2, "no ending": 1}
    assert [problem.path for problem in loaded.unread] == ["LICENCE", "photo.jpg", "photo2.JPG"]
    assert {problem.reason for problem in loaded.passed_over} == {
        "is of a kind that is not read (.jpg)",
        "is of a kind that is not read (no ending)",
    }


def test_a_file_named_outright_is_read_whatever_its_ending(tmp_path):
    """Who names a file means it: hidden, without ending, or with one nobody knows."""
    for name in ("LICENCE", ".notes", "data.log"):
        (tmp_path / name).write_text(f"Words of {name}.")
        assert load(tmp_path / name).sources[0].text == f"Words of {name}."


def test_links_in_a_circle_end(tmp_path):
    """A folder linked into itself is read once, and so is a file with two names."""
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.md").write_text("Words.")
    (tmp_path / "sub" / "up").symlink_to(tmp_path)
    (tmp_path / "sub" / "again.md").symlink_to(tmp_path / "sub" / "a.md")
    (tmp_path / "loop.md").symlink_to(tmp_path / "loop.md")
    (tmp_path / "gone.md").symlink_to(tmp_path / "nowhere")
    loaded = load(tmp_path)
    assert len(loaded.sources) == 1
    assert reasons(loaded).keys() == {"loop.md", "gone.md"}


def test_a_link_keeps_its_own_name(tmp_path):
    """The ending that tells the format is the link's, as the user sees it."""
    (tmp_path / "blob-1234").write_text("# T\n\n## S\n\nWords.")
    (tmp_path / "policy.md").symlink_to(tmp_path / "blob-1234")
    assert load(tmp_path / "policy.md").sources[0].title == "T › S"


def test_unreadable_files_and_folders_are_reported(open_folder):
    """Missing rights are a problem with a name, not an end."""
    load(Path(__file__).parent / "test_load.py")  # brings in what nobody may not import
    (open_folder / "a.md").write_text("Words.")
    (open_folder / "mine.md").write_text("Secret.")
    (open_folder / "mine.md").chmod(0)
    (open_folder / "vault").mkdir(mode=0)
    with as_nobody():
        loaded = load([open_folder / "a.md", open_folder])
    assert [source.text for source in loaded.sources] == ["Words."]
    assert "permission" in reasons(loaded)["mine.md"]
    assert "permission" in reasons(loaded)["vault"]


def test_pipes_and_devices_are_not_opened(tmp_path):
    """A named pipe would wait for ever; it is reported instead."""
    (tmp_path / "a.md").write_text("Words.")
    os.mkfifo(tmp_path / "pipe.txt")
    assert "not a regular file" in reasons(load(tmp_path))["pipe.txt"]


def test_a_folder_without_readable_files_says_what_is_there(tmp_path):
    """The error lists what was found and which kinds can be read."""
    for name in ("a.jpg", "b.jpg", "c.dwg"):
        (tmp_path / name).write_bytes(b"x")
    (tmp_path / "empty.txt").touch()
    with pytest.raises(SourceError) as caught:
        load(tmp_path)
    for words in ("2 × .jpg", "1 × .dwg", "empty.txt is empty", "Markdown (.md, .mdx)", "Word (.docx)"):
        assert words in str(caught.value)


def test_an_empty_folder_says_so(tmp_path):
    """Nothing at all is told apart from nothing readable."""
    with pytest.raises(SourceError, match="no files"):
        load(tmp_path)


@pytest.mark.parametrize("path", ["nowhere/at/all", "nul\0byte", "x" * 5000])
def test_a_path_that_does_not_exist_is_named(path):
    """A wrong path is an error at once, whatever is wrong with it."""
    with pytest.raises(SourceError):
        load(path)


def test_no_path_at_all_is_an_error():
    """An empty list of paths asks for nothing."""
    with pytest.raises(SourceError, match="no file or folder"):
        load([])


def test_several_paths_are_read_once_each(tmp_path):
    """Overlapping paths give each file once, named from the folder they share."""
    for name in ("x", "y"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "readme.md").write_text(f"Words of {name}.")
    loaded = load([tmp_path / "x", tmp_path / "y", tmp_path / "y" / "readme.md"])
    assert files(loaded) == ["x/readme.md", "y/readme.md"]


def test_progress_counts_every_file(tmp_path):
    """The callback hears of each file once, the unreadable ones too."""
    (tmp_path / "a.md").write_text("Words.")
    (tmp_path / "b.md").write_text("")
    heard: list[tuple[int, int, str]] = []
    load(tmp_path, progress=lambda *step: heard.append(step))
    assert heard == [(1, 2, "a.md"), (2, 2, "b.md")]


def test_names_that_are_no_unicode_are_read(tmp_path):
    """A file whose name is not valid UTF-8 is read like any other."""
    (Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.md"))).write_text("Words.")
    loaded = load(tmp_path)
    assert loaded.sources[0].text == "Words."
    assert loaded.sources[0].title.encode("utf-8")
