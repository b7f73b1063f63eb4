"""A campaign's sections at every width: in a rail from 1100 px on, behind a menu below that."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from campaigns.log.overlap import count_undecided
from campaigns.models import Campaign
from campaigns.pages.rail import SECTIONS
from tests.browser.organiser import scrolls_sideways, sign_in
from tests.browser.sample_site import DIFFERING, ORGANISER, Showing
from tests.plumbing.browser.chromium_fixtures import visit

LEFT_EDGE = 248


@pytest.fixture
def organiser(showing: Showing, browser: Browser, site_process: str) -> Iterator[Page]:
    with visit(browser, site_process) as page:
        sign_in(page, site_process, ORGANISER)
        yield page


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("width", [1400, 1100])
def test_the_rail_shows_every_section(organiser: Page, site_process: str, width: int, language: str) -> None:
    organiser.context.add_cookies([{"name": "django_language", "value": language, "url": site_process}])
    organiser.set_viewport_size({"width": width, "height": 800})
    for path in ("", "setup/", "adjudicate/"):
        organiser.goto(f"/campaigns/small/{path}")
        links = organiser.locator(".tabs a:not(.away)")
        expect(links).to_have_count(len(SECTIONS))
        for link in links.all():
            expect(link).to_be_in_viewport(ratio=1)
            assert link.evaluate("a => a.scrollWidth <= a.clientWidth")
        expect(organiser.locator(".tabs [aria-current]")).to_have_count(1)
        expect(organiser.get_by_role("button", name="Menu")).to_be_hidden()
        assert not scrolls_sideways(organiser)


@pytest.mark.parametrize("path", ["/campaigns/", "/account/", "/tokens/", "/campaigns/small/topics/", "/no/"])
def test_every_page_has_one_left_edge(organiser: Page, path: str) -> None:
    organiser.set_viewport_size({"width": 1440, "height": 900})
    organiser.goto(path)
    assert organiser.locator("h1").evaluate("h1 => h1.getBoundingClientRect().left") == LEFT_EDGE


def test_the_menu_by_keyboard(organiser: Page) -> None:
    organiser.set_viewport_size({"width": 320, "height": 640})
    organiser.goto("/campaigns/small/")
    button = organiser.get_by_role("button", name="Menu")
    button.focus()
    organiser.keyboard.press("Enter")
    last = organiser.get_by_role("link", name="All campaigns")
    expect(last).to_be_visible()
    organiser.keyboard.press("Escape")
    expect(last).to_be_hidden()
    expect(button).to_be_focused()
    organiser.keyboard.press("Enter")
    organiser.keyboard.press("Tab")
    expect(organiser.locator(".tabs a").first).to_be_focused()
    organiser.mouse.click(310, 600)
    expect(last).to_be_hidden()
    button.click()
    organiser.get_by_role("link", name="Judging").click()
    expect(organiser.get_by_role("heading", level=1)).to_have_text("Adjudication")
    expect(last).to_be_hidden()
    organiser.get_by_role("link", name="History").click()
    expect(organiser.get_by_role("heading", level=1)).to_have_text("History")


def test_a_wider_window_brings_the_rail(organiser: Page) -> None:
    organiser.set_viewport_size({"width": 390, "height": 800})
    organiser.goto("/campaigns/small/")
    expect(organiser.locator(".tabs a").first).to_be_hidden()
    organiser.set_viewport_size({"width": 1800, "height": 900})
    expect(organiser.locator(".tabs a").first).to_be_visible()


def test_the_rail_says_how_many_documents_wait_for_a_decision(
    showing: Showing, browser: Browser, site_process: str
) -> None:
    waiting = count_undecided(campaign=Campaign.objects.get(slug="differ"))
    assert waiting
    with visit(browser, site_process, viewport={"width": 1440, "height": 900}) as page:
        sign_in(page, site_process, DIFFERING)
        page.goto("/campaigns/differ/")
        badge = page.get_by_role("link", name="Judging").locator(".badge.calls")
        expect(badge).to_have_attribute("title", f"{waiting} to adjudicate")


def test_a_key_leads_to_judging(organiser: Page) -> None:
    organiser.goto("/campaigns/small/runs/")
    organiser.get_by_label("Run or group").press("j")
    expect(organiser.get_by_label("Run or group")).to_have_value("j")
    organiser.get_by_label("Run or group").press("Escape")
    organiser.keyboard.press("j")
    organiser.wait_for_url("**/judge/small/")
