"""Executes calls of tools in this process: claims them, calls your functions, reports what they return.

The service needs no way to reach this process. Use a key with the role ``worker``.
"""

from __future__ import annotations

import asyncio
import inspect
import random
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, TypeVar, overload

from muster._errors import MusterError
from muster._generated import ClaimedCall, RequestedCall
from muster._transport import AsyncTransport, Call, Options, Transport, segment

_wait_seconds: Final = 20
"""The service answers a claim without calls after this time."""
_most_per_claim: Final = 50
_first_pause: Final = 0.25
_longest_pause: Final = 8.0
_grace: Final = 60.0
"""The service's clock decides whether a report is in time, and may differ."""
_most_message: Final = 10_000


@dataclass(frozen=True)
class ServedCall:
    """A call that a function executes."""

    call_id: str
    """The same for each try, so it can be an idempotency key elsewhere."""
    run_id: str
    name: str
    """Name of the tool."""
    try_: int
    """How often the call was given to a worker, this time included."""
    lost: threading.Event = field(default_factory=threading.Event)
    """Set when the call is no longer this worker's, such as when its run was cancelled."""


Function = TypeVar("Function", bound=Callable[..., Any])
Functions = Mapping[str, Callable[..., Any]]
OnError = Callable[[Exception], object]


class Tools:
    """Tools of this process, for blocking programs."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._registered: dict[str, Callable[..., Any]] = {}

    @overload
    def serve(self, tools: str) -> Callable[[Function], Function]: ...
    @overload
    def serve(
        self,
        tools: Functions | None = None,
        *,
        concurrency: int = 10,
        lease_seconds: int = 60,
        stop: threading.Event | None = None,
        on_error: OnError | None = None,
    ) -> None: ...
    def serve(
        self,
        tools: str | Functions | None = None,
        *,
        concurrency: int = 10,
        lease_seconds: int = 60,
        stop: threading.Event | None = None,
        on_error: OnError | None = None,
    ) -> Any:
        """Serves tools by their names until ``stop`` is set or Ctrl-C; then finishes the calls in progress.

        A function takes ``(input)`` or ``(input, call)``, in a thread of its own. Its output is what it returns, as
        JSON; an exception is the error for the agent, and one with ``retryable = True`` says that nothing happened.
        With a name, it is a decorator: ``@muster.tools.serve("lookup")``, and later ``muster.tools.serve()``.
        Raises if the service refuses the key.
        """
        if isinstance(tools, str):
            return _registering(self._registered, tools)
        served = {**self._registered, **(tools or {})}
        _check(served, concurrency)
        worker = _Worker(self._transport, served, concurrency, lease_seconds, on_error)
        worker.serve(stop or threading.Event())


class _Worker:
    def __init__(
        self,
        transport: Transport,
        tools: Functions,
        concurrency: int,
        lease_seconds: int,
        on_error: OnError | None,
    ) -> None:
        self._transport = transport
        self._tools = tools
        self._concurrency = concurrency
        self._lease_seconds = lease_seconds
        self._on_error = on_error
        self._held: dict[str, tuple[ClaimedCall, ServedCall]] = {}

    def serve(self, stop: threading.Event) -> None:
        running: set[Future[None]] = set()
        pauses = _Pauses()
        ended = threading.Event()
        beats = threading.Thread(target=self._keep_leases, args=(ended,), daemon=True)
        beats.start()
        with ThreadPoolExecutor(self._concurrency) as pool:
            try:
                while not stop.is_set():
                    running = {one for one in running if not one.done()}
                    free = self._concurrency - len(running)
                    if free == 0:
                        wait(running, timeout=1, return_when=FIRST_COMPLETED)
                        continue
                    try:
                        for claimed in self._claim(free):
                            call = _served(claimed)
                            self._held[claimed.id] = (claimed, call)
                            running.add(pool.submit(self._execute, claimed, call))
                        pauses.reset()
                    except MusterError as error:
                        stop.wait(pauses.after(error, self._on_error))
            finally:
                wait(running)
                ended.set()
        beats.join()

    def _claim(self, free: int) -> list[ClaimedCall]:
        call, options = _claim(list(self._tools), free, self._lease_seconds)
        claimed: list[ClaimedCall] = self._transport.value(call, options, list[ClaimedCall])
        return claimed

    def _execute(self, claimed: ClaimedCall, call: ServedCall) -> None:
        try:
            report = {"output": _called(self._tools[call.name], claimed.input, call)}
        except Exception as error:
            report = _error(error)
        self._held.pop(claimed.id, None)
        pauses = _Pauses()
        while True:
            try:
                self._transport.data(_report(claimed, report), Options(), RequestedCall)
                return
            except MusterError as error:
                if _is_refused(error) or _is_over(claimed):
                    _tell(self._on_error, error)
                    return
                time.sleep(pauses.next())

    def _keep_leases(self, ended: threading.Event) -> None:
        every = self._lease_seconds / 3
        while not ended.wait(every):
            for claimed, call in list(self._held.values()):
                try:
                    self._transport.data(_beat(claimed, self._lease_seconds), Options(timeout=every), RequestedCall)
                except MusterError as error:
                    # Without an answer the lease may still hold: the next try will tell.
                    if _is_refused(error):
                        call.lost.set()
                        self._held.pop(claimed.id, None)


class AsyncTools:
    """Tools of this process, for asyncio programs."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport
        self._registered: dict[str, Callable[..., Any]] = {}

    @overload
    def serve(self, tools: str) -> Callable[[Function], Function]: ...
    @overload
    def serve(
        self,
        tools: Functions | None = None,
        *,
        concurrency: int = 10,
        lease_seconds: int = 60,
        on_error: OnError | None = None,
    ) -> Awaitable[None]: ...
    def serve(
        self,
        tools: str | Functions | None = None,
        *,
        concurrency: int = 10,
        lease_seconds: int = 60,
        on_error: OnError | None = None,
    ) -> Any:
        """Serves tools by their names until its task is cancelled; then finishes the calls in progress.

        A function takes ``(input)`` or ``(input, call)``, and may be a coroutine function. Its output is what it
        returns, as JSON; an exception is the error for the agent, and one with ``retryable = True`` says that nothing
        happened.
        With a name, it is a decorator: ``@muster.tools.serve("lookup")``, and later ``await muster.tools.serve()``.
        Raises if the service refuses the key.
        """
        if isinstance(tools, str):
            return _registering(self._registered, tools)
        served = {**self._registered, **(tools or {})}
        _check(served, concurrency)
        return self._serve(served, concurrency, lease_seconds, on_error)

    async def _serve(self, tools: Functions, concurrency: int, lease_seconds: int, on_error: OnError | None) -> None:
        running: set[asyncio.Task[None]] = set()
        pauses = _Pauses()
        try:
            while True:
                free = concurrency - len(running)
                if free == 0:
                    await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                    continue
                try:
                    call, options = _claim(list(tools), free, lease_seconds)
                    claimed = await self._transport.value(call, options, list[ClaimedCall])
                    for one in claimed:
                        task = asyncio.create_task(self._execute(tools, one, lease_seconds, on_error))
                        running.add(task)
                        task.add_done_callback(running.discard)
                    pauses.reset()
                except MusterError as error:
                    await asyncio.sleep(pauses.after(error, on_error))
        finally:
            if running:
                await asyncio.wait(running)

    async def _execute(
        self, tools: Functions, claimed: ClaimedCall, lease_seconds: int, on_error: OnError | None
    ) -> None:
        call = _served(claimed)
        beats = asyncio.create_task(self._keep_lease(claimed, call, lease_seconds))
        try:
            output = _called(tools[call.name], claimed.input, call)
            report = {"output": await output if inspect.isawaitable(output) else output}
        except Exception as error:
            report = _error(error)
        finally:
            beats.cancel()
        pauses = _Pauses()
        while True:
            try:
                await self._transport.data(_report(claimed, report), Options(), RequestedCall)
                return
            except MusterError as error:
                if _is_refused(error) or _is_over(claimed):
                    _tell(on_error, error)
                    return
                await asyncio.sleep(pauses.next())

    async def _keep_lease(self, claimed: ClaimedCall, call: ServedCall, lease_seconds: int) -> None:
        every = lease_seconds / 3
        while True:
            await asyncio.sleep(every)
            try:
                await self._transport.data(_beat(claimed, lease_seconds), Options(timeout=every), RequestedCall)
            except MusterError as error:
                # Without an answer the lease may still hold: the next try will tell.
                if _is_refused(error):
                    call.lost.set()
                    return


class _Pauses:
    """Between tries that failed, and growing."""

    def __init__(self) -> None:
        self._pause = _first_pause

    def reset(self) -> None:
        self._pause = _first_pause

    def next(self) -> float:
        pause = self._pause * random.uniform(0.5, 1.0)
        self._pause = min(2 * self._pause, _longest_pause)
        return pause

    def after(self, error: MusterError, on_error: OnError | None) -> float:
        """Seconds to the next claim; raises if the key, or the request itself, is refused."""
        if error.status in (400, 401, 403, 404):
            raise error
        _tell(on_error, error)
        return self.next()


def _registering(registered: dict[str, Callable[..., Any]], name: str) -> Callable[[Function], Function]:
    def register(function: Function) -> Function:
        registered[name] = function
        return function

    return register


def _check(tools: Functions, concurrency: int) -> None:
    if not tools:
        raise ValueError("Cannot serve tools: none is given")
    if concurrency < 1:
        raise ValueError(f"Cannot serve tools: concurrency is {concurrency}, expected 1 or more")


def _served(claimed: ClaimedCall) -> ServedCall:
    return ServedCall(claimed.id, claimed.run_id, claimed.name, claimed.try_)


def _called(function: Callable[..., Any], given: Any, call: ServedCall) -> Any:
    takes = inspect.signature(function).parameters.values()
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    takes_call = sum(one.kind in kinds for one in takes) > 1
    plain = given.to_dict() if hasattr(given, "to_dict") else given
    return function(plain, call) if takes_call else function(plain)


def _error(error: Exception) -> dict[str, Any]:
    message = str(error)[:_most_message] or type(error).__name__
    is_retryable = getattr(error, "retryable", False) is True
    return {"error": {"message": message, **({"retryable": True} if is_retryable else {})}}


def _claim(names: list[str], free: int, lease_seconds: int) -> tuple[Call, Options]:
    # A repeated claim would get other calls, so a lost answer is left to the lease.
    body = {
        "names": names,
        "limit": min(free, _most_per_claim),
        "lease_seconds": lease_seconds,
        "wait_seconds": _wait_seconds,
    }
    call = Call("POST", "/v1/tool-calls/claim", body=body, is_plain=True)
    return call, Options(max_retries=0, timeout=_wait_seconds + 30)


def _beat(claimed: ClaimedCall, lease_seconds: int) -> Call:
    body = {"lease": claimed.lease, "lease_seconds": lease_seconds}
    return Call("POST", f"/v1/tool-calls/{segment(claimed.id)}/heartbeat", body=body, is_plain=True)


def _report(claimed: ClaimedCall, report: dict[str, Any]) -> Call:
    body = {"lease": claimed.lease, **report}
    return Call("POST", f"/v1/tool-calls/{segment(claimed.id)}/result", body=body, is_plain=True)


def _is_refused(error: MusterError) -> bool:
    return 400 <= error.status < 500 and error.status not in (408, 429)


def _is_over(claimed: ClaimedCall) -> bool:
    end = datetime.fromisoformat(claimed.expires_at.replace("Z", "+00:00"))
    return time.time() > end.timestamp() + _grace


def _tell(on_error: OnError | None, error: MusterError) -> None:
    if on_error is not None:
        on_error(error)
