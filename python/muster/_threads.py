"""Thread methods in addition to the generated ones: following a thread, and waiting for an answer."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing, closing
from typing import Any, Final

import httpx
from httpx_sse import EventSource, ServerSentEvent

from muster import _generated as generated
from muster._errors import MusterError, UnexpectedAnswerError, timeout_error
from muster._generated import MessageChanged, RunEvent, ThreadMessage
from muster._object import ApiObject, to_value
from muster._runs import OnText, StepText, _first_pause, _follow_retries, _patience, _silence, _steady, broken
from muster._transport import Call, Options, segment

_ids_per_turn: Final = 1_048_576
"""Ids of a turn begin at its number times this."""

OnId = Callable[[str], object]

ThreadEvent = MessageChanged | RunEvent
"""An event of a run has the fields ``message_id`` and ``thread_turn`` as well."""


class EndedMessage(ApiObject):
    """A message that has ended, and its answer if it was answered."""

    message: ThreadMessage
    answer: ThreadMessage | None


class Threads(generated.ThreadsResource):
    """Conversations with workflows."""

    def stream(
        self, id: str, *, after: str | None = None, on_id: OnId | None = None, on_text: OnText | None = None
    ) -> Iterator[ThreadEvent]:
        """The events of all turns, stored and new ones, in order, and ``message.changed``, without an end.

        ``after`` is the id of the last event that is known, which ``on_id`` is called with. A broken connection is
        resumed. ``on_text`` is called with what the models write, as they write it.
        """
        following = _Following(id, after, on_id, on_text)
        retries = _patience(self._transport)
        while True:
            failure = broken("closed early")
            try:
                opened = self._transport.open(following.call(), Options(max_retries=retries), _silence)
                with closing(opened):
                    for sent in EventSource(opened).iter_sse():
                        event = following.take(sent)
                        if event is not None:
                            yield event
            except httpx.HTTPError as error:
                failure = broken("cut off")
                failure.__cause__ = error
            time.sleep(following.pause_after(failure))

    def wait(
        self, id: str, message: ThreadMessage, *, timeout: float | None = None, on_text: OnText | None = None
    ) -> EndedMessage:
        """The message once it has ended, with its answer if it was answered.

        Raises a ``TimeoutError`` after ``timeout`` seconds, looked at with each event; by default there is none.
        """
        ending = _Ending(message, timeout)
        with closing(self.stream(id, after=ending.after, on_text=on_text)) as events:  # type: ignore[type-var]
            for event in events:
                ended = ending.take(event)
                if ended is not None:
                    return ended
        raise broken("closed early")


class AsyncThreads(generated.AsyncThreadsResource):
    """Conversations with workflows."""

    async def stream(
        self, id: str, *, after: str | None = None, on_id: OnId | None = None, on_text: OnText | None = None
    ) -> AsyncIterator[ThreadEvent]:
        """The events of all turns, stored and new ones, in order, and ``message.changed``, without an end.

        ``after`` is the id of the last event that is known, which ``on_id`` is called with. A broken connection is
        resumed. ``on_text`` is called with what the models write, as they write it.
        """
        following = _Following(id, after, on_id, on_text)
        retries = _patience(self._transport)
        while True:
            failure = broken("closed early")
            try:
                opened = await self._transport.open(following.call(), Options(max_retries=retries), _silence)
                try:
                    async with aclosing(EventSource(opened).aiter_sse()) as events:
                        async for sent in events:
                            event = following.take(sent)
                            if event is not None:
                                yield event
                finally:
                    await opened.aclose()
            except httpx.HTTPError as error:
                failure = broken("cut off")
                failure.__cause__ = error
            await asyncio.sleep(following.pause_after(failure))

    async def wait(
        self, id: str, message: ThreadMessage, *, timeout: float | None = None, on_text: OnText | None = None
    ) -> EndedMessage:
        """The message once it has ended, with its answer if it was answered.

        Raises a ``TimeoutError`` after ``timeout`` seconds; by default there is none.
        """
        ending = _Ending(message, None)
        stream = self.stream(id, after=ending.after, on_text=on_text)

        async def until_it_ends() -> EndedMessage:
            async for event in stream:
                ended = ending.take(event)
                if ended is not None:
                    return ended
            raise broken("closed early")

        try:
            return await asyncio.wait_for(until_it_ends(), timeout)
        except (TimeoutError, asyncio.TimeoutError) as error:
            raise timeout_error(f"Cannot wait for message {message.id}: it did not end within {timeout} s") from error
        finally:
            await stream.aclose()  # type: ignore[attr-defined]


class _Ending:
    """A wait for the end of a message."""

    def __init__(self, message: ThreadMessage, timeout: float | None) -> None:
        self._id = message.id
        self._timeout = timeout
        self._begun_at = time.monotonic()
        self.after = str(message.turn * _ids_per_turn - 1)

    def take(self, event: ThreadEvent) -> EndedMessage | None:
        if self._timeout is not None and time.monotonic() - self._begun_at > self._timeout:
            raise timeout_error(f"Cannot wait for message {self._id}: it did not end within {self._timeout} s")
        if not isinstance(event, MessageChanged) or event.message_id != self._id:
            return None
        if event.message.status in ("queued", "running", "waiting_input"):
            return None
        ended: EndedMessage = to_value(EndedMessage, {"answer": None, **event.to_dict()})
        return ended


class _Following:
    """How far a stream of events has come, over all its connections."""

    def __init__(self, id: str, after: str | None, on_id: OnId | None, on_text: OnText | None) -> None:
        self._id = id
        self._last = after
        self._on_id = on_id
        self._on_text = on_text
        self._failures = 0
        self._opened_at = 0.0

    def call(self) -> Call:
        self._opened_at = time.monotonic()
        headers = {"accept": "text/event-stream"}
        if self._last is not None:
            headers["last-event-id"] = self._last
        query = {} if self._on_text is None else {"deltas": True}
        return Call("GET", f"/v1/threads/{segment(self._id)}/events", query=query, headers=headers)

    def take(self, sent: ServerSentEvent) -> ThreadEvent | None:
        """An event; parts of a text go to their own function."""
        if sent.data == "":
            return None
        try:
            data: dict[str, Any] = json.loads(sent.data)
        except ValueError as error:
            raise UnexpectedAnswerError(
                "The event stream holds something that is not JSON",
                status=200,
                code="malformed_answer",
            ) from error
        self._failures = 0
        if data["type"] in ("step.delta", "step.text"):
            if self._on_text is not None:
                self._on_text(StepText(data))
            return None
        if sent.id != "" and sent.id != self._last:
            self._last = sent.id
            if self._on_id is not None:
                self._on_id(sent.id)
        is_change = data["type"] == "message.changed"
        event: ThreadEvent = MessageChanged(data) if is_change else to_value(RunEvent, data)
        return event

    def pause_after(self, failure: MusterError) -> float:
        """Seconds to the next connection; raises the failure after too many."""
        if time.monotonic() - self._opened_at > _steady:
            self._failures = 0
        if self._failures == _follow_retries:
            raise failure
        self._failures += 1
        return float(_first_pause * 2 ** (self._failures - 1))
