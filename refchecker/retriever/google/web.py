"""Pages of the web, read politely: where robots.txt allows it, one after another from each host."""

from __future__ import annotations

import codecs
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, NamedTuple

from ...errors import imported
from ..decoding import decoded
from ..html import read_html
from .addresses import Guard, NoPage, Target
from .again import tried_again
from .fetch import AGENT, HttpAnswer, Limits, fetch
from .threads import Once

SPACING_SECONDS = 1.0  # between two pages of one host, where it does not ask for more
MAX_TURN_SECONDS = 120.0  # how long a page waits for its turn
HTML = ("text/html", "application/xhtml+xml", "")
PLAIN = ("text/plain", "text/markdown", "text/x-rst")
MAX_TEXT_CHARS = 500_000

_WIDE = ("utf-16", "utf-32")  # encodings whose texts have null bytes
_WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)
_ROBOTS = Limits(max_bytes=512_000)  # RFC 9309, 2.5: at least 500 kibibytes
_HOSTS_KEPT = 2000


class WebPage(NamedTuple):
    """The main text of a page, with where it stands and when it was read."""

    url: str
    title: str
    text: str
    time: str  # ISO 8601, UTC


class Web:
    """Reads pages for strangers' questions, one call each, from any number of threads."""

    def __init__(
        self,
        *,
        guard: Guard | None = None,
        limits: Limits | None = None,
        spacing_seconds: float = SPACING_SECONDS,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._guard, self._limits = guard or Guard(), limits or Limits()
        self._turns = _Turns(spacing_seconds, sleep)
        self._sleep = sleep
        self._robots: Once[_Rules] = Once(_HOSTS_KEPT)

    def __call__(self, url: str, /) -> WebPage:
        """The page at `url`, or where it redirects to. Errors: `NoPage`, which says why not."""
        answer = self._fetched(url, self._limits, allowed=self._allowed, readable=_readable)
        if answer.status != 200:
            raise NoPage(f"HTTP {answer.status}", answer.url)
        title, text = _title_and_text(answer)
        if not text.strip():
            raise NoPage("no text", answer.url)
        return WebPage(answer.url, title, text[:MAX_TEXT_CHARS], now())

    def _allowed(self, target: Target) -> None:
        """Waits for the turn of that host; `NoPage` where its robots.txt asks not to read that page."""
        rules = self._robots(target.site, lambda: self._rules(target))
        rules.check(target)
        self._turns.wait(target.host, rules.spacing_seconds)

    def _rules(self, target: Target) -> _Rules:
        """What the site's robots.txt says; RFC 9309, 2.3.1: no such file allows, none to be had forbids."""
        try:
            answer = self._fetched(f"{target.site}/robots.txt", _ROBOTS)
        except NoPage as error:
            return _Rules(None, error)
        if answer.status in (401, 403):  # who is not to read the rules is hardly welcome to the rest
            return _Rules(None, NoPage("robots.txt", f"{answer.url}: HTTP {answer.status}"))
        text = answer.body.decode("utf-8-sig", "replace")
        return _Rules(imported("protego", "retrieval").Protego.parse(text), None)

    def _fetched(self, url: str, limits: Limits, **conditions: Any) -> HttpAnswer:
        """The answer at `url`, asked for twice where that may help."""
        return tried_again(
            lambda: fetch(url, self._guard, limits, **conditions), attempts=2, sleep=self._sleep
        )


class _Rules(NamedTuple):
    robots: Any  # a Protego, which knows * and $ and the longest match; None where there is none to be had
    error: NoPage | None

    def check(self, target: Target) -> None:
        if self.error:
            raise NoPage(self.error.cause, f"{target.site}/robots.txt: {self.error}")
        if not self.robots.can_fetch(target.url, AGENT):
            raise NoPage("robots.txt", target.url)

    @property
    def spacing_seconds(self) -> float:
        return float(self.robots.crawl_delay(AGENT) or 0)


class _Turns:
    """Whose turn it is at a host: each gets a time of its own, far enough from the one before."""

    def __init__(self, spacing_seconds: float, sleep: Callable[[float], None]) -> None:
        self._spacing_seconds, self._sleep = spacing_seconds, sleep
        self._lock = threading.Lock()
        self._next: dict[str, float] = {}

    def wait(self, host: str, spacing_seconds: float) -> None:
        with self._lock:
            now = time.monotonic()
            at = max(now, self._next.get(host, 0.0))
            if at - now > MAX_TURN_SECONDS:
                raise NoPage("busy host", host)
            if len(self._next) > _HOSTS_KEPT:
                self._next = {host: when for host, when in self._next.items() if when > now}
            self._next[host] = at + max(self._spacing_seconds, spacing_seconds)
        if at > now:
            self._sleep(at - now)


def _readable(content_type: str) -> bool:
    return content_type in HTML or content_type in PLAIN


def _title_and_text(answer: HttpAnswer) -> tuple[str, str]:
    charset = _charset(answer)
    wide = answer.charset.startswith(_WIDE) or answer.body.startswith(_WIDE_MARKS)
    if b"\0" in answer.body and not wide:
        raise NoPage("no text", f"{answer.url} has binary data")
    if answer.content_type in PLAIN:
        return "", decoded(answer.body, charset) or ""
    return read_html(answer.body, charset=charset)


def _charset(answer: HttpAnswer) -> str:
    """The encoding to read the page in, where the server's word for it can be believed.

    What can be read as UTF-8 is UTF-8, for hardly any other text can; and those who say Latin-1
    mean Windows-1252 (WHATWG Encoding Standard, 4.2).
    """
    try:
        if b"\x1b" not in answer.body:  # in ASCII too, and something else: the shifts of ISO 2022
            answer.body.decode("utf-8")
            return "utf-8"
    except UnicodeDecodeError:
        pass
    return "windows-1252" if answer.charset in ("iso-8859-1", "latin-1", "us-ascii") else answer.charset


def now() -> str:
    """This moment, ISO 8601 in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")
