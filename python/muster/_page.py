"""Pages of lists."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterator
from typing import Any, Generic, TypeVar

Item = TypeVar("Item")


class Page(Generic[Item]):
    """A page of a list. ``for run in page`` goes on through all following pages; ``page.items`` is this one alone."""

    def __init__(self, items: list[Item], fetch_next: Callable[[], Page[Item]] | None) -> None:
        self.items = items
        self._fetch_next = fetch_next

    @property
    def has_next(self) -> bool:
        return self._fetch_next is not None

    def next(self) -> Page[Item] | None:
        """The next page; None after the last."""
        return None if self._fetch_next is None else self._fetch_next()

    def __iter__(self) -> Iterator[Item]:
        page: Page[Item] | None = self
        while page is not None:
            yield from page.items
            page = page.next()

    def __repr__(self) -> str:
        return f"Page({self.items!r}, has_next={self.has_next})"


class AsyncPage(Generic[Item]):
    """A page of a list. ``async for run in page`` goes on through all following pages; ``page.items`` is this one."""

    def __init__(self, items: list[Item], fetch_next: Callable[[], Awaitable[AsyncPage[Item]]] | None) -> None:
        self.items = items
        self._fetch_next = fetch_next

    @property
    def has_next(self) -> bool:
        return self._fetch_next is not None

    async def next(self) -> AsyncPage[Item] | None:
        """The next page; None after the last."""
        return None if self._fetch_next is None else await self._fetch_next()

    async def __aiter__(self) -> AsyncIterator[Item]:
        page: AsyncPage[Item] | None = self
        while page is not None:
            for item in page.items:
                yield item
            page = await page.next()

    def __repr__(self) -> str:
        return f"AsyncPage({self.items!r}, has_next={self.has_next})"


class AsyncPages(Generic[Item]):
    """A list that is about to be read: ``await`` gives its first page, ``async for`` the items of all pages."""

    def __init__(self, fetch: Callable[[], Awaitable[AsyncPage[Item]]]) -> None:
        self._fetch = fetch

    def __await__(self) -> Generator[Any, None, AsyncPage[Item]]:
        return self._fetch().__await__()

    async def __aiter__(self) -> AsyncIterator[Item]:
        async for item in await self._fetch():
            yield item
