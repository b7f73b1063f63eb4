"""Twenty assessors for ten seconds. More of them, for longer, by hand:

CROWD_ASSESSORS=100 CROWD_SECONDS=120 python -m pytest tests/load
"""

from __future__ import annotations

import os

import pytest

from campaigns.models import Judgment
from tests.load.crowd import Crowd, campaign_of, faults, let_work, report
from tests.plumbing import header
from tests.plumbing.idle import wait_until_idle

pytestmark = pytest.mark.usefixtures("celery_worker")

ASSESSORS = int(os.environ.get("CROWD_ASSESSORS", "20"))
SECONDS = float(os.environ.get("CROWD_SECONDS", "10"))
PAUSE = float(os.environ.get("CROWD_PAUSE", "0.5"))


def test_a_crowd_loses_nothing_and_shares_no_document(live_site: str) -> None:
    campaign, users = campaign_of(ASSESSORS)
    wait_until_idle()
    crowd = Crowd(ASSESSORS, SECONDS, PAUSE)
    records = let_work(live_site, campaign, users, crowd)
    header.really_run += report(records, SECONDS)
    assert list(faults(campaign, records)) == []
    assert Judgment.objects.filter(undo=True).exists()
    assert all(record.acts for record in records.values())
