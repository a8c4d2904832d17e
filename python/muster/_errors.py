"""Failures of calls."""

from __future__ import annotations

import json
import re
import time
from email.utils import parsedate_to_datetime
from typing import Any

import httpx


class MusterError(Exception):
    """A failure of a call.

    ``status`` is the HTTP status, or 0 without an answer; then ``type`` is ``connection`` or ``timeout``. ``code`` is a
    stable code of the cause, such as ``string_too_long``; ``param`` the path of the invalid field, such as
    ``crew[2].role``; ``request_id`` identifies the request in the service's logs.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int = 0,
        type: str = "unexpected_answer",
        code: str = "unexpected_answer",
        param: str | None = None,
        request_id: str | None = None,
        line: int | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.type = type
        self.code = code
        self.param = param
        self.request_id = request_id
        self.line = line
        """Line of the training data with the error, from 1."""
        self.retry_after = retry_after
        """Seconds after which the service says that another try is worth it."""


class InvalidRequestError(MusterError):
    """The request is not valid; ``param`` says where."""


class UnauthenticatedError(MusterError):
    """There is no valid key or session."""


class ForbiddenError(MusterError):
    """The key may not do this."""


class NotFoundError(MusterError):
    """There is no such object in the account."""


class ConflictError(MusterError):
    """The state of the object does not allow this."""


class PayloadTooLargeError(MusterError):
    """The body is too large."""


class RateLimitedError(MusterError):
    """Too many requests; it was tried again ``max_retries`` times."""


class UnavailableError(MusterError):
    """The service cannot do this at the moment."""


class InternalError(MusterError):
    """The service failed; its logs name ``request_id``."""


class ConnectionError(MusterError):  # noqa: A001
    """There was no connection, or it broke."""


class TimeoutError(MusterError):  # noqa: A001
    """There was no complete answer in time."""


class UnexpectedAnswerError(MusterError):
    """What answered is not Muster, such as a proxy."""


_classes: dict[str, type[MusterError]] = {
    "invalid_request": InvalidRequestError,
    "unauthenticated": UnauthenticatedError,
    "forbidden": ForbiddenError,
    "not_found": NotFoundError,
    "conflict": ConflictError,
    "payload_too_large": PayloadTooLargeError,
    "rate_limited": RateLimitedError,
    "unavailable": UnavailableError,
    "internal": InternalError,
    "connection": ConnectionError,
    "timeout": TimeoutError,
    "unexpected_answer": UnexpectedAnswerError,
}

_most_shown = 200


def error_of(response: httpx.Response) -> MusterError:
    """The failure that an answer tells; one that is not Muster's is described by its first words."""
    request_id = response.headers.get("x-request-id")
    retry_after = _seconds(response.headers.get("retry-after"))
    error = _body_of(response)
    if error is None:
        words = re.sub(r"(?is)<(style|script).*?</\1>|<[^>]*>", " ", response.text[:10_000])
        shown = " ".join(words.split())[:_most_shown] or "empty"
        return UnexpectedAnswerError(
            f"The answer was {response.status_code}, not from Muster: {shown}",
            status=response.status_code,
            request_id=request_id,
            retry_after=retry_after,
        )
    return _classes.get(error["type"], MusterError)(
        error["message"],
        status=response.status_code,
        type=error["type"],
        code=error["code"],
        param=error.get("param"),
        line=error.get("line"),
        request_id=error.get("request_id", request_id),
        retry_after=retry_after,
    )


def connection_error(code: str, message: str) -> MusterError:
    return ConnectionError(message, type="connection", code=code)


def timeout_error(message: str) -> MusterError:
    return TimeoutError(message, type="timeout", code="timeout")


def _body_of(response: httpx.Response) -> dict[str, Any] | None:
    try:
        error = json.loads(response.text)["error"]
        texts = [error["type"], error["code"], error["message"]]
    except (ValueError, KeyError, TypeError):
        return None
    return error if all(isinstance(text, str) for text in texts) else None


def _seconds(header: str | None) -> float | None:
    """Of a ``Retry-After``, which has seconds or a date."""
    if header is None:
        return None
    if header.isdigit():
        return float(header)
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except ValueError:
        return None
