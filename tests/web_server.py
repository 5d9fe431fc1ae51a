"""A small web on loopback with everything a web can do wrong, and a search engine shaped like Serper.

Every name that ends in `.test` is served by one process, on one port; `log` has each request in order.
"""

from __future__ import annotations

import gzip
import json
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from refchecker.retriever.google.fetch import Limits

HTML = "text/html; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Served:
    """One answer: its status, headers and body, and what goes wrong while it is sent."""

    body: bytes = b""
    status: int = 200
    content_type: str | None = HTML
    headers: Mapping[str, str] = field(default_factory=dict)
    length: int | None = None  # Content-Length, where it is not that of the body
    fault: str = ""  # "reset", "drip": a byte now and then for ever, "endless": bytes for ever, "silent"


def article(title: str, *paragraphs: str) -> Served:
    """A page as the web has them: the text among menus and markup."""
    text = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    return Served(
        (
            f"<!doctype html><html><head><title>{title}</title></head><body><nav><a href=/>Home</a>"
            f"<a href=/about>About us</a></nav><main><article><h1>{title}</h1>{text}</article></main>"
            "<footer>All rights reserved. Cookies.</footer></body></html>"
        ).encode()
    )


def redirect(to: str, status: int = 302) -> Served:
    return Served(status=status, headers={"Location": to})


def packed(body: bytes) -> Served:
    return Served(gzip.compress(body), headers={"Content-Encoding": "gzip"})


Answers = Served | Callable[[int, bytes], Served]  # from how often it was asked before, and what was sent


class WebServer:
    """Serves `pages`, by host and path, between `with` and its end; what is not there is a 404.

    A page may be a function of how often it was asked for and of the request's body. `headers`
    has those of each request in `log`.
    """

    def __init__(self, pages: Mapping[str, Answers] | None = None, address: str = "127.0.0.1") -> None:
        self.pages: dict[str, Answers] = dict(pages or {})
        self.address = address
        self.log: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.times: list[float] = []
        self._asked: Counter[str] = Counter()
        self._lock = threading.Lock()
        self.ending = threading.Event()

    def __enter__(self) -> WebServer:
        web = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                web._serve(self)

            do_POST = do_GET  # noqa: N815

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer((self.address, 0), Handler)
        self._server.daemon_threads = True
        self._server.handle_error = lambda *_: None  # whoever asked may hang up
        self.port = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ending.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def url(self, place: str) -> str:
        """The address of a page: `url("a.test/page")`."""
        host, slash, path = place.partition("/")
        return f"http://{host}:{self.port}{slash}{path}"

    def resolve(self, host: str, port: int) -> list[str]:
        """Names of this web are here, and others nowhere; addresses are themselves."""
        if host.endswith(".test"):
            return [self.address]
        return [str(found[4][0]) for found in socket.getaddrinfo(host, port, flags=socket.AI_NUMERICHOST)]

    def _serve(self, request: BaseHTTPRequestHandler) -> None:
        host = request.headers.get("Host", "").partition(":")[0]
        place = f"{host}{request.path}"
        body = request.rfile.read(int(request.headers.get("Content-Length", 0)))
        with self._lock:
            self.log.append(place)
            self.headers.append({name.lower(): value for name, value in request.headers.items()})
            self.times.append(time.monotonic())
            asked = self._asked[place]
            self._asked[place] += 1
        answer = self.pages.get(place, Served(b"nothing here", 404))
        self._send(request, answer(asked, body) if callable(answer) else answer)

    def _send(self, request: BaseHTTPRequestHandler, answer: Served) -> None:
        connection = request.connection
        request.close_connection = True
        if answer.fault == "reset":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()
            return
        if answer.fault == "silent":
            self.ending.wait(30)
            return
        length = len(answer.body) if answer.length is None else answer.length
        head = [f"HTTP/1.1 {answer.status} X"]
        head += [f"Content-Type: {answer.content_type}"] if answer.content_type else []
        head += [f"Content-Length: {length}"] if length >= 0 else []
        head += [f"{name}: {value}" for name, value in answer.headers.items()]
        connection.sendall("\r\n".join(head).encode("latin-1") + b"\r\n\r\n" + answer.body)
        while answer.fault in ("drip", "endless") and not self.ending.is_set():
            connection.sendall(b"x" if answer.fault == "drip" else b"x" * 65536)
            self.ending.wait(0.02 if answer.fault == "drip" else 0)


def searches(found: Callable[[dict[str, Any]], Any]) -> Answers:
    """What a search server answers, as a function of what it is asked."""
    return lambda asked, body: Served(
        json.dumps(found(json.loads(body))).encode(), content_type="application/json"
    )


QUICK = Limits(connect_seconds=2, silent_seconds=0.5, seconds=2, max_bytes=100_000, redirects=3)


class Waits(list):
    """Where a reader's waits go instead of the clock."""

    def __call__(self, seconds: float) -> None:
        self.append(seconds)
