"""AsciiDoc as people write it: what belongs to an item of a list stays with it, and titles may be underlined."""

from __future__ import annotations

import pytest

from footnoted.retrieval.load import parse

LISTS = """git-stash(1)
============

OPTIONS
-------
-k::
--keep-index::
	All changes already
	added stay. See linkgit:git-add[1].
+
For example:
+
----
$ git stash -k
----
+
It goes on.

--expire <time>::

  A time. These are known:
+
--
* `now`: at once
** not later

* never
--
pop::
. First
. Second
+
   a
     b
. Third

Not of the list.
"""
READ_OF_LISTS = """# git-stash(1)

## OPTIONS

- -k, --keep-index: All changes already added stay. See git-add(1). For example:
   ```
   $ git stash -k
   ```
   It goes on.
- --expire <time>: A time. These are known:
   - `now`: at once
      - not later
   - never
- pop:
   1. First
   2. Second
      ```
      a
        b
      ```
   3. Third

Not of the list."""


def read(text: str) -> str:
    return parse(text.encode(), "a.adoc").text.strip()


def test_what_is_attached_to_an_item_stays_with_it():
    """The words of an item, also those attached by a plus, in one line; listings and lists in it under them."""
    assert read(LISTS) == READ_OF_LISTS


def test_a_title_may_be_underlined_and_a_listing_may_be_as_long_as_its_title():
    """A line below of the title's length makes it one; ``.Output`` over a listing names the listing."""
    document = parse(b"Glass\n=====\n\nCover\n~~~~~\n\nIt is covered.\n\n.Output\n-------\nyes\n-------\n", "a.adoc")
    assert document.title == "Glass"
    assert [section.headings for section in document.sections] == [("Cover",)]
    assert "**Output**\n\n```\nyes\n```" in document.text


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("Choose menu:File[Save] or btn:[OK].", "Choose File > Save or OK."),
        ("See xref:a.adoc[], link:b.html[] and mailto:a@b.org[us].", "See a.adoc, b.html and [us](mailto:a@b.org)."),
        ("In {cpp}, `a{plus}b` and \\{name} stand, {unknown} too.", "In C++, `a+b` and {name} stand, {unknown} too."),
        ("See link:b.html[what\nis covered].", "See what\nis covered."),
        ("[source,sh]\nls *x*\ncd y", "```sh\nls *x*\ncd y\n```"),
    ],
)
def test_marks_in_a_line_become_what_a_reader_sees(written, shown):
    """Macros, names that stand for characters, links over two lines, and a paragraph that is code."""
    assert read(written) == shown


def test_a_table_has_the_columns_it_says():
    """One cell a line is a row of several; a letter before a bar is a word's; what is said of a cell is no word."""
    table = '[cols="1,2a"]\n|===\n|Key |Data\n\n|schema|x\n|a\n|2+ is {vbar} or\na|one\n2*|y\n|===\n'
    assert read(table) == (
        "| Key | Data |\n| --- | --- |\n| schema | x |\n| a | 2+ is \\| or |\n| one | y |\n| y |  |"
    ).replace("| y |  |", "| y |")
