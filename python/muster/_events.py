"""Changes in the account."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing, closing
from typing import Any, Final

import httpx
from httpx_sse import EventSource

from muster._errors import MusterError
from muster._generated import AccountEvent
from muster._object import to_value
from muster._runs import broken
from muster._transport import AsyncTransport, Call, Options, Transport

_steady: Final = 10.0
"""A connection that lasted this long makes the next pause short again."""
_first_pause: Final = 0.25
_longest_pause: Final = 10.0
_silence: Final = 45.0
_call: Final = Call("GET", "/v1/events", headers={"accept": "text/event-stream"})

OnOpen = Callable[[], object]


class Events:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def stream(self, *, on_open: OnOpen | None = None) -> Iterator[AccountEvent]:
        """Hints to read something again: which run changed, which requests wait.

        They are no log: changes while the connection is broken are not told, so read everything in ``on_open``, which
        is called at first and after each new connection. Goes on until the program stops reading; raises what will
        not pass, such as a revoked key.
        """
        pauses = _Pauses()
        while True:
            failure: MusterError | None = None
            try:
                opened = self._transport.open(_call, Options(max_retries=0), _silence)
                with closing(opened):
                    if on_open is not None:
                        on_open()
                    for sent in EventSource(opened).iter_sse():
                        if sent.data != "":
                            yield _event(sent.data)
            except httpx.HTTPError:
                failure = broken("cut off")
            except MusterError as error:
                failure = error
            time.sleep(pauses.after(failure))


class AsyncEvents:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def stream(self, *, on_open: OnOpen | None = None) -> AsyncIterator[AccountEvent]:
        """Hints to read something again: which run changed, which requests wait.

        They are no log: changes while the connection is broken are not told, so read everything in ``on_open``, which
        is called at first and after each new connection. Goes on until the program stops reading; raises what will
        not pass, such as a revoked key.
        """
        pauses = _Pauses()
        while True:
            failure: MusterError | None = None
            try:
                opened = await self._transport.open(_call, Options(max_retries=0), _silence)
                try:
                    if on_open is not None:
                        on_open()
                    async with aclosing(EventSource(opened).aiter_sse()) as events:
                        async for sent in events:
                            if sent.data != "":
                                yield _event(sent.data)
                finally:
                    await opened.aclose()
            except httpx.HTTPError:
                failure = broken("cut off")
            except MusterError as error:
                failure = error
            await asyncio.sleep(pauses.after(failure))


class _Pauses:
    """Between connections, and growing."""

    def __init__(self) -> None:
        self._pause = _first_pause
        self._asked_at = time.monotonic()

    def after(self, failure: MusterError | None) -> float:
        """Seconds to the next connection; raises a failure that will not pass."""
        may_pass = failure is None or failure.status in (0, 429) or failure.status >= 500
        if failure is not None and not may_pass:
            raise failure
        if time.monotonic() - self._asked_at > _steady:
            self._pause = _first_pause
        # Random, so that programs that a restart cut off do not come back at once.
        pause = self._pause * random.uniform(0.5, 1.5)
        self._pause = min(2 * self._pause, _longest_pause)
        least = (failure.retry_after or 0.0) if failure is not None else 0.0
        self._asked_at = time.monotonic() + max(pause, least)
        return max(pause, least)


def _event(text: str) -> AccountEvent:
    data: dict[str, Any] = json.loads(text)
    event: AccountEvent = to_value(AccountEvent, data)
    return event
