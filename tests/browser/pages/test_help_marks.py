"""Help on the labels: a popover with the section, and without scripts the page itself."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from campaigns.computing.tasks import recompute
from campaigns.models import Campaign
from tests.browser.organiser import sign_in
from tests.campaigns.factories import Api, make_campaign

ADDRESS = "/campaigns/small/"


@pytest.fixture
def campaign(page: Page, live_site: str) -> Campaign:
    campaign = make_campaign("Small")
    assert Api(campaign, "Small-grace").judge("1", "a", 1).status_code == 201
    recompute(campaign.id)
    sign_in(page, live_site, "Small-ada")
    return campaign


@pytest.mark.parametrize("width", [1440, 390])
def test_a_label_opens_its_section_beside_it(page: Page, campaign: Campaign, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(ADDRESS)
    label = page.get_by_role("heading", name="Where each run’s score lies")
    label.scroll_into_view_if_needed()
    label.get_by_role("link").click()
    box = page.locator("#help-popover")
    expect(box).to_be_visible()
    expect(box.locator("strong").first).to_have_text("Score range")
    expect(box).to_contain_text("base")
    around = box.bounding_box()
    assert around is not None
    assert around["x"] >= 0
    assert around["x"] + around["width"] <= width
    assert around["y"] >= 0
    assert around["y"] + around["height"] <= 844
    page.keyboard.press("Escape")
    expect(box).to_be_hidden()
    expect(page).to_have_url(re.compile(rf"{ADDRESS}$"))
    label.get_by_role("link").click()
    box.get_by_role("link", name="Open the help page").click()
    expect(page).to_have_url(re.compile(r"/help/concepts/#score-range$"))


def test_without_scripts_the_label_leads_to_the_page(
    campaign: Campaign, page: Page, browser: Browser, live_site: str
) -> None:
    with browser.new_context(java_script_enabled=False, base_url=live_site) as context:
        context.add_cookies(page.context.cookies())  # type: ignore[arg-type]  # what it gives it also takes
        plain = context.new_page()
        plain.goto(ADDRESS)
        plain.get_by_role("heading", name="Where each run’s score lies").get_by_role("link").click()
        expect(plain).to_have_url(re.compile(r"/help/concepts/#score-range$"))
