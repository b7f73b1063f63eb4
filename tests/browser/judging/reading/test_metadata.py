"""Fields of a document under its title: the organiser chooses them, the assessor reads them."""

from __future__ import annotations

import io
import json

import pytest
from playwright.sync_api import Page, expect

from campaigns.collection.documents import store_documents
from campaigns.formats.documents.files import iter_documents
from campaigns.models import Campaign
from tests.browser.judging_desk import DOCNOS, Desk, desk_campaign
from tests.campaigns.factories import signed_in
from tests.plumbing.idle import wait_until_idle

pytestmark = pytest.mark.usefixtures("celery_worker")

FIELDS = {"author": "Ada <b>Lovelace</b>", "date": "1843-10-01", "source": ["Taylor’s Scientific Memoirs", 3]}


@pytest.fixture
def campaign(live_site: str) -> Campaign:
    campaign = desk_campaign()
    lines = [{"docno": docno, "title": "Notes", "text": "On sorting.", **FIELDS} for docno in DOCNOS]
    file = io.BytesIO("\n".join(map(json.dumps, lines)).encode())
    records = iter_documents(file, "texts.jsonl")
    store_documents(collection=campaign.collection, records=records, file="texts.jsonl")
    wait_until_idle()
    return campaign


def test_chosen_fields_stand_under_the_title(campaign: Campaign, page: Page, live_site: str) -> None:
    ada = signed_in("Desk-ada")
    page.context.add_cookies(
        [{"name": "sessionid", "value": ada.cookies["sessionid"].value, "url": live_site}]
    )
    page.goto(f"{live_site}/campaigns/{campaign.slug}/setup/?step=judging")
    places = page.get_by_role("group", name="Fields under the title").get_by_role("combobox")
    places.nth(0).select_option("source")
    places.nth(1).select_option("author")
    with page.expect_response(lambda reply: reply.request.method == "POST" and "/save/" in reply.url):
        places.nth(1).locator("xpath=ancestor::form").get_by_role("button", name="Save").click()
    campaign.refresh_from_db()
    assert campaign.shown_fields == ["source", "author"]
    page.context.clear_cookies()

    desk = Desk(page, live_site)
    desk.open()
    fields = page.locator("#document-facts > :has(b)")
    expect(fields).to_have_text(["source Taylor’s Scientific Memoirs, 3", "author Ada <b>Lovelace</b>"])
