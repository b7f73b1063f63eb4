"""An assessor's work, in a real Chromium against the real server and worker."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from campaigns.collection.documents import store_documents
from campaigns.formats.topics import DocumentRecord
from campaigns.models import Campaign, Judgment
from campaigns.results.topic_rows import mean_residuals
from campaigns.setup import campaigns as campaign_services
from tests.browser.judging_desk import ASSESSOR, DOCNOS, Desk, desk_campaign, log
from tests.campaigns.factories import Api
from tests.plumbing.idle import wait_until_idle

pytestmark = pytest.mark.usefixtures("celery_worker")


@pytest.fixture
def campaign(live_site: str) -> Campaign:
    campaign = desk_campaign(min_judgments=5)
    wait_until_idle()
    return campaign


@pytest.fixture
def desk(campaign: Campaign, page: Page, live_site: str) -> Desk:
    return Desk(page, live_site)


def test_one_key_judges_and_brings_the_next(desk: Desk, campaign: Campaign) -> None:
    desk.open()
    judged = [desk.judge(key) for key in ("0", "1", "2", "0", "r", "h")]
    desk.saved()
    assert len(set(judged)) == 6
    assert log(campaign) == list(zip(judged, [0, 1, 2, 0, 1, 2], strict=True))
    desk.progress("6 judged · 4 relevant")
    chips = desk.page.locator("#last button").all_inner_texts()
    assert chips == ["0", "1", "2", "0", "1", "2"]
    times = Judgment.objects.values_list("milliseconds", flat=True)
    assert all(time is not None and time >= 0 for time in times)


def test_undo_goes_back_as_far_as_one_likes(desk: Desk, campaign: Campaign) -> None:
    desk.open()
    first, second = desk.judge("1"), desk.judge("2")
    desk.docno()
    desk.press("u")
    expect(desk.page.locator("#document-title")).to_have_text(second)
    desk.press("u")
    expect(desk.page.locator("#document-title")).to_have_text(first)
    desk.saved()
    desk.progress("0 of 5 · 0 relevant")
    assert log(campaign) == [(first, 1), (second, 2), (second, None), (first, None)]
    desk.judge("0")
    desk.saved()
    assert log(campaign)[-1] == (first, 0)


def test_undo_reaches_what_an_earlier_visit_judged(desk: Desk, campaign: Campaign) -> None:
    desk.open()
    judged = desk.judge("1")
    desk.saved()
    desk.open()
    desk.press("u")
    expect(desk.page.locator("#document-title")).to_have_text(judged)
    desk.saved()
    assert log(campaign) == [(judged, 1), (judged, None)]


def test_later_sets_aside_and_brings_back(desk: Desk, campaign: Campaign) -> None:
    aside = desk.open()
    desk.press("s")
    expect(desk.page.locator("#document-title")).not_to_have_text(aside)
    desk.saved()
    expect(desk.page.locator("#aside-count")).to_have_text("1 to judge later")
    desk.open()
    desk.page.locator("#aside summary").click()
    desk.page.locator("#aside").get_by_text(aside).click()
    expect(desk.page.locator("#document-title")).to_have_text(aside)
    desk.judge("2")
    desk.saved()
    assert log(campaign) == [(aside, 2)]
    expect(desk.page.locator("#aside")).to_be_hidden()


def test_undo_brings_back_what_was_set_aside(desk: Desk, campaign: Campaign) -> None:
    aside = desk.open()
    desk.press("s")
    expect(desk.page.locator("#document-title")).not_to_have_text(aside)
    desk.press("u")
    expect(desk.page.locator("#document-title")).to_have_text(aside)
    assert log(campaign) == []


def test_cannot_judge_with_a_reason_by_keyboard_alone(desk: Desk, campaign: Campaign) -> None:
    first = desk.open()
    desk.press("x")
    expect(desk.page.get_by_role("button", name="unreadable")).to_be_focused()
    desk.press("2")
    expect(desk.page.locator("#document-title")).not_to_have_text(first)
    second = desk.docno()
    desk.press("x")
    desk.press("ArrowDown")
    desk.press("ArrowDown")
    desk.press("Enter")
    expect(desk.page.locator("#document-title")).not_to_have_text(second)
    third = desk.docno()
    desk.press("x")
    desk.press("Escape")
    assert desk.docno() == third
    desk.saved()
    assert log(campaign) == [(first, "missing text"), (second, "wrong language")]


def test_a_click_on_a_list_counts_while_the_list_changes(desk: Desk) -> None:
    desk.open()
    first = desk.judge("0")
    chip = desk.page.locator(f'#last [data-docno="{first}"]')
    chip.hover()
    desk.page.mouse.down()
    second = desk.judge("1")
    expect(desk.page.locator(f'#last [data-docno="{second}"]')).to_be_visible()
    expect(desk.page.locator("#document-title")).not_to_have_text(second)
    desk.page.mouse.up()
    expect(desk.page.locator("#document-title")).to_have_text(first)


def test_anything_judged_can_be_revised_from_the_list(desk: Desk, campaign: Campaign) -> None:
    desk.open()
    first = desk.judge("0")
    desk.judge("1")
    waiting = desk.docno()
    desk.page.locator("#history summary").click()
    desk.page.locator("#history-list").get_by_text(first).click()
    expect(desk.page.locator("#revising")).to_contain_text("You judged this not relevant")
    expect(desk.page.get_by_role("button", name="0 not relevant", exact=True)).to_have_attribute(
        "aria-pressed", "true"
    )
    desk.page.get_by_role("button", name="Leave it as it is").click()
    assert desk.docno() == waiting
    desk.page.locator(f'#last [data-docno="{first}"]').click()
    expect(desk.page.locator("#revising")).to_be_visible()
    desk.press("Escape")
    expect(desk.page.locator("#revising")).to_be_hidden()
    assert desk.docno() == waiting
    desk.page.locator(f'#last [data-docno="{first}"]').click()
    desk.judge("2")
    expect(desk.page.locator("#said")).to_contain_text("revised: highly relevant")
    desk.saved()
    assert log(campaign)[-1] == (first, 2)
    desk.progress("2 of 5 · 2 relevant")


def test_a_click_judges_too(desk: Desk, campaign: Campaign) -> None:
    docno = desk.open()
    desk.page.get_by_role("button", name="1 relevant", exact=True).click()
    expect(desk.page.locator("#document-title")).not_to_have_text(docno)
    desk.judge("2")
    desk.saved()
    assert log(campaign)[0] == (docno, 1)


def test_keys_rest_while_somebody_types_or_holds_a_modifier(desk: Desk, campaign: Campaign) -> None:
    docno = desk.open()
    desk.page.locator("#term").click()
    desk.page.keyboard.type("0 1 2 stable unsorted")
    desk.page.locator("#document-title").click()
    for chord in ("Control+1", "Alt+2", "Meta+0"):
        desk.press(chord)
    desk.press("?")
    desk.press("1")
    desk.press("Escape")
    assert desk.docno() == docno
    assert log(campaign) == []


def test_single_keys_can_be_switched_off(desk: Desk, campaign: Campaign) -> None:
    docno = desk.open()
    desk.page.get_by_role("button", name="Text size and line length").click()
    desk.page.get_by_label("single-key shortcuts").uncheck()
    desk.press("Escape")
    desk.page.locator("#document-title").click()
    for key in "1su?":
        desk.press(key)
    desk.page.reload()
    assert desk.docno() == docno
    desk.press("1")
    expect(desk.page.locator("#keys")).to_be_hidden()
    expect(desk.page.locator(".dock kbd").first).to_be_hidden()
    assert desk.docno() == docno
    desk.page.locator("[data-judge='2']").click()
    expect(desk.page.locator("#document-title")).not_to_have_text(docno)
    desk.saved()
    assert log(campaign) == [(docno, 2)]


def test_on_a_phone_the_grades_stay_in_their_place_however_short_the_document(
    desk: Desk, campaign: Campaign
) -> None:
    long = DocumentRecord(DOCNOS[0], "", "A long line. " * 2000, "text/plain")
    store_documents(collection=campaign.collection, records=[long], file="texts")
    desk.page.set_viewport_size({"width": 390, "height": 800})
    desk.open()
    places, heights = set(), set()
    for _ in range(4):
        desk.docno()
        places.add(desk.page.locator(".dock").bounding_box()["y"])  # type: ignore[index]
        heights.add(desk.page.locator("#document").bounding_box()["height"])  # type: ignore[index]
        desk.judge("1")
    assert len(heights) > 1
    assert len(places) == 1


def test_on_a_phone_the_keys_begin_at_their_top_with_the_way_out_in_sight(
    desk: Desk, campaign: Campaign
) -> None:
    desk.page.set_viewport_size({"width": 320, "height": 480})
    desk.open()
    desk.press("?")
    close = desk.page.locator("#keys").get_by_role("button", name="Close")
    expect(close).to_be_focused()
    expect(close).to_be_in_viewport(ratio=1)
    expect(desk.page.locator("#keys-title")).to_be_in_viewport(ratio=1)
    assert desk.page.locator("#keys").evaluate("keys => keys.scrollHeight > keys.clientHeight")


def test_a_key_held_down_judges_once(desk: Desk, campaign: Campaign) -> None:
    desk.open()
    desk.page.keyboard.down("1")
    for _ in range(5):
        desk.page.keyboard.down("1")
    desk.page.keyboard.up("1")
    desk.docno()
    desk.saved()
    assert len(log(campaign)) == 1


def test_two_quick_keys_do_not_judge_one_document_twice(desk: Desk, campaign: Campaign) -> None:
    first = desk.open()
    press = "dispatchEvent(new KeyboardEvent('keydown', {key: '1', code: 'Digit1'}));"
    desk.page.evaluate(f"{press} {press}")
    expect(desk.page.locator("#document-title")).not_to_have_text(first)
    desk.saved()
    assert log(campaign) == [(first, 1)]


def test_a_grade_right_after_the_document_appeared_is_not_counted(desk: Desk, campaign: Campaign) -> None:
    first = desk.open()
    # The second key comes in the task in which the next document has been painted.
    desk.page.evaluate(
        """() => {
          const press = () => dispatchEvent(new KeyboardEvent("keydown", { key: "1", code: "Digit1" }));
          const paper = document.querySelector("#paper");
          const watch = new MutationObserver(() => {
            const title = document.querySelector("#document-title").textContent;
            if (paper.ariaBusy === "true" || title === "doc01") return;
            watch.disconnect();
            press();
          });
          watch.observe(paper, { attributeFilter: ["aria-busy"] });
          press();
        }"""
    )
    expect(desk.page.locator("#flash")).to_have_text("too soon: not counted")
    desk.docno()
    desk.saved()
    assert log(campaign) == [(first, 1)]


def test_a_stretch_without_a_relevant_document_says_what_is_left(desk: Desk, campaign: Campaign) -> None:
    desk.open()
    desk.judge("1")
    for _ in range(10):
        desk.judge("0")
        desk.at_hand()
    expect(desk.page.locator("#nudge")).to_contain_text("None of the last 10 documents was relevant")
    [left] = mean_residuals(campaign=campaign).values()
    assert 0 < left < 1
    expect(desk.page.locator("#nudge-finish")).to_be_visible()


def test_the_minimum_is_marked_and_one_may_go_on(desk: Desk) -> None:
    desk.open()
    for _ in range(5):
        desk.judge("1")
    expect(desk.page.locator("#nudge")).to_contain_text("You have reached the minimum")
    expect(desk.page.locator("#done")).to_be_visible()
    desk.judge("1")
    expect(desk.page.locator("#nudge")).to_be_hidden()


def test_the_end_of_a_topic_says_so(desk: Desk, campaign: Campaign) -> None:
    desk.open()
    for _ in DOCNOS:
        last = desk.judge("0")
    expect(desk.page.locator("#end")).to_be_visible()
    expect(desk.page.get_by_role("heading", name="Nothing is left")).to_be_focused()
    desk.saved()
    assert sorted(docno for docno, _ in log(campaign)) == DOCNOS
    desk.press("1")
    desk.press("u")
    expect(desk.page.locator("#document-title")).to_have_text(last)
    desk.saved()
    assert len(log(campaign)) == len(DOCNOS) + 1


def test_a_document_without_text_says_so(desk: Desk) -> None:
    for docno in DOCNOS[:-1]:
        Api(Campaign.objects.get(), ASSESSOR).judge("7", docno, 0)
    assert desk.open() == DOCNOS[-1]
    expect(desk.page.locator("#document-text")).to_contain_text("text of this document is not stored")


def test_a_paused_campaign_holds_judgments_until_it_opens_again(desk: Desk, campaign: Campaign) -> None:
    desk.open()
    campaign_services.pause(campaign=campaign)
    docno = desk.judge("1")
    desk.state("1 waiting · on hold")
    desk.page.locator("#saving").click()
    expect(desk.page.locator("#saving-words")).to_contain_text("paused")
    campaign_services.open_campaign(campaign=campaign)
    desk.page.get_by_role("button", name="Try now").click()
    desk.saved()
    assert log(campaign) == [(docno, 1)]


def test_a_scale_of_ones_own_with_keys_that_commands_use(live_site: str, page: Page) -> None:
    scale = [
        {"grade": 0, "label": "off topic", "gain": 0.0, "key": "o"},
        {"grade": 1, "label": "somewhat", "gain": 0.2, "key": "s"},
        {"grade": 3, "label": "fully", "gain": 1.0, "key": "F"},
    ]
    campaign = desk_campaign(grades=scale)
    desk = Desk(page, live_site)
    desk.open()
    judged = [desk.judge(key) for key in ("o", "s", "f", "o", "h")]
    desk.saved()
    assert log(campaign) == list(zip(judged, [0, 1, 3, 0, 3], strict=True))
    expect(page.locator("#later kbd")).to_be_hidden()
    expect(page.locator("#undo kbd")).to_be_visible()
