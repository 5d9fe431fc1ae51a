"""One request to a stranger's server: to the address that was checked, within a time and a size."""

from __future__ import annotations

import io
import os
import socket
import ssl
import time
import zlib
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Any, NamedTuple
from urllib.parse import urljoin

from ... import __version__
from ...net import retry_after
from .addresses import Guard, NoPage, Target, target_of

AGENT = "refchecker"
USER_AGENT = f"{AGENT}/{__version__} (checks claims against web pages; honours robots.txt)"
REDIRECTS = (301, 302, 303, 307, 308)
PASSING = (429, 500, 502, 503, 504)  # statuses of a server that may do better another time
RETRY_SECONDS = 1.0
PATIENCE_SECONDS = 10.0  # the longest wait that a server may ask for

_CHUNK_BYTES = 65536
_ADDRESSES = 4  # of a host that are tried; some of them may be of a kind that this machine cannot reach


@dataclass(frozen=True, slots=True)
class Limits:
    """What one fetch may take, all redirects together."""

    connect_seconds: float = 5.0
    silent_seconds: float = 10.0  # without a byte
    seconds: float = 20.0
    max_bytes: int = 4_000_000  # unpacked
    redirects: int = 5


class HttpAnswer(NamedTuple):
    """What a server sent in the end, and from where."""

    url: str
    status: int
    content_type: str
    charset: str  # "" where the server does not say
    body: bytes


def fetch(
    url: str,
    guard: Guard,
    limits: Limits,
    *,
    allowed: Callable[[Target], None] = lambda target: None,
    readable: Callable[[str], bool] = lambda content_type: True,
) -> HttpAnswer:
    """The answer at `url`, or where it redirects to, every step of the way checked before it is taken.

    `allowed` may raise `NoPage` for a step; a content type that is not `readable` is not read.
    An answer that is no success has an empty body. Errors: `NoPage`.
    """
    ends = time.monotonic() + limits.seconds
    seen: set[str] = set()
    for _ in range(limits.redirects + 1):
        target = target_of(url)
        if target.url in seen:
            raise NoPage("redirect loop", target.url)
        seen.add(target.url)
        began = time.monotonic()
        allowed(target)
        ends += time.monotonic() - began  # waiting for a turn is not the page's fault
        answer, location = _exchange(target, guard, limits, ends, readable)
        if not location:
            return answer
        url = urljoin(target.url, location)
    raise NoPage("too many redirects", f"{limits.redirects} and more")


def _exchange(
    target: Target, guard: Guard, limits: Limits, ends: float, readable: Callable[[str], bool]
) -> tuple[HttpAnswer, str]:
    """One request and its answer; with it the place it redirects to, or nothing."""
    addresses = guard.addresses(target)
    try:
        with closing(_connected(addresses, target, limits, ends)) as connection:
            response = _asked(connection, target, limits, ends)
            if response.status in REDIRECTS and (location := _location(response)):
                return HttpAnswer(target.url, response.status, "", "", b""), location
            return _read(response, target, limits.max_bytes, readable), ""
    except TimeoutError as error:
        raise NoPage("timeout", target.host) from error
    except ssl.SSLError as error:
        raise NoPage("no safe connection", f"{target.host}: {error.reason}") from error
    except (OSError, HTTPException) as error:
        said = f"{target.host}: {error or type(error).__name__}"
        raise NoPage("connection failed", said, after=RETRY_SECONDS) from error


def _connected(addresses: list[str], target: Target, limits: Limits, ends: float) -> socket.socket:
    """A connection to the first of these addresses that takes one."""
    plain = _opened(addresses[:_ADDRESSES], target.port, limits.connect_seconds, ends)
    if target.scheme == "http":
        return plain
    try:
        return _tls(os.environ.get("REQUESTS_CA_BUNDLE")).wrap_socket(plain, server_hostname=target.host)
    except BaseException:
        plain.close()
        raise


def _opened(addresses: list[str], port: int, seconds: float, ends: float) -> socket.socket:
    failure: OSError | None = None
    for address in addresses:
        try:
            return socket.create_connection((address, port), timeout=min(seconds, _left(ends)))
        except OSError as error:
            failure = error
    raise failure or OSError("no address")


@cache
def _tls(own_certificates: str | None) -> ssl.SSLContext:
    """Certificates are checked, against those that requests checks against."""
    from requests.utils import DEFAULT_CA_BUNDLE_PATH

    return ssl.create_default_context(cafile=own_certificates or DEFAULT_CA_BUNDLE_PATH)


def _asked(connection: socket.socket, target: Target, limits: Limits, ends: float) -> HTTPResponse:
    http = HTTPConnection(target.host, target.port)
    http.auto_open = 0  # it must never connect by itself: it would look the name up again
    http.sock = _Timed(connection, limits.silent_seconds, ends)
    http.putrequest("GET", target.path, skip_host=True, skip_accept_encoding=True)
    for name, value in (
        ("Host", target.site.partition("//")[2]),
        ("User-Agent", USER_AGENT),
        ("Accept", "text/html, application/xhtml+xml, text/plain;q=0.8"),
        ("Accept-Encoding", "gzip"),
        ("Connection", "close"),
    ):
        http.putheader(name, value)
    http.endheaders()
    return http.getresponse()


def _location(response: HTTPResponse) -> str:
    """Where it redirects to. Servers send UTF-8 there, which `http.client` takes for Latin-1."""
    location = response.getheader("Location", "")
    try:
        return location.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return location


def _read(
    response: HTTPResponse, target: Target, max_bytes: int, readable: Callable[[str], bool]
) -> HttpAnswer:
    headers = response.headers
    content_type, charset = headers.get_content_type(), headers.get_content_charset("")
    if "Content-Type" not in headers:
        content_type = ""
    if response.status in PASSING:
        after = retry_after({"retry-after": headers.get("Retry-After", "")})
        after = RETRY_SECONDS if after is None else after
        raise NoPage(
            f"HTTP {response.status}", target.host, after=after if after <= PATIENCE_SECONDS else None
        )
    answer = HttpAnswer(target.url, response.status, content_type, charset, b"")
    if not 200 <= response.status < 300:
        return answer
    if not readable(content_type):
        raise NoPage("no text", f"{target.url} is {content_type}")
    return answer._replace(body=_body(response, max_bytes))


def _body(response: HTTPResponse, max_bytes: int) -> bytes:
    """The body, unpacked. No more than `max_bytes` of it is ever held, packed or not."""
    packing = response.getheader("Content-Encoding", "identity").strip().lower()
    if packing not in ("identity", "", "gzip", "x-gzip"):
        raise NoPage("no text", f"packed as {packing[:20]}, which was not asked for")
    unpack: Any = zlib.decompressobj(16 + zlib.MAX_WBITS) if "gzip" in packing else None
    if (response.length or 0) > max_bytes:
        raise NoPage("too large", f"{response.length} bytes")
    body, received = bytearray(), 0
    while chunk := response.read(_CHUNK_BYTES):
        received += len(chunk)
        try:
            body += unpack.decompress(chunk, max_bytes + 1 - len(body)) if unpack else chunk
        except zlib.error as error:
            raise NoPage("no text", f"packed wrongly: {error}") from error
        if max(len(body), received) > max_bytes:
            raise NoPage("too large", f"more than {max_bytes} bytes")
    if response.length or (unpack and not unpack.eof):
        raise NoPage("connection failed", "the page was cut off", after=RETRY_SECONDS)
    return bytes(body)


class _Timed(io.RawIOBase):
    """A socket for `http.client` that gives up when it is silent for long, or when the time is over.

    A server that sends a byte now and then would keep a plain socket waiting for ever.
    """

    def __init__(self, connection: socket.socket, silent_seconds: float, ends: float) -> None:
        self._connection, self._silent_seconds, self._ends = connection, silent_seconds, ends

    def sendall(self, data: bytes) -> None:
        self._connection.settimeout(min(self._silent_seconds, _left(self._ends)))
        self._connection.sendall(data)

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(self)

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        """Nothing: whoever opened the connection closes it, and `http.client` closes in either order."""

    def readinto(self, buffer: Any, /) -> int:
        self._connection.settimeout(min(self._silent_seconds, _left(self._ends)))
        return self._connection.recv_into(buffer)


def _left(ends: float) -> float:
    left = ends - time.monotonic()
    if left <= 0:
        raise TimeoutError("the time for this page is over")
    return left
