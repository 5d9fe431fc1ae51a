"""Google through Serper: one search, asked again where that can help."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ...errors import RetrievalError, UsageError
from ...net import retry_after, shortened
from .again import Failed, tried_again

if TYPE_CHECKING:
    import requests

ADDRESS = "https://google.serper.dev"
KEY_FROM = "--serper_api_key FILE or SERPER_API_KEY"
ATTEMPTS = 4
BACKOFF_SECONDS = 1.0  # before the second attempt, then twice as long each time
TIMEOUT_SECONDS = (10.0, 20.0)  # to connect, to answer
RESULTS = 10  # asked for per search; Serper bills more than ten as two searches


class Serper:
    """The answer to a search, as Serper's JSON says it, from any number of threads.

    Without `key` it is SERPER_API_KEY. Errors: `UsageError` where no search can succeed (the key
    was refused, no credit is left, nobody answers there), `RetrievalError` where this one did not.
    """

    def __init__(
        self,
        key: str | None = None,
        *,
        address: str | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.address = (address or ADDRESS).rstrip("/")
        parts = urlsplit(self.address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError(f"{address!r} is no address of a search server. The usual one is {ADDRESS}.")
        self._key = key or os.environ.get("SERPER_API_KEY", "").strip()
        if not self._key:
            raise UsageError(
                f"the google retriever asks Serper and needs a key: {KEY_FROM}. Keys are made at serper.dev. "
                "Without one, --retriever_name corpus finds references in your own files."
            )
        self._sleep = sleep
        self._answered = False

    def __repr__(self) -> str:
        return f"Serper({self.address!r})"

    def __call__(self, search: Mapping[str, Any], /) -> dict[str, Any]:
        """The answer to a search such as `{"q": "Ada Lovelace", "num": 10}`."""
        try:
            return tried_again(
                lambda: self._answer(search),
                attempts=ATTEMPTS,
                sleep=self._sleep,
                wait_seconds=BACKOFF_SECONDS,
            )
        except Failed as failure:
            raise RetrievalError(
                f"Serper did not answer in {ATTEMPTS} attempts, the last time: {failure}"
            ) from None

    def _answer(self, search: Mapping[str, Any]) -> dict[str, Any]:
        response = self._post(search)
        answer = _object(response)
        if answer is None or response.status_code != 200:
            raise Failed(self._cause(response), after=retry_after(response.headers) or 0.0)
        self._answered = True
        return answer

    def _post(self, search: Mapping[str, Any]) -> requests.Response:
        import requests

        try:
            return requests.post(
                f"{self.address}/search",
                json=dict(search),
                auth=self._with_key,
                timeout=TIMEOUT_SECONDS,
                allow_redirects=False,  # the key goes nowhere else
            )
        except requests.RequestException as error:
            reason = shortened(str(error), (self._key,))
            away = isinstance(error, requests.ReadTimeout | requests.exceptions.ChunkedEncodingError)
            if away or "Connection aborted" in reason or self._answered:  # then it may be back in a moment
                raise Failed(reason, after=0.0) from None
            raise UsageError(
                f"cannot connect to the search server {self.address}: {reason}. "
                "Check the network and any proxy."
            ) from None

    def _with_key(self, request: Any) -> Any:
        """Sets the key last of all; being an `auth`, it also keeps requests from logging in by a .netrc."""
        request.headers["X-API-KEY"] = self._key
        return request

    def _cause(self, response: requests.Response) -> str:
        """What went wrong, where another attempt may go better; otherwise it is raised."""
        status = response.status_code
        message = (_object(response) or {}).get("message") or response.text
        cause = f"HTTP {status}: {shortened(str(message), (self._key,)) or 'nothing was said'}"
        if status in (401, 403):
            raise UsageError(f"Serper refused the key: check {KEY_FROM}. It said: {cause}")
        if status == 402 or (status == 400 and "credit" in cause.lower()):
            raise UsageError(f"the Serper account has no credit left: add some, or use another key. {cause}")
        if status == 404 or 300 <= status < 400:
            raise UsageError(f"no search server answers at {self.address}/search: {cause}")
        if status in (408, 429) or status >= 500:
            return cause
        if status == 200:
            return "an answer that is no JSON object"
        raise RetrievalError(f"Serper did not accept the search. {cause}")


def key_in(path: str | None) -> str | None:
    """The key in that file; None where there is no file, and the environment has the key."""
    from ...net import key_of

    if path and not Path(path).exists() and len(path) == 40 and path.isalnum():
        raise UsageError(
            "--serper_api_key takes the path of a file that holds the key, not the key itself, which others "
            "on this machine could read from the list of processes. Or set SERPER_API_KEY."
        )
    return key_of(path, "--serper_api_key") if path else None


def _object(response: requests.Response) -> dict[str, Any] | None:
    try:
        value = json.loads(response.content)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
