"""A campaign's sections at every width: in a rail from 1100 px on, behind a menu below that."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.urls import reverse
from playwright.sync_api import Browser, Page, expect

from campaigns.log.overlap import count_undecided
from campaigns.models import Campaign
from campaigns.pages.rail import SECTIONS
from tests.browser.organiser import scrolls_sideways, sign_in
from tests.browser.sample_site import DIFFERING, ORGANISER, Showing
from tests.plumbing.browser.chromium_fixtures import visit

LEFT_EDGE = 248
# Every page of a section, and pages that belong to one.
PATHS = [
    *(
        reverse(page.address, args=["small"]).removeprefix("/campaigns/")
        for one in SECTIONS
        for page in one.pages
    ),
    "small/topics/1/",
    "small/topics/1/why/?docno=a",
    "small/document/?docno=a",
    "small/pair/",
    "small/places/",
    "small/people/Small-grace/",
    "small/delete/",
    "small/copy/",
    "draft/",
    "archived/people/",
]


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
        links = organiser.locator(".tabs a")
        # Beside the sections: the places, and the Lab.
        expect(links).to_have_count(len(SECTIONS) + 2)
        expect(links.last).to_have_attribute("href", "/lab/")
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


def test_every_page_has_its_title_at_one_height(organiser: Page) -> None:
    organiser.set_viewport_size({"width": 1440, "height": 900})
    tops = {}
    for path in [*(f"/campaigns/{one}" for one in PATHS), "/campaigns/", "/lab/", "/account/", "/tokens/"]:
        organiser.goto(path)
        title = organiser.get_by_role("heading", level=1)
        tops[path] = title.evaluate("h1 => h1.getBoundingClientRect().top")
    assert set(tops.values()) == {27.5}, tops


@pytest.mark.parametrize(("width", "top"), [(1440, "0px"), (800, "52px"), (390, "52px")])
def test_heads_of_tables_stay_just_below_the_header(organiser: Page, width: int, top: str) -> None:
    organiser.set_viewport_size({"width": width, "height": 900})
    organiser.goto("/campaigns/small/")
    expect(organiser.locator(".run-head")).to_have_css("top", top)


def test_the_menu_of_campaigns_leads_to_another_one(organiser: Page) -> None:
    organiser.goto("/campaigns/small/topics/")
    menu = organiser.locator("#campaigns-menu")
    expect(menu).to_be_hidden()
    organiser.get_by_role("button", name="Change campaign").click()
    expect(menu.get_by_role("link", name="All campaigns")).to_be_visible()
    expect(menu.get_by_role("link", name="Small", exact=True)).to_have_count(0)
    menu.get_by_role("link", name="Draft", exact=True).click()
    organiser.wait_for_url("**/campaigns/draft/")


def test_the_account_menu_holds_language_and_theme(organiser: Page) -> None:
    organiser.goto("/campaigns/small/topics/")
    expect(organiser.locator("footer")).to_have_count(0)
    organiser.get_by_role("button", name=ORGANISER).click()
    organiser.get_by_role("button", name="Theme: auto").click()
    expect(organiser.locator("html")).to_have_attribute("data-theme", "light")
    organiser.get_by_role("button", name="Deutsch").click()
    expect(organiser.get_by_role("heading", level=1)).to_have_text("Themen")


def test_the_menu_by_keyboard(organiser: Page) -> None:
    organiser.set_viewport_size({"width": 320, "height": 640})
    organiser.goto("/campaigns/small/")
    button = organiser.get_by_role("button", name="Menu")
    button.focus()
    organiser.keyboard.press("Enter")
    last = organiser.get_by_role("link", name="Lab", exact=True)
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
    organiser.get_by_role("link", name="Results").click()
    expect(organiser.get_by_role("heading", level=1)).to_have_text("Results")
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
        badge = page.get_by_role("link", name="Adjudication").locator(".badge.calls")
        expect(badge).to_have_attribute("title", f"{waiting} to adjudicate")


def test_a_key_leads_to_judging(organiser: Page) -> None:
    organiser.goto("/campaigns/small/runs/")
    organiser.get_by_label("Run or group").press("j")
    expect(organiser.get_by_label("Run or group")).to_have_value("j")
    organiser.get_by_label("Run or group").press("Escape")
    organiser.keyboard.press("j")
    organiser.wait_for_url("**/judge/small/")
