"""What most tests of the judging screen begin with."""

from __future__ import annotations

import pytest

from campaigns.models import Campaign
from tests.browser.judging_desk import desk_campaign
from tests.plumbing.idle import wait_until_idle


@pytest.fixture
def campaign(live_site: str) -> Campaign:
    """An open campaign whose queues are computed; the test asks for `celery_worker`."""
    campaign = desk_campaign()
    wait_until_idle()
    return campaign
