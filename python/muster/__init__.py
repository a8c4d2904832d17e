"""The Python SDK of Muster, an agent workflow service."""

from muster._client import AsyncMuster, Muster
from muster._errors import (
    ConflictError,
    ConnectionError,
    ForbiddenError,
    InternalError,
    InvalidRequestError,
    MusterError,
    NotFoundError,
    PayloadTooLargeError,
    RateLimitedError,
    TimeoutError,
    UnauthenticatedError,
    UnavailableError,
    UnexpectedAnswerError,
)
from muster._object import ApiObject
from muster._page import AsyncPage, AsyncPages, Page
from muster._runs import StepText
from muster._threads import EndedMessage
from muster._tools import ServedCall
from muster._transport import NOT_GIVEN, NotGiven
from muster._webhooks import WebhookEvent, WebhookVerificationError, verify_webhook

__all__ = [
    "NOT_GIVEN",
    "ApiObject",
    "AsyncMuster",
    "AsyncPage",
    "AsyncPages",
    "ConflictError",
    "ConnectionError",
    "EndedMessage",
    "ForbiddenError",
    "InternalError",
    "InvalidRequestError",
    "Muster",
    "MusterError",
    "NotFoundError",
    "NotGiven",
    "Page",
    "PayloadTooLargeError",
    "RateLimitedError",
    "ServedCall",
    "StepText",
    "TimeoutError",
    "UnauthenticatedError",
    "UnavailableError",
    "UnexpectedAnswerError",
    "WebhookEvent",
    "WebhookVerificationError",
    "verify_webhook",
]
