"""A topic's page, when what judging moves arrives again."""

from __future__ import annotations

from playwright.sync_api import Browser, expect

from tests.browser.organiser import sign_in
from tests.browser.sample_site import ORGANISER, Showing
from tests.plumbing.browser.chromium_fixtures import visit


def test_rows_of_the_runs_are_replaced_in_their_table(
    showing: Showing, browser: Browser, site_process: str
) -> None:
    with visit(browser, site_process) as page:
        sign_in(page, site_process, ORGANISER)
        page.goto("/campaigns/small/topics/1/")
        rows = page.locator("#topic-runs tr")
        expect(rows).to_have_count(4)
        page.evaluate("document.querySelector('#topic-runs').dataset.old = 'yes'")
        page.evaluate("htmx.ajax('GET', location.pathname, '#queue')")
        expect(page.locator("#topic-runs:not([data-old]) tr")).to_have_count(4)
        expect(page.locator("#queue svg.marks")).to_have_count(0)
