"""The table of doors says what the tests hold, with the versions they run; `python -m tests.docs.doors` draws it anew."""

from tests.docs.doors import BEGINS, COLUMNS, DOORS, ENDS, ROOT, drawn, named_tests


def test_every_cell_rests_on_a_test_that_is_there():
    assert all(len(cells) == len(COLUMNS) for cells in DOORS.values())
    assert [name for name, there in named_tests().items() if not there] == []
    for cells in DOORS.values():
        assert all("::" in cell or cell.startswith("no: ") for cell in cells)


def test_the_page_shows_it_as_it_is():
    page = (ROOT / "docs/doors.md").read_text(encoding="utf-8")
    shown = page.partition(BEGINS)[2].partition(ENDS)[0].strip()
    assert shown == drawn()
