"""Bytes become text whatever the encoding, or are refused in words."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from footnoted.errors import SourceError
from footnoted.retrieval.load.decode import decode
from tests.laws import tried

TEXT = "Café, naïve – £75, €3 “quoted”\nบริษัท 保险"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_unicode_is_read_with_and_without_marks(encoding):
    """UTF-8, and UTF-16 and -32 by their byte order mark."""
    assert decode(TEXT.encode(encoding)) == TEXT


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark_is_told_by_its_zero_bytes(encoding):
    """A file saved as UTF-16 without its mark is text, not binary."""
    assert decode("Plain English words".encode(encoding)) == "Plain English words"


def test_a_log_is_read_without_the_colours_of_its_terminal():
    """What stands between them is whole. Any other escape stays, as quotes are the file's own words, and costs no time."""
    coloured = "The fee is \x1b[1;31m£40\x1b[0m, paid \x1b[38;2;9;9;9monce\x1b[m."
    assert decode(coloured.encode()) == "The fee is £40, paid once."
    assert decode(coloured.encode("utf-16")) == "The fee is £40, paid once."
    assert decode(b"\x1b[2J" + b"\x1b[1;" * 50_000) == "\x1b[2J" + "\x1b[1;" * 50_000


def test_windows_latin_is_the_fallback():
    """What is no UTF-8 is read as Windows Latin, pound and curly quotes included."""
    assert decode("Excess: £75 – “approved”".encode("cp1252")) == "Excess: £75 – “approved”"


def test_a_character_cut_at_the_end_does_not_turn_the_file_latin():
    """A UTF-8 file cut inside its last character stays UTF-8."""
    assert decode("£75 für alle ü".encode()[:-1]).startswith("£75 für alle ")


def test_one_slip_does_not_turn_a_thai_file_latin():
    """A single bad byte in a long UTF-8 text costs that byte only."""
    data = ("บริษัทจ่าย " * 40).encode()
    assert "บริษัทจ่าย" in decode(data[:200] + b"\xff" + data[200:])


def test_line_ends_become_one_kind():
    """CRLF and CR are line ends like LF."""
    assert decode(b"a\r\nb\rc\n") == "a\nb\nc\n"


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"\x89PNG\r\n\x1a\n....", "PNG"),
        (b"PK\x03\x04 zipped", "zip"),
        (b"\x7fELF\x02\x01", "program"),
        (b"text then \x00\x00\x00 zero", "zero bytes"),
        (bytes(range(1, 32)) * 20 + b"\xff\xfd\xfc" * 5, "control"),
        (b"\xd0\xcf\x11\xe0old", "Office"),
    ],
)
def test_binary_files_are_refused_by_what_they_are(data, word):
    """The message says what the file is, not that some codec failed."""
    with pytest.raises(SourceError, match=word):
        decode(data)


@tried(150)
@given(st.binary(max_size=300))
def test_any_bytes_are_text_or_a_source_error(data):
    """No bytes make it raise anything else."""
    with contextlib.suppress(SourceError):
        assert isinstance(decode(data), str)
