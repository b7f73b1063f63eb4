"""A replay that plays: one clock for both methods, by mouse and keys, exact at every stop."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from campaigns.models import Campaign
from campaigns.stopping import counterfactuals
from tests.browser.accessibility import barriers
from tests.browser.every_page.test_reduced_motion import moving_for_long
from tests.browser.organiser import fits, order_on_screen, sign_in
from tests.campaigns.factories import Api, make_campaign, make_user, signed_in
from tests.campaigns.lab.lab_files import do_all, make_collection, make_job
from tests.plumbing.browser.chromium_fixtures import intercept, visit

PAGE = "/campaigns/small/counterfactual/"
# Fourteen runs in five orders of the same documents.
LISTS = {
    f"run{run:02}": {
        "1": [f"d{(place * (run % 5 + 1)) % 7}" for place in range(7)],
        "2": [f"k{run % 3}", "k9"],
    }
    for run in range(14)
}
JUDGED = (("1", "d0", 2), ("1", "d1", 0), ("1", "d2", 1), ("2", "k0", 2), ("1", "d3", 0), ("2", "k1", 0))
BARS = """(side) => [...side.querySelectorAll(".run")].filter((row) => row.checkVisibility()).map((row) => {
  const plot = row.querySelector(".col-plot").getBoundingClientRect();
  const reach = row.querySelector(".run-reach").getBoundingClientRect();
  const at = (x) => (x - plot.left) / plot.width;
  return [row.querySelector(".run-tag").textContent, at(reach.left), at(reach.right)];
})"""


@pytest.fixture
def campaign(live_site: str) -> Campaign:
    campaign = make_campaign("Small", LISTS)
    grace = Api(campaign, "Small-grace")
    for topic, docno, grade in JUDGED:
        assert grace.judge(topic, docno, grade).status_code == 201
    counterfactuals.request(campaign=campaign, method="pooling")
    counterfactuals.compute(campaign.id)
    return campaign


def opened(page: Page, site: str) -> Page:
    sign_in(page, site, "Small-ada")
    page.goto(PAGE)
    expect(page.locator(".player")).to_have_attribute("data-ready", "yes")
    return page


def opened_at_rest(page: Page, site: str) -> Page:
    """Time passes only as the test says."""
    page.clock.install(time=0)
    opened(page, site)
    page.clock.pause_at(3_600_000)
    return page


def trajectory(which: str) -> Any:
    return signed_in("Small-ada").get(f"{PAGE}{which}.json").json()


def ranges_after(sent: Any, frame: int) -> dict[str, tuple[float, float]]:
    ends = ([sum(changes[: frame + 1]) / sent["unit"] for changes in sent[name]] for name in ("base", "top"))
    return dict(zip(sent["runs"], zip(*ends, strict=True), strict=True))


def scrub(page: Page) -> Any:
    return page.get_by_label("Judgments so far")


def count(page: Page, side: int, name: str) -> Any:
    return page.locator(".player-side").nth(side).locator(f"[data-count={name}]")


@pytest.mark.parametrize("judged", [0, 4, 6])
def test_every_stop_shows_the_ranges_of_its_frame(
    page: Page, live_site: str, campaign: Campaign, judged: int
) -> None:
    opened(page, live_site)
    scrub(page).fill(str(judged))
    expect(page.locator(".player-position")).to_have_text(f"{judged} of 6 judgments")
    sent = trajectory("actual")
    ranges = ranges_after(sent, judged)
    found = page.locator(".player-side").first.evaluate(BARS)
    assert len(found) == 12
    assert [base for _, base, _ in found] == sorted((base for _, base, _ in found), reverse=True)
    for tag, base, top in found:
        assert (base, top) == pytest.approx(ranges[tag], abs=0.01)
    best = max(base for base, _ in ranges.values())
    expect(count(page, 0, "may")).to_have_text(str(sum(top >= best for _, top in ranges.values())))
    expect(count(page, 0, "relevant")).to_have_text(str(sent["relevant"][judged]))


def test_both_methods_play_by_one_clock_to_the_end(page: Page, live_site: str, campaign: Campaign) -> None:
    opened_at_rest(page, live_site)
    other = trajectory("other")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.clock.run_for(3500)
    expect(page.locator(".player-position")).to_have_text("3 of 6 judgments")
    # Nothing is read out while it moves.
    expect(page.locator(".player [role=status]")).to_be_empty()
    page.clock.run_for(4000)
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    expect(page.locator(".player-position")).to_have_text("6 of 6 judgments")
    expect(count(page, 0, "judged")).to_have_text("6")
    # The other method has fewer judgments: it stands at its end.
    assert other["judged"][-1] < 6
    expect(count(page, 1, "judged")).to_have_text(str(other["judged"][-1]))
    expect(count(page, 1, "unjudged")).to_have_text(str(other["handled"][-1] - other["judged"][-1]))
    expect(count(page, 0, "unjudged")).to_be_hidden()
    expect(page.locator(".player [role=status]")).to_have_text(
        re.compile(r"^6 of 6 judgments\. As it was judged: 3 relevant documents\. Pooling: ")
    )
    # It begins again.
    page.get_by_role("button", name="Play", exact=True).click()
    page.clock.run_for(500)
    expect(page.locator(".player-position")).to_have_text("0 of 6 judgments")


def test_keys_play_step_and_change_the_speed(page: Page, live_site: str, campaign: Campaign) -> None:
    opened_at_rest(page, live_site)
    place, speed = page.locator(".player-position"), page.get_by_role("combobox", name="Judgments")
    scrub(page).focus()
    for key, judged in (("ArrowRight", 1), ("End", 6), ("ArrowLeft", 5), ("Home", 0)):
        page.keyboard.press(key)
        expect(place).to_have_text(f"{judged} of 6 judgments")
    expect(speed).to_have_value("1")
    page.keyboard.press("+")
    expect(speed).to_have_value("2")
    page.keyboard.press("Space")
    page.clock.run_for(1250)
    expect(place).to_have_text("2 of 6 judgments")
    page.keyboard.press("Space")
    expect(page.locator(".player [role=status]")).to_contain_text("2 of 6 judgments")
    page.keyboard.press("-")
    expect(speed).to_have_value("1")


def test_all_runs_are_a_click_away(page: Page, live_site: str, campaign: Campaign) -> None:
    opened(page, live_site)
    assert len(order_on_screen(page)) == 24
    page.get_by_role("button", name="Show all 14 runs").click()
    assert len(order_on_screen(page)) == 28
    scrub(page).fill("6")
    sent = trajectory("actual")
    ranges = ranges_after(sent, 6)
    bases = [ranges[tag][0] for tag in order_on_screen(page)[:14]]
    assert bases == sorted(bases, reverse=True)
    page.get_by_role("button", name="Show the first 12").click()
    assert len(order_on_screen(page)) == 24
    assert fits(page)


def test_with_less_motion_it_changes_once_a_second(
    browser: Browser, live_site: str, campaign: Campaign
) -> None:
    with visit(browser, live_site, reduced_motion="reduce") as page:
        opened_at_rest(page, live_site)
        scrub(page).focus()
        page.keyboard.press("+")
        page.keyboard.press("Space")
        page.clock.run_for(900)
        expect(page.locator(".player-position")).to_have_text("0 of 6 judgments")
        page.clock.run_for(200)
        expect(page.locator(".player-position")).to_have_text("2 of 6 judgments")
        assert moving_for_long(page) == 0


def test_a_replay_that_cannot_be_had_is_named(page: Page, live_site: str, campaign: Campaign) -> None:
    sign_in(page, live_site, "Small-ada")
    intercept(page, re.compile("other.json$"), lambda route: route.fulfill(status=503, body="away"))
    page.goto(PAGE)
    expect(page.get_by_role("alert")).to_contain_text("could not be loaded")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_hidden()


@pytest.mark.parametrize(("width", "theme"), [(1400, "light"), (390, "dark")])
def test_replays_of_the_lab_play_without_barriers(
    browser: Browser, live_site: str, width: int, theme: Any
) -> None:
    job = make_job(
        make_collection(make_user("ada")), "replay", methods=["C", "pooling"], budgets=[60], p=[0.8]
    )
    do_all(job)
    with visit(browser, live_site, viewport={"width": width, "height": 844}, color_scheme=theme) as page:
        sign_in(page, live_site, "ada")
        page.goto(f"/lab/jobs/{job.id}/watch/")
        scrub(page).fill("30")
        expect(page.locator(".player-position")).to_have_text("30 of 60 judgments")
        expect(page.locator(".player-side h2")).to_have_text(["Method C, p = 0.8", "Pooling, p = 0.8"])
        assert not barriers(page)
