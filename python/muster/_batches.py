"""Batch methods in addition to the generated ones: items from a file, results, estimates, waiting for the end."""

from __future__ import annotations

import asyncio
import time
from typing import Any, Final, Literal

import httpx

from muster import _generated as generated
from muster._generated import Batch, BatchEstimate
from muster._transport import Call, Options, segment

Kind = Literal["csv", "jsonl"]
_media_types: Final = {"csv": "text/csv", "jsonl": "application/x-ndjson"}
_poll: Final = 1.0


class Batches(generated.BatchesResource):
    """Batches of runs."""

    def estimate(self, workflow_id: str, **body: Any) -> BatchEstimate:
        """The cost and time of a batch; nothing is started. Takes the arguments of ``create``."""
        estimate: Any = self.create(workflow_id, **{**body, "dry_run": True})
        return BatchEstimate(estimate.to_dict())

    def create_from_file(
        self, workflow_id: str, content: bytes | str, *, type: Kind, key: str | None = None, **fields: Any
    ) -> Batch:
        """Starts a batch with an item a line: CSV, whose columns are fields of ``data``, or JSON Lines; up to 32 MB.

        ``key`` is the column of a CSV with the keys of the items. ``fields`` are those of ``create``: ``name``,
        ``concurrency``, ``input``.
        """
        call = _from_file(workflow_id, content, type, {**fields, "key": key})
        return self._transport.data(call, Options(), Batch)

    def estimate_from_file(self, workflow_id: str, content: bytes | str, *, type: Kind, **fields: Any) -> BatchEstimate:
        """The cost and time of a batch with the items of a file; nothing is started."""
        call = _from_file(workflow_id, content, type, {**fields, "dry_run": True})
        return self._transport.data(call, Options(), BatchEstimate)

    def results(self, id: str, *, type: Kind = "jsonl") -> str:
        """The results, a line an item."""
        return self._transport.send(_results(id, type), Options(), _read)

    def wait(self, id: str, *, poll: float = _poll) -> Batch:
        """The batch, once its last item has ended."""
        while True:
            batch = self.retrieve(id)
            if batch.finished_at is not None:
                return batch
            time.sleep(poll)


class AsyncBatches(generated.AsyncBatchesResource):
    """Batches of runs."""

    async def estimate(self, workflow_id: str, **body: Any) -> BatchEstimate:
        """The cost and time of a batch; nothing is started. Takes the arguments of ``create``."""
        estimate: Any = await self.create(workflow_id, **{**body, "dry_run": True})
        return BatchEstimate(estimate.to_dict())

    async def create_from_file(
        self, workflow_id: str, content: bytes | str, *, type: Kind, key: str | None = None, **fields: Any
    ) -> Batch:
        """Starts a batch with an item a line: CSV, whose columns are fields of ``data``, or JSON Lines; up to 32 MB.

        ``key`` is the column of a CSV with the keys of the items. ``fields`` are those of ``create``: ``name``,
        ``concurrency``, ``input``.
        """
        call = _from_file(workflow_id, content, type, {**fields, "key": key})
        return await self._transport.data(call, Options(), Batch)

    async def estimate_from_file(
        self, workflow_id: str, content: bytes | str, *, type: Kind, **fields: Any
    ) -> BatchEstimate:
        """The cost and time of a batch with the items of a file; nothing is started."""
        call = _from_file(workflow_id, content, type, {**fields, "dry_run": True})
        return await self._transport.data(call, Options(), BatchEstimate)

    async def results(self, id: str, *, type: Kind = "jsonl") -> str:
        """The results, a line an item."""
        return await self._transport.send(_results(id, type), Options(), _read)

    async def wait(self, id: str, *, poll: float = _poll) -> Batch:
        """The batch, once its last item has ended."""
        while True:
            batch = await self.retrieve(id)
            if batch.finished_at is not None:
                return batch
            await asyncio.sleep(poll)


def _from_file(workflow_id: str, content: bytes | str, type: Kind, query: dict[str, Any]) -> Call:
    return Call(
        "POST",
        f"/v1/workflows/{segment(workflow_id)}/batches",
        query=query,
        content=content.encode() if isinstance(content, str) else content,
        headers={"content-type": _media_types[type]},
    )


def _results(id: str, type: Kind) -> Call:
    return Call("GET", f"/v1/batches/{segment(id)}/results", headers={"accept": _media_types[type]})


def _read(response: httpx.Response) -> str:
    return response.text
