"""The assessor's pages at three widths, in both themes; the choices that outlive a reload."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from campaigns.models import Topic
from tests.browser.judging_desk import Desk, desk_campaign
from tests.browser.organiser import fits

# Nothing lies above the middle of it.
FOREMOST = """one => {
  const { x, y, width, height } = one.getBoundingClientRect();
  return document.elementFromPoint(x + width / 2, y + height / 2) === one;
}"""


@pytest.fixture
def desk(celery_worker: object, page: Page, live_site: str) -> Desk:
    desk_campaign(guidelines="Judge what it says.")
    return Desk(page, live_site)


def test_nothing_runs_over_the_edge(desk: Desk) -> None:
    page = desk.page
    for path in ("/judge/", "/judge/desk/", "/judge/desk/7/", "/no/such/page/"):
        page.goto(path)
        assert fits(page), path
    desk.open()
    desk.cut()
    desk.judge("1")
    desk.state("1 waiting · offline")
    assert fits(page)


def test_grades_lie_under_the_thumb_on_a_phone(desk: Desk) -> None:
    Topic.objects.update(narrative="Relevant is what names one of them. " * 100)
    desk.page.set_viewport_size({"width": 390, "height": 844})
    desk.open()
    for button in desk.page.locator(".dock button:visible").all():
        box = button.bounding_box()
        assert box
        assert min(box["width"], box["height"]) >= 48
        assert box["y"] + box["height"] <= 844
    expect(desk.page.locator("#need")).to_be_hidden()
    desk.page.locator("#fold").click()
    expect(desk.page.locator("#need")).to_be_visible()
    for button in desk.page.locator(".grades button").all():
        expect(button).to_be_in_viewport(ratio=1)


def test_the_document_scrolls_alone_beside_a_rail_that_stays(desk: Desk) -> None:
    page = desk.page
    page.set_viewport_size({"width": 1400, "height": 420})
    desk.open()
    before = page.locator(".grades").bounding_box()
    for _ in range(3):
        page.keyboard.press("PageDown")
    expect(page.locator("#document-title")).not_to_be_in_viewport()
    assert page.locator(".grades").bounding_box() == before
    desk.judge("1")
    desk.docno()
    expect(page.locator("#paper")).to_have_js_property("scrollTop", 0)


@pytest.mark.parametrize(("width", "height"), [(1400, 820), (1280, 600), (1024, 500), (844, 390)])
def test_grades_stay_whatever_the_topic_needs(desk: Desk, width: int, height: int) -> None:
    Topic.objects.update(narrative="Relevant is what names one of them. " * 100)
    page = desk.page
    page.set_viewport_size({"width": width, "height": height})
    desk.open()
    # From the top of the rail to its end, and back by the keyboard alone.
    for way in (0, 10_000):
        page.locator(".rail").evaluate("(rail, way) => { rail.scrollTop = way; }", way)
        for button in page.locator(".grades button").all():
            expect(button).to_be_in_viewport(ratio=1)
    refine = page.get_by_role("button", name="Edit topic description")
    refine.focus()
    assert refine.evaluate(FOREMOST)


def test_progress_and_recent_judgments_are_in_sight(desk: Desk) -> None:
    page = desk.page
    page.set_viewport_size({"width": 1440, "height": 900})
    desk.open()
    for key in "0120":
        desk.judge(key)
    desk.docno()
    for place in (".so-far", "#progress-bar", "#last"):
        expect(page.locator(place)).to_be_in_viewport(ratio=1)


def boxes(page: Page) -> list[object]:
    return [page.locator(place).bounding_box() for place in (".grades", ".acts", ".so-far")]


def test_a_judgment_is_a_ring_that_moves_nothing_and_an_undo_takes_it_away(desk: Desk) -> None:
    page = desk.page
    desk.open()
    desk.judge("0")
    desk.docno()
    places = boxes(page)
    desk.judge("2")
    expect(page.locator("#last.ringed li")).to_have_count(2)
    expect(page.locator("#flash")).to_be_hidden()
    assert boxes(page) == places
    desk.docno()
    desk.press("u")
    expect(page.locator("#flash")).to_contain_text("undone")
    expect(page.locator("#last:not(.ringed) li")).to_have_count(1)
    assert boxes(page) == places


def test_theme_and_letters_outlive_a_reload(desk: Desk) -> None:
    page = desk.page
    desk.open()
    page.get_by_role("button", name="Text size and line length").click()
    page.get_by_role("button", name="Larger text").click()
    page.get_by_label("short", exact=True).check()
    page.get_by_role("button", name="Theme: auto").click()
    page.get_by_role("button", name="Theme: light").click()
    desk.open()
    assert page.locator("html").get_attribute("data-theme") == "dark"
    assert page.evaluate("getComputedStyle(document.body).colorScheme") == "dark"
    assert page.locator("#paper").get_attribute("data-size") == "large"
    assert page.locator("#paper").get_attribute("data-width") == "narrow"


def test_from_sign_in_to_the_screen_by_links(desk: Desk) -> None:
    page = desk.page
    page.goto("/judge/")
    page.get_by_role("link", name="Choose a topic").click()
    expect(page.get_by_text("Judge what it says.")).to_be_visible()
    page.get_by_role("link", name="Start the recommended topic").click()
    desk.judge("1")
    desk.saved()
    page.locator("a.brand").click()
    expect(page.get_by_role("heading", name="In progress")).to_be_visible()
    expect(page.get_by_text("1 of 30")).to_be_visible()
