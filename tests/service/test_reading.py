"""Where uploads are read: so many at once, one a tenant, and in bounds."""

import asyncio

import pytest

from footnoted.errors import SourceError
from footnoted.service.reading import read_document
from footnoted.service.turns import Turns


async def test_nobodys_files_hold_up_anothers():
    """While one tenant's first file is read its others wait, and another tenant's is read at once."""
    places, begun = Turns(2), []
    done = asyncio.Event()

    async def read(tenant: str, name: str) -> None:
        async with places.take(tenant):
            begun.append(name)
            await done.wait()

    tasks = [asyncio.create_task(read("ada", f"ada-{n}")) for n in range(3)]
    await asyncio.sleep(0)
    tasks.append(asyncio.create_task(read("bob", "bob")))
    for _ in range(10):
        await asyncio.sleep(0)
    assert begun == ["ada-0", "bob"]
    done.set()
    await asyncio.gather(*tasks)
    assert sorted(begun) == ["ada-0", "ada-1", "ada-2", "bob"]


async def test_a_passage_of_a_pdf_is_kept_with_its_rectangles():
    """What a page needs to draw a citation comes with the passage."""
    from tests.retrieval.paper import paragraphs, pdf

    read = await read_document(pdf(paragraphs("The excess is 75 pounds.")), "a.pdf", seconds=60)
    (passage,) = read.take(9)
    (place,) = passage.details["places"]
    assert (place["page"], len(place["box"])) == (1, 4)
    assert passage.text[place["start"] : place["end"]] == "The excess is 75 pounds."


async def test_a_file_that_takes_too_long_is_told():
    """A reading that does not end is ended, and says so."""
    with pytest.raises(SourceError, match=r"takes longer than 0\.01 s to read"):
        await read_document(b"%PDF-1.4" + b"x" * 100_000, "a.pdf", seconds=0.01)
