"""What is chosen on the overview stays in its address: the scope, a filter, all runs or the first ones."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from campaigns.computing.tasks import recompute
from campaigns.models import Campaign
from tests.browser.organiser import fits, order_on_screen, sign_in
from tests.campaigns.factories import Api, Lists, make_campaign
from tests.campaigns.stopping.stopping_look import predict_scores

ADDRESS = "/campaigns/small/"
MANY: Lists = {f"run{run:02}": {"1": ["a", f"b{run}"], "2": [f"b{run}", "c"]} for run in range(24)}


@pytest.fixture
def campaign(page: Page, live_site: str) -> Campaign:
    campaign = make_campaign("Small", MANY)
    for docno, grade in (("a", 2), ("b3", 0), ("b4", 1)):
        assert Api(campaign, "Small-grace").judge("1", docno, grade).status_code == 201
        recompute(campaign.id)
    predict_scores(campaign)
    sign_in(page, live_site, "Small-ada")
    return campaign


def test_the_scope_is_a_link_that_keeps_what_was_chosen(page: Page, campaign: Campaign) -> None:
    page.goto(ADDRESS)
    expect(page.locator(".scope [aria-current]")).to_have_text("All 2 topics")
    page.fill("[name=filter]", "run03")
    page.locator(".scope").get_by_role("link", name="1 judged topic").click()
    expect(page).to_have_url(re.compile(r"filter=run03&topics=judged|topics=judged&filter=run03"))
    expect(page.locator(".scope [aria-current]")).to_have_text("1 judged topic")
    expect(page.locator("#verdict")).to_contain_text("On the 1 judged topic:")
    expect(page.locator("#verdict")).to_contain_text("Over all 2:")
    assert order_on_screen(page) == ["run03"]
    expect(page.locator(".run .whisker:visible")).to_have_count(1)
    page.locator(".scope").get_by_role("link", name="All 2 topics").click()
    expect(page).to_have_url(re.compile(r"\?filter=run03$"))


def test_all_runs_or_the_first_twenty(page: Page, campaign: Campaign) -> None:
    page.goto(ADDRESS)
    expect(page.locator(".run:visible")).to_have_count(20)
    page.get_by_role("link", name="Show all 24 runs").click()
    expect(page.locator(".run:visible")).to_have_count(24)
    expect(page).to_have_url(re.compile(r"\?show=all$"))
    page.reload()
    expect(page.locator(".run:visible")).to_have_count(24)
    page.get_by_role("link", name="Show the first 20").click()
    expect(page.locator(".run:visible")).to_have_count(20)
    page.fill("[name=filter]", "nothing of the kind")
    expect(page.get_by_text("No run matches the filter.")).to_be_visible()
    page.fill("[name=filter]", "RUN2")
    expect(page.locator(".run:visible")).to_have_count(4)


def test_the_axis_is_as_long_as_the_shown_ranges_or_whole(page: Page, live_site: str) -> None:
    campaign = make_campaign(
        "Small", {run: {"1": [f"{run}{rank}" for rank in range(8)]} for run in "xy"}, p=0.5
    )
    for run, relevant in (("x", 0b10110001), ("y", 0b10101001)):
        for rank in range(8):
            assert Api(campaign, "Small-grace").judge("1", f"{run}{rank}", 2 * (relevant >> (7 - rank) & 1))
    recompute(campaign.id)
    sign_in(page, live_site, "Small-ada")
    page.goto(ADDRESS)
    ticks = page.locator(".run-head .axis:visible span")
    base = 0.5 + 0.125 + 0.0625 + 1 / 256
    expect(ticks.first).not_to_have_text("0")
    low, high = float(ticks.first.inner_text()), float(ticks.last.inner_text())
    assert 0 < low < base < high < 1
    assert shown_at(page) == pytest.approx((base - low) / (high - low), abs=0.01)
    page.locator(".whole-axis").click()
    expect(page).to_have_url(re.compile(r"\?axis=whole$"))
    expect(ticks).to_have_text(["0", "0.2", "0.4", "0.6", "0.8", "1"])
    assert shown_at(page) == pytest.approx(base, abs=0.01)
    page.reload()
    expect(ticks.first).to_have_text("0")
    page.locator(".whole-axis").click()
    expect(ticks.first).not_to_have_text("0")
    # The filter looks through all runs, of which others may lie elsewhere.
    page.fill("[name=filter]", "x")
    expect(ticks.first).to_have_text("0")


def shown_at(page: Page) -> float:
    """Where run x's base is drawn, as a share of the width of its plot."""
    row = page.locator(".run").filter(has_text="x").first
    plot, mark = (
        row.locator(".col-plot").bounding_box(),
        row.locator(".whisker-end:visible").first.bounding_box(),
    )
    assert plot is not None
    assert mark is not None
    return (mark["x"] + mark["width"] / 2 - plot["x"]) / plot["width"]


def test_a_filter_of_cut_rows_leads_to_the_table_of_all(page: Page, live_site: str) -> None:
    names = {f"run{run:03}" for run in range(151)}
    make_campaign("Small", {name: {"1": ["a", name]} for name in names})
    sign_in(page, live_site, "Small-ada")
    page.goto(ADDRESS)
    expect(page.locator(".run")).to_have_count(150)
    expect(page.locator("#no-run")).to_be_hidden()
    [cut] = names - set(page.locator(".run-tag").all_text_contents())
    page.fill("[name=filter]", f" {cut}")
    expect(page.locator("#no-run")).to_contain_text("The filter covers the first 150 runs.")
    page.locator("#no-run").get_by_role("link", name="Filter all runs").click()
    expect(page.get_by_role("link", name=cut, exact=True)).to_be_visible()
    expect(page.locator("tbody tr")).to_have_count(1)


def test_without_scripts_links_do_the_same(
    campaign: Campaign, page: Page, browser: Browser, live_site: str
) -> None:
    with browser.new_context(java_script_enabled=False, base_url=live_site) as context:
        context.add_cookies(page.context.cookies())  # type: ignore[arg-type]  # what it gives it also takes
        plain = context.new_page()
        plain.goto(ADDRESS)
        expect(plain.locator(".run:visible")).to_have_count(20)
        plain.get_by_role("link", name="Show all 24 runs").click()
        expect(plain.locator(".run:visible")).to_have_count(24)
        plain.get_by_role("link", name="1 judged topic").click()
        expect(plain.locator("#verdict")).to_contain_text("On the 1 judged topic:")


def test_the_keyboard_reads_a_curve(page: Page, campaign: Campaign) -> None:
    run = campaign.runs.get(tag="run00")
    page.goto(f"{ADDRESS}runs/{run.id}/")
    words = page.locator("#score-curve .curve-words")
    expect(words).to_contain_text("3 judged: run00")
    page.locator("#score-curve .curve-drawing").focus()
    page.keyboard.press("Home")
    expect(words).to_have_text("0 judged: run00 0.000 – 1.000")
    page.keyboard.press("ArrowRight")
    expect(words).to_contain_text("1 judged: run00 0.100")


def test_no_page_runs_over_the_edge(page: Page, campaign: Campaign) -> None:
    run = campaign.runs.get(tag="run00")
    paths = [
        "",
        "?show=all&topics=judged",
        f"runs/{run.id}/",
        "pair/?topics=judged",
        "people/Small-grace/",
        "documents/",
        "document/?docno=a&all",
        "topics/1/",
    ]
    for path in paths:
        page.goto(f"{ADDRESS}{path}")
        assert fits(page), path
