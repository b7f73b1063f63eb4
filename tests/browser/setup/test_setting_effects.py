"""Before settings of an open campaign are saved, the page says what just these changes do."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from campaigns.models import Campaign
from tests.browser.organiser import WIDTHS, scrolls_sideways, sign_in
from tests.campaigns.factories import Api, make_campaign


@pytest.fixture
def settings_page(live_site: str, page: Page) -> Page:
    campaign = make_campaign("Small")
    Api(campaign, "Small-grace").judge("1", "a", 1)
    sign_in(page, live_site, "Small-ada")
    page.goto(f"{live_site}/campaigns/small/setup/?step=judging")
    return page


def test_only_what_is_changed_is_spoken_of(settings_page: Page) -> None:
    panel = settings_page.locator("#judging .effects")
    expect(panel).to_be_hidden()
    settings_page.fill("#min_judgments", "10")
    expect(panel.locator("li:visible")).to_have_count(1)
    expect(panel).to_contain_text("The 1 log entry made so far stays.")
    settings_page.fill("#guidelines", "Read all of it.")
    expect(panel.locator("li:visible")).to_have_count(2)
    settings_page.fill("#guidelines", "")
    settings_page.fill("#min_judgments", "40")
    expect(panel).to_be_hidden()
    settings_page.locator("#grades summary").first.click()
    settings_page.check("[name=scale][value=two]")
    expect(settings_page.locator("#grades .effects li:visible")).to_have_count(1)
    for width, height in WIDTHS:
        settings_page.set_viewport_size({"width": width, "height": height})
        assert not scrolls_sideways(settings_page)


def test_the_change_is_told_in_the_history(settings_page: Page) -> None:
    settings_page.locator("#measure summary").first.click()
    settings_page.fill("#p", "0.95")
    expect(settings_page.locator("#measure .effects")).to_contain_text("rescores every run")
    settings_page.get_by_role("button", name="Save").click()
    expect(settings_page.get_by_text("The settings are saved.")).to_be_visible()
    assert Campaign.objects.get().p == 0.95
    settings_page.goto(settings_page.url.split("setup/")[0] + "history/")
    expect(settings_page.locator(".history li").first).to_contain_text(
        "changed the settings: persistence p 0.8 → 0.95; all runs were scored again"
    )
    settings_page.select_option("#kind", "judged")
    settings_page.get_by_role("button", name="Filter").click()
    expect(settings_page.locator(".history li")).to_have_count(1)
