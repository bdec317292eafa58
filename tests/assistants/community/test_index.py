"""The index: made from folders and pages, edited by people, and only done again where something changed."""

import asyncio
import ipaddress
import shutil
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from footnoted.assistants.community import AIClient, KnowledgeBase
from footnoted.assistants.community.artifact import Entry, read_entries, written
from footnoted.assistants.community.indexing import Manners, build_index, fetch
from footnoted.errors import ProviderUnavailable, SourceError
from footnoted.fetching import is_public
from tests.tables import every

from .conftest import EXAMPLE

LOCAL = Manners(http=True, private=True, pause=0.01, seconds=5)
PAGE = "<html><head><title>Opening hours</title></head><body><h1>Opening hours</h1><p>The depot opens at nine.</p></body></html>"


@pytest.fixture
def docs(tmp_path):
    shutil.copytree(EXAMPLE / "docs", tmp_path / "docs")
    return tmp_path / "docs"


def summaries(told):
    async def summarise(source_id, text):
        told.append(source_id)
        if "broken" in source_id:
            raise ProviderUnavailable("the model is away")
        return f"Covers {source_id}."

    return summarise


async def test_only_what_changed_is_done_again_and_edits_stay(docs, tmp_path):
    """A summary somebody edited is kept until its source changes; a deleted section and a gone file are followed."""
    out, told = tmp_path / "index.md", []
    await build_index([docs], [], out, summarise=summaries(told))
    assert sorted(told) == ["market.md", "repairs.html", "rules.md", "welcome.md"]
    out.write_text(out.read_text("utf-8").replace("Covers rules.md.", "How we treat one another."), "utf-8")
    told.clear()
    again = await build_index([docs], [], out, summarise=summaries(told))
    assert told == []
    assert "How we treat one another." in out.read_text("utf-8")
    assert len(again.kept) == 4
    (docs / "market.md").write_text("# The market\n\nOffers stay up for 20 days.\n", "utf-8")
    (docs / "welcome.md").unlink()
    changed = await build_index([docs], [], out, summarise=summaries(told))
    assert told == ["market.md"]
    assert changed.gone == ["welcome.md"]
    assert "welcome.md" not in out.read_text("utf-8")


async def test_a_source_that_fails_is_named_and_the_rest_is_kept(docs, tmp_path):
    """An empty file, a broken PDF, a model that is away for one of them."""
    (docs / "empty.md").write_text("", "utf-8")
    (docs / "damaged.pdf").write_bytes(b"%PDF-1.4 nothing")
    (docs / "broken.md").write_text("# Broken\n\nThe model fails here.\n", "utf-8")
    done = await build_index([docs], [], tmp_path / "index.md", summarise=summaries([]))
    assert set(done.failed) == {"empty.md", "damaged.pdf", "broken.md"}
    assert len(done.entries) == 4
    with pytest.raises(SourceError, match="no source could be read"):
        await build_index([docs / "empty.md"], [], tmp_path / "other.md", summarise=summaries([]))


async def test_a_section_written_by_hand_keeps_its_words(docs, tmp_path):
    """Somebody adds a source with a location and a summary; the hash is filled in, the words stay."""
    out = tmp_path / "index.md"
    out.write_text("# Index\n\n## prices\n\n- location: docs/market.md\n\nWhat things cost.\n", "utf-8")
    await build_index([], [], out, summarise=summaries([]))
    (entry,) = read_entries(out.read_text("utf-8"))
    assert entry.id == "prices"
    assert entry.summary == "What things cost."
    assert len(entry.sha256) == 64
    loaded = await KnowledgeBase.open(out).load("prices")
    assert any("Lantern takes no fee" in passage.text for passage in loaded.passages)


def test_the_artifact_reads_back_what_it_wrote():
    """Ids, titles and summaries of any words, headings in a summary defused."""
    entries = [
        Entry("a b/ü.md", "Title: with - marks", "docs/ü.md", "0" * 64, "One.\n## Not a section\nTwo."),
        Entry("https://example.org/x?y=1#z", "X", "https://example.org/x?y=1#z", "1" * 64, "Three.", "https://e.org"),
    ]
    back = read_entries(written(entries))
    assert [one.id for one in back] == [one.id for one in entries]
    assert back[0].title == "Title: with - marks"
    assert "Two." in back[0].summary
    assert back[1] == entries[1]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("## a\n\nno location\n", "line 1"),
        ("## a\n- location: x\n\n## a\n- location: y\n", "line 4: the id 'a' stands twice"),
    ],
)
def test_a_broken_artifact_is_told_with_its_line(text, words):
    """Whoever edited it finds the place."""
    with pytest.raises(SourceError, match=words):
        read_entries(text)


async def test_nothing_but_the_index_is_ever_read(knowledge):
    """An id that is not in the index loads nothing, whatever path it spells."""
    for id_ in ("../config.yaml", "/etc/passwd", "nowhere", ""):
        with pytest.raises(SourceError, match="not in the index"):
            await knowledge.load(id_)


@asynccontextmanager
async def site(routes):
    """Pages on loopback: path → text, or a function of the request."""
    seen = []

    async def answer(request):
        seen.append(request.path)
        route = routes[request.path]
        if callable(route):
            return await route(request)
        return web.Response(text=route, content_type="text/html")

    app = web.Application()
    app.router.add_get("/{path:.*}", answer)
    runner = web.AppRunner(app, shutdown_timeout=0.5)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}", seen
    finally:
        await runner.cleanup()


async def test_a_page_is_fetched_kept_and_answered_from(tmp_path):
    """A URL becomes a source; its text is kept beside the index, so a reply needs no network."""
    async with site({"/hours": PAGE}) as (url, _), AIClient() as client:

        async def summarise(id_, text):
            return await client.summarize_for_kb_index(id_, text, 30)

        done = await build_index([], [f"{url}/hours"], tmp_path / "index.md", summarise=summarise, manners=LOCAL)
    assert done.entries[0].title == "Opening hours"
    loaded = await KnowledgeBase.open(tmp_path / "index.md").load(f"{url}/hours")
    assert "opens at nine" in loaded.passages[0].text


async def test_private_addresses_are_refused_at_every_hop(tmp_path):
    """By number, by name, and behind a redirect; nothing is sent to them."""
    async with site({"/hours": PAGE}) as (url, seen):
        port = url.rsplit(":", 1)[1]
        for where in (url, f"http://localhost:{port}", f"http://[::1]:{port}", f"http://2130706433:{port}"):
            with pytest.raises(SourceError):
                await fetch(f"{where}/hours", Manners(http=True, seconds=5))
        assert seen == []
        with pytest.raises(SourceError, match="https"):
            await fetch(f"{url}/hours", Manners(private=True))
        for bad in (
            "file:///etc/passwd",
            "ftp://example.org/x",
            "https://user:pw@example.org/",
            "https://",
            "nonsense",
        ):
            with pytest.raises(SourceError):
                await fetch(bad, Manners())


async def test_a_redirect_is_looked_at_like_the_first_address():
    """To another scheme, to a private address, in a circle: refused with the reason."""

    def to(place):
        async def redirect(_):
            raise web.HTTPFound(place)

        return redirect

    async with site({"/a": to("/b"), "/b": PAGE, "/file": to("file:///etc/passwd"), "/circle": to("/circle")}) as (
        url,
        seen,
    ):
        page = await fetch(f"{url}/a", LOCAL)
        assert page.url == f"{url}/b"
        with pytest.raises(SourceError, match="file"):
            await fetch(f"{url}/file", LOCAL)
        with pytest.raises(SourceError, match="redirects more than 5 times"):
            await fetch(f"{url}/circle", LOCAL)
        assert seen.count("/circle") == 6


async def test_a_page_is_bounded_in_size_time_and_kind():
    """Too large, too slow, a status, a kind that is no text: each a reason, none a hang."""

    async def large(_):
        return web.Response(body=b"x" * 200_000, content_type="text/html")

    async def slow(_):
        await asyncio.sleep(30)

    async def gone(_):
        return web.Response(status=410)

    async def image(_):
        return web.Response(body=b"x", content_type="image/png")

    async with site({"/large": large, "/slow": slow, "/gone": gone, "/image": image}) as (url, _):
        strict = Manners(http=True, private=True, seconds=1, most_bytes=100_000)
        for path, words in (("large", "larger"), ("slow", "within 1 s"), ("gone", "410"), ("image", "image/png")):
            with pytest.raises(SourceError, match=words):
                await fetch(f"{url}/{path}", strict)


@every(
    ("address", "public"),
    [
        ("93.184.216.34", True),
        ("2606:2800:220:1::1", True),
        ("127.0.0.1", False),
        ("10.1.2.3", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("0.0.0.0", False),
        ("224.0.0.1", False),
        ("::1", False),
        ("fe80::1", False),
        ("fd00::1", False),
        ("::ffff:127.0.0.1", False),
        ("64:ff9b::7f00:1", False),
        ("2002:7f00:1::", False),
    ],
)
def test_what_is_public_is_told_behind_every_form(address, public):
    """Loopback, private, link-local, shared, mapped and translated addresses are not."""
    assert is_public(ipaddress.ip_address(address)) is public
