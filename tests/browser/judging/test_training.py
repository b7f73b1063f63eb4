"""Training in a real Chromium: the judging screen's keys, and the expected grade after each answer."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, Route, expect

from campaigns.models import Campaign, Judgment, TrainingAnswer
from campaigns.quality import training
from campaigns.setup import campaigns as services
from tests.browser.judging_desk import Desk, desk_campaign
from tests.browser.organiser import WIDTHS, scrolls_sideways, sign_in
from tests.plumbing.browser.chromium_fixtures import intercept

EXPECTED = [2, 0, 1, 0, 2]
TRAINING = "/judge/desk/training"


@pytest.fixture
def campaign(live_site: str) -> Campaign:
    campaign = desk_campaign(guidelines="Judge what it says.")
    for number, grade in enumerate(EXPECTED, start=1):
        training.add_item(
            campaign=campaign, topic="7", docno=f"doc{number:02}", grade=grade, reason=f"it is so, {number}"
        )
    services.change_settings(campaign=campaign, training_required=True)
    return campaign


@pytest.fixture
def desk(campaign: Campaign, page: Page, live_site: str) -> Desk:
    return Desk(page, live_site)


def answer(page: Page, key: str) -> str:
    """Press the key; what the screen then says."""
    expect(page.locator(".grades")).to_be_visible()
    expect(page.locator("[data-judge]").first).to_have_attribute("aria-disabled", "false")
    page.keyboard.press(key)
    expect(page.locator("#verdict")).to_be_visible()
    return page.locator("#verdict").inner_text()


def test_from_the_first_page_to_the_summary_by_keyboard(desk: Desk, campaign: Campaign) -> None:
    page = desk.page
    page.goto("/judge/")
    page.get_by_role("link", name="Begin the training").click()
    expect(page.locator("#document-title")).to_have_text("doc01")
    expect(page.locator("#topic-title")).to_have_text("sorting the rows of matrices")
    expect(page.locator("#document-text mark").first).to_have_text("Sort")
    said = answer(page, "1")
    assert "You said relevant · expected highly relevant" in said
    assert "Because: it is so, 1" in said
    assert "0 of 1 as expected" in said
    for number, key in enumerate(["0", "1", "0"], start=2):
        page.keyboard.press("Enter")
        expect(page.locator("#document-title")).to_have_text(f"doc{number:02}")
        assert "as expected" in answer(page, key)
    page.keyboard.press("Enter")
    assert "4 of 5 as expected; κ 0." in answer(page, "h")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="The training is finished")).to_be_visible()
    expect(page.locator("#answers li")).to_have_count(5)
    expect(page.locator("#answers li").first).to_contain_text("expected highly relevant, because it is so, 1")
    assert not Judgment.objects.exists()
    page.get_by_role("link", name="Begin judging").click()
    expect(page.get_by_role("link", name="Start the recommended topic")).to_be_visible()
    page.goto(TRAINING)
    page.get_by_role("link", name="Train again").click()
    expect(page.locator("#document-title")).to_have_text("doc01")
    answer(page, "2")
    assert TrainingAnswer.objects.filter(attempt=2).count() == 1


def test_a_reload_goes_on_where_one_was(desk: Desk) -> None:
    desk.page.goto(TRAINING)
    answer(desk.page, "2")
    desk.page.reload()
    expect(desk.page.locator("#document-title")).to_have_text("doc02")
    expect(desk.page.locator("#how-far")).to_have_text("2 of 5")


def test_an_answer_whose_reply_is_lost_counts_once(desk: Desk) -> None:
    page = desk.page

    def lost(route: Route) -> None:
        if route.request.method == "POST":
            route.fetch()
            route.abort()
        else:
            route.continue_()

    page.goto(TRAINING)
    expect(page.locator("[data-judge]").first).to_have_attribute("aria-disabled", "false")
    intercept(page, re.compile("/api/.*training/"), lost)
    page.keyboard.press("1")
    expect(page.locator("#trouble")).to_contain_text("cannot be reached")
    page.unroute_all(behavior="ignoreErrors")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("#said")).to_contain_text("You said relevant")
    assert TrainingAnswer.objects.count() == 1


@pytest.mark.parametrize(("width", "height"), WIDTHS)
def test_at_every_width(desk: Desk, width: int, height: int) -> None:
    page = desk.page
    page.set_viewport_size({"width": width, "height": height})
    page.goto(TRAINING)
    answer(page, "0")
    assert not scrolls_sideways(page)
    button = page.locator("#go-on").bounding_box()
    assert button
    assert button["y"] + button["height"] <= height
    if width < 400:
        assert button["height"] >= 48


def test_the_organiser_makes_the_items(campaign: Campaign, page: Page, live_site: str) -> None:
    sign_in(page, live_site, "Desk-ada")
    page.goto("/campaigns/desk/training/")
    page.get_by_label("Docno").fill("doc09")
    page.get_by_label("Expected grade").select_option("2")
    page.get_by_label("Reason").fill("it sorts")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator(".items tbody tr")).to_have_count(6)
    page.get_by_role("button", name="Move doc09 up").click()
    expect(page.locator(".items tbody tr").nth(4)).to_contain_text("doc09")
    page.get_by_role("button", name="Remove doc01").click()
    expect(page.locator(".items tbody tr")).to_have_count(5)
    lines = b"topic\tdocno\tgrade\treason\n7\tdoc10\t1\tin part\n7\tnone\t0\tnot there\n"
    page.set_input_files("#file", {"name": "items.tsv", "mimeType": "text/plain", "buffer": lines})
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_role("alert")).to_contain_text("line 3: the collection has no document none")
    for width, height in WIDTHS:
        page.set_viewport_size({"width": width, "height": height})
        assert not scrolls_sideways(page)
