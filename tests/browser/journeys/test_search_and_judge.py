"""An organiser allows the search; an assessor finds a document that no run ranks, and judges it by a key."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from campaigns.collection.documents import store_documents
from campaigns.formats.topics import DocumentRecord
from campaigns.models import Campaign, DocumentWords, Judgment
from tests.browser.judging_desk import Desk, desk_campaign
from tests.browser.organiser import fits, sign_in
from tests.campaigns.factories import Api
from tests.plumbing.idle import wait_for, wait_until_idle

pytestmark = pytest.mark.usefixtures("celery_worker")


@pytest.fixture
def campaign(live_site: str) -> Campaign:
    campaign = desk_campaign()
    hidden = DocumentRecord("hidden", "Heapsort", "A heap keeps its greatest row at the top.", "text/plain")
    store_documents(collection=campaign.collection, records=[hidden], file="more")
    wait_until_idle()
    wait_for(lambda: DocumentWords.objects.filter(document__docno="hidden").exists())
    return campaign


def bounds(campaign: Campaign) -> list[tuple[float, float]]:
    runs = Api(campaign, "Desk-ada").get("intervals/").json()["runs"]
    return [(run["base"], run["residual"]) for run in runs]


def test_allowed_found_judged_revised_exported(campaign: Campaign, page: Page, live_site: str) -> None:
    sign_in(page, live_site, "Desk-ada")
    page.goto("/campaigns/desk/setup/?step=judging")
    page.get_by_label("Assessors may search the collection").check()
    page.get_by_role("button", name="Save", exact=False).first.click()
    wait_for(lambda: Campaign.objects.get().search_judging)
    wait_until_idle()

    page.context.clear_cookies()
    desk = Desk(page, live_site)
    first = desk.open()
    before = bounds(campaign)
    desk.press("f")
    expect(page.get_by_role("heading", level=1)).to_contain_text("sorting the rows of matrices")
    page.get_by_label("Search the collection").fill("heap")
    page.keyboard.press("Enter")
    expect(page.locator(".found li")).to_have_count(1)
    assert fits(page)
    page.set_viewport_size({"width": 1280, "height": 900})
    page.get_by_role("button", name="Judge Heapsort").click()
    expect(page.locator("#document-title")).to_have_text("Heapsort")
    desk.docno()
    desk.press("2")
    desk.ringed("Heapsort")
    # The document that the search interrupted comes back.
    expect(page.locator("#document-title")).to_have_text(first)
    desk.saved()
    act = Judgment.objects.get()
    assert (act.document.docno, act.grade, act.method, act.inclusion_probability) == (
        "hidden",
        2,
        "search",
        None,
    )

    page.locator("a.brand").click()
    page.get_by_role("link", name="Search the collection for topic 7").click()
    page.get_by_label("Search the collection").fill("heap")
    page.keyboard.press("Enter")
    expect(page.locator(".found li")).to_contain_text("your grade: 2")
    page.get_by_role("button", name="Revise Heapsort").click()
    expect(page.locator("#revising")).to_be_visible()
    desk.docno()
    desk.press("1")
    desk.saved()
    assert list(Judgment.objects.order_by("sequence").values_list("grade", "method")) == [
        (2, "search"),
        (1, "search"),
    ]

    wait_until_idle()
    ada = Api(campaign, "Desk-ada")
    assert bounds(campaign) == before
    assert b"".join(ada.get("qrels/")) == b"7 0 hidden 1\n"
    assert b"".join(ada.get("prels/")) == b""
