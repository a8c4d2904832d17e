from __future__ import annotations

import base64
import hashlib
import hmac
import json

import pytest

from muster import WebhookVerificationError, verify_webhook

key = bytes(range(32))
secret = "whsec_" + base64.b64encode(key).decode()
now = 1_795_251_600
body = json.dumps({"type": "run.completed", "timestamp": "t", "data": {"id": "run_1"}})


def signed(text: str, at: int = now, by: bytes = key) -> dict[str, str]:
    digest = hmac.new(by, f"evt_1.{at}.{text}".encode(), hashlib.sha256).digest()
    signature = "v1," + base64.b64encode(digest).decode()
    return {"Webhook-Id": "evt_1", "Webhook-Timestamp": str(at), "Webhook-Signature": signature}


def code_of(*args: object, **kwargs: object) -> str:
    with pytest.raises(WebhookVerificationError) as refused:
        verify_webhook(*args, **kwargs)  # type: ignore[arg-type]
    return refused.value.code


def test_a_genuine_event_is_returned_with_its_id() -> None:
    for payload in (body, body.encode()):
        event = verify_webhook(payload, signed(body), secret, now=now)
        assert (event.id, event.type, event.data["id"]) == ("evt_1", "run.completed", "run_1")


def test_one_of_several_secrets_and_signatures_is_enough() -> None:
    other = "whsec_" + base64.b64encode(b"x" * 32).decode()
    headers = signed(body)
    headers["Webhook-Signature"] = "v2,abc v1,AAAA " + headers["Webhook-Signature"]
    assert verify_webhook(body, headers, [other, secret], now=now).id == "evt_1"


def test_everything_else_is_refused_with_a_code() -> None:
    assert code_of(body + " ", signed(body), secret, now=now) == "no_match"
    assert code_of(body, signed(body, by=b"y" * 32), secret, now=now) == "no_match"
    assert code_of(body, signed(body, at=now - 301), secret, now=now) == "bad_timestamp"
    assert code_of(body, signed(body, at=now + 301), secret, now=now) == "bad_timestamp"
    assert code_of(body, {**signed(body), "Webhook-Timestamp": "soon"}, secret) == "bad_timestamp"
    assert code_of(body, {}, secret, now=now) == "missing_header"
    assert code_of(json.loads(body), signed(body), secret, now=now) == "invalid_payload"
    assert code_of("no json", signed("no json"), secret, now=now) == "invalid_payload"
    assert code_of("[]", signed("[]"), secret, now=now) == "invalid_payload"
    for wrong in ("", "whsec_", "whsec_AAAA", secret.removeprefix("whsec_")):
        assert code_of(body, signed(body), wrong, now=now) == "invalid_secret"
    assert code_of(body, signed(body), [], now=now) == "invalid_secret"


def test_the_message_never_has_the_secret() -> None:
    with pytest.raises(WebhookVerificationError) as refused:
        verify_webhook(body, signed(body), "whsec_" + "S3cr3t" * 2)
    assert "S3cr3t" not in str(refused.value)
