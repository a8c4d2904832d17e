"""File methods in addition to the generated ones: upload and download of contents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx

from muster import _generated as generated
from muster._generated import StoredFile
from muster._transport import Call, Options, segment

Content = bytes | str | Path


class Files(generated.FilesResource):
    """Files of the account."""

    def upload(
        self,
        content: Content,
        *,
        name: str | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> StoredFile:
        """Uploads up to 32 MB: bytes, a text, or the file at a path, whose name it then has by default.

        The type is determined from the bytes; the ending of the name tells Markdown, CSV and JSON from plain text.
        """
        options = Options(idempotency_key=idempotency_key, timeout=timeout)
        return self._transport.data(_upload(content, name), options, StoredFile)

    def content(self, id: str, *, start: int = 0, end: int | None = None) -> bytes:
        """The bytes of a file, or of a part of it: from ``start`` up to, but not including, ``end``."""
        return self._transport.send(_download(id, start, end), Options(), _read)


class AsyncFiles(generated.AsyncFilesResource):
    """Files of the account."""

    async def upload(
        self,
        content: Content,
        *,
        name: str | None = None,
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> StoredFile:
        """Uploads up to 32 MB: bytes, a text, or the file at a path, whose name it then has by default.

        The type is determined from the bytes; the ending of the name tells Markdown, CSV and JSON from plain text.
        """
        options = Options(idempotency_key=idempotency_key, timeout=timeout)
        return await self._transport.data(_upload(content, name), options, StoredFile)

    async def content(self, id: str, *, start: int = 0, end: int | None = None) -> bytes:
        """The bytes of a file, or of a part of it: from ``start`` up to, but not including, ``end``."""
        return await self._transport.send(_download(id, start, end), Options(), _read)


def _upload(content: Content, name: str | None) -> Call:
    title = name or (content.name if isinstance(content, Path) else "file")
    data = content.read_bytes() if isinstance(content, Path) else content
    files: dict[str, Any] = {"file": (title, data.encode() if isinstance(data, str) else data)}
    return Call("POST", "/v1/files", files=files)


def _download(id: str, start: int, end: int | None) -> Call:
    headers = {"accept": "*/*"}
    if start != 0 or end is not None:
        headers["range"] = f"bytes={start}-{'' if end is None else end - 1}"
    return Call("GET", f"/v1/files/{segment(id)}/content", headers=headers)


def _read(response: httpx.Response) -> bytes:
    return response.content
