"""Documents by their address: hosts that are allowed, no way to what is private, bounds of size and time."""

import asyncio

import pytest
from aiohttp import web

from footnoted.errors import ConfigurationError
from footnoted.fetching import is_public
from footnoted.service.faults import Fault
from footnoted.service.fetching import Fetcher
from footnoted.service.settings import Settings, read_settings

PRIVATE = [
    "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "255.255.255.255",
    "224.0.0.1", "::1", "::", "fe80::1", "fc00::1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "192.0.2.1",
]  # fmt: skip
PUBLIC = ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c", "::ffff:93.184.215.14"]


@pytest.fixture
async def site():
    """A site on loopback, and how often each of its paths was asked for."""
    asked = []

    async def serve(request):
        asked.append(request.path)
        if request.path == "/to":
            raise web.HTTPFound(request.query["url"])
        if request.path == "/round":
            raise web.HTTPFound("/round")
        if request.path == "/large":
            return web.Response(body=b"x" * 100_001)
        if request.path == "/poured":
            response = web.StreamResponse()
            await response.prepare(request)
            for _ in range(20):
                await response.write(b"x" * 10_000)
            return response
        if request.path == "/never":
            await asyncio.sleep(60)
        if request.path == "/gone":
            raise web.HTTPNotFound
        return web.Response(text="<h1>Glass</h1><p>The excess is £75.</p>", content_type="text/html")

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", serve)
    runner = web.AppRunner(app, shutdown_timeout=0)
    await runner.setup()
    server = web.TCPSite(runner, "127.0.0.1", 0)
    await server.start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}", asked
    await runner.cleanup()


ANY = range(1, 65_536)  # the site's port is whichever was free


def fetcher(*hosts, seconds=60.0, **more):
    return Fetcher(hosts or ("*",), most=100_000, seconds=seconds, **more)


class Names:
    """What names stand for, a further address each time one is looked up, and which were."""

    def __init__(self, monkeypatch, **addresses):
        self.looked = []
        left = {f"{name}.test": iter(found) for name, found in addresses.items()}

        async def getaddrinfo(host, port, **_):
            self.looked.append(host)
            return [(2, 1, 6, "", (next(left[host]), port))]

        monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", getaddrinfo)


def test_what_is_private_is_told_from_what_is_public():
    """Loopback, private, link-local, shared, reserved, multicast; and IPv4 inside IPv6."""
    assert [each for each in PRIVATE if is_public(each)] == []
    assert [each for each in PUBLIC if not is_public(each)] == []


async def test_a_page_is_fetched_under_its_name(site):
    """Followed where it leads, with an ending that says what it is."""
    url, _ = site
    found = await fetcher(reaches=lambda _: True).fetch(f"{url}/to?url=/policies/glass", ports=ANY)
    assert (found.name, b"75" in found.data) == ("glass.html", True)


@pytest.mark.parametrize("path", ["", "/to?url=http://localhost/"])
async def test_what_is_private_is_never_asked(site, path):
    """By its number, by a name that stands for it, and where a redirect leads to it."""
    url, asked = site
    port = url.rpartition(":")[2]
    hosts = ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1"]
    for host in hosts:
        with pytest.raises(Fault) as refused:
            await fetcher(reaches=is_public).fetch(f"http://{host}:{port}{path}", ports=ANY)
        assert refused.value.status in (403, 502), host
    assert asked == []


async def test_a_redirect_to_what_is_private_is_not_followed(site):
    """The first address may be reached, the second may not: it is not asked."""
    url, asked = site
    one = fetcher(reaches=lambda address: address == "127.0.0.1")
    with pytest.raises(Fault, match="private network"):
        await one.fetch(f"{url}/to?url={url.replace('127.0.0.1', '127.0.0.2')}/secret", ports=ANY)
    assert asked == ["/to"]


async def test_a_redirect_to_a_name_that_is_private_is_not_followed(site, monkeypatch):
    """The first name leads to a public host, which leads on to a name of the service's own network."""
    url, asked = site
    port = url.rpartition(":")[2]
    names = Names(monkeypatch, public=["127.0.0.1"], inside=["10.1.2.3"])
    one = fetcher(reaches=lambda address: address == "127.0.0.1")
    with pytest.raises(Fault, match="private network"):
        await one.fetch(f"http://public.test:{port}/to?url=http://inside.test:{port}/secret", ports=ANY)
    assert (asked, names.looked) == (["/to"], ["public.test", "inside.test"])


async def test_a_name_is_connected_to_where_it_was_looked_up(site, monkeypatch):
    """A name that is public when first looked up and private afterwards is looked up once, and that is connected to."""
    url, asked = site
    port = int(url.rpartition(":")[2])
    names = Names(monkeypatch, rebind=["93.184.215.14", "127.0.0.1", "127.0.0.1"])
    one = Fetcher(["*"], most=1_000, seconds=3, reaches=is_public)
    with pytest.raises(Fault):
        await one.fetch(f"http://rebind.test:{port}/", ports=ANY)
    assert names.looked == ["rebind.test"]
    with pytest.raises(Fault, match="private network"):
        await one.fetch(f"http://rebind.test:{port}/", ports=ANY)
    assert asked == []


async def test_only_the_ports_of_the_web_are_asked(site):
    """80 and 443 unless more are allowed, at first and where a redirect leads; a port of another service is not asked."""
    url, asked = site
    port = int(url.rpartition(":")[2])
    everywhere = fetcher(reaches=lambda _: True)
    for address in (url, "http://127.0.0.1:6379/", "https://example.org:22/", "http://example.org:0/"):
        with pytest.raises(Fault, match=r"port \d+ is not among those this service may ask \(80, 443\)") as refused:
            await everywhere.fetch(address)
        assert refused.value.status == 403
    with pytest.raises(Fault, match=rf"port 9200 is not among .* \({port}\)"):
        await everywhere.fetch(f"{url}/to?url=http://127.0.0.1:9200/_search", ports=[port])
    assert asked == ["/to"]


def test_a_policy_may_widen_the_ports(monkeypatch, tmp_path):
    """For all in the environment or the file, for one tenant in the file."""
    assert Settings().policy_of("any").url_ports == [80, 443]
    monkeypatch.setenv("FOOTNOTED_URL_PORTS", "443, 8443")
    (tmp_path / "footnoted.toml").write_text("[tenants.acme]\nurl_ports = [443, 9000]\n")
    monkeypatch.setenv("FOOTNOTED_SETTINGS", str(tmp_path / "footnoted.toml"))
    settings = read_settings()
    assert settings.policy_of("any").url_ports == [443, 8443]
    assert settings.policy_of("acme").url_ports == [443, 9000]
    monkeypatch.setenv("FOOTNOTED_URL_PORTS", "70000")
    with pytest.raises(ConfigurationError, match="url_ports"):
        read_settings()


async def test_only_hosts_that_are_allowed_are_asked(site):
    """A host and its subdomains; not what merely ends like it, and nothing where none is named."""
    url, asked = site
    for address in ("http://example.org.evil.test/", "http://notexample.org/", url):
        with pytest.raises(Fault, match="not among the hosts") as refused:
            await fetcher("example.org", reaches=lambda _: True).fetch(address, ports=ANY)
        assert refused.value.status == 403
    with pytest.raises(Fault, match="not among the hosts"):
        await Fetcher([], most=1, seconds=1).fetch("https://example.org/")
    assert asked == []


@pytest.mark.parametrize(
    "address", ["ftp://example.org/", "file:///etc/passwd", "https://a:b@example.org/", "https://", "x", "http://[::1"]
)
async def test_what_is_no_web_address_is_said_to_be_none(address):
    """Other schemes, passwords, and no address at all."""
    with pytest.raises(Fault) as refused:
        await fetcher().fetch(address)
    assert refused.value.status == 422


@pytest.mark.parametrize(("path", "status"), [("/large", 413), ("/poured", 413), ("/round", 502), ("/gone", 502)])
async def test_what_is_too_much_is_refused(site, path, status):
    """More bytes than may be, announced or not; a circle; a page that is not there."""
    with pytest.raises(Fault) as refused:
        await fetcher(reaches=lambda _: True).fetch(site[0] + path, ports=ANY)
    assert refused.value.status == status


async def test_an_address_that_never_answers_is_left(site):
    """After the seconds it has."""
    with pytest.raises(Fault) as refused:
        await fetcher(reaches=lambda _: True, seconds=0.5).fetch(f"{site[0]}/never", ports=ANY)
    assert refused.value.status == 504
