"""One HTTP call: address, key, retries, timeout.

A call is tried again where that is safe: reads, and POSTs because they have an ``Idempotency-Key``.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeVar
from urllib.parse import parse_qs, quote, urlsplit

import httpx

from muster._errors import MusterError, UnexpectedAnswerError, connection_error, error_of, timeout_error
from muster._object import ApiObject, to_value
from muster._page import AsyncPage, AsyncPages, Page

T = TypeVar("T")

_default_base_url: Final = "http://127.0.0.1:3000"
_first_pause: Final = 0.25
_longest_pause: Final = 8.0


class NotGiven:
    """The type of ``NOT_GIVEN``: an argument that was left out, unlike None, which is sent as null."""

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "NOT_GIVEN"


NOT_GIVEN: Final = NotGiven()


@dataclass(frozen=True)
class Call:
    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None
    """Sent as JSON, without what was not given."""
    content: bytes | None = None
    """Sent as it is, instead of a body."""
    files: Mapping[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    is_plain: bool = False
    """A POST without an idempotency key, because a repeat does no harm or is not made."""


@dataclass(frozen=True)
class Options:
    idempotency_key: str | None = None
    if_match: str | int | None = None
    timeout: float | None = None
    """Seconds, with all retries."""
    max_retries: int | None = None


def segment(text: str) -> str:
    """A part of a path."""
    if not isinstance(text, str) or text == "":
        raise TypeError(f"Cannot use {text!r} as an id: expected a text that is not empty")
    return quote(text, safe="")


class _Calls:
    """What a blocking and an asyncio transport share: requests, decisions about retries, answers."""

    def __init__(self, api_key: str | None, base_url: str | None, timeout: float, max_retries: int) -> None:
        self.base_url = _checked(base_url or os.environ.get("MUSTER_URL") or _default_base_url)
        self.api_key = api_key or os.environ.get("MUSTER_API_KEY")
        self.timeout = timeout
        self.max_retries = max_retries

    def begin(self, call: Call, options: Options) -> _Tries:
        needs_key = call.method == "POST" and not call.is_plain
        key = (options.idempotency_key or str(uuid.uuid4())) if needs_key else None
        return _Tries(self, call, options, key)

    def request(self, client: httpx.Client | httpx.AsyncClient, tries: _Tries) -> httpx.Request:
        call = tries.call
        headers = {"accept": "application/json", **call.headers}
        if self.api_key is not None:
            headers["authorization"] = f"Bearer {self.api_key}"
        if tries.key is not None:
            headers["idempotency-key"] = tries.key
        if tries.options.if_match is not None:
            headers["if-match"] = str(tries.options.if_match)
        content = call.content
        if call.body is not None:
            content = json.dumps(_given(call.body), default=_plain, allow_nan=False).encode()
            headers["content-type"] = "application/json"
        return client.build_request(
            call.method,
            self.base_url + call.path,
            params=_query(call.query),
            headers=headers,
            content=content,
            files=call.files,
            timeout=max(0.001, tries.left()),
        )

    def failure(self, error: httpx.HTTPError | httpx.Response, tries: _Tries) -> MusterError:
        if isinstance(error, httpx.TimeoutException):
            return timeout_error(f"Cannot {tries.call.method} {tries.call.path}: no answer in time")
        if isinstance(error, httpx.Response):
            if error.is_redirect:
                return self._redirected(error)
            return error_of(error)
        why = str(error) or type(error).__name__
        return connection_error("unreachable", f"Cannot reach {self.base_url}: {why}")

    def _redirected(self, response: httpx.Response) -> MusterError:
        target = response.headers.get("location", "")[:200]
        return UnexpectedAnswerError(
            f"Cannot reach {self.base_url}: it redirects to {target}, and redirects are not followed; "
            "set base_url to the address of the service",
            status=response.status_code,
            code="redirected",
        )


class _Tries:
    """The tries of one call."""

    def __init__(self, calls: _Calls, call: Call, options: Options, key: str | None) -> None:
        self.call = call
        self.options = options
        self.key = key
        timeout = calls.timeout if options.timeout is None else options.timeout
        # A long poll may take its whole time.
        wait = call.query.get("wait") or 0
        self._deadline = time.monotonic() + timeout + float(wait)
        self._max = calls.max_retries if options.max_retries is None else options.max_retries
        self._retries = 0

    def left(self) -> float:
        return self._deadline - time.monotonic()

    def pause_after(self, failure: MusterError) -> float:
        """Seconds to the next try; raises the failure if there is none."""
        pause: float = min(_longest_pause, _first_pause * 2**self._retries)
        pause *= random.uniform(0.75, 1.25)
        if failure.retry_after is not None:
            pause = failure.retry_after
        is_last = self._retries >= self._max or pause >= self.left()
        if is_last or not self._is_repeatable(failure):
            raise failure
        self._retries += 1
        return pause

    def _is_repeatable(self, failure: MusterError) -> bool:
        if failure.type == "timeout" or failure.code == "redirected":
            return False
        # Refused before anything was done.
        if failure.status == 429:
            return True
        if self.call.method not in ("GET", "POST"):
            return False
        return failure.status in (0, 502, 503, 504) or failure.code == "idempotency_in_progress"


class Transport:
    """For blocking programs; any number of threads."""

    def __init__(
        self,
        *,
        api_key: str | None,
        base_url: str | None,
        timeout: float,
        max_retries: int,
        http_client: httpx.Client | None,
    ) -> None:
        self.calls = _Calls(api_key, base_url, timeout, max_retries)
        self.client = http_client or httpx.Client()

    def data(self, call: Call, options: Options, hint: type[T]) -> T:
        answer: T = self.value(call, options, hint)
        return answer

    def value(self, call: Call, options: Options, hint: Any) -> Any:
        """An answer of any type, such as a union."""
        return self.send(call, options, lambda response: to_value(hint, data_of(response)))

    def page(self, call: Call, options: Options, hint: Any) -> Page[Any]:
        def read(response: httpx.Response) -> Page[Any]:
            items = to_value(list[hint], _items_of(response))
            after = next_of(response)
            following = None if after is None else _after(call, after)
            return Page(items, None if following is None else lambda: self.page(following, options, hint))

        return self.send(call, options, read)

    def send(self, call: Call, options: Options, read: Callable[[httpx.Response], T]) -> T:
        """Sends a request until there is an answer that counts, and reads it."""
        tries = self.calls.begin(call, options)
        while True:
            try:
                response = self.client.send(self.calls.request(self.client, tries))
                if response.is_success:
                    return read(response)
                failure = self.calls.failure(response, tries)
            except httpx.HTTPError as error:
                failure = self.calls.failure(error, tries)
                failure.__cause__ = error
            time.sleep(tries.pause_after(failure))

    def open(self, call: Call, options: Options, silence: float) -> httpx.Response:
        """An answer whose body is still to be read, and closed."""
        tries = self.calls.begin(call, options)
        while True:
            try:
                request = self.calls.request(self.client, tries)
                request.extensions["timeout"]["read"] = silence
                response = self.client.send(request, stream=True)
                if response.is_success:
                    return response
                try:
                    response.read()
                    failure = self.calls.failure(response, tries)
                finally:
                    response.close()
            except httpx.HTTPError as error:
                failure = self.calls.failure(error, tries)
                failure.__cause__ = error
            time.sleep(tries.pause_after(failure))


class AsyncTransport:
    """For asyncio programs."""

    def __init__(
        self,
        *,
        api_key: str | None,
        base_url: str | None,
        timeout: float,
        max_retries: int,
        http_client: httpx.AsyncClient | None,
    ) -> None:
        self.calls = _Calls(api_key, base_url, timeout, max_retries)
        self.client = http_client or httpx.AsyncClient()

    async def data(self, call: Call, options: Options, hint: type[T]) -> T:
        answer: T = await self.value(call, options, hint)
        return answer

    async def value(self, call: Call, options: Options, hint: Any) -> Any:
        """An answer of any type, such as a union."""
        return await self.send(call, options, lambda response: to_value(hint, data_of(response)))

    def page(self, call: Call, options: Options, hint: Any) -> AsyncPages[Any]:
        def fetch(asked: Call) -> Awaitable[AsyncPage[Any]]:
            def read(response: httpx.Response) -> AsyncPage[Any]:
                items = to_value(list[hint], _items_of(response))
                after = next_of(response)
                following = None if after is None else _after(asked, after)
                return AsyncPage(items, None if following is None else lambda: fetch(following))

            return self.send(asked, options, read)

        return AsyncPages(lambda: fetch(call))

    async def send(self, call: Call, options: Options, read: Callable[[httpx.Response], T]) -> T:
        """Sends a request until there is an answer that counts, and reads it."""
        tries = self.calls.begin(call, options)
        while True:
            try:
                response = await self.client.send(self.calls.request(self.client, tries))
                if response.is_success:
                    return read(response)
                failure = self.calls.failure(response, tries)
            except httpx.HTTPError as error:
                failure = self.calls.failure(error, tries)
                failure.__cause__ = error
            await asyncio.sleep(tries.pause_after(failure))

    async def open(self, call: Call, options: Options, silence: float) -> httpx.Response:
        """An answer whose body is still to be read, and closed."""
        tries = self.calls.begin(call, options)
        while True:
            try:
                request = self.calls.request(self.client, tries)
                request.extensions["timeout"]["read"] = silence
                response = await self.client.send(request, stream=True)
                if response.is_success:
                    return response
                try:
                    await response.aread()
                    failure = self.calls.failure(response, tries)
                finally:
                    await response.aclose()
            except httpx.HTTPError as error:
                failure = self.calls.failure(error, tries)
                failure.__cause__ = error
            await asyncio.sleep(tries.pause_after(failure))


def data_of(response: httpx.Response) -> Any:
    """The ``data`` of an answer."""
    try:
        return json.loads(response.text)["data"]
    except (ValueError, KeyError, TypeError) as error:
        raise _malformed(response) from error


def next_of(response: httpx.Response) -> str | None:
    """The cursor of the next page. The address is not used: it may be a proxy's, and the key goes to no other."""
    found = re.search(r'<([^>]*)>\s*;[^,]*\brel="?next"?', response.headers.get("link", ""))
    return None if found is None else parse_qs(urlsplit(found[1]).query).get("after", [None])[0]


def _items_of(response: httpx.Response) -> list[Any]:
    items = data_of(response)
    if not isinstance(items, list):
        raise _malformed(response)
    return items


def _after(call: Call, cursor: str) -> Call:
    return replace(call, query={**call.query, "after": cursor})


def _malformed(response: httpx.Response) -> MusterError:
    return UnexpectedAnswerError(
        f"The answer of {response.status_code} is not Muster's JSON",
        status=response.status_code,
        code="malformed_answer",
        request_id=response.headers.get("x-request-id"),
    )


def _checked(url: str) -> str:
    if not re.match(r"(?i)https?://[^/]", url):
        raise ValueError(
            f"Cannot use base_url {url!r}: expected an address with http:// or https://, such as {_default_base_url}"
        )
    return url.rstrip("/")


def _given(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if not isinstance(value, NotGiven)}


def _query(fields: Mapping[str, Any]) -> httpx.QueryParams:
    pairs = httpx.QueryParams()
    for name, value in _given(fields).items():
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is not None:
                pairs = pairs.add(name, str(one).lower() if isinstance(one, bool) else str(one))
    return pairs


def _plain(value: Any) -> Any:
    if isinstance(value, ApiObject):
        return value.to_dict()
    raise TypeError(f"Cannot send a value of the type {type(value).__name__}: expected what JSON has")
