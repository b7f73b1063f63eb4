"""What is chosen on the dashboard stays in its address, and leads on: to a run, to two, to curves."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from campaigns.computing.tasks import recompute
from campaigns.models import Campaign
from campaigns.results.score_ranges import score_ranges_of
from tests.browser.organiser import fits, order_on_screen, sign_in
from tests.campaigns.factories import Api, make_campaign

ADDRESS = "/campaigns/small/"


@pytest.fixture
def campaign(page: Page, live_site: str) -> Campaign:
    campaign = make_campaign("Small")
    for docno, grade in (("a", 2), ("h", 0), ("b", 1)):
        assert Api(campaign, "Small-grace").judge("1", docno, grade).status_code == 201
        recompute(campaign.id)
    sign_in(page, live_site, "Small-ada")
    return campaign


def test_marks_stay_in_the_address_and_lead_on(page: Page, campaign: Campaign) -> None:
    x, y = campaign.runs.get(tag="x"), campaign.runs.get(tag="y")
    page.goto(ADDRESS)
    expect(page.locator("#marked")).to_contain_text("A click or Enter marks a run")
    page.locator(f"#run-{y.id}").click()
    page.locator(f"#run-{x.id}").focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(rf"\?run={y.id}&run={x.id}$"))
    expect(page.locator("#score-curves .curve-told")).to_have_count(2)
    expect(page.locator("#score-curves .curve-words")).to_contain_text("3 judged: y 0.")
    page.reload()
    expect(page.locator('.run[aria-selected="true"]')).to_have_count(2)
    page.get_by_role("button", name="Unmark y").click()
    expect(page).to_have_url(re.compile(rf"\?run={x.id}$"))
    expect(page.locator(f"#run-{y.id}")).to_be_focused()
    page.keyboard.press("Space")
    page.get_by_role("link", name="Set the first two beside each other").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("x and y")
    page.get_by_role("heading", level=1).get_by_role("link", name="x").click()
    expect(page.locator("#place-curve .curve-words")).to_contain_text("3 judged: place 1 of 3")


def test_order_filter_and_reach_stay_in_the_address(page: Page, campaign: Campaign) -> None:
    page.goto(f"{ADDRESS}?sort=name&filter=y&range=projected")
    expect(page.locator(".run:visible")).to_have_count(1)
    [y] = [row for row in score_ranges_of(campaign=campaign) if row.run == "y"]
    reach = page.locator(f"#run-{y.id} .run-reach")
    expect(reach).to_have_attribute("width", f"{100 * (y.projected - y.base):.3f}%")
    page.select_option("[name=range]", "full")
    expect(reach).to_have_attribute("width", f"{100 * y.residual:.3f}%")
    page.fill("[name=filter]", "")
    expect(page).to_have_url(re.compile(r"/campaigns/small/\?sort=name$"))
    assert order_on_screen(page) == ["x", "y", "z"]
    page.goto(f"{ADDRESS}?sort=nonsense&run=7654321&run=x")
    expect(page.locator(".run")).to_have_count(3)
    expect(page.locator("[name=sort]")).to_have_value("base")


def test_the_keyboard_reads_a_curve(page: Page, campaign: Campaign) -> None:
    page.goto(f"{ADDRESS}runs/{campaign.runs.get(tag='x').id}/")
    words = page.locator("#score-curve .curve-words")
    expect(words).to_contain_text("3 judged: x")
    page.locator("#score-curve .curve-drawing").focus()
    page.keyboard.press("Home")
    expect(words).to_have_text("0 judged: x 0.000 – 1.000")
    page.keyboard.press("ArrowRight")
    expect(words).to_contain_text("1 judged: x 0.100")


def test_no_page_runs_over_the_edge(page: Page, campaign: Campaign) -> None:
    run = campaign.runs.get(tag="x")
    paths = [
        f"runs/{run.id}/",
        "pair/",
        "people/Small-grace/",
        "documents/",
        "document/?docno=a&all",
        "topics/1/",
    ]
    for path in paths:
        page.goto(f"{ADDRESS}{path}")
        assert fits(page), path
