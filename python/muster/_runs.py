"""Run methods in addition to the generated ones: waiting for a run, its events, and lists as CSV."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing, closing
from typing import Any, Final, Literal

import httpx
from httpx_sse import EventSource

from muster import _generated as generated
from muster._csv import aread_csv, read_csv
from muster._errors import MusterError, UnexpectedAnswerError, connection_error, timeout_error
from muster._generated import RunEvent, RunWithSteps
from muster._object import ApiObject, to_value
from muster._transport import AsyncTransport, Call, Options, Transport, segment

_poll_seconds: Final = 30
_pause: Final = 1.0
_follow_retries: Final = 6
"""After a lost connection, with growing pauses: enough for a restart of the service."""
_first_pause: Final = 0.1
_steady: Final = 10.0
_silence: Final = 45.0
"""The service sends something at least every 15 seconds."""


class StepText(ApiObject):
    """A part of a model's output; without ``offset`` it replaces all earlier text of the turn."""

    type: Literal["step.delta", "step.text"]
    order: int
    turn: int
    offset: int | None
    """Where the text starts, in UTF-16 units."""
    text: str


OnText = Callable[[StepText], object]
Until = Literal["rest", "end"]


class Runs(generated.RunsResource):
    """Runs of workflows."""

    def wait(self, id: str, *, until: Until = "rest", timeout: float | None = None) -> RunWithSteps:
        """The run, once it has ended or waits for a person; with ``until="end"``, once it has ended.

        Raises a ``TimeoutError`` after ``timeout`` seconds; by default there is none.
        """
        waiting = _Waiting(id, until, timeout)
        while True:
            run = self.retrieve(id, wait=waiting.ask(), max_retries=_patience(self._transport))
            if waiting.is_over(run):
                return run
            time.sleep(waiting.pause())

    def stream(self, id: str, *, after: int = 0, on_text: OnText | None = None) -> Iterator[RunEvent]:
        """The events of a run, stored and new ones, each once and in order, until its last one.

        ``after`` is the number of the last event that is known. A broken connection is resumed. ``on_text`` is called
        with what the models write, as they write it.
        """
        following = _Following(id, after, on_text)
        retries = _patience(self._transport)
        while True:
            failure = broken("closed early")
            try:
                opened = self._transport.open(following.call(), Options(max_retries=retries), _silence)
                with closing(opened):
                    for sent in EventSource(opened).iter_sse():
                        event = following.take(sent.data)
                        if event is not None:
                            yield event
                        if following.is_over:
                            return
                if following.was_ended and not following.has_new:
                    return
                # The service stopped, a proxy cut the stream, or there are no more events.
                following.was_ended |= _has_ended(self.retrieve(id, max_retries=retries))
                if following.was_ended:
                    continue
            except httpx.HTTPError as error:
                failure = broken("cut off")
                failure.__cause__ = error
            time.sleep(following.pause_after(failure))

    def csv(self, **query: Any) -> Iterator[str]:
        """The runs as CSV, page by page; takes the arguments of ``list_all``."""
        return read_csv(self._transport, "/v1/runs", query)


class AsyncRuns(generated.AsyncRunsResource):
    """Runs of workflows."""

    async def wait(self, id: str, *, until: Until = "rest", timeout: float | None = None) -> RunWithSteps:
        """The run, once it has ended or waits for a person; with ``until="end"``, once it has ended.

        Raises a ``TimeoutError`` after ``timeout`` seconds; by default there is none.
        """
        waiting = _Waiting(id, until, timeout)
        while True:
            asked = self.retrieve(id, wait=waiting.ask(), max_retries=_patience(self._transport))
            run = await asked
            if waiting.is_over(run):
                return run
            await asyncio.sleep(waiting.pause())

    async def stream(self, id: str, *, after: int = 0, on_text: OnText | None = None) -> AsyncIterator[RunEvent]:
        """The events of a run, stored and new ones, each once and in order, until its last one.

        ``after`` is the number of the last event that is known. A broken connection is resumed. ``on_text`` is called
        with what the models write, as they write it.
        """
        following = _Following(id, after, on_text)
        retries = _patience(self._transport)
        while True:
            failure = broken("closed early")
            try:
                options = Options(max_retries=retries)
                opened = await self._transport.open(following.call(), options, _silence)
                try:
                    async with aclosing(EventSource(opened).aiter_sse()) as events:
                        async for sent in events:
                            event = following.take(sent.data)
                            if event is not None:
                                yield event
                            if following.is_over:
                                return
                finally:
                    await opened.aclose()
                if following.was_ended and not following.has_new:
                    return
                # The service stopped, a proxy cut the stream, or there are no more events.
                following.was_ended |= _has_ended(await self.retrieve(id, max_retries=retries))
                if following.was_ended:
                    continue
            except httpx.HTTPError as error:
                failure = broken("cut off")
                failure.__cause__ = error
            await asyncio.sleep(following.pause_after(failure))

    def csv(self, **query: Any) -> AsyncIterator[str]:
        """The runs as CSV, page by page; takes the arguments of ``list_all``."""
        return aread_csv(self._transport, "/v1/runs", query)


class _Waiting:
    """A wait for a run by long polls."""

    def __init__(self, id: str, until: Until, timeout: float | None) -> None:
        self._id = id
        self._until = until
        self._timeout = timeout
        self._began_at = self._asked_at = time.monotonic()

    def ask(self) -> int:
        """How many seconds the next poll may take."""
        self._asked_at = time.monotonic()
        return int(max(0.0, min(_poll_seconds, self._left())))

    def is_over(self, run: RunWithSteps) -> bool:
        return _has_ended(run) or (self._until == "rest" and run.status == "waiting_input")

    def pause(self) -> float:
        """The service answers at once for a run that waits for a person."""
        if self._left() <= 0:
            raise timeout_error(f"Cannot wait for run {self._id}: it did not rest within {self._timeout} s")
        left = _pause - (time.monotonic() - self._asked_at)
        return max(0.0, min(left, self._left()))

    def _left(self) -> float:
        if self._timeout is None:
            return float("inf")
        return self._timeout - (time.monotonic() - self._began_at)


class _Following:
    """How far a stream of events has come, over all its connections."""

    def __init__(self, id: str, after: int, on_text: OnText | None) -> None:
        self._id = id
        self._sequence = after
        self._on_text = on_text
        self._failures = 0
        self._opened_at = 0.0
        self.has_new = False
        self.is_over = False
        self.was_ended = False

    def call(self) -> Call:
        self._opened_at = time.monotonic()
        self.has_new = False
        headers = {"accept": "text/event-stream", "last-event-id": str(self._sequence)}
        query = {} if self._on_text is None else {"deltas": True}
        return Call("GET", f"/v1/runs/{segment(self._id)}/events", query=query, headers=headers)

    def take(self, text: str) -> RunEvent | None:
        """An event that is new; parts of a text go to their own function."""
        if text == "":
            return None
        try:
            data = json.loads(text)
        except ValueError as error:
            raise UnexpectedAnswerError(
                "The event stream holds something that is not JSON",
                status=200,
                code="malformed_answer",
            ) from error
        if "sequence" not in data:
            if self._on_text is not None:
                self._on_text(StepText(data))
            return None
        if data["sequence"] <= self._sequence:
            return None
        self._sequence = data["sequence"]
        self._failures = 0
        self.has_new = True
        self.is_over = data["type"] in ("run.completed", "run.failed")
        event: RunEvent = to_value(RunEvent, data)
        return event

    def pause_after(self, failure: MusterError) -> float:
        """Seconds to the next connection; raises the failure after too many."""
        # A connection that lasted was fine: a step may take long without an event.
        if time.monotonic() - self._opened_at > _steady:
            self._failures = 0
        if self._failures == _follow_retries:
            raise failure
        self._failures += 1
        return float(_first_pause * 2 ** (self._failures - 1))


def broken(how: str) -> MusterError:
    return connection_error("stream_broken", f"The event stream was {how}")


def _has_ended(run: RunWithSteps) -> bool:
    return run.status in ("completed", "failed")


def _patience(transport: Transport | AsyncTransport) -> int:
    """A longer wait survives a restart of the service."""
    return max(_follow_retries, transport.calls.max_retries)
