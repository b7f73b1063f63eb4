"""The dashboard in a real Chromium: the picture, its order, the keyboard, and what it says when alone."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from campaigns.computing.tasks import heartbeat
from campaigns.core import decimals
from campaigns.core.jobs import request_recompute
from campaigns.models import Campaign
from campaigns.results.score_ranges import score_ranges_of
from tests.browser.organiser import drawn, fits, module, order_on_screen, sign_in
from tests.campaigns.factories import Api, add_run, make_campaign
from tests.plumbing.idle import wait_until_idle

ADDRESS = "/campaigns/small/"
POOR = [f"poor{rank}" for rank in range(8)]


@pytest.fixture
def campaign(celery_worker: object, page: Page, live_site: str) -> Campaign:
    campaign = make_campaign("Small", budget=10)
    wait_until_idle()
    sign_in(page, live_site, "Small-ada")
    return campaign


def told(campaign: Campaign) -> dict[str, tuple[float, float]]:
    return {row.run: (100 * row.base, 100 * row.residual) for row in score_ranges_of(campaign=campaign)}


def await_drawn(page: Page, campaign: Campaign) -> None:
    """The bars as the worker leaves them."""
    wait_until_idle()
    for tag, (base, residual) in told(campaign).items():
        run = campaign.runs.get(tag=tag)
        bar = page.locator(f"#run-{run.id} .run-reach")
        expect(bar).to_have_attribute("x", f"{base:.3f}%")
        expect(bar).to_have_attribute("width", f"{residual:.3f}%")


def test_bars_move_when_somebody_judges(page: Page, campaign: Campaign) -> None:
    page.goto(ADDRESS)
    expect(page.locator("#live-words")).to_have_text("live · no judgment yet")
    page.evaluate("document.body.dataset.sameVisit = 'yes'")
    before = drawn(page, campaign)
    assert before["x"][0] == 0
    Api(campaign, "Small-grace").judge("1", "a", 2)
    expect(page.locator("#live-words")).to_have_text(re.compile("^live · judgment 1, .+ ago$"))
    expect(page.locator("#judged")).to_have_text("1")
    expect(page.locator("#relevant")).to_have_text("1 relevant")
    x = campaign.runs.get(tag="x")
    # In topic 1 of two, run x has the document at rank 1: (1 - 0.8) / 2.
    expect(page.locator(f"#run-{x.id} .run-base")).to_have_attribute("x", "10.000%")
    await_drawn(page, campaign)
    after = drawn(page, campaign)
    assert all(after[tag][1] < before[tag][1] for tag in "xyz")
    assert order_on_screen(page)[0] == "x"
    expect(page.locator("body")).to_have_attribute("data-same-visit", "yes")


def test_an_open_page_hears_all_it_shows_and_asks_for_nothing(page: Page, campaign: Campaign) -> None:
    heartbeat.delay()
    page.goto(ADDRESS)
    expect(page.locator("#health")).to_contain_text("Worker, broker and database are up.")
    expect(page.locator(".topic-judged").first).to_have_text("0")
    page.wait_for_load_state("networkidle")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.locator("[data-part=stop]").evaluate("(part) => (part.dataset.same = 'yes')")
    Api(campaign, "Small-grace").judge("1", "a", 2)
    await_drawn(page, campaign)
    # What the server writes comes every now and then; meanwhile a page that asked would have asked.
    expect(page.locator(".topic-judged").first).to_have_text("1", timeout=40_000)
    expect(page.locator("#curves")).to_be_visible()
    expect(page.locator("[data-part=stop]")).to_have_attribute("data-same", "yes")
    assert asked == []


def test_every_module_is_asked_for_at_once(page: Page, campaign: Campaign) -> None:
    page.goto(ADDRESS)
    expect(page.locator("#live-words")).to_have_text("live · no judgment yet")
    names = "(all) => all.map((one) => new URL(one.href || one.src || one.name).pathname)"
    asked = page.evaluate(f"({names})(performance.getEntriesByType('resource'))")
    named = page.locator("head link[rel=modulepreload], head script[type=module]").evaluate_all(names)
    plain = page.locator("head script:not([type=module])[src]").evaluate_all(names)
    scripts = {path for path in asked if path.endswith(".js")}
    assert len(named) > 15
    assert scripts == {*named, *plain}


def test_curves_of_marked_runs_go_on_with_what_is_heard(page: Page, campaign: Campaign) -> None:
    grace = Api(campaign, "Small-grace")
    grace.judge("1", "a", 2)
    y = campaign.runs.get(tag="y")
    wait_until_idle()
    page.goto(f"{ADDRESS}?run={y.id}")
    expect(page.locator("#curves .curve-tick").last).to_have_text("1 judged")
    # Once the stream is open, what it may have missed has been asked for.
    expect(page.locator("#live-words")).to_have_text(re.compile("^live"))
    page.wait_for_load_state("networkidle")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    grace.judge("1", "b", 1)
    expect(page.locator("#curves .curve-tick").last).to_have_text("2 judged", timeout=40_000)
    grace.judge("2", "k", 1)
    expect(page.locator("#curves .curve-tick").last).to_have_text("3 judged", timeout=40_000)
    assert asked == []
    grown = module(page, "curves/growing.js", "grown", CURVES, 2, FIGURES)
    assert grown == {
        "judged": [0, 2],
        "among": 2,
        "runs": [{"id": 1, "base": [0, 0.2], "top": [1, 0.9], "projected": [None, 0.4], "place": [None, 2]}],
    }


# Three were judged, then one was taken back.
CURVES = {
    "judged": [0, 3],
    "among": 2,
    "runs": [{"id": 1, "base": [0, 0.3], "top": [1, 0.8], "projected": [None, 0.5], "place": [None, 1]}],
}
FIGURES = [
    {"id": 1, "base": 0.2, "top": 0.9, "residual": 0.7, "projected": 0.4},
    {"id": 2, "base": 0.25, "top": 0.95, "residual": 0.7, "projected": 0.4},
]


def test_the_page_goes_on_without_the_stream(page: Page, campaign: Campaign) -> None:
    page.route("**/events/**", lambda route: route.abort())
    page.goto(ADDRESS)
    expect(page.locator("#live-words")).to_have_text("not live, trying again · no judgment yet")
    expect(page.locator("#health")).to_contain_text("No worker has been heard of yet.")
    Api(campaign, "Small-grace").judge("1", "a", 2)
    expect(page.locator("#judged")).to_have_text("1")
    await_drawn(page, campaign)
    expect(page.locator(".topic-judged").first).to_have_text("1", timeout=40_000)
    page.unroute_all()
    expect(page.locator("#live-words")).to_have_text(re.compile("^live · judgment 1"), timeout=30_000)


def test_a_run_that_comes_later_gets_its_row(page: Page, campaign: Campaign) -> None:
    page.goto(ADDRESS)
    expect(page.locator(".run")).to_have_count(3)
    add_run(campaign, "late", {"1": ["a", "k"]})
    Api(campaign, "Small-grace").judge("1", "a", 2)
    expect(page.locator(".run")).to_have_count(4)
    await_drawn(page, campaign)


def test_pausing_is_told(page: Page, campaign: Campaign) -> None:
    page.goto(ADDRESS)
    expect(page.locator("#live-words")).to_have_text("live · no judgment yet")
    Api(campaign, "Small-ada").post("pause/")
    expect(page.locator("#live-words")).to_have_text("paused · no judgment yet")


def test_sorting_and_filtering(page: Page, campaign: Campaign) -> None:
    add_run(campaign, "beta", {"1": ["b"]}, group="Zagreb")
    add_run(campaign, "alpha", {"1": ["a", "b"]}, group="Athens")
    request_recompute(campaign.id)
    Api(campaign, "Small-grace").judge("1", "b", 2)
    page.goto(ADDRESS)
    expect(page.locator("#judged")).to_have_text("1")
    await_drawn(page, campaign)
    by_base = sorted(score_ranges_of(campaign=campaign), key=lambda row: (-row.base, -row.top, row.run))
    assert order_on_screen(page) == [row.run for row in by_base]
    page.select_option("[name=sort]", "name")
    assert order_on_screen(page) == ["alpha", "beta", "x", "y", "z"]
    page.select_option("[name=sort]", "top")
    by_top = sorted(score_ranges_of(campaign=campaign), key=lambda row: (-row.top, -row.base, row.run))
    assert order_on_screen(page) == [row.run for row in by_top]
    page.select_option("[name=sort]", "group")
    assert order_on_screen(page)[:2] == ["alpha", "beta"]
    page.fill("[name=filter]", "zag")
    assert order_on_screen(page) == ["beta"]
    page.fill("[name=filter]", "nothing of the kind")
    expect(page.get_by_text("No run matches the filter.")).to_be_visible()


def test_the_keyboard_walks_through_the_runs(page: Page, campaign: Campaign) -> None:
    page.goto(ADDRESS)
    page.select_option("[name=sort]", "name")
    page.locator("[name=sort]").focus()
    page.keyboard.press("Tab")
    focused = page.locator(".run:focus")
    expect(focused).to_have_attribute("aria-label", re.compile("^x: base 0.000, top 1.000, projected"))
    page.keyboard.press("ArrowDown")
    expect(focused.locator(".run-tag")).to_have_text("y")
    expect(focused.locator(".run-values")).to_be_visible()
    page.keyboard.press("End")
    expect(focused.locator(".run-tag")).to_have_text("z")
    page.keyboard.press("ArrowDown")
    expect(focused.locator(".run-tag")).to_have_text("z")
    page.keyboard.press("Enter")
    expect(focused).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Home")
    expect(focused.locator(".run-tag")).to_have_text("x")
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    expect(focused.locator(".run-tag")).to_have_text("x")


def test_the_focus_stays_on_its_run_when_bars_move(page: Page, campaign: Campaign) -> None:
    page.goto(ADDRESS)
    z = campaign.runs.get(tag="z")
    page.locator(f"#run-{z.id}").focus()
    Api(campaign, "Small-grace").judge("1", "h", 2)
    expect(page.locator("#judged")).to_have_text("1")
    await_drawn(page, campaign)
    assert order_on_screen(page)[0] == "z"
    expect(page.locator(f"#run-{z.id}")).to_be_focused()


def test_the_table_says_the_same(page: Page, campaign: Campaign) -> None:
    Api(campaign, "Small-grace").judge("1", "a", 2)
    page.goto(ADDRESS)
    expect(page.locator("#judged")).to_have_text("1")
    await_drawn(page, campaign)
    page.get_by_text("The same as a table").click()
    lines = page.locator("#picture-table tr")
    expect(lines).to_have_count(campaign.runs.count())
    expect(lines.last).to_be_visible()
    rows = lines.evaluate_all("all => all.map((row) => [...row.cells].map((cell) => cell.textContent))")
    ranges = score_ranges_of(campaign=campaign)
    expected = {
        row.run: [decimals.base(row.base), decimals.score(row.projected), decimals.top(row.top)]
        for row in ranges
    }
    assert {row[0]: row[2:5] for row in rows} == expected
    assert [row[0] for row in rows] == order_on_screen(page)


def test_health_in_plain_words(page: Page, campaign: Campaign) -> None:
    page.goto(ADDRESS)
    expect(page.locator("#health")).to_contain_text("No worker has been heard of yet. Assessors can go on")
    heartbeat.delay()
    expect(page.locator("#health")).to_contain_text("Worker, broker and database are up.", timeout=20_000)
    # Without the stream, the page asks.
    page.route("**/events/**", lambda route: route.abort())
    page.route("**/status/", lambda route: route.abort())
    page.reload()
    expect(page.locator("#health")).to_contain_text("The server does not answer", timeout=20_000)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_faded_runs_keep_their_contrast(page: Page, campaign: Campaign, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    add_run(campaign, "poor", dict.fromkeys(("1", "2"), POOR))
    grace = Api(campaign, "Small-grace")
    for topic, good in (("1", "abcdefghij"), ("2", "klmn")):
        for docno in [*good, *POOR]:
            assert grace.judge(topic, docno, 2 if docno in good else 0).status_code == 201
    page.goto(ADDRESS)
    expect(page.locator("#judged")).to_have_text("30")
    await_drawn(page, campaign)
    faded = page.locator(".run-out")
    expect(faded).not_to_have_count(0)
    page.evaluate("Promise.allSettled(document.getAnimations().map((one) => one.finished))")
    assert faded.locator(".run-name").first.evaluate(CONTRAST, "color") >= 4.5
    for mark in (".run-base", ".run-projection"):
        assert faded.locator(mark).first.evaluate(CONTRAST, "fill") >= 3


# WCAG's contrast of an element's colour with the page's ground, by painting both.
CONTRAST = """(element, property) => {
  const paint = document.createElement("canvas").getContext("2d");
  const light = (colour) => {
    paint.fillStyle = colour;
    paint.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...paint.getImageData(0, 0, 1, 1).data].map((c) =>
      c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  };
  const pair = [light(getComputedStyle(document.documentElement).backgroundColor),
                light(getComputedStyle(element)[property])];
  return Math.max(...pair) / Math.min(...pair);
}"""


def test_nothing_runs_over_the_edge(page: Page, campaign: Campaign) -> None:
    add_run(campaign, "a_run_with_a_name_longer_than_any_column_" * 3, {"1": ["a"]})
    request_recompute(campaign.id)
    wait_until_idle()
    within = ("", "topics/", "people/", "exports/", "setup/", "settings/")
    for path in ("/campaigns/", "/campaigns/new/", *(f"{ADDRESS}{each}" for each in within)):
        page.goto(path)
        assert fits(page), path
    page.get_by_text("My own scale").click()
    assert fits(page)
