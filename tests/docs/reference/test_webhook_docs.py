"""The check that docs/webhooks.md gives to receivers, run as it stands there on what is really sent."""

from __future__ import annotations

import re
import time
from typing import Any

import pytest
from pytest_django import Settings

from campaigns.models import WebhookEvent
from campaigns.models.notifications import PING
from campaigns.notifications import deliveries, dispatch
from config.embedded.machine import PROJECT
from tests.campaigns.factories import make_campaign
from tests.campaigns.notifications.webhooks.deliveries import hook
from tests.campaigns.notifications.webhooks.receiver import receiving

PAGE = (PROJECT / "docs" / "webhooks.md").read_text()


def documented() -> Any:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)
    return names["is_genuine"]


@pytest.mark.django_db
def test_the_check_takes_what_is_genuine_and_nothing_else(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.WEBHOOK_ALLOW_PRIVATE = True
    is_genuine = documented()
    with receiving() as receiver:
        webhook, secret = hook(make_campaign("Small"), receiver)
        deliveries.ping(webhook=webhook)
        assert dispatch.send_next()
    (came,) = receiver.received
    headers = {name.lower(): value for name, value in came.headers.items()}
    assert is_genuine(headers, came.body, secret)
    assert not is_genuine(headers, came.body + b" ", secret)
    assert not is_genuine({**headers, "webhook-id": "other"}, came.body, secret)
    assert not is_genuine(headers, came.body, "whsec_" + "A" * 43 + "=")
    later = time.time() + 301
    monkeypatch.setattr(time, "time", lambda: later)
    assert not is_genuine(headers, came.body, secret)


def test_every_event_is_documented() -> None:
    documented_events = set(re.findall(r"^\| `([a-z._]+)` \|", PAGE, re.MULTILINE))
    assert documented_events == {"type", *WebhookEvent.values, PING}


def test_the_pauses_are_as_said() -> None:
    said = [10, 2 * 60, 15 * 60, *(hours * 3600 for hours in (1, 4, 12, 12))]
    assert list(dispatch.PAUSES) == said
