"""Ctrl-K leads to a campaign's places from any of its pages, by keys alone."""

from __future__ import annotations

import re

from playwright.sync_api import Browser, Page, expect

from campaigns.models import Run
from tests.browser.judging_desk import desk_campaign
from tests.browser.organiser import sign_in
from tests.plumbing.browser.chromium_fixtures import visit

DIALOG = "#places-dialog"


def test_keys_lead_to_a_run(page: Page, live_site: str) -> None:
    campaign = desk_campaign()
    run = Run.objects.filter(campaign=campaign).order_by("id")[0]
    Run.objects.filter(id=run.id).update(tag="dense-vectors")
    sign_in(page, live_site, "Desk-ada")
    page.goto("/campaigns/desk/people/")
    page.keyboard.press("Control+k")
    field = page.locator(f"{DIALOG} input")
    expect(field).to_be_focused()
    expect(page.locator(DIALOG).get_by_role("link", name="Add runs")).to_be_visible()
    field.fill("VECTORS")
    expect(page.locator(f"{DIALOG} a").first).to_have_text("dense-vectors")
    page.keyboard.press("ArrowDown")
    expect(page.locator(f"{DIALOG} a").first).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(field).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(f"/campaigns/desk/runs/{run.id}/$"))


def test_escape_leads_back(page: Page, live_site: str) -> None:
    desk_campaign()
    sign_in(page, live_site, "Desk-ada")
    page.goto("/campaigns/desk/topics/")
    link = page.get_by_role("link", name="Go to", exact=True)
    link.click()
    page.locator(f"{DIALOG} input").fill("zzzz")
    expect(page.locator(DIALOG)).to_contain_text("No page, run, topic or person matches “zzzz”.")
    page.keyboard.press("Escape")
    expect(page.locator(DIALOG)).to_be_hidden()
    expect(link).to_be_focused()


def test_without_scripts_they_are_a_page(browser: Browser, live_site: str) -> None:
    desk_campaign()
    with visit(browser, live_site, java_script_enabled=False) as page:
        sign_in(page, live_site, "Desk-ada")
        page.goto("/campaigns/desk/topics/")
        page.get_by_role("link", name="Go to", exact=True).click()
        page.get_by_role("searchbox").fill("Adjud")
        page.keyboard.press("Enter")
        page.locator(".places").get_by_role("link", name="Adjudication").click()
        expect(page).to_have_url(re.compile("/adjudicate/$"))
