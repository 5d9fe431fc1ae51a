"""Which servers on the web may be asked: over http(s), at an ordinary port, with a public address.

A search result, and every redirect, is a stranger's word for where to connect from this machine.
It must reach nothing here, in the local network, or among the cloud's own services.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import quote, urlsplit, urlunsplit

from .again import Failed

PORTS = (80, 443, 8080, 8443)
MAX_URL_CHARS = 2000

# By IANA's registries of special-purpose addresses; those that `ipaddress` has differ by version of Python.
_SPECIAL4 = tuple(
    map(
        ipaddress.IPv4Network,
        (
            "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
            "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
            "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
            "168.63.129.16",  # looks public; inside Azure it is the platform itself
        ),
    )
)  # fmt: skip
_UNICAST6 = ipaddress.IPv6Network("2000::/3")
_SPECIAL6 = tuple(
    map(
        ipaddress.IPv6Network,
        (
            "2001::/23",
            "2001:db8::/32",
            "2002::/16",
            "3fff::/20",
        ),  # Teredo and others, examples, 6to4, examples
    )
)
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")

Resolve = Callable[[str, int], Sequence[str]]


class NoPage(Failed):
    """A page that is not had, and why: `cause` in few words, for counting."""

    def __init__(self, cause: str, detail: str = "", *, after: float | None = None) -> None:
        super().__init__(f"{cause}: {detail}" if detail else cause, after=after)
        self.cause = cause


@dataclass(frozen=True, slots=True)
class Target:
    """A URL taken apart, once, so that what is checked is what is asked for."""

    scheme: str
    host: str
    port: int
    path: str  # with the query

    @property
    def site(self) -> str:
        """Scheme, host and port, where it is not the scheme's own.

        >>> target_of("HTTP://Example.org:80/a b#c").site
        'http://example.org'
        """
        host = f"[{self.host}]" if ":" in self.host else self.host
        usual = {"http": 80, "https": 443}[self.scheme] == self.port
        return f"{self.scheme}://{host}" if usual else f"{self.scheme}://{host}:{self.port}"

    @property
    def url(self) -> str:
        return self.site + self.path


def target_of(url: str) -> Target:
    """The parts of a web address in their plain form; `NoPage` where it is none, or logs somebody in.

    >>> target_of("https://Bücher.example/a b?q=ä#top").url
    'https://xn--bcher-kva.example/a%20b?q=%C3%A4'
    """
    try:
        if len(url) > MAX_URL_CHARS or not url.isprintable() or "\\" in url:
            raise ValueError("not a plain URL")
        parts = urlsplit(url.strip())
        scheme, host = parts.scheme.lower(), _plain_host(parts.hostname or "")
        port = parts.port or {"http": 80, "https": 443}.get(scheme, 0)
    except ValueError as error:
        raise NoPage("not a web address", str(error)) from None
    if scheme not in ("http", "https") or not host:
        raise NoPage("not a web address", url[:80])
    if parts.username is not None or parts.password is not None:
        raise NoPage("not a web address", "it logs in")
    kept = "!#$%&'()*+,/:;=?@[]~"  # what has a meaning in a URL, and what is quoted already
    path = urlunsplit(("", "", quote(parts.path or "/", safe=kept), quote(parts.query, safe=kept), ""))
    return Target(scheme, host, port, path if path.startswith("/") else f"/{path}")


def _plain_host(host: str) -> str:
    host = host.lower().rstrip(".")
    if host.isascii():
        return host
    import idna  # came with requests

    try:
        return idna.encode(host, uts46=True).decode("ascii")
    except idna.IDNAError as error:
        raise ValueError(f"no host name: {error}") from None


def is_public(address: str) -> bool:
    """Whether the address is one that anybody on the internet would reach the same server at.

    >>> [is_public(address) for address in ("9.9.9.9", "10.0.0.1", "::ffff:127.0.0.1", "fe80::1%eth0")]
    [True, False, False, False]
    """
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv4Address):
        return not any(ip in network for network in _SPECIAL4)
    if ip in _NAT64:  # how a network without IPv4 reaches an IPv4 server: that one counts
        return is_public(str(ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)))
    return ip.scope_id is None and ip in _UNICAST6 and not any(ip in network for network in _SPECIAL6)


def resolve(host: str, port: int) -> list[str]:
    """The addresses of a host, as this machine finds them."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


@dataclass(frozen=True, slots=True)
class Guard:
    """Lets through what is on the public web. `loopback` is for tests: it lets this machine through too."""

    loopback: bool = False
    resolve: Resolve = resolve

    def addresses(self, target: Target) -> list[str]:
        """The addresses to connect to, all of them checked; `NoPage` where one is not public.

        Whoever connects must use these and not the name again, which may mean another machine by then.
        """
        try:
            found = list(self.resolve(target.host, target.port))
        except (OSError, UnicodeError) as error:
            raise NoPage("host not found", f"{target.host}: {error}") from error
        here = self.loopback and all(address in ("127.0.0.1", "::1") for address in found)
        if not found:
            raise NoPage("host not found", target.host)
        if not here and not all(map(is_public, found)):
            raise NoPage("not a public address", f"{target.host} is {', '.join(found)}")
        if not here and target.port not in PORTS:
            raise NoPage("not a web address", f"port {target.port}")
        return found
