"""Pages of strangers: what may be asked for, by whom it is answered, and what it may cost."""

import ipaddress
import shutil
import ssl
import subprocess
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from web_server import QUICK, Served, Waits, WebServer, article, packed, redirect

from refchecker.retriever.google.addresses import Guard, NoPage, is_public, target_of
from refchecker.retriever.google.fetch import USER_AGENT, fetch
from refchecker.retriever.google.web import Web

BERN = article("Bern", "Bern is the capital of Switzerland.", "The Aare flows around its old town.")
GZIP = {"Content-Encoding": "gzip"}


@pytest.fixture
def web():
    with WebServer({"a.test/bern": BERN}) as web:
        yield web


@pytest.fixture
def inside():
    """A server of the local network: whoever comes here has been led astray."""
    with WebServer(
        {"a.test/bern": article("Secret", "The password of the database is swordfish.")}, "127.0.0.2"
    ) as web:
        yield web


def reader(web: WebServer, **options) -> Web:
    options.setdefault("sleep", Waits())
    return Web(guard=Guard(loopback=True, resolve=web.resolve), limits=QUICK, **options)


def cause(read, url: str) -> str:
    with pytest.raises(NoPage) as raised:
        read(url)
    return raised.value.cause


# ---- addresses ----


@pytest.mark.parametrize(
    "address",
    [
        "9.9.9.9",
        "93.184.216.34",
        "2606:2800:220:1::1",
        "64:ff9b::5db8:d822",
        "172.32.0.1",
        "100.128.0.1",
    ],
)
def test_public_addresses(address):
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        pytest.param("127.0.0.1", id="loopback"),
        pytest.param("127.8.8.8", id="loopback elsewhere"),
        pytest.param("0.0.0.0", id="unspecified"),
        pytest.param("10.1.2.3", id="private 10"),
        pytest.param("172.16.0.1", id="private 172.16"),
        pytest.param("172.31.255.255", id="private 172.31"),
        pytest.param("192.168.1.1", id="private 192.168"),
        pytest.param("169.254.169.254", id="metadata of most clouds"),
        pytest.param("169.254.170.2", id="metadata of containers"),
        pytest.param("168.63.129.16", id="metadata of Azure"),
        pytest.param("100.100.100.200", id="metadata of Alibaba"),
        pytest.param("192.0.0.192", id="metadata of Oracle"),
        pytest.param("fd00:ec2::254", id="metadata of AWS over IPv6"),
        pytest.param("100.64.0.1", id="carrier"),
        pytest.param("192.0.2.1", id="documentation"),
        pytest.param("198.18.0.1", id="benchmarks"),
        pytest.param("224.0.0.1", id="multicast"),
        pytest.param("239.1.1.1", id="multicast, own"),
        pytest.param("240.0.0.1", id="reserved"),
        pytest.param("255.255.255.255", id="broadcast"),
        pytest.param("::1", id="loopback 6"),
        pytest.param("::", id="unspecified 6"),
        pytest.param("fe80::1", id="link-local"),
        pytest.param("fe80::1%eth0", id="link-local with its interface"),
        pytest.param("2606:2800:220:1::1%eth0", id="public with an interface"),
        pytest.param("fc00::1", id="unique local"),
        pytest.param("fec0::1", id="site-local"),
        pytest.param("ff02::1", id="multicast 6"),
        pytest.param("2001:db8::1", id="documentation 6"),
        pytest.param("::ffff:127.0.0.1", id="IPv4 loopback in IPv6"),
        pytest.param("::ffff:9.9.9.9", id="even a public IPv4 in IPv6"),
        pytest.param("::ffff:0:127.0.0.1", id="IPv4 translated"),
        pytest.param("::127.0.0.1", id="IPv4 compatible"),
        pytest.param("2002:7f00:1::", id="6to4 of loopback"),
        pytest.param("2002:a00:1::", id="6to4 of a private one"),
        pytest.param("2001:0:53aa:64c::1", id="Teredo"),
        pytest.param("64:ff9b::7f00:1", id="NAT64 of loopback"),
        pytest.param("64:ff9b::a9fe:a9fe", id="NAT64 of metadata"),
        pytest.param("64:ff9b:1::1", id="local NAT64"),
        pytest.param("100::1", id="discard"),
        pytest.param("5f00::1", id="segment routing"),
        pytest.param("bern.example", id="no address"),
    ],
)
def test_addresses_that_are_not_public(address):
    assert not is_public(address)


@given(st.ip_addresses())
def test_no_address_of_a_machine_or_a_local_network_is_public(address):
    if address.is_private or address.is_loopback or address.is_link_local or address.is_multicast:
        assert not is_public(str(address))


@given(st.ip_addresses(v=4), st.sampled_from(["::ffff:0:0", "64:ff9b::", "::"]))
def test_an_ipv4_address_is_no_more_public_in_ipv6(address, prefix):
    disguised = ipaddress.IPv6Address(int(ipaddress.IPv6Address(prefix)) | int(address))
    assert is_public(str(address)) or not is_public(str(disguised))


@pytest.mark.parametrize(
    ("url", "plain"),
    [
        ("http://A.test", "http://a.test/"),
        ("https://a.test:443/x?y=1#z", "https://a.test/x?y=1"),
        ("http://a.test:443/", "http://a.test:443/"),
        ("http://a.test./x", "http://a.test/x"),
        ("http://a.test/a%20b c", "http://a.test/a%20b%20c"),
        ("http://a.test?q=1", "http://a.test/?q=1"),
        ("http://bücher.test/ü", "http://xn--bcher-kva.test/%C3%BC"),
        ("http://[2606:2800:220:1::1]/", "http://[2606:2800:220:1::1]/"),
        ("http://a.test//b", "http://a.test//b"),
    ],
)
def test_urls_in_plain_form(url, plain):
    assert target_of(url).url == plain
    assert target_of(plain).url == plain


@pytest.mark.parametrize(
    "url",
    [
        "ftp://a.test/", "file:///etc/passwd", "gopher://a.test/", "javascript:alert(1)", "//a.test/",
        "a.test", "",
        "http://", "http:///x", "http://user@a.test/", "http://user:secret@a.test/", "http://:@a.test/",
        "http://a.test:99999/", "http://a.test:x/", "http://a.test/\r\nHost: b.test", "http://a.test/\x00",
        "http://[::1",
        "http://a.test\\@b.test/", "http://a.test/" + "x" * 3000, "data:text/html,x", "http://\u2028.test/",
    ],
)  # fmt: skip
def test_what_is_no_web_address(url):
    with pytest.raises(NoPage) as raised:
        target_of(url)
    assert raised.value.cause == "not a web address"
    assert "secret" not in str(raised.value)


# ---- the guard ----


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "localhost", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "0", "0.0.0.0", "[::1]",
     "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]"],
)  # fmt: skip
def test_by_default_no_name_of_this_machine_is_asked(web, host):
    assert cause(Web(sleep=Waits()), f"http://{host}:{web.port}/bern") in (
        "not a public address",
        "host not found",
    )
    assert web.log == []


def test_the_switch_for_tests_lets_only_loopback_through(web, inside):
    read = reader(web)
    assert read(web.url("a.test/bern")).title == "Bern"
    for address in ("10.0.0.1", "127.0.0.2", "169.254.169.254", "[fe80::1]"):
        assert cause(read, f"http://{address}:{inside.port}/bern") == "not a public address"
    assert inside.log == []


def test_a_host_that_has_a_private_address_beside_a_public_one_is_not_asked(web):
    guard = Guard(resolve=lambda host, port: ["93.184.216.34", "127.0.0.1"])
    assert cause(Web(guard=guard, sleep=Waits()), web.url("a.test/bern")) == "not a public address"
    assert web.log == []


def test_an_address_that_nobody_answers_at_is_followed_by_the_next(web):
    guard = Guard(loopback=True, resolve=lambda host, port: ["::1", "127.0.0.1"])
    assert fetch(web.url("a.test/bern"), guard, QUICK).status == 200


def test_odd_ports_are_not_asked():
    guard = Guard(resolve=lambda host, port: ["93.184.216.34"])
    for port in (22, 25, 6379, 9200):
        assert cause(Web(guard=guard), f"http://a.test:{port}/") == "not a web address"


def test_the_address_that_was_checked_is_the_one_that_is_asked(web, inside):
    """DNS rebinding: the name means the web when it is checked, and a server inside ever after."""
    asked = []

    def resolve(host, port):
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["127.0.0.2"]

    both = {web.port: web, inside.port: inside}
    assert len(both) == 2
    answer = fetch(web.url("a.test/bern"), Guard(loopback=True, resolve=resolve), QUICK)
    assert b"capital of Switzerland" in answer.body
    assert (asked, web.log, inside.log) == (["a.test"], ["a.test/bern"], [])


def test_a_name_that_changes_between_robots_txt_and_the_page_is_checked_again(web, inside):
    addresses = iter(["127.0.0.1", "127.0.0.2"])
    guard = Guard(loopback=True, resolve=lambda host, port: [next(addresses)])
    assert cause(Web(guard=guard, sleep=Waits()), web.url("a.test/bern")) == "not a public address"
    assert (web.log, inside.log) == (["a.test/robots.txt"], [])


# ---- redirects ----


@pytest.mark.parametrize(
    ("to", "expected"),
    [
        pytest.param("http://127.0.0.2:{inside}/bern", "not a public address", id="a server inside"),
        pytest.param("http://169.254.169.254/latest/meta-data/", "not a public address", id="metadata"),
        pytest.param("http://[::ffff:127.0.0.2]:{inside}/bern", "not a public address", id="in IPv6"),
        pytest.param("//127.0.0.2:{inside}/bern", "not a public address", id="without scheme"),
        pytest.param("file:///etc/passwd", "not a web address", id="a file"),
        pytest.param("http://admin:admin@a.test:{web}/bern", "not a web address", id="logging in"),
        pytest.param("http://nowhere.example/", "host not found", id="nowhere"),
    ],
)
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_where_a_redirect_may_not_lead(web, inside, to, expected, status):
    web.pages["a.test/away"] = redirect(to.format(inside=inside.port, web=web.port), status)
    assert cause(reader(web), web.url("a.test/away")) == expected
    assert (web.log, inside.log) == (["a.test/robots.txt", "a.test/away"], [])


def test_redirects_are_followed_and_the_last_address_is_the_source(web):
    web.pages |= {
        "a.test/1": redirect("/2", 301),
        "a.test/2": redirect(web.url("b.test/3"), 307),
        "b.test/3": redirect("../bern#part"),
        "b.test/bern": BERN,
    }
    page = reader(web)(web.url("a.test/1"))
    assert (page.url, page.title) == (web.url("b.test/bern"), "Bern")


def test_a_redirect_in_utf8_is_understood(web):
    web.pages |= {
        "a.test/1": redirect("/Zürich".encode().decode("latin-1")),
        "a.test/Z%C3%BCrich": BERN,
    }
    assert reader(web)(web.url("a.test/1")).url == web.url("a.test/Z%C3%BCrich")


def test_robots_txt_of_the_host_that_a_redirect_leads_to_counts(web):
    web.pages |= {
        "a.test/1": redirect(web.url("b.test/private/2")),
        "b.test/robots.txt": Served(b"User-agent: *\nDisallow: /private/", content_type="text/plain"),
        "b.test/private/2": BERN,
    }
    assert cause(reader(web), web.url("a.test/1")) == "robots.txt"
    assert "b.test/private/2" not in web.log


def test_redirects_in_a_ring_end(web):
    web.pages |= {"a.test/1": redirect("/2"), "a.test/2": redirect("/1")}
    assert cause(reader(web), web.url("a.test/1")) == "redirect loop"
    assert web.log == ["a.test/robots.txt", "a.test/1", "a.test/2"]


def test_redirects_without_end_end(web):
    web.pages |= {f"a.test/{n}": redirect(f"/{n + 1}") for n in range(50)}
    assert cause(reader(web), web.url("a.test/0")) == "too many redirects"
    assert web.log == ["a.test/robots.txt", "a.test/0", "a.test/1", "a.test/2", "a.test/3"]


# ---- size, time and kind ----


@pytest.mark.parametrize(
    ("served", "expected"),
    [
        pytest.param(Served(b"x" * 200_000), "too large", id="says it is large"),
        pytest.param(Served(length=-1, fault="endless"), "too large", id="does not end"),
        pytest.param(packed(b"<p>" + b"\0" * 50_000_000), "too large", id="gzip bomb"),
        pytest.param(Served(b"\x1f\x8b\x08nonsense", headers=GZIP), "no text", id="no gzip"),
        pytest.param(Served(b"x", headers={"Content-Encoding": "br"}), "no text", id="another packing"),
        pytest.param(Served(b"\x89PNG\r\n", content_type="image/png"), "no text", id="picture"),
        pytest.param(Served(b"PK\x03\x04\0\0\xff\xfe" * 99), "no text", id="binary as HTML"),
        pytest.param(Served(b"\x7fELF\x02\x01\0\0" * 99, content_type=None), "no text", id="binary"),
        pytest.param(Served(b"%PDF-1.7", content_type="application/pdf"), "no text", id="pdf"),
        pytest.param(Served(b""), "no text", id="empty"),
        pytest.param(Served(b"<body><script>x()</script></body>"), "no text", id="no text in it"),
        pytest.param(Served(fault="silent"), "timeout", id="silent"),
        pytest.param(Served(length=10_000, fault="drip"), "timeout", id="a byte now and then"),
        pytest.param(Served(b"forbidden", 403), "HTTP 403", id="forbidden"),
        pytest.param(Served(b"gone", 410), "HTTP 410", id="gone"),
        pytest.param(Served(status=302), "HTTP 302", id="a redirect to nowhere"),
        pytest.param(Served(status=204, length=0), "HTTP 204", id="no content"),
    ],
)  # fmt: skip
def test_what_is_no_page(web, served, expected):
    web.pages["a.test/odd"] = served
    began = time.monotonic()
    assert cause(reader(web), web.url("a.test/odd")) == expected
    assert time.monotonic() - began < 10 * QUICK.seconds  # it ends at all: these servers never do
    assert web.log.count("a.test/odd") == 1  # and asking again would be of no use


def test_of_a_large_page_little_is_taken(web):
    sent = []

    class Counting(WebServer):
        def _send(self, request, answer):
            try:
                super()._send(request, answer)
            finally:
                sent.append(request.path)

    with Counting({"a.test/large": Served(length=-1, fault="endless")}) as large:
        assert cause(reader(large), large.url("a.test/large")) == "too large"
        deadline = time.monotonic() + 10
        while "/large" not in sent and time.monotonic() < deadline:
            time.sleep(0.01)
        assert "/large" in sent  # the server saw the connection close


ZURICH, TOKYO, BERNE = "Zürich liegt am See.", "東京は日本の首都です。", "Bern is a city."


def said(text: str, encoding: str, content_type: str | None) -> Served:
    return Served(text.encode(encoding), content_type=content_type)


@pytest.mark.parametrize(
    ("served", "text"),
    [
        pytest.param(said(f"<p>{ZURICH}", "latin-1", "text/html; charset=iso-8859-1"), ZURICH, id="Latin-1"),
        pytest.param(said(f"<p>{ZURICH}", "utf-8", "text/html; charset=latin-1"), ZURICH, id="says Latin-1"),
        pytest.param(said(f"<p>{ZURICH}", "latin-1", "text/html; charset=utf-8"), ZURICH, id="says UTF-8"),
        pytest.param(said("<p>“Oh!”", "cp1252", "text/html; charset=iso-8859-1"), "“Oh!”", id="Windows"),
        pytest.param(
            said(f"<meta charset=shift_jis><p>{TOKYO}", "shift_jis", "text/html"), TOKYO, id="page says"
        ),
        pytest.param(said(f"<p>{TOKYO}", "iso2022_jp", "text/html; charset=iso-2022-jp"), TOKYO, id="shifts"),
        pytest.param(said(f"<p>{TOKYO}", "utf-16", "text/html"), TOKYO, id="UTF-16 by its mark"),
        pytest.param(said(f"<p>{BERNE}", "utf-8", "text/html; charset=no-such"), BERNE, id="no encoding"),
        pytest.param(said(f"{BERNE}\n<p>", "utf-8", "text/plain"), f"{BERNE}\n<p>", id="plain text"),
        pytest.param(said(f"<p>{BERNE}", "utf-8", None), BERNE, id="no content type"),
        pytest.param(packed(f"<p>{BERNE}".encode()), BERNE, id="packed"),
        pytest.param(
            said(f"<p>{BERNE[:5]}<b>{BERNE[5:]}<table><tr>", "utf-8", "text/html"), BERNE, id="broken"
        ),
    ],
)
def test_texts(web, served, text):
    web.pages["a.test/text"] = served
    assert reader(web)(web.url("a.test/text")).text.strip() == text


def test_a_page_of_many_thousand_elements_in_each_other_harms_nobody(web):
    web.pages["a.test/deep"] = Served(b"<div>" * 15_000 + BERNE.encode())
    try:
        assert reader(web)(web.url("a.test/deep")).text == BERNE
    except NoPage as error:
        assert str(error).startswith("no text")  # noqa: PT017


# ---- manners ----


def test_who_we_are_is_said_and_nothing_else(web, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("SERPER_API_KEY", "0123456789secret")
    reader(web)(web.url("a.test/bern"))
    assert web.log == ["a.test/robots.txt", "a.test/bern"]
    for headers in web.headers:
        assert headers == {
            "host": f"a.test:{web.port}",
            "user-agent": USER_AGENT,
            "accept": "text/html, application/xhtml+xml, text/plain;q=0.8",
            "accept-encoding": "gzip",
            "connection": "close",
        }


@pytest.mark.parametrize(
    ("robots", "allowed"),
    [
        pytest.param(Served(b"User-agent: *\nDisallow: /", content_type="text/plain"), False, id="nobody"),
        pytest.param(
            Served(b"User-agent: refchecker\nDisallow: /", content_type="text/plain"), False, id="not us"
        ),
        pytest.param(
            Served(b"User-agent: *\nDisallow: /\n\nUser-agent: RefChecker\nAllow: /"), True, id="only us"
        ),
        pytest.param(Served(b"User-agent: other\nDisallow: /"), True, id="not another"),
        pytest.param(Served(b"User-agent: *\nDisallow: /*rn$"), False, id="by a pattern"),
        pytest.param(
            Served(b"User-agent: *\nDisallow: /b\nAllow: /bern"), True, id="the longest rule counts"
        ),
        pytest.param(Served(b"\xef\xbb\xbfUser-agent: *\r\nDisallow: /bern\r\n"), False, id="with a mark"),
        pytest.param(Served(b"\xff\xfe\0\x00junk"), True, id="junk"),
        pytest.param(Served(status=404), True, id="none"),
        pytest.param(Served(status=410), True, id="gone"),
        pytest.param(Served(status=401), False, id="not for us"),
        pytest.param(Served(status=403), False, id="forbidden"),
        pytest.param(Served(status=503), False, id="out of order"),
        pytest.param(Served(fault="reset"), False, id="unreachable"),
        pytest.param(Served(b"User-agent: *\nDisallow: /\n" + b"#" * 600_000), False, id="huge"),
        pytest.param(redirect("/rules.txt"), False, id="elsewhere"),
    ],
)
def test_robots_txt(web, robots, allowed):
    web.pages |= {"a.test/robots.txt": robots, "a.test/rules.txt": Served(b"User-agent: *\nDisallow: /bern")}
    read = reader(web)
    if allowed:
        assert read(web.url("a.test/bern")).title == "Bern"
    else:
        cause(read, web.url("a.test/bern"))
        assert "a.test/bern" not in web.log


def test_robots_txt_is_asked_for_once_per_site_however_many_want_it(web):
    web.pages |= {f"{host}.test/{n}": BERN for host in "ab" for n in range(8)}
    read = reader(web)
    urls = [web.url(f"{host}.test/{n}") for host in "ab" for n in range(8)]
    threads = [threading.Thread(target=read, args=(url,)) for url in urls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert web.log.count("a.test/robots.txt") == web.log.count("b.test/robots.txt") == 1
    assert len(web.log) == 18


def test_pages_of_one_host_are_spaced_and_other_hosts_are_not_waited_for(web):
    web.pages |= {
        "b.test/bern": BERN,
        "c.test/robots.txt": Served(b"User-agent: *\nCrawl-delay: 7"),
        "c.test/bern": BERN,
    }
    waits = Waits()
    read = reader(web, sleep=waits, spacing_seconds=3.0)
    for place in ("a.test/bern", "b.test/bern", "c.test/bern"):
        read(web.url(place))
    assert waits == []
    read(web.url("a.test/bern"))
    read(web.url("c.test/bern"))
    assert [round(wait) for wait in waits] == [3, 7]


def test_a_host_whose_turn_is_far_off_is_left_alone(web):
    web.pages["a.test/robots.txt"] = Served(b"User-agent: *\nCrawl-delay: 3600")
    read = reader(web)
    read(web.url("a.test/bern"))
    assert cause(read, web.url("a.test/bern")) == "busy host"
    assert web.log.count("a.test/bern") == 1


@pytest.mark.parametrize(
    ("first", "waited"),
    [
        pytest.param(Served(status=429, headers={"Retry-After": "4"}), 4, id="429, a time"),
        pytest.param(Served(status=429), 1, id="429"),
        pytest.param(Served(status=500), 1, id="500"),
        pytest.param(Served(status=503, headers={"Retry-After": "garbage"}), 1, id="503"),
        pytest.param(Served(fault="reset"), 1, id="reset"),
        pytest.param(Served(b"<p>cut", length=500), 1, id="cut off"),
        pytest.param(Served(packed(b"<p>text" * 99).body[:-9], headers=GZIP), 1, id="gzip cut off"),
    ],
)  # fmt: skip
def test_one_more_attempt(web, first, waited):
    web.pages["a.test/page"] = lambda asked, body: first if asked == 0 else BERN
    waits = Waits()
    assert reader(web, sleep=waits, spacing_seconds=0)(web.url("a.test/page")).title == "Bern"
    assert (web.log.count("a.test/page"), waits) == (2, [waited])
    web.pages["a.test/page"] = first
    cause(reader(web, spacing_seconds=0), web.url("a.test/page"))
    assert web.log.count("a.test/page") == 4  # and no third one


def test_a_server_that_asks_for_a_long_wait_is_not_asked_again(web):
    web.pages["a.test/page"] = Served(status=429, headers={"Retry-After": "3600"})
    waits = Waits()
    assert cause(reader(web, sleep=waits), web.url("a.test/page")) == "HTTP 429"
    assert (web.log.count("a.test/page"), waits) == (1, [])


# ---- certificates ----


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    if not shutil.which("openssl"):
        pytest.skip("needs the openssl program")
    folder = tmp_path_factory.mktemp("tls")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
         "-days", "2", "-subj", "/CN=a.test", "-addext", "subjectAltName=DNS:a.test",
         "-keyout", folder / "key.pem", "-out", folder / "cert.pem"],
        check=True, capture_output=True,
    )  # fmt: skip
    return folder


def test_https_is_for_the_name_though_the_address_is_fixed(web, certificate, monkeypatch):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate / "cert.pem", certificate / "key.pem")
    names = []
    context.sni_callback = lambda connection, name, _: names.append(name)
    web._server.socket = context.wrap_socket(web._server.socket, server_side=True)
    web.pages["b.test/bern"] = BERN
    guard = Guard(loopback=True, resolve=web.resolve)
    good, other = (web.url(f"{host}.test/bern").replace("http:", "https:") for host in "ab")
    assert cause(lambda url: fetch(url, guard, QUICK), good) == "no safe connection"  # nobody vouches for it
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(certificate / "cert.pem"))
    assert b"capital of Switzerland" in fetch(good, guard, QUICK).body
    assert cause(lambda url: fetch(url, guard, QUICK), other) == "no safe connection"  # it is another's
    assert (names, web.log) == (["a.test", "a.test", "b.test"], ["a.test/bern"])
