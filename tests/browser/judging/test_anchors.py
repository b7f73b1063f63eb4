"""By keyboard from topic to topic while anchors wait."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from campaigns.models import Campaign, Judgment
from campaigns.results.anchors import anchor_progress
from tests.browser.judging_desk import ASSESSOR, Desk
from tests.campaigns.factories import make_campaign
from tests.plumbing.idle import wait_until_idle

pytestmark = pytest.mark.usefixtures("celery_worker")
TOPICS = [str(number) for number in range(1, 5)]


@pytest.fixture
def campaign(live_site: str) -> Campaign:
    lists = {"up": {topic: [f"d{topic}-{n:02}" for n in range(30)] for topic in TOPICS}}
    campaign = make_campaign("Desk", lists, anchors=12)
    wait_until_idle()
    return campaign


def test_the_key_w_leads_through_all_topics_with_anchors(
    campaign: Campaign, page: Page, live_site: str
) -> None:
    left = dict.fromkeys(TOPICS, 0)
    for number in campaign.topics.filter(anchors__isnull=False).values_list("number", flat=True):
        left[number] += 1
    topic = next(number for number in TOPICS if left[number])
    desk = Desk(page, live_site, topic=topic, who=ASSESSOR)
    desk.open()
    while any(left.values()):
        for _ in range(left[topic]):
            expect(page.locator("#nudge-onward")).to_be_hidden()
            desk.judge("1")
            desk.saved()
        left[topic] = 0
        if any(left.values()):
            expect(page.locator("#nudge-onward")).to_be_visible()
            address = page.locator("#nudge-onward").get_attribute("href")
            desk.press("w")
            page.wait_for_url(f"**{address}")
            topic = page.url.rstrip("/").rsplit("/", 1)[1]
            assert left[topic]
            desk.docno()
    assert set(Judgment.objects.values_list("method", flat=True)) == {"anchor"}
    assert anchor_progress(campaign).done
