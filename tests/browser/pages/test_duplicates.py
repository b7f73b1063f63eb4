"""An organiser looks at near-duplicates that the worker has found."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from campaigns.collection.documents import store_documents
from campaigns.formats.topics import DocumentRecord
from campaigns.models import Campaign, TextSignature
from tests.browser.organiser import sign_in
from tests.campaigns.factories import make_campaign
from tests.plumbing.idle import wait_for

STORY = [f"word{n}" for n in range(60)]
TEXTS = {
    "story-1": STORY,
    "story-2": [*STORY[:-1], "other"],
    "story-3-with-a-docno-that-is-rather-long-and-goes-on": STORY,
    "alone": STORY[::-1],
}


@pytest.fixture
def campaign(celery_worker: None, page: Page, live_site: str) -> Campaign:
    campaign = make_campaign("Alike", {"r": {"1": list(TEXTS)}})
    records = [DocumentRecord(docno, "A story", " ".join(words)) for docno, words in TEXTS.items()]
    store_documents(collection=campaign.collection, records=records, file="texts")
    wait_for(lambda: TextSignature.objects.count() == len(TEXTS))
    sign_in(page, live_site, "Alike-ada")
    return campaign


def test_a_group_leads_to_two_texts_side_by_side(campaign: Campaign, page: Page, live_site: str) -> None:
    page.goto(f"{live_site}/campaigns/alike/documents/duplicates/")
    expect(page.get_by_text("documents duplicate others in 1 group.")).to_be_visible()
    page.get_by_role("link", name="story-2").click()
    texts = page.locator(".plain-text")
    expect(texts).to_have_count(2)
    left, right = (texts.nth(place).bounding_box() for place in (0, 1))
    assert left is not None
    assert right is not None
    assert left["x"] < right["x"]
    page.goto(f"{live_site}/campaigns/alike/document/?docno=story-2")
    page.locator("summary", has_text="nearly this text").click()
    expect(page.get_by_role("link", name="story-1")).to_be_visible()
