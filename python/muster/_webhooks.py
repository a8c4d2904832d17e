"""Verifies requests of Muster to webhook endpoints, by the rules of Standard Webhooks."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final

from muster._object import ApiObject

_prefix: Final = "whsec_"
_min_secret_bytes: Final = 24


class WebhookEvent(ApiObject):
    """An event that was sent to a webhook endpoint. New types may be added: ignore those that you do not know."""

    id: str
    """As in the header ``webhook-id``. An event may arrive twice: ignore ids that you have processed."""
    type: str
    """Such as ``run.completed``."""
    timestamp: str
    """When it happened."""
    data: dict[str, Any]
    """The run, batch, budget or schedule at that time."""


class WebhookVerificationError(Exception):
    """A request that must not be trusted; answer with 400.

    ``code`` is ``missing_header``, ``bad_timestamp``, ``no_match``, ``invalid_secret`` or ``invalid_payload``.
    """

    def __init__(self, code: str, why: str) -> None:
        super().__init__(f"Cannot verify webhook: {why}")
        self.code = code


def verify_webhook(
    payload: bytes | str,
    headers: Mapping[str, str],
    secret: str | Sequence[str],
    *,
    tolerance_seconds: float = 300,
    now: float | None = None,
) -> WebhookEvent:
    """Verifies the signature over the exact bytes of the body, made with one of the secrets; returns the event.

    ``headers`` are those of the request, in any case; ``now`` replaces the clock, in seconds since 1970. Raises a
    ``WebhookVerificationError``.
    """
    keys = [_key(one) for one in ([secret] if isinstance(secret, str) else secret)]
    if not keys:
        raise WebhookVerificationError("invalid_secret", "there is no secret")
    lower = {name.lower(): value for name, value in headers.items()}
    identifier = _header(lower, "webhook-id")
    timestamp = _header(lower, "webhook-timestamp")
    signatures = _signatures(_header(lower, "webhook-signature"))
    _check_time(timestamp, time.time() if now is None else now, tolerance_seconds)
    if not isinstance(payload, (bytes, bytearray, str)):
        raise WebhookVerificationError(
            "invalid_payload", "give the raw body, a string or bytes, not what was parsed of it"
        )
    body = payload.encode() if isinstance(payload, str) else bytes(payload)
    signed = f"{identifier}.{timestamp}.".encode() + body
    # All are compared, each in constant time.
    matches = [
        hmac.compare_digest(hmac.new(key, signed, hashlib.sha256).digest(), signature)
        for key in keys
        for signature in signatures
    ]
    if not any(matches):
        raise WebhookVerificationError(
            "no_match",
            "no signature was made with this secret over this body; give the raw body, not one that was parsed and "
            "written again",
        )
    return WebhookEvent({**_event(body), "id": identifier})


def _key(secret: str) -> bytes:
    text = secret.strip() if isinstance(secret, str) else ""
    key = _from_base64(text[len(_prefix) :]) if text.startswith(_prefix) else None
    if key is None or len(key) < _min_secret_bytes:
        # The message does not contain the secret.
        raise WebhookVerificationError("invalid_secret", f"a secret is not {_prefix} and base64, as Muster shows it")
    return key


def _header(headers: Mapping[str, str], name: str) -> str:
    value = headers.get(name, "")
    if value == "":
        raise WebhookVerificationError("missing_header", f"there is no header {name}")
    return value


def _signatures(text: str) -> list[bytes]:
    """Of ``v1,base64 v1,base64``; other versions are ignored."""
    pairs = [part.split(",") for part in text.split(" ")]
    found = [_from_base64(pair[1]) for pair in pairs if pair[0] == "v1" and len(pair) > 1]
    return [signature for signature in found if signature is not None]


def _check_time(text: str, now: float, tolerance_seconds: float) -> None:
    if not re.fullmatch(r"[0-9]{1,12}", text):
        raise WebhookVerificationError("bad_timestamp", "webhook-timestamp is not a number of seconds")
    age = int(now) - int(text)
    # Written so that an invalid tolerance accepts nothing.
    if not abs(age) <= tolerance_seconds:
        where = f"{age} seconds old" if age > 0 else f"{-age} seconds in the future"
        raise WebhookVerificationError("bad_timestamp", f"it is {where}, expected up to {tolerance_seconds}")


def _event(body: bytes) -> dict[str, Any]:
    try:
        event = json.loads(body)
    except ValueError as error:
        raise WebhookVerificationError("invalid_payload", "the body is not JSON") from error
    is_event = (
        isinstance(event, dict)
        and isinstance(event.get("type"), str)
        and isinstance(event.get("timestamp"), str)
        and isinstance(event.get("data"), dict)
    )
    if not is_event:
        raise WebhookVerificationError("invalid_payload", "the body is no event with type, timestamp and data")
    return dict(event)


def _from_base64(text: str) -> bytes | None:
    if not re.fullmatch(r"[A-Za-z0-9+/]+={0,2}", text):
        return None
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None
