"""An organiser looks for a document and makes it a training item."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from campaigns.collection.documents import store_documents
from campaigns.collection.tasks import index_documents
from campaigns.formats.topics import DocumentRecord
from campaigns.models import Campaign, TrainingItem
from tests.browser.organiser import sign_in
from tests.campaigns.factories import make_campaign

TEXTS = [
    DocumentRecord("wing-1", "Wing flutter", "A wing at high speed shows flutter."),
    DocumentRecord("wing-2", "Heat", "No flutter is seen here."),
]


@pytest.fixture
def campaign(page: Page, live_site: str) -> Campaign:
    campaign = make_campaign("Found", {"r": {"1": [record.docno for record in TEXTS]}})
    store_documents(collection=campaign.collection, records=TEXTS, file="texts")
    index_documents(campaign.collection_id)
    sign_in(page, live_site, "Found-ada")
    return campaign


def items() -> set[tuple[str, str]]:
    return set(TrainingItem.objects.values_list("document__docno", "reason"))


def test_found_document_becomes_a_training_item(campaign: Campaign, page: Page, live_site: str) -> None:
    page.goto(f"{live_site}/campaigns/found/documents/")
    page.keyboard.press("/")
    page.keyboard.type("flutter heat")
    page.keyboard.press("Enter")
    expect(page.locator(".found-list tbody tr")).to_have_count(1)
    page.get_by_label("Select wing-2").check()
    page.locator("summary", has_text="Add to the training").click()
    page.get_by_label("Reason").fill("it is about heat")
    page.get_by_role("button", name="Add the selected documents").click()
    expect(page.get_by_text("wing-2 is a training item now.")).to_be_visible()
    assert items() == {("wing-2", "it is about heat")}
