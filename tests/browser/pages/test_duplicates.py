"""An organiser looks at near-duplicates that the worker has found, and copies judgments to them."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from campaigns.collection.documents import store_documents
from campaigns.formats.topics import DocumentRecord
from campaigns.models import Campaign, TextSignature
from campaigns.models.judgment import COPIED
from tests.browser.judging_desk import Desk
from tests.browser.organiser import sign_in
from tests.campaigns.factories import make_campaign
from tests.plumbing.idle import wait_for, wait_until_idle

STORY = [f"word{n}" for n in range(60)]
TEXTS = {
    "story-1": STORY,
    "story-2": [*STORY[:-1], "other"],
    "story-3-with-a-docno-that-is-rather-long-and-goes-on": STORY,
    "alone": STORY[::-1],
}


def with_texts(name: str) -> Campaign:
    """Its worker has compared the texts."""
    campaign = make_campaign(name, {"r": {"1": list(TEXTS)}})
    records = [DocumentRecord(docno, "A story", " ".join(words)) for docno, words in TEXTS.items()]
    store_documents(collection=campaign.collection, records=records, file="texts")
    wait_for(lambda: TextSignature.objects.count() == len(TEXTS))
    return campaign


@pytest.fixture
def campaign(celery_worker: None, page: Page, live_site: str) -> Campaign:
    campaign = with_texts("Alike")
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


def test_a_judgment_is_copied_counted_and_shown(celery_worker: None, page: Page, live_site: str) -> None:
    campaign = with_texts("Desk")
    sign_in(page, live_site, "Desk-ada")
    page.goto(f"{live_site}/campaigns/desk/setup/?step=judging#judgment_copies")
    page.locator("#judgment_copies").select_option("same")
    page.get_by_role("button", name="Save", exact=False).first.click()
    wait_for(lambda: Campaign.objects.get(id=campaign.id).judgment_copies == "same")
    wait_until_idle()
    page.goto(f"{live_site}/campaigns/desk/")
    expect(page.locator("#judged")).to_have_text("0")
    expect(page.get_by_text("of them copied")).to_have_count(0)

    page.context.clear_cookies()
    desk = Desk(page, live_site, topic="1")
    desk.open()
    desk.press("2")
    desk.saved()
    wait_for(lambda: campaign.judgments.filter(method=COPIED).exists())
    copy = campaign.judgments.get(method=COPIED)
    assert copy.copied_from is not None
    docno, source = copy.document.docno, copy.copied_from.document.docno
    assert {docno, source} == {docno for docno, words in TEXTS.items() if words is STORY}

    page.context.clear_cookies()
    sign_in(page, live_site, "Desk-ada")
    page.goto(f"{live_site}/campaigns/desk/")
    expect(page.locator("#judged")).to_have_text("2")
    expect(page.get_by_text("1 of them copied")).to_be_visible()
    page.goto(f"{live_site}/campaigns/desk/document/?docno={docno}")
    expect(page.get_by_text(f"copied from {source}, a near-duplicate")).to_be_visible()
