"""The clients."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from types import TracebackType
from typing import Any

import httpx

from muster import _generated as generated
from muster._batches import AsyncBatches, Batches
from muster._csv import aread_csv, read_csv
from muster._events import AsyncEvents, Events
from muster._files import AsyncFiles, Files
from muster._runs import AsyncRuns, Runs
from muster._threads import AsyncThreads, Threads
from muster._tools import AsyncTools, Tools
from muster._transport import AsyncTransport, Transport


class Audit(generated.AuditResource):
    """Who changed what."""

    def csv(self, **query: Any) -> Iterator[str]:
        """The changes as CSV, page by page; takes the arguments of ``list``."""
        return read_csv(self._transport, "/v1/audit", query)


class AsyncAudit(generated.AsyncAuditResource):
    """Who changed what."""

    def csv(self, **query: Any) -> AsyncIterator[str]:
        """The changes as CSV, page by page; takes the arguments of ``list``."""
        return aread_csv(self._transport, "/v1/audit", query)


class Usage(generated.UsageResource):
    """Runs, tokens and cost."""

    def csv(self, **query: Any) -> str:
        """All rows as CSV; takes the arguments of ``list``."""
        return "".join(read_csv(self._transport, "/v1/usage", {"limit": 1_000, **query}))


class AsyncUsage(generated.AsyncUsageResource):
    """Runs, tokens and cost."""

    async def csv(self, **query: Any) -> str:
        """All rows as CSV; takes the arguments of ``list``."""
        pages = aread_csv(self._transport, "/v1/usage", {"limit": 1_000, **query})
        return "".join([page async for page in pages])


class Muster(generated.Api):
    """A client of one Muster service: ``Muster(api_key="mst_…").runs.create(workflow_id, input="…")``.

    ``api_key`` and ``base_url`` are ``MUSTER_API_KEY`` and ``MUSTER_URL`` of the environment by default, and
    ``http://127.0.0.1:3000``. ``timeout`` is in seconds, for a call with all its retries. Any number of threads may use
    it.
    """

    def __init__(
        self,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        timeout: float = 60.0,
        max_retries: int = 3,
        http_client: httpx.Client | None = None,
    ) -> None:
        self._transport = Transport(
            api_key=api_key,
            base_url=base_url,
            timeout=timeout,
            max_retries=max_retries,
            http_client=http_client,
        )
        super().__init__(self._transport)
        self.runs = Runs(self._transport)
        self.files = Files(self._transport)
        self.batches = Batches(self._transport)
        self.audit = Audit(self._transport)
        self.usage = Usage(self._transport)
        self.events = Events(self._transport)
        self.threads = Threads(self._transport)
        self.tools = Tools(self._transport)

    def close(self) -> None:
        self._transport.client.close()

    def __enter__(self) -> Muster:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class AsyncMuster(generated.AsyncApi):
    """The same for asyncio: ``await AsyncMuster(api_key="mst_…").runs.create(workflow_id, input="…")``."""

    def __init__(
        self,
        *,
        api_key: str | None = None,
        base_url: str | None = None,
        timeout: float = 60.0,
        max_retries: int = 3,
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        self._transport = AsyncTransport(
            api_key=api_key,
            base_url=base_url,
            timeout=timeout,
            max_retries=max_retries,
            http_client=http_client,
        )
        super().__init__(self._transport)
        self.runs = AsyncRuns(self._transport)
        self.files = AsyncFiles(self._transport)
        self.batches = AsyncBatches(self._transport)
        self.audit = AsyncAudit(self._transport)
        self.usage = AsyncUsage(self._transport)
        self.events = AsyncEvents(self._transport)
        self.threads = AsyncThreads(self._transport)
        self.tools = AsyncTools(self._transport)

    async def close(self) -> None:
        await self._transport.client.aclose()

    async def __aenter__(self) -> AsyncMuster:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()
