"""A receiver on this machine, and a campaign to tell it of."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pytest_django import Settings

from campaigns.models import Campaign
from tests.campaigns.factories import make_campaign
from tests.campaigns.notifications.webhooks.receiver import Receiver, receiving


@pytest.fixture
def receiver(settings: Settings) -> Iterator[Receiver]:
    settings.WEBHOOK_ALLOW_PRIVATE = True
    with receiving() as found:
        yield found


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign("Small", min_judgments=1, assessors_close=True)
