"""Lists as CSV, one page at a time."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx

from muster._transport import AsyncTransport, Call, Options, Transport, next_of


def read_csv(transport: Transport, path: str, query: dict[str, Any]) -> Iterator[str]:
    """Only the first page has the line of names."""
    pages = _Pages(path, query)
    while pages.has_more:
        yield transport.send(pages.call(), Options(), pages.take)


async def aread_csv(transport: AsyncTransport, path: str, query: dict[str, Any]) -> AsyncIterator[str]:
    """Only the first page has the line of names."""
    pages = _Pages(path, query)
    while pages.has_more:
        yield await transport.send(pages.call(), Options(), pages.take)


class _Pages:
    def __init__(self, path: str, query: dict[str, Any]) -> None:
        self._path = path
        self._query = {"limit": 100, **query}
        self._is_first = True
        self.has_more = True

    def call(self) -> Call:
        return Call("GET", self._path, query=self._query, headers={"accept": "text/csv"})

    def take(self, response: httpx.Response) -> str:
        after = next_of(response)
        self._query = {**self._query, "after": after}
        self.has_more = after is not None
        text = response.text if self._is_first else response.text.split("\n", 1)[-1]
        self._is_first = False
        return text
