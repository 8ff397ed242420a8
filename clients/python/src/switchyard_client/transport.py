"""How requests are sent: addresses, tokens, what is tried again and when, and pages. The calls themselves are in ``calls``."""

from __future__ import annotations

import http.client
import ipaddress
import json
import random
import re
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Callable, Iterator, Mapping, Union

from .errors import ApiError, ServerAway

#: Values of filters by field, or by field and way: ``{"state": "MANAGED", "hostname[contains]": "acc"}``.
Filter = Mapping[str, Union[str, int, bool]]

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0
PER_PAGE = 500
#: Answers after which a GET is sent again.
BUSY = (408, 429, 503)


def path_of(path: str, values: Mapping[str, Any]) -> str:
    """A path with its values."""
    return re.sub(r"\{(\w+)\}", lambda match: urllib.parse.quote(str(values[match.group(1)]), safe=""), path)


def _spelt(value: Any) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _query_of(query: Mapping[str, Any], filters: Filter) -> str:
    pairs: list[tuple[str, str]] = []
    for name, value in query.items():
        if value is not None:
            values = value if isinstance(value, (list, tuple)) else [value]
            pairs += [(name, _spelt(one)) for one in values]
    # `hostname[contains]` is `filter[hostname][contains]`
    pairs += [("filter" + re.sub(r"^[^\[]+", r"[\g<0>]", field), _spelt(value)) for field, value in filters.items()]
    return "?" + urllib.parse.urlencode(pairs) if pairs else ""


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _retry_after_of(headers: Mapping[str, str] | Any) -> float | None:
    try:
        return float(headers.get("Retry-After"))
    except (TypeError, ValueError):
        return None


def _is_loopback(url: str) -> bool:
    host = urllib.parse.urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class _Unredirected(urllib.request.HTTPRedirectHandler):
    """No call redirects, and a token must not follow one."""

    def redirect_request(self, *args: Any) -> None:
        return None


class Transport:
    """Sends requests to one server.

    ``url`` is its address, such as ``https://switchyard.example.org``; ``token`` a token, or a function that gives one before each
    request; ``timeout`` the seconds of silence after which a request has failed; ``retries`` how often a GET is tried again after a lost
    connection and a 503; ``context`` the TLS settings.
    """

    def __init__(
        self,
        url: str,
        *,
        token: str | Callable[[], str] | None = None,
        timeout: float = 60,
        retries: int = 5,
        context: ssl.SSLContext | None = None,
    ) -> None:
        self.url = url.rstrip("/")
        self._token = token
        self._timeout = timeout
        self._retries = retries
        handlers: list[urllib.request.BaseHandler] = [_Unredirected(), urllib.request.HTTPSHandler(context=context)]
        if _is_loopback(url):
            # no proxy reaches the server of this machine
            handlers.append(urllib.request.ProxyHandler({}))
        self._opener = urllib.request.build_opener(*handlers)

    def _send(
        self,
        method: str,
        path: str,
        *,
        body: Any = None,
        query: Mapping[str, Any] | None = None,
        filter: Filter | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float | None = None,
    ) -> Any:
        """One request, sent once: the open answer, which has a good status."""
        sent = dict(headers or {})
        if self._token is not None:
            sent["Authorization"] = "Bearer " + (self._token() if callable(self._token) else self._token)
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            sent["Content-Type"] = "application/json"
        address = self.url + path + _query_of(query or {}, filter or {})
        request = urllib.request.Request(address, data=data, headers=sent, method=method)
        try:
            return self._opener.open(request, timeout=self._timeout if timeout is None else timeout)
        except urllib.error.HTTPError as error:
            with error:
                text = error.read().decode("utf-8", "replace")
            raise ApiError(error.code, _parsed(text), _retry_after_of(error.headers)) from None
        except (OSError, http.client.HTTPException) as error:
            raise ServerAway(f"{self.url} does not answer: {error}") from error

    def _exchange(self, method: str, path: str, **asked: Any) -> tuple[Any, str]:
        """The same; a GET again and again while the server is away or busy. Gives headers and text."""
        tried = 0
        while True:
            try:
                with self._send(method, path, **asked) as answer:
                    return answer.headers, answer.read().decode("utf-8")
            except (OSError, http.client.HTTPException) as error:
                failure: ApiError | ServerAway = ServerAway(f"the answer of {self.url} was cut: {error}")
            except ServerAway as error:
                failure = error
            except ApiError as error:
                if error.status not in BUSY:
                    raise
                failure = error
            if method != "GET" or tried >= self._retries:
                raise failure
            time.sleep(_pause_of(tried, failure))
            tried += 1

    def _call(self, method: str, path: str, *, gives: str = "data", **asked: Any) -> Any:
        _, text = self._exchange(method, path, **asked)
        if gives == "text":
            return text
        answer = json.loads(text)
        return answer["data"] if gives == "data" else answer

    def _pages(self, records: str, method: str, path: str, **asked: Any) -> Iterator[Any]:
        """The records of all pages, asked for as they are read."""
        given = {name: value for name, value in (asked.pop("query", None) or {}).items() if value is not None}
        page = 1
        while True:
            query = {"per_page": PER_PAGE, **given, "page": page}
            headers, text = self._exchange(method, path, query=query, **asked)
            yield from json.loads(text)["data"][records]
            if 'rel="next"' not in (headers.get("Link") or ""):
                return
            page += 1


def _pause_of(tried: int, error: ApiError | ServerAway) -> float:
    """Seconds before the next try: what the server says, else longer each time, and never the same for all clients."""
    said = error.retry_after if isinstance(error, ApiError) else None
    return said if said is not None else min(LONGEST_PAUSE, FIRST_PAUSE * 2**tried) * random.uniform(0.5, 1)
