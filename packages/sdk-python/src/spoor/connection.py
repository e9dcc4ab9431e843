"""One connection to the service, kept open between requests."""

from __future__ import annotations

import http.client
from typing import NamedTuple
from urllib.parse import urlsplit

VERSION = "0.1.0"
DEFAULT_URL = "http://127.0.0.1:4319"
#: What a request raises that has no complete answer.
CONNECTION_ERRORS = (OSError, http.client.HTTPException)


class Answer(NamedTuple):
    status: int
    retry_after: float
    body: bytes


class Connection:
    """For one thread at a time. Raises ValueError for a URL or a key that cannot be used."""

    def __init__(self, url: str, api_key: str, timeout: float) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{url!r} is not an address that begins with http:// or https://")
        if not (api_key.isascii() and api_key.isprintable() and api_key):
            raise ValueError("an API key is needed: set SPOOR_API_KEY")
        connection = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        self._http: http.client.HTTPConnection = connection(parts.hostname, parts.port, timeout=timeout)
        self._base = parts.path.rstrip("/")
        self._headers = {"x-api-key": api_key, "user-agent": f"spoor-python/{VERSION}"}

    def open(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> http.client.HTTPResponse:
        """The answer before its body. A connection that was closed while it was idle is opened again."""
        sent = {**self._headers, **({} if body is None else {"content-type": "application/json"}), **headers}
        was_open = self._http.sock is not None
        try:
            self._http.request(method, self._base + path, body, sent)
            return self._http.getresponse()
        except BaseException as error:
            self.close()
            if was_open and isinstance(error, CONNECTION_ERRORS) and not isinstance(error, TimeoutError):
                return self.open(method, path, body, headers)
            raise

    def request(
        self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> Answer:
        response = self.open(method, path, body, headers or {})
        try:
            content = response.read()
        except BaseException:
            self.close()
            raise
        after = response.getheader("retry-after") or ""
        return Answer(response.status, float(after) if after.isdecimal() else 0.0, content)

    def set_timeout(self, seconds: float) -> None:
        self._http.timeout = seconds
        if self._http.sock is not None:
            self._http.sock.settimeout(seconds)

    def close(self) -> None:
        self._http.close()
