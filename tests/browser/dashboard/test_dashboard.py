"""The overview in a real Chromium: it follows the judging, keeps focus and filter, and says when alone."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from campaigns.computing.tasks import heartbeat
from campaigns.core.recompute_queue import request_recompute
from campaigns.models import Campaign
from campaigns.results.score_ranges import score_ranges_of
from campaigns.stopping.tasks import predict
from tests.browser.organiser import drawn, fits, order_on_screen, sign_in
from tests.campaigns.factories import Api, add_run, make_campaign
from tests.plumbing.browser.chromium_fixtures import intercept
from tests.plumbing.idle import wait_until_idle

ADDRESS = "/campaigns/small/"
LIVE = 40_000


@pytest.fixture
def campaign(celery_worker: object, page: Page, live_site: str) -> Campaign:
    campaign = make_campaign("Small", budget=10)
    wait_until_idle()
    sign_in(page, live_site, "Small-ada")
    return campaign


def shown_scores(campaign: Campaign) -> dict[str, tuple[float, float]]:
    return {row.run: (100 * row.base, 100 * row.residual) for row in score_ranges_of(campaign=campaign)}


def await_drawn(page: Page, campaign: Campaign) -> None:
    """The whiskers as the worker leaves them."""
    wait_until_idle()
    for tag, (base, residual) in shown_scores(campaign).items():
        run = campaign.runs.get(tag=tag)
        whisker = page.locator(f".run:has(#run-{run.id}) .whisker")
        expect(whisker).to_have_attribute("x", f"{base:.3f}%", timeout=LIVE)
        expect(whisker).to_have_attribute("width", f"{residual:.3f}%", timeout=LIVE)


def test_all_panels_change_together_when_somebody_judges(page: Page, campaign: Campaign) -> None:
    page.goto(ADDRESS)
    expect(page.locator("#live-words")).to_have_text("live · no judgment yet")
    expect(page.locator("#verdict")).to_contain_text("Nothing is judged yet")
    page.evaluate("document.body.dataset.sameVisit = 'yes'")
    before = drawn(page, campaign)
    Api(campaign, "Small-grace").judge("1", "a", 2)
    expect(page.locator("#live-words")).to_have_text(re.compile("^live · log entry 1, .+ ago$"))
    await_drawn(page, campaign)
    expect(page.locator("#judged")).to_have_text("1", timeout=LIVE)
    after = drawn(page, campaign)
    assert all(after[tag][1] < before[tag][1] for tag in "xyz")
    # In topic 1 of two, run x has the document at rank 1: (1 - 0.8) / 2.
    assert after["x"][0] == 10
    expect(page.locator(".ranges .stamp")).to_have_text("log entry 1")
    expect(page.locator(".topics-panel .stamp")).to_have_text("log entry 1")
    expect(page.locator(".judging-panel")).to_contain_text("Small-grace")
    expect(page.locator("body")).to_have_attribute("data-same-visit", "yes")


def test_a_prediction_reaches_the_open_page(page: Page, campaign: Campaign) -> None:
    grace = Api(campaign, "Small-grace")
    page.goto(ADDRESS)
    for topic, docno, grade in (("1", "a", 2), ("1", "b", 1), ("1", "h", 0), ("1", "f", 0)):
        grace.judge(topic, docno, grade)
    wait_until_idle()
    expect(page.locator(".run .score-tick")).to_have_count(0)
    predict.delay(campaign.id)
    wait_until_idle()
    expect(page.locator(".run .score-tick")).to_have_count(3, timeout=LIVE)
    expect(page.locator("#verdict")).to_contain_text(re.compile("probably|open which|certainly"))
    expect(page.locator("#verdict-news")).not_to_be_empty()
    expect(page.locator(".pair-table td:not(.none)")).to_have_count(3)
    expect(page.locator(".pairs-panel .stamp")).to_have_text("log entry 4")


def test_an_open_page_hears_all_it_shows_and_asks_for_nothing(page: Page, campaign: Campaign) -> None:
    heartbeat.delay()
    page.goto(ADDRESS)
    expect(page.locator("#health")).to_contain_text("Worker, broker and database are up.")
    page.wait_for_load_state("networkidle")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    Api(campaign, "Small-grace").judge("1", "a", 2)
    await_drawn(page, campaign)
    expect(page.locator("#judged")).to_have_text("1", timeout=LIVE)
    assert asked == []


def test_every_module_is_asked_for_at_once(page: Page, campaign: Campaign) -> None:
    page.goto(ADDRESS)
    expect(page.locator("#live-words")).to_have_text("live · no judgment yet")
    names = "(all) => all.map((one) => new URL(one.href || one.src || one.name).pathname)"
    asked = page.evaluate(f"({names})(performance.getEntriesByType('resource'))")
    named = page.locator("head link[rel=modulepreload], head script[type=module]").evaluate_all(names)
    plain = page.locator("head script:not([type=module])[src]").evaluate_all(names)
    scripts = {path for path in asked if path.endswith(".js")}
    assert len(named) > 7
    assert scripts == {*named, *plain}


def test_the_page_goes_on_without_the_stream(page: Page, campaign: Campaign) -> None:
    page.route("**/events/**", lambda route: route.abort())
    page.goto(ADDRESS)
    expect(page.locator("#live-words")).to_have_text("not live, trying again · no judgment yet")
    expect(page.locator("#health")).to_contain_text("No worker has reported yet.")
    Api(campaign, "Small-grace").judge("1", "a", 2)
    await_drawn(page, campaign)
    expect(page.locator("#judged")).to_have_text("1", timeout=LIVE)
    page.unroute_all()
    expect(page.locator("#live-words")).to_have_text(re.compile("^live"), timeout=30_000)


def test_a_run_that_comes_later_gets_its_row(page: Page, campaign: Campaign) -> None:
    page.goto(ADDRESS)
    expect(page.locator(".run")).to_have_count(3)
    add_run(campaign, "late", {"1": ["a", "k"]})
    Api(campaign, "Small-grace").judge("1", "a", 2)
    expect(page.locator(".run")).to_have_count(4, timeout=LIVE)
    await_drawn(page, campaign)


def test_pausing_is_told(page: Page, campaign: Campaign) -> None:
    page.goto(ADDRESS)
    expect(page.locator("#live-words")).to_have_text("live · no judgment yet")
    Api(campaign, "Small-ada").post("pause/")
    expect(page.locator("#live-words")).to_have_text("paused · no judgment yet")


def test_focus_and_filter_outlast_an_update(page: Page, campaign: Campaign) -> None:
    page.goto(ADDRESS)
    page.fill("[name=filter]", "z")
    z = campaign.runs.get(tag="z")
    page.locator(f"#run-{z.id}").focus()
    Api(campaign, "Small-grace").judge("1", "h", 2)
    expect(page.locator("#judged")).to_have_text("1", timeout=LIVE)
    expect(page.locator(f"#run-{z.id}")).to_be_focused()
    assert order_on_screen(page) == ["z"]
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(rf"/runs/{z.id}/$"))


def test_health_in_plain_words(page: Page, campaign: Campaign) -> None:
    page.goto(ADDRESS)
    expect(page.locator("#health")).to_contain_text("No worker has reported yet. Assessors can continue")
    heartbeat.delay()
    expect(page.locator("#health")).to_contain_text("Worker, broker and database are up.", timeout=20_000)
    # Without the stream, the page asks.
    for path in ("/events/", "/status/$"):
        intercept(page, re.compile(path), lambda route: route.abort())
    page.reload()
    expect(page.locator("#health")).to_contain_text("The server does not answer", timeout=20_000)


def test_a_server_that_fails_to_look_has_lost_its_database(page: Page, campaign: Campaign) -> None:
    intercept(page, re.compile("/events/"), lambda route: route.abort())
    intercept(page, re.compile("/status/$"), lambda route: route.fulfill(status=500))
    page.goto(ADDRESS)
    expect(page.locator("#health")).to_contain_text("The database does not answer", timeout=20_000)
    expect(page.locator("#live-words")).to_have_text("not live, trying again · no judgment yet")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_mark_keeps_its_contrast(page: Page, campaign: Campaign, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    for docno, grade in (("a", 2), ("b", 1), ("h", 0), ("f", 0)):
        Api(campaign, "Small-grace").judge("1", docno, grade)
    wait_until_idle()
    predict.delay(campaign.id)
    wait_until_idle()
    page.goto(ADDRESS)
    expect(page.locator(".run .score-tick")).to_have_count(3)
    for mark in (".whisker", ".band", ".score-tick"):
        assert page.evaluate(CONTRAST, [f".run {mark}", "fill"]) >= 3
    # As the style sheet has it for runs that can hardly be best.
    page.locator(".run").evaluate_all("rows => rows.forEach((row) => row.classList.remove('may'))")
    for mark in (".band", ".score-tick"):
        assert page.evaluate(CONTRAST, [f".run {mark}", "fill"]) >= 3
    assert page.evaluate(CONTRAST, [".run .col-range", "color"]) >= 4.5


# WCAG's contrast of an element's colour with its panel, by painting both. The element is found in the same
# call: an update may replace rows at any time.
CONTRAST = """([selector, property]) => {
  const element = document.querySelector(selector);
  const paint = document.createElement("canvas").getContext("2d");
  const light = (colour) => {
    paint.fillStyle = colour;
    paint.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...paint.getImageData(0, 0, 1, 1).data].map((c) =>
      c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  };
  const pair = [light(getComputedStyle(element.closest(".panel")).backgroundColor),
                light(getComputedStyle(element)[property])];
  return Math.max(...pair) / Math.min(...pair);
}"""


def test_nothing_runs_over_the_edge(page: Page, campaign: Campaign) -> None:
    add_run(campaign, "a_run_with_a_name_longer_than_any_column_" * 3, {"1": ["a"]})
    request_recompute(campaign.id)
    wait_until_idle()
    within = ("", "topics/", "people/", "exports/", "setup/", "runs/")
    for path in ("/campaigns/", "/campaigns/new/", *(f"{ADDRESS}{each}" for each in within)):
        page.goto(path)
        assert fits(page), path
    page.goto(f"{ADDRESS}setup/?step=grades")
    page.get_by_text("My own scale").click()
    assert fits(page)


def test_arrow_keys_walk_along_the_topics(page: Page, campaign: Campaign) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(ADDRESS)
    links = page.locator(".cell-topics a")
    links.first.focus()
    expect(links.first.locator(".cell-says")).to_have_css("clip-path", "none")
    page.keyboard.press("ArrowRight")
    expect(links.nth(1)).to_be_focused()
    expect(links.nth(1)).to_have_attribute("tabindex", "0")
    expect(links.first).to_have_attribute("tabindex", "-1")
    # A narrow page shows the topics as a strip.
    page.set_viewport_size({"width": 1000, "height": 900})
    expect(page.locator(".topic-strip")).to_be_visible()
    expect(links.first).to_be_hidden()
