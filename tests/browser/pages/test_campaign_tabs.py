"""A campaign's tabs at every width: those that do not fit are in a menu."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.organiser import scrolls_sideways, sign_in
from tests.browser.sample_site import ORGANISER, Showing
from tests.plumbing.chromium_fixtures import visit

TABS = 11


@pytest.fixture
def organiser(showing: Showing, browser: Browser, site_process: str) -> Iterator[Page]:
    with visit(browser, site_process) as page:
        sign_in(page, site_process, ORGANISER)
        yield page


def clipped(page: Page) -> list[str]:
    """Tabs in the row that reach beyond it."""
    names: list[str] = page.evaluate(
        """() => {
          const row = document.querySelector(".tabs").getBoundingClientRect();
          const shown = document.querySelectorAll(".tabs > a, .tabs > .more:not([hidden]) > summary");
          const beyond = ({ left, right }) => right > row.right + 1 || left < row.left - 1;
          const cut = [...shown].filter((tab) => beyond(tab.getBoundingClientRect()));
          return cut.map((tab) => tab.textContent);
        }"""
    )
    return names


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("width", [1400, 768, 320])
def test_no_tab_is_cut_and_none_is_lost(
    organiser: Page, site_process: str, width: int, language: str
) -> None:
    organiser.context.add_cookies([{"name": "django_language", "value": language, "url": site_process}])
    organiser.set_viewport_size({"width": width, "height": 800})
    for path in ("", "settings/"):
        organiser.goto(f"/campaigns/small/{path}")
        expect(organiser.locator(".tabs")).to_have_class("tabs fitted")
        assert clipped(organiser) == []
        expect(organiser.locator(".tabs a")).to_have_count(TABS)
        expect(organiser.locator(".tabs > [aria-current=page]")).to_be_visible()
        assert not scrolls_sideways(organiser)


def test_the_menu_by_keyboard(organiser: Page) -> None:
    organiser.set_viewport_size({"width": 320, "height": 640})
    organiser.goto("/campaigns/small/")
    menu = organiser.locator(".more")
    expect(menu).to_be_visible()
    summary = menu.locator("summary")
    summary.focus()
    organiser.keyboard.press("Enter")
    last = menu.get_by_role("link", name="All campaigns")
    expect(last).to_be_visible()
    organiser.keyboard.press("Escape")
    expect(last).to_be_hidden()
    expect(summary).to_be_focused()
    organiser.keyboard.press("Enter")
    organiser.keyboard.press("Tab")
    expect(menu.get_by_role("link").first).to_be_focused()
    organiser.mouse.click(5, 600)
    expect(last).to_be_hidden()
    summary.click()
    menu.get_by_role("link", name="History").click()
    expect(organiser.get_by_role("heading", level=1)).to_have_text("History")


def test_a_wider_window_brings_them_back(organiser: Page) -> None:
    organiser.set_viewport_size({"width": 390, "height": 800})
    organiser.goto("/campaigns/small/")
    expect(organiser.locator(".more")).to_be_visible()
    organiser.set_viewport_size({"width": 1800, "height": 900})
    expect(organiser.locator(".more")).to_be_hidden()
    expect(organiser.locator(".tabs > a")).to_have_count(TABS)
